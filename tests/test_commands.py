"""The command table: whole, without clashes, and the same thing for keys, footer, help and README."""

from __future__ import annotations

import pytest

from korg_tui.commands import COMMANDS, DEFAULT, FOOTER, Place, Situation, key_table
from korg_tui.screens import EventsScreen, HelpScreen, LedgersScreen, SessionScreen
from korg_tui.screens.binding import bindings
from korg_tui.screens.bookmarks import BookmarksScreen
from korg_tui.screens.export import ExportScreen
from korg_tui.screens.reader import ReaderScreen
from korg_tui.screens.timeline import TimelineScreen

SCREENS = {
    Place.LEDGERS: LedgersScreen,
    Place.SESSION: SessionScreen,
    Place.PREVIEW: SessionScreen,
    Place.EVENTS: EventsScreen,
    Place.HELP: HelpScreen,
    Place.BOOKMARKS: BookmarksScreen,
    Place.EXPORT: ExportScreen,
    Place.READER: ReaderScreen,
    Place.TIMELINE: TimelineScreen,
}


@pytest.mark.parametrize("place", Place)
def test_a_key_means_one_thing_in_a_place(place):
    keys = [key for entry in DEFAULT.at(place) for key in entry.keys]
    assert sorted(keys) == sorted(set(keys))


@pytest.mark.parametrize("place", Place)
def test_a_screen_carries_out_every_command_of_its_place(place):
    missing = [entry.id for entry in DEFAULT.at(place) if not hasattr(SCREENS[place], entry.method)]
    assert missing == []


def test_ids_are_unique_and_help_says_something():
    assert len({entry.id for entry in COMMANDS}) == len(COMMANDS)
    assert all(entry.help and entry.label and entry.keys for entry in COMMANDS)


@pytest.mark.parametrize("place", Place)
def test_the_footer_offers_commands_of_its_place(place):
    assert all(place in DEFAULT.command(identity).places for identity in FOOTER[place])


def test_every_key_of_a_screen_is_bound_and_digits_begin_goto():
    bound = bindings(DEFAULT, Place.SESSION, Place.PREVIEW).key_to_bindings.keys()
    assert {"j", "r", "R", "w", "left_square_bracket", "colon", "7", "ctrl+c"} <= bound
    assert DEFAULT.for_key("7", Place.SESSION).id == "goto"
    assert "7" not in bindings(DEFAULT, Place.LEDGERS).key_to_bindings


def test_a_key_can_mean_something_else_in_the_preview():
    assert DEFAULT.for_key("down", Place.SESSION).id == "down"
    assert DEFAULT.for_key("down", Place.PREVIEW).id == "keep-more"
    assert DEFAULT.for_key("w", Place.SESSION) is None


def test_a_disabled_command_says_why():
    assert DEFAULT.reason("error-after", Situation(failures=0)) == "nothing failed in this session"
    assert DEFAULT.reason("error-after", Situation(failures=2)) == ""
    assert DEFAULT.reason("hit-after", Situation()) == "nothing was searched for: / begins a search"
    assert DEFAULT.reason("why", Situation()) == "only in the rewind preview"


def test_the_key_table_lists_every_command_once():
    rows = key_table().splitlines()
    assert rows[:2] == ["| keys | what | where |", "|---|---|---|"]
    assert len(rows) == 2 + len(COMMANDS)
    where = "session, rewind preview, reader"
    assert f"| `:` `0-9` | go to a seq, in the reader to a line: type it | {where} |" in rows
