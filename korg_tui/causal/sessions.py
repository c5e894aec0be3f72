"""Sessions: a head and everything reached from it by `ok` pointers (CAUSALITY §2).

Heads that name the same missing seq share a session, and so do unloaded heads with one root event id.
Such a head can show late that two sessions were one; the later one is then merged into the earlier.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from korg_tui.causal.columns import NONE
from korg_tui.causal.pointers import STATUS, Pointer

if TYPE_CHECKING:
    from korg_tui.causal.lanes import Lane
    from korg_tui.causal.steps import Steps

Undo = Callable[[], object]


@dataclass(slots=True, eq=False)
class Session:
    """One session of a ledger. Rows are row numbers; what is unknown is `None`.

    `index` is the place among the ledger's sessions, in the order of their first heads. Counts are of
    agent events: `failed` has success false, `dead_pointers` and `unloaded` count heads by pointer
    state (`Pointer.lost`). `agents` are the distinct actors that are neither `human:` nor `korg:`.
    """

    index: int
    head: int
    seq: int
    root_seq: int | None
    root_state: Pointer
    status: str
    synthesized: bool
    schema: str
    total_events: int = 0
    failed: int = 0
    dead_pointers: int = 0
    unloaded: int = 0
    first_seq: int = 0
    last_seq: int = 0
    last_event_at: int | None = None
    seen: dict[str, None] = field(default_factory=dict, repr=False)
    own: list[Lane] = field(default_factory=list, repr=False)
    merged: list[Session] = field(default_factory=list, repr=False)
    into: Session | None = field(default=None, repr=False)
    stale: bool = field(default=False, repr=False)

    @property
    def last_event_seq(self) -> int:
        """The seq of the newest event, which is the last one (SPEC §8.3)."""
        return self.last_seq

    @property
    def agents(self) -> list[str]:
        """The distinct agent actors, in the order in which they first appear."""
        return list(self.seen)

    @property
    def lanes(self) -> list[int]:
        """Lane ids, in the order of their openers."""
        return sorted(lane.id for lane in self.lane_objects())

    def lane_objects(self) -> list[Lane]:
        """The lanes themselves, in no particular order."""
        lanes = list(self.own)
        for part in self.merged:
            lanes += part.lane_objects()
        return lanes

    def rows(self) -> list[int]:
        """The rows of all agent events of the session, ascending."""
        return sorted(row for lane in self.lane_objects() for row in lane.rows)

    def standing(self) -> Session:
        """The session this one was merged into, or itself."""
        session = self
        while session.into is not None:
            session = session.into
        return session


class SessionBook:
    """The sessions of one ledger, kept by one step per event."""

    def __init__(self, ledger: Steps) -> None:
        self._ledger = ledger
        self._all: list[Session] = []
        self._stale: list[Session] = []
        self._by_root_event: dict[str, Session] = {}

    def standing(self) -> list[Session]:
        """The sessions in the order of their first heads, without those merged into another."""
        if self._ledger.merges:
            return [session for session in self._all if session.into is None]
        return self._all

    def for_head(self, row: int, state: Pointer, group: Session | None, undo: list[Undo]) -> Session:
        """The session of a head: that of its group, that of its root event id, or a new one."""
        known = None
        root_event = self._ledger.columns.roots.get(row, "") if state is Pointer.UNLOADED else ""
        if root_event:
            known = self._by_root_event.get(root_event)
        if group is not None and known is not None and group.standing() is not known.standing():
            self._merge(group.standing(), known.standing(), undo)
        session = (group or known or self._open(row, state, undo)).standing()
        if root_event and known is None:
            self._by_root_event[root_event] = session
            undo.append(lambda: self._by_root_event.pop(root_event))
        return session

    def _open(self, row: int, state: Pointer, undo: list[Undo]) -> Session:
        columns = self._ledger.columns
        seq = columns.seq[row]
        session = Session(
            index=len(self._all) - self._ledger.merges,
            head=row,
            seq=seq,
            root_seq=seq if state is Pointer.ROOT else None,
            root_state=state,
            status=STATUS[state],
            synthesized=row in columns.synthesized,
            schema=columns.names[columns.schema[row]],
            first_seq=seq,
        )
        self._all.append(session)
        undo.append(self._close_last)
        return session

    def _close_last(self) -> None:
        self._all.pop()

    def _merge(self, one: Session, other: Session, undo: list[Undo]) -> None:
        early, late = (one, other) if one.head < other.head else (other, one)
        late.into = early
        early.merged.append(late)
        self._ledger.merges += 1
        self.mark(early)
        undo.append(lambda: self._split(early, late))
        self._number()

    def _split(self, early: Session, late: Session) -> None:
        early.merged.remove(late)
        late.into = None
        self._ledger.merges -= 1
        self.mark(early)
        self.mark(late)
        self._number()

    def _number(self) -> None:
        for index, session in enumerate(s for s in self._all if s.into is None):
            session.index = index

    def mark(self, session: Session) -> None:
        """Say that the counts of a session no longer hold; `settle` counts again."""
        if not session.stale:
            session.stale = True
            self._stale.append(session)

    def settle(self) -> None:
        """Count anew every session that was marked."""
        for session in self._stale:
            session.stale = False
            if session.into is None:
                self._recount(session)
        self._stale.clear()

    def _recount(self, session: Session) -> None:
        session.total_events = session.failed = session.dead_pointers = session.unloaded = 0
        session.last_event_at = None
        session.seen.clear()
        for row in session.rows():
            self.count(row, self._ledger.pointer_at(row), session)

    def count(self, row: int, pointer: Pointer, session: Session) -> None:
        """Count one more event, the newest of its session."""
        columns = self._ledger.columns
        session.total_events += 1
        session.failed += columns.success[row] == 0
        if pointer:
            session.dead_pointers += pointer.lost
            session.unloaded += pointer is Pointer.UNLOADED
        if row not in columns.guests:
            session.last_seq = columns.seq[row]
        time = columns.time[row]
        session.last_event_at = None if time == NONE else time
        actor = columns.actor[row]
        if self._ledger.owns_lanes(actor):
            session.seen.setdefault(columns.names[actor])


def add_lane(session: Session, lane: Lane) -> None:
    """Put a lane into its session, in the order of openers."""
    insort(session.own, lane, key=lambda each: each.opener)

