"""Records: what a server is known to have, by seq; and what has changed, as facts (CAUSALITY §8)."""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Collection, Iterable, Iterator

import msgspec

from korg_tui.event import Event, Kind, Record
from korg_tui.sources.facts import Fact, Filled, Grew, Replaced
from korg_tui.sources.http.spool import SPARE, Spool
from korg_tui.sources.http.wire import Taken, taken
from korg_tui.sources.records import BATCH, following

ROW = 400
"""Bytes of memory that each record takes while it is read and compared, about, besides its own."""


class Difference(msgspec.Struct):
    """What the server no longer has, and what it has that was not known; both by seq, ascending."""

    dropped: list[int]
    added: list[Taken]

    def __bool__(self) -> bool:
        return bool(self.dropped or self.added)


class Records:
    """The records of a server, sorted by seq, each seq once: 33 bytes each in memory, the rest in a spool.

    Records without a seq (malformed ones) are kept apart, behind the seq that they came after."""

    def __init__(self, *, spare: int = SPARE) -> None:
        self.spool = Spool()
        self.seqs = array("q")
        self.digests = array("q")
        self.kinds = array("b")
        self._offsets = array("q")
        self._lengths = array("q")
        self._strays: list[_Stray] = []
        self._live = 0
        self._spare = spare

    def __len__(self) -> int:
        """How many records there are, those without a seq too."""
        return len(self.seqs) + len(self._strays)

    @property
    def cost(self) -> int:
        """Bytes of what is kept, small records being worth more than their size."""
        return self.spool.size + ROW * len(self)

    @property
    def last(self) -> int | None:
        """The largest seq."""
        return self.seqs[-1] if self.seqs else None

    def row(self, seq: int) -> int:
        """Where a seq is, -1 when it is not known."""
        row = bisect_left(self.seqs, seq)
        return row if row < len(self.seqs) and self.seqs[row] == seq else -1

    def rows_before(self, seq: int | None) -> int:
        """How many known seqs come before `seq`; none before None."""
        return 0 if seq is None else bisect_left(self.seqs, seq)

    def has(self, found: Taken) -> bool:
        """Whether this very content is known under this seq."""
        row = -1 if found.seq is None else self.row(found.seq)
        return row >= 0 and self.digests[row] == found.digest

    # comparing

    def compared(self, truth: Iterable[Taken], since: int | None) -> Difference:
        """What differs, when `truth` is all that the server has from seq `since` on (None: all of it)."""
        strays = {stray.digest for stray in self._strays}
        added, same = [], set()
        for each in truth:
            if each.seq is not None and self.has(each):
                same.add(each.seq)
            elif each.seq is not None or each.digest not in strays:
                added.append(each)
        known = self.seqs[self.rows_before(since) :]
        return Difference([seq for seq in known if seq not in same], added)

    def contradicted(self, found: Collection[Taken], confirmed: Collection[int]) -> Difference:
        """What differs, when `found` is only some of what the server has. Where it has something else under a
        known seq, all that was known from there on is gone, but for what is `confirmed`."""
        added = [each for each in found if not self.has(each)]
        other = [each.seq for each in added if each.seq is not None and self.row(each.seq) >= 0]
        if not other:
            return Difference([], added)
        same = {each.seq for each in found if self.has(each)} | set(confirmed)
        known = self.seqs[self.rows_before(min(other)) :]
        return Difference([seq for seq in known if seq not in same], added)

    # changing

    def change(self, difference: Difference) -> Iterator[Fact]:
        """Take the difference in. Raises `OSError` when there is no room for it; nothing has changed then."""
        if not difference:
            return
        offsets = self.spool.write([each.raw for each in difference.added])
        added = [
            _Place(each, each.at(offset)) for each, offset in zip(difference.added, offsets, strict=True)
        ]
        if difference.dropped:
            yield from self._replace(difference.dropped, added)
        else:
            yield from self._insert(added)
        if self.spool.size > 2 * self._live + self._spare:
            yield self._renewed()

    def _insert(self, added: list[_Place]) -> Iterator[Fact]:
        early, behind = self._split(added)
        self._take_in(added)
        if early:
            yield Filled(tuple(early))
        yield from _grown(behind)

    def _replace(self, dropped: list[int], added: list[_Place]) -> Iterator[Fact]:
        """What goes is cut off at an offset: all of it lies behind what stays, or is put there first."""
        gone = set(dropped)
        going = [row for row in range(self.rows_before(dropped[0]), len(self.seqs)) if self.seqs[row] in gone]
        if not self._lie_last(going):
            yield self._put_last(going)
        cut = min(self._offsets[row] for row in going)
        self._strays = [stray for stray in self._strays if stray.after < dropped[0]]
        self._take_in([], gone)
        early, behind = self._split(added)
        self._take_in(added)
        yield Replaced(cut, tuple(behind[:BATCH]), self.spool.begin(), following(behind[BATCH:]))
        yield from _grown(behind[BATCH:])
        if early:
            yield Filled(tuple(early))

    def _split(self, added: list[_Place]) -> tuple[list[Record], list[Record]]:
        """What belongs before the last known seq, and what comes after it."""
        last = self.last
        early = [each.record for each in added if last is not None and each.is_before(last)]
        return early, [each.record for each in added if last is None or not each.is_before(last)]

    def _lie_last(self, going: list[int]) -> bool:
        """Whether these rows, and the records without a seq behind the first of them, lie behind the rest."""
        rows, first = set(going), self.seqs[going[0]]
        strays = [(stray.after >= first, stray.record.offset) for stray in self._strays]
        places = [(row in rows, offset) for row, offset in enumerate(self._offsets)] + strays
        cut = min(self._offsets[row] for row in going)
        return all((offset >= cut) is goes for goes, offset in places)

    def _put_last(self, going: list[int]) -> Fact:
        """Write these rows, and the records without a seq behind the first, to the end of the spool."""
        first = self.seqs[going[0]]
        strays = [number for number, stray in enumerate(self._strays) if stray.after >= first]
        raws = [self.raw(row) for row in going] + [self._stray_raw(number) for number in strays]
        offsets = self.spool.write(raws)
        for row, offset in zip(going, offsets, strict=False):
            self._offsets[row] = offset
        for number, offset in zip(strays, offsets[len(going) :], strict=True):
            self._strays[number] = self._strays[number].at(offset)
        return Replaced(0, tuple(self._all()), self.spool.begin())

    def _take_in(self, added: list[_Place], dropped: Collection[int] = ()) -> None:
        for each in added:
            if each.taken.seq is None:
                insort(
                    self._strays,
                    _Stray(each.taken.after, each.taken.digest, each.record),
                    key=lambda stray: stray.after,
                )
        changed = [*dropped, *(each.taken.seq for each in added if each.taken.seq is not None)]
        if changed:
            self._merge(self.rows_before(min(changed)), set(dropped), added)

    def _merge(self, row: int, dropped: Collection[int], added: list[_Place]) -> None:
        columns = (self.seqs, self.digests, self.kinds, self._offsets, self._lengths)
        self._live -= sum(self._lengths[row:])
        tail = [
            line for line in zip(*(each[row:] for each in columns), strict=True) if line[0] not in dropped
        ]
        tail += [each.line for each in added if each.taken.seq is not None]
        tail.sort()
        for column, values in zip(columns, zip(*tail, strict=True) if tail else [()] * 5, strict=True):
            del column[row:]
            column.extend(values)
        self._live += sum(self._lengths[row:])

    def _all(self) -> Iterator[Record]:
        """The records as they lie now, decoded again from the spool."""
        strays = deque(self._strays)
        for seq, offset, length in zip(self.seqs, self._offsets, self._lengths, strict=True):
            while strays and strays[0].after < seq:
                yield strays.popleft().record
            yield taken(self.spool.read(offset, length)).at(offset)
        yield from (stray.record for stray in strays)

    def _renewed(self) -> Fact:
        """Give back the room of what was dropped: all that is there now is written to a new file."""
        raws = [self.raw(row) for row in range(len(self.seqs))]
        strays = [self._stray_raw(number) for number in range(len(self._strays))]
        self.spool.renew()
        offsets = self.spool.write(raws + strays)
        self._offsets = array("q", offsets[: len(raws)])
        places = zip(self._strays, offsets[len(raws) :], strict=True)
        self._strays = [stray.at(offset) for stray, offset in places]
        return Replaced(0, tuple(self._all()), self.spool.begin())

    def raw(self, row: int) -> bytes:
        """The bytes of a record."""
        return self.spool.read(self._offsets[row], self._lengths[row])

    def _stray_raw(self, number: int) -> bytes:
        record = self._strays[number].record
        return self.spool.read(record.offset, record.length)


class _Stray(msgspec.Struct, frozen=True):
    after: int
    digest: int
    record: Record

    def at(self, offset: int) -> _Stray:
        return _Stray(self.after, self.digest, msgspec.structs.replace(self.record, offset=offset))


class _Place(msgspec.Struct, frozen=True):
    """A record and where it lies now."""

    taken: Taken
    record: Record

    def is_before(self, seq: int) -> bool:
        return self.taken.seq is not None and self.taken.seq < seq

    @property
    def line(self) -> tuple[int, int, int, int, int]:
        kind = self.record.kind if isinstance(self.record, Event) else Kind.MALFORMED
        return self.taken.seq or 0, self.taken.digest, int(kind), self.record.offset, self.record.length


def _grown(records: list[Record]) -> Iterator[Fact]:
    for first in range(0, len(records), BATCH):
        yield Grew(tuple(records[first : first + BATCH]))
