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


Wake = Callable[[], object]
Hear = Callable[[Folder, str | None], object]
"""Told of a folder and the name in it that changed; `None` for the folder itself."""


class Watcher:
    """Calls subscribers when the path that they follow may have changed, listeners with what changed in their
    folders. What a change costs depends on who is interested in it, not on how many there are."""

    def __init__(self, backend: Callable[[], Backend | None] = new_backend) -> None:
        self._new_backend = backend
        self._lock = threading.Lock()
        self._backend: Backend | None = None
        self._wakes: dict[int, Wake] = {}
        self._followed: dict[int, frozenset[Entry]] = {}
        self._followers: dict[Folder, dict[str, set[int]]] = {}
        """Subscribers by what they follow."""
        self._hears: dict[int, Hear] = {}
        self._heard: dict[int, set[Folder]] = {}
        self._listeners: dict[Folder, set[int]] = {}
        self._next = 0

    def subscribe(self, wake: Wake) -> Subscription:
        """A subscription that follows nothing yet. `wake` is called in another thread and must be quick."""
        with self._lock:
            number = self._new_number()
            self._wakes[number] = wake
            self._followed[number] = frozenset()
            return Subscription(self, number)

    def listen(self, hear: Hear) -> Listening:
        """A listening that hears of no folder yet. `hear` is called in another thread and must be quick."""
        with self._lock:
            number = self._new_number()
            self._hears[number] = hear
            self._heard[number] = set()
            return Listening(self, number)

    def _new_number(self) -> int:
        if self._backend is None:
            self._backend = self._new_backend()
            if self._backend is not None:
                run = threading.Thread(
                    target=self._run, args=(self._backend,), name="korg-watch", daemon=True
                )
                run.start()
        self._next += 1
        return self._next

    def follow(self, number: int, entries: frozenset[Entry]) -> bool:
        """Watch `entries` for subscriber `number`; whether they are all watched."""
        with self._lock:
            if not all(self._add(folder) for folder in {folder for folder, _ in entries}):
                return False
            before = self._followed[number]
            if entries != before:
                self._followed[number] = entries
                for folder, name in entries - before:
                    self._followers.setdefault(folder, {}).setdefault(name, set()).add(number)
                self._unfollow(number, before - entries)
            return True

    def hear(self, number: int, folder: Folder) -> bool:
        """Tell listener `number` what changes in `folder`; whether it is watched."""
        with self._lock:
            if not self._add(folder):
                return False
            self._heard[number].add(folder)
            self._listeners.setdefault(folder, set()).add(number)
            return True

    def _add(self, folder: Folder) -> bool:
        if self._backend is None:
            return False
        try:
            self._backend.add(folder)
        except OSError:
            return False
        return True

    def unhear(self, number: int, folder: Folder) -> None:
        """Tell listener `number` of `folder` no more."""
        with self._lock:
            self._unlisten(number, folder)

    def leave(self, number: int) -> None:
        """Forget subscriber or listener `number`."""
        with self._lock:
            self._wakes.pop(number, None)
            self._hears.pop(number, None)
            self._unfollow(number, self._followed.pop(number, frozenset()))
            for folder in tuple(self._heard.get(number, ())):
                self._unlisten(number, folder)
            self._heard.pop(number, None)
            if not (self._wakes or self._hears) and self._backend is not None:
                self._backend.stop()
                self._backend = None

    def _unfollow(self, number: int, entries: Iterable[Entry]) -> None:
        for folder, name in entries:
            names = self._followers[folder]
            names[name].discard(number)
            if not names[name]:
                del names[name]
            if not names:
                del self._followers[folder]
                self._release(folder)

    def _unlisten(self, number: int, folder: Folder) -> None:
        self._heard[number].discard(folder)
        listeners = self._listeners.get(folder, set())
        listeners.discard(number)
        if not listeners and self._listeners.pop(folder, None) is not None:
            self._release(folder)

    def _release(self, folder: Folder) -> None:
        used = folder in self._followers or folder in self._listeners
        if not used and self._backend is not None:
            self._backend.discard(folder)

    def _run(self, backend: Backend) -> None:
        try:
            self._tell(backend)
        except Exception:  # whatever a backend dies of, subscribers go on by themselves
            with self._lock:
                if self._backend is not backend:
                    return
                self._backend = None
                told = [*self._wakes.values()]
                heard = [
                    (self._hears[number], folder) for number in self._heard for folder in self._heard[number]
                ]
            for wake in told:
                wake()
            for hear, folder in heard:
                hear(folder, None)

    def _tell(self, backend: Backend) -> None:
        while (changed := backend.wait()) is not None:
            told: dict[int, Wake] = {}
            heard: list[tuple[Hear, Folder, str | None]] = []
            with self._lock:
                for folder, name in dict.fromkeys(changed):
                    names = self._followers.get(folder, {})
                    followers = (
                        names.get(name, ()) if name is not None else sorted(set().union(*names.values()))
                    )
                    told |= {number: self._wakes[number] for number in followers}
                    listeners = self._listeners.get(folder, ())
                    heard += [(self._hears[number], folder, name) for number in listeners]
            for wake in told.values():
                wake()
            for hear, folder, name in heard:
                hear(folder, name)


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


class Listening:
    """One listener's place at the watcher."""

    def __init__(self, watcher: Watcher, number: int) -> None:
        self._watcher = watcher
        self._number = number

    def add(self, folder: Path) -> bool:
        """Hear of every name that changes in `folder`; whether that can be promised."""
        return self._watcher.hear(self._number, folder)

    def discard(self, folder: Path) -> None:
        """Hear of `folder` no more."""
        self._watcher.unhear(self._number, folder)

    def close(self) -> None:
        """Hear nothing more."""
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
