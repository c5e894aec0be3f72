"""Keymap: which command a key gives in a place, and how keys are written for a person.

What is in force is one `Keymap`: bindings, footer, help, palette and remarks read it, never the table itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from korg_tui.commands.place import Place, Situation
from korg_tui.commands.table import COMMANDS, Command

DIGITS = "0123456789"
"""A digit begins `goto` or `goto-line`, with itself already typed."""

_GOING = ("goto", "goto-line")

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
            return next((entry for entry in self.at(place) if entry.id in _GOING), None)
        return next((entry for entry in self.at(place) if key in entry.keys), None)

    def keys(self, *places: Place) -> tuple[str, ...]:
        """Every key that does something in one of these places, digits too."""
        entries = [entry for place in places for entry in self.at(place)]
        digits = DIGITS if any(entry.id in _GOING for entry in entries) else ""
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
        return " ".join([*keys, "0-9"] if identity in _GOING else keys)

    def key_table(self) -> str:
        """The keys in Markdown, for the README: one table for what is given nearly everywhere, one for
        each place. A command stands at the first of its places, which names the others."""
        tables: dict[str, list[str]] = {}
        for entry in self.table:
            keys = " ".join(f"`{part}`" for part in self.keys_of(entry.id).split(" "))
            title, also = _title(entry)
            tables.setdefault(title, []).append(f"| {keys} | {entry.help}{also} |")
        order = [_NEARLY_EVERYWHERE, _SESSION, *map(_capital, Place)]
        return "\n\n".join(
            "\n".join([f"**{title}**", "", "| keys | what |", "|---|---|", *tables[title]])
            for title in sorted(tables, key=order.index)
        )


_NEARLY_EVERYWHERE = "Nearly everywhere"
_SESSION = "Session and rewind preview"
_MANY_PLACES = 6
_BOTH = frozenset({Place.SESSION, Place.PREVIEW})


def _title(entry: Command) -> tuple[str, str]:
    """Under which title a command stands, and what is said of the places that the title does not name."""
    if len(entry.places) >= _MANY_PLACES:
        return _NEARLY_EVERYWHERE, ""
    if Place.SESSION not in entry.places:
        main, *others = [place for place in Place if place in entry.places]
        return _capital(main), _also(others)
    also = _also([place for place in Place if place in entry.places - _BOTH])
    return _SESSION, also if entry.places >= _BOTH else f"; not in the preview{also}"


def _also(places: Sequence[Place]) -> str:
    return f"; also in: {', '.join(place.value for place in places)}" if places else ""


def _capital(place: Place) -> str:
    return place.value[0].upper() + place.value[1:]


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
