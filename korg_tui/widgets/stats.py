"""StatsList: tables of numbers, one row per tool, agent, lane, slow call and file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from korg_tui.text import crop, pad
from korg_tui.views import Group, StatsLine, count_words, duration, failed_words
from korg_tui.widgets.lines import LineList
from korg_tui.widgets.names import middle

_BARS = " ▏▎▍▌▋▊▉█"
_WIDE, _VERY_WIDE = 100, 116
_TOLD_CELLS = 11
_LONGEST_NAME = 64
_NARROW = (("calls", 6), ("failed", 11), ("time", 9), ("", 6), ("p50", 8), ("p90", 8), ("p99", 8), ("max", 8))
_NORMAL = (
    ("calls", 6), ("failed", 11), ("time", 10), ("", 8), ("mean", 9), ("p50", 9), ("p90", 9), ("p99", 9),
    ("max", 9),
)  # fmt: skip
_TOKENS = (("tokens in", 10), ("out", 8))


class StatsList(LineList):
    """The rows of all tables."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "stats--title", "stats--columns", "stats--name", "stats--number", "stats--quiet",
        "stats--bad", "stats--bar",
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__("stats")
        self.rows: Sequence[StatsLine] = ()
        self.sort = "time"

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def row(self) -> StatsLine | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    def show(self, rows: Sequence[StatsLine], sort: str) -> None:
        """Show these rows; the cursor stays on the row of the same name in the same table."""
        kept = self._identity(self.cursor) if self.cursor < len(self.rows) else None
        self.rows, self.sort = rows, sort
        if kept is not None:
            same = (index for index in range(len(rows)) if self._identity(index) == kept)
            self.cursor = next(same, self.cursor)
        self.redraw()
        self.reveal()

    def _identity(self, index: int) -> tuple[str, str]:
        row = self.rows[index]
        return self.table_of(index), row.text if row.kind != "columns" else ""

    def table_of(self, index: int) -> str:
        """The title of the table in which a row is, without its count."""
        while index > 0 and self.rows[index].kind not in ("title", "columns"):
            index -= 1
        return self.rows[index].text.partition(" (")[0]

    def next_table(self) -> None:
        """Go to the next table's title, from the last one to the first."""
        titles = [index for index, row in enumerate(self.rows) if row.kind in ("title", "columns")]
        if titles:
            self.go(next((index for index in titles if index > self.cursor), titles[0]))
            self._scroll_rows(self.cursor)

    def draw(self, index: int, width: int) -> Strip:
        row = self.rows[index]
        match row.kind:
            case "title":
                return Strip([Segment(f" {crop(row.text, width - 1)}", self._style("title"))])
            case "columns":
                return self._columns(row, width)
            case "group" if row.group is not None:
                return self._group(row, row.group, width)
            case "note":
                return Strip([Segment(f"   {crop(row.text, width - 3)}", self._style("quiet"))])
            case _:
                told = Segment(f"   {row.told:>{_TOLD_CELLS}}  ", self._style("number"))
                return Strip([told, Segment(crop(row.text, width - _TOLD_CELLS - 5), self._style("name"))])

    def _cells(self, width: int) -> Sequence[tuple[str, int]]:
        if width >= _VERY_WIDE:
            return (*_NORMAL, *_TOKENS)
        return _NORMAL if width >= _WIDE else _NARROW

    def _name_cells(self, width: int) -> int:
        return max(8, min(_LONGEST_NAME, width - sum(cells for _, cells in self._cells(width)) - 1))

    def _columns(self, row: StatsLine, width: int) -> Strip:
        name = self._name_cells(width)
        parts = [Segment(f" {pad(row.text, name)}", self._style("title"))]
        for title, cells in self._cells(width):
            mark = "▾" if title and title.split()[0] == self.sort else ""
            parts.append(Segment(f"{title + mark:>{cells}}", self._style("columns")))
        return Strip(parts)

    def _group(self, row: StatsLine, group: Group, width: int) -> Strip:
        name = self._name_cells(width)
        parts = [Segment(f"   {pad(_fitting(row.text, name - 2), name - 2)}", self._style("name"))]
        for title, cells in self._cells(width):
            bad = title == "failed" and group.failed
            style = "bad" if bad else "bar" if not title else "number"
            text = _bar(row.share, cells - 1) if not title else _number(title, group, cells - 1)
            parts.append(Segment(f"{text:>{cells}}" if title else f" {text}", self._style(style)))
        return Strip(parts)

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"stats--{name}", partial=True)


def _fitting(name: str, cells: int) -> str:
    """A long name without its middle; of a lane the number stays."""
    return name if len(name) <= cells else middle(name.removeprefix("lane "), cells)


def _bar(share: float, cells: int) -> str:
    eighths = round(share * cells * 8)
    whole, part = divmod(max(eighths, 1 if share > 0 else 0), 8)
    return ("█" * whole + (_BARS[part] if part else "")).ljust(cells)[:cells]


def _number(title: str, group: Group, cells: int) -> str:
    match title:
        case "calls":
            return f"{group.calls:,}"
        case "failed":
            return failed_words(group)
        case "time":
            return _short(group.total_ms if group.timed else None, cells)
        case "tokens in":
            return count_words(group.usage.tokens_in)
        case "out":
            return count_words(group.usage.tokens_out)
        case _:
            return _short(getattr(group, f"{title}_ms"), cells)


def _short(ms: float | None, cells: int) -> str:
    """A duration, without its smaller part where there is no room for that."""
    text = "-" if ms is None else duration(ms)
    return text if len(text) <= cells else " ".join(text.split(" ")[:2])
