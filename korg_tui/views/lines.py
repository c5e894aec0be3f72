"""Lines: what one row of a spine shows, ready to be drawn."""

from __future__ import annotations

from dataclasses import dataclass

from korg_tui.event import Kind
from korg_tui.views.rails import RailRun


@dataclass(frozen=True, slots=True)
class SpineLine:
    """What one row of the spine shows. All text is safe, none of it is cropped to a width."""

    row: int
    """The row of the ledger."""
    seq: int | None
    """None for a malformed line and for a gap; a key for a guest from a sub-agent's own ledger."""
    number: str
    """The seq, as it is shown; of an event of a sub-agent's own ledger `:5`, its seq there."""
    kind: Kind
    rails: str
    """The rails of all lanes; every row of a spine has the same number of cells."""
    runs: tuple[RailRun, ...]
    """The same in pieces, each with the lane it belongs to."""
    lane: int
    """The lane's id, -1 off the lanes."""
    sign: str
    """One cell: the state in a sign (`╳` failed, `?` cause missing, `!` malformed …), else a space."""
    tool: str
    argument: str
    """The argument that matters: path, command, pattern, the prompt's first words."""
    duration_ms: float | None
    bar: int
    """Eighths of a full bar, 0 to 8, on a logarithmic scale."""
    marks: tuple[str, ...]
    """States in words: `failed`, `blob`, `dead pointer`, `late`, `off-spine`, `malformed`, `synthesized` …"""
    note: str
    """The cause of a dead pointer, or what a fold holds, in words."""
    folded: bool
    dim: bool
    """Kept by the filter only because something below it matches."""
