"""Files that survive a crash: what these functions have done is on the disk when they return."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
_CHUNK = 1 << 20


class StoreChanged(OSError):
    """Somebody else changed a file of the store; the text says which, and what to do."""


class LedgerFile(Protocol):
    """The file of a store: bytes at offsets. Every method may raise `OSError`."""

    def size(self) -> int: ...
    def write(self, data: bytes, at: int) -> None: ...
    def sync(self) -> None: ...
    def cut(self, size: int) -> None: ...
    def is_at(self, path: Path) -> bool: ...
    def fileno(self) -> int: ...
    def close(self) -> None: ...


class DiskFile:
    """A `LedgerFile` on the disk, made if it is not there, with the permissions of its owner alone."""

    def __init__(self, path: Path) -> None:
        self._number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)

    def size(self) -> int:
        """Bytes that it has now."""
        return os.fstat(self._number).st_size

    def write(self, data: bytes, at: int) -> None:
        """Write all of it; a part of it may be there when this raises."""
        rest = memoryview(data)
        while rest:
            written = os.pwrite(self._number, rest, at)
            rest, at = rest[written:], at + written

    def sync(self) -> None:
        """Return when everything that was written is on the disk."""
        sync(self._number)

    def cut(self, size: int) -> None:
        """Keep the first `size` bytes."""
        os.ftruncate(self._number, size)

    def is_at(self, path: Path) -> bool:
        """Whether this file, and not another one or none, is what the path names."""
        try:
            return os.path.samestat(path.stat(), os.fstat(self._number))
        except FileNotFoundError:
            return False

    def fileno(self) -> int:
        """For reading."""
        return self._number

    def close(self) -> None:
        """Nothing is written by closing."""
        os.close(self._number)


def sync(number: int) -> None:
    """Return when the file is on the disk itself, where the system tells the difference."""
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is None:
        os.fsync(number)
    else:
        fcntl.fcntl(number, full)


def sync_folder(folder: Path) -> None:
    """Return when the names in a folder are on the disk."""
    number = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        sync(number)
    finally:
        os.close(number)


def make_folder(folder: Path) -> None:
    """A folder that only its owner may enter, when it is not there; the name is on the disk."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=PRIVATE_FOLDER)
    sync_folder(folder.parent)


def read_exactly(number: int, start: int, end: int) -> bytes:
    """The bytes from `start` to `end` of an open file. Raises `StoreChanged` when it is shorter."""
    parts: list[bytes] = []
    while start < end:
        part = os.pread(number, end - start, start)
        if not part:
            raise StoreChanged("the ledger is shorter than it was; stop the recorder and look at it")
        parts.append(part)
        start += len(part)
    return b"".join(parts)


def pieces(number: int, start: int, end: int) -> Iterator[bytes]:
    """The same, a megabyte at a time."""
    while start < end:
        stop = min(end, start + _CHUNK)
        yield read_exactly(number, start, stop)
        start = stop


def write_synced(path: Path, parts: Iterable[bytes]) -> None:
    """Make a file, or make it anew, with these bytes; return when they are on the disk. Its name need not be.
    Leaves no file behind when it raises."""
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        for part in parts:
            rest = memoryview(part)
            while rest:
                rest = rest[os.write(number, rest) :]
        sync(number)
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink()
        raise
    finally:
        os.close(number)


def write_whole(path: Path, parts: Iterable[bytes], *, through: Path) -> None:
    """Make `path` hold these bytes, at once: they are written to `through`, which must be on the same file
    system, and given the name when they are on the disk. A crash leaves `path` as it was, or whole."""
    write_synced(through, parts)
    through.replace(path)
    sync_folder(path.parent)
