"""Asking for a query: completion, what was asked before, errors that stay, a count while one types; searching
and filtering beside the keys; and the causes and effects of an event as a person walks along them."""

from __future__ import annotations

import threading

import pytest

from builders import START_MS, Book, FixedClock
from korg_tui.screens import EffectsScreen, SessionScreen
from korg_tui.views import Look
from korg_tui.widgets.chrome import Ask
from korg_tui.widgets.field import Field
from korg_tui.widgets.hints import Hints
from korg_tui.widgets.walk import WalkLine
from stage import MemorySource, app_over, keys, story, worked_example

_NAMES = {" ": "space", "/": "slash", ":": "colon"}


def typed(words: str) -> list[str]:
    return [_NAMES.get(letter, letter) for letter in words]


def at(pilot) -> int | None:
    return pilot.app.screen.ledger.seq_at(pilot.app.screen.row)


def field(pilot) -> str:
    return pilot.app.screen.query_one(Field).value


def hints(pilot) -> str:
    return pilot.app.screen.query_one(Hints).plain


def marks(pilot) -> str:
    below = pilot.app.screen.query_one("#ask-marks")
    return str(below.render()) if below.display else ""


def status(pilot) -> str:
    return pilot.app.screen.status.plain


async def settled(pilot) -> None:
    """Wait for what runs beside the keys."""
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def opened(pilot) -> None:
    await pilot.pause()
    await keys(pilot, "G", "enter", "g")


# the line that asks


async def test_asking_for_a_filter_with_completion_history_errors_and_a_count():
    async with app_over(story()).run_test(size=(100, 30)) as pilot:
        await opened(pilot)
        await keys(pilot, "f")
        assert hints(pilot).startswith("tool: agent: kind: is:")
        await keys(pilot, *typed("tool:ba"))
        assert hints(pilot).startswith("tab ›Bash ")
        await keys(pilot, "tab")
        assert field(pilot) == "tool:Bash"
        await keys(pilot, *typed(" is:fail"), "right")
        await settled(pilot)
        assert field(pilot) == "tool:Bash is:failed"
        assert hints(pilot).endswith("1 of 20 fits")
        await keys(pilot, "enter")
        assert "filter “tool:Bash is:failed”: 1 of 20" in status(pilot)
        await keys(pilot, "f", "ctrl+u", *typed("is:faild seq:>1"), "enter")
        assert pilot.app.screen.query_one(Ask).asking, "the line stays"
        assert field(pilot) == "is:faild seq:>1"
        assert hints(pilot) == "“is:faild” is not known: did you mean failed?  tab: is:failed"
        assert marks(pilot) == " " * len(" filter ") + "^" * len("is:faild")
        assert pilot.app.screen.filtered_by == "tool:Bash is:failed"
        await keys(pilot, "tab", "enter")
        assert pilot.app.screen.filtered_by == "is:failed seq:>1"
        assert not pilot.app.screen.query_one(Ask).asking
        await keys(pilot, "f", "home", *typed("-x "), "up")
        assert field(pilot) == "is:failed seq:>1", "the newest of before"
        await keys(pilot, "up", "up")
        assert field(pilot) == "tool:Bash is:failed", "the oldest of before"
        await keys(pilot, "down", "down")
        assert field(pilot) == "-x is:failed seq:>1", "what was being typed"
        await keys(pilot, "escape", "escape")
        assert pilot.app.screen.filtered_by == ""


async def test_candidates_go_round_are_clicked_and_paths_are_met():
    async with app_over(story()).run_test(size=(100, 30)) as pilot:
        await opened(pilot)
        await keys(pilot, "f", "s")
        await keys(pilot, "tab")
        assert field(pilot) == "session:"
        await keys(pilot, "tab")
        assert field(pilot) == "seq:"
        await keys(pilot, "shift+tab", "shift+tab")
        assert field(pilot) == "since:"
        await keys(pilot, "escape", "f", *typed("path:"))
        await settled(pilot)
        await keys(pilot, "s")
        assert hints(pilot).startswith("tab ›src/dates.py  src ")
        where = hints(pilot).index("src/dates.py") + 1
        await pilot.click(Hints, offset=(where, 0))
        await pilot.pause()
        assert field(pilot) == "path:src/dates.py"


async def test_a_wrong_list_of_events_stays():
    async with app_over(story(), worked_example()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "f", *typed("lane:x"), "enter")
        assert pilot.app.screen.query_one(Ask).asking
        assert "no number: write lane:7" in hints(pilot)


async def test_since_counts_from_the_clock_of_the_screen():
    clock = FixedClock(START_MS + 60_000)
    async with app_over(story(), clock=clock).run_test(size=(100, 30)) as pilot:
        await opened(pilot)
        await keys(pilot, "f", *typed("since:30s"), "enter")
        assert "filter “since:30s”: 2 of 20" in status(pilot)
        await keys(pilot, "f", "ctrl+u", *typed("since:1s"), "enter")
        assert pilot.app.screen.view.empty == "No event fits “since:1s”: esc shows all."


# searching beside the keys


def long_story() -> Book:
    book = Book()
    think = book.infer(book.prompt("go"))
    book.tool("Read", think, args={"file_path": "a.py"}, result={"content": "x" * 300_000 + "NEEDLE"})
    for _ in range(5):
        book.tool("Grep", think, args={"pattern": "needle"})
    return book


@pytest.fixture
def release(monkeypatch) -> threading.Event:
    """A long record is not looked through before this is set."""
    release = threading.Event()
    answer = Look.answer

    def slow(self: Look) -> bool:
        if self.length > 200_000:
            release.wait(10)
        return answer(self)

    monkeypatch.setattr(Look, "answer", slow)
    return release


async def test_a_long_record_is_looked_at_beside_the_screen_told_and_stopped(release):
    async with app_over(long_story()).run_test(size=(120, 30)) as pilot:
        try:
            await pilot.pause()
            await keys(pilot, "g", "/", *typed("needle"), "enter")
            assert "0 hits so far for “needle”" in status(pilot), "from the first frame on, as `esc` stops it"
            await keys(pilot, "j", "j")
            assert at(pilot) == 3, "keys act meanwhile"
            assert "0 hits so far for “needle”, 25 % looked at: esc stops" in status(pilot)
            await keys(pilot, "escape")
            assert "search stopped: 0 hits in the first 25 % for “needle”" in status(pilot)
        finally:
            release.set()
        await keys(pilot, "/", "enter")
        await settled(pilot)
        assert "6 hits for “needle”" in status(pilot)


@pytest.mark.parametrize(("meanwhile", "then"), [([], 3), (["j"], 2), (["escape"], 1)])
async def test_what_is_found_late_takes_nobody_along_who_went_elsewhere(release, meanwhile, then):
    source = MemorySource(long_story())
    async with app_over(source).run_test(size=(120, 30)) as pilot:
        try:
            await pilot.pause()
            await keys(pilot, "g", "/", *typed("needle"), "enter")
            assert at(pilot) == 1
            await keys(pilot, *meanwhile)
        finally:
            release.set()
        await settled(pilot)
        assert at(pilot) == then
        source.becomes(b"".join(long_story().nested().splitlines(keepends=True)[:-1]))
        await pilot.pause()
        await settled(pilot)
        assert len(pilot.app.screen.hits) == 5
        assert at(pilot) == then, "what is looked for again takes nobody along, either"


async def test_a_filter_over_long_records_shows_when_it_is_known_and_takes_in_what_comes(monkeypatch):
    source = MemorySource(long_story())
    async with app_over(source).run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        await keys(pilot, "g", "f", *typed("NEEDLE tool:Read"), "enter")
        await settled(pilot)
        assert "filter “NEEDLE tool:Read”: 1 of 8" in status(pilot)
        longer = long_story()
        longer.tool("Read", 2, result={"content": "needle" + "x" * 300_000})
        longer.tool("Read", 2, result={"content": "nothing here"})
        source.append(longer.nested()[len(source.epochs[-1]) :])
        await pilot.pause()
        await settled(pilot)
        assert "filter “NEEDLE tool:Read”: 2 of 10" in status(pilot)


async def test_hits_that_a_fold_or_the_filter_hides_are_shown_and_that_is_said():
    async with app_over(story()).run_test(size=(120, 30)) as pilot:
        await opened(pilot)
        await keys(pilot, "f", *typed("tool:Edit"), "enter", "/", *typed("report"), "enter")
        await settled(pilot)
        assert at(pilot) == 12
        assert "the filter hides this hit: it is shown all the same" in status(pilot)
        await keys(pilot, "escape", "escape", "g")
        await keys(pilot, "z", "/", *typed("report.py"), "enter")
        await settled(pilot)
        assert at(pilot) == 12
        assert "unfolded" in status(pilot)
        await keys(pilot, "n", "j", "n")
        assert "2 hits for “report.py” (1 of 2)" in status(pilot) or "first" in status(pilot)


async def test_a_search_that_grows_never_moves_the_cursor():
    source = MemorySource(worked_example())
    async with app_over(source).run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await keys(pilot, "g", "/", *typed("parser.py.nowhere"), "enter")
        await settled(pilot)
        assert "0 hits" in status(pilot)
        more = worked_example()
        more.tool("Read", 7, args={"file_path": "parser.py.nowhere"})
        source.append(more.nested()[len(source.epochs[-1]) :])
        await pilot.pause()
        await settled(pilot)
        assert "1 hit for" in status(pilot)
        assert at(pilot) == 1


# causes and effects


async def test_the_walk_is_seen_clicked_and_ends_where_it_all_began():
    async with app_over(worked_example()).run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        walk = pilot.app.screen.query_one(WalkLine)
        assert walk.plain == "7 llm_inference ‹ 6 Agent ‹ 2 llm_inference ‹ 1 user_prompt by human:dusk “go”"
        await pilot.click(WalkLine, offset=(1 + walk.plain.index("6 Agent"), 0))
        await pilot.pause()
        assert at(pilot) == 6
        assert walk.plain.startswith("6 Agent ‹ 2 ")
        await keys(pilot, "O")
        assert at(pilot) == 1
        await keys(pilot, "backspace")
        assert at(pilot) == 6


async def test_why_tells_the_edges_of_each_row_until_it_is_left():
    async with app_over(worked_example()).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "w")
        details = pilot.app.screen.details
        assert details.plain[0].startswith("why 7 came: llm_inference")
        assert any("7 read the result of 6, the Agent call" in line for line in details.plain)
        await keys(pilot, "k")
        assert details.plain[0].startswith("why 6 came: Agent")
        await keys(pilot, "tab", "j", "j", "enter")
        assert at(pilot) in (2, 5)
        await keys(pilot, "escape", "escape")
        assert not details.plain[0].startswith("why")


async def test_the_effects_of_an_event_are_listed_explained_and_lead_there():
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await keys(pilot, *typed(":10"), "enter", "v")
        screen = pilot.app.screen
        assert isinstance(screen, EffectsScreen)
        await settled(pilot)
        drawn = [screen.list.draw(index, 78).text.split() for index in range(screen.list.count)]
        assert [row[0] for row in drawn] == ["12", "13", "16", "17", "18", "19", "20"]
        assert "certain" in status(pilot)
        assert "nothing is rewound" in status(pilot)
        await keys(pilot, "j")
        assert screen.details.plain[0].startswith("why 13 Agent depends on 10")
        await keys(pilot, "enter")
        assert isinstance(pilot.app.screen, SessionScreen)
        assert at(pilot) == 13
        await keys(pilot, "escape")
        assert (pilot.app.screen, screen.list.cursor) == (screen, 1)
        await keys(pilot, "escape")
        assert at(pilot) == 10
        await keys(pilot, "G", "v")
        assert "Nothing later depends on it" in str(pilot.app.screen.query_one("#nothing").render())
        await keys(pilot, "escape")
        assert isinstance(pilot.app.screen, SessionScreen)


async def test_effects_follow_the_ledger_and_end_with_their_event():
    source = MemorySource(worked_example())
    async with app_over(source).run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await keys(pilot, *typed(":4"), "enter", "v")
        screen = pilot.app.screen
        assert screen.list.count == 3
        longer = worked_example()
        longer.tool("Read", 7)
        source.append(longer.nested()[len(source.epochs[-1]) :])
        await pilot.pause()
        assert screen.list.count == 4
        shorter = Book()
        shorter.records, shorter.top = worked_example().records[:2], 2
        source.becomes(shorter)
        await pilot.pause()
        assert "4 is not in the ledger" in status(pilot)


@pytest.mark.parametrize("place", ["session", "effects"])
async def test_hostile_text_stays_text(place: str):
    book = Book()
    ask = book.prompt("\x1b]0;own\x07[red]x\u202e", by="human:\x1b[2J")
    book.tool("T\x1b[2J[@click=app.quit]x[/]", book.tool("[b]\x9b", ask))
    async with app_over(book).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "w", "f", *typed("tool:t"))
        text = [pilot.app.screen.query_one(WalkLine).plain, hints(pilot), *pilot.app.screen.details.plain]
        if place == "effects":
            await keys(pilot, "escape", "g", "v")
            screen = pilot.app.screen
            text = [screen.list.draw(0, 80).text, *screen.details.plain, screen.query_one("#crumbs").plain]
        assert all(line.isprintable() for line in text)
