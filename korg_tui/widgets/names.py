"""Names of ledgers as a screen has room for them: the end of a path says more than its beginning."""

from __future__ import annotations

import os
from collections.abc import Sequence

from korg_tui.text import crop, visible, width


def apart(names: Sequence[str]) -> dict[str, str]:
    """Name → the part that tells it from the others: paths without the folder that all of them share."""
    folders = {os.path.dirname(name) for name in names}  # noqa: PTH120 - names, not all of them paths
    if len(names) < 2 or not all(name.startswith("/") for name in names):
        return {name: visible(name) for name in names}
    shared = os.path.commonpath(folders)
    return {name: visible(name.removeprefix(shared).lstrip("/")) for name in names}


def ending(name: str, cells: int) -> str:
    """A name of at most so many cells, its beginning cut off when it is longer."""
    safe = visible(name)
    if width(safe) <= cells:
        return safe
    while safe and width(safe) >= cells:
        safe = safe[max(1, (width(safe) - cells) // 2) :]
    head, slash, rest = safe.partition("/")
    return crop(f"…/{rest}" if slash and rest and len(head) < len(safe) // 2 else f"…{safe}", cells)
