"""TimeChart and TimeRows: lanes against time, and every row's bar below, over one and the same line."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import tzinfo
from itertools import groupby
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from korg_tui.text import crop, pad
from korg_tui.themes import LANE_COLOURS
from korg_tui.views import LaneLine, Timeline, TimeRow, Window, duration, scale, to_ascii
from korg_tui.widgets.lines import LineList

_SIGNS = {"p": "●", "t": "━", "i": "─", "s": "┄", "n": "·", "x": "✗", ":": "╎", " ": " "}
_ASCII = {"p": "*", "t": "=", "i": "-", "s": "~", "n": ".", "x": "x", ":": ":", " ": " "}
_LOOKS = {
    "p": "prompt", "t": "tool", "i": "inference", "s": "spawn", "n": "quiet", "x": "failed", ":": "quiet",
}  # fmt: skip
_WORDS = (("p", "prompt"), ("t", "tool"), ("i", "inference"), ("s", "sub-agents"), ("x", "failed"),
          (":", "pause"))  # fmt: skip

COMPONENTS: frozenset[str] = frozenset(
    f"time--{name}"
    for name in (
        *(
            "prompt",
            "tool",
            "inference",
            "spawn",
            "quiet",
            "failed",
            "name",
            "argument",
            "seq",
            "scale",
            "here",
        ),
        *(f"lane-{number}" for number in range(LANE_COLOURS)),
    )
)

_TOOL_CELLS = 13
_LANE_CELLS = 3
_TAIL_CELLS = 10
_WIDE = 100


@dataclass(frozen=True, slots=True)
class Columns:
    """How many cells there are for what."""

    seq: int
    argument: int
    bars: int

    @classmethod
    def of(cls, width: int, digits: int) -> Columns:
        """The columns of a width; arguments have none where there is little room."""
        seq = max(digits, 3) + 1
        argument = min(44, width // 4) if width >= _WIDE else 0
        bars = width - seq - _LANE_CELLS - 3 - _TOOL_CELLS - argument - _TAIL_CELLS
        return cls(seq, argument, max(bars, 8))

    @property
    def before(self) -> int:
        """Cells before the bars."""
        return self.seq + _LANE_CELLS + 3 + _TOOL_CELLS + self.argument


@dataclass(frozen=True, slots=True)
class Sight:
    """What is seen of a timeline."""

    timeline: Timeline
    window: Window
    zone: tzinfo | None
    ascii_only: bool

    def columns(self, width: int) -> Columns:
        """The columns in this width."""
        return Columns.of(width, self.timeline.digits)

    def sign(self, code: str) -> str:
        """What a cell of this code looks like."""
        return (_ASCII if self.ascii_only else _SIGNS)[code]


def legend(ascii_only: bool) -> str:
    """What the signs of the bars mean."""
    signs = _ASCII if ascii_only else _SIGNS
    return "  ".join(f"{signs[code]} {word}" for code, word in _WORDS)


class TimeChart(Widget):
    """The line of moments, and one line per lane. A click goes to what is nearest."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = set(COMPONENTS)

    class Aimed(Message):
        """A place in a lane was clicked: the lane, and the places that its cell holds."""

        def __init__(self, lane: LaneLine, begin: float, end: float) -> None:
            super().__init__()
            self.lane = lane
            self.begin = begin
            self.end = end

    def __init__(self) -> None:
        super().__init__(id="time-chart")
        self.sight: Sight | None = None
        self.index = -1
        """The row of the timeline that the cursor is on."""
        self._top = 0
        self._codes: dict[int, str] = {}
        """What the cells of the lanes show, by place, as far as they were seen."""
        self.shown = 0
        """How many lanes are shown."""

    def show(self, sight: Sight, index: int, most: int) -> None:
        """Show this, in at most so many lines; the lane of the cursor's row is among them."""
        if sight != self.sight:
            self._codes.clear()
        self.sight, self.index = sight, index
        lanes = sight.timeline.lanes
        self.shown = shown = min(len(lanes), max(most - 1, 1))
        self.styles.height = 1 + shown
        at = self._lane_of_cursor()
        if at is not None:
            self._top = max(at - shown + 1, min(self._top, at))
        self._top = max(0, min(self._top, len(lanes) - shown))
        self.refresh()

    @property
    def top(self) -> int:
        """The first lane that is shown, by place."""
        return self._top

    def _lane_of_cursor(self) -> int | None:
        if self.sight is None or self.index < 0 or not self.sight.timeline.rows:
            return None
        lane = self.sight.timeline.lane_of(self.index)
        return next((at for at, line in enumerate(self.sight.timeline.lanes) if line.id == lane), None)

    def render_line(self, y: int) -> Strip:
        ground, width = self.rich_style, self.size.width
        strip = Strip([])
        if self.sight is not None:
            strip = (
                self._scale(self.sight, width) if y == 0 else self._lane(self.sight, self._top + y - 1, width)
            )
        return strip.adjust_cell_length(width).apply_style(ground)

    def _scale(self, sight: Sight, width: int) -> Strip:
        text = scale(sight.timeline, sight.window, sight.zone)
        what = "rows in order" if sight.timeline.by_order else "lanes in time"
        before = pad(f" {what}", sight.columns(width).before)
        return Strip([Segment(before, self._style("quiet")), Segment(text, self._style("scale"))])

    def _lane(self, sight: Sight, at: int, width: int) -> Strip:
        if at >= len(sight.timeline.lanes):
            return Strip([])
        line, columns = sight.timeline.lanes[at], sight.columns(width)
        failed = f" {sight.sign('x')}{line.failed}" if line.failed else ""
        name = pad(f" {line.title}", columns.before - len(failed) - 1)
        parts = [
            Segment(name, self._style(f"lane-{max(line.id, 0) % LANE_COLOURS}")),
            Segment(f"{failed} ", self._style("failed")),
        ]
        here = self._here(sight) if at == self._lane_of_cursor() else None
        if at not in self._codes:
            self._codes[at] = line.cells(sight.window, sight.timeline.axis)
        parts += self._cells(sight, self._codes[at], here)
        took = duration(line.busy_ms) if line.busy_ms else ""
        parts.append(Segment(f" {took:>{_TAIL_CELLS - 2}}", self._style("quiet")))
        return Strip(parts)

    def _here(self, sight: Sight) -> int | None:
        """The cell where the cursor's row ends."""
        bar = sight.timeline.bar(self.index, sight.window)
        return None if bar is None else bar[1] - 1

    def _cells(self, sight: Sight, codes: str, here: int | None) -> list[Segment]:
        parts, at = [], 0
        for code, group in groupby(codes):
            count = len(list(group))
            style = self._style(_LOOKS.get(code, "quiet"))
            if here is not None and at <= here < at + count:
                marked = style + self._style("here")
                parts += [
                    Segment(sight.sign(code) * (here - at), style),
                    Segment(sight.sign(code), marked),
                    Segment(sight.sign(code) * (at + count - here - 1), style),
                ]
            else:
                parts.append(Segment(sight.sign(code) * count, style))
            at += count
        return [part for part in parts if part.text]

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"time--{name}", partial=True)

    def on_click(self, event: events.Click) -> None:
        sight = self.sight
        if sight is None or event.y < 1:
            return
        event.stop()
        cell, at = event.x - sight.columns(self.size.width).before, self._top + event.y - 1
        if 0 <= cell < sight.window.cells and at < len(sight.timeline.lanes):
            begin, end = sight.window.edge(cell), sight.window.edge(cell + 1)
            self.post_message(self.Aimed(sight.timeline.lanes[at], begin, end))


class TimeRows(LineList):
    """One row per event, with its bar."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(COMPONENTS)

    def __init__(self) -> None:
        super().__init__("time-rows")
        self.sight: Sight | None = None
        self._version = 0

    @property
    def count(self) -> int:
        return 0 if self.sight is None else len(self.sight.timeline.rows)

    def show(self, sight: Sight) -> None:
        """Show this; the cursor stays where it is."""
        grown = self.sight is None or self.sight.timeline is not sight.timeline
        if sight == self.sight:
            return
        self.sight = sight
        self._version += 1
        if grown:
            self.redraw()
            self.reveal()
        else:
            self.refresh()

    def key(self, index: int) -> Hashable:
        return index, self._version

    def draw(self, index: int, width: int) -> Strip:
        sight = self.sight
        assert sight is not None
        row, columns = sight.timeline.line(index), sight.columns(width)
        lane = str(row.lane + 1) if row.lane >= 0 else "-"
        sign = to_ascii(row.sign) if sight.ascii_only else row.sign
        parts = [
            Segment(f"{row.number:>{columns.seq}} ", self._style("seq")),
            Segment(f"{lane:>{_LANE_CELLS - 1}} ", self._style(f"lane-{max(row.lane, 0) % LANE_COLOURS}")),
            Segment(f"{sign} ", self._style("failed" if row.code == "x" else "quiet")),
            Segment(pad(row.tool, _TOOL_CELLS - 1) + " ", self._style("name")),
        ]
        if columns.argument:
            parts.append(Segment(pad(row.argument, columns.argument - 1) + " ", self._style("argument")))
        return Strip([*parts, *self._bar(sight, row, index), self._tail(row)])

    def _bar(self, sight: Sight, row: TimeRow, index: int) -> list[Segment]:
        cells, bar = sight.window.cells, sight.timeline.bar(index, sight.window)
        style = self._style(_LOOKS[row.code])
        if bar is None:
            return [Segment(pad(row.note, cells), self._style("quiet"))]
        begin, end = max(bar[0], 0), min(bar[1], cells)
        if begin >= end:
            beside = pad("◂", cells) if bar[1] <= 0 else f"{'▸':>{cells}}"
            return [Segment(to_ascii(beside) if sight.ascii_only else beside, self._style("quiet"))]
        drawn = sight.sign("t" if row.code == "x" else row.code) * (end - begin - 1)
        drawn += sight.sign(row.code)
        note = crop(f" {row.note}", cells - end) if row.note else ""
        return [
            Segment(" " * begin),
            Segment(drawn, style),
            Segment(pad(note, cells - end), self._style("quiet")),
        ]

    def _tail(self, row: TimeRow) -> Segment:
        took = duration(row.duration_ms) if row.duration_ms is not None else "-"
        return Segment(f" {crop(took, _TAIL_CELLS - 1):>{_TAIL_CELLS - 1}}", self._style("quiet"))

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"time--{name}", partial=True)
