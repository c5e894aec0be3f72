"""ReaderView: a window over content of any size. Only the rows that are seen are read, and drawn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from korg_tui.text import visible, width
from korg_tui.views import LineCount, Pages, Row, Span, highlight

_BEFORE = 40
"""Rows above those that are seen that are looked at for their colours."""
_WHEEL = 3
_STEP = 8
_NUMBER_CELLS = 6


class ReaderView(Widget, can_focus=True, inherit_bindings=False):
    """The rows of a document from `top` on, which is the byte at which the first one begins."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "reader--number", "reader--here", "reader--hit", "reader--thumb", "reader--track", "reader--end",
        "details--key", "details--string", "details--number", "details--comment", "details--keyword",
        "details--defined", "details--builtin", "details--added", "details--removed", "details--hunk",
        "details--heading", "details--strong", "details--emphasis",
    }  # fmt: skip

    class Scrolled(Message):
        """Other rows are seen now."""

    def __init__(self) -> None:
        super().__init__(id="reader")
        self.top = 0
        self.x = 0
        """Cells that are scrolled to the right."""
        self.here: int | None = None
        """The byte that was found or gone to."""
        self.pages: Pages | None = None
        self.lines: LineCount | None = None
        """Where lines have numbers."""
        self.path = ""
        self._hits: re.Pattern[str] | None = None
        self._rows: Sequence[Row] = ()
        self._spans: Sequence[Sequence[Span]] = ()

    def show(self, pages: Pages | None, lines: LineCount | None, path: str, top: int) -> None:
        """Show these pages, from the row on that holds byte `top`."""
        self.pages, self.lines, self.path, self.x = pages, lines, path, 0
        self.here = None
        self.top = 0 if pages is None else pages.row_at(top)
        self.look()

    def mark(self, words: str) -> None:
        """Mark these words wherever they are seen."""
        self._hits = re.compile(re.escape(visible(words)), re.IGNORECASE) if words else None
        self.refresh()

    def look(self) -> None:
        """Read the rows that are seen anew."""
        page = max(self.size.height, 1)
        self._rows = () if self.pages is None else self.pages.rows(self.top, page)
        self._spans = self._coloured()
        self.refresh()
        self.post_message(self.Scrolled())

    def _coloured(self) -> Sequence[Sequence[Span]]:
        if not (self.path and self.pages is not None and self._rows):
            return [()] * len(self._rows)
        above = self.pages.moved(self.top, -_BEFORE)
        before = [row.text for row in self.pages.rows(above, _BEFORE) if row.offset < self.top]
        spans = highlight([*before, *(row.text for row in self._rows)], self.path)
        return spans[len(before) :]

    # where it stands

    @property
    def page(self) -> int:
        """Rows that are seen at once."""
        return max(self.size.height, 1)

    @property
    def room(self) -> int:
        """Cells for the text of a row."""
        return max(self.size.width - self._gutter - 1, 8)

    @property
    def _gutter(self) -> int:
        if self.lines is None:
            return 1
        last = self.lines.lines or 0
        return max(_NUMBER_CELLS, len(str(last)) + 1) + 1

    @property
    def seen(self) -> tuple[int, int]:
        """The bytes of the content that are seen: from, to."""
        return (self._rows[0].offset, self._rows[-1].end) if self._rows else (0, 0)

    @property
    def at_end(self) -> bool:
        """Whether the last row is seen."""
        return self.pages is None or not self._rows or self._rows[-1].end >= self.pages.size

    # moving

    def move(self, rows: int) -> None:
        """Scroll by so many rows; the last row does not go above the bottom."""
        if self.pages is None or not self.pages.size:
            return
        target = self.pages.moved(self.top, rows)
        self._scroll(min(target, self._lowest) if rows > 0 else target)

    @property
    def _lowest(self) -> int:
        """The top from which the last row is seen at the bottom."""
        assert self.pages is not None
        return self.pages.moved(self.pages.size, 1 - self.page)

    def first(self) -> None:
        """Go to the beginning."""
        if self.pages is not None:
            self._scroll(self.pages.row_at(0))

    def last(self) -> None:
        """Go to the end, as far as it is there."""
        if self.pages is not None:
            self._scroll(self._lowest)

    def go(self, offset: int) -> None:
        """Bring the row that holds this byte into view, and mark it."""
        if self.pages is None:
            return
        self.here = self.pages.row_at(offset)
        begin, end = self.seen
        if begin <= self.here < end:
            self.refresh()
            self.post_message(self.Scrolled())
        else:
            self._scroll(min(self.pages.moved(self.here, -(self.page // 3)), self._lowest))

    def _scroll(self, top: int) -> None:
        self.top = top
        self.look()

    def sideways(self, steps: int) -> bool:
        """Scroll sideways. False when nothing more is cut off there."""
        longest = max((width(row.text) for row in self._rows), default=0)
        x = max(0, min(self.x + steps * _STEP, max(0, longest - self.room + 1)))
        moved, self.x = x != self.x, x
        self.refresh()
        return moved

    def on_resize(self) -> None:
        self.look()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.move(_WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.move(-_WHEEL)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        if event.x == self.size.width - 1 and self.pages is not None:
            aimed = self.pages.size * event.y // self.page
            self._scroll(min(self.pages.row_at(aimed), self._lowest))

    # drawing

    def render_line(self, y: int) -> Strip:
        ground = self.rich_style
        cells = self.size.width - 1
        bar = Segment(" ", ground + self._style(self._bar_style(y)))
        if y >= len(self._rows):
            return Strip([Segment(" " * max(cells, 0), ground), bar])
        row = self._rows[y]
        strip = Strip(self._segments(row, self._spans[y] if y < len(self._spans) else ()))
        strip = strip.crop(self.x, self.x + cells - self._gutter)
        gutter = Strip([Segment(self._number(row), self._style("reader--number"))])
        drawn = Strip.join([gutter, strip]).adjust_cell_length(cells)
        if row.offset == self.here:
            drawn = drawn.apply_style(self._style("reader--here"))
        return Strip([*drawn.apply_style(ground), bar])

    def _number(self, row: Row) -> str:
        cells = self._gutter
        if self.lines is None:
            return " " * cells
        number = self.lines.line_at(row.offset) if row.begins else None
        return f"{number or '':>{cells - 1}} "

    def _segments(self, row: Row, spans: Sequence[Span]) -> Iterable[Segment]:
        """The row, with its colours, and over them what was looked for."""
        text = row.text[: 3 * (self.x + self.size.width) + 8]
        looks = [""] * len(text)
        for span in spans:
            looks[span.begin : span.end] = [f"details--{span.name}"] * len(looks[span.begin : span.end])
        for hit in self._hits.finditer(text) if self._hits else ():
            looks[hit.start() : hit.end()] = ["reader--hit"] * (hit.end() - hit.start())
        at = 0
        for look, run in groupby(looks):
            end = at + sum(1 for _ in run)
            yield Segment(text[at:end], self._style(look))
            at = end

    def _style(self, name: str) -> Style:
        if name not in self.COMPONENT_CLASSES:
            return Style.null()
        return self.get_component_rich_style(name, partial=True)

    def _bar_style(self, y: int) -> str:
        size = 0 if self.pages is None else self.pages.size
        begin, end = self.seen
        if not size or (begin == 0 and end >= size):
            return "reader--end"
        high = self.page
        top = min(begin * high // size, high - 1)
        bottom = max(-(-end * high // size), top + 1)
        return "reader--thumb" if top <= y < bottom else "reader--track"
