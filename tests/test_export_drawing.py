"""Rails as strokes and dots: what the characters say, and nothing else."""

from __future__ import annotations

from korg_tui.export.drawing import Cell, drawn
from korg_tui.views import Node


def cells(text: str, lanes: str) -> list[Cell]:
    numbers = (None if lane == "." else int(lane) for lane in lanes)
    return [Cell(*cell) for cell in zip(text, numbers, strict=True)]


def test_a_fork_and_a_return() -> None:
    rows = [cells("●   ", "0..."), cells("├─● ", "011."), cells("├─╯ ", "011."), cells("└─  ", "00..")]
    first, fork, back, last = drawn(rows)
    assert [stroke.path for stroke in first.strokes] == ["M4 12V24"]
    assert (first.dot.lane, first.dot.x, first.dot.node) == (0, 4, Node.SPINE) if first.dot else False
    assert {(stroke.lane, stroke.path) for stroke in fork.strokes} == {
        (0, "M4 0V24M4 12H8"), (1, "M8 12H16M20 12V24M16 12H20"),
    }  # fmt: skip
    assert (1, "M8 12H16M20 0V8Q20 12 16 12") in {(stroke.lane, stroke.path) for stroke in back.strokes}
    assert [stroke.path for stroke in last.strokes] == ["M4 0V12M4 12H8M8 12H16"]


def test_dots_join_their_own_lane_only() -> None:
    rows = [cells("● ", "0."), cells("● ", "1."), cells("◌ ", "1.")]
    first, second, third = drawn(rows)
    assert first.strokes == ()
    assert [stroke.path for stroke in second.strokes] == ["M4 12V24"]
    assert third.dot is not None
    assert third.dot.node is Node.BROKEN


def test_what_is_only_possible_is_dashed() -> None:
    (row,) = drawn([cells("├┄╯ ", "011.")])
    assert {(stroke.path, stroke.dashed) for stroke in row.strokes} >= {("M8 12H16", True)}


def test_nothing_is_drawn_of_nothing() -> None:
    assert list(drawn([])) == []
    (row,) = drawn([[]])
    assert (row.strokes, row.dot) == ((), None)
