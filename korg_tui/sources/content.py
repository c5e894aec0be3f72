"""Content: bytes that are read piece by piece, so that what is huge opens as fast as what is small.

A file by its descriptor, bytes in memory, or what a thread makes of other content, while it grows.
"""

from __future__ import annotations

import os
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from korg_tui.sources.errors import reason

AHEAD = 4 << 20
"""Bytes that are made ahead of those that were asked for."""

LARGEST_MADE = 1 << 30
"""Bytes that are made at most; what would follow is left out."""

_CHUNK = 256 << 10
_PAUSE_SECONDS = 0.01


class NotAFile(OSError):
    """A folder, a pipe, a socket, a device: nothing to read."""

    def __init__(self) -> None:
        super().__init__("it is no regular file")


def open_regular(path: Path | str, more: int = 0, *, within: int | None = None) -> int:
    """A descriptor for reading a regular file, which waits for nobody. `within`: the descriptor of the folder
    that a relative path begins in. Raises `OSError`."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | more
    descriptor = os.open(path, flags, dir_fd=within)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotAFile
    return descriptor


class Content(Protocol):
    """Bytes that can be read anywhere. Any thread may read."""

    @property
    def size(self) -> int:
        """Bytes that are there by now."""

    @property
    def complete(self) -> bool:
        """Whether no more will come."""

    @property
    def failure(self) -> str:
        """Why there is not all of it, in words for a person; empty when there is, or may be."""

    def read(self, offset: int, length: int) -> bytes:
        """Bytes from `offset` on, fewer than `length` only where it ends, or where it cannot be read."""

    def close(self) -> None:
        """Give back what is open."""


class MemoryContent:
    """Bytes in memory."""

    complete = True
    failure = ""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.size = len(content)

    def read(self, offset: int, length: int) -> bytes:
        return self._content[offset : offset + length]

    def close(self) -> None:
        pass


class FileContent:
    """A regular file as it is when it is opened; whatever its path leads to later."""

    complete = True

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self.size = os.fstat(descriptor).st_size
        self.failure = ""
        self.asked = 0
        """Bytes that were read so far."""

    @classmethod
    def at(cls, path: Path) -> FileContent:
        """Open a file. Raises `OSError`."""
        return cls(open_regular(path))

    def read(self, offset: int, length: int) -> bytes:
        parts: list[bytes] = []
        try:
            with self._lock:
                while length > 0 and self._descriptor >= 0:
                    part = os.pread(self._descriptor, length, offset)
                    if not part:
                        break
                    parts.append(part)
                    self.asked += len(part)
                    offset, length = offset + len(part), length - len(part)
        except OSError as error:
            self.failure = f"it cannot be read any more: {reason(error)}"
        return b"".join(parts)

    def close(self) -> None:
        with self._lock:
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1


class MadeContent:
    """What `make` makes of other content, in a thread, in a file without a name.

    It is made a little ahead of what was asked for, and not further than `LARGEST_MADE`. `make` may raise
    `OSError` or `ValueError`; the text is what a person is told. Who made the other content closes it."""

    def __init__(self, make: Callable[[Iterator[bytes]], Iterator[bytes]], of: Content) -> None:
        self._of = of
        self._file = tempfile.TemporaryFile(prefix="korg-tui-", buffering=0)  # noqa: SIM115 - closed in close
        self._wanted = threading.Condition()
        self._upto = AHEAD
        self._closed = False
        self.size = 0
        self.complete = False
        self.failure = ""
        self._thread = threading.Thread(target=self._work, args=(make,), name="korg-content", daemon=True)
        self._thread.start()

    def want(self, upto: int | None = None) -> None:
        """Bytes up to here will be asked for soon; None: all."""
        with self._wanted:
            self._upto = max(self._upto, LARGEST_MADE if upto is None else upto + AHEAD)
            self._wanted.notify_all()

    def wait(self, seconds: float) -> bool:
        """Wait until it is complete, at most so long. Returns whether it is."""
        self._thread.join(seconds)
        return self.complete

    def read(self, offset: int, length: int) -> bytes:
        self.want(offset + length)
        with self._wanted:
            if self._closed:
                return b""
            return os.pread(self._file.fileno(), max(0, min(length, self.size - offset)), offset)

    def _work(self, make: Callable[[Iterator[bytes]], Iterator[bytes]]) -> None:
        try:
            for part in make(chunks(self._of)):
                if not self._keep(part):
                    break
        except (OSError, ValueError) as error:
            self.failure = reason(error) if isinstance(error, OSError) and error.errno else str(error)
        self.complete = True

    def _keep(self, part: bytes) -> bool:
        with self._wanted:
            if self._closed:
                return False
            left = memoryview(part[: LARGEST_MADE - self.size])
            while left:
                done = os.pwrite(self._file.fileno(), left, self.size)
                left, self.size = left[done:], self.size + done
            if self.size >= LARGEST_MADE:
                self.failure = f"only the first {LARGEST_MADE >> 20} MiB are shown"
                return False
            self._wanted.wait_for(lambda: self._closed or self.size <= self._upto)
            return not self._closed

    def close(self) -> None:
        with self._wanted:
            self._closed = True
            self._file.close()
            self._wanted.notify_all()


def chunks(content: Content) -> Iterator[bytes]:
    """All of it, piece by piece, as it comes. Raises `OSError` where it cannot be read."""
    offset = 0
    while True:
        complete = content.complete
        part = content.read(offset, _CHUNK)
        if part:
            offset += len(part)
            yield part
        elif complete:
            break
        else:
            time.sleep(_PAUSE_SECONDS)
    if content.failure:
        raise OSError(content.failure)
