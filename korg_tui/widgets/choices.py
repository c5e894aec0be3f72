"""ChoiceList: the lines of a form, each with what is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from korg_tui.text import crop, pad
from korg_tui.widgets.lines import LineList

_NAME_CELLS = 11


@dataclass(frozen=True, slots=True)
class Choice:
    """One line: its name, what is chosen, and whether there are others."""

    name: str
    value: str
    more: bool = False
    strong: bool = False


class ChoiceList(LineList):
    """One row per choice."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "choices--name", "choices--value", "choices--arrow", "choices--strong",
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__("choices")
        self.rows: Sequence[Choice] = ()

    @property
    def count(self) -> int:
        return len(self.rows)

    def show(self, rows: Sequence[Choice]) -> None:
        """Show these lines."""
        self.rows = rows
        self.redraw()

    def draw(self, index: int, width: int) -> Strip:
        row = self.rows[index]
        name = Segment(f" {pad(row.name, _NAME_CELLS)}", self._style("name"))
        room = width - _NAME_CELLS - 7
        value = Segment(crop(row.value, room), self._style("strong" if row.strong else "value"))
        before, after = ("‹ ", " ›") if row.more else ("  ", "")
        return Strip(
            [name, Segment(before, self._style("arrow")), value, Segment(after, self._style("arrow"))]
        )

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"choices--{name}", partial=True)
