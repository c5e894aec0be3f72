"""Drawing: the rails of a spine as strokes and dots, for pictures and pages.

Every row is a band `HEIGHT` high; a column of rails is two cells of `CELL` wide. What a character of the
rails says is drawn, nothing is laid out anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from korg_tui.views import Node, RailRun

CELL = 8
HEIGHT = 24
_MIDDLE = HEIGHT // 2
_HALF = CELL // 2

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_ARMS = {
    "╵": _UP, "╷": _DOWN, "╴": _LEFT, "╶": _RIGHT, "│": _UP | _DOWN, "─": _LEFT | _RIGHT, "┄": _LEFT | _RIGHT,
    "╯": _UP | _LEFT, "╰": _UP | _RIGHT, "└": _UP | _RIGHT, "╮": _DOWN | _LEFT, "╭": _DOWN | _RIGHT,
    "┌": _DOWN | _RIGHT, "┤": _UP | _DOWN | _LEFT, "├": _UP | _DOWN | _RIGHT, "┴": _UP | _LEFT | _RIGHT,
    "┬": _DOWN | _LEFT | _RIGHT, "┼": _UP | _DOWN | _LEFT | _RIGHT, "…": _UP | _DOWN,
}  # fmt: skip
_ROUND = {"╯", "╰", "╮", "╭"}
_DASHED = {"┄", "…"}
_DOTS = {node.value: node for node in (Node.SPINE, Node.BROKEN, Node.FOLDED)}


class Cell(NamedTuple):
    """One character of the rails, and the lane whose colour it takes."""

    text: str
    lane: int | None


@dataclass(frozen=True, slots=True)
class Stroke:
    """Lines of one lane in one row: `path` as in an SVG `d`, from the top left of the row."""

    lane: int | None
    path: str
    dashed: bool


@dataclass(frozen=True, slots=True)
class Dot:
    """The event on its rail."""

    lane: int | None
    x: int
    node: Node


@dataclass(frozen=True, slots=True)
class RowDrawing:
    """All that is drawn of the rails in one row."""

    strokes: tuple[Stroke, ...]
    dot: Dot | None


def cells_of(runs: Iterable[RailRun]) -> list[Cell]:
    """The cells of a row's rails."""
    return [Cell(character, run.lane) for run in runs for character in run.text]


def drawn(rows: Iterable[list[Cell]]) -> Iterator[RowDrawing]:
    """The drawing of each row. A dot is joined to its lane above and below: rows are seen in threes."""
    above: list[Cell] = []
    here: list[Cell] | None = None
    for below in rows:
        if here is not None:
            yield _row(above, here, below)
            above = here
        here = below
    if here is not None:
        yield _row(above, here, [])


def _row(above: list[Cell], here: list[Cell], below: list[Cell]) -> RowDrawing:
    paths: dict[tuple[int | None, bool], list[str]] = {}
    dot = None
    for index, cell in enumerate(here):
        if cell.text == " ":
            continue
        x = index * CELL + _HALF
        if cell.text in _DOTS:
            dot = Dot(cell.lane, x, _DOTS[cell.text])
            arms = _arms_of_dot(index, cell, above, here, below)
        else:
            arms = _ARMS.get(cell.text, 0)
        path = _path(x, arms, round_off=cell.text in _ROUND)
        if path:
            paths.setdefault((cell.lane, cell.text in _DASHED), []).append(path)
    strokes = [Stroke(lane, "".join(found), dashed) for (lane, dashed), found in paths.items()]
    return RowDrawing(tuple(strokes), dot)


def _arms_of_dot(index: int, cell: Cell, above: list[Cell], here: list[Cell], below: list[Cell]) -> int:
    arms = 0
    if index < len(above) and _reaches(above[index], cell, _DOWN):
        arms |= _UP
    if index < len(below) and _reaches(below[index], cell, _UP):
        arms |= _DOWN
    if index and here[index - 1].text in ("─", "┄"):
        arms |= _LEFT
    if index + 1 < len(here) and here[index + 1].text in ("─", "┄"):
        arms |= _RIGHT
    return arms


def _reaches(other: Cell, cell: Cell, arm: int) -> bool:
    """Whether a cell above or below is of the same rail and reaches here."""
    return other.lane == cell.lane and (other.text in _DOTS or bool(_ARMS.get(other.text, 0) & arm))


def _path(x: int, arms: int, *, round_off: bool) -> str:
    left, right = x - _HALF, x + _HALF
    if round_off:
        y, start = (0, _MIDDLE - _HALF) if arms & _UP else (HEIGHT, _MIDDLE + _HALF)
        return f"M{x} {y}V{start}Q{x} {_MIDDLE} {left if arms & _LEFT else right} {_MIDDLE}"
    path = ""
    if arms & (_UP | _DOWN):
        path += f"M{x} {0 if arms & _UP else _MIDDLE}V{HEIGHT if arms & _DOWN else _MIDDLE}"
    if arms & (_LEFT | _RIGHT):
        path += f"M{left if arms & _LEFT else x} {_MIDDLE}H{right if arms & _RIGHT else x}"
    return path
