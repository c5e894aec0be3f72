"""Watched: what can be said of the chain of a ledger while it is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from korg_tui.trust.found import Standing


@dataclass(frozen=True, slots=True)
class Watched:
    """How far a chain was looked at, and where it stands as far as that."""

    standing: Standing
    done: bool = True
    """Whether all that is there was looked at."""
    share: int | None = None
    """Percent that were looked at, where it takes longer than a moment."""
