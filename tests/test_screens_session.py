"""The session screen, driven by keys and mouse as a person drives it."""

from __future__ import annotations

import pytest

from builders import Book
from korg_tui.screens import LedgersScreen, SessionScreen
from korg_tui.widgets.chrome import Ask, KeyFooter, Line
from korg_tui.widgets.details import Details
from korg_tui.widgets.minimap import Minimap
from korg_tui.widgets.spine import SpineView
from stage import app_over, keys, resized, story, worked_example


def at(pilot) -> int | None:
    """The seq under the cursor."""
    return pilot.app.screen.ledger.seq_at(pilot.app.screen.row)


def remark(pilot) -> str:
    return pilot.app.screen.status.plain


def rows(pilot) -> list[str]:
    """The rows of the spine as they are drawn."""
    view = pilot.app.screen.view
    return [view.draw(index, view.row_width).text.rstrip() for index in range(view.count)]


def crumbs(pilot) -> str:
    return pilot.app.screen.query_one("#crumbs", Line).plain


async def opened(pilot) -> None:
    """Open the first session of the story."""
    await pilot.pause()
    await keys(pilot, "G", "enter")


async def stand(pilot, seq: int) -> None:
    """Put the cursor on an event, without keys."""
    pilot.app.screen.go_to_seq(seq)
    await pilot.pause()


@pytest.fixture
async def pilot():
    async with app_over(story()).run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        yield pilot


async def test_the_only_session_is_opened_at_once_and_escape_leads_to_the_list():
    async with app_over(worked_example()).run_test() as pilot:
        await pilot.pause()
        assert isinstance(pilot.app.screen, SessionScreen)
        assert at(pilot) == 7
        await keys(pilot, "escape")
        assert isinstance(pilot.app.screen, LedgersScreen)
        await keys(pilot, "enter")
        assert isinstance(pilot.app.screen, SessionScreen)


async def test_a_row_shows_seq_rails_sign_tool_argument_and_state(pilot):
    assert rows(pilot)[2] == "  3 ├─    ✗ Bash           pytest tests/test_…  failed ▉   3.8 s"


async def test_crumbs_name_ledger_session_lane_and_event(pilot):
    await stand(pilot, 10)
    assert crumbs(pilot).startswith(".korg/journal.jsonl › session 1 “The date parser fails")
    assert crumbs(pilot).endswith("› lane 2 sub › 10 Grep")


STEPS = [
    (18, "p", 16),
    (5, "c", 6),
    (3, "]", 4),
    (4, "[", 3),
    (10, "}", 12),
    (12, "{", 10),
    (1, "e", 3),
    (20, "E", 3),
    (5, "j", 6),
    (5, "k", 4),
    (5, "g", 1),
    (5, "G", 20),
]


async def test_keys_step_along_causes_lanes_and_failures(pilot):
    stepped = []
    for start, pressed, _ in STEPS:
        await stand(pilot, start)
        await keys(pilot, pressed)
        stepped.append((start, pressed, at(pilot)))
    assert stepped == STEPS


async def test_back_leads_to_where_each_jump_began(pilot):
    await stand(pilot, 18)
    await keys(pilot, "p", "p")
    assert at(pilot) == 5
    await keys(pilot, "backspace")
    assert at(pilot) == 16
    await keys(pilot, "backspace")
    assert at(pilot) == 18


async def test_a_number_goes_to_its_seq_and_says_when_it_is_not_there(pilot):
    await keys(pilot, "1", "2", "enter")
    assert at(pilot) == 12
    await keys(pilot, *"99", "enter")
    assert at(pilot) == 12
    assert remark(pilot) == "99 is not in this ledger; it has 1 to 25"


async def test_a_seq_of_another_session_opens_that_session(pilot):
    await keys(pilot, *":25", "enter")
    assert at(pilot) == 25
    assert "session 23 “Count the open tickets.”" in crumbs(pilot)
    await keys(pilot, "escape")
    assert isinstance(pilot.app.screen, LedgersScreen)


async def test_a_disabled_key_says_why(pilot):
    await keys(pilot, "g", "p")
    assert remark(pilot) == "this row has no parent in the ledger"
    await keys(pilot, "n")
    assert remark(pilot) == "nothing was searched for: / begins a search"
    await keys(pilot, "d")
    assert remark(pilot) == "this session has no dead pointers"


async def test_a_dead_pointer_is_found_and_told_in_words():
    async with app_over(story()).run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await keys(pilot, *":22", "enter", "d")
        assert remark(pilot) == "this is the only dead pointer"
        assert "parent 21 missing: not in the ledger" in rows(pilot)[0]


async def test_folding_hides_a_lane_and_a_jump_into_it_unfolds(pilot):
    await stand(pilot, 6)
    await keys(pilot, "h")
    assert at(pilot) == 6
    assert [seq for seq in (8, 10, 12) if pilot.app.screen.spine.index_of(seq) is not None] == []
    assert "▸" in rows(pilot)[5]
    await stand(pilot, 10)
    assert at(pilot) == 10
    await stand(pilot, 6)
    await keys(pilot, "l")
    assert remark(pilot) == "nothing is folded here"


async def test_fold_level_folds_everything_further_and_then_unfolds(pilot):
    everything = pilot.app.screen.view.count
    counts = []
    for _ in range(3):
        await keys(pilot, "z")
        counts.append(pilot.app.screen.view.count)
    assert everything > counts[0] > counts[1]
    assert counts[2] == everything


async def test_search_marks_hits_and_steps_through_them(pilot):
    await keys(pilot, "g", "slash", *"dates.py", "enter")
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    assert "3 hits for “dates.py”" in remark(pilot)
    assert at(pilot) == 3
    await keys(pilot, "n")
    assert at(pilot) == 4
    await keys(pilot, "N", "N")
    assert at(pilot) == 17
    assert remark(pilot) == "there is no earlier hit: this is the last one"
    assert rows(pilot)[3].startswith("*")
    await keys(pilot, "escape")
    assert pilot.app.screen.hits == []


async def test_filter_keeps_what_led_to_a_row_and_escape_lifts_it(pilot):
    everything = pilot.app.screen.view.count
    await keys(pilot, "f", *"is:failed", "enter")
    assert [line.split()[0] for line in rows(pilot)] == ["1", "2", "3"]
    assert "filter “is:failed”: 1 of 20" in remark(pilot)
    await keys(pilot, "escape")
    assert pilot.app.screen.view.count == everything


async def test_a_filter_that_cannot_be_understood_stays_and_names_the_word(pilot):
    await keys(pilot, "f", *"is:sad", "enter")
    assert "is:sad" in pilot.app.screen.query_one("#ask-hints").plain
    assert pilot.app.screen.query_one(Ask).asking
    assert pilot.app.screen.filtered_by == ""


async def test_enter_reads_the_details_and_a_cause_leads_to_its_event(pilot):
    await stand(pilot, 18)
    await keys(pilot, "enter")
    details = pilot.app.screen.query_one(Details)
    assert details.has_focus
    place = next(index for index, line in enumerate(details.plain) if line.startswith("parent"))
    await keys(pilot, *["j"] * place, "enter")
    assert at(pilot) == 16
    await keys(pilot, "escape")
    assert pilot.app.screen.view.has_focus


async def test_tab_goes_round_the_panes(pilot):
    await keys(pilot, "tab")
    assert pilot.app.screen.query_one(Details).has_focus
    await keys(pilot, "tab")
    assert pilot.app.screen.view.has_focus


async def test_sideways_brings_a_long_argument_into_view(pilot):
    await stand(pilot, 11)
    assert "datetime.html" not in rows(pilot)[10]
    await keys(pilot, *[">"] * 5)
    row = rows(pilot)[10]
    assert "datetime.html" in row and "│ │ ├─  WebFetch       datetime.html" in row
    assert " · scrolled " in remark(pilot) and ": < back · " in remark(pilot)
    shift = pilot.app.screen.view.shift
    await keys(pilot, ">", ">")
    assert pilot.app.screen.view.shift == shift
    assert remark(pilot) == "nothing that is seen here is cut off any more"
    await keys(pilot, *["<"] * 5)
    assert rows(pilot)[10].startswith(" 11 ")
    assert "scrolled" not in remark(pilot)


async def test_nothing_scrolls_sideways_where_nothing_is_cut_off():
    async with app_over(worked_example()).run_test(size=(200, 40)) as pilot:
        await pilot.pause()
        before = rows(pilot)
        await keys(pilot, ">")
        assert rows(pilot) == before
        assert remark(pilot) == "nothing that is seen here is cut off any more"


async def test_copy_puts_the_address_of_the_event_on_the_clipboard(pilot):
    await stand(pilot, 11)
    await keys(pilot, "y")
    assert pilot.app.clipboard == "korg://local/event/11"


async def test_times_are_shown_in_utc_or_local(pilot, monkeypatch):
    await keys(pilot, "g")
    assert "2026-03-02 14:00:00.000 UTC" in " ".join(pilot.app.screen.details.plain)
    pilot.app.utc = True
    await keys(pilot, "T")
    assert not pilot.app.utc
    await keys(pilot, "T")
    assert pilot.app.utc


async def test_details_lie_beside_or_below():
    for size, beside in (((120, 40), True), ((100, 30), True), ((80, 24), False)):
        async with app_over(worked_example()).run_test(size=size) as pilot:
            await pilot.pause()
            spine, details = pilot.app.screen.view.region, pilot.app.screen.details.region
            assert (details.x >= spine.right) == beside
            assert (details.y >= spine.bottom) == (not beside)


async def test_resizing_keeps_the_cursor_on_its_event_and_in_view(pilot):
    await stand(pilot, 12)
    await resized(pilot, 80, 24)
    await pilot.pause()
    view = pilot.app.screen.view
    assert at(pilot) == 12
    assert 0 <= view.cursor - round(view.scroll_y) < view.page


# the mouse


async def test_a_click_moves_and_a_double_click_reads(pilot):
    await pilot.click(SpineView, offset=(30, 3))
    assert at(pilot) == 4
    await pilot.click(SpineView, offset=(30, 4), times=2)
    await pilot.pause()
    assert at(pilot) == 5
    assert pilot.app.screen.details.has_focus


async def test_a_click_on_the_rails_folds_and_unfolds(pilot):
    begin = 4
    await pilot.click(SpineView, offset=(begin, 5))
    await pilot.pause()
    assert pilot.app.screen.spine.index_of(8) is None
    await pilot.click(SpineView, offset=(begin, 5))
    await pilot.pause()
    assert pilot.app.screen.spine.index_of(8) is not None


async def test_a_click_on_the_minimap_goes_there(pilot):
    await pilot.click(Minimap, offset=(0, 2))
    await pilot.pause()
    assert at(pilot) == 3


async def test_a_click_on_a_key_of_the_footer_gives_its_command(pilot):
    await stand(pilot, 18)
    footer = pilot.app.screen.query_one(KeyFooter)
    x = str(footer.render()).index("p parent")
    await pilot.click(KeyFooter, offset=(x + 2, 0))
    await pilot.pause()
    assert at(pilot) == 16


async def test_the_wheel_scrolls_and_the_cursor_stays():
    book = Book()
    parent = book.prompt("go")
    for _ in range(100):
        parent = book.infer(parent)
    async with app_over(book).run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        view = pilot.app.screen.view
        await keys(pilot, "g")
        assert round(view.scroll_y) == 0
        await pilot._post_mouse_events(
            [__import__("textual.events", fromlist=["x"]).MouseScrollDown], SpineView
        )
        await pilot.pause()
        assert view.scroll_y > 0
        assert at(pilot) == 1


async def test_escape_closes_the_line_that_asks_first(pilot):
    await keys(pilot, "slash", *"abc", "escape")
    assert not pilot.app.screen.query_one(Ask).asking
    assert isinstance(pilot.app.screen, SessionScreen)
    assert pilot.app.screen.searched == ""


async def test_of_a_failed_call_command_and_result_stand_first_at_80_columns():
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter", "g", "e")
        details = pilot.app.screen.details
        seen = [row.rstrip() for row in details.plain][: details.page]
        assert seen == [
            "3 Bash",
            "outcome   ✗ failed                    took      3.8 s",
            "parent    2",
            "command",
            "pytest tests/test_dates.py",
            "terminal ✗ exit 1",
            "E  ValueError: day is out of range",
        ]


async def test_no_duration_is_no_words():
    async with app_over(worked_example()).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert not any("0 ms" in pilot.app.screen.view.draw(index, 60).text for index in range(7))
        assert not any("took" in row for row in pilot.app.screen.details.plain)


async def test_while_the_details_have_the_keys_the_footer_offers_the_way_back(pilot):
    footer = pilot.app.screen.query_one(KeyFooter)
    assert footer.render().plain.startswith(" enter details ")
    await keys(pilot, "enter")
    assert footer.render().plain.startswith(" enter open  esc back ")
    assert "details" not in footer.render().plain
    await keys(pilot, "escape")
    assert footer.render().plain.startswith(" enter details ")


async def test_a_filter_that_nothing_fits_says_so(pilot):
    await keys(pilot, "f", *"tool:Nothing", "enter")
    first = pilot.app.screen.view.render_line(0).text
    assert first.strip() == "No event fits “tool:Nothing”: esc shows all."


async def test_ascii_draws_nothing_but_ascii():
    async with app_over(story(), ascii_only=True).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for pressed in ((), ("s", "s"), ("G", "enter"), ("enter",), ("escape", "z", "R"), ("?",), ("G",)):
            await keys(pilot, *pressed)
            strips = pilot.app.screen._compositor.render_strips()
            text = "\n".join("".join(segment.text for segment in strip) for strip in strips)
            assert text.isascii(), [character for character in text if not character.isascii()]


@pytest.mark.parametrize("seen", range(44, 56, 2))
async def test_what_a_key_does_with_a_notice_stands_on_one_line(seen):
    async with app_over(worked_example()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        pilot.app.screen.announce("x" * seen + " and more words of it")
        await pilot.pause()
        notice = pilot.app.screen.query_one("#notices")
        lines = [notice.render_line(y).text.strip() for y in range(notice.size.height)]
        assert lines[-1].endswith("· a: seen")


async def test_help_tells_whole_reasons_at_80_columns():
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter", "?")
        view = pilot.app.screen.lines
        rows = [view.draw(index, view.row_width).text.rstrip() for index in range(view.count)]
        assert not [row for row in rows if row.endswith("…")]
        elsewhere = [view.draw(index, 80).text.strip() for index in range(view.count)]
        assert "Elsewhere: rewind preview" in elsewhere
