"""What a rewind to N carries away, by which rules, and why (CAUSALITY §7, SPEC §3)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from korg_tui.causal.edges import Weave, weave
from korg_tui.causal.ledger import Ledger
from korg_tui.causal.pointers import Pointer
from korg_tui.causal.reach import Reach, usable
from korg_tui.event import Kind

_Step = tuple[int, int]


class NoSuchEvent(LookupError):
    """N is no agent event of the ledger. `nearest` are the seqs of those before and after it."""

    def __init__(self, seq: int, nearest: tuple[int, ...], *, governance: bool = False) -> None:
        self.seq, self.nearest = seq, nearest
        what = "is a governance event" if governance else "is not in the ledger"
        near = " and ".join(str(each) for each in nearest)
        hint = f"; the nearest agent events are {near}" if len(nearest) > 1 else ""
        hint = f"; the nearest agent event is {near}" if len(nearest) == 1 else hint
        super().__init__(f"{seq} {what}{hint}")


class NoDecision(LookupError):
    """There is no parent to rewind to before this event: its pointer is not ok."""

    def __init__(self, seq: int, pointer: Pointer) -> None:
        self.seq, self.pointer = seq, pointer
        super().__init__(f"nothing in the ledger led to {seq} ({pointer.word}); name an event to keep")


class Rewind:
    """A rewind that nobody carried out. Five sets hold all agent events of the ledger, seqs ascending.

    What is in none of the four sets below is kept. Each is worked out when somebody looks at it.
    """

    def __init__(
        self, ledger: Ledger, target: int, woven: Weave | None, certain: Reach | None, every: Reach | None
    ) -> None:
        self.target = target
        self._ledger = ledger
        self._weave = woven
        self._certain = certain
        self._all = every
        self._last_steps: dict[int, tuple[_Step, int]] = {}

    @cached_property
    def invalidated(self) -> tuple[int, ...]:
        """What §3 calls invalid."""
        seqs = self._ledger.seq
        if self._certain is None:
            return tuple([seqs[row] for row in range(len(self._ledger)) if self._ledger.head_at(row) >= 0])
        return tuple([seqs[row] for row in self._certain.rows])

    @cached_property
    def possible(self) -> tuple[int, ...]:
        """What it may call invalid: the ledger leaves it open."""
        if self._certain is None or self._all is None or self._all is self._certain:
            return ()
        return tuple([self._ledger.seq[row] for row in self._all.rows if row not in self._certain])

    @cached_property
    def dropped(self) -> tuple[int, ...]:
        """Invalidated and possible events."""
        if self._certain is None or self._all is None or not self.possible:
            return self.invalidated
        return tuple([self._ledger.seq[row] for row in self._all.rows])

    @property
    def unknown(self) -> tuple[int, ...]:
        """Later events that are not dropped, and whose cause is not in the ledger."""
        return self._left[0]

    @property
    def independent(self) -> tuple[int, ...]:
        """Later events with no recorded dependence."""
        return self._left[1]

    @cached_property
    def _left(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return ((), ()) if self._all is None else _not_reached(self._ledger, self._all)

    def state(self, seq: int) -> str:
        """`kept`, `invalidated`, `possible`, `unknown` or `independent`."""
        row = self._ledger.row_of(seq)
        if self._certain is None or self._all is None:
            return "kept" if seq == self.target else "invalidated"
        if row is None:
            return "kept" if seq <= self.target else "independent"
        if row <= self._all.start:
            return "kept"
        if row in self._all:
            return "invalidated" if row in self._certain else "possible"
        head = self._ledger.head_at(row)
        lost = head > self._all.start and not self._ledger.pointer_at(head).begins
        return "unknown" if lost else "independent"

    def rules(self, seq: int) -> tuple[int, ...]:
        """The rules by which a dropped event goes, ascending; none for other events and for target 0."""
        row = self._dropped_row(seq)
        if row is None or self._weave is None or self._all is None:
            return ()
        edges = {rule for rule, _ in _Sources(self._weave, self._all, certain=False).of(row)}
        here = self._ledger.lane_at(row)
        began = any(lane.above and lane.opener in self._all for lane in (here.chain() if here else ()))
        return tuple(sorted(edges | {3} if began else edges))

    def reason(self, seq: int) -> _Step | None:
        """The most telling edge that drops an event, `(rule, seq)` of where it comes from: of the largest
        rule, from the smallest seq. Cheaper than `why`, of which it need not be the last step."""
        reasons = self.reasons(seq)
        return reasons[-1] if reasons else None

    def reasons(self, seq: int) -> tuple[_Step, ...]:
        """An edge for each rule by which an event goes, `(rule, seq)` of where it comes from, rules
        ascending. Certain edges where it is invalidated."""
        row, reach = self._dropped_row(seq), self._reach_of(seq)
        if row is None or reach is None or self._weave is None:
            return ()
        first: dict[int, int] = {}
        for rule, source in _Sources(self._weave, reach, certain=reach.certain).of(row):
            first[rule] = min(source, first.get(rule, source))
        return tuple((rule, self._ledger.seq[first[rule]]) for rule in sorted(first))

    def why(self, seq: int) -> tuple[_Step, ...]:
        """A shortest chain of reasons from the target to a dropped event, as `(rule, seq)` pairs."""
        row, reach = self._dropped_row(seq), self._reach_of(seq)
        if row is None or reach is None or self._weave is None:
            return ()
        steps: list[_Step] = []
        while row != reach.start:
            step, row = self._last_step(row, reach, self._weave)
            steps.append(step)
        return tuple(reversed(steps))

    def _last_step(self, row: int, reach: Reach, woven: Weave) -> tuple[_Step, int]:
        """The step to a row in the chain of reasons, and the row before it. Each is found once."""
        key = row if reach is self._certain else ~row
        found = self._last_steps.get(key)
        if found is None:
            nearer = _Sources(woven, reach, certain=reach.certain, steps=reach.distance[row] - 1)
            rule, before = min(nearer.of(row))
            found = self._last_steps[key] = ((rule, self._ledger.seq[row]), before)
        return found

    @property
    def why_steps(self) -> int:
        """How many steps the chains of all dropped events have together."""
        if self._certain is None or self._all is None:
            return 0
        invalid = sum(self._certain.distance.values())
        if self._all is self._certain:
            return invalid
        return invalid + sum(n for row, n in self._all.distance.items() if row not in self._certain)

    def _reach_of(self, seq: int) -> Reach | None:
        """The reach along certain edges for what is invalidated, along all of them for what is possible."""
        row = self._ledger.row_of(seq)
        invalid = row is not None and self._certain is not None and row in self._certain
        return self._certain if invalid else self._all

    def _dropped_row(self, seq: int) -> int | None:
        row = self._ledger.row_of(seq)
        if row is None or self._all is None or row == self._all.start or row not in self._all:
            return None
        return row


def rewind(ledger: Ledger, seq: int, *, before: bool = False) -> Rewind:
    """What a rewind to `seq` carries away; with `before`, a rewind to its parent.

    `seq` 0 invalidates everything, unless the ledger has an event 0. Raises `NoSuchEvent` when `seq` is no
    agent event, `NoDecision` when `before` is asked of an event without a parent in the ledger.
    """
    row = ledger.row_of(seq)
    if row is None and seq == 0 and not before:
        return nothing_kept(ledger)
    if row is None or not Kind(ledger.kind[row]).agent:
        raise NoSuchEvent(seq, nearest(ledger, seq), governance=row is not None)
    if before:
        row = ledger.parent_row(row)
        if row < 0:
            raise NoDecision(seq, ledger.pointer_at(ledger.row_of(seq) or 0))
    session = ledger.session_at(row)
    assert session is not None
    woven = weave(ledger, session)
    certain = Reach(woven, row, certain=True)
    every = Reach(woven, row, certain=False) if woven.doubtful else certain
    return Rewind(ledger, ledger.seq[row], woven, certain, every)


def nothing_kept(ledger: Ledger) -> Rewind:
    """A rewind that carries everything away, whatever numbers the ledger has."""
    return Rewind(ledger, 0, None, None, None)


def nearest(ledger: Ledger, seq: int) -> tuple[int, ...]:
    """The agent events just before and after a seq."""
    place = ledger.columns.first_from(seq)
    found = []
    for rows in (range(place - 1, -1, -1), range(place, len(ledger))):
        row = next((row for row in rows if _is_own(ledger, row) and ledger.seq[row] != seq), None)
        if row is not None:
            found.append(ledger.seq[row])
    return tuple(found)


def _is_own(ledger: Ledger, row: int) -> bool:
    return Kind(ledger.kind[row]).agent and row not in ledger.columns.guests


def _not_reached(ledger: Ledger, reach: Reach) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The later events that are not reached: those whose cause is unknown, and the others."""
    seqs, heads, start = ledger.seq, ledger.heads, reach.start
    later_heads = set(heads[start + 1 :])
    lost = {head for head in later_heads if head > start and not ledger.pointer_at(head).begins}
    left = [row for row in range(start + 1, len(ledger)) if heads[row] >= 0 and row not in reach]
    if not lost:
        return (), tuple([seqs[row] for row in left])
    unknown = tuple([seqs[row] for row in left if heads[row] in lost])
    return unknown, tuple([seqs[row] for row in left if heads[row] not in lost])


class _Sources:
    """Where the edges into a dropped event come from, among the target and the dropped events, or among
    those that are `steps` edges from the target. Of a whole sub-tree the smallest row stands for all."""

    def __init__(self, woven: Weave, reach: Reach, *, certain: bool, steps: int | None = None) -> None:
        self._woven = woven
        self._reach = reach
        self._certain = certain
        self._steps = steps

    def of(self, row: int) -> Iterator[_Step]:
        """`(rule, source)`, with the rule that the edge counts as."""
        woven, ledger = self._woven, self._woven.ledger
        if self._holds(ledger.parent_row(row)):
            yield 1, ledger.parent_row(row)
        for read in woven.consumed_by(row):
            if self._certain and not woven.surely_consumed(read, row):
                continue
            if self._holds(read):
                yield self._counts_as(read), read
            yield from self._below(read, min(read, row), 4)
        yield from self._below(row, row, 2)
        here = ledger.lane_at(row)
        if here is not None and here.opener == row:
            for link in woven.lane_links(here):
                if link.call < row and self._holds(link.call) and usable(link, self._certain):
                    yield 3, link.call

    def _holds(self, row: int) -> bool:
        if self._steps is None:
            return row in self._reach
        return self._reach.distance.get(row) == self._steps

    def _counts_as(self, read: int) -> int:
        """Reading what a spawn call returned is rule 4, unless the call is N (§7)."""
        return 4 if read != self._reach.start and self._woven.is_linked(read) else 2

    def _below(self, call: int, limit: int, rule: int) -> Iterator[_Step]:
        """The edges from what the lanes did that a call started."""
        for lane, link in self._woven.linked_lanes(call):
            if self._steps is None:
                first = self._reach.first_below.get(lane.key)
            else:
                first = self._reach.first_at.get((lane.key, self._steps))
            if first is not None and first < limit and usable(link, self._certain):
                yield rule, first
