"""The events of all sessions that fit a query: how they are asked for, listed, opened, and left again."""

from __future__ import annotations

import time

import pytest

from builders import START_MS, Book
from korg_tui.families import Families
from korg_tui.reading import Reading
from korg_tui.screens import EventsScreen, LedgersScreen, SessionScreen
from korg_tui.sources import FileSource
from korg_tui.views import EventSearch
from stage import MemorySource, app_over, keys, story


def editing(*paths: str, now_ms: int = START_MS) -> Book:
    """A session that edits these files, a second apart."""
    book = Book(now_ms=now_ms)
    think = book.infer(book.prompt("mend it"))
    for path in paths:
        book.tool("Edit", think, args={"file_path": path, "old_string": "a", "new_string": "b"})
    return book


def two() -> list[MemorySource]:
    south = editing("src/dates.py", "src/other.py", now_ms=START_MS + 3_600_000)
    return [
        MemorySource(story(), "/home/dusk/north/journal.jsonl"),
        MemorySource(south, "/home/dusk/south/journal.jsonl"),
    ]


def drawn(pilot) -> list[str]:
    lines = pilot.app.screen.lines
    return [lines.draw(index, lines.row_width).text.rstrip() for index in range(lines.count)]


def status(pilot) -> str:
    return pilot.app.screen.status.plain


async def settled(pilot) -> None:
    """Wait for a search that runs."""
    for _ in range(500):
        await pilot.pause()
        screen = pilot.app.screen
        if not (isinstance(screen, EventsScreen) and screen.searching):
            break
    await pilot.pause()


async def ask(pilot, query: str) -> None:
    await keys(pilot, "f", *(_NAMES.get(letter, letter) for letter in query), "enter")
    await settled(pilot)


_NAMES = {" ": "space", "/": "slash"}


async def test_a_filter_lists_its_events_in_all_sessions_newest_first():
    async with app_over(*two()).run_test(size=(120, 24)) as pilot:
        await pilot.pause()
        await ask(pilot, "path:src/dates.py")
        assert isinstance(pilot.app.screen, EventsScreen)
        path, main = "src/dates.py", "1 main          "
        assert drawn(pilot) == [
            f" 03-02 15:00:02  south/journal.jsonl  mend it          {main} 3   Edit         {path}",
            f" 03-02 14:00:27  north/journal.jsonl  The date parse…  {main}17   Edit         {path}",
            f" 03-02 14:00:05  north/journal.jsonl  The date parse…  {main} 4   Read         {path}",
        ]
        assert status(pilot) == "3 events fit · in 2 of 2 ledgers"
        assert pilot.app.screen.query_one("#crumbs").plain == (
            "events › path:src/dates.py › /home/dusk/south/journal.jsonl “mend it”"
        )


async def test_enter_opens_the_session_at_the_event_and_escape_comes_back_to_the_same_row():
    async with app_over(*two()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await ask(pilot, "path:src/dates.py tool:Edit")
        await keys(pilot, "j", "enter")
        screen = pilot.app.screen
        assert isinstance(screen, SessionScreen)
        assert (screen.ledger.name, screen.ledger.seq[screen.row]) == ("/home/dusk/north/journal.jsonl", 17)
        await keys(pilot, "escape")
        assert isinstance(pilot.app.screen, EventsScreen)
        assert pilot.app.screen.lines.cursor == 1
        await keys(pilot, "escape")
        assert isinstance(pilot.app.screen, LedgersScreen)
        await keys(pilot, "f")
        assert pilot.app.screen.query_one("#ask-input").value == "path:src/dates.py tool:Edit"


async def test_who_touched_this_path_is_asked_from_an_event():
    async with app_over(*two()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "enter", *":3", "enter")
        await keys(pilot, "P")
        await settled(pilot)
        assert isinstance(pilot.app.screen, EventsScreen)
        assert pilot.app.screen.search.query == 'path:"src/dates.py"'
        assert status(pilot) == "3 events fit · in 2 of 2 ledgers · asked from …/south/journal.jsonl:3"
        assert [row.split()[-1] for row in drawn(pilot)] == ["src/dates.py"] * 3
        await keys(pilot, "escape", "g", "P")
        assert status(pilot) == "this event names no path"


async def test_a_patch_of_many_files_is_asked_for_the_first_one_and_says_so():
    book = Book()
    think = book.infer(book.prompt("go"))
    patch = "*** Begin Patch\n*** Update File: a.py\n*** Update File: b.py\n*** End Patch"
    book.tool("apply_patch", think, args={"input": patch})
    async with app_over(book).run_test(size=(120, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "P")
        await settled(pilot)
        assert pilot.app.screen.search.query == 'path:"a.py"'
        assert status(pilot).endswith("asked from .korg/journal.jsonl:3, the first of its 2 paths")


async def test_what_cannot_be_understood_or_does_not_fit_is_said():
    async with app_over(*two()).run_test(size=(120, 24)) as pilot:
        await pilot.pause()
        await ask(pilot, "colour:red")
        assert isinstance(pilot.app.screen, LedgersScreen)
        assert "“colour:red” is not known" in pilot.app.screen.query_one("#ask-hints").plain
        await keys(pilot, "escape")
        await ask(pilot, "")
        assert status(pilot).startswith("nothing was asked for")
        await ask(pilot, "path:nowhere")
        assert "No event fits." in str(pilot.app.screen.query_one("#nothing").render())
        await keys(pilot, "enter")
        assert status(pilot) == "there are no rows"
        pilot.app.screen.search.query = ""
        await ask(pilot, "is:failed")
        (row,) = drawn(pilot)
        assert row.endswith(" 3 ✗ Bash         pytest tests/test_date…  failed")
        assert not pilot.app.screen.query_one("#nothing").display


async def test_a_search_is_stopped_by_escape_and_keys_act_meanwhile(monkeypatch):
    work = EventSearch.work
    monkeypatch.setattr(
        EventSearch,
        "work",
        lambda self, enough: work(self, lambda: True) if self.looked < 20 else time.sleep(0.005),
    )
    async with app_over(story()).run_test(size=(120, 24)) as pilot:
        await pilot.pause()
        screen = EventsScreen(pilot.app.readings, "-is:dead")
        pilot.app.push_screen(screen)
        await pilot.pause()
        screen.show_hits()
        await keys(pilot, "j", "j")
        assert screen.lines.cursor == 2
        assert status(pilot).startswith("20 events fit · looking, 83 %: esc stops")
        await keys(pilot, "escape")
        assert pilot.app.screen is screen
        assert status(pilot).startswith("20 events fit · stopped after 20 of 24 rows")
        await keys(pilot, "escape")
        assert not isinstance(pilot.app.screen, EventsScreen)


async def test_only_the_newest_are_kept_and_that_is_said():
    book = editing(*["a.py"] * 12)
    async with app_over(book).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        screen = EventsScreen(pilot.app.readings, "path:a.py")
        screen.search._most = 10
        pilot.app.push_screen(screen)
        await settled(pilot)
        assert status(pilot).startswith("12 events fit · the newest 10 are listed")
        assert len(drawn(pilot)) == 10


async def test_events_that_come_while_it_is_open_are_counted_and_found_when_asked_again():
    source = MemorySource(editing("a.py"))
    async with app_over(source).run_test(size=(120, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "escape")
        await ask(pilot, "path:a.py")
        source.append(editing("a.py", "a.py", "b.py").nested()[len(source.epochs[-1]) :])
        await pilot.pause()
        assert len(drawn(pilot)) == 1
        assert "2 events came since: f enter looks again" in status(pilot)
        await keys(pilot, "f", "enter")
        await settled(pilot)
        assert status(pilot) == "2 events fit · in 1 of 1 ledger"


async def test_an_event_that_a_rewind_dropped_says_so_and_is_not_opened():
    source = MemorySource(editing("a.py", "a.py"))
    async with app_over(source).run_test(size=(120, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "escape")
        await ask(pilot, "path:a.py")
        source.becomes(editing("a.py", "other.py"))
        await pilot.pause()
        assert [row.split("Edit")[-1].split("gone")[-1].strip() for row in drawn(pilot)] == [
            "a rewind dropped it since it was found",
            "a.py",
        ]
        await keys(pilot, "enter")
        assert isinstance(pilot.app.screen, EventsScreen)
        assert status(pilot) == "this event is gone: a rewind dropped it since it was found"


async def test_times_are_shown_in_the_zone_that_was_chosen(monkeypatch):
    async with app_over(editing("a.py")).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "escape")
        await ask(pilot, "tool:Edit")
        assert drawn(pilot) == [" 03-02 14:00:02  1 main       3   Edit         a.py"]
        monkeypatch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        await keys(pilot, "T")
        assert drawn(pilot) == [" 03-02 23:00:02  1 main       3   Edit         a.py"]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_hostile_path_reaches_no_terminal(size):
    path = "a\x1b]52;c;AAAA\x07\u202e\u200b[red]x[/red].py"
    async with app_over(editing(path, "b.py", path)).run_test(size=size) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "P")
        await settled(pilot)
        await keys(pilot, "f")
        field = pilot.app.screen.query_one("#ask-input").value
        text = "\n".join([*drawn(pilot), pilot.app.screen.query_one("#crumbs").plain, field])
        assert len(drawn(pilot)) == 2
        assert text.replace("\n", "").isprintable()
        assert "[red]x[/red]" in text


async def test_an_event_of_a_sub_agent_with_a_ledger_of_its_own_is_found_once_in_its_session(tmp_path):
    main, sub = Book(), Book(now_ms=START_MS + 1_500)
    think = main.infer(main.prompt("find the callers"))
    main.spawn(think, "look", result={"output": "Two.\nagentId: one (send a message to go on)"})
    sub.tool("Edit", sub.infer(sub.prompt("look")), args={"file_path": "src/dates.py"})
    for name, book in (("main", main), ("agent-one", sub)):
        (tmp_path / f"{name}.jsonl").write_bytes(book.nested())
    readings = [
        Reading.of(FileSource(tmp_path / f"{name}.jsonl")).complete() for name in ("main", "agent-one")
    ]
    Families().gather(readings)
    async with app_over(story()).run_test(size=(160, 24)) as pilot:
        await pilot.pause()
        pilot.app.push_screen(EventsScreen(readings, "path:src/dates.py"))
        await pilot.pause()
        await settled(pilot)
        (row,) = drawn(pilot)
        assert "agent-one.jsonl" in row
        assert "find the callers" in row
        assert row.endswith("   3   Edit             src/dates.py")
        assert status(pilot) == "1 event fits · in 1 of 2 ledgers"
        await keys(pilot, "enter")
        screen = pilot.app.screen
        assert isinstance(screen, SessionScreen)
        assert screen.ledger.name.endswith("main.jsonl")
        assert screen.ledger.tool_at(screen.row) == "Edit"
        await keys(pilot, "P")
        await settled(pilot)
        assert "agent-one.jsonl:3" in status(pilot)
    for reading in readings:
        reading.source.close()
