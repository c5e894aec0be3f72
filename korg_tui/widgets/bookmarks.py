"""BookmarkList: what a person has marked, that of the ledger that is open first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from korg_tui.remembered import Bookmark
from korg_tui.text import crop, pad, visible
from korg_tui.widgets.lines import LineList
from korg_tui.widgets.names import ending

MARK, ASCII_MARK = "◆", "#"
"""The sign of a bookmark."""
_SEQ_CELLS, _AGE_CELLS = 8, 13


@dataclass(frozen=True, slots=True)
class BookmarkRow:
    """A bookmark, or without one the name of a ledger above its bookmarks."""

    ledger: str
    mark: Bookmark | None = None
    state: str = ""
    """What is wrong with it, safe; empty where the event is there."""
    age: str = ""


class BookmarkList(LineList):
    """One row per bookmark, and one per ledger above them."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "bookmarks--ledger", "bookmarks--mark", "bookmarks--seq", "bookmarks--words", "bookmarks--quiet",
        "bookmarks--bad",
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__("bookmarks")
        self.rows: Sequence[BookmarkRow] = ()
        self.ascii_only = False

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def row(self) -> BookmarkRow | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    def show(self, rows: Sequence[BookmarkRow]) -> None:
        """Show these rows; the cursor stays where it is, on a bookmark."""
        self.rows = rows
        self.redraw()
        self.go(self.cursor)

    def go(self, index: int, *, jump: bool = False) -> None:
        """The cursor stands on bookmarks only."""
        step = -1 if index < self.cursor else 1
        index = max(0, min(index, self.count - 1))
        for way in (step, -step):
            found = index
            while 0 <= found < self.count and self.rows[found].mark is None:
                found += way
            if 0 <= found < self.count:
                super().go(found, jump=jump)
                break
        if self.cursor == 1:
            self.scroll_to(y=0, animate=False, force=True)

    def draw(self, index: int, width: int) -> Strip:
        row = self.rows[index]
        if row.mark is None:
            return Strip([Segment(f" {ending(visible(row.ledger), width - 2)}", self._style("ledger"))])
        return self._bookmark(row, row.mark, width)

    def _bookmark(self, row: BookmarkRow, mark: Bookmark, cells: int) -> Strip:
        sign = ASCII_MARK if self.ascii_only else MARK
        age = pad(f"  {row.age}", _AGE_CELLS)
        words = "bookmarks--quiet" if row.state else "bookmarks--words"
        parts = [
            Segment(f"   {'?' if row.state else sign} ", self._style("bad" if row.state else "mark")),
            Segment(f"{mark.seq:>{_SEQ_CELLS}}  ", self._style("seq")),
        ]
        room = cells - sum(part.cell_length for part in parts) - _AGE_CELLS
        state = crop(row.state, room)
        said = state or mark.words
        style = self._style("bad") if state else self.get_component_rich_style(words, partial=True)
        parts += [Segment(pad(said, max(0, room)), style), Segment(age, self._style("quiet"))]
        return Strip(parts)

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"bookmarks--{name}", partial=True)

