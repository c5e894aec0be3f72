"""Shown: which rows of a session are seen, under folds or under a filter."""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections.abc import Callable

from korg_tui.causal import Ledger
from korg_tui.event import Kind
from korg_tui.views.folds import Folds
from korg_tui.views.spans import Extents

Predicate = Callable[[Ledger, int], bool]
"""Whether a row of a ledger is meant."""


class Shown:
    """The visible rows, ascending. A filter shows what it means and the ancestors; folds rest then."""

    def __init__(self, ledger: Ledger, folds: Folds, predicate: Predicate | None) -> None:
        self.rows = array("q")
        self.extents = Extents()
        self.matching: set[int] = set()
        """Rows that the filter means."""
        self.runs: dict[int, int] = {}
        """Rows that stand for a run of bookkeeping, and how long it is."""
        self.predicate = predicate
        self._ledger = ledger
        self._folds = folds
        self._with_ancestors: set[int] = set()
        self._run: tuple[int, int] | None = None
        folds.forget()

    def consider(self, row: int) -> None:
        """Show a row of the session, or not. Rows come in ascending order."""
        if self.predicate is not None:
            if self.predicate(self._ledger, row):
                self.matching.add(row)
                self.reveal(row)
        elif not (self._folds.hides(row) or self._in_run(row)):
            self._show(row)

    def reveal(self, row: int) -> None:
        """Show a row and its ancestors in spite of the filter."""
        while row >= 0 and row not in self._with_ancestors:
            self._with_ancestors.add(row)
            self._show(row)
            row = self._ledger.parent_row(row)

    def index(self, row: int) -> int | None:
        """The place of a row among the visible ones, None when it is hidden."""
        place = bisect_left(self.rows, row)
        return place if place < len(self.rows) and self.rows[place] == row else None

    def _in_run(self, row: int) -> bool:
        """Whether folded bookkeeping stands for this row already."""
        lane = self._ledger.lane_at(row)
        if not self._folds.bookkeeping or lane is None or self._ledger.kind[row] != Kind.BOOKKEEPING:
            self._run = None
            return False
        if self._run is not None and self._run[1] == lane.key:
            first = self._run[0]
            self.runs[first] = self.runs.get(first, 1) + 1
            return True
        self._run = (row, lane.key)
        return False

    def _show(self, row: int) -> None:
        if not self.rows or row > self.rows[-1]:
            self.rows.append(row)
        else:
            insort(self.rows, row)
        lane = self._ledger.lane_at(row)
        if lane is not None:
            self.extents.add(lane, row)
