"""Folding under the cursor: what is said of an event is said of the one that the cursor stands on."""

from __future__ import annotations

import pytest

from builders import Book
from korg_tui.widgets.chrome import Line
from stage import app_over, keys, story


def crumbs(pilot) -> str:
    return pilot.app.screen.query_one("#crumbs", Line).plain


def at(pilot) -> int | None:
    return pilot.app.screen.ledger.seq_at(pilot.app.screen.row)


@pytest.fixture
async def pilot():
    async with app_over(story()).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter")
        yield pilot


FOLDS = [
    (10, ("z",), 6),
    (4, ("h",), 2),
    (4, ("h", "l"), 2),
    (18, ("z", "z"), 16),
]
"""The event where one begins, the keys, the event where one is then."""


@pytest.mark.parametrize(("seq", "pressed", "then"), FOLDS)
async def test_crumbs_details_and_commands_follow_a_cursor_that_a_fold_moves(pilot, seq, pressed, then):
    pilot.app.screen.go_to_seq(seq)
    await keys(pilot, *pressed)
    assert at(pilot) == then
    assert f" › {then} " in crumbs(pilot)
    assert pilot.app.screen.details.plain[0].startswith(f"{then} ")


async def test_in_the_preview_too(pilot):
    pilot.app.screen.go_to_seq(18)
    await keys(pilot, "r", "z", "z", "z")
    assert f" › {at(pilot)} " in crumbs(pilot)


async def test_who_follows_stays_at_the_end_at_every_level_of_folds(pilot):
    await keys(pilot, "G", "z", "z", "z")
    screen = pilot.app.screen
    assert screen.view.following
    assert screen.view.cursor == screen.view.count - 1


async def test_unfolding_the_last_row_leaves_the_end():
    book = Book()
    think = book.infer(book.prompt("Count."))
    book.tool("Bash", think, args={"command": "wc -l"})
    async with app_over(book).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "z", "z")
        screen = pilot.app.screen
        assert (at(pilot), screen.view.following) == (2, True)
        await keys(pilot, "l")
        assert (at(pilot), screen.view.following) == (2, False)
        assert screen.status.plain.startswith("PAUSED")


async def test_folding_lays_nothing_out_anew_which_would_draw_all_rows_twice(monkeypatch):
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter")
        view, asked = pilot.app.screen.view, []
        refresh = view.refresh
        monkeypatch.setattr(view, "refresh", lambda *at, **how: (asked.append(how), refresh(*at, **how))[1])
        longer = set()
        for _ in range(4):
            await keys(pilot, "z")
            longer.add(view.count > view.page)
            assert view.show_vertical_scrollbar == (view.count > view.page)
            assert view.max_scroll_y == max(0, view.count - view.page)
        assert longer == {True, False}
        assert [how for how in asked if how.get("layout")] == []
