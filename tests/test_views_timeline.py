"""The timeline: rows against time, as drawings; pauses pressed together; hostile and missing times."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import SUB, Book
from korg_tui.views.axis import Axis, merged
from korg_tui.views.spent import Stretch, Work, spent
from korg_tui.views.timeline import Timeline
from korg_tui.views.timescale import scale, time_words
from korg_tui.views.tracks import Window
from looking import Glass


def drawn(timeline: Timeline, cells: int = 40, window: Window | None = None) -> list[str]:
    """Each lane as `title |cells|`."""
    seen = window or timeline.whole(cells)
    return [f"{line.title:7}|{line.cells(seen, timeline.axis)}|" for line in timeline.lanes]


def bars(timeline: Timeline, cells: int = 40) -> list[str]:
    """Each row as `seq tool |bar|`."""
    window, out = timeline.whole(cells), []
    for index in range(len(timeline.rows)):
        line, bar = timeline.line(index), timeline.bar(index, window)
        text = "" if bar is None else " " * bar[0] + line.code * (bar[1] - bar[0])
        out.append(f"{line.number:>2} {line.tool:13}|{text:{cells}}| {line.note}".rstrip())
    return out


def parallel() -> Book:
    """Two sub-agents at once: 1 s is one cell of 10."""
    book = Book(step_ms=0)
    at = book.now_ms

    def when(seconds: float) -> None:
        book.now_ms = at + round(1000 * seconds)

    ask = book.prompt("look")
    when(2)
    think = book.infer(ask, duration_ms=2000)
    one = book.prompt("left", think, by=SUB)
    two = book.prompt("right", think, by="agent:scout@1")
    when(4)
    book.infer(one, by=SUB, duration_ms=1500)
    when(5)
    book.tool("Grep", two, by="agent:scout@1", duration_ms=2500, success=False)
    when(7)
    book.spawn(think, "left", duration_ms=5000)
    when(10)
    book.infer(think, duration_ms=3000)
    return book


def test_lanes_lie_below_each_other_and_parallel_work_side_by_side():
    timeline = Timeline(Glass(parallel()).ledger, 0)
    assert drawn(timeline, 10) == [
        "1 main |pisssssiii|",
        "2 sub  |  pi      |",
        "3 scout|  ptx     |",
    ]


def test_every_row_has_a_bar_that_goes_back_from_its_completion():
    assert bars(Timeline(Glass(parallel()).ledger, 0), 20) == [
        " 1 user_prompt  |p                   |",
        " 2 llm_inference|iiii                |",
        " 3 user_prompt  |    p               |",
        " 4 user_prompt  |    p               |",
        " 5 llm_inference|     iii            |",
        " 6 Grep         |     xxxxx          |",
        " 7 Agent        |    ssssssssss      |",
        " 8 llm_inference|              iiiiii|",
    ]


def test_a_pause_takes_little_room_and_says_how_long_it_was():
    book = Book(step_ms=1_000)
    think = book.infer(book.prompt("first"), duration_ms=900)
    book.tool("Bash", think, duration_ms=900)
    book.now_ms += 3 * 3_600_000
    again = book.prompt("second", think)
    book.infer(again, duration_ms=900)
    timeline = Timeline(Glass(book).ledger, 0)
    (pause,) = timeline.pauses
    assert pause.ms == 3 * 3_600_000 + 1_000
    line = drawn(timeline, 40)[0]
    assert 1 <= line.count(":") <= 4
    assert "‹3 h 0 m›" in scale(timeline, timeline.whole(80), None)
    assert "waiting for a person 3 h 0 m (99 %)" in time_words(timeline)[0]
    assert time_words(timeline)[1] == "1 pause pressed together, the longest 3 h 0 m"


def test_the_time_is_divided_once_and_whole():
    known = Timeline(Glass(parallel()).ledger, 0).spent
    assert (known.tools, known.inference, known.waiting, known.unrecorded) == (2500, 5000, 2500, 0)
    assert known.total == 10_000
    assert known.at_once == 2


def test_a_ledger_without_times_says_so_and_keeps_the_order():
    timeline = Timeline(Glass(parallel().flat()).ledger, 0)
    assert timeline.by_order
    assert drawn(timeline, 8) == ["1 main |pi    si|", "2 sub  |  p i   |", "3 scout|   p x  |"]
    (words,) = time_words(timeline)
    assert words.startswith("no times: this ledger does not say when anything was")
    assert "only how long 5 of 8 rows took is known" in words
    assert scale(timeline, timeline.whole(40), None).startswith("╵1")


def test_rows_without_a_time_are_named_and_not_drawn():
    book = parallel()
    del book.records[5]["event"]["timestamp"], book.records[5]["metadata"]["emitted_at"]
    timeline = Timeline(Glass(book).ledger, 0)
    assert timeline.place(5) is None
    assert timeline.line(5).note == "no time"
    assert "1 of 8 rows without a time: not drawn" in time_words(timeline)
    assert drawn(timeline, 10)[2] == "3 scout|  p       |"


def test_a_clock_that_jumps_back_is_named():
    book = parallel()
    book.now_ms -= 3_600_000
    book.tool("Bash", 8, duration_ms=10)
    timeline = Timeline(Glass(book).ledger, 0)
    assert timeline.line(8).note == "clock back"
    assert "the clock goes back 1 time" in time_words(timeline)
    assert timeline.bar(8, timeline.whole(40)) == (0, 1)


def test_a_note_is_a_moment_whatever_length_it_tells_of():
    book = parallel()
    book.note(8, tool="session_complete", duration_ms=14_000_000)
    timeline = Timeline(Glass(book).ledger, 0)
    assert timeline.axis.length == 10_000
    assert timeline.bar(8, timeline.whole(10)) == (9, 10)
    assert timeline.ledger.seq[timeline.slowest[0]] == 7


def test_an_empty_ledger_has_a_timeline():
    timeline = Timeline(Glass(b'{"not": "an event"}\n').ledger)
    assert timeline.whole(10) == Window(0.0, 1.0, 10)
    assert time_words(timeline)


def test_a_window_shows_a_part_and_stays_on_the_line():
    timeline = Timeline(Glass(parallel()).ledger, 0)
    whole = timeline.whole(10)
    near = timeline.zoomed(whole, 2, whole.end)
    assert (near.begin, near.end) == (5_000, 10_000)
    assert drawn(timeline, window=near)[0] == "1 main |ssssiiiiii|"
    assert timeline.moved(near, -100).begin == 0
    assert timeline.zoomed(near, 1 / 4, 7_000) == whole
    assert timeline.bar(0, near) == (-10, -9)
    assert timeline.showing(near, 0).begin == 0


def test_the_slowest_come_first_and_what_is_beyond_measure_is_not_drawn():
    book = parallel()
    book.tool("Bash", 8, duration_ms=1e300)
    timeline = Timeline(Glass(book).ledger, 0)
    assert [timeline.ledger.seq[row] for row in timeline.slowest[:2]] == [7, 8]
    assert timeline.axis.length == 10_000


@pytest.mark.parametrize("physical", [-(2**62), -1, 0, 253_402_300_799_999, 2**62])
def test_no_time_is_too_far_away(physical: int):
    book = parallel()
    book.records[3]["metadata"]["emitted_at"]["physical"] = physical
    del book.records[3]["event"]["timestamp"]
    timeline = Timeline(Glass(book).ledger, 0)
    for cells in (1, 30, 200):
        assert all(len(line) == cells + 9 for line in drawn(timeline, cells))
        assert len(scale(timeline, timeline.whole(cells), None)) == cells
    assert "p" in drawn(timeline, 40)[0]
    zoomed = timeline.whole(40)
    for _ in range(80):
        zoomed = timeline.zoomed(zoomed, 2, zoomed.end)
        assert zoomed.end > zoomed.begin
        drawn(timeline, window=zoomed)


MOMENTS = st.floats(-1e12, 1e12).map(float)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(MOMENTS, st.floats(0, 1e7)), max_size=30), st.lists(MOMENTS, max_size=10))
def test_the_line_never_goes_back_and_leads_to_the_same_moment(spans, asked):
    busy = merged((begin, begin + took) for begin, took in spans)
    assert all(one[1] < other[0] for one, other in pairwise(busy))
    axis = Axis(busy)
    places = [axis.place(moment) for moment in sorted(asked)]
    assert places == sorted(places)
    assert all(0 <= place <= axis.length for place in places)
    for begin, end in busy:
        assert math.isclose(axis.moment(axis.place(begin)), begin, abs_tol=1e-2)
        assert axis.place(end) - axis.place(begin) >= 0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.builds(
            lambda begin, took, work, lane: Stretch(begin, begin + took, work, lane, lane == 0),
            st.integers(0, 50), st.integers(0, 20), st.sampled_from(Work), st.integers(0, 3),
        )
    )
)  # fmt: skip
def test_every_moment_goes_to_one_thing(stretches):
    known = spent(stretches)
    assert known.tools + known.inference + known.waiting + known.human + known.unrecorded == known.total
    covered = {t for each in stretches if each.work is Work.TOOL for t in range(each.begin, each.end)}
    assert known.tools == len(covered)
