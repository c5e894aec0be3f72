"""Copies: what a person may want to take away from one event, each as text for a clipboard."""

from __future__ import annotations

import json
from dataclasses import dataclass

from korg_tui.causal import Ledger
from korg_tui.formats import Body
from korg_tui.text import visible, visible_lines
from korg_tui.views import calls
from korg_tui.views.named import stem

_LINES = 10_000
_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Copy:
    """One thing to take away. `text` acts on no terminal into which it is pasted; its line ends are kept."""

    name: str
    text: str


def ledger_copies(place: str, session: int | None) -> list[Copy]:
    """The path or address of a ledger, and the address of one of its sessions, by the seq of its head."""
    taken = [Copy("ledger", visible(place))]
    if session is not None:
        taken.append(Copy("session", f"korg://local/session/{session}"))
    return taken


def copies(ledger: Ledger, row: int, found: Body | None) -> list[Copy]:
    """The address, the seq, and what else the event has: path, command, blobs, the event as JSON.

    `found` is the record, None when it cannot be read."""
    (name, seq), tool = ledger.address(ledger.seq[row]), ledger.tool_at(row)
    address = f"korg://local/event/{seq}" if name == ledger.name else f"{stem(name)}:{seq}"
    taken = [Copy("address", address), Copy("seq", str(seq))]
    if found is not None:
        paths = calls.paths_written(tool, found.args) or [calls.text_at(found.args, calls.PATH_KEYS)]
        taken += [Copy("path", visible(path)) for path in paths if path]
        command = calls.command(found.args) if tool in calls.RUNNERS else ""
        if command:
            taken.append(Copy("command", "\n".join(visible_lines(command, _LINES, _CHARACTERS))))
    taken += [Copy("blob", visible(digest)) for digest in ledger.blobs_at(row)]
    if found is not None:
        event = json.dumps(found.record)
        if len(event) <= _CHARACTERS:
            taken.append(Copy("event", event))
    return taken
