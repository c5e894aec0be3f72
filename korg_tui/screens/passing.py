"""Passing: a file that is there for as long as another program runs on it, however that ends.

It lies in a folder of its own, which only its owner can enter. The folder goes when the program has ended, or
when a signal or a lost terminal ends this one before. One that was left all the same goes the next time that
a file is passed: nobody holds its lock.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

_NAME = re.compile(r"korg-tui-[0-9a-f]{8}")
_LEFT_SECONDS = 60.0
"""A folder that is younger may only have no lock yet."""
_ENDS = ("SIGTERM", "SIGHUP")
_MEANT_FOR_IT = ("SIGINT", "SIGQUIT")
"""What a person types at the other program reaches this one, too."""

_folders: set[Path] = set()
"""Those that are there now."""
_running: list[subprocess.Popen[bytes]] = []
_held: list[list[int]] = []
"""While a program is being started: the signals that wait until it is known, and can be ended, too."""


def new_folder() -> Path:
    """Where a file can be passed; it is not made yet. Raises `OSError` when no place can take it."""
    return Path(tempfile.gettempdir()).absolute() / f"korg-tui-{secrets.token_hex(4)}"


@contextmanager
def passed(path: Path, pieces: Iterable[bytes]) -> Iterator[None]:
    """The file is there, in a `new_folder`. Raises `OSError`, and what making the pieces raises."""
    folder = path.parent
    _sweep(folder.parent)
    with _ended_by_signals():
        _folders.add(folder)
        try:
            folder.mkdir(mode=0o700)
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _write(path, pieces)
                yield
            finally:
                os.close(descriptor)
        finally:
            clear()


def _write(path: Path, pieces: Iterable[bytes]) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.writelines(pieces)


def clear() -> None:
    """Remove every file that is passed now, for this program ends. Any thread may call it."""
    while _folders:
        with suppress(KeyError):
            shutil.rmtree(_folders.pop(), ignore_errors=True)


def run(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a program and wait for it. Returns its exit code, negative for a signal. Raises `OSError`."""
    before = {each: signal.signal(each, lambda *_: None) for each in _known(_MEANT_FOR_IT)}
    try:
        with _started(words, environment) as process:
            try:
                return process.wait()
            finally:
                _running.remove(process)
    finally:
        _restore(before)


def _started(words: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """The program, known to whoever ends it: no signal comes between."""
    _held.append([])
    try:
        process = subprocess.Popen(words, env=environment)
        _running.append(process)
        return process
    finally:
        for number in _held.pop():
            os.kill(os.getpid(), number)


def _known(names: Iterable[str]) -> list[signal.Signals]:
    return [signal.Signals[name] for name in names if name in signal.Signals.__members__]


_Handler = Callable[[int, FrameType | None], object] | int | None


def _restore(before: Mapping[signal.Signals, _Handler]) -> None:
    for number, handler in before.items():
        signal.signal(number, signal.SIG_DFL if handler is None else handler)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """A signal that ends this program removes what is passed, and ends the other program; one that is ignored
    stays so."""
    before: dict[signal.Signals, _Handler] = {
        each: handler for each in _known(_ENDS) if (handler := signal.getsignal(each)) != signal.SIG_IGN
    }

    def end(number: int, _: FrameType | None) -> None:
        if _held:
            _held[-1].append(number)
            return
        clear()
        for process in _running:
            process.send_signal(number)
        _restore(before)
        os.kill(os.getpid(), number)

    for each in before:
        signal.signal(each, end)
    try:
        yield
    finally:
        _restore(before)


def _sweep(place: Path) -> None:
    """Remove what other runs of this program have left."""
    with suppress(OSError), os.scandir(place) as entries:
        left = [Path(entry.path) for entry in entries if _NAME.fullmatch(entry.name)]
        for folder in left:
            with suppress(OSError):
                _remove_if_left(folder)


def _remove_if_left(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        facts = os.fstat(descriptor)
        private = facts.st_uid == os.geteuid() and stat.S_IMODE(facts.st_mode) == 0o700
        if private and time.time() - facts.st_mtime >= _LEFT_SECONDS:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)
