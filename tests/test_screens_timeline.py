"""The timeline screen, as a person uses it: look, zoom, step, go to an event and come back, watch it grow."""

from __future__ import annotations

import pytest

from builders import MAIN, Book, chained, lines
from korg_tui.screens import SessionScreen, TimelineScreen
from korg_tui.widgets.chrome import Bar, Line
from korg_tui.widgets.timeline import TimeChart
from stage import MemorySource, app_over, keys, story


def drawn(widget) -> list[str]:
    return ["".join(part.text for part in widget.render_line(y)) for y in range(widget.size.height)]


def said(app, name: str) -> str:
    return app.screen.query_one(f"#{name}", Line).plain


async def test_a_walk_through_the_timeline():
    app = app_over(MemorySource(story()))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter", "g", "e", "t")
        screen = app.screen
        assert isinstance(screen, TimelineScreen)
        assert said(app, "crumbs") == ".korg/journal.jsonl › session 1 › timeline › lane 1 main › 3 Bash"
        chart = drawn(app.screen.query_one(TimeChart))
        assert [line.split("  ")[0].strip() for line in chart] == [
            "lanes in time",
            "1 main",
            "2 sub",
            "3 scout",
        ]
        assert "slowest 15 Agent 6.1 s" in said(app, "status")
        assert app.screen.query_one("#time-spent", Bar).plain.startswith(
            "32.7 s in all: not recorded 10.5 s (32 %)"
        )

        await keys(pilot, "-")
        assert said(app, "status") == "all of it is seen: + shows less of it, larger"
        await keys(pilot, "s", "s", "plus")
        assert "zoomed to 50 %: z shows all" in said(app, "status")
        assert screen.ledger.seq[screen.row] == 16 or screen.ledger.seq[screen.row] == 13
        seq = screen.ledger.seq[screen.row]

        await keys(pilot, "enter")
        assert isinstance(app.screen, SessionScreen)
        assert app.screen.ledger.seq[app.screen.row] == seq
        await keys(pilot, "escape")
        assert app.screen is screen
        assert screen.ledger.seq[screen.row] == seq
        assert "zoomed to 50 %" in said(app, "status")

        await keys(pilot, "z", "e")
        assert said(app, "status") == "there is no later failure: this is the first one"
        await keys(pilot, "E", "right_curly_bracket")
        assert said(app, "crumbs").endswith("4 Read")
        await pilot.click(TimeChart, offset=(45, 2))
        await pilot.pause()
        assert "lane 2 sub" in said(app, "crumbs")
        await keys(pilot, "escape")
        assert isinstance(app.screen, SessionScreen)


async def test_it_grows_while_one_looks_and_the_cursor_stays():
    whole, short = story(), Book()
    short.records = whole.records[:9]
    source = MemorySource(short)
    app = app_over(source)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "t")
        screen = app.screen
        assert isinstance(screen, TimelineScreen)
        await keys(pilot, "g", "j")
        source.append(lines(chained(whole.records))[len(short.nested()) :])
        await pilot.pause()
        assert screen.lines.count == 20
        assert screen.row == 1
        await keys(pilot, "G")
        assert said(app, "status").startswith("FOLLOW · 20 events")


async def test_rows_that_a_rewind_has_taken_are_gone_until_the_rest_is_laid_out_anew():
    source, short = MemorySource(story()), Book()
    short.records = story().records[:3]
    app = app_over(source)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter", "t", "G")
        screen = app.screen
        source.becomes(short)
        app.take_facts()
        screen.changed(screen.reading, ())
        assert screen.row == -1
        assert screen.timeline.line(screen.lines.cursor).tool == "gone"
        await pilot.pause()
        assert screen.lines.count == 3
        assert screen.row == 2


@pytest.mark.parametrize("whole", [story(), story().flat()], ids=["timed", "by order"])
async def test_keys_that_come_before_a_rewound_ledger_is_laid_out_anew_find_what_was_seen(whole):
    source, short = MemorySource(whole), Book()
    short.records = story().records[:3]
    app = app_over(source)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter", "t", "G", "plus")
        screen = app.screen
        source.becomes(short if isinstance(whole, Book) else short.flat())
        app.take_facts()
        assert screen.timeline.rows[-1] >= len(screen.ledger)
        for command in ("zoom-in", "earlier", "later", "zoom-out", "zoom-whole", "first", "last"):
            screen.give(command)
        assert drawn(screen.query_one(TimeChart))[0].startswith((" lanes in time", " rows in order"))
        assert "gone" in drawn(screen.lines)[-1]
        await pilot.pause()
        assert screen.lines.count == 3


async def test_a_ledger_without_times_says_so():
    app = app_over(MemorySource(story().flat()))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter", "t")
        assert drawn(app.screen.query_one(TimeChart))[0].startswith(" rows in order")
        assert app.screen.query_one("#time-spent", Bar).plain.startswith(
            "no times: this ledger does not say when"
        )


async def test_sixty_four_lanes_scroll_with_the_cursor():
    book = Book()
    think = book.infer(book.prompt("go"))
    for number in range(64):
        book.infer(
            book.prompt(f"part {number}", think, by=f"agent:part-{number}@1"), by=f"agent:part-{number}@1"
        )
    book.infer(think, by=MAIN)
    app = app_over(MemorySource(book))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "g", "t")
        assert "lanes 1–7 of 65" in said(app, "status")
        await keys(pilot, "G", "k")
        assert "lanes 59–65 of 65" in said(app, "status")
