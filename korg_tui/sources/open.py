"""From what a person names to sources."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from korg_tui.sources.errors import SourceError, cannot_read, no_ledger_in
from korg_tui.sources.file import FileSource
from korg_tui.sources.folder import ledgers_in
from korg_tui.sources.source import Source
from korg_tui.sources.stdin import StdinSource


def open_sources(names: Sequence[str | os.PathLike[str]], *, wait: bool = False) -> list[Source]:
    """A source for each file, for each ledger of a folder, and for `-`; none twice.

    With `wait`, a file that is not there yet is waited for, and one that is there is looked into, so that
    what is no ledger is refused before a screen opens. Raises `SourceError`."""
    sources: list[Source] = []
    seen: set[str] = set()
    for name in (os.fspath(name) for name in names):
        for source in _opened(name, wait):
            key = "-" if source.watched is None else os.path.realpath(source.watched)
            if key not in seen:
                seen.add(key)
                sources.append(source)
    return sources


def _opened(name: str, wait: bool) -> list[Source]:
    if name == "-":
        return [StdinSource()]
    if name.startswith(("http://", "https://")):
        raise SourceError(f"{name}: addresses cannot be read yet; give a ledger file, a folder, or -")
    path = Path(name)
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return _in_folder(name)
    except (FileNotFoundError, NotADirectoryError) as error:
        if wait:
            return [FileSource(path, name=name, wait=True)]
        raise cannot_read(name, error) from None
    except (OSError, ValueError) as error:
        raise cannot_read(name, error if isinstance(error, OSError) else OSError()) from None
    if stat.S_ISFIFO(mode):
        return [StdinSource(path, name=name)]
    if not stat.S_ISREG(mode):
        raise SourceError(f"{name}: a device, not a file; give a ledger file, a folder, or -")
    if wait:
        _look_into(path, name)
    return [FileSource(path, name=name, wait=wait)]


def _look_into(path: Path, name: str) -> None:
    """Read the first records. Raises `SourceError` when the file cannot be read or is no ledger."""
    source = FileSource(path, name=name)
    try:
        next(source.start(), None)
    finally:
        source.close()


def _in_folder(name: str) -> list[Source]:
    found = ledgers_in(Path(name))
    if not found.ledgers:
        raise no_ledger_in(name, found.skipped, found.unreadable)
    return [FileSource(path) for path in found.ledgers]
