"""The rails of a session, as tables: the ledger on the left, its drawing on the right.

    LANE [<PARENT] WHAT [=LANE] [~LANE]        | drawing

`<PARENT` opens a lane that forks from PARENT; `=LANE` is the spawn call that LANE returned to, `~LANE` one
that it may have returned to. WHAT is prompt, inference, call, note (bookkeeping), head (its cause is missing)
or fold (a folded lane or round); `off` is a row of no lane.
"""

from __future__ import annotations

import pytest

from korg_tui.views.rails import Join, LaneSpan, Node, RailRun, Rails, to_ascii

WHAT = {
    "prompt": Node.SPINE, "inference": Node.SPINE, "call": Node.CALL, "note": Node.NOTE, "head": Node.BROKEN,
    "fold": Node.FOLDED, "off": Node.NONE,
}  # fmt: skip


def parse(table: str) -> tuple[list[LaneSpan], list[tuple[int | None, Node]], list[str]]:
    lanes: dict[str, int] = {}
    parents: dict[str, int | None] = {}
    positions: dict[str, list[int]] = {}
    joins: dict[str, list[Join]] = {}
    rows: list[tuple[int | None, Node]] = []
    drawings: list[str] = []
    for position, line in enumerate(table.strip("\n").splitlines()):
        left, drawing = line.split("|", 1)
        name, *words = left.split()
        drawings.append(drawing.removeprefix(" ").rstrip())
        if name == "off":
            rows.append((None, Node.NONE))
            continue
        parent = words.pop(0)[1:] if words[0].startswith("<") else None
        if name not in lanes:
            lanes[name] = len(lanes)
            parents[name] = None if parent is None else lanes[parent]
        positions.setdefault(name, []).append(position)
        for word in words[1:]:
            joins.setdefault(word[1:], []).append(Join(position, lanes[name], word[0] == "="))
        rows.append((lanes[name], WHAT[words[0]]))
    spans = [
        LaneSpan(lane, positions[name][0], positions[name][-1], parents[name], tuple(joins.get(name, ())))
        for name, lane in lanes.items()
    ]
    return spans, rows, drawings


def draw(table: str, columns: int = 12) -> list[str]:
    spans, rows, _ = parse(table)
    rails = Rails(spans, columns)
    return [rails.text(position, lane, node).rstrip() for position, (lane, node) in enumerate(rows)]


TABLES = {
    "the worked example of the spec": """
main prompt                 | ●
main inference              | ●
sub <main prompt            | ├─●
sub inference               | │ ●
sub call                    | │ ├─
main call =sub              | ├─╯
main inference              | ●
""",
    "a lane alone, ending with a call": """
main prompt                 | ●
main inference              | ●
main call                   | ├─
main note                   | ├╴
main call                   | └─
""",
    "parallel sub-agents return in another order": """
main prompt                 | ●
main inference              | ●
a <main prompt              | ├─●
b <main prompt              | ├─┼─●
c <main prompt              | ├─┼─┼─●
a inference                 | │ ● │ │
c inference                 | │ │ │ ●
b inference                 | │ │ ● │
main call =b                | ├─┼─╯ │
main call =c                | ├─┼───╯
main call =a                | ├─╯
main inference              | ●
""",
    "a nested sub-agent": """
main prompt                 | ●
main inference              | ●
a <main prompt              | ├─●
a inference                 | │ ●
b <a prompt                 | │ ├─●
b inference                 | │ │ ●
b call                      | │ │ ├─
a call =b                   | │ ├─╯
a inference                 | │ ●
main call =a                | ├─╯
main inference              | ●
""",
    "two parents, crossing": """
main prompt                 | ●
main inference              | ●
a <main prompt              | ├─●
b <main prompt              | ├─┼─●
a inference                 | │ ● │
c <a prompt                 | │ ├─┼─●
b call                      | │ │ ├─│
a call =c                   | │ ├─┼─╯
main call =b                | ├─┼─╯
main call =a                | └─╯
""",
    "a lane that ends without return, in a call": """
main prompt                 | ●
main inference              | ●
a <main prompt              | ├─●
a inference                 | │ ●
a call                      | │ └─
main inference              | ●
main call                   | └─
""",
    "a lane that ends without return, in an inference": """
main prompt                 | ●
a <main prompt              | ├─●
a inference                 | │ ●
main inference              | ●
""",
    "a lane that outlives the one it came from": """
main prompt                 | ●
main inference              | ●
a <main prompt              | ╰─●
a inference                 |   ●
a call                      |   └─
""",
    "a return that is only possible": """
main prompt                 | ●
main inference              | ●
a <main prompt              | ├─●
b <main prompt              | ├─┼─●
a inference                 | │ ● │
b inference                 | │ │ ●
main call ~a ~b             | ├┄┼┄┤
main call ~a ~b             | ├┄┴┄╯
main inference              | ●
""",
    "certain and possible in one row": """
main prompt                 | ●
a <main prompt              | ├─●
b <main prompt              | ├─┼─●
main call ~a =b             | ├─┴─╯
main inference              | ●
""",
    "a lane goes on after its return": """
main prompt                 | ●
a <main prompt              | ├─●
main call =a                | ├─┤
a call                      | │ └─
main inference              | ●
""",
    "two lanes of one name, one after the other, share a column": """
main prompt                 | ●
main inference              | ●
a1 <main prompt             | ├─●
a1 inference                | │ ●
main call =a1               | ├─╯
main inference              | ●
a2 <main prompt             | ├─●
a2 inference                | │ ●
main call =a2               | ├─╯
main inference              | ●
""",
    "two lanes of one name at once": """
main inference              | ●
a1 <main prompt             | ├─●
a2 <main prompt             | ├─┼─●
a1 inference                | │ ● │
a2 inference                | │ │ ●
main call =a1               | ├─╯ │
main call =a2               | ├───╯
main inference              | ●
""",
    "a fragment: its head's cause is missing": """
part head                   | ◌
part call                   | ├─
part inference              | ●
""",
    "two fragments of one missing seq": """
one head                    | ◌
two head                    | │ ◌
two call                    | │ └─
one head                    | ◌
one inference               | ●
""",
    "follow-ups stay in their lane": """
main prompt                 | ●
main inference              | ●
main prompt                 | ●
main inference              | ●
""",
    "a folded lane keeps its opener": """
main prompt                 | ●
main inference              | ●
a <main fold                | ├─▸
main call                   | ├─
main inference              | ●
""",
    "a folded round": """
main prompt                 | ●
main fold                   | ▸
main inference              | ●
""",
    "a late sibling hangs where it was written": """
main prompt                 | ●
main inference              | ●
main call                   | ├─
main inference              | ●
main call                   | └─
""",
    "a launch before its lane": """
main prompt                 | ●
main call =a                | ├─
a <main prompt              | ├─●
a inference                 | │ ●
main inference              | ●
""",
    "a lane that starts without a prompt": """
main prompt                 | ●
a <main inference           | ├─●
b <main inference           | ├─┼─●
a call                      | │ ├─│
b call                      | │ │ └─
a inference                 | │ ●
main prompt                 | ●
""",
    "rows off the lanes are passed by": """
off                         |
main prompt                 | ●
a <main prompt              | ├─●
off                         | │ │
main call =a                | ├─╯
main inference              | ●
off                         |
""",
    "a spawn call that hands over to another lane at once": """
main prompt                 | ●
a <main prompt              | ├─●
a call                      | │ ├─
main call =a                | ├─╯
b <main prompt              | ├─●
main call =b                | └─╯
""",
    "a return into a lane on the right": """
main prompt                 | ●
a <main prompt              | ├─●
b <main prompt              | ├─┼─●
a inference                 | │ ● │
b call =a                   | │ ╰─┼─
b inference                 | │   ●
main inference              | ●
""",
}


@pytest.mark.parametrize("name", TABLES)
def test_drawing(name: str):
    assert draw(TABLES[name]) == parse(TABLES[name])[2]


def test_more_lanes_than_columns_share_the_last_one():
    table = """
main prompt                 | ●
a <main prompt              | ├─●
b <main prompt              | ├─┼─●
c <main prompt              | ├─┼─┼─●
d <main prompt              | ├─┼─┼─●
e <c prompt                 | │ │ │ ●
a inference                 | │ ● │ …
main call =c                | ├─┼─┼─…
e call                      | │ │ │ ├─
main call =b                | ├─┼─╯ …
main call =d                | ├─┼───…
main call =a                | ├─╯
main inference              | ●
"""
    assert draw(table, columns=3) == parse(table)[2]


def test_without_box_drawing():
    table = """
main prompt                 | *
main inference              | *
a <main prompt              | +-*
b <main prompt              | +-+-*
a call                      | | +-|
b call                      | | | +-
main call =a ~b             | +-+~+
main call ~b                | +~~~'
part head                   | | ?
main note                   | +.
c <main fold                | +->
main call                   | `-
"""
    drawn = [to_ascii(row) for row in draw(table)]
    assert drawn == parse(table)[2]
    assert all(row.isascii() for row in drawn)


def test_every_row_has_the_width_of_the_layout():
    spans, rows, _ = parse(TABLES["a nested sub-agent"])
    rails = Rails(spans)
    assert rails.width == 6
    assert {len(rails.text(n, lane, node)) for n, (lane, node) in enumerate(rows)} == {6}


def test_each_piece_names_the_lane_it_belongs_to():
    spans, rows, _ = parse(TABLES["parallel sub-agents return in another order"])
    rails = Rails(spans)
    assert rails.draw(9, *rows[9]) == (
        RailRun("├", 0), RailRun("─", 3), RailRun("┼", 1), RailRun("───╯", 3), RailRun(" ", None),
    )  # fmt: skip


def test_a_row_looks_at_one_lane_per_column():
    """Ten thousand sub-agents, one after the other, lie in one column."""
    subs = [LaneSpan(n, 3 * n, 3 * n + 1, 0, (Join(3 * n + 2, 0, True),)) for n in range(1, 10_001)]
    rails = Rails([LaneSpan(0, 0, 30_002), *subs])
    assert rails.columns == 2
    assert rails.text(15_002, 0, Node.CALL) == "├─╯ "
