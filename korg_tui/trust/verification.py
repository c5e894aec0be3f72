"""Verification: all that can be said of one ledger: its chain, signatures, seal, anchors, and a known tip."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from korg_tui.causal import Ledger
from korg_tui.event import Kind
from korg_tui.formats import body, digest
from korg_tui.reading import Reading
from korg_tui.sources import BodyGone
from korg_tui.text import visible
from korg_tui.trust.anchoring import Anchoring, anchored, check_anchors
from korg_tui.trust.anchors import Anchors, anchors_beside
from korg_tui.trust.found import Fault, Finding, Standing, Verdict
from korg_tui.trust.ledger_chain import LedgerChain
from korg_tui.trust.sealing import Sealed, Sealing, check_seal, keys_for_events, sealed
from korg_tui.trust.seals import Seal, seal_of
from korg_tui.trust.signatures import PublicKeys
from korg_tui.trust.tally import CUT_TAIL, UNREAD

TIP = re.compile(r"[0-9a-f]{64}")
"""A tip as ledgers write it."""

NO_SECRET = (
    "without a key or a signature a chain shows only changes by somebody who did not compute its hashes anew"
)
"""What holds of every ledger that anybody could have written whole (SPEC §7.7)."""

Watch = Callable[[int, int], None]
"""Is told how many events were looked at, and how many there are."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person brings along to verify a ledger with."""

    key: bytes | None = None
    """That of keyed ledgers."""
    keys: PublicKeys | None = None
    """Whose signatures count."""
    expect_tip: str = ""
    """The hash that the last event is known to have: 64 lower-case hex digits."""
    anchors: Anchors | None = None
    """Those that speak of this ledger; None: what lies beside it."""
    since: int | None = None


@dataclass(frozen=True, slots=True)
class Verification:
    """What came out for one ledger."""

    ledger: str
    """Its name, as written."""
    standing: Standing
    """Of its chain and signatures."""
    keyed: bool
    """Whether hashes were checked with a key."""
    signers: bool
    """Whether signatures were checked."""
    seal: Seal | None = None
    sealing: Sealing | None = None
    anchoring: Anchoring | None = None
    expected: str = ""
    """The tip that it was to have; empty when none was named."""
    tip_faults: tuple[Fault, ...] = ()
    moved: tuple[Finding, ...] = ()
    """What shows that lines of the file were moved, or stand there twice."""
    skipped: int = 0
    """How many numbers between its first event and its last no event has."""
    further: bool = False
    """Whether other events stand before in the same file."""
    blobs: int = 0
    """How many blobs it names."""

    @property
    def verdict(self) -> Verdict:
        """That of the chain, unless something else is certain evidence against the ledger."""
        verdict = self.standing.verdict
        if verdict in ("empty", "unchained") or len(self.faults) == len(self.standing.faults):
            return verdict
        return "broken"

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All of them, those of the ledger as a whole in the end."""
        faults = list(self.standing.faults)
        if self.sealing is not None:
            faults += self.sealing.faults
        if self.anchoring is not None:
            faults += self.anchoring.faults
        return (*faults, *self.tip_faults)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What else to know, by event."""
        anchorings = (self.anchoring, None if self.sealing is None else self.sealing.anchoring)
        more = (finding for each in anchorings if each is not None for finding in each.findings)
        return (*self.standing.findings, *self.moved, *more)

    @property
    def notes(self) -> tuple[str, ...]:
        """What else to know, and what nobody can know."""
        return tuple(dict.fromkeys(self._notes()))

    @property
    def believed(self) -> bool:
        """Whether nothing speaks against the ledger, which is less than that it can be trusted."""
        if self.faults or any(finding.grave for finding in self.findings):
            return False
        verdict = self.verdict
        return verdict in ("intact", "window", "empty") or (
            verdict == "unverifiable" and not self.standing.misfits
        )

    @property
    def _is_cut(self) -> bool:
        """Whether something shows already that the end is not what it was."""
        return any(fault.kind in ("tip", "anchor") for fault in self.faults)

    def _notes(self) -> Iterator[str]:
        has_tip = self.expected and not self.tip_faults
        sealing = self.sealing
        sealed_tip = sealing is not None and sealing.status == "trusted" and not sealing.faults
        ends_known = has_tip or (sealed_tip and self.seal is not None and self.seal.tip) or self._is_cut
        yield from (note for note in self.standing.notes if not (ends_known and note == CUT_TAIL))
        if has_tip:
            yield "it ends with the expected tip"
        if self.further:
            yield "other events stand before it in the file: its numbers began again"
        if self.sealing is not None:
            yield from self.sealing.notes
        if self.anchoring is not None:
            yield from self.anchoring.notes
        if self.skipped and self.standing.verdict in ("intact", "window", "unverifiable"):
            yield f"{self.skipped:,} numbers between its first event and its last were skipped"
        if self.blobs:
            yield f"{self.blobs:,} blobs are named: korg-tui check looks at them"
        vouched = self.keyed or self.signers or (sealing is not None and sealing.status == "trusted")
        if self.standing.verdict in ("intact", "window", "unverifiable") and not vouched:
            yield NO_SECRET


def verification(
    reading: Reading, ledger: Ledger, asked: Asked | None = None, watch: Watch | None = None
) -> Verification:
    """Verify one ledger of a reading whole. `watch` is told how far it is. Raises nothing."""
    asked = asked or Asked()
    read = reading.bodies(ledger)
    seal = _seal(reading)
    found = None if seal is None else sealed(ledger, seal)
    keys = keys_for_events(asked.keys, seal, found, read) if found is not None else asked.keys
    further = is_further(reading, ledger)
    chain = LedgerChain(ledger, read, key=asked.key, signers=keys, since=asked.since, further=further)
    standing = _with_reasons(_walked(chain, len(ledger), watch), ledger)
    return Verification(
        ledger.name,
        standing,
        asked.key is not None,
        keys is not None,
        seal,
        _sealing(seal, found, read, asked.keys),
        _anchoring(reading, ledger, asked.anchors, read),
        asked.expect_tip,
        tuple(_tip_faults(ledger, asked.expect_tip, read)) if asked.expect_tip else (),
        tuple(_moved(reading, ledger, read)) if further or standing.verdict == "window" else (),
        _skipped(ledger),
        further,
        len({sha for blobs in ledger.columns.blobs.values() for sha in blobs}),
    )


def _with_reasons(standing: Standing, ledger: Ledger) -> Standing:
    """Of lines that could not be read the model knows why."""
    if not standing.findings or not ledger.columns.reasons:
        return standing
    reasons = {ledger.offset[row]: reason for row, reason in ledger.columns.reasons.items()}
    findings = tuple(
        replace(each, text=each.text.replace(UNREAD, f"is no event: {visible(reasons[each.offset], 200)}"))
        if each.seq is None and each.offset in reasons
        else each
        for each in standing.findings
    )
    return replace(standing, findings=findings)


def _skipped(ledger: Ledger) -> int:
    """Numbers that no event has, though none are known to be missing."""
    guests = ledger.columns.guests
    own = [
        ledger.seq[row]
        for row in range(len(ledger))
        if ledger.kind[row] < Kind.MALFORMED and row not in guests
    ]
    if not own or ledger.holes:
        return 0
    return own[-1] - own[0] + 1 - len(own)


def _walked(chain: LedgerChain, rows: int, watch: Watch | None) -> Standing:
    done = 0
    while (batch := chain.batch()) is not None:
        batch.check()
        chain.absorb(batch)
        done += len(batch)
        if watch is not None:
            watch(done, max(done, rows))
    return chain.standing


def _seal(reading: Reading) -> Seal | None:
    try:
        return seal_of(reading.wrapper())
    except BodyGone:
        return None


def _sealing(
    seal: Seal | None, found: Sealed | None, read: Callable[[int, int], bytes], keys: PublicKeys | None
) -> Sealing | None:
    if seal is None or found is None:
        return None
    return check_seal(seal, found, read, keys)


def _anchoring(
    reading: Reading, ledger: Ledger, named: Anchors | None, read: Callable[[int, int], bytes]
) -> Anchoring | None:
    if named is not None:
        return check_anchors(named, anchored(ledger, named), read, alone=True)
    path = reading.source.watched
    beside = None if path is None else anchors_beside(path)
    if beside is None:
        return None
    return check_anchors(beside, anchored(ledger, beside, reading.journal.ledgers), read)


# the tip


def _tip_faults(ledger: Ledger, expected: str, read: Callable[[int, int], bytes]) -> Iterator[Fault]:
    """What speaks against that it ends with this hash."""
    own = [
        row for row in range(len(ledger))
        if ledger.kind[row] < Kind.MALFORMED and row not in ledger.columns.guests
    ]  # fmt: skip
    if not own:
        yield Fault(None, "tip", "it has no events, and a tip is expected")
        return
    own.sort(key=ledger.offset.__getitem__)
    last, wanted = own[-1], digest(expected, b"")
    if _stated(ledger, last, read) == expected:
        return
    seq, offset = ledger.seq[last], ledger.offset[last]
    alike = (row for row in own[:-1] if ledger.columns.digest[row] == wanted)
    before = next((row for row in alike if _stated(ledger, row, read) == expected), None)
    if before is None:
        text = "no event has the expected tip: the end was cut, the ledger was changed, or it is another one"
    else:
        text = f"the expected tip is that of seq {ledger.seq[before]}: what follows was added since"
    yield Fault(seq, "tip", text, offset)


def _stated(
    ledger: Ledger, row: int, read: Callable[[int, int], bytes], field: str = "entry_hash"
) -> str:
    """The hash that an event says it has, or the one of the event before it."""
    try:
        found = body(read(ledger.offset[row], ledger.length[row]))
    except BodyGone:
        return ""
    value = None if found is None else found.record.get(field)
    return value if isinstance(value, str) else ""


# several ledgers in one file


def is_further(reading: Reading, ledger: Ledger) -> bool:
    """Whether other events stand before these in the same file: its numbers began again."""
    return reading.source.watched is not None and reading.journal.ledgers[0] is not ledger


def _moved(reading: Reading, ledger: Ledger, read: Callable[[int, int], bytes]) -> Iterator[Finding]:
    """What the other ledgers of its file say of the first event: what it follows stands elsewhere, or it
    stands there itself."""
    others = [other for other in reading.journal.ledgers if other is not ledger]
    first = next((row for row in range(len(ledger)) if ledger.kind[row] < Kind.MALFORMED), None)
    if first is None or reading.source.watched is None:
        return
    for field, words in (("prev_hash", "it follows {}: lines were moved"), ("entry_hash", "it is {} again")):
        stated = _stated(ledger, first, read, field)
        name = _named(others, stated, read) if TIP.fullmatch(stated) else ""
        if name:
            yield Finding(ledger.seq[first], words.format(name), True, ledger.offset[first])


def _named(ledgers: Iterable[Ledger], stated: str, read: Callable[[int, int], bytes]) -> str:
    """What the event with this hash is called; empty when there is none."""
    wanted = digest(stated, b"")
    for ledger in ledgers:
        for row in range(len(ledger)):
            if ledger.columns.digest[row] == wanted and _stated(ledger, row, read) == stated:
                return f"seq {ledger.seq[row]} of {visible(ledger.name, 80)}"
    return ""
