"""Where guests stand among the events of their host.

They were written into another file, so that only times can tell. What a sub-agent did before its call
returned stands before the call, whatever clocks say: the call's result is its return value.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from korg_tui.causal.columns import Columns
from korg_tui.causal.guests import Guest, Order, Origin, has_room
from korg_tui.causal.pointers import Pointer
from korg_tui.event import Event, Kind

Judged = tuple[Event, Pointer]
"""An event of a sub-agent's ledger, and the state of its pointer there."""


def guests_of(columns: Columns, origin: Origin, events: Sequence[Judged]) -> list[Guest]:
    """The events as guests, in their places. Roots hang from where the lane begins. What comes when the lane
    is there already came after the call."""
    events = [(event, state) for event, state in events if has_room(event.seq)]
    times = list(_times(origin, (event for event, _ in events)))
    before = _BeforeTheCall(columns, origin, times[0]) if times and not origin.present else None
    guests = []
    for (event, state), time in zip(events, times, strict=True):
        key = origin.key(event.seq)
        order = before.order(key, time) if before else None
        guests.append(_guest(origin, event, state, order or _at_the_end(columns, key, time)))
    return guests


def _times(origin: Origin, events: Iterable[Event]) -> Iterator[int]:
    """The time of each event, never earlier than one before it; ms since the epoch, 0 for none yet."""
    for event in events:
        origin.reached_ms = max(origin.reached_ms, event.time_ms or 0)
        yield origin.reached_ms


def _guest(origin: Origin, event: Event, state: Pointer, order: Order) -> Guest:
    key, parent = origin.key(event.seq), event.parent
    if state is Pointer.ROOT:
        state, parent = Pointer.OK, origin.fork
    elif parent is not None:
        parent = origin.key(parent) if has_room(parent) else None
    named = msgspec.structs.replace(
        event, seq=key, parent=parent, offset=key, returns=(), root_event_id="", bad_parent=event.bad_parent
    )
    return Guest(named, state, order)


def _at_the_end(columns: Columns, key: int, time: int) -> Order:
    """Before the first event of the host that is later than `time`, counted from the end."""
    place = columns.last_seq() + 1
    for row in range(columns.last_own, -1, -1):
        if row in columns.guests or columns.kind[row] >= Kind.MALFORMED:
            continue
        if columns.time[row] <= time:
            break
        place = columns.seq[row]
    return place, 0, time, key, 0


class _BeforeTheCall:
    """Places between the event in which the lane begins and the call that returned."""

    def __init__(self, columns: Columns, origin: Origin, begins_ms: int) -> None:
        call = columns.row_of(origin.calls[0])
        self._block = columns.guests[call].order[:-1] if call in columns.guests else None
        self._call = columns.place[call]
        self._call_ms = columns.time[call]
        self._later = begins_ms > self._call_ms
        self._times: list[int] = []
        self._places: list[int] = []
        if self._block is None:
            self._walk(columns, columns.row_of(origin.fork), call)

    def _walk(self, columns: Columns, fork: int, call: int) -> None:
        reached = columns.time[fork]
        for row in range(fork + 1, call + 1):
            if row not in columns.guests and columns.kind[row] < Kind.MALFORMED:
                reached = max(reached, columns.time[row])
                self._times.append(reached)
                self._places.append(columns.seq[row])

    def order(self, key: int, time: int) -> Order | None:
        """Where a guest stands; None for one that came after the call had returned. Where all of them are
        later than the call, the clocks are not of the time of the events (a backfill), and say nothing."""
        if self._block is not None:
            return (*self._block, -1, time, key, 0)
        if time > self._call_ms and not self._later:
            return None
        index = bisect_right(self._times, time)
        place = self._places[index] if time and index < len(self._places) else self._call
        return place, 0, time, key, 0
