"""Being told that a file may have changed, without asking all the time.

One thread serves all subscribers. On Linux it sleeps in inotify: a write is known after 0.1 ms, and idling
costs nothing, while `watchfiles`, which asks its queue every 13 ms, takes 18 ms at 0.5 % of a core.
Elsewhere it is `watchfiles`. Where neither can watch, nobody is told, and subscribers look by themselves."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from korg_tui.sources.inotify import Inotify

Folder = Path
Entry = tuple[Folder, str]
"""A name in a folder that exists: its appearance, change, or disappearance is of interest."""


class Backend(Protocol):
    """Tells which entries of the watched folders changed."""

    def add(self, folder: Path) -> None:
        """Watch `folder` as well. Raises `OSError`."""

    def discard(self, folder: Path) -> None:
        """Watch it no longer."""

    def wait(self) -> list[tuple[Path, str | None]] | None:
        """Block until entries change: `(folder, name)`, `None` for the folder itself. `None` after `stop`."""

    def stop(self) -> None:
        """Make `wait` return `None`, now and always."""


def new_backend() -> Backend | None:
    """The best backend of this system; `None` when there is none."""
    try:
        return Inotify()
    except OSError:
        pass
    try:
        from korg_tui.sources.notify import Notify
    except ImportError:
        return None
    return Notify()


class Watcher:
    """Calls subscribers when the path that they follow may have changed."""

    def __init__(self, backend: Callable[[], Backend | None] = new_backend) -> None:
        self._new_backend = backend
        self._lock = threading.Lock()
        self._backend: Backend | None = None
        self._subscribers: dict[int, tuple[Callable[[], None], frozenset[Entry]]] = {}
        self._next = 0

    def subscribe(self, wake: Callable[[], None]) -> Subscription:
        """A subscription that follows nothing yet. `wake` is called in another thread and must be quick."""
        with self._lock:
            if self._backend is None:
                self._backend = self._new_backend()
                if self._backend is not None:
                    threading.Thread(
                        target=self._run, args=(self._backend,), name="korg-watch", daemon=True
                    ).start()
            self._next += 1
            self._subscribers[self._next] = (wake, frozenset())
            return Subscription(self, self._next)

    def follow(self, number: int, entries: frozenset[Entry]) -> bool:
        """Watch `entries` for subscriber `number`; whether they are all watched."""
        with self._lock:
            if self._backend is None:
                return False
            wake, before = self._subscribers[number]
            try:
                for folder in {folder for folder, _ in entries}:
                    self._backend.add(folder)
            except OSError:
                return False
            if entries != before:
                self._subscribers[number] = (wake, entries)
                self._release(before)
            return True

    def leave(self, number: int) -> None:
        """Forget subscriber `number`."""
        with self._lock:
            _, before = self._subscribers.pop(number, (None, frozenset()))
            self._release(before)
            if not self._subscribers and self._backend is not None:
                self._backend.stop()
                self._backend = None

    def _release(self, entries: Iterable[Entry]) -> None:
        used = {folder for _, others in self._subscribers.values() for folder, _ in others}
        for folder in {folder for folder, _ in entries} - used:
            if self._backend is not None:
                self._backend.discard(folder)

    def _run(self, backend: Backend) -> None:
        try:
            self._tell(backend)
        except Exception:  # whatever a backend dies of, subscribers go on by themselves
            with self._lock:
                if self._backend is backend:
                    self._backend = None

    def _tell(self, backend: Backend) -> None:
        while (changed := backend.wait()) is not None:
            names = {entry for entry in changed if entry[1] is not None}
            folders = {folder for folder, name in changed if name is None}
            with self._lock:
                told = [
                    wake
                    for wake, entries in self._subscribers.values()
                    if not names.isdisjoint(entries) or any(folder in folders for folder, _ in entries)
                ]
            for wake in told:
                wake()


class Subscription:
    """One subscriber's place at the watcher."""

    def __init__(self, watcher: Watcher, number: int) -> None:
        self._watcher = watcher
        self._number = number

    def follow(self, path: Path) -> bool:
        """Be woken when `path`, or what it links to, changes or comes to exist; whether that can be promised.
        To be called again after each wake: folders come and go."""
        entries = frozenset((_existing_entry(path), _existing_entry(Path(os.path.realpath(path)))))
        return self._watcher.follow(self._number, entries)

    def close(self) -> None:
        """Be woken no more."""
        self._watcher.leave(self._number)


def _existing_entry(path: Path) -> Entry:
    """The nearest folder that exists above `path`, and the name in it that leads to `path`."""
    path = Path(os.path.abspath(path))  # noqa: PTH100 - symbolic links are kept, `..` is not
    folder, name = path.parent, path.name
    while not folder.is_dir() and folder != folder.parent:
        folder, name = folder.parent, folder.name
    return folder, name


WATCHER = Watcher()
"""The process's watcher."""
