"""The numbers on the screen: of a session, its ledger, all ledgers; sorted; each row leads to an event."""

from __future__ import annotations

from builders import Book, chained, lines
from korg_tui.screens import EventsScreen, SessionScreen, StatsScreen
from korg_tui.widgets.chrome import Line
from stage import MemorySource, app_over, keys, story


def said(app, name: str) -> str:
    return app.screen.query_one(f"#{name}", Line).plain


def drawn(app) -> list[str]:
    table = app.screen.lines
    return ["".join(part.text for part in table.render_line(y)).rstrip() for y in range(table.page)]


async def test_a_walk_through_the_numbers():
    other = Book()
    other.infer(other.prompt("elsewhere"), duration_ms=60_000)
    app = app_over(MemorySource(story(), "/a/one.jsonl"), MemorySource(other, "/a/two.jsonl"))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "S")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert isinstance(app.screen, StatsScreen)
        assert said(app, "status").startswith("numbers of this whole ledger · sorted by time")
        await keys(pilot, "escape", "enter", "S")
        await app.workers.wait_for_complete()
        await pilot.pause()
        screen = app.screen
        assert said(app, "status").startswith("numbers of this session")

        await keys(pilot, "tab", "j")
        assert "tools ›" in said(app, "crumbs")
        await keys(pilot, "s", "s")
        assert "sorted by failed" in said(app, "status")
        await keys(pilot, "w", "w")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert said(app, "status").startswith("numbers of all ledgers")
        assert "3 sessions in 2 ledgers" in drawn(app)[1] or "4 sessions in 2 ledgers" in drawn(app)[1]

        await keys(pilot, "g", "enter")
        assert said(app, "status") == "this row leads to no event"
        await keys(pilot, "tab", "tab", "tab", "tab", "j", "enter")
        assert isinstance(app.screen, SessionScreen)
        assert app.screen.ledger.name == "/a/two.jsonl"
        await keys(pilot, "escape")
        assert app.screen is screen
        await keys(pilot, "G", "enter")
        assert isinstance(app.screen, EventsScreen)
        await app.workers.wait_for_complete()


async def test_numbers_grow_with_their_ledger():
    whole, short = story(), Book()
    short.records = whole.records[:9]
    source = MemorySource(short)
    app = app_over(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "S")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "9 events" in drawn(app)[1]
        source.append(lines(chained(whole.records))[len(short.nested()) :])
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "20 events" in drawn(app)[1]
