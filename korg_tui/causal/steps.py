"""Steps: one forward step per event, each with its way back (CAUSALITY §2–§4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from korg_tui.causal.columns import BAD, NONE
from korg_tui.causal.guests import Guest, Order, Origin, origin_of
from korg_tui.causal.lanes import LaneBook
from korg_tui.causal.pointers import Pointer, without_parent
from korg_tui.causal.rows import Rows
from korg_tui.causal.sessions import SessionBook
from korg_tui.event import Event, Gap, Kind, Malformed, Record

_GOVERNANCE = int(Kind.GOVERNANCE)

Placed = tuple[Order, Record | Gap | Guest]
"""What makes a row, and where it stands."""


class Steps(Rows):
    """A ledger that grows and shrinks at its end, row by row.

    `touched` counts the rows stepped over so far, forward and back: what appending costs. `origins` are the
    sub-agents' ledgers whose events are guests here, by index; None where one was released.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.revision = 0
        self.touched = 0
        self.merges = 0
        self.session_book = SessionBook(self)
        self.lane_book = LaneBook(self)
        self.derived: dict[str, Any] = {}
        self.origins: list[Origin | None] = []
        self._removed: dict[int, int] = {}
        self._seen: dict[int, int] = {}
        self._owners: dict[int, bool] = {}

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

    def _insert(self, first: int, placed: Iterable[Placed]) -> int:
        """Put steps in their places, the earliest of which is row `first`, and place what comes after them
        again. Returns `first`."""
        moved = self._take_back(first)
        for (place, *_), step in sorted([*moved, *placed], key=_order):
            self._step(step, place)
        if moved:
            self.reshaped()
        return first

    def _take_back(self, row: int) -> list[Placed]:
        """Undo every step from `row` on; return the records with where they stood."""
        taken = []
        while len(self) > row:
            last = len(self) - 1
            step = self.columns.record_at(last)
            taken.append((order_of(step, self.columns.place[last]), step))
            self._step_back()
        return taken[::-1]

    def _step(self, record: Record | Gap | Guest, after: int = NONE) -> None:
        self.touched += 1
        self._last_child.append(-1)
        if not isinstance(record, Event):
            self._step_other(record, after)
            return
        row = self.columns.push(record)
        if record.kind >= _GOVERNANCE:
            self._pass_by()
            return
        state, parent_row = self._judge(row, record.kind)
        self._hang(row, state, parent_row)
        self.session_book.count(row, state, self.lane_book.place(row, state, parent_row))

    def _step_other(self, record: Malformed | Gap | Guest, after: int) -> None:
        columns = self.columns
        if isinstance(record, Guest):
            self._step_guest(record)
            return
        if isinstance(record, Gap):
            columns.push_gap(record)
        else:
            columns.push_malformed(record, columns.place[-1] if after == NONE and columns.place else after)
        self._pass_by()

    def _step_guest(self, guest: Guest) -> None:
        row = self.columns.push_guest(guest)
        if guest.event.kind >= _GOVERNANCE:
            self._pass_by()
            return
        origin = self.origins[origin_of(guest.event.seq)]
        assert origin is not None
        state, parent_row = guest.state, -1
        if state is Pointer.OK:
            parent_row = self.columns.row_of(guest.event.parent or 0)
        self._hang(row, state, parent_row)
        session = self.lane_book.place_guest(row, origin, parent_row)
        self.session_book.count(row, state, session)

    def _pass_by(self) -> None:
        self._derive(Pointer.OK, -1, -1, -1)
        self.lane_book.pass_by()

    def _hang(self, row: int, state: Pointer, parent_row: int) -> None:
        head, sibling = row, -1
        if parent_row >= 0:
            head, sibling = self.heads[parent_row], self._last_child[parent_row]
            self._last_child[parent_row] = row
        self._derive(state, parent_row, head, sibling)

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


def order_of(step: Record | Gap | Guest, place: int) -> Order:
    """Where a step stands whose place is known."""
    return step.order if isinstance(step, Guest) else (place, 1)


def _order(placed: Placed) -> Order:
    return placed[0]
