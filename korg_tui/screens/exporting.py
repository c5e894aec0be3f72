"""Exporting: what can be exported from where a person is, and the command that asks how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from korg_tui.causal import Ledger, Rewind, Session
from korg_tui.export import ExportRefused, Wanted
from korg_tui.reading import Reading
from korg_tui.screens.files import file_stem
from korg_tui.text import visible
from korg_tui.views import Predicate, label, plural


@dataclass(frozen=True, slots=True)
class Scope:
    """Something that can be exported."""

    name: str
    """For a person, safe: `this session, 21 events`."""
    stem: str
    """A name for the file."""
    wanted: Callable[[], Sequence[Wanted]]
    """As the ledgers stand when it is asked. Raises `ExportRefused` where they do not hold it any more."""
    several: bool = False
    """Whether it holds several ledgers."""
    preview: bool = False
    """Whether it is a rewind preview."""


def session_scopes(
    reading: Reading,
    ledger: Ledger,
    session: int | None,
    *,
    meant: Predicate | None = None,
    query: str = "",
    rewind: Rewind | None = None,
) -> list[Scope]:
    """What can be exported where a session is open (by index; None: a whole ledger), what is meant most
    probably first: the rewind that is previewed, what the filter shows, the session, the ledger."""
    found = None if session is None or not 0 <= session < len(ledger.sessions) else ledger.sessions[session]
    now = partial(_standing, reading, ledger, found)
    of = f"session-{found.seq}" if found is not None else ""
    scopes = []
    if rewind is not None:
        scopes.append(
            Scope(
                f"the rewind preview to {label(ledger, rewind.target)}, with its session",
                file_stem(_bare(ledger), "rewind", label(ledger, rewind.target)),
                _unchanged([ledger], lambda: [Wanted(reading, ledger, now(), rewind=rewind)]),
                preview=True,
            )
        )
    if meant is not None:
        scopes.append(
            Scope(
                f"what the filter shows: {query}",
                file_stem(_bare(ledger), of, "filtered"),
                lambda: [Wanted(reading, ledger, now(), meant)],
            )
        )
    if found is not None:
        scopes.append(
            Scope(
                f"this session, {plural(found.total_events, 'event')}",
                file_stem(_bare(ledger), of),
                lambda: [Wanted(reading, ledger, now())],
            )
        )
    sessions = plural(len(ledger.sessions), "session")
    whole = Scope(
        f"the whole ledger, {sessions}",
        file_stem(_bare(ledger)),
        lambda: [Wanted(reading, ledger, _standing(reading, ledger, None))],
    )
    return [*scopes, whole]


def listed_scope(hits: Sequence[tuple[Reading, Ledger, int]], query: str) -> Scope:
    """The events of a list, in however many ledgers they are."""
    rows: dict[tuple[Reading, str], set[int]] = {}
    ledgers: dict[tuple[Reading, str], Ledger] = {}
    for reading, ledger, row in hits:
        rows.setdefault((reading, ledger.name), set()).add(row)
        ledgers[reading, ledger.name] = ledger

    def wanted() -> list[Wanted]:
        return [
            Wanted(reading, ledgers[reading, name], None, _among(chosen))
            for (reading, name), chosen in rows.items()
        ]

    name = f"the {plural(len(hits), 'event')} of this list: {query}"
    stem = file_stem("korg-events", query)
    return Scope(name, stem, _unchanged(list(ledgers.values()), wanted), several=len(rows) > 1)


def _standing(reading: Reading, ledger: Ledger, session: Session | None) -> Session | None:
    """The session as it stands now; one that was written anew has the number of the old one."""
    if ledger not in reading.journal.ledgers:
        raise ExportRefused(f"{visible(ledger.name, 200)} is gone: leave, and choose another ledger")
    if session is None:
        return None
    standing, sessions = session.standing(), ledger.sessions
    found = next((each for each in sessions if each is standing), None)
    found = found or next((each for each in sessions if each.seq == standing.seq), None)
    if found is None:
        raise ExportRefused("this session is gone from its ledger: leave, and choose another")
    return found


def _unchanged(ledgers: Sequence[Ledger], wanted: Callable[[], list[Wanted]]) -> Callable[[], list[Wanted]]:
    """What names rows, as long as these stand where they stood when it was offered."""
    marks = [(each.revision, each.generation) for each in ledgers]

    def checked() -> list[Wanted]:
        if marks != [(each.revision, each.generation) for each in ledgers]:
            raise ExportRefused("the ledger has changed since: leave, and choose it again")
        return wanted()

    return checked


def _among(rows: set[int]) -> Predicate:
    def meant(_: Ledger, row: int) -> bool:
        return row in rows

    return meant


def _bare(ledger: Ledger) -> str:
    """The ledger's name without folders and suffix."""
    name = ledger.name.removeprefix("http://").removeprefix("https://")
    parts = [part for part in name.split("/") if part not in ("", ".", "..", ".korg")]
    last = parts[-1] if parts else name
    stem = last.rpartition(".")[0] or last
    return f"{parts[-2]}-{stem}" if stem == "journal" and len(parts) > 1 else stem
