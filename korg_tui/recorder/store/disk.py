"""Files that survive a crash: what these functions have done is on the disk when they return."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
_CHUNK = 1 << 20
_AS_IT_IS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NO_FOLDER = frozenset({errno.ENOTDIR, errno.ELOOP, errno.EMLINK})
_NO_FILE = _NO_FOLDER | {errno.EISDIR, errno.ENXIO, errno.EEXIST}


class StoreChanged(OSError):
    """Somebody else changed a file of the store; the text says which, and what to do."""


class LedgerFile(Protocol):
    """The file of a store: bytes at offsets. Every method may raise `OSError`."""

    def size(self) -> int: ...
    def write(self, data: bytes, at: int) -> None: ...
    def sync(self) -> None: ...
    def cut(self, size: int) -> None: ...
    def stamp(self) -> int: ...
    def is_at(self, path: Path) -> bool: ...
    def fileno(self) -> int: ...
    def close(self) -> None: ...


class DiskFile:
    """A `LedgerFile` on the disk, made if it is not there, with the permissions of its owner alone. Raises
    `StoreChanged` for what is no file."""

    def __init__(self, path: Path) -> None:
        self._number = open_file(path, os.O_RDWR | os.O_CREAT)

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

    def stamp(self) -> int:
        """When it was written to last, by anybody: nanoseconds since the epoch."""
        return os.fstat(self._number).st_mtime_ns

    def is_at(self, path: Path) -> bool:
        """Whether this file, and not another one or none, is what the path names."""
        return is_at(self._number, path)

    def fileno(self) -> int:
        """For reading."""
        return self._number

    def close(self) -> None:
        """Nothing is written by closing."""
        os.close(self._number)


def is_at(number: int, path: Path) -> bool:
    """Whether an open file is what the path names, itself and not by a link."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(number))
    except FileNotFoundError:
        return False


def open_file(path: Path, flags: int, *, within: int | None = None) -> int:
    """Open a file itself, by its name in the open folder `within` when there is one; never what a link leads
    to, nor a pipe, which would be waited for. Whoever made the folder can have put anything there. Raises
    `StoreChanged`."""
    name = path if within is None else path.name
    try:
        number = os.open(name, flags | _AS_IT_IS, PRIVATE_FILE, dir_fd=within)
    except OSError as error:
        if error.errno in _NO_FILE:
            _refuse_what_is_no_file(path, os.stat(name, dir_fd=within, follow_symlinks=False))
        raise
    try:
        _refuse_what_is_no_file(path, os.fstat(number))
    except StoreChanged:
        os.close(number)
        raise
    return number


def _refuse_what_is_no_file(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise StoreChanged(f"{path} is {_kind(found)}, and a store has a file of its own there; move it away")


def _kind(found: os.stat_result) -> str:
    kinds = {stat.S_IFLNK: "a link", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFREG: "a file"}
    return kinds.get(stat.S_IFMT(found.st_mode), "a device")


@contextlib.contextmanager
def entered(base: Path, *below: str, make: bool = False) -> Iterator[int]:
    """The folder of these names below `base`, open for as long as the block lasts. A link may lead to `base`,
    which somebody named; below it, none is followed: raises `StoreChanged`. With `make`, what is not there is
    made, and its name on the disk."""
    if make:
        make_folder(base)
    number = os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    path = base
    try:
        for name in below:
            path /= name
            number, above = _below(number, name, path, make), number
            os.close(above)
        yield number
    finally:
        os.close(number)


def _below(above: int, name: str, path: Path, make: bool) -> int:
    if make:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, PRIVATE_FOLDER, dir_fd=above)
            sync(above)
    try:
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)
    except OSError as error:
        if error.errno not in _NO_FOLDER:
            raise
        kind = _kind(os.stat(name, dir_fd=above, follow_symlinks=False))
        text = f"{path} is {kind}, and a store has a folder of its own there; move it away"
        raise StoreChanged(text) from None


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


def write_synced(folder: int, path: Path, parts: Iterable[bytes]) -> None:
    """Make a file in an open folder, that of its path, or make it anew, with these bytes; return when they
    are on the disk. Its name need not be. Leaves no file behind when it raises."""
    _take_away(folder, path)
    number = open_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, within=folder)
    try:
        for part in parts:
            rest = memoryview(part)
            while rest:
                rest = rest[os.write(number, rest) :]
        sync(number)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path.name, dir_fd=folder)
        raise
    finally:
        os.close(number)


def _take_away(folder: int, path: Path) -> None:
    """A crash can have left one of that name."""
    with contextlib.suppress(FileNotFoundError):
        _refuse_what_is_no_file(path, os.stat(path.name, dir_fd=folder, follow_symlinks=False))
        os.unlink(path.name, dir_fd=folder)


def write_whole(folder: int, path: Path, parts: Iterable[bytes], *, through: str) -> None:
    """Make a file in an open folder hold these bytes, at once: they are written to `through` and given the
    name when they are on the disk. A crash leaves the file as it was, or whole."""
    write_synced(folder, path.with_name(through), parts)
    os.replace(through, path.name, src_dir_fd=folder, dst_dir_fd=folder)
    sync(folder)
