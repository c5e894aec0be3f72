"""The spine of a session: what each row shows, folds, filters, steps, and how it grows."""

from __future__ import annotations

import pytest

from builders import WORKED_EXAMPLE, Book, ref
from korg_tui.event import Kind
from korg_tui.views import Level, Spine
from looking import Glass, screen

NESTED = """
     1 user_prompt    -  human:dusk   prompt="go"
     2 llm_inference  1  agent:main
     3 Bash           2  agent:main   args={"command":"ls"}
     4 user_prompt    2  agent:sub    prompt="look"
     5 llm_inference  4  agent:sub
     6 Read           5  agent:sub    args={"file_path":"a.py"} success=false
     7 user_prompt    5  agent:deep   prompt="deeper"
     8 llm_inference  7  agent:deep
     9 Agent          5  agent:sub    prompt="deeper"
    10 llm_inference  5  agent:sub
    11 Agent          2  agent:main   prompt="look"
    12 llm_inference  2  agent:main
"""


@pytest.fixture
def nested() -> Glass:
    return Glass(NESTED)


# --- what is seen


def test_the_worked_example():
    assert screen(Glass(WORKED_EXAMPLE).spine()) == [
        " 1 ●      user_prompt go",
        " 2 ●      llm_inference",
        " 3 ├─●    user_prompt look",
        " 4 │ ●    llm_inference",
        " 5 │ ├─   Read",
        " 6 ├─╯    Agent",
        " 7 ●      llm_inference",
    ]


def test_marks_say_in_words_what_the_sign_says():
    book = Book()
    ask = book.prompt("go")
    first = book.infer(ask)
    book.tool("Read", first, args={"file_path": ref("x" * 2000)}, success=False)
    book.infer(first)
    book.tool("Grep", first, args={"pattern": "late"})
    book.infer(first)
    book.tool("Bash", 99, args={"command": "forward"})
    assert screen(Glass(book).spine(None), marks=True) == [
        " 1 ●    user_prompt go",
        " 2 ●    llm_inference",
        " 3 ├─ ✗ Read file_path=blob 5c0e0ea4 (2.0 KB)  [failed, blob]",
        " 4 ●    llm_inference",
        " 5 ├─   Grep late  [late]",
        " 6 ●    llm_inference  [off-spine]",
        " 7 ◌  ? Bash forward  [dead pointer] parent 99 cannot be: not earlier than this event",
    ]


@pytest.mark.parametrize(
    ("table", "note"),
    [
        ("3 Read 2", "parent 2 missing: not in the ledger"),
        ("3 Read .", "no parent recorded: lost before it was written"),
        ("3 Read true", "parent unreadable: not a whole number"),
        ("3 Read 3", "parent 3 cannot be: this event itself"),
        ("3 Read 8", "parent 8 cannot be: not earlier than this event"),
        ("2 EffectStarted! 1\n3 Read 2", "parent 2 is a governance event: no agent did it"),
    ],
)
def test_a_dead_pointer_says_its_cause(table: str, note: str):
    glass = Glass("1 user_prompt - human:dusk\n" + table)
    spine = glass.spine(1)
    line = spine.line(0)
    assert (line.sign, line.marks, line.note) == ("?", ("dead pointer",), note)
    assert line.rails == "◌ "


def test_a_parent_before_the_window_is_not_called_dead():
    line = Glass("50 Read 41").spine().line(0)
    assert line.note == "parent 41 not loaded: before the window"
    assert line.marks == ("not loaded",)


def test_a_malformed_line_shows_its_text_reason_and_offset():
    glass = Glass("1 user_prompt - human:dusk")
    start = len(glass.held)
    glass.grow(b'{"seq_id": 2, broken \xff\x1b[31m\n')
    line = glass.spine().line(1)
    assert (line.kind, line.seq, line.sign, line.tool) == (Kind.MALFORMED, None, "!", "malformed line")
    assert line.argument == '{"seq_id": 2, broken \\xff␛[31m'
    assert line.note.endswith(f"(at byte {start:,})")
    assert line.rails == "  "


def test_durations_have_bars_of_a_fixed_scale():
    book = Book()
    ask = book.prompt()
    for ms in (0, 5, 12, 142, 2100, 3_600_000):
        book.tool("Bash", ask, duration_ms=ms)
    spine = Glass(book).spine()
    assert [spine.line(index).bar for index in range(7)] == [0, 0, 1, 2, 4, 6, 8]


def test_governance_events_and_malformed_lines_belong_by_position():
    glass = Glass(
        """
        1 user_prompt         - human:dusk prompt="one"
        2 user_prompt         - human:dusk prompt="two"
        3 EffectStarted!      1
        """
    )
    glass.grow(b"broken\n")
    glass.grow("5 LeaseAcquired! -\n6 EffectStarted! 77")
    assert screen(glass.spine(0)) == [
        " 1 ●    user_prompt one",
        " 3    § EffectStarted",
        " -    ! malformed line broken",
    ]
    assert screen(glass.spine(1)) == [
        " 2 ●    user_prompt two", " 5    § LeaseAcquired", " 6    § EffectStarted",
    ]  # fmt: skip


def test_what_comes_before_any_session_belongs_to_the_first():
    glass = Glass(b"broken\n")
    glass.grow("1 LeaseAcquired! -\n2 user_prompt - human:dusk\n3 user_prompt - human:dusk")
    assert [len(glass.spine(index)) for index in (0, 1, None)] == [3, 1, 4]


def test_a_ledger_without_a_session_can_be_looked_at():
    glass = Glass(b"broken\n")
    assert screen(Spine(glass.ledger, -1, glass.read)) == [" -  ! malformed line broken"]


def test_bodies_are_read_when_looked_at_and_remembered():
    glass = Glass(NESTED)
    spine = glass.spine()
    assert glass.reads == 0
    for _ in range(3):
        spine.line(2)
    assert glass.reads == 1


def test_a_body_that_is_gone_says_so():
    glass = Glass(NESTED)
    spine = glass.spine()
    glass.lost = True
    assert spine.line(2).argument == "record not readable: the file is gone"


# --- folds


def test_a_sub_lane_folds_to_its_opener(nested: Glass):
    spine = nested.spine()
    assert spine.fold(nested.row(4)) == nested.row(4)
    assert screen(spine, marks=True) == [
        " 1 ●      user_prompt go",
        " 2 ●      llm_inference",
        " 3 ├─     Bash ls",
        " 4 ├─▸    user_prompt look  6 events · 1 failed · lane 2 sub",
        "11 ├─     Agent look",
        "12 ●      llm_inference",
    ]
    assert spine.unfold(nested.row(4))
    assert len(spine) == 12


def test_an_inference_folds_its_calls_and_the_lanes_forked_among_them(nested: Glass):
    spine = nested.spine()
    spine.fold(nested.row(2))
    assert screen(spine, marks=True) == [
        " 1 ●    user_prompt go",
        " 2 ▸    llm_inference  9 events · 1 failed",
        "12 ●    llm_inference",
    ]


def test_a_fold_inside_a_fold_is_kept(nested: Glass):
    spine = nested.spine()
    spine.fold(nested.row(7))
    spine.fold(nested.row(4))
    spine.unfold(nested.row(4))
    assert [spine.line(index).seq for index in range(len(spine))] == [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12]
    assert spine.is_folded(nested.row(7))


def test_folding_a_row_that_cannot_be_folded_folds_what_it_lies_in(nested: Glass):
    spine = nested.spine()
    assert spine.fold(nested.row(6)) == nested.row(5)
    assert spine.fold(nested.row(10)) == nested.row(4)
    assert spine.fold(nested.row(4)) == nested.row(1)
    assert not spine.unfold(nested.row(1))
    assert spine.foldable(nested.row(2))
    assert not spine.foldable(nested.row(3))


def test_levels_fold_everything_of_a_kind_and_go_round(nested: Glass):
    spine = nested.spine()
    seen = []
    for _ in range(3):
        level = spine.next_level()
        seen.append((level, [spine.line(index).seq for index in range(len(spine))]))
    assert seen == [
        (Level.LANES, [1, 2, 3, 4, 11, 12]),
        (Level.ROUNDS, [1, 2, 12]),
        (Level.NOTHING, list(range(1, 13))),
    ]


def test_what_is_unfolded_at_a_level_stays_so_while_the_ledger_grows(nested: Glass):
    spine = nested.spine()
    spine.set_level(Level.LANES)
    spine.unfold(nested.row(4))
    nested.grow('13 user_prompt 12 agent:late prompt="x"\n14 llm_inference 13 agent:late')
    spine.extend()
    assert [spine.line(index).seq for index in range(len(spine))] == [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13]


def test_a_run_of_bookkeeping_folds_to_its_first_row():
    glass = Glass(
        """
        1 user_prompt     - human:dusk
        2 llm_inference   1
        3 stall.verdict   2
        4 hook.post       2
        5 hook.post       2
        6 Bash            2
        7 hook.post       2
        """
    )
    spine = glass.spine()
    spine.fold_bookkeeping(True)
    assert screen(spine, marks=True) == [
        " 1 ●    user_prompt",
        " 2 ●    llm_inference",
        " 3 ▸  · stall.verdict  3 bookkeeping events",
        " 6 ├─   Bash",
        " 7 └╴ · hook.post",
    ]
    glass.grow("8 hook.post 2")
    assert (spine.extend(), len(spine)) == (1, 5)
    assert spine.index_of(5) is None
    assert spine.index_of(5, unfold=True) == 4


# --- filter


def test_a_filter_keeps_the_ancestors_dimmed(nested: Glass):
    spine = nested.spine()
    spine.set_filter(lambda ledger, row: ledger.success_at(row) is False)
    assert screen(spine) == [
        "( 1 ●      user_prompt go)",
        "( 2 ●      llm_inference)",
        "( 4 ╰─●    user_prompt look)",
        "( 5   ●    llm_inference)",
        " 6   └─ ✗ Read a.py",
    ]
    assert spine.matching == 1
    spine.set_filter(None)
    assert len(spine) == 12


def test_a_filter_lets_through_what_is_asked_for_and_what_comes_later(nested: Glass):
    spine = nested.spine()
    spine.set_filter(lambda ledger, row: ledger.tool_at(row) == "Bash")
    assert spine.index_of(12) is None
    assert spine.index_of(12, unfold=True) == 3
    nested.grow('13 Bash 12 agent:main args={"command":"pwd"}\n14 Read 12 agent:main')
    assert spine.extend() == 2
    assert [spine.line(index).seq for index in range(len(spine))] == [1, 2, 3, 12, 13]


def test_a_filter_shows_what_a_fold_hides(nested: Glass):
    spine = nested.spine()
    spine.set_level(Level.ROUNDS)
    spine.set_filter(lambda ledger, row: ledger.tool_at(row) == "Read")
    assert spine.index_of(6) is not None


# --- finding


def test_a_hidden_row_is_unfolded_when_asked_for(nested: Glass):
    spine = nested.spine()
    spine.set_level(Level.ROUNDS)
    assert spine.index_of(8) is None
    assert spine.standing_for(nested.row(8)) == 1
    index = spine.index_of(8, unfold=True)
    assert index is not None
    assert spine.line(index).seq == 8
    assert spine.index_of(404, unfold=True) is None


def test_steps(nested: Glass):
    spine, row = nested.spine(), nested.row
    assert spine.parent(row(4)) == row(2)
    assert spine.parent(row(1)) is None
    assert spine.child(row(2)) == row(3)
    assert spine.child(row(3)) is None
    assert spine.sibling(row(4), 1) == row(11)
    assert spine.sibling(row(4), -1) == row(3)
    assert spine.sibling(row(12), 1) is None
    assert spine.in_lane(row(2), 1) == row(3)
    assert spine.in_lane(row(11), -1) == row(3)
    assert spine.in_lane(row(4), -1) is None
    assert spine.failure(row(1), 1) == row(6)
    assert spine.failure(row(6), 1) is None
    assert spine.failure(row(12), -1) == row(6)
    assert spine.dead_pointer(row(1), 1) is None


# --- growing


def test_appending_shows_the_same_as_reading_at_once():
    glass = Glass(b"")
    spine = Spine(glass.ledger, None, glass.read)
    for line in NESTED.strip().splitlines():
        glass.grow(line)
        assert spine.extend() == 1
    assert screen(spine, marks=True) == screen(Glass(NESTED).spine(None), marks=True)


def test_a_follow_up_that_becomes_a_sub_lane_is_drawn_anew():
    glass = Glass(
        """
        1 user_prompt    - human:dusk
        2 llm_inference  1 agent:one
        3 user_prompt    2 agent:one
        4 llm_inference  2 agent:one
        """
    )
    spine = glass.spine()
    assert [spine.line(index).rails for index in range(4)] == ["● ", "● ", "● ", "● "]
    glass.grow("5 llm_inference 3 agent:one")
    assert spine.extend() == 1
    assert [spine.line(index).rails for index in range(5)] == ["●   ", "●   ", "├─● ", "● │ ", "  ● "]


def test_extending_looks_at_new_rows_only(monkeypatch: pytest.MonkeyPatch):
    """The cost of an append does not depend on what is there: counted in rows looked at, not in time."""
    looked: list[int] = []
    for size in (100, 2_000):
        glass = Glass("1 user_prompt - human:dusk\n2 llm_inference 1")
        glass.grow("\n".join(f"{seq} Bash 2" for seq in range(3, size)))
        spine = glass.spine()
        spine.line(0)
        met: list[int] = []
        monkeypatch.setattr(spine._members, "meet", _counting(spine._members.meet, met))
        monkeypatch.setattr(spine._shown, "consider", _counting(spine._shown.consider, met))
        glass.grow(f"{size} Bash 2\n{size + 1} llm_inference 2")
        assert spine.extend() == 2
        looked.append(len(met))
    assert looked == [4, 4]


def _counting(method, met: list[int]):
    def counted(row: int):
        met.append(row)
        return method(row)

    return counted


def test_a_narrow_screen_has_fewer_columns(nested: Glass):
    spine = nested.spine()
    spine.set_columns(2)
    assert [spine.line(index).rails for index in (3, 6, 7, 8)] == ["├─●   ", "│ ├─● ", "│ │ ● ", "│ ├─… "]
    assert {len(spine.line(index).rails) for index in range(len(spine))} == {6}


def test_every_row_of_a_spine_is_as_wide_as_the_others(nested: Glass):
    spine = nested.spine()
    assert {len(spine.line(index).rails) for index in range(len(spine))} == {spine.rails.width}
