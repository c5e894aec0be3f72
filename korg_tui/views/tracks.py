"""Tracks: a lane as a line of a chart, and the window through which it is seen, cell by cell.

What a cell shows is found by binary search, however many events there are.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from korg_tui.views.axis import Axis, merged
from korg_tui.views.axis import Span as Between
from korg_tui.views.spent import Work

IDLE, PAUSED, FAILED = " ", ":", "x"
CODES = {Work.PROMPT: "p", Work.TOOL: "t", Work.INFERENCE: "i", Work.SPAWN: "s", Work.NOTE: "n"}
"""What a cell of a lane shows: the most telling thing that happens in it."""


@dataclass(frozen=True, slots=True)
class Window:
    """The part of the line that is seen, in places of the axis, and over how many cells."""

    begin: float
    end: float
    cells: int

    @property
    def per_cell(self) -> float:
        """What a cell holds."""
        return (self.end - self.begin) / max(self.cells, 1)

    def edge(self, cell: int) -> float:
        """The place where a cell begins."""
        return self.begin + cell * self.per_cell

    def cell(self, place: float) -> int:
        """The cell of a place, which may lie beside the window; the very end belongs to the last cell."""
        if place == self.end:
            return self.cells - 1
        return math.floor((place - self.begin) / self.per_cell)


@dataclass(slots=True)
class Track:
    """Stretches of one kind of work in one lane, ascending, without overlap."""

    begins: array[float] = field(default_factory=lambda: array("d"))
    ends: array[float] = field(default_factory=lambda: array("d"))

    @classmethod
    def of(cls, spans: Sequence[Between]) -> Track:
        joined = merged(spans)
        return cls(array("d", [begin for begin, _ in joined]), array("d", [end for _, end in joined]))

    def meets(self, begin: float, end: float) -> bool:
        """Whether something of it lies from `begin` to before `end`."""
        number = bisect_left(self.ends, begin)
        if number < len(self.ends) and self.begins[number] < self.ends[number] == begin:
            number += 1
        return number < len(self.begins) and self.begins[number] < end


@dataclass(frozen=True, slots=True, eq=False)
class LaneLine:
    """One lane as a line of the chart."""

    id: int
    """The lane's id, `OFF_LANES` for the rows that are in none."""
    title: str
    """`1 main`, safe."""
    events: int
    failed: int
    busy_ms: float
    """The sum of its durations, as far as they are known."""
    tracks: tuple[tuple[Work, Track], ...]
    failures: array[float]
    ends: array[float]
    """Where its rows end, ascending."""
    indexes: array[int]
    """Their indexes in the timeline, in the same order."""

    def cells(self, window: Window, axis: Axis) -> str:
        """What each cell of the window shows: one of `CODES`, `FAILED`, `PAUSED`, `IDLE`."""
        last = window.cells - 1
        out = []
        for cell in range(window.cells):
            begin, end = window.edge(cell), window.edge(cell + 1)
            out.append(self._cell(begin, end if cell < last else math.nextafter(window.end, math.inf), axis))
        return "".join(out)

    def _cell(self, begin: float, end: float, axis: Axis) -> str:
        number = bisect_left(self.failures, begin)
        if number < len(self.failures) and self.failures[number] < end:
            return FAILED
        for work, track in self.tracks:
            if track.meets(begin, end):
                return CODES[work]
        return PAUSED if axis.pause_in(begin, end) is not None else IDLE
