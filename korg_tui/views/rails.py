"""Rails: the lanes of a session drawn as straight columns, one row at a time (EXPERIENCE, screen 2).

A column is two cells: a glyph, and a filler that reaches for the column to the right. A lane is a rail from
its opener to its last event, or further to where a lane it forked starts, or to where its return joins:

    ●        a prompt or an inference        ◌   a head whose cause is missing
    ├─       a tool call                     ▸   a folded lane or round
    ├╴       bookkeeping                     …   lanes beyond the last column
    ├─●      a lane forks here               ├─╯ a lane returns here (`├┄╯`: possibly)
    └─       a lane ends here                ├─┼ … passing another rail

Layout costs O(lanes), one row O(columns · log lanes). Positions are row numbers of the ledger, or any other
numbers that ascend with the rows.
"""

from __future__ import annotations

import enum
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

COLUMNS = 12
"""Columns before the lanes share the overflow column."""


class Node(enum.Enum):
    """What a row is to its rail."""

    SPINE = "●"
    BROKEN = "◌"
    FOLDED = "▸"
    CALL = "─"
    NOTE = "╴"
    NONE = " "
    """A row off the lanes: all rails pass it by."""


class Join(NamedTuple):
    """The row of a linked spawn call, the lane of that row, and whether the link is certain."""

    position: int
    lane: int
    certain: bool


@dataclass(frozen=True, slots=True)
class LaneSpan:
    """The life of one lane: from its opener to its last row, both inclusive.

    `parent` is the lane it was forked from, or None for the lane of a head. Joins earlier than the opener
    are not drawn."""

    lane: int
    opener: int
    last: int
    parent: int | None = None
    joins: tuple[Join, ...] = ()


class RailRun(NamedTuple):
    """A piece of a row's drawing, and the lane whose colour it takes (None: no lane's)."""

    text: str
    lane: int | None


class _Wire(NamedTuple):
    """A horizontal connection from the event's column to another one."""

    column: int
    lane: int
    certain: bool


_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_BOXES = {
    0: " ",
    _UP: "╵",
    _DOWN: "╷",
    _LEFT: "╴",
    _RIGHT: "╶",
    _UP | _DOWN: "│",
    _LEFT | _RIGHT: "─",
    _UP | _LEFT: "╯",
    _UP | _RIGHT: "╰",
    _DOWN | _LEFT: "╮",
    _DOWN | _RIGHT: "╭",
    _UP | _DOWN | _LEFT: "┤",
    _UP | _DOWN | _RIGHT: "├",
    _UP | _LEFT | _RIGHT: "┴",
    _DOWN | _LEFT | _RIGHT: "┬",
    _UP | _DOWN | _LEFT | _RIGHT: "┼",
}
_CALL_ENDS = {"╰": "└", "╭": "┌"}
_ASCII = str.maketrans(
    {"●": "*", "◌": "?", "▸": ">", "…": ":", "│": "|", "─": "-", "┄": "~", "╴": "."}
    | {"✗": "x", "╳": "X", "§": "$", "≠": "%", "·": ".", "↺": "@", "○": "o"}
    | dict.fromkeys("├┤┼┴┬┌╭", "+")
    | {"╯": "'", "╰": "`", "└": "`", "╮": ".", "╵": "|", "╷": "|", "╶": "-"}
)


def to_ascii(rails: str) -> str:
    """The same rails, or the same sign of a row, for fonts without box drawing, cell by cell."""
    return rails.translate(_ASCII)


class _Column:
    """The lanes that share one column, one after the other."""

    __slots__ = ("ends", "lanes", "starts")

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.lanes: list[int] = []

    def add(self, lane: int, start: int, end: int) -> None:
        self.lanes.append(lane)
        self.starts.append(start)
        self.ends.append(end)

    def at(self, position: int) -> tuple[int, bool, bool] | None:
        """The lane alive at `position`, and whether its rail goes on above and below."""
        index = bisect_right(self.starts, position) - 1
        if index < 0 or self.ends[index] < position:
            return None
        return self.lanes[index], self.starts[index] < position, self.ends[index] > position


class Rails:
    """The rails of one session, laid out from the lives of its lanes, given in the order of their openers."""

    def __init__(self, spans: Sequence[LaneSpan], columns: int = COLUMNS) -> None:
        self._spans = {span.lane: span for span in spans}
        self._cap = columns
        self._columns: list[_Column] = []
        self._place: dict[int, int] = {}
        self._joins: dict[int, list[tuple[int, bool]]] = {}
        self._lay_out(spans)

    def _lay_out(self, spans: Sequence[LaneSpan]) -> None:
        ends = _ends(spans)
        beyond_starts: list[int] = []
        beyond_ends: list[int] = []
        for span in spans:
            column = self._free_column(span)
            self._place[span.lane] = column
            if column == self._cap:
                beyond_starts.append(span.opener)
                beyond_ends.append(ends[span.lane])
            else:
                self._columns[column].add(span.lane, span.opener, ends[span.lane])
            for join in _drawn(span):
                self._joins.setdefault(join.position, []).append((span.lane, join.certain))
        self._beyond_starts = sorted(beyond_starts)
        self._beyond_ends = sorted(beyond_ends)

    def _free_column(self, span: LaneSpan) -> int:
        """The first free column to the right of the lane it was forked from, so that forks only go right."""
        first = 0 if span.parent is None else min(self._place.get(span.parent, -1) + 1, self._cap)
        for index in range(first, self._cap):
            if index == len(self._columns):
                self._columns.append(_Column())
            column = self._columns[index]
            if not column.ends or column.ends[-1] < span.opener:
                return index
        return self._cap

    @property
    def columns(self) -> int:
        """Columns in use, the overflow column included."""
        return len(self._columns) + (1 if self._beyond_starts else 0)

    @property
    def width(self) -> int:
        """Cells of every drawn row."""
        return 2 * self.columns

    def column_of(self, lane: int) -> int | None:
        """The column of a lane: the last one when it is beyond the cap, None when it is not laid out."""
        return self._place.get(lane)

    def draw(self, position: int, lane: int | None, node: Node) -> tuple[RailRun, ...]:
        """The rails of the row at `position`, whose event lies in `lane` (None: off the lanes)."""
        event = None if lane is None or node is Node.NONE else self._place.get(lane)
        wires = [] if event is None or lane is None else self._wires(position, lane, event)
        cells = [self._cell(index, position, event, node, wires) for index in range(self.columns)]
        return _merge(cells)

    def above(self, position: int) -> tuple[RailRun, ...]:
        """The rails that come from above to the row at `position`, for a line between two rows."""
        alive = (self._alive(column, position) for column in range(self.columns))
        return _merge(
            (RailRun(_BOXES[_UP | _DOWN] if up else " ", lane), RailRun(" ", lane)) for lane, up, _ in alive
        )

    def text(self, position: int, lane: int | None, node: Node) -> str:
        """The same as plain text."""
        return "".join(run.text for run in self.draw(position, lane, node))

    def _wires(self, position: int, lane: int, event: int) -> list[_Wire]:
        wires = []
        span = self._spans[lane]
        if span.opener == position and span.parent in self._place:
            wires.append(_Wire(self._place[span.parent], lane, certain=True))
        for joined, certain in self._joins.get(position, ()):
            wires.append(_Wire(self._place[joined], joined, certain))
        return [wire for wire in wires if wire.column != event]

    def _cell(
        self, column: int, position: int, event: int | None, node: Node, wires: list[_Wire]
    ) -> tuple[RailRun, RailRun]:
        lane, up, down = self._alive(column, position)
        left = _reaching(wires, event, column, -1)
        right = _reaching(wires, event, column, +1)
        directions = up * _UP | down * _DOWN | bool(left) * _LEFT | bool(right) * _RIGHT
        if column == event:
            glyph, stub = _event(directions, node)
        elif column == self._cap and lane is not None:
            glyph, stub = "…", " "
        else:
            glyph, stub = _BOXES[directions], " "
        certain = any(wire.certain for wire in right)
        if glyph == "─" and not certain:
            glyph = "┄"
        owner = lane if lane is not None else _lane_of(left or right)
        if not right:
            return RailRun(glyph, owner), RailRun(stub, owner)
        filler = "─" if certain else "┄"
        return RailRun(glyph, owner), RailRun(filler, _lane_of(right))

    def _alive(self, column: int, position: int) -> tuple[int | None, bool, bool]:
        if column < len(self._columns):
            return self._columns[column].at(position) or (None, False, False)
        begun = bisect_right(self._beyond_starts, position)
        over = bisect_left(self._beyond_ends, position)
        return (_BEYOND, True, True) if begun > over else (None, False, False)


_BEYOND = -1


def _drawn(span: LaneSpan) -> Iterable[Join]:
    return (join for join in span.joins if join.position > span.opener)


def _ends(spans: Sequence[LaneSpan]) -> dict[int, int]:
    """Where each rail ends: with its last event, fork or return, whichever comes last."""
    ends: dict[int, int] = {}
    for span in spans:
        ends[span.lane] = max([span.last, *(join.position for join in _drawn(span))])
        if span.parent in ends:
            ends[span.parent] = max(ends[span.parent], span.opener)
    return ends


def _reaching(wires: list[_Wire], event: int | None, column: int, side: int) -> list[_Wire]:
    """The wires that cross the border of `column` to its left (-1) or right (+1)."""
    if event is None or not wires:
        return []
    border = column + side / 2
    return [wire for wire in wires if min(event, wire.column) < border < max(event, wire.column)]


def _event(directions: int, node: Node) -> tuple[str, str]:
    if node in (Node.SPINE, Node.BROKEN, Node.FOLDED):
        return node.value, " "
    box = _BOXES[directions | _RIGHT]
    return _CALL_ENDS.get(box, box), node.value


def _lane_of(wires: list[_Wire]) -> int | None:
    return wires[0].lane if wires else None


def _merge(cells: Iterable[tuple[RailRun, RailRun]]) -> tuple[RailRun, ...]:
    """Neighbours of one lane become one run; blanks belong to nobody."""
    runs: list[RailRun] = []
    for run in (piece for cell in cells for piece in cell):
        lane = None if run.lane == _BEYOND or run.text == " " else run.lane
        if runs and (runs[-1].lane == lane):
            runs[-1] = RailRun(runs[-1].text + run.text, lane)
        else:
            runs.append(RailRun(run.text, lane))
    return tuple(runs)
