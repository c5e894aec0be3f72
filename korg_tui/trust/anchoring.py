"""Anchoring: whether the events of a ledger have the hashes that anchors say they had."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import compress
from pathlib import Path

from korg_tui.causal import Ledger, is_key
from korg_tui.event import Gap, Kind
from korg_tui.formats import body, digest
from korg_tui.sources import BodyGone, open_regular
from korg_tui.text import visible
from korg_tui.trust.anchors import COMPANIONS_AT_MOST, Anchor, Anchors
from korg_tui.trust.found import Fault, Finding

NOT_ASKED = "the outside witness was not asked: only the anchor and the event were compared"
"""What nobody should take an anchor that holds for."""

_HASH = 13
"""Characters of a hash that are shown, with the mark that there are more."""
_GENESIS = "0" * 64
_NAMED = 5
"""Anchors that hold, and are named one by one."""
_FAULTS_AT_MOST = 1_000
_ENTRY_HASH = re.compile(rb'"entry_hash"\s*:\s*"([0-9a-f]{64})"')
_OVERLAP = 256
_CHUNK = 4 << 20
_SEARCHED_AT_MOST = 1 << 30


@dataclass(frozen=True, slots=True)
class Anchored:
    """What a ledger has where anchors speak of it, copied: any thread may work with it."""

    places: Mapping[int, tuple[int, int]]
    """By seq: where the record lies, offset and length in bytes."""
    digests: frozenset[int]
    """Of the anchored hashes, those that events of this ledger seem to have: the same 63 bits."""
    first: int | None
    """The first seq; None for a ledger without events."""
    last: int | None
    beginning: tuple[int, int] | None
    """Where the first record lies."""
    holes: tuple[Gap, ...] = ()
    neighbours: frozenset[int] | None = None
    """Of the anchored hashes, those that other ledgers of the same source seem to have; None without such."""


@dataclass(frozen=True, slots=True)
class Anchoring:
    """What anchors say of a ledger."""

    where: str
    """Where they stand."""
    anchors: int
    """How many there are."""
    held: tuple[int, ...]
    """The seqs whose event has the hash that it is anchored with."""
    faults: tuple[Fault, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


def anchored(ledger: Ledger, anchors: Anchors, others: Sequence[Ledger] = ()) -> Anchored:
    """What `check_anchors` needs to know of a ledger; `others` are those of the same source. In the thread
    that owns them."""
    first, last = _first_own(ledger, range(len(ledger))), _first_own(ledger, reversed(range(len(ledger))))
    wanted = {digest(anchor.entry_hash, b"") for anchor in anchors.anchors}
    others = [other for other in others if other is not ledger]
    return Anchored(
        places=dict(_places(ledger, {anchor.seq for anchor in anchors.anchors})),
        digests=frozenset(_digests(ledger, wanted)),
        first=None if first is None else ledger.seq[first],
        last=None if last is None else ledger.seq[last],
        beginning=None if first is None else (ledger.offset[first], ledger.length[first]),
        holes=ledger.holes,
        neighbours=frozenset().union(*(_digests(other, wanted) for other in others)) if others else None,
    )


def _first_own(ledger: Ledger, rows: Iterable[int]) -> int | None:
    """The first of these rows that is an event of this very ledger."""
    return next((row for row in rows if _is_own(ledger, row)), None)


def _is_own(ledger: Ledger, row: int) -> bool:
    return ledger.kind[row] < Kind.MALFORMED and not is_key(ledger.seq[row])


def _digests(ledger: Ledger, wanted: set[int]) -> set[int]:
    """Those of the wanted ones that events of this very ledger have. A person waits for it: of all rows,
    only the rows that have one are looked at in Python."""
    digests = ledger.columns.digest
    if wanted.isdisjoint(digests):
        return set()
    rows = compress(range(len(digests)), map(wanted.__contains__, digests))
    return {digests[row] for row in rows if _is_own(ledger, row)}


def _places(ledger: Ledger, seqs: Iterable[int]) -> Iterator[tuple[int, tuple[int, int]]]:
    for seq in seqs:
        row = None if is_key(seq) else ledger.row_of(seq)
        if row is not None:
            yield seq, (ledger.offset[row], ledger.length[row])


def check_anchors(
    anchors: Anchors, found: Anchored, read: Callable[[int, int], bytes], *, alone: bool = False
) -> Anchoring:
    """Compare every anchor with the event at its seq; `read(offset, length)` gives records. `alone`: all of
    them speak of this ledger, whatever lies beside it. Any thread may. Raises nothing."""
    alone = alone or not (anchors.companions or found.neighbours is not None)
    return _Comparing(anchors, found, read, alone).all()


class _Comparing:
    """One comparison."""

    def __init__(
        self, anchors: Anchors, found: Anchored, read: Callable[[int, int], bytes], alone: bool
    ) -> None:
        self._anchors = anchors
        self._found = found
        self._read = read
        self._alone = alone
        self._held: list[Anchor] = []
        self._faults: list[Fault] = []
        self._findings: list[Finding] = []
        self._others = 0
        self._unknown: list[str] = []

    def all(self) -> Anchoring:
        for anchor in self._anchors.anchors:
            self._compare(anchor)
        faults, findings = self._faults[:_FAULTS_AT_MOST], self._findings[:_FAULTS_AT_MOST]
        return Anchoring(
            self._anchors.where,
            len(self._anchors.anchors),
            tuple(sorted({anchor.seq for anchor in self._held})),
            tuple(sorted(faults, key=lambda fault: fault.seq or 0)),
            tuple(findings),
            tuple(self._notes()),
        )

    def _compare(self, anchor: Anchor) -> None:
        place = self._found.places.get(anchor.seq)
        try:
            here = None if place is None else self._hash_at(place)
        except BodyGone as gone:
            self._unknown.append(f"seq {anchor.seq} is anchored, and cannot be read: {gone}")
            return
        if here == anchor.entry_hash:
            self._held.append(anchor)
        elif self._is_elsewhere(anchor):
            self._faults.append(_fault(anchor, f"{_with(anchor)}, and that hash is at another seq here"))
        elif self._is_ours(anchor):
            self._missed(anchor, place is not None, here or "")

    def _hash_at(self, place: tuple[int, int]) -> str:
        return _field(self._read(*place), "entry_hash")

    def _is_elsewhere(self, anchor: Anchor) -> bool:
        return digest(anchor.entry_hash, b"") in self._found.digests

    def _is_ours(self, anchor: Anchor) -> bool:
        """Whether an anchor that fits nothing here speaks of this ledger; what is said where nobody knows."""
        if self._alone:
            return True
        if digest(anchor.entry_hash, b"") in (self._found.neighbours or ()):
            self._others += 1
            return False
        elsewhere = self._beside
        if elsewhere is None:
            self._unknown.append(f"{_with(anchor)}: the ledgers beside this one could not be searched for it")
        elif anchor.entry_hash in elsewhere:
            self._others += 1
        else:
            text = (
                f"{_with(anchor)}, which no ledger here has: one of them was changed or cut; "
                "--anchors FILE says that it speaks of this one"
            )
            self._findings.append(Finding(anchor.seq, text, grave=True))
        return False

    @cached_property
    def _beside(self) -> frozenset[str] | None:
        """The anchored hashes that events of the ledgers beside this one have."""
        wanted = frozenset(anchor.entry_hash for anchor in self._anchors.anchors)
        return _hashes_in(self._anchors.companions, wanted)

    def _missed(self, anchor: Anchor, is_there: bool, here: str) -> None:
        seq, first, last = anchor.seq, self._found.first, self._found.last
        if is_there:
            stands = f"it has {visible(here, _HASH)} here: it was changed" if here else "it has no hash here"
            self._faults.append(_fault(anchor, f"{_with(anchor)}, and {stands}"))
        elif first is None or last is None:
            self._faults.append(_fault(anchor, f"seq {seq} is anchored, and this ledger has no events"))
        elif seq > last:
            text = f"seq {seq} is anchored, and this ledger ends at {last}: its end was cut"
            self._faults.append(_fault(anchor, text))
        elif any(hole.first <= seq <= hole.last for hole in self._found.holes):
            self._unknown.append(f"seq {seq} is anchored, and is not loaded")
        elif seq < first and not self._begins():
            self._unknown.append(f"seq {seq} is anchored, and lies before this window: it was not compared")
        else:
            self._faults.append(_fault(anchor, f"seq {seq} is anchored, and is not here: it was taken out"))

    def _begins(self) -> bool:
        """Whether the first event says that none came before it."""
        try:
            beginning = self._found.beginning
            return beginning is not None and _field(self._read(*beginning), "prev_hash") == _GENESIS
        except BodyGone:
            return False

    def _notes(self) -> Iterator[str]:
        where = self._anchors.where
        yield from (f"{where}: {each}" for each in self._anchors.damaged)
        yield from self._unknown[:_NAMED]
        if len(self._unknown) > _NAMED:
            yield f"and {len(self._unknown) - _NAMED:,} more anchors that could not be compared"
        for anchor in self._held[:_NAMED]:
            witness = f" ({anchor.witness})" if anchor.witness else ""
            yield f"the anchor of seq {anchor.seq} holds{witness}"
        if len(self._held) > _NAMED:
            yield f"{len(self._held) - _NAMED:,} more anchors hold"
        if self._others:
            yield f"{where}: {self._others:,} of its anchors speak of other ledgers"
        if self._anchors.anchors:
            yield NOT_ASKED


def _fault(anchor: Anchor, text: str) -> Fault:
    return Fault(anchor.seq, "anchor", text)


def _with(anchor: Anchor) -> str:
    return f"seq {anchor.seq} is anchored with the hash {visible(anchor.entry_hash, _HASH)}"


def _field(raw: bytes, name: str) -> str:
    """A text of a record, empty without."""
    found = body(raw)
    value = None if found is None else found.record.get(name)
    return value if isinstance(value, str) else ""


# other ledgers


def _hashes_in(paths: tuple[Path, ...], wanted: frozenset[str]) -> frozenset[str] | None:
    """Which of the hashes events in these files have; None when they cannot all be read."""
    try:
        states = [(now.st_size, now.st_mtime_ns) for now in map(os.stat, paths)]
        if sum(size for size, _ in states) > _SEARCHED_AT_MOST:
            return None
        return frozenset().union(
            *(_hashes_in_file(path, state, wanted) for path, state in zip(paths, states, strict=True))
        )
    except OSError:
        return None


@lru_cache(maxsize=COMPANIONS_AT_MOST)
def _hashes_in_file(
    path: Path,
    state: tuple[int, int],  # noqa: ARG001 - another one is another file
    wanted: frozenset[str],
) -> frozenset[str]:
    """Raises `OSError`."""
    names = {entry_hash.encode() for entry_hash in wanted}
    return frozenset(found.decode() for found in names.intersection(_hashes_of(path)))


def _hashes_of(path: Path) -> Iterator[bytes]:
    """Raises `OSError`."""
    with open(open_regular(path), "rb") as file:  # noqa: PTH123
        before = b""
        while chunk := file.read(_CHUNK):
            block = before + chunk
            yield from _ENTRY_HASH.findall(block)
            before = block[-_OVERLAP:]
