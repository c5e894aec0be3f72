"""The command table: whole, without clashes, and the same thing for keys, footer, help and README."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import replace

import pytest
from textual import events
from textual.app import ComposeResult
from textual.keys import _character_to_key
from textual.screen import Screen
from textual.widgets import Static

from korg_tui import screens
from korg_tui.commands import COMMANDS, DEFAULT, DIGITS, FOOTER, Keymap, Place, Situation, key_table, offered
from korg_tui.config import Settings
from korg_tui.palette import TablePalette
from korg_tui.screens import KorgScreen, base
from korg_tui.screens.binding import bindings
from korg_tui.widgets.chrome import KeyFooter
from stage import app_over, keys, story


def by_place() -> dict[Place, type[KorgScreen]]:
    """The screen of every place."""
    for module in pkgutil.iter_modules(screens.__path__):
        importlib.import_module(f"{screens.__name__}.{module.name}")
    found: dict[Place, type[KorgScreen]] = {}
    classes = KorgScreen.__subclasses__()
    while classes:
        screen = classes.pop()
        classes += screen.__subclasses__()
        if screen.__module__.startswith("korg_tui."):
            found |= dict.fromkeys(vars(screen).get("PLACES", ()), screen)
    return found


SCREENS = by_place()


def test_every_place_has_a_screen_and_no_screen_has_keys_of_its_own():
    assert set(SCREENS) == set(Place)
    assert {screen.__name__ for screen in SCREENS.values() if screen.BINDINGS is not Screen.BINDINGS} == set()


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
    assert DEFAULT.for_key("s", Place.SESSION) is None


def test_a_disabled_command_says_why():
    assert DEFAULT.reason("error-after", Situation(failures=0)) == "nothing failed in this session"
    assert DEFAULT.reason("error-after", Situation(failures=2)) == ""
    assert DEFAULT.reason("hit-after", Situation()) == "nothing was searched for: / begins a search"
    assert DEFAULT.reason("scope", Situation()) == "only in the rewind preview"


def test_the_key_tables_list_every_command_once():
    rows = key_table().splitlines()
    assert rows[:4] == ["**Nearly everywhere**", "", "| keys | what |", "|---|---|"]
    assert len([row for row in rows if row.startswith("| `")]) == len(COMMANDS)
    assert rows.count("**Session and rewind preview**") == 1
    assert "| `:` `0-9` | go to a seq: type it |" in rows
    assert "| `:` `0-9` | go to a line: type its number |" in rows
    assert "| `f` | show only rows that fit, and dimmed what led to them; not in the preview |" in rows


class Anywhere(KorgScreen):
    """A screen of any place, that notes which of its methods were called."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.PLACES = (place,)
        self.called: list[str] = []

    def compose(self) -> ComposeResult:
        yield Static()

    @property
    def situation(self) -> Situation:
        return Situation(self.PLACES[0])


for _entry in COMMANDS:
    setattr(Anywhere, _entry.method, lambda screen, method=_entry.method: screen.called.append(method))


def pressed(key: str) -> events.Key:
    """A key of the table as a terminal has it."""
    return events.Key(_character_to_key(key), key) if len(key) == 1 else events.Key(key, None)


async def test_every_key_of_every_place_calls_the_method_of_its_command():
    always = Keymap(tuple(replace(entry, rule=lambda _: "") for entry in COMMANDS))
    async with app_over(story(), settings=Settings(keymap=always)).run_test() as pilot:
        for place in Place:
            await pilot.app.push_screen(screen := Anywhere(place))
            table = [(key, entry.method) for entry in DEFAULT.at(place) for key in entry.keys]
            going = [method for _, method in table if method in ("do_goto", "do_goto_line")]
            table += [(digit, method) for method in going for digit in DIGITS]
            for key, _ in table:
                pilot.app.post_message(pressed(key))
            await pilot.pause()
            assert screen.called == [method for _, method in table], place


async def test_the_keys_in_force_are_those_of_the_configuration_wherever_one_reads_them():
    keymap = DEFAULT.with_keys({"copy": ("Y", ","), "parent": ("y",), "rewind": (), "details": ("°",)})
    app = app_over(story(), settings=Settings(keymap=keymap))
    async with app.run_test(size=(140, 60)) as pilot:
        await keys(pilot, "G", "enter", "g")
        session = app.screen
        await keys(pilot, "Y")
        assert "· Y: the " in session.status.plain
        session.say("")
        await keys(pilot, "comma")
        assert "· Y: the " in session.status.plain
        row = session.row
        await keys(pilot, "j", "y", "r")
        assert session.row == row
        assert not session.previewing
        footer = app.screen.query_one(KeyFooter).render().plain
        assert footer.startswith(" ° details")
        assert " y parent" in footer
        assert "rewind to" not in footer
        offered = [hit.text async for hit in TablePalette(session).discover()]
        assert "preview a rewind to this row" in offered
        assert any(title.endswith("(Y ,)") for title in offered)
        await keys(pilot, "question_mark")
        drawn = [app.screen.lines.draw(index, 98).text for index in range(app.screen.lines.count)]
        assert any(row.startswith("   Y ,        copy") for row in drawn)
        assert any(row.startswith("              preview a rewind to this row") for row in drawn)


def test_where_there_are_no_arrows_keys_are_words():
    keymap = Settings(ascii=True).spelled.keymap
    assert keymap.keys_of("down") == "j down"
    assert keymap.name("keep-more") == "down"
    assert keymap.told("{keep-less} {leave}") == "up esc"
    assert Settings().spelled.keymap.name("keep-more") == "↓"


SCOPE = "scope in the rewind preview"


@pytest.mark.parametrize(
    ("key", "place", "said"),
    [
        ("t", Place.PREVIEW, "timeline: only in a session; esc leaves the preview"),
        ("t", Place.LEDGERS, "timeline: only in a session"),
        ("7", Place.LEDGERS, "go to: only in a session"),
        ("s", Place.EVENTS, f"s: {SCOPE}, slowest in the timeline, sort in the list of sessions, …"),
        ("Q", Place.SESSION, "“Q” is no key: ? lists the keys"),
        ("Q", Place.HELP, "“Q” is no key"),
    ],
)
def test_a_key_that_does_nothing_here_is_told_for_what_it_is(key, place, said):
    assert DEFAULT.elsewhere(key, Situation(place)) == said


def labels(now: Situation) -> list[str]:
    return [entry.label for entry in offered(now, DEFAULT)]


def test_the_footer_is_that_of_the_pane_that_has_the_keys():
    assert labels(Situation(in_details=True))[:5] == ["open", "back", "fold", "unfold", "search"]
    assert "rewind to" not in labels(Situation(in_details=True))
    assert "hit" in labels(Situation(in_details=True, searched=True, hits=2))
    assert labels(Situation(Place.COMPARE, choosing=True)) == ["compare", "filter", "back", "help", "quit"]


@pytest.mark.parametrize("place", Place)
def test_the_footer_of_the_details_offers_commands_of_its_place(place):
    assert all(place in entry.places for entry in offered(Situation(place, in_details=True), DEFAULT))


async def test_a_key_of_elsewhere_is_told_and_remarks_end_by_themselves(monkeypatch):
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        await keys(pilot, "o")
        assert pilot.app.screen.status.plain.startswith("open: only in a session")
        await keys(pilot, "Q")
        assert pilot.app.screen.status.plain == "“Q” is no key: ? lists the keys"
        await keys(pilot, "a")
        assert pilot.app.screen.status.plain == "there is no notice"
        pilot.app.screen.announce("something happened")
        assert pilot.app.screen.status.plain.startswith("3 sessions"), "that was not true any more"
        monkeypatch.setattr(base, "REMARK_SECONDS", -1.9)
        pilot.app.screen.say("a remark of 20 chars")
        await pilot.pause(0.2)
        assert pilot.app.screen.status.plain.startswith("3 sessions")
