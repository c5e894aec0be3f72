"""LineList: rows of one line each, drawn only where they are seen, with a cursor on one of them.

Rows are counted by index. Where lines that are no rows stand between them, the line `y` of a row is another
number than its index.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from korg_tui.text import crop

CONTEXT = 2
"""Rows that stay visible above and below the cursor."""


class LineList(ScrollView, can_focus=True, inherit_bindings=False):
    """A list of virtual rows. Subclasses say how many there are (`count`) and draw one (`draw`)."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"lines--cursor", "lines--cursor-away", "lines--label"}

    class _AtRow(Message):
        def __init__(self, lines: LineList, index: int) -> None:
            super().__init__()
            self.lines = lines
            self.index = index

        @property
        def control(self) -> LineList:
            return self.lines

    class Moved(_AtRow):
        """The cursor went to another row."""

    class Chosen(_AtRow):
        """A row was chosen: a double click."""

    def __init__(self, identity: str) -> None:
        super().__init__(id=identity)
        self.cursor = 0
        self.empty = ""
        """What is said, safe, while there are no rows."""
        self.labels: Mapping[int, str] = {}
        """Letters that stand before a row, in the place of its first cells where these are empty."""
        self._strips: LRUCache[Hashable, Strip] = LRUCache(2048)
        self._ground: Style | None = None
        """The style under all rows, until styles change."""

    @property
    def count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def draw(self, index: int, width: int) -> Strip:
        """The row as a strip of `width` cells, without the cursor and without a background."""
        raise NotImplementedError

    def key(self, index: int) -> Hashable:
        """What a drawn row depends on, besides its width and the cursor. None is never kept."""
        del index
        return None

    def draw_above(self, index: int, width: int) -> Strip:
        """A line of its own above a row, or below all rows (`index` is their number), drawn like a row."""
        raise NotImplementedError

    def y_of(self, index: int) -> int:
        """The line on which a row stands, from the top of the list."""
        return index

    def index_at(self, y: int) -> int:
        """The row that stands on a line, or the next one below it."""
        return y

    @property
    def extent(self) -> int:
        """How many lines there are."""
        return self.count

    @property
    def row_width(self) -> int:
        """Cells that a row has."""
        return self.scrollable_content_region.width

    @property
    def page(self) -> int:
        """Lines that are seen at once."""
        return max(self.scrollable_content_region.height, 1)

    @property
    def seen(self) -> range:
        """The rows that are seen now."""
        top = self.scroll_offset.y
        begin, end = self.index_at(top), self.index_at(top + self.page)
        return range(min(begin, self.count), min(end, self.count))

    def say_when_empty(self, words: str) -> None:
        """Say this, which is safe, while there are no rows."""
        if words != self.empty:
            self.empty = words
            if not self.count:
                self.refresh()

    def redraw(self) -> None:
        """Rows have changed in number or in looks; the scroll position stays."""
        self._strips.clear()
        self.measure()
        self.refresh()

    def measure(self) -> None:
        """Rows have changed in number. The whole screen is laid out anew, and drawn twice by that, only where
        a scroll bar comes or goes that can be seen."""
        size, was, page = Size(self.row_width, self.extent), self.virtual_size, self.page
        seen = self.styles.scrollbar_size_vertical > 0
        if was.width == size.width and (not seen or (was.height > page) == (size.height > page)):
            self.set_reactive(LineList.virtual_size, size)
            if not seen:
                self.set_reactive(LineList.show_vertical_scrollbar, size.height > page)
            self.scroll_y = self.validate_scroll_y(self.scroll_y)
            if self.show_vertical_scrollbar:
                self.vertical_scrollbar.window_virtual_size = size.height
        else:
            self.virtual_size = size
        self.cursor = max(0, min(self.cursor, self.count - 1))

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()
        self._ground = None

    def render_line(self, y: int) -> Strip:
        y += self.scroll_offset.y
        index, width = self.index_at(y), self.row_width
        if self._ground is None:
            self._ground = self.rich_style
        if y >= self.extent:
            words = crop(f" {self.empty}", width) if y == 0 and not self.count else ""
            return Strip([Segment(words, self._ground)]).adjust_cell_length(width, self._ground)
        if y != self.y_of(index):
            strip = self.draw_above(index, width).adjust_cell_length(width)
            return strip.apply_style(self._ground).simplify()
        strip = self._strip(index, width, self._ground)
        label = self.labels.get(index)
        if label is None:
            return strip
        style = self.get_component_rich_style("lines--label", partial=True)
        room = len(label)
        rest = strip.crop(room) if strip.text[:room].isspace() else strip.crop(0, width - room - 1)
        space = [] if rest.cell_length == width - room else [Segment(" ", self._ground)]
        return Strip.join([Strip([Segment(label, style), *space]), rest])

    def show_labels(self, labels: Mapping[int, str]) -> None:
        """Show letters beside rows, by index; none ends it."""
        self.labels = labels
        self.refresh()

    def _strip(self, index: int, width: int, style: Style) -> Strip:
        at_cursor = index == self.cursor and self.shows_cursor
        key = self.key(index)
        full_key = (key, index if at_cursor else -1, self.has_focus if at_cursor else False, width)
        strip = None if key is None else self._strips.get(full_key)
        if strip is None:
            if at_cursor:
                name = "lines--cursor" if self.has_focus else "lines--cursor-away"
                style += self.get_component_rich_style(name, partial=True)
            strip = self.draw(index, width).adjust_cell_length(width).apply_style(style).simplify()
            if key is not None:
                self._strips[full_key] = strip
        return strip

    @property
    def shows_cursor(self) -> bool:
        """Whether one row stands out as the one the keys act on."""
        return True

    def go(self, index: int, *, jump: bool = False) -> None:
        """Put the cursor on a row and bring it into view; a jump leaves some rows around it."""
        before, target = self.cursor, max(0, min(index, self.count - 1))
        self.cursor = target
        self.reveal(jump=jump)
        if target != before:
            self.refresh_line(self.y_of(before))
            self.refresh_line(self.y_of(target))
            self.post_message(self.Moved(self, target))

    def move(self, rows: int) -> None:
        """Move the cursor by so many rows."""
        self.go(self.cursor + rows)

    def leaf(self, pages: int) -> None:
        """Move the cursor by so many pages, or by a little less to where a row stands; by a row at least."""
        y = self.y_of(self.cursor) + pages * self.page
        index = self.index_at(y)
        if pages < 0:
            self.go(min(index, self.cursor - 1))
        else:
            self.go(max(index if self.y_of(index) == y else index - 1, self.cursor + 1))

    def reveal(self, *, jump: bool = False) -> None:
        """Scroll as little as needed, so that the cursor and some rows around it are seen."""
        page, top, here = self.page, round(self.scroll_y), self.y_of(self.cursor)
        seen = top <= here < top + page
        around = min(page // 3 if jump and not seen else CONTEXT, (page - 1) // 2)
        if here < top + around:
            self._scroll_rows(here - around)
        elif here > top + page - 1 - around:
            self._scroll_rows(here - page + 1 + around)

    def reveal_too(self, index: int) -> None:
        """Bring another row above the cursor into view, if both fit on the page."""
        y = self.y_of(index)
        if self.y_of(self.cursor) - self.page < y < round(self.scroll_y):
            self._scroll_rows(y)

    def _scroll_rows(self, top: int) -> None:
        self.scroll_to(y=max(0, min(top, self.extent - self.page)), animate=False, force=True)

    def row_at(self, event: events.MouseEvent) -> int | None:
        """The row under the mouse; of a line between two rows the lower one."""
        y = self.scroll_offset.y + event.y
        return min(self.index_at(y), self.count - 1) if 0 <= event.y < self.page and y < self.extent else None

    def on_click(self, event: events.Click) -> None:
        index = self.row_at(event)
        if index is None:
            return
        event.stop()
        between = self.scroll_offset.y + event.y != self.y_of(index)
        if not between and self.clicked(index, event.x):
            return
        self.go(index)
        if event.chain == 2:
            self.post_message(self.Chosen(self, index))

    def clicked(self, index: int, x: int) -> bool:
        """A click that means something other than `go there` is taken here."""
        del index, x
        return False

    def on_resize(self) -> None:
        self.redraw()
        self.reveal()
