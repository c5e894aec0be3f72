"""Details: sections of safe lines, wrapped to the pane; lines that name an event lead to it, JSON folds."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from korg_tui.text import visible
from korg_tui.views import JsonKey, Line, Opens, Section, Tree
from korg_tui.widgets.hits import HITS, Hit, first_match, hit_rows, hits_in, with_hits
from korg_tui.widgets.laid_out import Place, Row, laid_out
from korg_tui.widgets.lines import LineList
from korg_tui.widgets.looks import LOOKS, PREFIX, look_style, without_ground

_Named = tuple[str, int]
"""A section: its title, and which of that title."""


@dataclass(frozen=True, slots=True)
class _Anchor:
    """A row that stays where it is: its line, which row of the line it is, and its place on the page."""

    place: Place | None
    part: int
    offset: int


_LOOKS_KEPT = 2_000


class Details(LineList):
    """The sections of one event, or of a preview."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {PREFIX + look for look in LOOKS}

    class Led(Message):
        """A line that names an event was chosen."""

        def __init__(self, seq: int) -> None:
            super().__init__()
            self.seq = seq

    class Opened(Message):
        """A line that opens a blob or a long value was chosen."""

        def __init__(self, opens: Opens) -> None:
            super().__init__()
            self.opens = opens

    def __init__(self) -> None:
        super().__init__("details")
        self.sections: tuple[Section, ...] = ()
        self.searched = ""
        self._rows: list[Row] = []
        self._opened: dict[_Named, set[JsonKey]] = {}
        """Of every JSON that was folded or unfolded, or could be: what is open."""
        self._hits: list[Hit] = []
        self._wanted: re.Pattern[str] | None = None
        self._looks: dict[str, Style] = {}

    @property
    def count(self) -> int:
        return len(self._rows)

    @property
    def shows_cursor(self) -> bool:
        return self.has_focus

    @property
    def opens(self) -> Opens | None:
        """What the line under the cursor opens."""
        return self._rows[self.cursor].opens if self._rows else None

    @property
    def leads(self) -> int | None:
        """The seq of the event to which the line under the cursor leads."""
        return self._rows[self.cursor].seq if self._rows else None

    @property
    def first_opens(self) -> Opens | None:
        """What the first line that opens something opens."""
        return next((row.opens for row in self._rows if row.opens is not None), None)

    @property
    def plain(self) -> list[str]:
        """What the pane shows, as text."""
        return [row.plain for row in self._rows]

    # showing

    def show(self, sections: Sequence[Section]) -> None:
        """Show these sections: from their beginning, unless they are about what was shown before; then what
        was seen, folded and searched for stays as it was."""
        before, self.sections = self.sections, tuple(sections)
        if self.sections == before:
            return
        if not (before and self.sections and before[0].title == self.sections[0].title):
            self.cursor = 0
            self._rows, self._opened = [], {}
            self._forget_search()
            self.scroll_to(y=0, animate=False, force=True)
        elif self.searched:
            self._hits = self._find(self.searched)
        self.redraw()

    def measure(self) -> None:
        anchor = self._anchor()
        self._rows = laid_out(self.sections, max(self.row_width, 8), self._lines_of)
        super().measure()
        self._return_to(anchor)

    def _lines_of(self, section: Section, number: int) -> Iterable[Line]:
        if section.tree is None:
            return section.lines
        return section.tree.lines(self._open_in(section, number))

    def _open_in(self, section: Section, number: int) -> set[JsonKey]:
        """What is open in a section of JSON."""
        named = (section.title, number)
        if named not in self._opened and section.tree is not None:
            self._opened[named] = set(section.tree.initial())
        return self._opened.get(named, set())

    def _anchor(self) -> _Anchor | None:
        """The row that stays where it is on the page: the cursor's, or the first one that is seen."""
        top = round(self.scroll_y)
        index = self.cursor if self.has_focus else top
        if not 0 < index < len(self._rows):
            return None
        place = self._rows[index].place
        return _Anchor(place, index - self._first_of(place, index), index - top)

    def _first_of(self, place: Place | None, index: int) -> int:
        """The first of the rows that a line takes."""
        while index and self._rows[index - 1].place == place:
            index -= 1
        return index

    def _return_to(self, anchor: _Anchor | None) -> None:
        index = None if anchor is None or anchor.place is None else self._row_of(anchor.place)
        if anchor is None or index is None:
            return
        last = min(index + anchor.part, len(self._rows) - 1)
        index = last if self._rows[last].place == anchor.place else index
        if self.has_focus:
            self.cursor = index
        if index - anchor.offset != round(self.scroll_y):
            self._scroll_rows(index - anchor.offset)

    def _row_of(self, place: Place) -> int | None:
        return next((index for index, row in enumerate(self._rows) if row.place == place), None)

    # drawing

    def draw(self, index: int, width: int) -> Strip:
        row = self._rows[index]
        at_cursor = index == self.cursor and self.shows_cursor
        strip = Strip([Segment(text, self._look(looks, at_cursor)) for text, looks in row.pieces if text])
        if self._wanted is not None:
            strip = with_hits(strip, row.plain, self._wanted, self._look("hit"))
        if row.title:
            rule = "─" * max(0, width - strip.cell_length - 1)
            return Strip.join([strip, Strip([Segment(f" {rule}", self._look("rule"))])])
        if row.fill:
            strip = strip.adjust_cell_length(width, self._look(row.fill, at_cursor))
        return self._with_selection(strip, index)

    def _look(self, looks: str, at_cursor: bool = False) -> Style:
        style = self._looks.get(looks)
        if style is None:
            style = self._looks[looks] = look_style(self, looks)
            if len(self._looks) > _LOOKS_KEPT:
                self._looks.clear()
        return without_ground(style) if at_cursor else style

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._looks.clear()

    # choosing

    def on_click(self, event: events.Click) -> None:
        index = self.row_at(event)
        if index is None:
            return
        event.stop()
        self.go(index)
        if not self.text_selection:
            self.choose()

    def choose(self) -> bool:
        """Go where the line under the cursor leads, open what it opens, or fold what it folds; False when it
        does none of that."""
        row = self._rows[self.cursor] if self._rows else None
        if row is not None and row.opens is not None:
            self.post_message(self.Opened(row.opens))
        elif row is not None and row.seq is not None:
            self.post_message(self.Led(row.seq))
        else:
            return self._toggle(row)
        return True

    # folding

    def _toggle(self, row: Row | None) -> bool:
        if row is None or row.node is None or row.node.state not in ("open", "closed"):
            return False
        return self.unfold() if row.node.state == "closed" else self.fold()

    def fold(self) -> bool:
        """Fold the JSON under the cursor, or what it stands in; False when nothing here folds."""
        row = self._rows[self.cursor] if self._rows else None
        if row is None or row.node is None or row.place is None:
            return False
        node, named = row.node, row.place[:2]
        is_open = node.state in ("open", "end") and node.inside is not None
        key = node.key if is_open else node.inside
        if key is None or self._is_top(named, key):
            return False
        self._opened[named].discard(key)
        self._show_folded(named, key)
        return True

    def _is_top(self, named: _Named, key: JsonKey) -> bool:
        """Whether it is the whole value, which is never folded."""
        found = self._row_of((*named, (key, False)))
        node = None if found is None else self._rows[found].node
        return node is not None and node.inside is None

    def unfold(self) -> bool:
        """Unfold the JSON under the cursor; False when it is none, or open."""
        row = self._rows[self.cursor] if self._rows else None
        if row is None or row.node is None or row.place is None or row.node.state != "closed":
            return False
        tree = self._tree(row.place[:2])
        short = tree.unfolded(row.node.key) if tree is not None else ()
        self._opened.setdefault(row.place[:2], set()).update([row.node.key, *short])
        self._show_folded(row.place[:2], row.node.key)
        return True

    def _tree(self, named: _Named) -> Tree | None:
        """The JSON of a section."""
        same = [section for section in self.sections if section.title == named[0]]
        return same[named[1]].tree if named[1] < len(same) else None

    def _show_folded(self, named: _Named, key: JsonKey) -> None:
        """Lay out what has folded; the cursor stands on it."""
        self.redraw()
        index = self._row_of((*named, (key, False)))
        if index is not None:
            self.go(index)

    # searching

    @property
    def hits(self) -> int:
        """How many lines the search has found, up to `HITS`."""
        return len(self._hits)

    def search(self, words: str) -> str:
        """Find words in all that these sections hold, folded or not, and go to the first hit from here on;
        no words forget the last search. Says what was found."""
        self._forget_search()
        self.searched = words
        if words:
            self._wanted = re.compile(re.escape(visible(words)), re.IGNORECASE)
            self._hits = self._find(words)
        self.redraw()
        if self._hits:
            return self.next_hit(0)
        return f"nothing here has “{visible(words, 40)}”" if words else ""

    def _forget_search(self) -> None:
        self.searched, self._hits, self._wanted = "", [], None

    def next_hit(self, step: int) -> str:
        """Go to the next (1) or previous (-1) hit, or the first one from here on (0), and unfold what it is
        in; behind the last one comes the first. Says which it is."""
        if not self._hits:
            return "nothing was found here"
        rows = hit_rows(self._hits, self._rows, self._wanted)
        number = bisect_left(rows, (self.cursor, step > 0)) - (step < 0)
        wrapped = not 0 <= number < len(rows)
        number %= len(rows)
        self._show_hit(self._hits[number])
        count = f"{len(rows):,}{' or more' if len(rows) == HITS else ''}"
        round_ = f", from the {'end' if step < 0 else 'beginning'} again" if wrapped else ""
        return f"hit {number + 1:,} of {count}{round_}"

    def _show_hit(self, hit: Hit) -> None:
        title, number, _ = hit.place
        if hit.around:
            self._opened.setdefault((title, number), set()).update(hit.around)
            self.redraw()
        index = self._row_of(hit.place)
        if index is not None:
            self.go(first_match(self._rows, index, self._wanted), jump=True)

    def _find(self, words: str) -> list[Hit]:
        return hits_in(self.sections, words, max(self.row_width, 8))

    # selecting text with the mouse

    def render_line(self, y: int) -> Strip:
        return super().render_line(y).apply_offsets(0, self.scroll_offset.y + y)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selection.extract("\n".join(self.plain)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        del selection
        self._strips.clear()
        self.refresh()

    def _with_selection(self, strip: Strip, index: int) -> Strip:
        selection = self.text_selection
        span = selection.get_span(index) if selection else None
        if span is None:
            return strip
        begin, end = span
        end = strip.cell_length if end == -1 else end
        chosen = self.screen.get_component_rich_style("screen--selection")
        parts = [strip.crop(0, begin), strip.crop(begin, end).apply_style(chosen), strip.crop(end)]
        return Strip.join(parts)
