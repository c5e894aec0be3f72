"""Marks: the state of a row as a sign and as words, never as a hue alone (EXPERIENCE, screen 2)."""

from __future__ import annotations

from korg_tui.causal import Lane, Ledger, Pointer
from korg_tui.event import Kind
from korg_tui.text import visible
from korg_tui.views import words
from korg_tui.views.rewound_notes import rewound_note

FAILED, DEAD, MALFORMED, GAP, GOVERNANCE, NOTE, PLAIN = "✗", "?", "!", "…", "§", "·", " "
"""Signs, one cell each: failed, cause missing, unreadable line, events that are not loaded, governance event,
bookkeeping, nothing."""


def sign(ledger: Ledger, row: int) -> str:
    """The one sign of a row: the worst that can be said of it."""
    kind = Kind(ledger.kind[row])
    if kind is Kind.MALFORMED:
        return MALFORMED
    if kind is Kind.GAP:
        return GAP
    if ledger.success_at(row) is False:
        return FAILED
    if is_dead(ledger, row):
        return DEAD
    if kind is Kind.GOVERNANCE:
        return GOVERNANCE
    return NOTE if kind is Kind.BOOKKEEPING else PLAIN


def is_dead(ledger: Ledger, row: int) -> bool:
    """Whether what caused the event is missing here, not loaded included."""
    if not Kind(ledger.kind[row]).agent:
        return False
    pointer = ledger.pointer_at(row)
    return pointer is not Pointer.OK and not pointer.begins


def is_failed(ledger: Ledger, row: int) -> bool:
    """Whether the record says that it failed."""
    return ledger.success_at(row) is False


def marks(ledger: Ledger, row: int, *, astray: str = "") -> tuple[str, ...]:
    """All that can be said of a row, in words. `astray` is `late`, `off-spine` or empty."""
    said = []
    if Kind(ledger.kind[row]) is Kind.MALFORMED:
        said.append("malformed")
    if Kind(ledger.kind[row]) is Kind.GAP:
        said.append("gap")
    if is_failed(ledger, row):
        said.append("failed")
    if is_dead(ledger, row):
        said.append("not loaded" if ledger.pointer_at(row) is Pointer.UNLOADED else "dead pointer")
    if ledger.blobs_at(row):
        said.append("blob")
    if astray or ledger.is_late(row):
        said.append(astray or "late")
    if ledger.synthesized_at(row):
        said.append("synthesized")
    return tuple(said)


def note(ledger: Ledger, row: int) -> str:
    """Why a line is malformed, where a parent should be, which events are not loaded, what a rewind dropped
    here; empty for most rows. Safe text."""
    if Kind(ledger.kind[row]) is Kind.MALFORMED:
        return f"{visible(ledger.reason_at(row), 400)} (at byte {ledger.offset[row]:,})"
    gap = ledger.gap_at(row)
    if gap is not None:
        return words.not_loaded(gap)
    missing = words.pointer(ledger, row) if Kind(ledger.kind[row]).agent else ""
    return " · ".join(filter(None, (missing, rewound_note(ledger, row))))


def tool(ledger: Ledger, row: int) -> str:
    """The name of a row: tool, event type, or `malformed line`, `gap`. Safe text."""
    if Kind(ledger.kind[row]) is Kind.MALFORMED:
        return "malformed line"
    if Kind(ledger.kind[row]) is Kind.GAP:
        return "gap"
    return visible(ledger.tool_at(row), 200) or "(no name)"


def number(ledger: Ledger, row: int) -> str:
    """What stands in front of a row: its seq, `:5` where it is the fifth of a sub-agent's own ledger."""
    seq = ledger.seq_at(row)
    if seq is None:
        return ""
    name, own = ledger.address(seq)
    return str(own) if name == ledger.name else f":{own}"


def lane_number(lane: Lane) -> int:
    """A lane's number as people read and type it: from 1 in the order of the openers."""
    return lane.id + 1


def lane_name(lane: Lane) -> str:
    """A lane's short name: the last part of its actor, `main` of `agent:claude-code/main@2.1`. Safe text."""
    return short_actor(lane.actor or "") or "unnamed"


def short_actor(actor: str) -> str:
    """An actor without prefix, session and version. Safe text."""
    name = actor[:200].partition(":")[2] or actor[:200]
    name = name.rpartition("@")[0] or name
    name = name.partition("#")[0] or name
    return visible(name.rpartition("/")[2] or name, 40)


def lane_title(lane: Lane) -> str:
    """`lane 3 sub`."""
    return f"lane {lane_number(lane)} {lane_name(lane)}"
