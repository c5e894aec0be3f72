"""Lost parents: why an event has no parent in its ledger, in words (CAUSALITY §2, SPEC §6.1)."""

from __future__ import annotations

from collections.abc import Callable

from korg_tui.causal import Ledger, Pointer


def lost_parent(ledger: Ledger, row: int, label: Callable[[int], str] = str) -> str:
    """In words; empty when the event needs no parent. `label` says what an event is called."""
    state, named = ledger.pointer_at(row), ledger.parent_at(row)
    parent = None if named is None else label(named)
    match state:
        case Pointer.DEAD:
            return f"parent {parent} missing: not in the ledger"
        case Pointer.UNLOADED:
            in_gap = named is not None and ledger.columns.in_gap(named)
            where = "in a gap that the source did not fill" if in_gap else "before the window"
            return f"parent {parent} not loaded: {where}"
        case Pointer.REWOUND:
            return f"parent {parent} gone: a rewind removed it"
        case Pointer.ORPHAN:
            return "no parent recorded: lost before it was written"
        case Pointer.MALFORMED:
            return "parent unreadable: not a whole number"
        case Pointer.FORWARD:
            itself = "this event itself" if named == ledger.seq_at(row) else "not earlier than this event"
            return f"parent {parent} cannot be: {itself}"
        case Pointer.GOVERNANCE:
            return f"parent {parent} is a governance event: no agent did it"
        case _:
            return ""
