"""Axis: moments on a line, so that long pauses take little of it and what happened takes the rest.

A place on the line is a number from 0 to `length`; it grows with time, and between two pauses evenly.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

Span = tuple[float, float]
"""Begin and end, begin <= end: ms since the epoch, or places on the line."""

PAUSE_MS = 10_000
"""What is shorter than this is never pressed together."""

_SHARE = 4
"""A gap is a pause if it is longer than a quarter of all that is kept without it."""
_USUAL = 3
"""Gaps of up to so many times the median are usual, and no pauses."""
_FEW = 3
_ONE_PAUSE, _ALL_PAUSES = 0.06, 0.3
"""What one pause takes at most, and what all take together, of the length of what is kept."""


@dataclass(frozen=True, slots=True)
class Pause:
    """A stretch in which nothing was recorded, pressed together: from `begin` to `end` in ms since the
    epoch, and from `at` to `at + room` on the line."""

    begin: float
    end: float
    at: float
    room: float

    @property
    def ms(self) -> float:
        """How long it was."""
        return self.end - self.begin


class Axis:
    """The line for these stretches, which ascend and do not overlap."""

    def __init__(self, busy: Sequence[Span]) -> None:
        gaps = [later[0] - earlier[1] for earlier, later in pairwise(busy)]
        longest = _longest_kept(sum(end - begin for begin, end in busy), gaps)
        kept = sum(end - begin for begin, end in busy) + sum(gap for gap in gaps if gap <= longest)
        count = sum(gap > longest for gap in gaps)
        room = kept * min(_ONE_PAUSE, _ALL_PAUSES / max(count, 1)) if kept else 1.0
        self._moments, self._places = array("d", [busy[0][0] if busy else 0.0]), array("d", [0.0])
        self.pauses: list[Pause] = []
        for earlier, later in pairwise(busy):
            if later[0] - earlier[1] > longest:
                self._go_on_to(earlier[1])
                self.pauses.append(Pause(earlier[1], later[0], self._places[-1], room))
                self._moments.append(later[0])
                self._places.append(self._places[-1] + room)
        if busy:
            self._go_on_to(busy[-1][1])
        self.length = self._places[-1] or 1.0
        self._pause_ends = array("d", [pause.at + pause.room for pause in self.pauses])

    def _go_on_to(self, moment: float) -> None:
        """At the pace of the clock."""
        self._places.append(self._places[-1] + (moment - self._moments[-1]))
        self._moments.append(moment)

    def place(self, moment: float) -> float:
        """Where a moment stands; before the first one it is 0, after the last one `length`."""
        return _along(self._moments, self._places, moment)

    def moment(self, place: float) -> float:
        """The moment that stands at a place, ms since the epoch."""
        return _along(self._places, self._moments, place)

    def pause_in(self, begin: float, end: float) -> Pause | None:
        """The first pause that takes part of these places."""
        number = bisect_right(self._pause_ends, begin)
        if number < len(self.pauses) and self.pauses[number].at < end:
            return self.pauses[number]
        return None


def _longest_kept(busy_ms: float, gaps: Sequence[float]) -> float:
    """The longest gap that is no pause."""
    ordered = sorted(gaps)
    usual = _USUAL * ordered[len(ordered) // 2] if len(ordered) >= _FEW else 0.0
    kept, longest = busy_ms, max(float(PAUSE_MS), usual)
    for gap in ordered:
        if gap > max(longest, kept / _SHARE):
            break
        kept += gap
        longest = max(longest, gap)
    return longest


def _along(xs: array[float], ys: array[float], x: float) -> float:
    after = bisect_left(xs, x)
    if after == 0:
        return ys[0]
    if after == len(xs):
        return ys[-1]
    width = xs[after] - xs[after - 1]
    part = (x - xs[after - 1]) / width if width else 1.0
    return min(ys[after - 1] + part * (ys[after] - ys[after - 1]), ys[after])


def merged(spans: Iterable[Span]) -> list[Span]:
    """The same stretches, ascending, without overlap."""
    out: list[Span] = []
    for begin, end in sorted(spans):
        if out and begin <= out[-1][1]:
            if end > out[-1][1]:
                out[-1] = (out[-1][0], end)
        else:
            out.append((begin, end))
    return out
