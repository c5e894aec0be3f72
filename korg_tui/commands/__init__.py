"""Commands: one table of what a person can do; with the keys in force it feeds bindings, palette, footer,
help and remarks, with its own keys the README."""

from __future__ import annotations

from korg_tui.commands.footer import offered
from korg_tui.commands.keymap import DEFAULT, DIGITS, Keymap, key_table, shown
from korg_tui.commands.place import Place, Situation
from korg_tui.commands.rules import Rule
from korg_tui.commands.table import COMMANDS, FOOTER, Command

__all__ = [
    "COMMANDS",
    "DEFAULT",
    "DIGITS",
    "FOOTER",
    "Command",
    "Keymap",
    "Place",
    "Rule",
    "Situation",
    "key_table",
    "offered",
    "shown",
]
