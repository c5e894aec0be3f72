"""RingingScreen: a bell when a call fails while a person follows, for who looks elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from korg_tui.causal import Appended, Change
from korg_tui.reading import Reading
from korg_tui.screens.stepping import SteppingScreen

BURST_MS = 3_000
"""Failures that come so soon after a bell are of the same burst."""


class RingingScreen(SteppingScreen):
    """Command `bell`."""

    reading: Reading

    def __init__(self) -> None:
        super().__init__()
        self._rang_at: int | None = None

    def do_bell(self) -> None:
        self.korg.rings = not self.korg.rings
        on = "a bell rings when a call fails while you follow" if self.korg.rings else "the bell is off"
        self.remark = on

    def ring_for(self, changes: Sequence[Change]) -> None:
        """Ring once, if something of this that came just now has failed."""
        if not (self.korg.rings and self.view.following and self.reading.caught_up):
            return
        now = self.korg.clock()
        rang = self._rang_at is not None and now - self._rang_at < BURST_MS
        if not rang and any(_failed(change) for change in changes):
            self._rang_at = now
            self.app.bell()


def _failed(change: Change) -> bool:
    if not isinstance(change, Appended):
        return False
    return any(change.ledger.success_at(row) is False for row in change.rows)
