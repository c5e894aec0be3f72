"""EffectList: what an event carries away, one row each, with its rule and in words."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from korg_tui.text import crop, pad, width
from korg_tui.views import Effect, Effects, to_ascii
from korg_tui.widgets.lines import LineList

_WIDE, _VERY_WIDE = 96, 136
_LANE_CELLS, _TOOL_CELLS, _SHORT_TOOL_CELLS = 10, 16, 13
_WORDS_CELLS, _MANY_WORDS_CELLS = 38, 52


class EffectList(LineList):
    """The rows of `Effects`."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "effects--seq", "effects--certain", "effects--possible", "effects--quiet", "effects--tool",
        "effects--argument", "effects--bad",
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__("effects")
        self.effects: Effects | None = None
        self.ascii_only = False
        self._seq_cells = 4

    @property
    def count(self) -> int:
        return 0 if self.effects is None else len(self.effects.rows)

    @property
    def effect(self) -> Effect | None:
        """The row under the cursor."""
        return None if self.effects is None or not self.count else self.effects.row(self.cursor)

    def show(self, effects: Effects) -> None:
        """Show these effects; the cursor stays on its event."""
        before = self.effect
        self.effects = effects
        last = effects.row(len(effects.rows) - 1).number if effects.rows else ""
        self._seq_cells = max(4, width(last))
        if before is not None:
            row = effects.ledger.row_of(before.seq)
            self.cursor = effects.rows.index(row) if row in effects.rows else self.cursor
        self.redraw()
        self.reveal()

    def clear(self) -> None:
        """Show nothing: the rows are not what they were."""
        self.effects = None
        self.redraw()

    def head(self) -> str:
        """The names of the columns."""
        lane = f"{pad('lane', _LANE_CELLS)} " if self.row_width >= _WIDE else ""
        return f" {'seq':>{self._seq_cells}}   {lane}event"

    def key(self, index: int) -> Hashable:
        return index

    def draw(self, index: int, width: int) -> Strip:
        assert self.effects is not None
        row = self.effects.row(index)
        fate = "effects--possible" if row.possible else "effects--certain"
        sign = to_ascii(row.sign) if self.ascii_only else row.sign
        parts = [
            Segment(f" {pad_left(row.number, self._seq_cells)} ", self._style("effects--seq")),
            Segment(f"{sign} ", self._style(fate)),
        ]
        if width >= _WIDE:
            parts.append(Segment(f"{pad(row.lane, _LANE_CELLS)} ", self._style("effects--quiet")))
        tool = _TOOL_CELLS if width >= _WIDE else _SHORT_TOOL_CELLS
        parts.append(Segment(f"{pad(row.tool, tool)} ", self._style("effects--tool")))
        room = width - sum(part.cell_length for part in parts)
        words = min(_MANY_WORDS_CELLS if width >= _VERY_WIDE else _WORDS_CELLS, room)
        failed = "✗ failed " if row.failed else ""
        argument = max(0, room - words - 1 - len(failed))
        parts.append(Segment(pad(row.argument, argument), self._style("effects--argument")))
        parts.append(Segment(f" {failed}", self._style("effects--bad")))
        parts.append(Segment(crop(row.words, words), self._style(fate)))
        return Strip(parts)

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(name, partial=True)


def pad_left(text: str, cells: int) -> str:
    """Safe text at the right end of so many cells."""
    cropped = crop(text, cells)
    return " " * (cells - width(cropped)) + cropped
