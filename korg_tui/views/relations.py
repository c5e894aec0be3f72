"""Relations: what stands around an event - its children, its siblings, the inferences of its lane before and
after it - each of them somewhere to go."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice

from korg_tui.causal import Ledger
from korg_tui.event import Kind
from korg_tui.views import marks, words
from korg_tui.views.sections import Line, Section

COUNTED = 2_000
"""Children that are counted and gone through; of more it is said that there are more."""

_LISTED = 6
_LOOKED_AT = 5_000
"""Events of a lane that are looked at for its next inference."""


def relations(ledger: Ledger, row: int) -> Section:
    """The section of one agent event; without lines where nothing stands around it."""
    lines = [*_children(ledger, row), *_siblings(ledger, row), *_inferences(ledger, row)]
    return Section("around it", "causes", tuple(lines))


def _children(ledger: Ledger, row: int) -> Iterator[Line]:
    found = _children_of(ledger, row)
    if not found:
        return
    count = f"more than {COUNTED:,}" if len(found) > COUNTED else str(len(found))
    listed = found[: _LISTED if len(found) > _LISTED + 1 else _LISTED + 1]
    for number, child in enumerate(listed):
        label = ("child" if len(found) == 1 else f"children {count}") if not number else ""
        yield _step(ledger, child, "›", label)
    if len(found) > len(listed):
        left = "many" if len(found) > COUNTED else f"{len(found) - len(listed):,}"
        yield Line(f"… {left} more, not shown", "note")


def _children_of(ledger: Ledger, row: int) -> list[int]:
    """The first children, ascending; one more than are counted where there are more."""
    found: list[int] = []
    child = ledger.last_child(row)
    while child >= 0 and len(found) < COUNTED + 1:
        found.append(child)
        child = ledger.previous_sibling(child)
    return found[::-1]


def _siblings(ledger: Ledger, row: int) -> Iterator[Line]:
    above = ledger.parent_row(row)
    before = ledger.previous_sibling(row) if above >= 0 else -1
    every = _children_of(ledger, above) if above >= 0 else []
    place = bisect_left(every, row)
    after = every[place + 1] if place < len(every) - 1 and every[place] == row else -1
    label = f"sibling {place + 1}/{len(every)}" if len(every) <= COUNTED else "sibling"
    if before >= 0:
        yield _step(ledger, before, "‹", label)
    if after >= 0:
        yield _step(ledger, after, "›", "" if before >= 0 else label)


def _inferences(ledger: Ledger, row: int) -> Iterator[Line]:
    """The previous and the next inference of the lane."""
    before, after = inference(ledger, row, -1), inference(ledger, row, 1)
    if before is not None:
        yield _step(ledger, before, "‹", "inference")
    if after is not None:
        yield _step(ledger, after, "›", "" if before is not None else "inference")


def inference(ledger: Ledger, row: int, step: int) -> int | None:
    """The next (`step` 1) or previous (-1) inference of the lane, None when none is near."""
    lane = ledger.lane_at(row)
    if lane is None:
        return None
    rows = lane.rows
    place = bisect_left(rows, row)
    places = range(place + 1, len(rows)) if step > 0 else range(place - 1, -1, -1)
    near = islice(places, _LOOKED_AT)
    return next((rows[each] for each in near if ledger.kind[rows[each]] == Kind.INFERENCE), None)


def _step(ledger: Ledger, row: int, sign: str, label: str) -> Line:
    seq = ledger.seq[row]
    failed = "  ✗ failed" if marks.is_failed(ledger, row) else ""
    return Line(f"{sign} {words.label(ledger, seq)} {marks.tool(ledger, row)}{failed}", label=label, seq=seq)
