"""Linux inotify, the three calls that are needed, through the C library."""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
import threading
from pathlib import Path

_MODIFY, _ATTRIB, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED, _CREATE, _DELETE, _SELF = 0xC0, 0x100, 0x200, 0xC00
_ONLY_FOLDERS = 0x01000000
_MASK = _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED | _CREATE | _DELETE | _SELF | _ONLY_FOLDERS
_IGNORED, _OVERFLOW = 0x8000, 0x4000
_HEADER = struct.Struct("iIII")


class Inotify:
    """A watch on any number of folders. Raises `OSError` where the system has none."""

    def __init__(self) -> None:
        self._c = ctypes.CDLL(None, use_errno=True)
        if not hasattr(self._c, "inotify_init1"):
            raise OSError(errno.ENOSYS, "no inotify")
        self._descriptor = self._checked(self._c.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        self._lock = threading.Lock()
        self._numbers: dict[Path, int] = {}
        self._folders: dict[int, set[Path]] = {}
        """By the number of the watch; links to a folder share it."""
        self._interrupt = os.pipe()

    @staticmethod
    def _checked(result: int) -> int:
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return result

    def add(self, folder: Path) -> None:
        """Watch `folder`; again when it is another one of the same name now. Raises `OSError`."""
        with self._lock:
            number = self._checked(
                self._c.inotify_add_watch(self._descriptor, os.fsencode(folder), ctypes.c_uint32(_MASK))
            )
            if self._numbers.get(folder, number) != number:
                self._unname(folder)
            self._numbers[folder] = number
            self._folders.setdefault(number, set()).add(folder)

    def discard(self, folder: Path) -> None:
        """Watch `folder` no longer."""
        with self._lock:
            if folder in self._numbers:
                self._unname(folder)

    def _unname(self, folder: Path) -> None:
        number = self._numbers.pop(folder)
        folders = self._folders.get(number, set())
        folders.discard(folder)
        if not folders and self._folders.pop(number, None) is not None:
            self._c.inotify_rm_watch(self._descriptor, number)

    def wait(self) -> list[tuple[Path, str | None]] | None:
        """Block until entries change: `(folder, name)`, `None` for the folder itself. `None` after `stop`."""
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        poll.register(self._interrupt[0], select.POLLIN)
        ready = {descriptor for descriptor, _ in poll.poll()}
        if self._interrupt[0] in ready:
            for descriptor in (self._descriptor, *self._interrupt):
                os.close(descriptor)
            return None
        return self._changes(os.read(self._descriptor, 64 * 1024))

    def _changes(self, data: bytes) -> list[tuple[Path, str | None]]:
        changed: list[tuple[Path, str | None]] = []
        position = 0
        with self._lock:
            while position < len(data):
                number, mask, _, length = _HEADER.unpack_from(data, position)
                position += _HEADER.size
                name = data[position : position + length].rstrip(b"\0")
                position += length
                if mask & _OVERFLOW:
                    changed += [(folder, None) for folder in self._numbers]
                named = os.fsdecode(name) if name else None
                changed += [(folder, named) for folder in self._folders.get(number, ())]
                if mask & _IGNORED:
                    self._folders.pop(number, None)
        return changed

    def stop(self) -> None:
        """Make `wait` return `None`."""
        os.write(self._interrupt[1], b"x")
