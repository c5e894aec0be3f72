"""Lines at which the chain breaks, between the rows of the spine: keys, clicks and marks know events only."""

from __future__ import annotations

import pytest
from textual.events import Click, MouseScrollDown, MouseScrollUp

from builders import MAIN, Book
from korg_tui.screens import SessionScreen
from korg_tui.text import width
from korg_tui.trust import Fault, Standing
from korg_tui.widgets.lines import LineList
from korg_tui.widgets.spine import SpineView
from stage import MemorySource, app_over, foreign, keys, resized, story, wheel

WHY = "8 names another event before it than 7"
FAULTS = (
    Fault(4, "content", "its hash is of something else"),
    Fault(8, "link", WHY),
    Fault(9, "link", "9 names another event before it than 8"),
    Fault(17, "link", "the line before it could not be read"),
)


def broken(*faults: Fault) -> Standing:
    return Standing("broken", 25, "", None, faults)


def shown(pilot) -> list[str]:
    """The lines of the spine, without the minimap."""
    view = pilot.app.screen.view
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


def between(pilot) -> dict[int, str]:
    """The lines that say where the chain breaks, by their place on the page."""
    return {y: text for y, text in enumerate(shown(pilot)) if "╳─" in text or "X-" in text}


def at(pilot) -> int | None:
    return pilot.app.screen.ledger.seq_at(pilot.app.screen.row)


def place_of(pilot, seq: int) -> int:
    """The line of the page on which an event stands."""
    screen = pilot.app.screen
    index = screen.spine.index_of(seq)
    return screen.view.y_of(index) - screen.view.scroll_offset.y


async def stand(pilot, *faults: Fault) -> None:
    """The chain is checked, and these are its faults."""
    screen, found = pilot.app.screen, broken(*faults)
    pilot.app.standing = lambda reading, ledger: found
    screen.standing_changed(screen.reading, screen.ledger)
    await pilot.pause()


def chain(events: int) -> Book:
    """So many events of one lane."""
    book = Book()
    last = book.prompt("go")
    for _ in range(events - 1):
        last = book.infer(last, by=MAIN)
    return book


@pytest.fixture
async def pilot():
    async with app_over(MemorySource(story())).run_test(size=(80, 50)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter")
        await keys(pilot, "g")
        await stand(pilot, *FAULTS)
        yield pilot


@pytest.fixture
async def long():
    """Five hundred events, opened at once; the chain breaks before each tenth, and nobody is at the end."""
    async with app_over(MemorySource(chain(500))).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "g")
        await stand(pilot, *(Fault(seq, "link", f"why {seq}") for seq in range(10, 501, 10)))
        yield pilot


# --- where lines stand, and what is said there


async def test_a_line_stands_above_its_event(pilot):
    texts = shown(pilot)
    assert {y: texts[y + 1].split()[0] for y in between(pilot)} == {7: "8", 9: "9", 18: "17"}
    assert texts[7] == f"─── │ │ │ ╳─ the chain breaks here: {WHY} ────"
    assert [width(text) for text in between(pilot).values()] == [79, 79, 79]


async def test_rows_say_in_a_word_what_speaks_against_them(pilot):
    row = next(text for text in shown(pilot) if text.startswith("  4 "))
    assert ("≠ Read" in row, "altered" in row) == (True, True)
    assert pilot.app.screen.minimap.marks.against == pilot.app.screen.spine.spoken_against


async def test_in_ascii():
    async with app_over(MemorySource(story()), ascii_only=True).run_test(size=(80, 50)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter")
        await keys(pilot, "g")
        await stand(pilot, *FAULTS)
        assert between(pilot)[7] == f"--- | | | X- the chain breaks here: {WHY} ----"
        assert foreign(pilot.app) == set()
        assert "%" in pilot.app.screen.minimap.render_line(3).text


@pytest.mark.parametrize("cells", [1, 6, 20, 40, 60])
async def test_in_any_room(pilot, cells):
    await resized(pilot, cells, 50)
    await pilot.pause()
    view = pilot.app.screen.view
    assert {view.render_line(y).cell_length for y in range(view.size.height)} == {view.row_width}


# --- moving


async def test_keys_go_from_event_to_event(pilot):
    seqs = []
    for _ in range(9):
        await keys(pilot, "j")
        seqs.append(at(pilot))
    assert seqs == list(range(2, 11))
    await keys(pilot, "k", "k", "k")
    assert at(pilot) == 7
    assert pilot.app.screen.view.render_line(7).text == shown(pilot)[7].ljust(79)


async def test_the_cursor_line_is_drawn_where_its_event_stands(pilot):
    pilot.app.screen.go_to_seq(9)
    await pilot.pause()
    view = pilot.app.screen.view
    grounds = [{each.style.bgcolor for each in view.render_line(y)} for y in range(22)]
    assert [y for y in range(22) if grounds[y] != grounds[0]] == [place_of(pilot, 9)] == [10]


async def test_a_page_skips_no_event(long):
    screen = long.app.screen
    seen = set(screen.view.seen)
    while at(long) < 490:
        before = at(long)
        await keys(long, "pagedown")
        assert before < at(long) <= before + screen.view.page
        seen.update(screen.view.seen)
    assert seen >= set(range(490))
    seen.clear()
    while at(long) > 10:
        await keys(long, "pageup")
        seen.update(screen.view.seen)
    assert seen >= set(range(10, 480))


async def test_where_each_row_has_a_line_above_it_pages_skip_none_either():
    async with app_over(MemorySource(chain(60))).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "g")
        await stand(pilot, *(Fault(seq, "link", "why") for seq in range(1, 61)))
        view, seen = pilot.app.screen.view, set()
        assert (view.extent, view.count) == (120, 60)
        for _ in range(20):
            seen.update(view.seen)
            await keys(pilot, "pagedown")
        assert seen == set(range(60))
        await keys(pilot, "g")
        assert shown(pilot)[0].startswith("───")


async def test_the_end_is_seen_and_followed(long):
    await keys(long, "G")
    screen = long.app.screen
    assert (at(long), screen.view.following) == (500, True)
    assert round(screen.view.scroll_y) == screen.view.extent - screen.view.page == screen.view.max_scroll_y
    screen.reading.source.append(chain(502).nested().splitlines(keepends=True)[500])
    await long.pause()
    assert at(long) == 501
    assert shown(long)[-1].startswith(" 501")


async def test_the_wheel_goes_to_the_end_of_all_lines(long):
    view = long.app.screen.view
    for _ in range(300):
        view.post_message(wheel(MouseScrollDown))
    await long.pause()
    assert view.seen.stop == 500
    for _ in range(300):
        view.post_message(wheel(MouseScrollUp))
    await long.pause()
    assert view.seen.start == 0


async def test_going_to_an_event_brings_it_and_its_line_into_view(long):
    screen = long.app.screen
    for seq in (250, 30, 470, 10):
        screen.go_to_seq(seq)
        await long.pause()
        assert between(long)[place_of(long, seq) - 1].endswith("─")
        assert f"why {seq}" in between(long)[place_of(long, seq) - 1]


# --- clicks and letters


async def test_a_click_on_the_line_selects_the_row_below(pilot):
    await pilot.click(SpineView, offset=(30, 7))
    assert at(pilot) == 8
    await pilot.click(SpineView, offset=(30, 6))
    assert at(pilot) == 7
    await pilot.click(SpineView, offset=(30, 10))
    assert at(pilot) == 9


async def test_a_click_on_the_rails_of_a_line_folds_nothing(pilot):
    screen = pilot.app.screen
    await stand(pilot, Fault(6, "link", "why"))
    await pilot.click(SpineView, offset=(6, 5))
    assert (at(pilot), len(screen.spine)) == (6, 20)
    await pilot.click(SpineView, offset=(6, 6))
    await pilot.pause()
    assert len(screen.spine) < 20


async def test_a_click_below_all_rows_selects_the_last_one(pilot):
    screen = pilot.app.screen
    screen.filter("tool:Read")
    await pilot.pause()
    assert list(between(pilot)) == [3]
    await pilot.click(SpineView, offset=(30, 3))
    assert at(pilot) == 4
    await pilot.click(SpineView, offset=(30, 1))
    await pilot.click(SpineView, offset=(30, 4))
    assert at(pilot) == 2


async def test_letters_stand_beside_events_only(pilot):
    await keys(pilot, ";")
    assert sorted(pilot.app.screen.view.labels) == list(range(20))
    assert [y for y, text in enumerate(shown(pilot)) if text[:1] == "─"] == [7, 9, 18]
    label = pilot.app.screen.view.labels[8]
    await keys(pilot, *label)
    assert at(pilot) == 9


async def test_a_double_click_on_the_line_opens_the_details_of_the_row_below(pilot):
    screen = pilot.app.screen
    await pilot.click(SpineView, offset=(30, 7), times=2)
    await pilot.pause()
    assert (at(pilot), screen.focused) == (8, screen.details)


# --- with folds, filters, the preview


async def test_breaks_in_a_fold_are_one_line(pilot):
    await keys(pilot, "z")
    assert list(between(pilot).values()) == [
        "─── │   ╳─ 2 breaks of the chain, first: 8 names another event before it th… ──",
        "─── │   ╳─ the chain breaks here: the line before it could not be read ────────",
    ]


async def test_a_fold_leaves_the_cursor_where_it_is_on_the_page(pilot):
    pilot.app.screen.go_to_seq(18)
    await pilot.pause()
    before = place_of(pilot, 18)
    await keys(pilot, "z")
    assert at(pilot) == 18
    assert pilot.app.screen.view.scroll_offset.y == 0
    assert place_of(pilot, 18) == before - 7


async def test_the_preview_draws_them_too(pilot):
    pilot.app.screen.go_to_seq(5)
    await keys(pilot, "r")
    assert pilot.app.screen.previewing
    assert list(between(pilot)) == [7, 9, 18]
    await keys(pilot, "escape")
    assert not pilot.app.screen.previewing


async def test_the_minimap_is_of_events(long):
    screen = long.app.screen
    await keys(long, "G")
    begin, end = screen.minimap._view
    assert range(begin, end) == screen.view.seen
    assert end == 500
    screen.minimap.post_message(Click(screen.minimap, 0, 0, 0, 0, 1, False, False, False))
    await long.pause()
    assert screen.view.cursor < 40


# --- while the chain is checked


async def test_what_is_found_above_moves_nothing_that_is_seen(long):
    screen = long.app.screen
    screen.go_to_seq(255)
    await keys(long, "j", "k")
    before, labels = shown(long), place_of(long, 255)
    await stand(long, *(Fault(seq, "link", f"why {seq}") for seq in (*range(200), *range(200, 501, 10))))
    assert shown(long) == before
    assert (at(long), place_of(long, 255)) == (255, labels)


async def test_the_page_stays_where_it_is_when_the_cursor_is_elsewhere(long):
    screen = long.app.screen
    screen.view.scroll_to(y=200, animate=False, force=True)
    await long.pause()
    before = shown(long)
    await stand(long, *(Fault(seq, "link", f"why {seq}") for seq in range(100, 501, 10)))
    assert shown(long) == before
    assert at(long) == 1


async def test_the_cursor_stays_on_its_line_when_something_is_found_beside_it(long):
    screen = long.app.screen
    screen.go_to_seq(255)
    await keys(long, "j", "k")
    place = place_of(long, 255)
    await stand(long, *(Fault(seq, "link", f"why {seq}") for seq in range(250, 260)))
    assert (at(long), place_of(long, 255)) == (255, place)
    assert "why 255" in shown(long)[place - 1]
    await stand(long)
    assert (at(long), place_of(long, 255), between(long)) == (255, place, {})


async def test_only_what_looks_otherwise_is_drawn_again(pilot, monkeypatch):
    drawn, drawn_above = [], []
    draw, draw_above = SpineView.draw, SpineView.draw_above
    monkeypatch.setattr(SpineView, "draw", lambda self, *more: drawn.append(more[0]) or draw(self, *more))
    monkeypatch.setattr(
        SpineView, "draw_above", lambda self, *more: drawn_above.append(more[0]) or draw_above(self, *more)
    )
    await stand(pilot, *FAULTS, Fault(20, "content", "why"))
    assert (drawn, drawn_above) == ([19], [])
    await stand(pilot, *FAULTS, Fault(20, "content", "why"), Fault(404, "link", "why"))
    assert (drawn, drawn_above) == ([19], [])
    await stand(pilot, *FAULTS, Fault(20, "content", "why"), Fault(20, "link", "why"))
    assert (drawn, drawn_above) == ([19], [19])


async def test_rows_that_come_keep_their_strips(long, monkeypatch):
    drawn = []
    draw = SpineView.draw
    monkeypatch.setattr(SpineView, "draw", lambda self, *more: drawn.append(more[0]) or draw(self, *more))
    await stand(long, *(Fault(seq, "link", f"why {seq}") for seq in range(2, 501)))
    await keys(long, "j")
    assert set(drawn) <= {0, 1}, "the rows under the cursor, no others"


async def test_a_key_looks_at_few_of_ten_thousand_breaks(monkeypatch):
    async with app_over(MemorySource(chain(3))).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "g")
        view, looked = pilot.app.screen.view, []

        class Many(list[int]):
            def __getitem__(self, place):
                looked.append(place)
                return super().__getitem__(place)

        monkeypatch.setattr(SpineView, "count", property(lambda self: 20_000))
        monkeypatch.setattr(SpineView, "parted", property(lambda self: many))
        many = Many(range(0, 20_000, 2))
        places = [view.y_of(index) for index in range(0, 20_000, 97)]
        assert [view.index_at(y) for y in places] == list(range(0, 20_000, 97))
        assert view.index_at(view.y_of(10_000) - 1) == 10_000
        assert len(looked) <= 15 * 2 * len(places)


def test_other_lists_have_no_lines_between_rows():
    class Plain(LineList):
        count = 3

    assert (Plain("x").extent, Plain("x").y_of(2), Plain("x").index_at(2)) == (3, 2, 2)


# --- a ledger that is rewritten


async def test_a_rewritten_ledger_keeps_the_lines_until_they_are_said_to_be_gone(pilot):
    screen = pilot.app.screen
    assert isinstance(screen, SessionScreen)
    book = story()
    del book.records[12:]
    screen.reading.source.becomes(book)
    await pilot.pause()
    assert list(between(pilot)) == [7, 9]
    await stand(pilot)
    assert between(pilot) == {}


async def test_what_is_said_before_the_rows_are_those_of_the_ledger_waits_for_them(pilot):
    screen = pilot.app.screen
    found = broken(Fault(3, "link", "why"))
    pilot.app.standing = lambda reading, ledger: found
    grown = type(screen).changed

    def early(self, reading, changes):
        assert not self.spine.in_step
        self.standing_changed(reading, self.ledger)
        assert self.spine.standing is not found
        grown(self, reading, changes)

    book = story()
    del book.records[6:]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(screen), "changed", early)
        screen.reading.source.becomes(book)
        await pilot.pause()
    assert list(between(pilot)) == [2]


# --- with the chain that is checked


async def test_what_is_wrong_with_a_ledger_is_drawn_and_grows_with_it():
    told = story().nested().splitlines(keepends=True)
    told[3] = told[3].replace(b"src/dates.py", b"src/dates.rs")
    del told[11]
    source = MemorySource(b"".join(told[:17]))
    async with app_over(source).run_test(size=(80, 50)) as pilot:
        await pilot.pause()
        await keys(pilot, "g")
        texts, lying = shown(pilot), between(pilot)
        assert [texts[y + 1].split()[0] for y in lying] == ["13"]
        assert "names another event before it than seq 11" in lying[11]
        assert [text.split()[0] for text in texts if "altered" in text] == ["4"]
        source.append(told[18])
        await pilot.pause()
        assert [shown(pilot)[y + 1].split()[0] for y in between(pilot)] == ["13", "20"]
        source.becomes(b"".join(told[:10]))
        await pilot.pause()
        assert between(pilot) == {}
        assert at(pilot) == 1
