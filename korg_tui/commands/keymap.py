"""Keymap: which command a key gives in a place, and how keys are written for a person.

What is in force is one `Keymap`: bindings, footer, help, palette and remarks read it, never the table itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from korg_tui.commands.place import Place, Situation
from korg_tui.commands.table import COMMANDS, Command

_EVERYWHERE = frozenset(Place)

DIGITS = "0123456789"
"""A digit begins `goto`, with itself already typed."""

_SHOWN = {
    "escape": "esc", "pagedown": "pgdn", "pageup": "pgup", "down": "↓", "up": "↑", "left": "←", "right": "→",
    "backspace": "bksp",
}  # fmt: skip

_NAMED = re.compile(r"\{([a-z][a-z-]*)\}")


def shown(key: str) -> str:
    """A key as a person reads it."""
    return _SHOWN.get(key, key)


@dataclass(frozen=True, slots=True)
class Keymap:
    """The command table with the keys that are in force."""

    table: tuple[Command, ...] = COMMANDS

    def with_keys(self, keys: Mapping[str, tuple[str, ...]]) -> Keymap:
        """The same commands, some of them with other keys, or with none. By id; ids of no command are not
        looked at."""
        return Keymap(tuple(replace(entry, keys=keys.get(entry.id, entry.keys)) for entry in self.table))

    def command(self, identity: str) -> Command:
        """The command of this id. Raises KeyError when there is none."""
        for entry in self.table:
            if entry.id == identity:
                return entry
        raise KeyError(identity)

    def at(self, place: Place) -> Iterator[Command]:
        """The commands of a place, in table order."""
        return (entry for entry in self.table if place in entry.places)

    def for_key(self, key: str, place: Place) -> Command | None:
        """What a key does in a place; None when it does nothing there."""
        if key in DIGITS:
            return next((entry for entry in self.at(place) if entry.id == "goto"), None)
        return next((entry for entry in self.at(place) if key in entry.keys), None)

    def keys(self, *places: Place) -> tuple[str, ...]:
        """Every key that does something in one of these places, digits too."""
        entries = [entry for place in places for entry in self.at(place)]
        digits = DIGITS if any(entry.id == "goto" for entry in entries) else ""
        return tuple(dict.fromkeys([key for entry in entries for key in entry.keys] + list(digits)))

    def reason(self, identity: str, now: Situation) -> str:
        """Why this command cannot be given in this situation; empty when it can."""
        entry = self.command(identity)
        if now.place not in entry.places:
            return f"only in {_where(entry)}"
        return self.told(entry.rule(now))

    def name(self, identity: str) -> str:
        """How a remark names a command: by its first key, or by its label where it has none. Raises KeyError
        when there is no such command."""
        entry = self.command(identity)
        return shown(entry.keys[0]) if entry.keys else f"“{entry.label}”"

    def told(self, text: str) -> str:
        """A text of our own with the commands that it names in braces, as `{search}`, named for a person."""
        return _NAMED.sub(lambda found: self.name(found[1]), text)

    def keys_of(self, identity: str) -> str:
        """All keys of a command, as help writes them; empty when it has none."""
        keys = [shown(key) for key in self.command(identity).keys]
        return " ".join([*keys, "0-9"] if identity == "goto" else keys)

    def key_table(self) -> str:
        """The keys as a Markdown table, for the README."""
        lines = ["| keys | what | where |", "|---|---|---|"]
        for entry in self.table:
            keys = " ".join(f"`{part}`" for part in self.keys_of(entry.id).split(" "))
            where = (
                "everywhere"
                if entry.places == _EVERYWHERE
                else ", ".join(place.value for place in Place if place in entry.places)
            )
            lines.append(f"| {keys} | {entry.help} | {where} |")
        return "\n".join(lines)


def _where(entry: Command) -> str:
    if Place.SESSION in entry.places:
        return "a session"
    if Place.PREVIEW in entry.places:
        return "the rewind preview"
    return "the list of sessions" if Place.LEDGERS in entry.places else f"the {_first_place(entry)}"


def _first_place(entry: Command) -> str:
    return next(place.value for place in Place if place in entry.places)


DEFAULT = Keymap()
"""The keys of the command table."""


def key_table() -> str:
    """The keys of the command table as a Markdown table, for the README."""
    return DEFAULT.key_table()
