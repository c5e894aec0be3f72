"""PartedList: a LineList with lines of their own between some of its rows. They have no index: the cursor,
the keys and the mouse know rows only."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from korg_tui.widgets.lines import LineList


class PartedList(LineList):
    """Subclasses say above which rows a line stands (`parted`) and draw it (`draw_above`)."""

    @property
    def parted(self) -> Sequence[int]:
        """The indexes of the rows above which a line stands, ascending; `count` for one below all rows. None
        where there are no rows."""
        raise NotImplementedError

    def look(self, index: int) -> object:
        """What a row shows, to see whether it has changed."""
        raise NotImplementedError

    def look_above(self, index: int) -> object:
        """The same of the line above a row."""
        raise NotImplementedError

    @property
    def extent(self) -> int:
        return self.count + len(self.parted)

    def y_of(self, index: int) -> int:
        return index + bisect_right(self.parted, index)

    def index_at(self, y: int) -> int:
        parted = self.parted
        return y - bisect_left(range(len(parted)), y, key=lambda line: parted[line] + line)

    def part(self, change: Callable[[], bool]) -> bool:
        """Change which lines stand between the rows, and what these show. The rows that are seen stay where
        they are, and only what looks otherwise is drawn again. False when nothing does, as `change` says."""
        seen, before = self.seen, self._looks()
        anchor = self.cursor if self.cursor in seen or not seen else seen.start
        height = self.y_of(anchor) - round(self.scroll_y)
        if not change():
            return False
        self.measure()
        self._scroll_rows(self.y_of(anchor) - height)
        for line, (old, new) in enumerate(zip(before, self._looks(), strict=True)):
            if old != new:
                self.refresh_line(self.scroll_offset.y + line)
        return True

    def _looks(self) -> list[object]:
        """What the lines that are seen show."""
        top = self.scroll_offset.y
        return [self._look(y) if y < self.extent else None for y in range(top, top + self.page)]

    def _look(self, y: int) -> object:
        index = self.index_at(y)
        return self.look(index) if self.y_of(index) == y else self.look_above(index)
