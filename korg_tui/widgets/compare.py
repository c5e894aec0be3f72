"""CompareRows: two sides, event beside event. ChoiceList: what to compare with."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from korg_tui.text import crop, pad
from korg_tui.text import width as cells
from korg_tui.views import COMPARE_SIGNS, COMPARE_WORDS, Act, Comparison, Match, duration, outcome
from korg_tui.widgets.lines import LineList
from korg_tui.widgets.names import ending, fitted

_STATE_CELLS = 13
_WHAT_CELLS = 28
_WIDE, _VERY_WIDE = 110, 160
_TOOL_CELLS, _TOOK_CELLS = 13, 9
_LANE_CELLS = 3
_LEDGER_CELLS = 16
_OF_LEDGER = " › "
_ASCII_SIGNS = {"=": "=", "≠": "!", "‹": "<", "›": ">"}

SideName = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to compare with. All text is safe."""

    ledger: str
    """Empty where it is the session itself."""
    title: str
    """`session 2`"""
    told: str
    age: str

    @property
    def words(self) -> str:
        """What can be looked for in it, without upper case."""
        return f"{self.ledger} {self.title} {self.told}".casefold()


def titled(name: str, room: int) -> str:
    """`LEDGER › session 2` in at most so many cells: the ledger is cut, the session is not."""
    ledger, sign, session = name.rpartition(_OF_LEDGER)
    tail = sign + session
    return ending(ledger, room - len(tail)) + tail if sign and room > len(tail) + 3 else ending(name, room)


def apart(left: str, right: str, room: int) -> tuple[str, str]:
    """The names of two sides in at most so many cells each; of the same ledger, only the sessions."""
    (ledger, sign, session), (other, _, beside) = left.rpartition(_OF_LEDGER), right.rpartition(_OF_LEDGER)
    if ledger and other == ledger:
        return session, beside
    if not (ledger and other):
        return titled(left, room), titled(right, room)
    names = fitted([ledger, other], max(4, room - len(sign) - max(len(session), len(beside))))
    return f"{names[ledger]}{sign}{session}", f"{names[other]}{sign}{beside}"


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
        left, right = apart(left, right, half - 9)
        return (
            f"{pad('', _STATE_CELLS)}{pad(marks['left'] + 'left: ' + left, half)} "
            f"{pad(marks['right'] + 'right: ' + right, half)}"
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

    def _act(self, act: Act | None, half: int, width: int) -> list[Segment]:
        if act is None:
            return [Segment(" " * half)]
        seq = str(act.seq) if len(str(act.seq)) <= self._digits else "·"
        lane = f"{act.lane:>{_LANE_CELLS - 1}} " if width >= _WIDE else ""
        took = (
            f"{duration(act.duration_ms):>{_TOOK_CELLS}} " if width >= _VERY_WIDE and act.duration_ms else ""
        )
        failed = "✗" if outcome(act) == "failed" else " "
        room = half - self._digits - 3 - len(lane) - _TOOL_CELLS - len(took)
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
        self._cells = (0, 0, 0)
        """What ages, titles and ledgers need."""
        self._fitted: tuple[int, dict[str, str]] = 0, {}

    @property
    def count(self) -> int:
        return len(self.rows)

    def show(self, rows: Sequence[Choice]) -> None:
        """Offer these."""
        if rows != self.rows:
            self.rows = rows
            others = [row for row in rows if row.ledger]
            self._cells = (
                max((cells(row.age) for row in rows), default=0),
                max((cells(row.title) for row in others), default=0),
                max((cells(row.ledger) for row in others), default=0),
            )
            self._fitted = 0, {}
            self.redraw()

    def draw(self, index: int, width: int) -> Strip:
        row = self.rows[index]
        age, title, ledger = self._cells
        ledger = min(ledger, max(_LEDGER_CELLS, width // 3))
        which = pad(row.title, max(cells(row.title), title + 2 + ledger))
        if row.ledger:
            which = f"{pad(row.title, title)}  {pad(self._names(ledger)[row.ledger], ledger)}"
        told = max(0, width - age - cells(which) - 6)
        return Strip(
            [
                Segment(f"  {pad(row.age, age)}  ", self._style("quiet")),
                Segment(f"{which}  ", self._style("tool")),
                Segment(crop(row.told, told), self._style("argument")),
            ]
        )

    def _names(self, room: int) -> dict[str, str]:
        """The ledgers in so many cells, cut so that they differ."""
        if self._fitted[0] != room:
            self._fitted = room, fitted({each.ledger for each in self.rows}, room)
        return self._fitted[1]

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"compare--{name}", partial=True)
