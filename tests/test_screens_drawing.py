"""When a screen is drawn: a frame that another one follows at once is left out, and none is lost."""

from __future__ import annotations

import asyncio

from korg_tui.screens import KorgScreen
from stage import app_over, keys, story


async def test_a_frame_that_was_left_out_comes_by_itself_and_the_next_one_is_drawn(monkeypatch):
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter", "g")
        app, frames = pilot.app, []
        monkeypatch.setattr(app, "_display", lambda screen, frame: frames.append(frame))
        monkeypatch.setattr(KorgScreen, "_lays_out_again", True)
        app.screen.say("one")
        async with asyncio.timeout(10):
            while not frames:
                await asyncio.sleep(0)
        assert len(frames) == 1
        app.screen._compositor_refresh()
        assert len(frames) == 1, "it is left out"
        app.screen._compositor_refresh()
        assert len(frames) == 2, "and the next one is drawn"
