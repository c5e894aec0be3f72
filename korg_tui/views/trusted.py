"""Trusted: what is said of a chain: for its ledger, for a session, for one event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from korg_tui.causal import Ledger, Session
from korg_tui.formats import Body
from korg_tui.reading import Reading
from korg_tui.text import visible
from korg_tui.trust import Standing, Watched
from korg_tui.views.sections import Line, Section, Style

Watch = Callable[[Ledger], Watched | None]
"""What can be said of the chain of a ledger now."""

Tone = Literal["good", "bad", "mark", "quiet"]

_HASH = 200
"""Characters of a stated hash that are shown; a right one has 64."""
_BEGINS = "0" * 64


@dataclass(frozen=True, slots=True)
class TrustMark:
    """What is said of a chain: a sign of one cell, and words; safe."""

    sign: str
    words: str
    tone: Tone

    def __str__(self) -> str:
        return f"{self.sign} {self.words}"


INTACT = TrustMark("✓", "intact", "good")
INTACT_HERE = TrustMark("✓", "intact here", "mark")
"""Of a session that holds, in a ledger that is broken elsewhere."""
WINDOW = TrustMark("✓", "window", "good")
UNCHAINED = TrustMark("–", "unchained", "quiet")
NEEDS_KEY = TrustMark("?", "needs key", "mark")
UNVERIFIABLE = TrustMark("?", "unverifiable", "mark")
CHECKING = TrustMark("…", "checking", "quiet")

NOBODY: Mapping[str, Watched] = {}


# a ledger


def ledger_words(watched: Watched | None, guests: Mapping[str, Watched] = NOBODY) -> tuple[str, Tone]:
    """What the status says of the chain of a ledger, or of a broken one of its guests; empty where there is
    nothing to say yet."""
    if watched is not None and watched.standing.verdict == "broken":
        return f"chain broken{_at(watched.standing.faults[0].seq)}", "bad"
    for guest in guests.values():
        return f"chain broken at {_of_guest(guest)}", "bad"
    if watched is None:
        return "", "quiet"
    standing = watched.standing
    if watched.share is not None:
        return f"verifying {watched.share} %", "quiet"
    match standing.verdict:
        case "empty":
            return "", "quiet"
        case "unchained":
            return "unchained", "quiet"
        case "needs_key":
            return "hashes need a key", "mark"
        case "unverifiable":
            return f"unverifiable{_at(_first_odd(standing))}", "mark"
        case _:
            window = " (window)" if standing.verdict == "window" else ""
            return f"verified{_to(standing.verified_to)}{window}", "good"


def ledger_sentence(watched: Watched | None, guests: Mapping[str, Watched] = NOBODY) -> str:
    """The same for one who hears it: `chain verified to 8,112`."""
    said, _ = ledger_words(watched, guests)
    if not said:
        return ""
    return said if said.startswith(("chain", "hashes", "unchained")) else f"chain {said}"


def _of_guest(watched: Watched) -> str:
    """The first event of a broken ledger of a sub-agent, as `:5`."""
    seq = watched.standing.faults[0].seq
    return ":" if seq is None else f":{seq}"


def nobody_watches(ledger: Ledger) -> None:
    """Nothing is known of any chain."""
    del ledger


def _at(seq: int | None) -> str:
    return "" if seq is None else f" at {seq}"


def _to(seq: int | None) -> str:
    return "" if seq is None else f" to {seq:,}"


def _first_odd(standing: Standing) -> int | None:
    return next((each.seq for each in standing.findings if each.seq is not None), None)


# a session


class TrustMarks:
    """The marks of the sessions of one ledger, as it is known now. `guests` is what is known, by their names,
    of broken ledgers whose events are guests in it."""

    def __init__(
        self, ledger: Ledger | None, watched: Watched | None, guests: Mapping[str, Watched] = NOBODY
    ) -> None:
        self._ledger = ledger
        self._guests = guests
        self.watched = watched
        self._shape = _shape(ledger)
        broken = ledger is not None and watched is not None and watched.standing.verdict == "broken"
        self._held = _first_held(ledger, watched.standing) if broken and ledger and watched else {}
        self._by_guests = _held_by_guests(ledger, guests) if ledger and guests else {}

    def still(self, watched: Watched | None, guests: Mapping[str, Watched]) -> bool:
        """Whether these marks are those of a ledger of which so much is known."""
        return (self.watched, self._shape, self._guests) == (watched, _shape(self._ledger), guests)

    def of(self, session: Session | None) -> TrustMark | None:
        """The mark of a session; None for the rows that are in no session, as long as nothing is known."""
        watched = self.watched
        if watched is None:
            return None
        if session is not None and session.index in self._by_guests:
            return TrustMark("✗", f"broken at {self._by_guests[session.index]}", "bad")
        standing, verdict = watched.standing, watched.standing.verdict
        if verdict == "unchained":
            return UNCHAINED
        if verdict == "needs_key":
            return NEEDS_KEY
        if verdict == "broken":
            return self._of_broken(standing, session)
        if not watched.done and watched.share is not None:
            return CHECKING
        if verdict == "unverifiable" and not _holds(standing, session):
            return UNVERIFIABLE
        return {"window": WINDOW, "empty": None}.get(verdict, INTACT)

    def _of_broken(self, standing: Standing, session: Session | None) -> TrustMark:
        index = -1 if session is None else session.index
        if index in self._held or None in self._held:
            return TrustMark("✗", f"broken{_at(self._held.get(index))}", "bad")
        if _holds(standing, session):
            return INTACT_HERE
        return TrustMark("?", f"after {standing.faults[0].seq}", "mark")


def _shape(ledger: Ledger | None) -> tuple[int, ...]:
    return () if ledger is None else (ledger.revision, ledger.generation, len(ledger.sessions))


def _holds(standing: Standing, session: Session | None) -> bool:
    """Whether everything in a session, and before it, fits."""
    return session is not None and _reaches(standing, session.last_seq)


def _reaches(standing: Standing, seq: int) -> bool:
    return standing.verified_to is not None and seq <= standing.verified_to


def _first_held(ledger: Ledger, standing: Standing) -> Mapping[int | None, int | None]:
    """The first seq that speaks against each session, by its index: -1 for what is in none, None for what
    speaks against the ledger as a whole."""
    held: dict[int | None, int | None] = {}
    for fault in standing.faults:
        if fault.seq is None:
            held.setdefault(None)
            continue
        row = ledger.row_of(fault.seq)
        session = None if row is None else ledger.session_at(row)
        held.setdefault(-1 if session is None else session.index, fault.seq)
    return held


def _held_by_guests(ledger: Ledger, guests: Mapping[str, Watched]) -> Mapping[int, str]:
    """By the index of a session: the first event of a broken ledger of one of its sub-agents, as `:5`."""
    held: dict[int, str] = {}
    for origin in ledger.origins:
        watched = None if origin is None else guests.get(origin.name)
        row = None if origin is None or watched is None else ledger.row_of(origin.calls[0])
        session = None if row is None else ledger.session_at(row)
        if watched is not None and session is not None:
            held.setdefault(session.index, _of_guest(watched))
    return held


def broken_guests(reading: Reading, watched: Watch) -> Mapping[str, Watched]:
    """What is known, by their names, of broken ledgers of sub-agents whose events are guests in a reading."""
    known = {name: watched(kin.journal.ledgers[0]) for name, kin in reading.kin.items()}
    return {name: found for name, found in known.items() if found and found.standing.verdict == "broken"}


NOT_WATCHED = TrustMarks(None, None)
"""Nobody knows anything."""


# an event


def _fit_lines(watched: Watched | None, seq: int) -> tuple[Line, ...]:
    """Whether the hashes of an event fit, as far as the ledger was looked at."""
    if watched is None:
        return (Line("not looked at yet", "note", "chain"),)
    standing = watched.standing
    found: list[tuple[str, Style]] = [
        *((f"✗ {each.kind}: {each.text}", "error") for each in standing.faults if each.seq == seq),
        *((f"? {each.text}", "note") for each in standing.findings if each.seq == seq),
    ]
    return tuple(Line(text, style, "chain") for text, style in found or [_without_fault(watched, seq)])


def _without_fault(watched: Watched, seq: int) -> tuple[str, Style]:
    standing = watched.standing
    if _reaches(standing, seq):
        return "✓ hash and link fit", "good"
    if not watched.done:
        return "not looked at yet", "note"
    match standing.verdict:
        case "needs_key":
            return "? the link fits; whether the hash does needs the key", "note"
        case "broken":
            first = standing.faults[0].seq
            return f"? hash and link fit; the chain is broken before it{_at(first)}", "note"
        case "unverifiable":
            return "? hash and link fit; not everything before it could be verified", "note"
        case _:
            return "✓ hash and link fit", "good"


def chain_section(found: Body, watched: Watched | None, seq: int) -> Section:
    """What an event says of the chain, and whether it fits."""
    record = found.record
    stated, before, signature = (record.get(name) for name in ("entry_hash", "prev_hash", "event_sig"))
    lines = [
        *([] if stated is None else _fit_lines(watched, seq)),
        Line(_stated(stated), "" if stated else "note", "entry_hash"),
        Line(_before(before), "" if before else "note", "prev_hash"),
        Line(_signed(signature), "note", "signature"),
    ]
    return Section("chain", "fields", tuple(lines))


def _stated(value: object) -> str:
    if value is None:
        return "none: nothing shows whether this event was changed"
    return visible(value if isinstance(value, str) else repr(value), _HASH)


def _before(value: object) -> str:
    if value is None:
        return "none"
    return "64 zeros: the chain begins here" if value == _BEGINS else _stated(value)


def _signed(value: object) -> str:
    return "none" if value is None else "there, not checked here: verify --pubkey KEY checks it"


def _own(reading: Reading, ledger: Ledger, row: int) -> tuple[Ledger, int | None]:
    """The ledger in which an event stands, and its seq there, None for what is no event: a sub-agent may keep
    a ledger of its own."""
    seq = ledger.seq_at(row)
    if seq is None:
        return ledger, None
    name, number = ledger.address(seq)
    kin = reading.kin.get(name)
    return (ledger if kin is None else kin.journal.ledgers[0]), number


def event_chain(
    reading: Reading, ledger: Ledger, row: int, watched: Watch
) -> Callable[[Body], Section] | None:
    """What the details of an event say of the chain, as far as it is known now; None for what is no event."""
    home, seq = _own(reading, ledger, row)
    return None if seq is None else partial(chain_section, watched=watched(home), seq=seq)


def event_fits(reading: Reading, ledger: Ledger, row: int, watched: Watch) -> tuple[Line, ...]:
    """Of that, whether its hashes fit."""
    home, seq = _own(reading, ledger, row)
    return () if seq is None else _fit_lines(watched(home), seq)
