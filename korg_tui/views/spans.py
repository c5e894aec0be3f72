"""Spans: from the visible rows of a spine to the lives of its lanes, which the rails are laid out from."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import islice

from korg_tui.causal import Lane, Ledger, Link, Weave, weave
from korg_tui.views.folds import Folds
from korg_tui.views.rails import COLUMNS, Join, LaneSpan, Rails

_JOINS = 16
"""Of the calls that a lane may belong to, so many are drawn: tied lanes have as many as there are calls."""


class Extents:
    """The first and the last visible row of each lane."""

    def __init__(self) -> None:
        self.lanes: list[Lane] = []
        self.first: dict[int, int] = {}
        self.last: dict[int, int] = {}

    def add(self, lane: Lane, row: int) -> None:
        """A row of a lane is seen."""
        if lane.key not in self.first:
            self.lanes.append(lane)
            self.first[lane.key] = self.last[lane.key] = row
        elif row > self.last[lane.key]:
            self.last[lane.key] = row
        elif row < self.first[lane.key]:
            self.first[lane.key] = row


def lay_out(
    ledger: Ledger, extents: Extents, folds: Folds | None, visible: Sequence[int], columns: int = COLUMNS
) -> Rails:
    """The rails of the lanes that are seen."""
    lanes = sorted(extents.lanes, key=lambda lane: extents.first[lane.key])
    woven = _woven(ledger, lanes)
    spans = []
    for lane in lanes:
        folded = folds is not None and folds.lane_folded(lane)
        linked = [] if folded or lane.above is None else woven[lane.home.standing().head].lane_links(lane)
        above = lane.above
        parent = above.id if above is not None and above.key in extents.first else None
        first, last = extents.first[lane.key], extents.last[lane.key]
        spans.append(LaneSpan(lane.id, first, last, parent, tuple(_joins(ledger, linked, visible))))
    return Rails(spans, columns)


def _woven(ledger: Ledger, lanes: Iterable[Lane]) -> dict[int, Weave]:
    """The weave of every session that has a sub-lane, by the session's head. Others are not asked."""
    sessions = {lane.home.standing().head: lane.home.standing() for lane in lanes if lane.above is not None}
    return {head: weave(ledger, session) for head, session in sessions.items()}


def _joins(ledger: Ledger, found: Iterable[Link], visible: Sequence[int]) -> Iterable[Join]:
    for link in islice(found, _JOINS):
        place = bisect_left(visible, link.call)
        caller = ledger.lane_at(link.call)
        if caller is not None and place < len(visible) and visible[place] == link.call:
            yield Join(link.call, caller.id, link.certain)
