"""The causal ledger: columns, one forward step per event, and generations (CAUSALITY §1–§4, §8).

Everything inside is addressed by row, everything outside by (ledger, seq). Rows are sorted by seq, so a
row number is good until a late line or a replaced tail comes; `revision` counts those.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

from korg_tui.causal.columns import NONE
from korg_tui.causal.guests import ORIGINS_AT_MOST, Guest, Origin, origin_of
from korg_tui.causal.standing import Judged, guests_of
from korg_tui.causal.steps import Placed, Steps, order_of
from korg_tui.event import Event, Gap, Kind, Malformed, Record

_MALFORMED = int(Kind.MALFORMED)

GONE_AT_MOST = 20_000
"""Dropped events that are kept to be read; of more, the newest."""

REMEMBERED_AT_MOST = 200_000
"""Dropped events by which later pointers are known to be `rewound`; of more, the newest."""


@dataclass(frozen=True, slots=True)
class Gone:
    """An event that a rewind removed while somebody watched (CAUSALITY §8).

    `generation` is the one that dropped it; `epoch` is the reading of the source that still had its
    body; `lane` says where it stood; `fate` is what §3 said of it for that target: `invalidated`, `possible`,
    `unknown`, `independent`, or `governance`, of which §3 does not speak; `rules` are those by which it went.
    """

    generation: int
    event: Event
    epoch: int
    lane: int
    fate: str
    rules: tuple[int, ...] = ()
    amid: bool = False
    """Events that stood behind it, or behind another that went with it, stand as they were: the file was
    changed in place, and not rewound."""

    @property
    def invalid(self) -> bool:
        """Whether §3 called it invalid."""
        return self.fate == "invalidated"


Verdict = tuple[str, tuple[int, ...]]
"""What §3 says of an event, and the rules by which it goes: `Gone.fate`, `Gone.rules`."""

Judge = Callable[[int], Verdict]
"""The verdict on the event of a seq."""


NO_REST: Mapping[int, int] = {}


@dataclass(frozen=True, slots=True)
class Replacement:
    """What became of a tail: the first row that changed, or may say something else; what was dropped; and
    what was not there before."""

    first: int
    gone: tuple[Gone, ...]
    new: Sequence[Record]


class Ledger(Steps):
    """One run of events whose seqs do not repeat, and what follows from them."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.generation = 0
        self.epoch = 0
        self.gone: list[Gone] = []
        self.kept: dict[int, tuple[int, int] | None] = {}
        """By the generation that dropped events: seq and digest of the event before them, if any."""
        self._dismissed: set[int] = set()
        self.host: Ledger | None = None
        """The ledger in which the events of this one are guests."""
        self._written = NONE

    # growing

    def takes(self, seq: int) -> bool:
        """Whether an event with this seq belongs to this run, or begins a new one (CAUSALITY §1)."""
        first = self.columns.first_seq
        if first is None or seq > self.columns.last_seq():
            return True
        return seq > first and self.row_of(seq) is None

    def append(self, records: Sequence[Record]) -> int:
        """Append records in file order; return the first row that is new or moved.

        Every event must be one that the run `takes`. A line that comes late, after a larger seq, is put
        in its place, and the rows after it are placed again.
        """
        first = len(self)
        last = self.columns.place[-1] if first else NONE
        for number, record in enumerate(records):
            seq = record.seq if isinstance(record, Event) else self._written
            if seq < last:
                first = min(first, self._append_late(records[number:]))
                break
            self._written = last = seq
            self._step(record)
        self.session_book.settle()
        return first

    def _append_late(self, records: Sequence[Record]) -> int:
        placed, self._written = _placed(records, self._written)
        top = self.columns.last_seq()
        for seq in (record.seq for record in records if isinstance(record, Event)):
            if seq < top:
                self.late.add(seq)
            top = max(top, seq)
        return self._insert(self._first_of(placed), placed)

    def fill(self, records: Sequence[Record]) -> int:
        """Put records that the source gave later than their neighbours in their place; return the first row
        that is new or moved. None of their seqs may be there already."""
        placed, _ = _placed(records, NONE)
        first = self._insert(self._first_of(placed), placed)
        self.session_book.settle()
        return first

    def set_holes(self, holes: Sequence[Gap]) -> int:
        """Say all that the source has and could not give; return the first row that changed (CAUSALITY §2).

        Pointers into a hole are judged anew: they come after it."""
        before = {gap: row for row, gap in self.columns.gaps.items()}
        if before.keys() == set(holes):
            return len(self)
        new = [gap for gap in holes if gap not in before]
        old = [row for gap, row in before.items() if gap not in holes]
        first = min([*old, *(self.columns.first_from(gap.first) for gap in new)])
        moved = self._take_back(first)
        kept = [each for each in moved if each[1] not in before or each[1] in holes]
        self._insert(first, [*((order_of(gap, gap.last), gap) for gap in new), *kept])
        if moved:
            self.reshaped()
        self.session_book.settle()
        return first

    def _first_of(self, placed: Sequence[Placed]) -> int:
        return self.columns.first_from(min(order[0] for order, _ in placed))

    # guests: sub-agents that keep a ledger of their own

    def adopt(self, name: str, call: int) -> Origin | None:
        """Make room for the guests from the ledger `name`, which the spawn call `call` (seq or key) names as
        that of its sub-agent. None when the call is not there, or hangs from nothing in which a lane could
        begin."""
        row = self.row_of(call)
        fork = -1 if row is None else self.parent_rows[row]
        if fork < 0 or len(self.origins) >= ORIGINS_AT_MOST or (self.columns.first_seq or 0) < 0:
            return None
        origin = Origin(len(self.origins), name, [call], self.seq[fork])
        self.origins.append(origin)
        return origin

    def welcome(self, origin: Origin, events: Sequence[Judged]) -> int:
        """Take in further events of a sub-agent's ledger, with the states of their pointers there; return the
        first row that is new or moved. Roots hang from where the lane begins."""
        placed: list[Placed] = [(guest.order, guest) for guest in guests_of(self.columns, origin, events)]
        if not placed:
            return len(self)
        origin.present += len(placed)
        first = self._insert(self._first_of(placed), placed)
        self.session_book.settle()
        return first

    def release(self, origins: Sequence[Origin]) -> int:
        """Let the guests of these origins go; return the first row that changed."""
        leaving = {origin.index for origin in origins}
        if not leaving:
            return len(self)
        rows = [row for row, guest in self.columns.guests.items() if origin_of(guest.event.seq) in leaving]
        first = min(rows, default=len(self))
        kept = [
            each
            for each in self._take_back(first)
            if not (isinstance(each[1], Guest) and origin_of(each[1].event.seq) in leaving)
        ]
        for index in leaving:
            self.origins[index] = None
        self._insert(first, kept)
        self.reshaped()
        self.session_book.settle()
        return first

    # generations

    def replace(
        self,
        offset: int,
        records: Sequence[Record],
        epoch: int,
        judge: Callable[[int, int], Judge],
        rest: Mapping[int, int] = NO_REST,
    ) -> Replacement:
        """Put `records` in the place of every row whose record began at `offset` or later (§8).

        Content is compared, seq by seq: what is the same stays what it was, at its new place. If
        something else was there, it is dropped and a new generation begins. `judge(to, count)` gives what
        §3 says of `count` events for a rewind to `to`; it is asked before anything is dropped. `rest` are
        the digests, by seq, of events that will be appended right after this.
        """
        old = [row for row in range(len(self)) if self.offset[row] >= offset]
        same = self._same_prefix(old, records)
        for row, record in zip(old[:same], records, strict=False):
            self.columns.offset[row], self.columns.length[row] = record.offset, record.length
        looked_at = old[0] if same else len(self)
        old, records = old[same:], records[same:]
        coming = {**rest, **{each.seq: each.digest for each in records if isinstance(each, Event)}}
        stayed = {
            seq for seq in map(self.columns.seq.__getitem__, self._events_of(old)) if self._is_in(coming, seq)
        }
        gone = self._drop(old, judge, stayed) if old else ()
        self.epoch = epoch
        if same:
            self.reshaped()  # an event whose stated hash was left can have other bytes
        last = max(range(len(self)), key=self.offset.__getitem__, default=-1)
        self._written = NONE if last < 0 else self.columns.seq[last]
        new = [each for each in records if not (isinstance(each, Event) and each.seq in stayed)]
        return Replacement(min(looked_at, self.append(records)), gone, new)

    def _events_of(self, rows: Sequence[int]) -> list[int]:
        return [row for row in rows if self.kind[row] < _MALFORMED]

    def _is_in(self, digests: Mapping[int, int], seq: int) -> bool:
        row = self.row_of(seq)
        return row is not None and digests.get(seq) == self.columns.digest[row]

    def _same_prefix(self, old: Sequence[int], records: Sequence[Record]) -> int:
        same = 0
        for row, record in zip(old, records, strict=False):
            if not self._same(row, record):
                break
            same += 1
        return same

    def _same(self, row: int, record: Record) -> bool:
        if isinstance(record, Malformed):
            return self.kind[row] == _MALFORMED and self.length[row] == record.length
        return self.seq_at(row) == record.seq and self.columns.says(row, record)

    def _drop(
        self, rows: Sequence[int], judge: Callable[[int, int], Judge], stayed: Set[int]
    ) -> tuple[Gone, ...]:
        """Take rows out. Those whose seqs are in `stayed` are about to come again, and are not gone."""
        dropped, events = set(rows), self._events_of(rows)
        going = [row for row in events if self.columns.seq[row] not in stayed]
        gone: tuple[Gone, ...] = ()
        if going:
            first = going[0] if stayed else rows[0]
            amid = any(self.columns.seq[row] in stayed for row in events if row > first)
            kept = self.columns.seq[first - 1] if first else NONE
            self.generation += 1
            self.kept[self.generation] = self._last_before(first)
            judged = judge(kept, len(going))
            gone = tuple(self._gone(row, judged, amid=amid) for row in going)
            for row in events:
                self._remember(row)
        staying = [
            row for row in range(rows[0], len(self)) if row not in dropped and self.kind[row] != Kind.GAP
        ]
        stay = [(self.columns.seq[row], self.columns.record_at(row)) for row in staying]
        self._take_back(rows[0])
        for seq, record in stay:
            self._step(record, seq)
        self.gone.extend(gone)
        del self.gone[: max(0, len(self.gone) - GONE_AT_MOST)]
        self.reshaped()
        return gone

    def _last_before(self, row: int) -> tuple[int, int] | None:
        found = next((each for each in range(row - 1, -1, -1) if self.kind[each] < _MALFORMED), None)
        return None if found is None else (self.columns.seq[found], self.columns.digest[found])

    def _gone(self, row: int, judge: Judge, *, amid: bool) -> Gone:
        event = self.columns.record_at(row)
        assert isinstance(event, Event)
        lane = self.lane_at(row)
        fate, rules = judge(event.seq) if event.kind.agent else ("governance", ())
        return Gone(self.generation, event, self.epoch, -1 if lane is None else lane.id, fate, rules, amid)

    def dismiss(self) -> int:
        """Keep what rewinds dropped no longer; pointers into it stay `rewound`. Returns how much it was."""
        count = len(self.gone)
        first: dict[int, int] = {}
        for each in self.gone:
            first[each.generation] = min(each.event.seq, first.get(each.generation, each.event.seq))
        self._dismissed.update(first.values())
        self.gone.clear()
        self.kept.clear()
        self.reshaped()
        return count

    def dismissed_at(self, row: int) -> bool:
        """Whether what was dismissed had stood where this row is."""
        return any(self.columns.first_from(seq) == row for seq in self._dismissed)

    def _remember(self, row: int) -> None:
        digest, parent_row = self.columns.digest[row], self.parent_rows[row]
        _put_last(self._removed, self.columns.seq[row], digest)
        if parent_row >= 0:
            _put_last(self._seen, digest, self.columns.digest[parent_row])


def _placed(records: Sequence[Record], after: int) -> tuple[list[Placed], int]:
    """Records with their places: a malformed line has that of the event before it, `after` for the first.
    Returns the place of the last one, too."""
    placed: list[Placed] = []
    for record in records:
        if isinstance(record, Event):
            after = record.seq
        placed.append((order_of(record, after), record))
    return placed, after


def _put_last(known: dict[int, int], key: int, value: int) -> None:
    """Remember something as the newest; the oldest goes when there is too much."""
    known.pop(key, None)
    known[key] = value
    if len(known) > REMEMBERED_AT_MOST:
        del known[next(iter(known))]
