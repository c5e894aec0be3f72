"""CompareRows: two sides, event beside event. ChoiceList: what to compare with."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from korg_tui.text import crop, pad
from korg_tui.views import COMPARE_SIGNS, COMPARE_WORDS, Act, Comparison, Match, duration, outcome
from korg_tui.widgets.lines import LineList
from korg_tui.widgets.names import ending

_STATE_CELLS = 13
_WHAT_CELLS = 28
_WIDE, _VERY_WIDE = 110, 160
_TOOL_CELLS, _TOOK_CELLS = 13, 9
_LANE_CELLS = 3
_ASCII_SIGNS = {"=": "=", "≠": "!", "‹": "<", "›": ">"}

SideName = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to compare with. All text is safe."""

    title: str
    told: str
    age: str


class CompareRows(LineList):
    """One row per match."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "compare--same", "compare--changed", "compare--left", "compare--right", "compare--seq",
        "compare--tool", "compare--argument", "compare--quiet", "compare--bad", "compare--line",
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__("compare-rows")
        self.comparison: Comparison | None = None
        self.shown: Sequence[int] = ()
        """The matches that are shown, by number."""
        self.ascii_only = False
        self._digits = 3
        self._version = 0

    @property
    def count(self) -> int:
        return len(self.shown)

    @property
    def number(self) -> int | None:
        """The match under the cursor."""
        return self.shown[self.cursor] if self.shown else None

    def show(self, comparison: Comparison, shown: Sequence[int], at: int | None) -> None:
        """Show these matches, the cursor on match `at`, or on what is left after it."""
        self.comparison, self.shown = comparison, shown
        acts = (*comparison.left.acts, *comparison.right.acts)
        self._digits = max(3, len(str(max((act.seq for act in acts if act.row >= 0), default=0))))
        self._digits = min(self._digits, 8)
        self._version += 1
        if at is not None:
            self.cursor = next((index for index, number in enumerate(shown) if number >= at), len(shown) - 1)
        self.redraw()
        self.reveal(jump=True)

    def key(self, index: int) -> Hashable:
        return index, self._version

    def half(self, width: int) -> int:
        """Cells of one side."""
        return (width - _STATE_CELLS - 1 - (_WHAT_CELLS if width >= _WIDE else 0)) // 2

    def head(self, left: str, right: str, width: int, at: SideName) -> str:
        """What stands over the columns: the names of the sides, the one that enter opens marked."""
        half = self.half(width)
        marks = {name: "▸ " if name == at else "  " for name in ("left", "right")}
        return (
            f"{pad('', _STATE_CELLS)}{pad(marks['left'] + 'left: ' + ending(left, half - 8), half)} "
            f"{pad(marks['right'] + 'right: ' + ending(right, half - 9), half)}"
        )

    def draw(self, index: int, width: int) -> Strip:
        comparison = self.comparison
        assert comparison is not None
        number = self.shown[index]
        match, acts, half = comparison.matches[number], comparison.acts(number), self.half(width)
        sign = COMPARE_SIGNS[match.state]
        state = f" {_ASCII_SIGNS[sign] if self.ascii_only else sign} {COMPARE_WORDS[match.state]}"
        parts = [Segment(pad(state, _STATE_CELLS), self._style(match.state))]
        parts += self._act(acts[0], half, width)
        parts.append(Segment("│", self._style("line")))
        parts += self._act(acts[1], half, width)
        if width >= _WIDE:
            parts.append(Segment(pad(f" {_what(match)}", _WHAT_CELLS), self._style(match.state)))
        return Strip(parts)

    def _act(self, act: Act | None, cells: int, width: int) -> list[Segment]:
        if act is None:
            return [Segment(" " * cells)]
        seq = str(act.seq) if len(str(act.seq)) <= self._digits else "·"
        lane = f"{act.lane:>{_LANE_CELLS - 1}} " if width >= _WIDE else ""
        took = (
            f"{duration(act.duration_ms):>{_TOOK_CELLS}} " if width >= _VERY_WIDE and act.duration_ms else ""
        )
        failed = "✗" if outcome(act) == "failed" else " "
        room = cells - self._digits - 3 - len(lane) - _TOOL_CELLS - len(took)
        gone = act.row < 0
        return [
            Segment(f"{seq:>{self._digits}} ", self._style("seq")),
            Segment(lane, self._style("quiet")),
            Segment(f"{failed} ", self._style("bad")),
            Segment(pad(act.tool, _TOOL_CELLS - 1) + " ", self._style("quiet" if gone else "tool")),
            Segment(
                pad(act.argument or act.trouble, max(room, 0)), self._style("quiet" if gone else "argument")
            ),
            Segment(took, self._style("quiet")),
        ]

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"compare--{name}", partial=True)


def _what(match: Match) -> str:
    return ", ".join(match.what)


class ChoiceList(LineList):
    """What a session can be compared with, one row each."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"compare--tool", "compare--argument", "compare--quiet"}

    def __init__(self) -> None:
        super().__init__("compare-choices")
        self.rows: Sequence[Choice] = ()

    @property
    def count(self) -> int:
        return len(self.rows)

    def show(self, rows: Sequence[Choice]) -> None:
        """Offer these."""
        if rows != self.rows:
            self.rows = rows
            self.redraw()

    def draw(self, index: int, width: int) -> Strip:
        row = self.rows[index]
        title = max(24, width * 2 // 5)
        return Strip(
            [
                Segment(f"  {pad(row.age, 12)} ", self._style("quiet")),
                Segment(pad(ending(row.title, title - 1), title), self._style("tool")),
                Segment(crop(row.told, width - 15 - title), self._style("argument")),
            ]
        )

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"compare--{name}", partial=True)
