"""Damage: the events of a ledger whose cause is missing, and its lines that are no events, as it grows."""

from __future__ import annotations

from array import array

from korg_tui.causal import Ledger
from korg_tui.event import Kind
from korg_tui.views import marks


class Damage:
    """Rows of a ledger, ascending, kept by one step per row; looked for anew where rows have moved."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.dead = array("q")
        """Events whose cause is missing, not loaded ones included."""
        self.malformed = array("q")
        """Lines that could not be read."""
        self._met = 0
        self._shape = (-1, -1, -1)

    def look(self, rows: int | None = None) -> bool:
        """Look at so many of the rows that were not looked at yet; None: at all. False when none was left."""
        ledger = self.ledger
        shape = (ledger.generation, ledger.revision, ledger.merges)
        if shape != self._shape or self._met > len(ledger):
            self._shape, self._met = shape, 0
            self.dead, self.malformed = array("q"), array("q")
        until = len(ledger) if rows is None else min(len(ledger), self._met + rows)
        looked = until > self._met
        for row in range(self._met, until):
            if ledger.kind[row] == Kind.MALFORMED:
                self.malformed.append(row)
            elif marks.is_dead(ledger, row):
                self.dead.append(row)
        self._met = until
        return looked
