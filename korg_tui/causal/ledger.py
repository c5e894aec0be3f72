"""The causal ledger: columns, one forward step per event, and generations (CAUSALITY §1–§4, §8).

Everything inside is addressed by row, everything outside by (ledger, seq). Rows are sorted by seq, so a
row number is good until a late line or a replaced tail comes; `revision` counts those.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from korg_tui.causal.columns import BAD, NONE
from korg_tui.causal.lanes import LaneBook
from korg_tui.causal.pointers import Pointer, without_parent
from korg_tui.causal.rows import Rows
from korg_tui.causal.sessions import SessionBook
from korg_tui.event import Event, Gap, Kind, Malformed, Record

_GOVERNANCE, _MALFORMED = int(Kind.GOVERNANCE), int(Kind.MALFORMED)


_Keyed = tuple[int, Record | Gap]
"""What makes a row, and its place in the order: a seq."""


@dataclass(frozen=True, slots=True)
class Gone:
    """An event that a rewind removed while somebody watched (CAUSALITY §8).

    `generation` is the one that dropped it; `epoch` is the reading of the source that still had its
    body; `lane` and `invalid` say where it stood, and whether §3 called it invalid for that target.
    """

    generation: int
    event: Event
    epoch: int
    lane: int
    invalid: bool


class Ledger(Rows):
    """One run of events whose seqs do not repeat, and what follows from them.

    `touched` counts the rows stepped over so far, forward and back: what appending costs.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.generation = 0
        self.epoch = 0
        self.revision = 0
        self.touched = 0
        self.merges = 0
        self.session_book = SessionBook(self)
        self.lane_book = LaneBook(self)
        self.gone: list[Gone] = []
        self.derived: dict[str, Any] = {}
        self._removed: dict[int, int] = {}
        self._seen: dict[int, int] = {}
        self._owners: dict[int, bool] = {}
        self._written = NONE

    def owns_lanes(self, actor: int) -> bool:
        """Whether an actor (by number) can own a lane: all but `human:` and `korg:` can (§3)."""
        owns = self._owners.get(actor)
        if owns is None:
            owns = not self.columns.names[actor].startswith(("human:", "korg:"))
            self._owners[actor] = owns
        return owns

    def reshaped(self) -> None:
        """Say that something other than rows at the end changed: rows moved, or lanes were renumbered."""
        self.revision += 1

    # growing

    def takes(self, seq: int) -> bool:
        """Whether an event with this seq belongs to this run, or begins a new one (CAUSALITY §1)."""
        first = self.columns.first_seq
        if first is None or seq > self.columns.seq[-1]:
            return True
        return seq > first and self.row_of(seq) is None

    def append(self, records: Sequence[Record]) -> int:
        """Append records in file order; return the first row that is new or moved.

        Every event must be one that the run `takes`. A line that comes late, after a larger seq, is put
        in its place, and the rows after it are placed again.
        """
        first = len(self)
        last = self.columns.seq[-1] if first else NONE
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
        keyed, self._written = _keyed(records, self._written)
        top = next((seq for seq, kind in self._back() if kind < _MALFORMED), NONE)
        for seq in (record.seq for record in records if isinstance(record, Event)):
            if seq < top:
                self.late.add(seq)
            top = max(top, seq)
        return self._insert(keyed)

    def _back(self) -> Iterator[tuple[int, int]]:
        """seq and kind of the rows, last one first."""
        return zip(reversed(self.seq), reversed(self.kind), strict=True)

    def fill(self, records: Sequence[Record]) -> int:
        """Put records that the source gave later than their neighbours in their place; return the first row
        that is new or moved. None of their seqs may be there already."""
        keyed, _ = _keyed(records, NONE)
        first = self._insert(keyed)
        self.session_book.settle()
        return first

    def set_holes(self, holes: Sequence[Gap]) -> int:
        """Say all that the source has and could not give; return the first row that changed (CAUSALITY §2).

        Pointers into a hole are judged anew: they come after it."""
        gaps = self.columns.gaps
        before = {gap: row for row, gap in gaps.items()}
        if before.keys() == set(holes):
            return len(self)
        new = [(gap.last, gap) for gap in holes if gap not in before]
        old = [row for gap, row in before.items() if gap not in holes]
        first = min([*old, *(bisect_left(self.seq, gap.first) for _, gap in new)])
        keyed = [(key, step) for key, step in self._take_back(first) if step not in before or step in holes]
        self._steps(sorted([*new, *keyed], key=_place))
        self.session_book.settle()
        return first

    def _insert(self, keyed: list[_Keyed]) -> int:
        """Put steps where they belong, and place what comes after them again."""
        first = self.columns.first_after(min(key for key, _ in keyed))
        self._steps(sorted([*self._take_back(first), *keyed], key=_place))
        return first

    def _steps(self, keyed: Sequence[_Keyed]) -> None:
        for key, step in keyed:
            self._step(step, key)
        self.reshaped()

    def _take_back(self, row: int) -> list[_Keyed]:
        """Undo every step from `row` on; return the records with their place in the order."""
        taken = []
        while len(self) > row:
            last = len(self) - 1
            taken.append((self.columns.seq[last], self.columns.record_at(last)))
            self._step_back()
        return taken[::-1]

    def _step(self, record: Record | Gap, after: int = NONE) -> None:
        self.touched += 1
        columns = self.columns
        self._last_child.append(-1)
        if not isinstance(record, Event):
            if isinstance(record, Gap):
                columns.push_gap(record)
            else:
                columns.push_malformed(record, columns.seq[-1] if after == NONE and columns.seq else after)
            self._pass_by()
            return
        row = columns.push(record)
        if record.kind >= _GOVERNANCE:
            self._pass_by()
            return
        state, parent_row = self._judge(row, record.kind)
        head, sibling = row, -1
        if parent_row >= 0:
            head, sibling = self.heads[parent_row], self._last_child[parent_row]
            self._last_child[parent_row] = row
        self._derive(state, parent_row, head, sibling)
        session = self.lane_book.place(row, state, parent_row)
        self.session_book.count(row, state, session)

    def _pass_by(self) -> None:
        self._derive(Pointer.OK, -1, -1, -1)
        self.lane_book.pass_by()

    def _derive(self, state: Pointer, parent_row: int, head: int, sibling: int) -> None:
        self._pointers.append(state)
        self.parent_rows.append(parent_row)
        self.heads.append(head)
        self._sibling.append(sibling)

    def _step_back(self) -> None:
        self.touched += 1
        session = self.lane_book.step_back()
        if session is not None:
            self.session_book.mark(session)
        parent_row, sibling = self.parent_rows[-1], self._sibling[-1]
        if parent_row >= 0:
            self._last_child[parent_row] = sibling
        for column in (self._pointers, self.parent_rows, self.heads, self._sibling, self._last_child):
            column.pop()
        self.columns.pop()

    def _judge(self, row: int, kind: Kind) -> tuple[Pointer, int]:
        """The state of a row's pointer, and the parent's row if it is ok (CAUSALITY §2)."""
        columns = self.columns
        parent, seq = columns.parent[row], columns.seq[row]
        if parent == NONE:
            return without_parent(kind), -1
        if parent == BAD:
            return Pointer.MALFORMED, -1
        found = columns.row_of(parent) if parent < seq else -1
        if self._removed and self._was_rewound(row, parent, found):
            return Pointer.REWOUND, -1
        if parent >= seq:
            return Pointer.FORWARD, -1
        if found >= 0:
            governance = columns.kind[found] == _GOVERNANCE
            return (Pointer.GOVERNANCE, -1) if governance else (Pointer.OK, found)
        return (Pointer.UNLOADED if columns.not_loaded(parent) else Pointer.DEAD), -1

    def _was_rewound(self, row: int, parent: int, found: int) -> bool:
        if parent not in self._removed:
            return False
        if found < 0:
            return True
        written_for = self._seen.get(self.columns.digest[row])
        return written_for is not None and written_for != self.columns.digest[found]

    # generations

    def replace(
        self, offset: int, records: Sequence[Record], epoch: int, invalid: Callable[[int], frozenset[int]]
    ) -> tuple[int, tuple[Gone, ...]]:
        """Put `records` in the place of every row whose record began at `offset` or later (§8).

        Content is compared, seq by seq: what is the same stays what it was, at its new place. If
        something else was there, it is dropped and a new generation begins. `invalid(to)` answers which
        seqs §3 calls invalid for a rewind to `to`; it is asked before anything is dropped.

        Returns the first row that changed, and what was dropped.
        """
        old = [row for row in range(len(self)) if self.offset[row] >= offset]
        same = self._same_prefix(old, records)
        for row, record in zip(old[:same], records, strict=False):
            self.columns.offset[row], self.columns.length[row] = record.offset, record.length
        old, records = old[same:], records[same:]
        gone = self._drop(old, invalid) if old else ()
        self.epoch = epoch
        last = max(range(len(self)), key=self.offset.__getitem__, default=-1)
        self._written = NONE if last < 0 else self.columns.seq[last]
        return self.append(records), gone

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
        return self.seq_at(row) == record.seq and self.columns.digest[row] == record.digest

    def _drop(self, rows: Sequence[int], invalid: Callable[[int], frozenset[int]]) -> tuple[Gone, ...]:
        dropped = set(rows)
        events = [row for row in rows if self.kind[row] < _MALFORMED]
        kept = self.columns.seq[rows[0] - 1] if rows[0] else NONE
        called_invalid = invalid(kept) if events else frozenset()
        self.generation += bool(events)
        gone = tuple(self._gone(row, called_invalid) for row in events)
        for row in events:
            self._remember(row)
        staying = [
            row for row in range(rows[0], len(self)) if row not in dropped and self.kind[row] != Kind.GAP
        ]
        stay = [(self.columns.seq[row], self.columns.record_at(row)) for row in staying]
        self._take_back(rows[0])
        for key, record in stay:
            self._step(record, key)
        self.gone.extend(gone)
        self.reshaped()
        return gone

    def _gone(self, row: int, invalid: frozenset[int]) -> Gone:
        event = self.columns.record_at(row)
        assert isinstance(event, Event)
        lane = self.lane_at(row)
        return Gone(
            self.generation, event, self.epoch, -1 if lane is None else lane.id, event.seq in invalid
        )

    def _remember(self, row: int) -> None:
        digest, parent_row = self.columns.digest[row], self.parent_rows[row]
        self._removed[self.columns.seq[row]] = digest
        if parent_row >= 0:
            self._seen[digest] = self.columns.digest[parent_row]


def _keyed(records: Sequence[Record], after: int) -> tuple[list[_Keyed], int]:
    """Records with their places: a malformed line has that of the event before it, `after` for the first.
    Returns the place of the last one, too."""
    keyed: list[_Keyed] = []
    for record in records:
        if isinstance(record, Event):
            after = record.seq
        keyed.append((after, record))
    return keyed, after


def _place(keyed: _Keyed) -> int:
    return keyed[0]
