"""Sparing: which files an export must never be written to: ledgers that are read, and blobs beside them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from korg_tui.reading import Reading
from korg_tui.sources import BlobStore

File = Path | int
"""A path, or the descriptor of an open file."""


def spared(target: File, readings: Iterable[Reading], also: Iterable[File] = ()) -> str:
    """Why an export must not go into `target`, as `it is …`; empty when nothing stands in the way.

    Looked at are the ledgers of these readings, those of sub-agents whose events are lanes of them, under
    whatever name, what else is being read (`also`), and the folders of their blobs."""
    every = list(_with_kin(readings))
    ledgers = [path for each in every if (path := each.source.watched) is not None]
    here, read = _identity(target), [_identity(file) for file in (*ledgers, *also)]
    if here is not None and here in read:
        which = "the ledger itself" if here == read[0] else "a ledger that is being read"
        return f"{which}, which is never written to"
    if isinstance(target, Path) and any(_is_inside(target, each.source.blobs) for each in every):
        return "among the ledger's blobs"
    return ""


def _with_kin(readings: Iterable[Reading]) -> Iterator[Reading]:
    for each in readings:
        yield each
        yield from each.kin.values()


def _is_inside(target: Path, blobs: object) -> bool:
    inside = Path(os.path.realpath(target))
    folders = blobs.folders if isinstance(blobs, BlobStore) else ()
    return any(inside.is_relative_to(os.path.realpath(folder)) for folder in folders)


def _identity(file: File) -> tuple[int, int] | None:
    """Device and number of a regular file; None for what is none, or not there."""
    try:
        found = file.stat() if isinstance(file, Path) else os.fstat(file)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None
