"""What the footer offers in a situation: the commands of the place, or of the pane that has the keys."""

from __future__ import annotations

from dataclasses import replace

from korg_tui.commands.keymap import Keymap
from korg_tui.commands.place import Place, Situation
from korg_tui.commands.table import FOOTER, Command

_CHOOSING = ("open-event", "narrow", "leave", "help", "quit")

_PANE = ("details", "leave", "fold", "unfold", "search", "hit-after", "copy", "pane", "outside", "ask-blob",
         "larger", "help", "quit")  # fmt: skip

_IN_DETAILS: dict[Place, tuple[str, ...]] = {
    Place.SESSION: _PANE,
    Place.PREVIEW: _PANE,
    Place.COMPARE: ("open-event", "leave", "pane", "help", "quit"),
    Place.EFFECTS: ("open-event", "leave", "pane", "help", "quit"),
    Place.FINDINGS: ("open-finding", "leave", "pane", "copy", "help", "quit"),
}
"""The keys of the details themselves, most needed first: the others act on the rows."""

_LABELS = {"details": "open", "pane": "rows"}
"""What commands are called while the details have the keys, where that is something else."""

_ONLY_WHEN_USEFUL = ("demo", "back", "follow")
_ONLY_WHEN_USEFUL_IN_DETAILS = ("hit-after", "outside", "ask-blob")


def offered(now: Situation, keymap: Keymap) -> list[Command]:
    """The commands that have a key, most needed first, with the label that they have here."""
    hidden = _ONLY_WHEN_USEFUL_IN_DETAILS if now.in_details else _ONLY_WHEN_USEFUL
    entries = (keymap.command(identity) for identity in _seats(now))
    shown = [entry for entry in entries if entry.keys and not (entry.id in hidden and entry.rule(now))]
    return [_labelled(entry, now) for entry in shown]


def _seats(now: Situation) -> tuple[str, ...]:
    if now.choosing:
        return _CHOOSING
    return _IN_DETAILS.get(now.place, FOOTER[now.place]) if now.in_details else FOOTER[now.place]


def _labelled(entry: Command, now: Situation) -> Command:
    if now.choosing and entry.id == "open-event":
        return replace(entry, label="compare")
    if now.chooses and entry.id in ("export-choose", "details", "open-finding"):
        return replace(entry, label=now.chooses)
    return replace(entry, label=_LABELS.get(entry.id, entry.label)) if now.in_details else entry
