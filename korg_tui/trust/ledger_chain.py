"""The chain of a ledger that is followed: its records are read again and checked, a part at a time.

`batch` and `absorb` belong to the thread that owns the ledger; `Batch.check` may run in any other."""

from __future__ import annotations

import gc
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate, pairwise
from operator import add, sub

from korg_tui.causal import Ledger
from korg_tui.event import Kind
from korg_tui.formats import too_deep
from korg_tui.sources import BodyGone
from korg_tui.trust.chain import Chain
from korg_tui.trust.found import Signers, Standing

EVENTS, SIZE = 2_000, 1 << 20
"""Events, and bytes, of one batch, but for a record that is larger alone."""

_MALFORMED = int(Kind.MALFORMED)
_SPARE = 256
"""Bytes between two records that are read with them rather than in two pieces."""
_AT_ONCE = 256
"""Events that are read at once: what fits into the cache of a processor is checked faster."""
_LATELY, _EVERY = 8, 16_000
"""Places to go back to: so many of the last batches, and further back one in so many rows."""

Read = Callable[[int, int], bytes]
"""The bytes of a record, by offset and length. Raises `BodyGone`."""


@contextmanager
def _no_collection() -> Iterator[None]:
    """Decoded records hold no cycles; looking for some takes a tenth of the time of a batch."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Batch:
    """The next records of a ledger, and the chain up to them. `turn` says which of the beginnings of its
    ledger chain it belongs to; `last`, whether nothing stands behind it now."""

    def __init__(self, chain: Chain, read: Read, places: Places, *, last: bool, turn: int) -> None:
        self.chain = chain
        self.places = places
        self.turn = turn
        self.checked = False
        self._read = read
        self._last = last

    def __len__(self) -> int:
        return len(self.places.offsets)

    def check(self) -> None:
        """Read and hash. Any thread may, one at a time. Raises nothing: what is gone is remembered."""
        places = self.places
        with _no_collection():
            for first, end in places.pieces():
                if places.kinds[first] < _MALFORMED:
                    self._check_events(first, end)
                elif places.kinds[first] == _MALFORMED:
                    self._check_malformed(places.offsets[first], places.lengths[first], end)
                else:
                    self.chain.hole()
        self.checked = True

    def _check_events(self, first: int, end: int) -> None:
        offsets, lengths = self.places.offsets[first:end], self.places.lengths[first:end]
        seqs, begin = self.places.seqs[first:end], offsets[0]
        try:
            block = self._read(begin, offsets[-1] + lengths[-1] - begin)
        except BodyGone:
            self._check_one_by_one(offsets, lengths, seqs)
            return
        self.chain.extend(block, begin, offsets, lengths, seqs)

    def _check_one_by_one(self, *places: Sequence[int]) -> None:
        for offset, length, seq in zip(*places, strict=True):
            try:
                raw = self._read(offset, length)
            except BodyGone:
                self.chain.unread()
            else:
                self.chain.add(raw, seq, offset)

    def _check_malformed(self, offset: int, length: int, end: int) -> None:
        raw = self._deep(offset, length)
        if raw:
            self.chain.deep(raw, offset)
            return
        may_be_torn = self._last and end == len(self)
        self.chain.unreadable(offset, torn=may_be_torn and not self._goes_on(offset + length))

    def _deep(self, offset: int, length: int) -> bytes:
        """The line, when what it is malformed by is how deep it nests."""
        try:
            raw = self._read(offset, length) if length <= SIZE else b""
        except BodyGone:
            return b""
        return raw if too_deep(raw) else b""

    def _goes_on(self, end: int) -> bool:
        """Whether anything follows, a line feed at least: else the line was torn."""
        try:
            return bool(self._read(end, 1))
        except BodyGone:
            return False


@dataclass(frozen=True, slots=True)
class Places:
    """Where records lie, in the order of the file: columns as a ledger has them."""

    offsets: array[int]
    lengths: array[int]
    seqs: array[int]
    kinds: array[int]

    def pieces(self) -> Iterator[tuple[int, int]]:
        """From a record to before another: events that lie close together, or one record that is none."""
        ends = map(add, self.offsets, self.lengths)
        apart = map(sub, self.offsets[1:], ends)
        cuts = {place for place, distance in enumerate(apart, 1) if not 0 <= distance <= _SPARE}
        if max(self.kinds) >= _MALFORMED:
            for place, kind in enumerate(self.kinds):
                if kind >= _MALFORMED:
                    cuts |= {place, place + 1}
        cuts |= {*range(0, len(self.offsets), _AT_ONCE), len(self.offsets)}
        return pairwise(sorted(cuts))


class LedgerChain:
    """The chain of one ledger, checked as far as `batch`, `check` and `absorb` were carried out. `read` gives
    the bytes of records, by offset and length; for the others see `Chain`."""

    def __init__(
        self,
        ledger: Ledger,
        read: Read,
        *,
        key: bytes | None = None,
        signers: Signers | None = None,
        since: int | None = None,
        further: bool = False,
    ) -> None:
        self._ledger = ledger
        self._read = read
        self._begin = Chain(key, signers=signers, since=since, further=further)
        self._chain = self._begin
        self._turn = 0
        self._seen = array("q")
        """The offsets of the rows that were looked at."""
        self._marks: list[tuple[int, Chain]] = []
        """Places to go back to: how many rows were looked at, and the chain then."""
        self._rows = self._in_order()
        self._known = (ledger.epoch, ledger.revision, len(ledger))
        """Epoch, revision, and length of the ledger that `_rows` is the order of."""

    @property
    def standing(self) -> Standing:
        """Where the chain stands, as far as it was looked at."""
        return self._chain.standing

    @property
    def pending(self) -> int:
        """Rows that were not looked at yet."""
        self._follow()
        return self._count() - len(self._seen)

    def whole(self) -> Standing:
        """Look at all that is there now."""
        while (batch := self.batch()) is not None:
            batch.check()
            self.absorb(batch)
        return self.standing

    def batch(self, events: int = EVENTS, size: int = SIZE) -> Batch | None:
        """The next rows, at most so many, and so many bytes, but one at least; None when there are none. What
        was replaced is looked at again by itself."""
        self._follow()
        first = len(self._seen)
        places = self._places(first, first + max(1, events))
        count = len(places.offsets)
        if not count:
            return None
        fitting = bisect_right(list(accumulate(places.lengths)), size)
        if fitting < count:
            places = self._places(first, first + max(1, fitting))
        last = first + len(places.offsets) == self._count()
        return Batch(self._chain.fork(), self._read, places, last=last, turn=self._turn)

    def absorb(self, batch: Batch) -> None:
        """Take in what was found; unless the ledger was another one then."""
        if batch.turn != self._turn or not batch.checked:
            return
        self._turn += 1
        self._chain = batch.chain
        self._seen.extend(batch.places.offsets)
        self._marks.append((len(self._seen), self._chain))
        if len(self._marks) > _LATELY:
            before, here = (self._marks[place][0] // _EVERY for place in (-_LATELY - 1, -_LATELY))
            if before == here:
                del self._marks[-_LATELY - 1]

    def _count(self) -> int:
        return len(self._ledger) if self._rows is None else len(self._rows)

    def _places(self, first: int, end: int) -> Places:
        ledger = self._ledger
        if self._rows is None:
            columns = (ledger.offset, ledger.length, ledger.seq, ledger.kind)
            return Places(*(column[first:end] for column in columns))
        rows = self._rows[first:end]
        return Places(
            array("q", [ledger.offset[row] for row in rows]),
            array("q", [ledger.length[row] for row in rows]),
            array("q", [ledger.seq[row] for row in rows]),
            array("b", [ledger.kind[row] for row in rows]),
        )

    # following the ledger

    def _follow(self) -> None:
        """See what became of the ledger: whether it only grew, or what was looked at is there no more."""
        ledger = self._ledger
        epoch, revision, length = self._known
        if (ledger.epoch, ledger.revision) == (epoch, revision):
            if self._rows is None:
                self._rows = self._in_order()
            else:
                self._rows.extend(self._own(range(length, len(ledger))))
        else:
            self._rows = self._in_order()
            self._go_back(0 if ledger.epoch != epoch else self._standing_rows())
        self._known = (ledger.epoch, ledger.revision, len(ledger))

    def _in_order(self) -> array[int] | None:
        """The rows in the order of the file; None when that is the order of the ledger."""
        ledger, columns = self._ledger, self._ledger.columns
        if not columns.guests and not ledger.late:
            return None
        rows = array("q", self._own(range(len(ledger))))
        if ledger.late and not columns.gaps:
            return array("q", sorted(rows, key=ledger.offset.__getitem__))
        return rows

    def _own(self, rows: Sequence[int]) -> Iterator[int]:
        """Without guests: they belong to another chain."""
        guests = self._ledger.columns.guests
        return (row for row in rows if row not in guests)

    def _standing_rows(self) -> int:
        """How many of the rows that were looked at, from the first on, still stand where they stood."""
        offsets = self._places(0, len(self._seen)).offsets
        if offsets == self._seen:
            return len(self._seen)
        pairs = enumerate(zip(offsets, self._seen, strict=False))
        return next((place for place, (here, seen) in pairs if here != seen), len(offsets))

    def _go_back(self, count: int) -> None:
        """Keep what was found of at most so many rows."""
        while self._marks and self._marks[-1][0] > count:
            self._marks.pop()
        kept, self._chain = self._marks[-1] if self._marks else (0, self._begin)
        if kept < len(self._seen):
            del self._seen[kept:]
        self._turn += 1
