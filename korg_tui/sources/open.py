"""From what a person names to sources."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from korg_tui.sources.errors import SourceError, cannot_read, no_ledger_in
from korg_tui.sources.file import FileSource
from korg_tui.sources.folder import ledgers_in
from korg_tui.sources.live import FolderSource
from korg_tui.sources.source import Source
from korg_tui.sources.stdin import StdinSource

EVERY = 1.0
"""Seconds between two polls of an address, unless somebody asks for other ones."""


def open_sources(
    names: Sequence[str | os.PathLike[str]], *, wait: bool = False, live: bool = False, every: float = EVERY
) -> list[Source]:
    """A source for each file, address, and ledger of a folder, and for `-`; none twice.

    With `live`, a folder is one source that finds its ledgers, now and as they come (`FolderSource`). With
    `wait`, too; what is not there yet is waited for, and a file that is there is looked into, so that what is
    no ledger is refused before a screen opens. `every` is how often an address is asked, in seconds. Raises
    `SourceError`."""
    return list(_Opening(wait, live or wait, every).sources([os.fspath(name) for name in names]))


class _Opening:
    """What is being opened together: nothing twice."""

    def __init__(self, wait: bool, live: bool, every: float) -> None:
        self._wait = wait
        self._live = live
        self._every = every
        self._taken: dict[str, object] = {}

    def sources(self, names: Sequence[str]) -> Iterator[Source]:
        for name in names:
            yield from self._opened(name)

    def _take(self, key: str) -> bool:
        """Whether nobody has it yet. Any thread may ask."""
        mine = object()
        return self._taken.setdefault(key, mine) is mine

    def _take_path(self, path: Path) -> bool:
        return self._take(os.path.realpath(path))

    def _opened(self, name: str) -> Iterator[Source]:
        if name == "-":
            if self._take(name):
                yield StdinSource()
        elif name.lower().startswith(("http://", "https://")):
            yield from self._server(name)
        else:
            yield from self._path(name)

    def _server(self, name: str) -> Iterator[Source]:
        """The server of an address, however that is written."""
        from korg_tui.sources.http.address import address

        if self._take(address(name).base):
            from korg_tui.sources.http.source import HttpSource

            yield HttpSource(name, every=self._every, wait=self._wait)

    def _path(self, name: str) -> Iterator[Source]:
        path = Path(name)
        try:
            mode = path.stat().st_mode
        except (FileNotFoundError, NotADirectoryError) as error:
            if not self._wait:
                raise cannot_read(name, error) from None
            if self._take_path(path):
                yield self._awaited(name)
            return
        except (OSError, ValueError) as error:
            raise cannot_read(name, error if isinstance(error, OSError) else OSError()) from None
        if stat.S_ISDIR(mode):
            yield from self._in_folder(name)
        elif self._take_path(path):
            yield self._file(name, mode)

    def _awaited(self, name: str) -> Source:
        may_become_a_folder = name.endswith(os.sep) or not Path(name).suffix
        return self._folder(name) if may_become_a_folder else FileSource(Path(name), name=name, wait=True)

    def _file(self, name: str, mode: int) -> Source:
        path = Path(name)
        if stat.S_ISFIFO(mode):
            return StdinSource(path, name=name)
        if not stat.S_ISREG(mode):
            raise SourceError(f"{name}: a device, not a file; give a ledger file, a folder, or -")
        if self._wait:
            _look_into(path, name)
        return FileSource(path, name=name, wait=self._wait)

    def _in_folder(self, name: str) -> Iterator[Source]:
        if self._live:
            if self._take_path(Path(name)):
                yield self._folder(name)
            return
        try:
            found = ledgers_in(Path(name))
        except OSError as error:
            raise cannot_read(name, error) from None
        if not found.ledgers:
            raise no_ledger_in(name, found.skipped, found.unreadable)
        yield from (FileSource(path) for path in found.ledgers if self._take_path(path))

    def _folder(self, name: str) -> Source:
        return FolderSource(Path(name), name=name, wait=self._wait, claim=self._take_path)


def _look_into(path: Path, name: str) -> None:
    """Read the first records. Raises `SourceError` when the file cannot be read or is no ledger."""
    source = FileSource(path, name=name)
    try:
        next(source.start(), None)
    finally:
        source.close()
