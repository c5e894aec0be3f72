"""Traces: what a session is as a trace: ids, times, and where its events' edges come from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from korg_tui.causal import Lane, Ledger, Session, Weave, weave
from korg_tui.export.wanted import Wanted

NANOS = 1_000_000
"""Nanoseconds in a millisecond."""
LATEST_MS = 2**64 // NANOS - 1
"""The latest time that 64 bits of nanoseconds can say."""

Interval = tuple[int, int]
"""Begin and end, nanoseconds since the epoch."""


def interval_of(ledger: Ledger, row: int) -> Interval | None:
    """When an event was; None without a time, or with one that the format cannot say.

    Its time is when it was recorded: it ended then, and began its duration before."""
    ended = ledger.time_at(row)
    if ended is None or not 0 <= ended <= LATEST_MS:
        return None
    took = ledger.duration_at(row) or 0
    nanos = int(min(took, ended) * NANOS) if took > 0 else 0
    return max(0, ended * NANOS - nanos), ended * NANOS


@dataclass(eq=False)
class Trace:
    """One session on its way to a trace."""

    wanted: Wanted
    session: Session
    twin: int = 0
    """Its number among the sessions of one export that are called the same and begin the same."""
    id: str = ""
    events: dict[int, Interval] = field(default_factory=dict)
    """By row: the events that become spans."""
    untimed: int = 0
    lanes: dict[int, Interval] = field(default_factory=dict)
    """By the key of the lane."""

    def __post_init__(self) -> None:
        self.id = trace_id(self.wanted.ledger, self.session, self.twin)
        ledger = self.wanted.ledger
        for lane in self.in_order:
            for row in lane.rows:
                interval = interval_of(ledger, row)
                if interval is None:
                    self.untimed += 1
                else:
                    self._grow(lane, interval)
                    if self.wanted.meant is None or self.wanted.meant(ledger, row):
                        self.events[row] = interval

    def _grow(self, lane: Lane, interval: Interval) -> None:
        """A lane lasts as long as its events and the lanes below it."""
        for each in lane.chain():
            begun, ended = self.lanes.get(each.key, interval)
            self.lanes[each.key] = min(begun, interval[0]), max(ended, interval[1])

    @property
    def in_order(self) -> list[Lane]:
        """The lanes in the order of their openers."""
        return sorted(self.session.lane_objects(), key=lambda lane: lane.id)

    @property
    def interval(self) -> Interval:
        """From the first to the last."""
        return min(begun for begun, _ in self.lanes.values()), max(ended for _, ended in self.lanes.values())

    def woven(self) -> Weave:
        """What the links follow from."""
        return weave(self.wanted.ledger, self.session)

    def span_id(self, what: str) -> str:
        """Eight bytes as hex, never all zero."""
        return span_id(self.id, what)

    def lane_span(self, lane: Lane) -> str:
        """The id of a lane's span."""
        return self.span_id(f"lane {self.wanted.ledger.seq[lane.opener]}")

    def event_span(self, row: int) -> str:
        """The id of an event's span."""
        return self.span_id(f"event {self.wanted.ledger.seq[row]}")


def trace_id(ledger: Ledger, session: Session, twin: int = 0) -> str:
    """The id of a session's trace, 16 bytes as hex: what its ledger is called, and how it begins; for a copy
    in the same export, its number, too."""
    name = ledger.name.rpartition("/")[2].encode("utf-8", "backslashreplace")
    begins = f"\0{ledger.columns.digest[session.head]}\0{session.seq}{f'#{twin}' if twin else ''}".encode()
    return hashlib.sha256(name + begins).hexdigest()[:32]


def span_id(trace: str, what: str) -> str:
    """The id of a span in a trace, 8 bytes as hex."""
    return hashlib.sha256(f"{trace}\0{what}".encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Link:
    """Where an edge comes from: an event, or a whole lane; its rule, whether it is certain, and the basis."""

    row: int
    lane: Lane | None
    rule: int
    certain: bool
    basis: str = ""


def links_into(ledger: Ledger, row: int, woven: Weave) -> Iterator[Link]:
    """What an event depends on; a whole lane stands for its events."""
    if ledger.parent_row(row) >= 0:
        yield Link(ledger.parent_row(row), None, 1, True)
    for lane, link in woven.linked_lanes(row):
        if lane.opener < row:
            yield Link(lane.opener, lane, 2, link.certain, link.basis)
    for read in woven.consumed_by(row):
        certain = woven.surely_consumed(read, row)
        yield Link(read, None, 2, certain)
        for lane, link in woven.linked_lanes(read):
            if lane.opener < min(read, row):
                yield Link(lane.opener, lane, 4, certain and link.certain, link.basis)
