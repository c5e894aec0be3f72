"""Key names: the keys that a person can give to a command, as the screen names them."""

from __future__ import annotations

import unicodedata

from korg_tui.commands import DIGITS
from korg_tui.config.options import Refused
from korg_tui.config.problems import nearest, quoted

NAMED = (
    "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete", "backspace",
    "enter", "tab", "escape", "space", *(f"f{number}" for number in range(1, 13)),
)  # fmt: skip
"""Keys that have a name instead of a character."""

_OTHER_NAMES = {
    "esc": "escape", "pgdn": "pagedown", "pgup": "pageup", "bksp": "backspace", "del": "delete",
    "ins": "insert", "return": "enter", "↓": "down", "↑": "up", "←": "left", "→": "right", " ": "space",
}  # fmt: skip

_TWINS = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+h": "backspace", "ctrl+[": "escape"}
"""What a terminal cannot tell from another key."""

_MODIFIERS = ("ctrl", "alt", "shift")


def key_name(written: str) -> str:
    """The one name of a key. Raises Refused when there is no such key, or no command can have it."""
    key = _OTHER_NAMES.get(written, written)
    if len(key) == 1 and key in DIGITS:
        raise Refused(f"{quoted(key)} begins a number: a digit is no key for a command")
    if len(key) == 1:
        if not _is_typed(key):
            raise Refused(f"{quoted(key)} is no key that can be seen")
        return key
    if key in NAMED:
        return key
    *held, last = key.split("+") if not key.endswith("++") else [*key[:-2].split("+"), "+"]
    if not held:
        raise Refused(f"unknown key {quoted(written)}{_near(written)}")
    return _held(written, held, _OTHER_NAMES.get(last, last))


def _is_typed(key: str) -> bool:
    return key.isprintable() and not unicodedata.combining(key)


def _held(written: str, held: list[str], last: str) -> str:
    unknown = [name for name in held if name not in _MODIFIERS]
    if unknown:
        raise Refused(f"unknown key {quoted(written)}: ctrl, alt and shift can be held{_near(written)}")
    key = "+".join([*(name for name in _MODIFIERS if name in held), last])
    if key in _TWINS:
        raise Refused(f"a terminal cannot tell {key} from {_TWINS[key]}")
    if last in NAMED:
        return key
    if len(last) != 1 or not _is_typed(last):
        raise Refused(f"unknown key {quoted(written)}{_near(written)}")
    if "shift" in held:
        raise Refused(f"{quoted(written)} is written as the character that it types: {last.upper()}")
    if held == ["ctrl"] and not ("a" <= last <= "z"):
        raise Refused(f"{quoted(written)}: of characters, ctrl goes with a to z alone")
    return key


def _near(written: str) -> str:
    allowed = [*NAMED, *_OTHER_NAMES, *(f"ctrl+{chr(code)}" for code in range(ord("a"), ord("z") + 1))]
    named = ", ".join(NAMED[:15])
    return nearest(written.casefold(), allowed) or f"; there are characters, {named}, and f1 to f12"
