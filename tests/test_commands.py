"""The command table: whole, without clashes, and the same thing for keys, footer, help and README."""

from __future__ import annotations

import pytest

from korg_tui import commands
from korg_tui.commands import COMMANDS, FOOTER, Place, Situation
from korg_tui.screens import EventsScreen, HelpScreen, LedgersScreen, SessionScreen
from korg_tui.screens.binding import bindings

SCREENS = {
    Place.LEDGERS: LedgersScreen,
    Place.SESSION: SessionScreen,
    Place.PREVIEW: SessionScreen,
    Place.EVENTS: EventsScreen,
    Place.HELP: HelpScreen,
}


@pytest.mark.parametrize("place", Place)
def test_a_key_means_one_thing_in_a_place(place):
    keys = [key for entry in commands.at(place) for key in entry.keys]
    assert sorted(keys) == sorted(set(keys))


@pytest.mark.parametrize("place", Place)
def test_a_screen_carries_out_every_command_of_its_place(place):
    missing = [entry.id for entry in commands.at(place) if not hasattr(SCREENS[place], entry.method)]
    assert missing == []


def test_ids_are_unique_and_help_says_something():
    assert len({entry.id for entry in COMMANDS}) == len(COMMANDS)
    assert all(entry.help and entry.label and entry.keys for entry in COMMANDS)


@pytest.mark.parametrize("place", Place)
def test_the_footer_offers_commands_of_its_place(place):
    assert all(place in commands.command(identity).places for identity in FOOTER[place])


def test_every_key_of_a_screen_is_bound_and_digits_begin_goto():
    bound = {binding.key for binding in bindings(Place.SESSION, Place.PREVIEW)}
    assert {"j", "r", "R", "w", "[", "}", ":", "7", "ctrl+c"} <= bound
    assert commands.for_key("7", Place.SESSION).id == "goto"
    assert "7" not in {binding.key for binding in bindings(Place.LEDGERS)}


def test_a_key_can_mean_something_else_in_the_preview():
    assert commands.for_key("down", Place.SESSION).id == "down"
    assert commands.for_key("down", Place.PREVIEW).id == "keep-more"
    assert commands.for_key("w", Place.SESSION) is None


def test_a_disabled_command_says_why():
    assert commands.reason("error-after", Situation(failures=0)) == "nothing failed in this session"
    assert commands.reason("error-after", Situation(failures=2)) == ""
    assert commands.reason("hit-after", Situation()) == "nothing was searched for: / begins a search"
    assert commands.reason("why", Situation()) == "only in the rewind preview"


def test_the_key_table_lists_every_command_once():
    rows = commands.key_table().splitlines()
    assert rows[:2] == ["| keys | what | where |", "|---|---|---|"]
    assert len(rows) == 2 + len(COMMANDS)
    assert "| `:` `0-9` | go to a seq: type its number | session, rewind preview |" in rows
