"""Commands: one table of what a person can do; it feeds bindings, palette, footer, help and README."""

from __future__ import annotations

from korg_tui.commands.keys import DIGITS, at, command, for_key, key_table, keys_of, reason, shown
from korg_tui.commands.place import Place, Situation
from korg_tui.commands.rules import Rule
from korg_tui.commands.table import COMMANDS, FOOTER, Command

__all__ = [
    "COMMANDS",
    "DIGITS",
    "FOOTER",
    "Command",
    "Place",
    "Rule",
    "Situation",
    "at",
    "command",
    "for_key",
    "key_table",
    "keys_of",
    "reason",
    "shown",
]
