"""Keys in the configuration: checked when read, so that no key is lost, doubled, or misspelt."""

from __future__ import annotations

import pytest
from textual.keys import Keys

from korg_tui.commands import DEFAULT, Keymap, Place, Situation, shown
from korg_tui.config.key_names import NAMED, key_name
from korg_tui.config.keys import KEPT, read_keys
from korg_tui.config.lines import KeyLines
from korg_tui.config.options import Refused


def read(**keys: object) -> tuple[Keymap, list[str]]:
    """The keymap and the problems of these keys, which stand on lines 2, 3, … of a file."""
    table = {identity.replace("_", "-"): value for identity, value in keys.items()}
    text = "[keys]\n" + "".join(f"{identity} = 0\n" for identity in table)
    keymap, problems = read_keys(table, KeyLines(text))
    return keymap, [f"{problem.line}: {problem.text}" for problem in problems]


def test_a_key_a_list_of_keys_and_none():
    keymap, problems = read(copy="Y", parent=["^", "ctrl+u"], scope="")
    assert problems == []
    assert keymap.for_key("Y", Place.SESSION).id == "copy"
    assert keymap.for_key("y", Place.SESSION) is None
    assert keymap.for_key("ctrl+u", Place.PREVIEW).id == "parent"
    assert keymap.for_key("s", Place.PREVIEW) is None
    assert keymap.keys_of("parent") == "^ ctrl+u"
    assert keymap.keys_of("scope") == ""
    assert keymap.command("scope").keys == ()


def test_what_is_told_names_the_keys_in_force():
    keymap, _ = read(search="&", narrow=[])
    assert keymap.reason("hit-after", Situation()) == "nothing was searched for: & begins a search"
    assert keymap.told("{leave} goes back, {narrow} searches") == "esc goes back, “filter” searches"
    assert DEFAULT.told("{leave} goes back, {narrow} searches") == "esc goes back, / searches"
    with pytest.raises(KeyError):
        DEFAULT.told("{nothing} is there")


ALWAYS = ": there is always a way in and out"


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"cpy": "Y"}, "2: unknown command “cpy”; did you mean copy?"),
        ({"zzzzzz": "Y"}, "2: unknown command “zzzzzz”; korg-tui config show lists all"),
        ({"copy": 3}, "2: copy: a key or a list of up to 16 keys is allowed, not “3”"),
        ({"copy": ["y", 3]}, "2: copy: a key is a text such as “x”, not “3”"),
        ({"copy": ["y", ""]}, "2: copy: a key is a text such as “x”, not “”"),
        ({"copy": "7"}, "2: copy: “7” begins a number: a digit is no key for a command"),
        ({"copy": "pagdown"}, "2: copy: unknown key “pagdown”; did you mean pagedown?"),
        (
            {"copy": "crtl+y"},
            "2: copy: unknown key “crtl+y”: ctrl, alt and shift can be held; did you mean ctrl+y?",
        ),
        ({"copy": "ctrl+i"}, "2: copy: a terminal cannot tell ctrl+i from tab"),
        ({"copy": "shift+y"}, "2: copy: “shift+y” is written as the character that it types: Y"),
        ({"copy": "ctrl+é"}, "2: copy: “ctrl+é”: of characters, ctrl goes with a to z alone"),
        ({"copy": "\u200b"}, "2: copy: “\\u200b” is no key that can be seen"),
        ({"copy": "q"}, f"2: copy: q stays with quit{ALWAYS}"),
        ({"copy": "ctrl+q"}, f"2: copy: ctrl+q stays with quit{ALWAYS}"),
        ({"parent": ["esc"]}, f"2: parent: esc stays with leave{ALWAYS}"),
        ({"leave": "B"}, f"2: leave: it keeps esc, others may be added{ALWAYS}"),
        ({"interrupt": ""}, f"2: interrupt: it keeps ctrl+c, others may be added{ALWAYS}"),
        ({"details": "B"}, f"2: details: it keeps enter, others may be added{ALWAYS}"),
        ({"copy": "p"}, '2: copy: p already gives parent in session; free it with parent = "…" or ""'),
        ({"parent": "B", "copy": "B"}, "3: copy: B already gives parent in session (line 2)"),
        ({"copy": "B", "parent": "B"}, "3: parent: B already gives copy in session (line 2)"),
    ],
)  # fmt: skip
def test_what_is_wrong_names_its_line(keys, problem):
    assert problem in read(**keys)[1]


def test_two_commands_may_swap_their_keys_and_share_one_in_two_places():
    assert read(copy="p", parent="y")[1] == []
    keymap, problems = read(sort="K", scope="K")
    assert problems == []
    assert keymap.for_key("K", Place.LEDGERS).id == "sort"
    assert keymap.for_key("K", Place.PREVIEW).id == "scope"


@pytest.mark.parametrize("key", KEPT)
def test_no_way_in_or_out_can_be_taken_away(key):
    owners = [entry.id for entry in DEFAULT.table if key in entry.keys]
    assert owners
    for identity in owners:
        for keys in ("", [], "B"):
            lost = f"2: {identity}: it keeps {shown(key)}, others may be added{ALWAYS}"
            assert lost in read(**{identity: keys})[1]
    for entry in DEFAULT.table:
        if entry.id not in owners:
            stays = f"2: {entry.id}: {shown(key)} stays with {', '.join(owners)}{ALWAYS}"
            assert stays in read(**{entry.id: [*entry.keys, key]})[1]


def test_every_way_out_may_have_more_keys():
    keymap, problems = read(leave=["escape", "backspace"], back="K", quit=["q", "ctrl+q", "f10"])
    assert problems == []
    assert keymap.for_key("backspace", Place.SESSION).id == "leave"


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("esc", "escape"), ("pgdn", "pagedown"), ("↓", "down"), (" ", "space"), ("return", "enter"),
        ("alt+ctrl+x", "ctrl+alt+x"), ("shift+tab", "shift+tab"), ("ctrl+pgup", "ctrl+pageup"), ("+", "+"),
        ("alt++", "alt++"), (",", ","), ("é", "é"), ("f12", "f12"),
    ],
)  # fmt: skip
def test_a_key_has_one_name(written, key):
    assert key_name(written) == key


@pytest.mark.parametrize(
    "written", ["f13", "f0", "j k", "+a", "ctrl+", "ctrl+ctrl", "super+x", "jj", "\n", "\u0301"]
)
def test_what_is_no_key(written):
    with pytest.raises(Refused):
        key_name(written)


def test_the_names_are_those_of_the_screen():
    known = {key.value for key in Keys}
    assert [name for name in NAMED if name not in known] == []


def test_the_table_itself_could_be_written_down():
    table = {entry.id: list(entry.keys) for entry in DEFAULT.table}
    keymap, problems = read_keys(table, KeyLines(""))
    assert (keymap, problems) == (DEFAULT, [])
