"""What a rewind to N carries away, by which rules, and why (CAUSALITY §7, SPEC §3)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from korg_tui.causal.edges import Weave, weave
from korg_tui.causal.ledger import Ledger
from korg_tui.causal.links import Link
from korg_tui.causal.pointers import Pointer
from korg_tui.event import Kind

_Step = tuple[int, int]
_INFERENCE, _BOOKKEEPING = int(Kind.INFERENCE), int(Kind.BOOKKEEPING)


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
        super().__init__(f"nothing in the ledger led to {seq} ({pointer.word}): name an event to keep instead")


@dataclass(slots=True)
class _Reach:
    """Who is reached from N: row → number of edges. `lane_first` is, for a lane with those below it and a
    distance, the smallest row reached at that distance; `lane_any` is that for any distance."""

    distance: dict[int, int]
    lane_first: dict[tuple[int, int], int] = field(default_factory=dict)
    lane_any: dict[int, int] = field(default_factory=dict)


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
    _row: int = field(repr=False)
    _certain: _Reach = field(repr=False)
    _all: _Reach = field(repr=False)
    _unknown: frozenset[int] = field(repr=False)

    @property
    def dropped(self) -> tuple[int, ...]:
        """Invalidated and possible events, ascending."""
        return tuple(sorted(self.invalidated + self.possible))

    def state(self, seq: int) -> str:
        """`kept`, `invalidated`, `possible`, `unknown` or `independent`."""
        if seq <= self.target:
            return "kept"
        row = self._ledger.row_of(seq)
        if self._weave is None or row in self._certain.distance:
            return "invalidated"
        if row in self._all.distance:
            return "possible"
        return "unknown" if seq in self._unknown else "independent"

    def rules(self, seq: int) -> tuple[int, ...]:
        """The rules by which a dropped event goes, ascending; none for other events and for target 0."""
        row = self._dropped_row(seq)
        if row is None or self._weave is None:
            return ()
        return tuple(sorted({rule for rule, _ in _rule_sources(self._weave, self._all, row, self._row)}))

    def why(self, seq: int) -> tuple[_Step, ...]:
        """A shortest chain of reasons from the target to a dropped event, as `(rule, seq)` pairs."""
        row = self._dropped_row(seq)
        if row is None or self._weave is None:
            return ()
        certain = row in self._certain.distance
        reach = self._certain if certain else self._all
        steps: list[_Step] = []
        while row != self._row:
            rule, before = min(_nearer(self._weave, reach, row, self._row, certain))
            steps.append((rule, self._ledger.seq[row]))
            row = before
        return tuple(reversed(steps))

    def _dropped_row(self, seq: int) -> int | None:
        row = self._ledger.row_of(seq)
        return row if row in self._all.distance and row != self._row else None


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
    rows = [row for row in range(len(ledger)) if Kind(ledger.kind[row]).agent]
    seqs = tuple(ledger.seq[row] for row in rows)
    nothing = _Reach({})
    return Rewind(0, seqs, (), (), (), ledger, None, -1, nothing, _Reach(dict.fromkeys(rows, 1)), frozenset())


def _rewind(ledger: Ledger, woven: Weave, row: int) -> Rewind:
    certain = _reach(woven, row, certain=True)
    every = _reach(woven, row, certain=False) if woven.doubtful else certain
    later_heads = set(ledger.heads[row + 1 :])
    lost = {head for head in later_heads if head > row and not ledger.pointer_at(head).begins}
    unknown: list[int] = []
    independent: list[int] = []
    seqs, heads, reached = ledger.seq, ledger.heads, every.distance
    for later in range(row + 1, len(ledger)):
        if later not in reached and heads[later] >= 0:
            (unknown if heads[later] in lost else independent).append(seqs[later])
    invalidated = sorted(seqs[each] for each in certain.distance if each != row)
    possible = sorted(seqs[each] for each in reached if each not in certain.distance)
    return Rewind(
        seqs[row], tuple(invalidated), tuple(possible), tuple(unknown), tuple(independent),
        ledger, woven, row, certain, every, frozenset(unknown),
    )  # fmt: skip


def _reach(woven: Weave, start: int, *, certain: bool) -> _Reach:
    """Breadth first from a row over later rows."""
    search = _Search(woven, start, certain)
    frontier, steps = [start], 0
    while frontier:
        steps += 1
        search.found = []
        for row in frontier:
            search.follow(row)
        frontier = search.found
        for row in frontier:
            search.distance[row] = steps
    reach = _Reach(search.distance)
    if woven.links.of:
        for row, distance in search.distance.items():
            _note_lanes(woven, reach, row, distance)
    return reach


def _note_lanes(woven: Weave, reach: _Reach, row: int, steps: int) -> None:
    here = woven.ledger.lane_at(row)
    for lane in here.chain() if here else ():
        key = lane.key
        reach.lane_any[key] = min(row, reach.lane_any.get(key, row))
        reach.lane_first[key, steps] = min(row, reach.lane_first.get((key, steps), row))


class _Search:
    """One breadth-first search. What a round or a lane leads to is followed once, not once per event."""

    def __init__(self, woven: Weave, start: int, certain: bool) -> None:
        self.distance = {start: 0}
        self.found: list[int] = []
        self._woven = woven
        self._ledger = woven.ledger
        self._start = start
        self._certain = certain
        self._rounds_read: dict[tuple[int, int], int] = {}
        self._returned: set[int] = set()

    def follow(self, row: int) -> None:
        """Find what hangs from a row."""
        child = self._ledger.last_child(row)
        while child >= 0:
            self._reached(child)
            child = self._ledger.previous_sibling(child)
        self._follow_readers(row)
        links = self._woven.links
        if row in links.lanes:
            self._follow_spawn(row)
        if links.of:
            here = self._ledger.lane_at(row)
            for lane in here.chain() if here else ():
                for link in links.of.get(lane.key, ()):
                    self._follow_return(row, link)

    def _reached(self, row: int) -> None:
        if row > self._start and row not in self.distance:
            self.distance[row] = -1
            self.found.append(row)

    def _follow_readers(self, row: int) -> None:
        book, kind = self._ledger.lane_book, self._ledger.kind[row]
        if kind == _INFERENCE or (self._certain and kind == _BOOKKEEPING):
            return
        key = book.of[row], book.round[row]
        read = self._rounds_read.get(key)
        if read is not None and (read <= row or not self._certain):
            return
        self._rounds_read[key] = row
        for reader in self._woven.consumers_of(row):
            if not self._certain or self._woven.surely_consumed(row, reader):
                self._reached(reader)

    def _follow_spawn(self, call: int) -> None:
        for lane, link in self._woven.linked_lanes(call):
            if call < lane.opener and _usable(link, self._certain):
                self._reached(lane.opener)

    def _follow_return(self, row: int, link: Link) -> None:
        call = link.call
        if call < row or call in self._returned or not _usable(link, self._certain):
            return
        readers = self._woven.consumers_of(call)
        self._reached(call)
        for reader in readers:
            if reader > row and (not self._certain or self._woven.surely_consumed(call, reader)):
                self._reached(reader)
        if not readers or readers[0] > call:
            self._returned.add(call)


def _rule_sources(woven: Weave, reach: _Reach, row: int, target: int) -> Iterator[_Step]:
    """`(rule, source)` of the edges into a dropped event from the target or a dropped one, one per rule and
    kind of edge, and rule 3 for what is in a sub-lane that began among them."""
    ledger, inside = woven.ledger, reach.distance
    if ledger.parent_row(row) in inside:
        yield 1, ledger.parent_row(row)
    for read in woven.consumed_by(row):
        if read in inside:
            yield _counts_as(woven, read, target), read
        for lane, _link in woven.linked_lanes(read):
            if reach.lane_any.get(lane.key, row) < min(read, row):
                yield 4, reach.lane_any[lane.key]
    for lane, _link in woven.linked_lanes(row):
        if reach.lane_any.get(lane.key, row) < row:
            yield 2, reach.lane_any[lane.key]
    here = ledger.lane_at(row)
    for lane in here.chain() if here else ():
        if lane.above is not None and lane.opener in inside:
            yield 3, lane.opener
    if here is not None and here.opener == row:
        calls = [link.call for link in woven.lane_links(here)]
        yield from ((3, call) for call in calls if call < row and call in inside)


def _counts_as(woven: Weave, read: int, target: int) -> int:
    """The rule of a consumption: reading what a spawn call returned is rule 4, unless the call is N (§7)."""
    return 4 if read != target and woven.linked_lanes(read) else 2


def _nearer(woven: Weave, reach: _Reach, row: int, target: int, certain: bool) -> Iterator[_Step]:
    """`(rule, source)` of the edges into a row from rows one edge nearer to the target."""
    ledger, steps = woven.ledger, reach.distance[row] - 1
    at = reach.distance
    if at.get(ledger.parent_row(row)) == steps:
        yield 1, ledger.parent_row(row)
    for read in woven.consumed_by(row):
        sure = woven.surely_consumed(read, row)
        if at.get(read) == steps and (sure or not certain):
            yield _counts_as(woven, read, target), read
        if sure or not certain:
            yield from _nearer_below(woven, reach, read, min(read, row), steps, certain, 4)
    yield from _nearer_below(woven, reach, row, row, steps, certain, 2)
    here = ledger.lane_at(row)
    if here is not None and here.opener == row:
        for link in woven.lane_links(here):
            if link.call < row and at.get(link.call) == steps and _usable(link, certain):
                yield 3, link.call


def _nearer_below(
    woven: Weave, reach: _Reach, call: int, limit: int, steps: int, certain: bool, rule: int
) -> Iterator[_Step]:
    for lane, link in woven.linked_lanes(call):
        first = reach.lane_first.get((lane.key, steps))
        if first is not None and first < limit and _usable(link, certain):
            yield rule, first


def _usable(link: Link, certain: bool) -> bool:
    return link.certain or not certain
