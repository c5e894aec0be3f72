"""Where the chain breaks between the rows of a spine, and which rows evidence speaks against."""

from __future__ import annotations

from bisect import bisect_left
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import Book
from korg_tui.text import width
from korg_tui.trust import Fault, FaultKind, Standing
from korg_tui.views import BreakLine, Spine
from korg_tui.views.breaks import Between, Evidence
from looking import Glass

NESTED = """
     1 user_prompt    -  human:dusk   prompt="go"
     2 llm_inference  1  agent:main
     3 Bash           2  agent:main   args={"command":"ls"}
     4 user_prompt    2  agent:sub    prompt="look"
     5 llm_inference  4  agent:sub
     6 Read           5  agent:sub    args={"file_path":"a.py"} success=false
     7 Agent          2  agent:main   prompt="look"
     8 llm_inference  2  agent:main
    20 user_prompt    -  human:dawn   prompt="another"
    21 llm_inference  20 agent:main
"""


@pytest.fixture
def nested() -> Glass:
    return Glass(NESTED)


def standing(*faults: Fault, verdict="broken") -> Standing:
    return Standing(verdict, 10, "", None, faults)


def broken_at(*seqs: int) -> Standing:
    return standing(*(Fault(seq, "link", f"why {seq}") for seq in seqs))


def drawn(spine: Spine) -> list[str]:
    """The seqs of the rows, and the lines between them."""
    seen: list[str] = []
    for index in range(len(spine) + 1):
        if index in spine.breaks:
            line = spine.break_above(index)
            rails = "".join(run.text for run in line.runs)
            seen.append(f"{rails.rstrip()} ╳ {line.count}: {line.text}".strip())
        if index < len(spine):
            seen.append(str(spine.line(index).seq))
    return seen


# --- lines between rows


def test_a_break_stands_above_its_event_and_the_rails_go_on_through_it(nested: Glass):
    spine = nested.spine()
    assert spine.set_standing(broken_at(3, 5, 7))
    assert drawn(spine) == [
        *("1", "2"),
        *("│ ╳ 1: why 3", "3", "4"),
        *("│ │ ╳ 1: why 5", "5", "6"),
        *("│ │ ╳ 1: why 7", "7", "8"),
    ]


def test_a_rail_does_not_go_on_to_where_its_lane_begins(nested: Glass):
    spine = nested.spine()
    spine.set_standing(broken_at(1, 4))
    assert drawn(spine) == ["╳ 1: why 1", "1", "2", "3", "│ ╳ 1: why 4", "4", "5", "6", "7", "8"]


def test_breaks_of_other_sessions_are_not_drawn(nested: Glass):
    first, second, whole = nested.spine(0), nested.spine(1), nested.spine(None)
    for spine in (first, second, whole):
        spine.set_standing(broken_at(8, 20))
    assert drawn(first)[-2:] == ["│ ╳ 1: why 8", "8"]
    assert drawn(second) == ["╳ 1: why 20", "20", "21"]
    assert drawn(whole)[-5:] == ["│ ╳ 1: why 8", "8", "╳ 1: why 20", "20", "21"]


def test_breaks_that_a_fold_hides_fall_together_above_the_next_row_that_is_seen(nested: Glass):
    spine = nested.spine()
    spine.set_standing(broken_at(5, 6, 8))
    spine.fold(nested.row(4))
    assert drawn(spine) == ["1", "2", "3", "4", "│ ╳ 2: why 5", "7", "│ ╳ 1: why 8", "8"]
    spine.unfold(nested.row(4))
    assert len(spine.breaks) == 3


def test_below_all_rows_stands_what_breaks_only_there(nested: Glass):
    spine = nested.spine()
    spine.set_standing(broken_at(3, 7, 8))
    spine.set_filter(lambda ledger, row: ledger.seq[row] == 4)
    assert drawn(spine) == ["1", "2", "│ ╳ 1: why 3", "4", "╳ 2: why 7"]


def test_where_no_row_is_seen_no_line_is_drawn(nested: Glass):
    spine = nested.spine()
    spine.set_standing(broken_at(3, 7))
    spine.set_filter(lambda ledger, row: False)
    assert list(spine.breaks) == []


def test_lines_stay_with_their_rows_while_the_ledger_grows_and_rows_are_let_through(nested: Glass):
    spine = nested.spine(None)
    spine.set_filter(lambda ledger, row: ledger.seq[row] in (2, 8, 22))
    spine.set_standing(broken_at(6, 8, 21))
    assert drawn(spine) == ["1", "2", "│ ╳ 2: why 6", "8", "╳ 1: why 21"]
    spine.index_of(6, unfold=True)
    assert drawn(spine) == [
        *("1", "2", "4", "5", "│ │ ╳ 1: why 6", "6", "│ ╳ 1: why 8", "8", "╳ 1: why 21"),
    ]
    nested.grow("22 Bash 21 agent:main")
    spine.extend()
    assert drawn(spine)[-5:] == ["8", "20", "│ ╳ 1: why 21", "21", "22"]


def test_a_break_may_be_known_before_the_spine_has_its_event(nested: Glass):
    spine = nested.spine(1)
    nested.grow("22 Bash 21 agent:main\n23 llm_inference 8 agent:main")
    spine.set_standing(broken_at(22, 23))
    assert list(spine.breaks) == []
    spine.extend()
    assert drawn(spine) == ["20", "21", "│ ╳ 1: why 22", "22"]


def test_events_that_come_late_take_their_lines_along():
    glass = Glass("1 user_prompt - human:dusk\n2 llm_inference 1 agent:main\n6 Bash 2 agent:main")
    spine = glass.spine()
    spine.set_standing(broken_at(6))
    glass.grow("4 Read 2 agent:main")
    spine.extend()
    assert drawn(spine) == ["1", "2", "4", "│ ╳ 1: why 6", "6"]
    spine.set_standing(broken_at(6, 4))
    assert drawn(spine) == ["1", "2", "│ ╳ 1: why 4", "4", "│ ╳ 1: why 6", "6"]


def test_a_line_goes_when_the_chain_holds(nested: Glass):
    spine = nested.spine()
    assert spine.set_standing(broken_at(3, 7))
    assert not spine.set_standing(broken_at(3, 7))
    assert spine.set_standing(standing(verdict="intact"))
    assert (list(spine.breaks), list(spine.spoken_against)) == ([], [])
    assert not spine.set_standing(None)


def test_an_event_that_is_not_in_the_ledger_has_no_line(nested: Glass):
    spine = nested.spine(None)
    spine.set_standing(standing(Fault(404, "link", "why"), Fault(None, "tip", "cut"), Fault(8, "seal", "no")))
    assert (list(spine.breaks), list(spine.spoken_against)) == ([], [])


# --- what it says


WHY = "42 names another event before it than 41"
SAYS = [
    (1, 70, f"the chain breaks here: {WHY}"),
    (1, 60, f"chain breaks: {WHY}"),
    (1, 64, f"the chain breaks here: {WHY}"),
    (1, 62, f"chain breaks: {WHY}"),
    (1, 40, "chain breaks: 42 names another event be…"),
    (1, 30, "the chain breaks here"),
    (1, 15, "chain breaks"),
    (1, 8, "chain b…"),
    (1, 0, ""),
    (1_234, 90, f"the chain breaks here 1,234 times, first: {WHY}"),
    (3, 70, f"3 breaks of the chain, first: {WHY}"),
    (3, 56, "3 breaks of the chain, first: 42 names another event be…"),
    (3, 30, "the chain breaks here 3 times"),
    (3, 24, "3 breaks of the chain"),
]


@pytest.mark.parametrize(("count", "cells", "says"), SAYS)
def test_a_line_says_what_it_has_room_for(count: int, cells: int, says: str):
    assert BreakLine((), count, WHY).words(cells) == says
    if WHY in says:
        assert BreakLine((), count, f"{WHY}: 0f57…, not a91b…").words(cells) == says


SAFE = st.text(st.characters(codec="utf-8", exclude_categories=("C",)))


@given(st.integers(1, 10**6), SAFE, st.integers(0, 99))
def test_a_line_never_says_more_than_it_has_room_for(count: int, text: str, cells: int):
    assert width(BreakLine((), count, text).words(cells)) <= cells


# --- rows that evidence speaks against

WORDS: list[tuple[FaultKind, str]] = [
    ("content", "altered"),
    ("signature", "bad signature"),
    ("anchor", "anchored otherwise"),
    ("unchained", "no hash"),
]


@pytest.mark.parametrize(("kind", "word"), WORDS)
def test_a_row_that_evidence_speaks_against_says_so_first(nested: Glass, kind: FaultKind, word: str):
    spine = nested.spine()
    spine.set_standing(standing(Fault(6, kind, "why")))
    line = spine.line(spine.index_of(6))
    assert (line.sign, line.marks) == ("≠", (word, "failed"))
    assert list(spine.breaks) == []
    assert list(spine.spoken_against) == [nested.row(6)]


def test_all_that_is_wrong_with_a_row_is_said_once(nested: Glass):
    spine = nested.spine()
    kinds: list[FaultKind] = ["signature", "link", "content", "content"]
    spine.set_standing(standing(*(Fault(3, kind, kind) for kind in kinds)))
    assert spine.line(2).marks == ("bad signature", "altered")
    assert list(spine.spoken_against) == [nested.row(3)]


def test_a_break_is_no_mark_on_the_row_below_it(nested: Glass):
    spine = nested.spine()
    spine.set_standing(broken_at(3))
    assert (spine.line(2).sign, spine.line(2).marks) == (" ", ())
    assert list(spine.spoken_against) == [nested.row(3)]


def test_a_ledger_without_any_hash_has_no_marks(nested: Glass):
    spine = nested.spine()
    assert not spine.set_standing(standing(Fault(1, "unchained", "10 events"), verdict="unchained"))
    assert spine.line(0).marks == ()


def test_a_fold_says_what_it_holds(nested: Glass):
    spine = nested.spine()
    spine.fold(nested.row(4))
    assert "altered" not in spine.line(spine.index_of(4)).note
    spine.set_standing(standing(Fault(5, "content", ""), Fault(6, "content", ""), Fault(6, "signature", "")))
    note = spine.line(spine.index_of(4)).note
    assert note == "2 events · 1 failed · 2 altered · 1 bad signature · lane 2 sub"


# --- what it costs


@st.composite
def histories(draw):
    """Steps of (breaks, visible rows), each of which goes on from the one before, or does not."""
    rows = st.lists(st.integers(0, 60), max_size=12)
    return draw(st.lists(st.tuples(st.booleans(), rows, rows), min_size=1, max_size=6))


@given(histories())
def test_lines_lie_the_same_whether_rows_are_added_or_all_are_new(history):
    between = Between()
    breaks: list[int] = []
    shown: list[int] = []
    for anew, more_breaks, more_shown in history:
        if anew:
            breaks, shown = [], []
        breaks += [row for row in sorted(set(more_breaks)) if not breaks or row > breaks[-1]]
        for row in more_shown:
            place = bisect_left(shown, row)
            if shown[place : place + 1] != [row]:
                shown.insert(place, row)
        between.lie(breaks, shown)
        lying = groupby(bisect_left(shown, row) for row in breaks)
        expected = {index: len(list(each)) for index, each in lying}
        assert between.indexes == list(expected)
        assert [between.breaks_at(index)[1] for index in expected] == list(expected.values())


class Counted(list[int]):
    """Rows that count how often one is looked at."""

    looked = 0

    def __getitem__(self, place):
        self.looked += 1
        return super().__getitem__(place)


def test_more_rows_and_more_breaks_cost_what_is_new():
    breaks, shown = Counted(range(0, 20_000, 2)), Counted(range(20_000))
    between = Between()
    between.lie(breaks, shown)
    breaks.looked = 0
    for row in range(20_000, 20_100):
        shown.append(row)
        breaks.append(row)
        between.lie(breaks, shown)
        between.lie(breaks, shown)
    assert len(between.indexes) == 10_100
    assert breaks.looked <= 200


def test_faults_that_are_added_are_met_once():
    met: list[int] = []

    def row_of(seq: int) -> int:
        met.append(seq)
        return seq

    evidence = Evidence(row_of, lambda row: True)
    faults: tuple[Fault, ...] = ()
    for seq in range(100):
        faults = (*faults, Fault(seq, "link", "why"))
        assert evidence.take(standing(*faults))
    assert met == list(range(100)) == list(evidence.breaks)
    evidence.take(standing(*faults[1:]))
    assert list(evidence.breaks) == list(range(1, 100))


def test_faults_may_come_in_any_order():
    evidence = Evidence(lambda seq: seq, lambda row: row != 5)
    evidence.take(broken_at(7, 3, 9))
    evidence.take(broken_at(7, 3, 9, 5, 8, 3, 1))
    assert list(evidence.breaks) == list(evidence.rows) == [1, 3, 7, 8, 9]
    assert evidence.why(3) == "why 3"


def test_a_book_without_breaks_draws_nothing():
    book = Book()
    book.infer(book.prompt("go"))
    spine = Glass(book).spine()
    assert not spine.set_standing(standing(verdict="intact"))
    assert (list(spine.breaks), spine.version) == ([], 1)
