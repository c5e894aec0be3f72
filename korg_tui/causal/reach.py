"""Who is reached from N: a sweep over later rows, and, for reasons, a breadth-first search (CAUSALITY §7)."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from korg_tui.causal.edges import Weave
from korg_tui.causal.links import Link
from korg_tui.event import Kind

_INFERENCE, _BOOKKEEPING = int(Kind.INFERENCE), int(Kind.BOOKKEEPING)


class Reach:
    """What depends on `start` (a row), along certain edges only or along all of them.

    Whether a row is reached costs one step per later row of the session. How far it is, in edges, takes a
    search of its own, which nobody pays for who does not ask why.
    """

    def __init__(self, woven: Weave, start: int, *, certain: bool) -> None:
        self._woven = woven
        self.start = start
        self.certain = certain
        self.rows = _Sweep(woven, start, certain).reached()
        """The rows that are reached, without `start`, ascending."""
        self._inside = {start, *self.rows}

    def __contains__(self, row: int) -> bool:
        """Whether a row is `start` or reached from it."""
        return row in self._inside

    @cached_property
    def first_below(self) -> dict[int, int]:
        """Lane key → the smallest row reached, `start` too, in that lane and those below it."""
        first: dict[int, int] = {}
        for row in (self.start, *self.rows):
            here = self._woven.ledger.lane_at(row)
            for lane in here.chain() if here else ():
                first[lane.key] = min(row, first.get(lane.key, row))
        return first

    @cached_property
    def distance(self) -> dict[int, int]:
        """Row → the number of edges from `start`."""
        search = _Search(self._woven, self.start, self.certain)
        frontier, steps = [self.start], 0
        while frontier:
            steps += 1
            frontier = search.step(frontier, steps)
        return search.distance

    @cached_property
    def first_at(self) -> dict[tuple[int, int], int]:
        """(lane key, distance) → the smallest row at that distance in that lane and those below it."""
        first: dict[tuple[int, int], int] = {}
        for row, steps in self.distance.items():
            here = self._woven.ledger.lane_at(row)
            for lane in here.chain() if here else ():
                first[lane.key, steps] = min(row, first.get((lane.key, steps), row))
        return first


class _Sweep:
    """One pass over the later rows: every edge but that of a late sibling goes forward.

    `_hit` has a place for every row, and one for "no row" (-1); `_read` says the same of the rounds that
    something reached is in, by the row of their inference or opener.
    """

    def __init__(self, woven: Weave, start: int, certain: bool) -> None:
        self._woven = woven
        self._start = start
        self._certain = certain
        self._hit = bytearray(len(woven.ledger) + 1)
        self._read = bytearray(len(woven.ledger) + 1)
        self._missing_read: set[tuple[int, int]] = set()
        self._lanes: set[int] = set()
        self._openers: set[int] = set()

    def reached(self) -> list[int]:
        rows, hit, read = self._woven.rows, self._hit, self._read
        ledger, links = self._woven.ledger, self._woven.links
        parents, kinds, rounds = ledger.parent_rows, ledger.kind, ledger.lane_book.round
        linked, certain = bool(links.of), self._certain
        for row in (self._start, *rows[bisect_right(rows, self._start) :]):
            in_round, kind = rounds[row], kinds[row]
            if not (
                hit[parents[row]]
                or (kind == _INFERENCE and (read[in_round] if in_round >= 0 else self._is_read(row)))
                or (linked and self._is_returned_or_started(row))
                or row == self._start
            ):
                continue
            hit[row] = 1
            if kind != _INFERENCE and not (certain and kind == _BOOKKEEPING):
                if in_round >= 0:
                    read[in_round] = 1
                elif not certain:
                    self._missing_read.add(self._woven.round_key(row))
            if linked:
                self._note_lanes(row)
        if not certain and self._woven.late:
            self._follow_late()
        return [row for row in rows if row > self._start and hit[row]]

    def _is_read(self, row: int) -> bool:
        return self._woven.round_key(row) in self._missing_read

    def _is_returned_or_started(self, row: int) -> bool:
        return row in self._openers or any(
            lane.key in self._lanes and usable(link, self._certain)
            for lane, link in self._woven.linked_lanes(row)
        )

    def _note_lanes(self, row: int) -> None:
        here = self._woven.ledger.lane_at(row)
        for lane in here.chain() if here else ():
            if lane.key in self._lanes:
                break
            self._lanes.add(lane.key)
        for lane, link in self._woven.linked_lanes(row):
            if row < lane.opener and usable(link, self._certain):
                self._openers.add(lane.opener)

    def _follow_late(self) -> None:
        """A late sibling may have been read by an inference before it: search on from those."""
        search = _Search(self._woven, self._start, certain=False)
        reached = [row for row in self._woven.rows if row >= self._start and self._hit[row]]
        search.distance = dict.fromkeys(reached, 0)
        frontier = search.step([row for row in reached if row in self._woven.late], 1)
        while frontier:
            for row in frontier:
                self._hit[row] = 1
            frontier = search.step(frontier, 1)


class _Search:
    """One breadth-first search. What a round or a lane leads to is followed once, not once per event."""

    def __init__(self, woven: Weave, start: int, certain: bool) -> None:
        self.distance = {start: 0}
        self._found: list[int] = []
        self._woven = woven
        self._ledger = woven.ledger
        self._start = start
        self._certain = certain
        self._rounds_read: dict[tuple[int, int], int] = {}
        self._returned: set[int] = set()

    def step(self, frontier: list[int], steps: int) -> list[int]:
        """The rows one edge further than `frontier`, which are `steps` edges from the start."""
        self._found = []
        for row in frontier:
            self._follow(row)
        for row in self._found:
            self.distance[row] = steps
        return self._found

    def _follow(self, row: int) -> None:
        child = self._ledger.last_child(row)
        while child >= 0:
            self._reached(child)
            child = self._ledger.previous_sibling(child)
        self._follow_readers(row)
        links = self._woven.links
        if self._woven.is_linked(row):
            self._follow_spawn(row)
        if links.of:
            here = self._ledger.lane_at(row)
            for lane in here.chain() if here else ():
                for link in links.of.get(lane.key, ()):
                    self._follow_return(row, link)

    def _reached(self, row: int) -> None:
        if row > self._start and row not in self.distance:
            self.distance[row] = -1
            self._found.append(row)

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
            if call < lane.opener and usable(link, self._certain):
                self._reached(lane.opener)

    def _follow_return(self, row: int, link: Link) -> None:
        call = link.call
        if call < row or call in self._returned or not usable(link, self._certain):
            return
        readers = self._woven.consumers_of(call)
        self._reached(call)
        for reader in readers:
            if reader > row and (not self._certain or self._woven.surely_consumed(call, reader)):
                self._reached(reader)
        if not readers or readers[0] > call:
            self._returned.add(call)


def usable(link: Link, certain: bool) -> bool:
    """Whether an edge that rests on this link counts: possible ones do not where only certain ones do."""
    return link.certain or not certain
