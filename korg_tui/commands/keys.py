"""Keys: which command a key gives in a place, and how keys are written for a person."""

from __future__ import annotations

from collections.abc import Iterator

from korg_tui.commands.place import Place, Situation
from korg_tui.commands.table import COMMANDS, Command

_EVERYWHERE = frozenset(Place)
_BY_ID = {command.id: command for command in COMMANDS}

DIGITS = "0123456789"
"""A digit begins `goto`, with itself already typed."""

_SHOWN = {
    "escape": "esc", "pagedown": "pgdn", "pageup": "pgup", "down": "↓", "up": "↑", "left": "←", "right": "→",
    "backspace": "bksp",
}  # fmt: skip


def command(identity: str) -> Command:
    """The command of this id. Raises KeyError when there is none."""
    return _BY_ID[identity]


def at(place: Place) -> Iterator[Command]:
    """The commands of a place, in table order."""
    return (entry for entry in COMMANDS if place in entry.places)


def reason(identity: str, now: Situation) -> str:
    """Why this command cannot be given in this situation; empty when it can."""
    entry = command(identity)
    if now.place not in entry.places:
        return f"only in {_where(entry)}"
    return entry.rule(now)


def _where(entry: Command) -> str:
    if Place.SESSION in entry.places:
        return "a session"
    if Place.PREVIEW in entry.places:
        return "the rewind preview"
    return "the list of sessions" if Place.LEDGERS in entry.places else "the list of events"


def shown(key: str) -> str:
    """A key as help, footer and README write it."""
    return _SHOWN.get(key, key)


def keys_of(entry: Command) -> str:
    """All keys of a command, as help writes them."""
    keys = " ".join(shown(key) for key in entry.keys)
    return f"{keys} 0-9" if entry.id == "goto" else keys


def for_key(key: str, place: Place) -> Command | None:
    """What a key of the table does in a place; None when it does nothing there."""
    if key in DIGITS:
        key = ":"
    return next((entry for entry in at(place) if key in entry.keys), None)


def key_table() -> str:
    """The keys as a Markdown table, for the README."""
    lines = ["| keys | what | where |", "|---|---|---|"]
    for entry in COMMANDS:
        keys = " ".join(f"`{part}`" for part in keys_of(entry).split(" "))
        where = (
            "everywhere"
            if entry.places == _EVERYWHERE
            else ", ".join(place.value for place in Place if place in entry.places)
        )
        lines.append(f"| {keys} | {entry.help} | {where} |")
    return "\n".join(lines)
