"""Shelf: one JSON file of the state folder, shared with the programs that run at once.

It is replaced whole, 0600, under a lock, and read again before. No key waits for the lock: what it changes is
written when it is free. What is no file is set aside, and no link in place of the lock is followed.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import reduce
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from korg_tui.text import visible

_FILE_BYTES = 4_000_000
_PAUSE_SECONDS = 0.01
_KEY_SECONDS = 0.04
"""A key waits so long for another program, and no longer."""
_WAITING = 1_000
"""Changes that wait for another program at most; what is oldest goes first."""

_T = TypeVar("_T")


class _Busy(OSError):
    """Another program holds the lock."""


class _NoFile(OSError):
    """A folder, a pipe, a device where a file should be."""


class Shelf(Generic[_T]):
    """One file of a kind of value, what it held when it was read last, and what is still to be changed in it.
    Without a folder it lasts as long as the program. `tell` is told, in a safe line, what goes wrong."""

    def __init__(
        self, folder: Path | None, name: str, kind: Any, empty: _T, tell: Callable[[str], None]
    ) -> None:
        self._folder = folder
        self._path = None if folder is None else folder / f"{name}.json"
        self._name = name
        self._kind = kind
        self._value = self._held = self._empty = empty
        self._stamp: tuple[int, ...] = ()
        self._waiting: list[Callable[[_T], _T]] = []
        self._tell = tell

    def get(self) -> _T:
        """What the file holds now, and what is not in it yet."""
        if self._path is not None:
            try:
                self._read(self._path)
            except OSError as error:
                self._tell(self._cannot("read", error))
        return self._value

    def change(self, alter: Callable[[_T], _T]) -> None:
        """Change what the file holds now; while another program holds the lock, later."""
        if self._path is None:
            self._value = alter(self._value)
            return
        patience = 0.0 if self._waiting else _KEY_SECONDS
        with suppress(OSError):
            self._read(self._path)
        self._value = alter(self._value)
        self._waiting = [*self._waiting, alter][-_WAITING:]
        if not self.settle(patience):
            self._tell(f"another korg-tui is writing: the {self._name} are kept when it is done")

    def settle(self, seconds: float) -> bool:
        """Write what is still to be changed, if the lock is free within so many seconds. False when it is
        not, and something is left."""
        if self._path is None or self._folder is None or not self._waiting:
            return True
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with _lock(self._folder / "lock", seconds):
                self._read(self._path, anew=True)
                self._write(self._path, self._value)
        except _Busy:
            return False
        except OSError as error:
            self._path = None
            self._tell(self._cannot("kept", error))
        self._waiting = []
        return True

    def lost(self) -> None:
        """Say that what is still to be changed never will be."""
        self._tell(f"what changed in the {self._name} is lost: another korg-tui did not let anybody write")

    def _cannot(self, what: str, error: OSError) -> str:
        why = error.strerror or str(error)
        return visible(f"{self._name} cannot be {what} in {self._folder}: {why}; they last until you quit")

    def _read(self, path: Path, *, anew: bool = False) -> None:
        """Read the file if it is another than before. `anew`: apply what waits once more in any case."""
        try:
            with os.fdopen(_open_file(path, os.O_RDONLY), "rb") as file:
                facts = os.fstat(file.fileno())
                stamp = (facts.st_ino, facts.st_size, facts.st_mtime_ns)
                if stamp != self._stamp:
                    content = file.read(_FILE_BYTES + 1)
                    self._stamp, anew = stamp, True
                    self._held = self._decoded(path, content)
        except FileNotFoundError:
            anew = anew or bool(self._stamp)
            self._stamp, self._held = (), self._empty
        except _NoFile:
            self._set_aside(path)
            self._held, anew = self._empty, True
        if anew:
            self._value = reduce(lambda value, alter: alter(value), self._waiting, self._held)

    def _decoded(self, path: Path, content: bytes) -> _T:
        try:
            if len(content) > _FILE_BYTES:
                raise msgspec.DecodeError("too long")
            value: _T = msgspec.json.decode(content, type=self._kind)
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            self._set_aside(path)
            return self._empty
        return value

    def _set_aside(self, path: Path) -> None:
        aside = path.with_suffix(".broken")
        self._stamp = ()
        path.replace(aside)
        self._tell(visible(f"the {self._name} could not be read: what was there is now {aside}"))

    def _write(self, path: Path, value: _T) -> None:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(value), indent=1))
                file.flush()
                os.fsync(file.fileno())
                facts = os.fstat(file.fileno())
            Path(name).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise
        self._stamp, self._held = (facts.st_ino, facts.st_size, facts.st_mtime_ns), value


def _open_file(path: Path, flags: int) -> int:
    """Open a regular file, and wait for nobody. Raises `_NoFile`, `OSError`."""
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, 0o600)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise _NoFile(f"{path.name} is no file")


@contextmanager
def _lock(path: Path, seconds: float) -> Iterator[None]:
    """Hold the lock of the folder; raises `_Busy` when another program does not let it go for so long, and
    `OSError`. A link in its place is not followed: it could make a file anywhere."""
    descriptor = _open_file(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
    until = time.monotonic() + seconds
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise _Busy from None
                time.sleep(_PAUSE_SECONDS)
        yield
    finally:
        os.close(descriptor)
