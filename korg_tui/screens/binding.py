"""Binding: the keys of the command table as Textual wants them."""

from __future__ import annotations

from textual.binding import Binding

from korg_tui import commands
from korg_tui.commands import Place


def bindings(*places: Place) -> list[Binding | tuple[str, str] | tuple[str, str, str]]:
    """Textual bindings of all keys of these places: each calls the action `press(key)`.

    They have priority: such a key acts before the next one is looked at, however fast keys come."""
    keys = dict.fromkeys(key for place in places for entry in commands.at(place) for key in entry.keys)
    if ":" in keys:
        keys |= dict.fromkeys(commands.DIGITS)
    return [Binding(key, f"press({key!r})", show=False, priority=True) for key in keys]
