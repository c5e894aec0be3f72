"""Rounds: what does not go on from the newest inference of its lane (SPEC §2a)."""

from __future__ import annotations

from typing import Literal

from korg_tui.causal.ledger import Ledger
from korg_tui.event import Kind

Astray = Literal["", "late", "off-spine"]


class Rounds:
    """The newest inference of each lane, as far as the rows of a ledger were met, in their order."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._newest: dict[int, int] = {}

    def meet(self, row: int) -> Astray:
        """Look at the next row: a call is late when its lane has since thought again; an inference is off the
        spine when it does not go on from the lane's newest one."""
        lane = self._ledger.lane_at(row)
        kind = self._ledger.kind[row]
        if lane is None or kind == Kind.PROMPT:
            return ""
        newest, in_round = self._newest.get(lane.key), self._ledger.round_at(row)
        if kind == Kind.INFERENCE:
            self._newest[lane.key] = row
        if newest is None or not 0 <= in_round < newest:
            return ""
        return "off-spine" if kind == Kind.INFERENCE else "late"

    def newest(self, lane: int) -> int | None:
        """The row of the newest inference of a lane (by `Lane.key`); None before the first."""
        return self._newest.get(lane)
