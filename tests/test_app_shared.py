"""Every ledger of the shared folder is listed, and one of each producer opens in the screens. Collected only
where that folder lies beside."""

from __future__ import annotations

from pathlib import Path

from builders import FixedClock
from korg_tui.app import KorgApp
from korg_tui.causal import Ledger
from korg_tui.config import Settings
from korg_tui.reading import Reading
from korg_tui.screens import LedgersScreen, SessionScreen
from korg_tui.sources import open_sources
from korg_tui.views import SessionRow
from stage import InstantFeeds

LEDGERS = Path(__file__).parents[2] / "shared" / "ledgers"

if LEDGERS.is_dir():

    async def test_every_shared_ledger_opens_and_previews():
        sources = open_sources([LEDGERS])
        clock = FixedClock()
        app = KorgApp(
            sources, feeds=InstantFeeds(), clock=lambda: clock.now_ms, settings=Settings(utc=True)
        )
        async with app.run_test(size=(100, 30)) as pilot:
            while not all(reading.caught_up for reading in app.readings):
                await pilot.pause()
            app.screen.show_rows()
            assert isinstance(app.screen, LedgersScreen)
            rows = [row for row in app.screen.lines.rows if isinstance(row, SessionRow)]
            assert len({row.ledger for row in rows}) > 40
            assert {reading.state for reading in app.readings} == {"live"}
            first_of = {row.ledger: row for row in reversed(rows)}
            producers: set[Path] = set()
            for reading in app.readings:
                for ledger in reading.journal.ledgers:
                    producer = Path(reading.source.name).relative_to(LEDGERS).parents[-2]
                    if ledger.name in first_of and producer not in producers:
                        producers.add(producer)
                        await visit(pilot, reading, ledger, first_of[ledger.name].index)
            assert len(producers) > 10

    async def visit(pilot, reading: Reading, ledger: Ledger, session: int) -> None:
        """Open a session as `enter` does, go to its beginning, preview a rewind to it, and leave."""
        screen = SessionScreen(reading, ledger, session if session >= 0 else None)
        await pilot.app.push_screen(screen)
        assert screen.view.count
        for command in ("first", "rewind", "keep-more", "details"):
            screen.give(command)
        screen.show_details()
        screen.view.draw(0, screen.view.row_width)
        await pilot.app.pop_screen()
