"""What a rewind to N carries away, by which rules, and why (CAUSALITY §7, SPEC §3)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

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


@dataclass(slots=True)
class Rewind:
    """A rewind that nobody carried out. Five sets hold all agent events of the ledger, seqs ascending.

    `invalidated` is what §3 calls invalid, `possible` what it may be; these two are the dropped events.
    `unknown` are later events whose cause is not in the ledger, `independent` are later ones with no
    recorded dependence. What is in none of the four is kept.
    """

    target: int
    invalidated: tuple[int, ...]
    possible: tuple[int, ...]
    unknown: tuple[int, ...]
    independent: tuple[int, ...]
    _ledger: Ledger = field(repr=False)
    _weave: Weave | None = field(repr=False)
    _certain: Reach | None = field(repr=False)
    _all: Reach | None = field(repr=False)

    @property
    def dropped(self) -> tuple[int, ...]:
        """Invalidated and possible events, ascending."""
        return tuple(sorted(self.invalidated + self.possible))

    def state(self, seq: int) -> str:
        """`kept`, `invalidated`, `possible`, `unknown` or `independent`."""
        if seq <= self.target:
            return "kept"
        if self._certain is None or self._all is None:
            return "invalidated"
        row = self._ledger.row_of(seq)
        if row is None:
            return "independent"
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
        return tuple(sorted({rule for rule, _ in _rule_sources(self._weave, self._all, row)}))

    def why(self, seq: int) -> tuple[_Step, ...]:
        """A shortest chain of reasons from the target to a dropped event, as `(rule, seq)` pairs."""
        row = self._dropped_row(seq)
        if row is None or self._weave is None or self._certain is None or self._all is None:
            return ()
        reach = self._certain if row in self._certain else self._all
        steps: list[_Step] = []
        while row != reach.start:
            rule, before = min(_nearer(self._weave, reach, row))
            steps.append((rule, self._ledger.seq[row]))
            row = before
        return tuple(reversed(steps))

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
        return _everything(ledger)
    if row is None or not Kind(ledger.kind[row]).agent:
        raise NoSuchEvent(seq, nearest(ledger, seq), governance=row is not None)
    if before:
        row = ledger.parent_row(row)
        if row < 0:
            raise NoDecision(seq, ledger.pointer_at(ledger.row_of(seq) or 0))
    session = ledger.session_at(row)
    assert session is not None
    return _rewind(ledger, weave(ledger, session), row)


def nearest(ledger: Ledger, seq: int) -> tuple[int, ...]:
    """The agent events just before and after a seq."""
    place = bisect_left(ledger.seq, seq)
    found = []
    for rows in (range(place - 1, -1, -1), range(place, len(ledger))):
        row = next((row for row in rows if Kind(ledger.kind[row]).agent and ledger.seq[row] != seq), None)
        if row is not None:
            found.append(ledger.seq[row])
    return tuple(found)


def _everything(ledger: Ledger) -> Rewind:
    seqs = tuple(ledger.seq[row] for row in range(len(ledger)) if ledger.head_at(row) >= 0)
    return Rewind(0, seqs, (), (), (), ledger, None, None, None)


def _rewind(ledger: Ledger, woven: Weave, row: int) -> Rewind:
    certain = Reach(woven, row, certain=True)
    every = Reach(woven, row, certain=False) if woven.doubtful else certain
    seqs = ledger.seq
    invalidated = tuple(seqs[each] for each in certain.rows)
    possible = tuple(seqs[each] for each in every.rows if each not in certain) if every is not certain else ()
    unknown, independent = _left(ledger, every, row)
    return Rewind(seqs[row], invalidated, possible, unknown, independent, ledger, woven, certain, every)


def _left(ledger: Ledger, reach: Reach, row: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The later events that are not reached: those whose cause is unknown, and the others."""
    seqs, heads = ledger.seq, ledger.heads
    later_heads = set(heads[row + 1 :])
    lost = {head for head in later_heads if head > row and not ledger.pointer_at(head).begins}
    left = [each for each in range(row + 1, len(ledger)) if heads[each] >= 0 and each not in reach]
    if not lost:
        return (), tuple([seqs[each] for each in left])
    unknown = [seqs[each] for each in left if heads[each] in lost]
    return tuple(unknown), tuple([seqs[each] for each in left if heads[each] not in lost])


def _rule_sources(woven: Weave, reach: Reach, row: int) -> Iterator[_Step]:
    """`(rule, source)` of the edges into a dropped event from the target or a dropped one, one per rule and
    kind of edge, and rule 3 for what is in a sub-lane that began among them."""
    ledger, first_below = woven.ledger, reach.first_below
    if ledger.parent_row(row) in reach:
        yield 1, ledger.parent_row(row)
    for read in woven.consumed_by(row):
        if read in reach:
            yield _counts_as(woven, read, reach.start), read
        for lane, _link in woven.linked_lanes(read):
            if first_below.get(lane.key, row) < min(read, row):
                yield 4, first_below[lane.key]
    for lane, _link in woven.linked_lanes(row):
        if first_below.get(lane.key, row) < row:
            yield 2, first_below[lane.key]
    here = ledger.lane_at(row)
    for lane in here.chain() if here else ():
        if lane.above is not None and lane.opener in reach:
            yield 3, lane.opener
    if here is not None and here.opener == row:
        calls = [link.call for link in woven.lane_links(here)]
        yield from ((3, call) for call in calls if call < row and call in reach)


def _counts_as(woven: Weave, read: int, target: int) -> int:
    """The rule of a consumption: reading what a spawn call returned is rule 4, unless the call is N (§7)."""
    return 4 if read != target and woven.linked_lanes(read) else 2


def _nearer(woven: Weave, reach: Reach, row: int) -> Iterator[_Step]:
    """`(rule, source)` of the edges into a row from rows one edge nearer to the target."""
    ledger, at = woven.ledger, reach.distance
    steps = at[row] - 1
    if at.get(ledger.parent_row(row)) == steps:
        yield 1, ledger.parent_row(row)
    for read in woven.consumed_by(row):
        if not (woven.surely_consumed(read, row) or not reach.certain):
            continue
        if at.get(read) == steps:
            yield _counts_as(woven, read, reach.start), read
        yield from _nearer_below(woven, reach, read, min(read, row), steps, 4)
    yield from _nearer_below(woven, reach, row, row, steps, 2)
    here = ledger.lane_at(row)
    if here is not None and here.opener == row:
        for link in woven.lane_links(here):
            if link.call < row and at.get(link.call) == steps and usable(link, reach.certain):
                yield 3, link.call


def _nearer_below(
    woven: Weave, reach: Reach, call: int, limit: int, steps: int, rule: int
) -> Iterator[_Step]:
    for lane, link in woven.linked_lanes(call):
        first = reach.first_at.get((lane.key, steps))
        if first is not None and first < limit and usable(link, reach.certain):
            yield rule, first
