"""Open files, a bounded number of them at once however many ledgers there are."""

from __future__ import annotations

import errno
import os
import resource
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_SHARE = 3
_AT_LEAST, _AT_MOST = 8, 512
_TOO_MANY = (errno.EMFILE, errno.ENFILE)


class AnotherFile(OSError):
    """The file was closed to make room, and its path leads to another one now."""

    def __init__(self) -> None:
        super().__init__(errno.ESTALE, "another file has its name now")


class OpenFile:
    """A file that stays readable under whatever name, or none. Any thread may read.

    One that was opened by its path may be closed while nobody reads it, when others need the room, and is
    opened again when it is read; should another file have that path by then, reading raises `AnotherFile`."""

    def __init__(self, descriptor: int, path: Path | None = None, room: Descriptors | None = None) -> None:
        self._descriptor = descriptor
        self._path = path
        self._room = room
        self._users = 0
        now = os.fstat(descriptor)
        self.identity = (now.st_dev, now.st_ino)

    @classmethod
    def at(cls, path: Path, room: Descriptors | None = None) -> OpenFile:
        """Open `path` for reading; raises `OSError`."""
        room = DESCRIPTORS if room is None else room
        file = cls(room.opened(path), path, room)
        room.keep(file)
        return file

    @property
    def descriptor(self) -> int:
        """That of a file that was not opened by a path: such a one stays open."""
        return self._descriptor

    def stat(self) -> os.stat_result:
        with self.held() as descriptor:
            return os.fstat(descriptor)

    def read(self, offset: int, length: int) -> bytes:
        """Bytes from `offset` on, fewer than `length` only where the file ends."""
        parts: list[bytes] = []
        with self.held() as descriptor:
            while length > 0:
                part = os.pread(descriptor, min(length, 1 << 30), offset)
                if not part:
                    break
                parts.append(part)
                offset += len(part)
                length -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    @contextmanager
    def held(self) -> Iterator[int]:
        """The descriptor, open for as long as this lasts. Raises `OSError`."""
        if self._room is None:
            yield self._descriptor
            return
        descriptor = self._room.take(self)
        try:
            yield descriptor
        finally:
            self._room.give_back(self)

    def replaced(self) -> None:
        """Its path no longer leads to it: once closed, it is lost. So it is closed after all the others."""
        if self._room is not None:
            self._room.cling_to(self)

    def close(self) -> None:
        if self._room is not None:
            self._room.forget(self)
        elif self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class Descriptors:
    """Keeps at most `limit` of its files open; those that were not read for longest are closed first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.RLock()
        self._open: OrderedDict[OpenFile, None] = OrderedDict()
        self._replaced: OrderedDict[OpenFile, None] = OrderedDict()
        """Open ones that cannot be opened again."""

    def __len__(self) -> int:
        """How many are open."""
        return len(self._open) + len(self._replaced)

    def opened(self, path: Path) -> int:
        """A descriptor for `path`; others make room when there are too many. Raises `OSError`."""
        with self._lock:
            while len(self) >= self._limit and self._close_one():
                pass
            while True:
                try:
                    return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
                except OSError as error:
                    if error.errno not in _TOO_MANY or not self._close_one():
                        raise

    def keep(self, file: OpenFile) -> None:
        """`file` was opened just now."""
        with self._lock:
            self._open[file] = None

    def take(self, file: OpenFile) -> int:
        """The descriptor of `file`, which stays open until it is given back. Raises `OSError`."""
        with self._lock:
            if file._descriptor < 0:
                self._open_again(file)
            else:
                (self._open if file in self._open else self._replaced).move_to_end(file)
            file._users += 1
            return file._descriptor

    def _open_again(self, file: OpenFile) -> None:
        if file._path is None:
            raise AnotherFile
        descriptor = self.opened(file._path)
        now = os.fstat(descriptor)
        if (now.st_dev, now.st_ino) != file.identity:
            os.close(descriptor)
            raise AnotherFile
        file._descriptor = descriptor
        self._open[file] = None

    def give_back(self, file: OpenFile) -> None:
        """The descriptor of `file` is used no more."""
        with self._lock:
            file._users -= 1
            if not file._users and file not in self._open and file not in self._replaced:
                self._close(file)

    def cling_to(self, file: OpenFile) -> None:
        """`file` can hardly be opened again."""
        with self._lock:
            if file in self._open:
                del self._open[file]
                self._replaced[file] = None

    def forget(self, file: OpenFile) -> None:
        """Close `file`, for ever; once nobody reads it any more."""
        with self._lock:
            file._path = None
            self._open.pop(file, None)
            self._replaced.pop(file, None)
            if not file._users:
                self._close(file)

    def _close_one(self) -> bool:
        for files in (self._open, self._replaced):
            for file in files:
                if not file._users:
                    del files[file]
                    self._close(file)
                    return True
        return False

    @staticmethod
    def _close(file: OpenFile) -> None:
        descriptor, file._descriptor = file._descriptor, -1
        if descriptor >= 0:
            with suppress(OSError):
                os.close(descriptor)


def _limit() -> int:
    """A third of what the process may open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(_AT_LEAST, min(_AT_MOST, soft // _SHARE if soft > 0 else _AT_MOST))


DESCRIPTORS = Descriptors(_limit())
"""Those of the process."""
