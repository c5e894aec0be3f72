"""Binding: the keys of the command table as Textual wants them."""

from __future__ import annotations

from textual.binding import Binding, BindingsMap

from korg_tui.commands import Keymap, Place

_BETWEEN_KEYS = {",": "comma"}
"""What Textual takes for the end of a key."""


def bindings(keymap: Keymap, *places: Place) -> BindingsMap:
    """Textual bindings of all keys of these places: each calls the action `press(key)`.

    They have priority: such a key acts before the next one is looked at, however fast keys come."""
    return BindingsMap(
        Binding(_BETWEEN_KEYS.get(key, key), f"press({key!r})", show=False, priority=True)
        for key in keymap.keys(*places)
    )
