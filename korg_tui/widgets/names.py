"""Names of ledgers as a screen has room for them: the end of a path says more than its beginning."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence

from korg_tui.text import CUT, crop, visible, width

_TIMES_APART = 4


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


def fitted(names: Iterable[str], cells: int) -> dict[str, str]:
    """Each name in at most so many cells, cut so that different names look different where that is possible:
    the suffix goes first, then the beginning; where that leaves the same, the end that they share."""
    found = {name: _without_suffix(name, cells) for name in names}
    for _ in range(_TIMES_APART):
        alike: dict[str, list[str]] = {}
        for name, short in found.items():
            alike.setdefault(short, []).append(name)
        groups = [group for group in alike.values() if len(group) > 1]
        if not groups:
            break
        for group in groups:
            found.update(_parted(group, cells))
    return found


def _without_suffix(name: str, cells: int) -> str:
    safe = visible(name).removeprefix("http://")
    stem = safe.removesuffix(".jsonl").removesuffix(".ndjson").removesuffix(".json")
    file, whole = stem.rpartition("/")[2], safe.rpartition("/")[2]
    if width(safe) <= cells or "/.korg/" in safe:
        return ending(name, cells)
    if width(stem) < cells:
        return f"{stem}{CUT}"
    return f"{file}{CUT}" if width(file) < cells <= width(whole) + 1 else ending(name, cells)


def _parted(group: Sequence[str], cells: int) -> dict[str, str]:
    """Names that look the same, without the end that they share."""
    shared = len(os.path.commonprefix([name[::-1] for name in group]))  # noqa: RUF071 - of any letters
    shared -= max(group[0][len(group[0]) - shared :].find("/"), 0)
    heads = {name: name[: len(name) - shared] or name for name in group}
    return {name: f"{_cut_off(visible(head).rstrip('/'), cells - 1)}{CUT}" for name, head in heads.items()}


def middle(text: str, cells: int) -> str:
    """Safe text of at most so many cells; of a longer one the middle is cut out."""
    safe = visible(text)
    if width(safe) <= cells:
        return safe
    head = crop(safe, max(1, cells // 2))
    return f"{head}{_cut_off(safe, max(1, cells - width(head) + 1)).removeprefix(CUT)}" if cells > 3 else head


def _cut_off(safe: str, cells: int) -> str:
    """Without its beginning, if it is too long; a folder that is left whole begins behind `…/`."""
    if width(safe) <= cells:
        return safe
    while safe and width(safe) >= cells:
        safe = safe[max(1, (width(safe) - cells) // 2) :]
    head, slash, rest = safe.partition("/")
    return crop(f"…/{rest}" if slash and rest and len(head) < len(safe) // 2 else f"…{safe}", cells)
