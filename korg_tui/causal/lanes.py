"""Lanes and rounds, one forward step per event, each step with its way back (CAUSALITY §3, §4).

The way back makes the exceptions cheap: a late line or a replaced tail undoes the steps after it and
places again what still stands, and nothing else is touched.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from korg_tui.causal.guests import Origin
from korg_tui.causal.pointers import Pointer
from korg_tui.causal.sessions import Session, Undo, add_lane
from korg_tui.event import Kind

if TYPE_CHECKING:
    from korg_tui.causal.steps import Steps

_PROMPT, _INFERENCE = int(Kind.PROMPT), int(Kind.INFERENCE)

NO_ROUND = -1
"""The round of a lane's opener that names no missing seq. Smaller numbers stand for a missing seq."""
UNSET = -1


@dataclass(slots=True, eq=False)
class Lane:
    """One agent loop inside a session (CAUSALITY §3). Rows are row numbers.

    `id` numbers the lanes of a ledger in the order of their openers; `fork` is the row in the lane
    `above` from which this one was forked. `rows` ascend and begin with the opener.
    """

    key: int
    opener: int
    home: Session = field(repr=False)
    above: Lane | None = field(default=None, repr=False)
    fork: int | None = None
    actor_number: int = UNSET
    id: int = 0
    rows: array[int] = field(default_factory=lambda: array("q"), repr=False)
    actor: str | None = None
    subs: dict[int, Lane] = field(default_factory=dict, repr=False)
    passed: dict[int, int] = field(default_factory=dict, repr=False)

    @property
    def parent(self) -> int | None:
        """The id of the lane above, `None` for a lane that a head opened."""
        return None if self.above is None else self.above.id

    @property
    def session(self) -> int:
        """The index of the session."""
        return self.home.standing().index

    def chain(self) -> Iterator[Lane]:
        """This lane and those above it, nearest first."""
        lane: Lane | None = self
        while lane is not None:
            yield lane
            lane = lane.above


@dataclass(slots=True, eq=False)
class _Group:
    """The lanes that heads of one missing seq opened. Only the first can have an actor yet to come."""

    session: Session
    first: Lane
    by_actor: dict[int, Lane] = field(default_factory=dict)


class LaneBook:
    """The lanes of one ledger. `of[row]` is a lane's key, -1 off lanes; `round[row]` is the row of the
    inference or opener whose round the event is in, `NO_ROUND`, or a code for `missing_seq`."""

    def __init__(self, ledger: Steps) -> None:
        self._ledger = ledger
        self._by_key: list[Lane] = []
        self._log: dict[int, list[Undo]] = {}
        self._groups: dict[int, _Group] = {}
        self._follow_ups: set[int] = set()
        self._missing: list[int] = []
        self._codes: dict[int, int] = {}
        self._with_actor: dict[int, int] = {}
        self.in_order: list[Lane] = []
        self.guest_lanes: dict[int, Lane] = {}
        """The lanes of sub-agents that keep a ledger of their own, by the index of their origin."""
        self.of = array("i")
        self.round = array("i")
        self._way_out = array("i")

    def lane(self, row: int) -> Lane | None:
        """The lane of a row, `None` for governance events and malformed lines."""
        key = self.of[row]
        return None if key < 0 else self._by_key[key]

    def missing_seq(self, code: int) -> int | None:
        """The missing seq that a round code stands for; `None` if the round is a row or none."""
        return self._missing[-2 - code] if code < NO_ROUND else None

    # one step forward

    def pass_by(self) -> None:
        """Step over a row that is in no lane."""
        self.of.append(-1)
        self.round.append(NO_ROUND)
        self._way_out.append(-1)

    def place(self, row: int, state: Pointer, parent_row: int) -> Session:
        """Place an agent event whose pointer was judged; return its session."""
        if state is Pointer.OK:
            lane = self._for_child(row, parent_row)
            ancestor = parent_row if self.of[parent_row] == lane.key else self._nearest_in(lane, parent_row)
            in_round = self._round(row, lane, ancestor)
            out = self._way_out_of(lane, parent_row, ancestor)
        else:
            lane = self._for_head(row, state)
            in_round, out = self._round_of_head(row, lane, state), -1
        lane.rows.append(row)
        self.of.append(lane.key)
        self.round.append(in_round)
        self._way_out.append(out)
        return lane.home.standing()

    def place_guest(self, row: int, origin: Origin, parent_row: int) -> Session:
        """Place an event of a sub-agent that keeps a ledger of its own: all of them are one lane, declared,
        forked at `origin.fork`. `parent_row` is -1 where the pointer is not ok."""
        lane = self.guest_lanes.get(origin.index) or self._open_for(row, origin)
        actor = self._ledger.columns.actor[row]
        if lane.actor_number == UNSET and self._ledger.owns_lanes(actor):
            self._take_actor(row, lane, actor)
        inside = parent_row >= 0 and self.of[parent_row] == lane.key
        lane.rows.append(row)
        self.of.append(lane.key)
        self.round.append(self._round(row, lane, parent_row if inside else -1))
        self._way_out.append(self._way_out[parent_row] if inside else parent_row)
        return lane.home.standing()

    def _open_for(self, row: int, origin: Origin) -> Lane:
        fork = self._ledger.columns.row_of(origin.fork)
        above = self._by_key[self.of[fork]]
        lane = self.guest_lanes[origin.index] = self._open(row, above.home, UNSET, above, fork)
        self._undo(row).append(partial(self.guest_lanes.pop, origin.index))
        return lane

    def _for_child(self, row: int, parent_row: int) -> Lane:
        if parent_row in self._follow_ups:
            self._becomes_sub_lane(parent_row, row)
        lane = self._by_key[self.of[parent_row]]
        actor = self._ledger.columns.actor[row]
        if not self._ledger.owns_lanes(actor):
            return lane
        if self._ledger.columns.kind[row] == _PROMPT:
            return self._for_prompt(row, parent_row, lane, actor)
        return self._for_call(row, parent_row, lane, actor)

    def _for_prompt(self, row: int, parent_row: int, lane: Lane, actor: int) -> Lane:
        if lane.actor_number not in (UNSET, actor):
            return self._open(row, lane.home, actor, lane, parent_row)
        self._follow_ups.add(row)
        self._undo(row).append(partial(self._follow_ups.discard, row))
        return lane

    def _for_call(self, row: int, parent_row: int, lane: Lane, actor: int) -> Lane:
        if lane.actor_number == actor:
            return lane
        if lane.actor_number == UNSET:
            self._take_actor(row, lane, actor)
            return lane
        return self._above(lane, actor) or self._sub_of(row, parent_row, lane, actor)

    def _above(self, lane: Lane, actor: int) -> Lane | None:
        above = lane.above if self._with_actor.get(actor) else None
        while above is not None and above.actor_number != actor:
            above = above.above
        return above

    def _sub_of(self, row: int, parent_row: int, lane: Lane, actor: int) -> Lane:
        sub = lane.subs.get(actor)
        if sub is None:
            sub = lane.subs[actor] = self._open(row, lane.home, actor, lane, parent_row)
            self._undo(row).append(partial(lane.subs.pop, actor))
        return sub

    def _for_head(self, row: int, state: Pointer) -> Lane:
        actor = self._ledger.columns.actor[row]
        owner = actor if self._ledger.owns_lanes(actor) else UNSET
        missing = self._ledger.columns.parent[row] if state.names_missing else None
        group = None if missing is None else self._groups.get(missing)
        session = self._ledger.session_book.for_head(
            row, state, group.session if group else None, self._undo(row)
        )
        if group is not None:
            return self._join(row, group, session, owner)
        lane = self._open(row, session, owner, None, None)
        if missing is not None:
            self._groups[missing] = _Group(session, lane, {} if owner == UNSET else {owner: lane})
            self._undo(row).append(partial(self._groups.pop, missing))
        return lane

    def _join(self, row: int, group: _Group, session: Session, owner: int) -> Lane:
        first = group.first
        if owner in (UNSET, first.actor_number):
            return first
        if first.actor_number == UNSET:
            self._take_actor(row, first, owner)
            return first
        lane = group.by_actor.get(owner)
        if lane is None:
            lane = group.by_actor[owner] = self._open(row, session, owner, None, None)
            self._undo(row).append(partial(group.by_actor.pop, owner))
        return lane

    def _open(self, row: int, home: Session, actor: int, above: Lane | None, fork: int | None) -> Lane:
        lane = Lane(key=len(self._by_key), opener=row, home=home, above=above, fork=fork)
        self._by_key.append(lane)
        self._set_actor(lane, actor)
        place = len(self.in_order)
        if self.in_order and self.in_order[-1].opener > row:
            place = bisect_left(self.in_order, row, key=lambda each: each.opener)
        self.in_order.insert(place, lane)
        self._number(place)
        add_lane(home, lane)
        self._undo(row).append(partial(self._close, lane))
        return lane

    def _number(self, start: int) -> None:
        for number in range(start, len(self.in_order)):
            self.in_order[number].id = number

    def _close(self, lane: Lane) -> None:
        self._set_actor(lane, UNSET)
        self._by_key.pop()
        place = lane.id
        del self.in_order[place]
        self._number(place)
        lane.home.own.remove(lane)

    def _take_actor(self, row: int, lane: Lane, actor: int) -> None:
        self._set_actor(lane, actor)
        self._undo(row).append(partial(self._set_actor, lane, UNSET))

    def _set_actor(self, lane: Lane, actor: int) -> None:
        if lane.actor_number != UNSET:
            self._with_actor[lane.actor_number] -= 1
        if actor != UNSET:
            self._with_actor[actor] = self._with_actor.get(actor, 0) + 1
        lane.actor_number = actor
        lane.actor = None if actor == UNSET else self._ledger.columns.names[actor]

    def _becomes_sub_lane(self, prompt: int, child: int) -> None:
        """The first child of a follow-up shows that it began a lane of its own (§3 rule 2)."""
        lane = self._by_key[self.of[prompt]]
        was_in_round = self.round[prompt]
        del lane.rows[bisect_left(lane.rows, prompt)]
        self._follow_ups.discard(prompt)
        fork = self._ledger.parent_rows[prompt]
        sub = self._open(prompt, lane.home, self._ledger.columns.actor[prompt], lane, fork)
        self._log.setdefault(child, []).append(self._undo(prompt).pop())
        sub.rows.append(prompt)
        self.of[prompt] = sub.key
        self.round[prompt] = NO_ROUND
        was_way_out, self._way_out[prompt] = self._way_out[prompt], fork
        self._undo(child).append(partial(self._follows_up_again, prompt, lane, was_in_round, was_way_out))
        self._ledger.reshaped()

    def _follows_up_again(self, prompt: int, lane: Lane, in_round: int, way_out: int) -> None:
        insort(lane.rows, prompt)
        self.of[prompt] = lane.key
        self.round[prompt] = in_round
        self._way_out[prompt] = way_out
        self._follow_ups.add(prompt)

    # rounds

    def _round_of_head(self, row: int, lane: Lane, state: Pointer) -> int:
        if state.names_missing:
            return self._code(self._ledger.columns.parent[row])
        return NO_ROUND if lane.opener == row else lane.opener

    def _round(self, row: int, lane: Lane, ancestor: int) -> int:
        """The round of a row whose nearest ancestor in its lane is known (-1 if it has none)."""
        if lane.opener == row:
            return NO_ROUND
        if ancestor < 0:
            return lane.opener
        if self._ledger.columns.kind[ancestor] == _INFERENCE:
            return ancestor
        return lane.opener if self.round[ancestor] == NO_ROUND else self.round[ancestor]

    def _nearest_in(self, lane: Lane, row: int) -> int:
        """The nearest of `row` and its ancestors that is in `lane`, -1 if none is. `row` is in the lane
        above, or in one below."""
        if lane.above is not None and self.of[row] == lane.above.key:
            return self._walk_to(lane, row)
        while row >= 0 and self.of[row] != lane.key:
            row = self._way_out[row]
        return row

    def _way_out_of(self, lane: Lane, parent_row: int, ancestor: int) -> int:
        """Where the walk along parents leaves a lane and those below it: a row of the lane above. It is
        kept per event, since §3 rule 3 lets a lane be entered at several places."""
        if lane.above is not None and self.of[parent_row] == lane.above.key:
            return parent_row
        return -1 if ancestor < 0 else self._way_out[ancestor]

    def _walk_to(self, lane: Lane, row: int) -> int:
        """A sub-lane's event hangs from the lane above: look behind it for one of the sub-lane. Every
        row is passed once per lane, whatever the number of such events."""
        walked, parents = [], self._ledger.parent_rows
        while row >= 0 and row not in lane.passed and self.of[row] != lane.key:
            walked.append(row)
            row = parents[row] if row > lane.opener else -1
        found = lane.passed.get(row, row)
        lane.passed.update(dict.fromkeys(walked, found))
        return found

    def _code(self, missing: int) -> int:
        code = self._codes.get(missing)
        if code is None:
            self._missing.append(missing)
            code = self._codes[missing] = -1 - len(self._missing)
        return code

    # and back

    def _undo(self, row: int) -> list[Undo]:
        return self._log.setdefault(row, [])

    def step_back(self) -> Session | None:
        """Undo the last row's step; return the session whose counts it changed."""
        row = len(self.of) - 1
        key = self.of[row]
        session = None
        if key >= 0:
            lane = self._by_key[key]
            session = lane.home.standing()
            lane.rows.pop()
            for each in lane.chain():
                each.passed.clear()
        for undo in reversed(self._log.pop(row, ())):
            undo()
        self.of.pop()
        self.round.pop()
        self._way_out.pop()
        return session
