"""The list of ledgers and sessions: what it shows, how it is sorted and narrowed, and states in words."""

from __future__ import annotations

from collections.abc import Iterator

from builders import START_MS, Book, FixedClock
from korg_tui.screens import LedgersScreen, SessionScreen
from korg_tui.sources import Fact, Opened, Pool, Progress, SourceError, State
from korg_tui.widgets.chrome import KeyFooter, Line
from korg_tui.widgets.lines import LineList
from stage import MemorySource, app_over, keys, story


class TroubledSource(MemorySource):
    """A source that says something instead of giving events."""

    def __init__(self, name: str, *facts: Fact) -> None:
        super().__init__(b"", name)
        self.facts = facts

    def start(self) -> Iterator[Fact]:
        yield from self.facts


def drawn(pilot) -> list[str]:
    """The rows of the list."""
    lines = pilot.app.screen.lines
    return [lines.draw(index, lines.row_width).text.rstrip() for index in range(lines.count)]


def status(pilot) -> str:
    return pilot.app.screen.status.plain


async def test_sessions_newest_first_with_their_counts_and_a_live_mark():
    clock = FixedClock(START_MS + 60_000)
    async with app_over(story(), clock=clock).run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        assert [row[:83] for row in drawn(pilot)] == [
            "▸● 20 s ago     complete        3      1       0    0  ✓ intact          Count the ",
            "   26 s ago     partial         1      1       0    1  ✓ intact          begins wit",
            "   27 s ago     complete       20      3       1    0  ✓ intact          The date p",
        ]
        assert status(pilot) == "3 sessions in 1 ledger · sorted by activity · ● live"
        assert crumbs(pilot) == "ledgers and sessions › .korg/journal.jsonl"
        clock.move(30)
        pilot.app.screen.show_rows()
        assert drawn(pilot)[0].startswith("▸● 50 s ago")


async def test_sort_goes_round_and_the_cursor_stays_on_its_session():
    async with app_over(story()).run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        first = []
        for _ in range(4):
            await keys(pilot, "s")
            first.append((pilot.app.screen.sort, pilot.app.screen.lines.rows[0].events))
            assert pilot.app.screen.lines.row.prompt == "Count the open tickets."
        assert first == [("size", 20), ("failures", 20), ("start", 20), ("activity", 3)]


async def test_filter_narrows_while_typing_and_escape_shows_all():
    async with app_over(story()).run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "slash", *"tick")
        assert len(drawn(pilot)) == 1
        await keys(pilot, "enter", "enter")
        assert isinstance(pilot.app.screen, SessionScreen)
        await keys(pilot, "escape")
        assert "only with “tick”: esc shows all" in status(pilot)
        await keys(pilot, "escape")
        assert len(drawn(pilot)) == 3
        await keys(pilot, "escape")
        assert status(pilot) == "this is the first screen: q quits"


async def test_several_ledgers_are_told_apart_by_what_differs_in_their_names():
    sources = [MemorySource(story(), f"/home/dusk/work/{name}/journal.jsonl") for name in ("north", "south")]
    async with app_over(*sources).run_test(size=(120, 24)) as pilot:
        await pilot.pause()
        assert len(drawn(pilot)) == 6
        assert sum("north/journal.jsonl" in row for row in drawn(pilot)) == 3
        assert not any("/home/dusk" in row for row in drawn(pilot))
        assert status(pilot).startswith("6 sessions in 2 ledgers")


async def test_a_double_click_opens_a_session():
    async with app_over(story()).run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        await pilot.click(LineList, offset=(40, 2), times=2)
        await pilot.pause()
        assert isinstance(pilot.app.screen, SessionScreen)
        assert pilot.app.screen.spine.session.index == 0


async def test_states_of_sources_are_words_on_the_screen():
    waiting = TroubledSource(
        "a.jsonl", State("waiting", "a.jsonl is not there yet; it is read as it appears", 0)
    )
    failed = TroubledSource(
        "b.bin", State("failed", "b.bin: not a ledger: it holds bytes that are no text", 0)
    )
    reading = TroubledSource("c.jsonl", Opened("lines"), Progress(30, 120))
    empty = MemorySource(b"", "d.jsonl")
    async with app_over(waiting, failed, reading, empty).run_test(size=(120, 24)) as pilot:
        await pilot.pause()
        assert drawn(pilot) == [
            "▸- waiting      a.jsonl is not there yet; it is read as it appears",
            " - failed       b.bin: not a ledger: it holds bytes that are no text",
            " - reading      c.jsonl",
            " - empty        d.jsonl has no sessions yet: the first event will show here",
        ]
        assert status(pilot).endswith("reading 25 %")
        await keys(pilot, "enter")
        assert isinstance(pilot.app.screen, LedgersScreen)
        assert status(pilot) == "there are no rows"


async def test_a_source_that_cannot_be_a_ledger_is_a_state_not_an_end():
    class Refusing(MemorySource):
        def start(self) -> Iterator[Fact]:
            raise SourceError("x.key: not a ledger: it looks like a key")

    app = app_over(Refusing(b"", "x.key"), feeds=Pool())
    async with app.run_test(size=(120, 24)) as pilot:
        for _ in range(100):
            await pilot.pause(0.02)
            if app.readings[0].state == "failed":
                break
        await pilot.pause()
        assert drawn(pilot) == ["▸- failed       x.key: not a ledger: it looks like a key"]


async def test_nothing_found_says_where_it_looked_and_offers_the_demo():
    app = app_over(looked="$KORG_JOURNAL_PATH: not set\n/home/dusk/.korg: not there")
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        text = str(pilot.app.screen.query_one("#nothing").render())
        assert "No ledger found." in text
        assert "/home/dusk/.korg: not there" in text
        assert "Press d to play the demo" in text
        await keys(pilot, "d")
        assert pilot.app.readings[0].journal.name == "demo"
        assert any("complete" in row for row in drawn(pilot))


async def test_a_ledger_without_agent_events_opens_too():
    book = Book()
    book.governance("CapabilityEnabled")
    async with app_over(book).run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        assert isinstance(pilot.app.screen, SessionScreen)
        assert pilot.app.screen.view.count == 1
        assert pilot.app.screen.spine.session is None


async def test_what_a_filter_leaves_is_counted_and_nothing_is_said_in_words():
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "/", *"tickets", "enter")
        assert status(pilot).startswith("1 of 3 sessions in 1 ledger · only with “tickets”: esc shows all")
        await keys(pilot, "/", "ctrl+u", *"mapper")
        assert pilot.app.screen.words == "mapper"
        await keys(pilot, "enter")
        assert pilot.app.screen.lines.render_line(0).text.strip() == "No session has “mapper”: esc shows all."
        assert status(pilot).startswith("0 of 3 sessions")


async def test_what_is_in_force_goes_on_where_it_ended_and_what_was_asked_before_comes_back():
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "/", *"ticket", "enter", "/", "s")
        assert pilot.app.screen.words == "tickets"
        await keys(pilot, "enter", "/", "ctrl+u", *"mapper", "enter", "/", "up", "up")
        assert pilot.app.screen.words == "tickets"
        footer = pilot.app.screen.query_one(KeyFooter).render().plain
        assert footer.split("  ") == [" enter done", "esc close", "↑ earlier", "ctrl+u empty it "]
        await keys(pilot, "escape")
        assert pilot.app.screen.query_one(KeyFooter).render().plain.startswith(" enter open")


async def test_a_source_without_sessions_is_told_of_once():
    source = MemorySource(b"", "/home/dusk/a/very/long/way/to/a/project/.korg/korg-tui.jsonl")
    async with app_over(source).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "has no sessions yet" in drawn(pilot)[0]
        assert not pilot.app.screen.query_one("#told").display


async def test_the_header_keeps_its_columns_apart_and_its_arrow_off_what_has_no_column():
    sources = [MemorySource(story(), f"/w/{each}/journal.jsonl") for each in "ab"]
    async with app_over(*sources).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "s", "s")
        assert "events agents failed▾ dead" in " ".join(head(pilot).split())
        await keys(pilot, "s")
        assert "▾" not in head(pilot)


async def test_the_zone_of_times_is_said():
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "T")
        assert status(pilot) == "times are local"
        await keys(pilot, "T")
        assert status(pilot) == "times are in UTC"


async def test_the_demo_key_says_how_else_to_see_it():
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "d")
        assert status(pilot) == "a ledger is open: korg-tui --demo plays it in another terminal"
        assert "demo" not in pilot.app.screen.query_one(KeyFooter).render().plain


async def test_words_hide_sources_that_do_not_have_them_and_the_cursor_goes_to_the_first_that_does():
    empty = MemorySource(b"", "empty.jsonl")
    async with app_over(MemorySource(story(), "full.jsonl"), empty).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "end", "/", *"full tick", "enter")
        assert len(drawn(pilot)) == 1
        assert pilot.app.screen.lines.row.prompt == "Count the open tickets."
        await keys(pilot, "escape", "/", *"empty")
        assert [row.split()[0] for row in drawn(pilot)] == ["▸-"]


async def test_an_unusual_status_stands_before_the_prompt_where_ledgers_need_the_room():
    folders = ("a-long-name-here", "north-wind")
    sources = [MemorySource(story(), f"/w/{each}/events.jsonl") for each in folders]
    async with app_over(*sources).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        columns = "activity▾ ledger events agents failed dead chain, status, prompt"
        assert " ".join(head(pilot).split()) == columns
        rows = [row for row in drawn(pilot) if "partial: begins" in row]
        assert len({row[13:31] for row in rows}) == 2


def crumbs(pilot) -> str:
    return pilot.app.screen.query_one("#crumbs", Line).plain


def head(pilot) -> str:
    return pilot.app.screen.query_one("#sessions-head", Line).plain
