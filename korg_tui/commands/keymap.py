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

_SPELLED = {key: key for key in ("down", "up", "left", "right")}
"""Instead, where there are no arrows: the signs for them would be letters, which are other keys."""

_NAMED = re.compile(r"\{([a-z][a-z-]*)\}")


def shown(key: str, *, ascii_only: bool = False) -> str:
    """A key as a person reads it."""
    return (_SPELLED.get(key, "") if ascii_only else "") or _SHOWN.get(key, key)


@dataclass(frozen=True, slots=True)
class Keymap:
    """The command table with the keys that are in force."""

    table: tuple[Command, ...] = COMMANDS
    ascii_only: bool = False
    """Keys are written without arrows."""

    def with_keys(self, keys: Mapping[str, tuple[str, ...]]) -> Keymap:
        """The same commands, some of them with other keys, or with none. By id; ids of no command are not
        looked at."""
        table = tuple(replace(entry, keys=keys.get(entry.id, entry.keys)) for entry in self.table)
        return replace(self, table=table)

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

    def elsewhere(self, key: str, now: Situation) -> str:
        """What a key that does nothing here is for, and where; that it is no key, where it is none."""
        entries = [entry for entry in self.table if key in entry.keys]
        if key in DIGITS:
            entries = [entry for entry in self.table if entry.id == "goto"]
        uses = {entry.label: _where(entry) for entry in entries}
        if not uses:
            lists = "" if now.place is Place.HELP else self.told(": {help} lists the keys")
            return f"“{key}” is no key{lists}"
        if len(uses) > 1:
            told = [f"{label} in {where}" for label, where in uses.items()]
            return f"{self.shown(key)}: {', '.join(told[:_MANY_USES])}{', …' * (len(told) > _MANY_USES)}"
        ((label, where),) = uses.items()
        leaves = now.place is Place.PREVIEW and any(Place.SESSION in entry.places for entry in entries)
        return f"{label}: only in {where}" + (self.told("; {leave} leaves the preview") if leaves else "")

    def name(self, identity: str) -> str:
        """How a remark names a command: by its first key, or by its label where it has none. Raises KeyError
        when there is no such command."""
        entry = self.command(identity)
        return self.shown(entry.keys[0]) if entry.keys else f"“{entry.label}”"

    def shown(self, key: str) -> str:
        """A key as a person reads it."""
        return shown(key, ascii_only=self.ascii_only)

    def told(self, text: str) -> str:
        """A text of our own with the commands that it names in braces, as `{search}`, named for a person."""
        return _NAMED.sub(lambda found: self.name(found[1]), text)

    def keys_of(self, identity: str) -> str:
        """All keys of a command, as help writes them; empty when it has none."""
        keys = [self.shown(key) for key in self.command(identity).keys]
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
_MANY_USES = 3
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
    return next(_PLACED.get(place, f"the {place.value}") for place in Place if place in entry.places)


_PLACED = {
    Place.LEDGERS: "the list of sessions", Place.EVENTS: "a list of events", Place.EXPORT: "the export form",
    Place.COMPARE: "a comparison", Place.EFFECTS: "the effects of an event",
}  # fmt: skip
"""Places in a sentence, where that is not their name."""


DEFAULT = Keymap()
"""The keys of the command table."""


def key_table() -> str:
    """The keys of the command table as a Markdown table, for the README."""
    return DEFAULT.key_table()
