"""Keys and pasted text in one piece, as ssh, tmux, a macro or a slow machine deliver them."""

from __future__ import annotations

import asyncio
import os
import pty

import pytest
from textual import events
from textual.command import CommandList
from textual.css.query import NoMatches
from textual.keys import _character_to_key
from textual.widgets import Input

from korg_tui import cli, commands
from korg_tui.app import _hung_up
from korg_tui.screens.bookmarks import BookmarksScreen
from stage import app_over, keys, story, worked_example

CHARACTERS = {key for entry in commands.COMMANDS for key in entry.keys if len(key) == 1} | {*commands.DIGITS}
NAMES = {"\r": "enter", "\x1b": "escape", "\t": "tab", "\b": "backspace"}


async def at_once(pilot, typed: str) -> None:
    """All these keys before the program looks at the first."""
    for character in typed:
        name = NAMES.get(character) or _character_to_key(character)
        pilot.app.post_message(events.Key(name, character))
    await pilot.pause()
    await pilot.pause()


def place(pilot) -> int:
    return pilot.app.screen.ledger.seq[pilot.app.screen.row]


@pytest.mark.parametrize(
    ("typed", "seq"), [(":16\r", 16), ("16\r", 16), (":16\rk", 15), (":1\b6\rkk", 4), (":16\x1bk", 2)]
)
async def test_keys_that_come_at_once_mean_what_they_mean_one_by_one(typed, seq):
    async with app_over(story()).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter", "g", "j", "j")
        assert place(pilot) == 3
        await at_once(pilot, typed)
        assert place(pilot) == seq
        assert not pilot.app.screen.query_one("#ask").display


async def test_a_page_of_commands_that_are_not_drawn_yet_is_none():
    async with app_over(worked_example()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        pilot.app.post_message(events.Key("ctrl+p", None))
        for _ in range(50):
            await asyncio.sleep(0)
            pilot.app.post_message(events.Key("pagedown", None))
        await pilot.pause()
        assert pilot.app.screen.query_one(CommandList).highlighted
        await keys(pilot, "escape")
        assert not pilot.app.screen.query(CommandList)


@pytest.mark.parametrize("opening", ["f", "slash", "colon"])
async def test_every_character_of_a_key_can_be_typed_into_a_field(opening):
    async with app_over(worked_example()).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, opening)
        typed = "".join(sorted(CHARACTERS))
        for character in f"{typed} ":
            pilot.app.post_message(events.Key(_character_to_key(character), character))
        await pilot.pause()
        assert pilot.app.screen.query_one(Input).value == f"{typed} "
        await keys(pilot, "home", "x", "end", "left", "backspace")
        assert pilot.app.screen.query_one(Input).value == f"x{typed[:-1]} "


async def test_panes_take_the_keys_at_once():
    async with app_over(worked_example()).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "g")
        await at_once(pilot, "\tjj\tj")
        assert place(pilot) == 2
        assert pilot.app.screen.focused is pilot.app.screen.view


async def test_a_search_that_comes_at_once_is_answered_before_what_follows():
    async with app_over(story()).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter", "g")
        await at_once(pilot, "/pytest\r")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert place(pilot) == 3


async def test_what_is_longer_than_its_field_is_seen_and_what_is_typed_behind_it():
    async with app_over(worked_example()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "f")
        pilot.app.post_message(events.Paste("p" * 100))
        await pilot.pause()
        assert bottom(pilot, 4).startswith(" filter ppp")
        await keys(pilot, *"typed")
        assert bottom(pilot, 4).rstrip().endswith("pppptyped")


def bottom(pilot, row: int) -> str:
    """A row of the screen as it is drawn, counted from below."""
    return pilot.app.screen._compositor.render_strips()[-row].text


PASTED = "ab\u202ecd\u009b66;6Hq\u200bz\x1b[2J"
SAFE = r"ab\u202ecd\x9b66;6Hq\u200bz␛[2J"


@pytest.mark.parametrize("opening", ["f", "slash", "colon", "ctrl+p"])
async def test_pasted_text_is_one_safe_line_wherever_it_goes(opening):
    async with app_over(worked_example()).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "g", opening)
        pilot.app.post_message(events.Paste(f"\n{PASTED}\r\nmore"))
        await pilot.pause()
        assert pilot.app.screen.query_one(Input).value == SAFE


@pytest.mark.parametrize("without", [0, 2])
def test_the_screen_without_a_terminal_is_one_line_and_2(tmp_path, monkeypatch, capsys, without):
    ledger = tmp_path / "journal.jsonl"
    ledger.write_bytes(worked_example().nested())
    monkeypatch.setattr("os.isatty", lambda descriptor: descriptor != without)
    assert cli.main([str(ledger)]) == 2
    said = "korg-tui: the screen needs a terminal; korg-tui show LEDGER prints it\n"
    assert capsys.readouterr() == ("", said)


def test_a_terminal_that_is_lost_is_noticed():
    outer, inner = pty.openpty()
    try:
        assert not _hung_up(inner)
        os.close(outer)
        assert _hung_up(inner)
    finally:
        os.close(inner)


async def test_a_command_reaches_no_screen_that_has_ended_or_is_not_laid_out():
    async with app_over(worked_example()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        early = BookmarksScreen()
        pilot.app.push_screen(early)
        early.give("last")
        early.show_bookmarks()
        assert not early.ready
        await pilot.pause()
        assert early.ready
        await keys(pilot, "escape")
        early.give("last")
        early.show_bookmarks()
        assert not early.ready
        assert pilot.app.fault is None


@pytest.mark.parametrize("ends", [False, True])
async def test_what_runs_beside_a_screen_may_find_it_empty_only_before_and_after(ends):
    async with app_over(worked_example()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        screen = BookmarksScreen()
        pilot.app.push_screen(screen)

        async def look() -> None:
            screen.query_one("#there-is-none")

        if ends:
            await pilot.pause()
            with pytest.raises(NoMatches):
                await screen._run_beside(look)
            await keys(pilot, "escape")
        await screen._run_beside(look)
        assert not screen.ready
