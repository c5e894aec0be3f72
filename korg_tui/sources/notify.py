"""`watchfiles`, for systems without inotify."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import watchfiles

_STEP_MS = 13
_GROUPED_MS = 20


class Notify:
    """A watch on any number of folders through the system's own notification, or `watchfiles`' polling."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._folders: dict[Path, Path] = {}
        self._other = threading.Event()
        self._stopped = False
        self._changes: Iterator[set[tuple[watchfiles.Change, str]]] = iter(())

    def add(self, folder: Path) -> None:
        """Watch `folder` as well. Raises `OSError`."""
        if not folder.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
        real = Path(os.path.realpath(folder))
        with self._lock:
            if self._folders.get(folder) != real:
                self._folders[folder] = real
                self._other.set()

    def discard(self, folder: Path) -> None:
        """Watch `folder` no longer."""
        with self._lock:
            if self._folders.pop(folder, None) is not None:
                self._other.set()

    def wait(self) -> list[tuple[Path, str | None]] | None:
        """Block until entries change: `(folder, name)`, `None` for the folder itself. `None` after `stop`."""
        while not self._stopped:
            try:
                changes = next(self._changes, None)
            except OSError:
                changes = None
            if changes is not None:
                return self._entries(path for _, path in changes)
            if self._restarted():
                with self._lock:
                    return [(folder, None) for folder in self._folders]
        return None

    def _restarted(self) -> bool:
        """Watch the folders of now; whether there are any. Waits for one when there are none."""
        self._other.clear()
        with self._lock:
            folders = [real for real in self._folders.values() if real.is_dir()]
        if not folders:
            if not self._stopped:
                self._other.wait()
            return False
        self._changes = watchfiles.watch(
            *folders,
            watch_filter=None,
            debounce=_GROUPED_MS,
            step=_STEP_MS,
            rust_timeout=1_000,
            stop_event=self._other,
            recursive=False,
            raise_interrupt=False,
        )
        return True

    def _entries(self, paths: Iterator[str]) -> list[tuple[Path, str | None]]:
        with self._lock:
            named: dict[Path, set[Path]] = {}
            for folder, real in self._folders.items():
                named.setdefault(folder, set()).add(folder)
                named.setdefault(real, set()).add(folder)
        found: list[tuple[Path, str | None]] = []
        for path in map(Path, paths):
            found += [(folder, path.name) for folder in named.get(path.parent, ())]
            found += [(folder, None) for folder in named.get(path, ())]
        return found

    def stop(self) -> None:
        """Make `wait` return `None`."""
        self._stopped = True
        self._other.set()
