"""Walk: from a row to the rows it is tied to (EXPERIENCE, keys). Everything is a row number, or None for
"there is none"."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from korg_tui.causal import Ledger
from korg_tui.event import Kind


def parent(ledger: Ledger, row: int) -> int | None:
    """The event that led to this one. For a governance event: the one that it names."""
    if Kind(ledger.kind[row]) is Kind.GOVERNANCE:
        named = ledger.parent_at(row)
        return None if named is None or named >= ledger.seq[row] else ledger.row_of(named)
    found = ledger.parent_row(row)
    return found if found >= 0 else None


def first_child(ledger: Ledger, row: int) -> int | None:
    """The first event that this one led to."""
    return next(iter(ledger.children(row)), None)


def sibling(ledger: Ledger, row: int, step: int) -> int | None:
    """The next (`step` 1) or previous (-1) event with the same parent."""
    above = ledger.parent_row(row)
    return None if above < 0 else neighbour(ledger.children(above), row, step)


def in_lane(ledger: Ledger, row: int, step: int) -> int | None:
    """The next (`step` 1) or previous (-1) event of the same lane."""
    lane = ledger.lane_at(row)
    return None if lane is None else neighbour(lane.rows, row, step)


def neighbour(ascending: Sequence[int], row: int, step: int) -> int | None:
    """The nearest of some rows after (`step` 1) or before (-1) a row, which need not be one of them."""
    place = bisect_right(ascending, row) if step > 0 else bisect_left(ascending, row) - 1
    return ascending[place] if 0 <= place < len(ascending) else None


def in_turn(
    find: Callable[[int, int], int | None], row: int, rows: int, what: str, step: int = 1
) -> tuple[int | None, str]:
    """What `find(row, step)` finds from a row on, after the last one the first, and what is to be said of
    that; of `rows` rows. None where there is none at all."""
    found = find(row, step)
    if found is not None:
        return found, ""
    found = find(-1 if step > 0 else rows, step)
    if found is None:
        return None, f"there is no {what}"
    if found == row:
        return found, f"this is the only {what}"
    later, first = ("later", "first") if step > 0 else ("earlier", "last")
    return found, f"there is no {later} {what}: this is the {first} one"


def to_root(ledger: Ledger, row: int, limit: int) -> tuple[list[int], bool]:
    """At most `limit` ancestors, nearest first, and whether there are more."""
    chain: list[int] = []
    above = ledger.parent_row(row)
    while above >= 0 and len(chain) < limit:
        chain.append(above)
        above = ledger.parent_row(above)
    return chain, above >= 0
