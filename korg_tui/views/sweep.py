"""Sweep: a query asked of one row after the other, where what is quick is answered at once and what is not is
left to be looked at beside the screen."""

from __future__ import annotations

from korg_tui.causal import Ledger
from korg_tui.views.query import Look, Query

COSTLY = 200_000
"""Bytes of a record from which on it is looked at beside the screen."""


class Sweep:
    """One query over one ledger."""

    def __init__(self, query: Query, ledger: Ledger) -> None:
        self.query = query
        self.costly: Look | None = None
        """What has to be looked at before a row can be answered; `settle` does it."""
        self._ledger = ledger
        self._settled: tuple[tuple[int, int], bool] | None = None

    def ask(self, row: int) -> bool | None:
        """Whether a row is meant. None when `settle` has to be called first; then ask again."""
        if self._settled is not None and self._settled[0] == self._key(row):
            answer, self._settled = self._settled[1], None
            return answer
        found = self.query.ask(self._ledger, row)
        if isinstance(found, bool):
            return found
        if found.length <= COSTLY and not self.query.asks_blobs:
            return found.answer()
        self.costly, self._row = found, self._key(row)
        return None

    def settle(self) -> None:
        """Look at what is costly. Any thread may, while nobody asks."""
        if self.costly is not None:
            self._settled = self._row, self.costly.answer()
            self.costly = None

    def _key(self, row: int) -> tuple[int, int]:
        return row, self._ledger.columns.digest[row]


class Patient:
    """The predicate of a filter that is shown: what is costly fits only when it was looked at. `open` is what
    still has to be, by row."""

    def __init__(self, query: Query) -> None:
        self.query = query
        self.open: dict[int, Look] = {}

    def __call__(self, ledger: Ledger, row: int) -> bool:
        """Whether a row is known to be meant."""
        found = self.query.ask(ledger, row)
        if isinstance(found, bool):
            return found
        if found.length <= COSTLY and not self.query.asks_blobs:
            return found.answer()
        self.open[row] = found
        return False
