"""Names of ledgers as a screen has room for them: the end of a path says more than its beginning."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

from korg_tui.text import crop, visible, width


def apart(names: Sequence[str]) -> dict[str, str]:
    """Name → the part that tells it from the others: paths without the folder that all of them share."""
    folders = {os.path.dirname(name) for name in names}  # noqa: PTH120 - names, not all of them paths
    if len(names) < 2 or not all(name.startswith("/") for name in names):
        return {name: visible(name) for name in names}
    shared = os.path.commonpath(folders)
    told = {name: visible(name.removeprefix(shared).lstrip("/")) for name in names}
    stores = Counter(text.rpartition("/.korg/")[0] for text in told.values())
    return {
        name: text.replace("/.korg/", "/") if stores[text.rpartition("/.korg/")[0]] > 1 else text
        for name, text in told.items()
    }


def ending(name: str, cells: int) -> str:
    """A name of at most so many cells. Of a longer one the beginning is cut off; of a ledger right in a
    `.korg`, where all have the same names, the end: its folder tells it from others."""
    safe = visible(name).removeprefix("http://")
    if width(safe) <= cells:
        return safe
    folder, store, file = safe.rpartition("/.korg/")
    if store and folder and "/" not in file:
        short = f"{folder}/.korg/…"
        return short if width(short) <= cells else _cut_off(folder, cells)
    return _cut_off(safe, cells)


def _cut_off(safe: str, cells: int) -> str:
    """Without its beginning, if it is too long; a folder that is left whole begins behind `…/`."""
    if width(safe) <= cells:
        return safe
    while safe and width(safe) >= cells:
        safe = safe[max(1, (width(safe) - cells) // 2) :]
    head, slash, rest = safe.partition("/")
    return crop(f"…/{rest}" if slash and rest and len(head) < len(safe) // 2 else f"…{safe}", cells)
