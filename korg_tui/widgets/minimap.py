"""Minimap: the whole spine in one column, with marks where something is worth a look."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from korg_tui.views import SPOKEN_AGAINST, to_ascii
from korg_tui.widgets.bookmarks import ASCII_MARK, MARK

_SIGNS = {
    "against": (SPOKEN_AGAINST, to_ascii(SPOKEN_AGAINST)),
    "dropped": ("╳", "x"),
    "possible": ("┄", "~"),
    "failed": ("●", "!"),
    "dead": ("◌", "?"),
    "hit": ("*", "*"),
    "bookmark": (MARK, ASCII_MARK),
}
"""Kind of mark → sign, and sign without box drawing; the first kind that fits a cell wins."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Ascending row numbers of what the minimap shows, by kind."""

    failed: Sequence[int] = ()
    dead: Sequence[int] = ()
    hit: Sequence[int] = ()
    dropped: Sequence[int] = ()
    possible: Sequence[int] = ()
    bookmark: Sequence[int] = ()
    against: Sequence[int] = ()
    """Rows that evidence speaks against."""


class Minimap(Widget):
    """One column as high as the spine. Each cell stands for the same number of rows."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "minimap--track", "minimap--view", "minimap--failed", "minimap--dead", "minimap--hit",
        "minimap--dropped", "minimap--possible", "minimap--bookmark", "minimap--against",
    }  # fmt: skip

    class Aimed(Message):
        """A place of the minimap was clicked: the index of a row."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self) -> None:
        super().__init__(id="minimap")
        self.marks = Marks()
        self._ascii = False
        self._rows: Sequence[int] = ()
        self._view = (0, 0)
        self._drawn: list[tuple[str, bool]] = []
        """The looks of each cell, as they were drawn last."""

    def use_ascii(self, ascii_only: bool) -> None:
        """Draw without box drawing."""
        self._ascii = ascii_only

    def show(self, rows: Sequence[int], marks: Marks, top: int, page: int) -> None:
        """Show these rows (ledger rows by index, ascending) with their marks, and what the page holds."""
        self._rows, self.marks, self._view = rows, marks, (top, top + page)
        self._look()

    def _look(self) -> None:
        height = self.size.height
        before, self._drawn = self._drawn, [self._looks(y, height) for y in range(height)]
        if len(before) != height:
            self.refresh()
            return
        changed = [y for y in range(height) if self._drawn[y] != before[y]]
        if changed:
            self.refresh(*(Region(0, y, 1, 1) for y in changed))

    def on_resize(self) -> None:
        self._look()

    def render_line(self, y: int) -> Strip:
        name, seen = self._drawn[y] if y < len(self._drawn) else ("", False)
        ground = self.get_component_rich_style("minimap--view", partial=True) if seen else None
        style = self.rich_style + ground if ground else self.rich_style
        if not name:
            track = "│" if not self._ascii else "|"
            return Strip([Segment(track, style + self._style("track"))], 1)
        return Strip([Segment(_SIGNS[name][self._ascii], style + self._style(name))], 1)

    def _looks(self, y: int, height: int) -> tuple[str, bool]:
        """The mark of a cell, and whether the page holds some of its rows."""
        begin, end = self._span(y, height)
        seen = begin < self._view[1] and end > self._view[0] and begin < end
        return self._mark(begin, end), seen

    def _span(self, y: int, height: int) -> tuple[int, int]:
        """The indexes that the cell stands for."""
        count = len(self._rows)
        if count <= height:
            return min(y, count), min(y + 1, count)
        return y * count // height, (y + 1) * count // height

    def _mark(self, begin: int, end: int) -> str:
        if begin >= end:
            return ""
        first, last = self._rows[begin], self._rows[end - 1]
        for name in _SIGNS:
            rows: Sequence[int] = getattr(self.marks, name)
            place = bisect_left(rows, first)
            if place < len(rows) and rows[place] <= last:
                return name
        return ""

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"minimap--{name}", partial=True)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        begin, end = self._span(event.y, max(self.size.height, 1))
        if begin < end:
            self.post_message(self.Aimed((begin + end) // 2))
