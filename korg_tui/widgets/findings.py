"""FindingList: what was found in a ledger, group by group, one row each."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from korg_tui.text import crop, pad, width
from korg_tui.views import FoundLine
from korg_tui.widgets.effects import pad_left
from korg_tui.widgets.lines import LineList

_NAME_CELLS, _STATUS_CELLS, _WORD_CELLS, _WHERE_CELLS = 16, 4, 10, 16


class FindingList(LineList):
    """The lines of `Findings`."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "findings--title", "findings--fail", "findings--warn", "findings--pass", "findings--quiet",
        "findings--seq", "findings--text",
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__("findings")
        self.rows: Sequence[FoundLine] = ()
        self._where_cells = 4

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def row(self) -> FoundLine | None:
        """The line under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    @property
    def findings(self) -> int:
        """How many lines are findings."""
        return sum(row.kind == "finding" for row in self.rows)

    def show(self, rows: Sequence[FoundLine], *, follow: bool = True) -> None:
        """Show these lines. The cursor stays on its line, and that where it is seen; or, unless it is to
        `follow` its line, where it is."""
        if rows == self.rows:
            return
        before, was = self.row, self.cursor
        self.rows = rows
        cells = (width(row.where) for row in rows if row.kind == "finding")
        self._where_cells = min(max(cells, default=4), _WHERE_CELLS)
        found = self._find(before, was) if before is not None and follow else None
        self.redraw()
        if found is not None and found != was:
            self.cursor = found
            self._scroll_rows(round(self.scroll_y) + found - was)
        self.reveal()

    def _find(self, line: FoundLine, was: int) -> int:
        """Where a line is now; where it is no more, what stands nearest to its place."""
        same = [index for index, row in enumerate(self.rows) if row.identity == line.identity]
        if same:
            return min(same, key=lambda index: abs(index - was))
        title = (index for index, row in enumerate(self.rows) if row.group == line.group)
        return max((index for index in title if index <= was), default=min(was, self.count - 1))

    def neighbour(self, index: int, step: int) -> int | None:
        """The next (1) or previous (-1) finding."""
        index += step
        while 0 <= index < self.count:
            if self.rows[index].kind == "finding":
                return index
            index += step
        return None

    def cuts(self, index: int) -> bool:
        """Whether there was no room for all of a line."""
        return sum(width(part.text) for part in self._parts(self.rows[index])) > self.row_width

    def key(self, index: int) -> Hashable:
        return self.rows[index], self._where_cells

    def draw(self, index: int, width: int) -> Strip:
        parts, room = [], width
        for part in self._parts(self.rows[index]):
            text = crop(part.text, room)
            parts.append(Segment(text, part.style))
            room -= Segment(text).cell_length
            if room <= 0:
                break
        return Strip(parts)

    def _parts(self, row: FoundLine) -> list[Segment]:
        fold = " " if row.folded is None else "▸" if row.folded else "▾"
        state = self._style("quiet" if row.weight in ("note", "wait") else row.weight)
        sign = Segment(f"{row.sign} ", state)
        match row.kind:
            case "title":
                name = Segment(f"{pad(row.group, _NAME_CELLS)} ", self._style("title"))
                status = Segment(f"{pad(row.word, _STATUS_CELLS)} ", state)
                return [Segment(fold, self._style("quiet")), sign, name, status, self._text(row, "text")]
            case "check":
                name = Segment(f"{pad(row.where, _STATUS_CELLS)}", self._style("title"))
                status = Segment(f"{pad(row.word, _STATUS_CELLS)} ", state)
                head = Segment(f"  {fold}", self._style("quiet"))
                return [head, sign, name, status, self._text(row, "text")]
            case "finding":
                word = Segment(f"{pad(row.word, _WORD_CELLS)} ", state)
                where = Segment(f"{pad_left(row.where, self._where_cells)}  ", self._style("seq"))
                return [Segment("     "), sign, word, where, self._text(row, "text")]
            case _:
                sign = Segment("     … " if row.kind == "more" else "   · ", self._style("quiet"))
                return [sign, self._text(row, "seq" if row.kind == "more" else "quiet")]

    def _text(self, row: FoundLine, style: str) -> Segment:
        return Segment(row.text, self._style(style))

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"findings--{name}", partial=True)
