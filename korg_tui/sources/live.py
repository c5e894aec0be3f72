"""FolderSource: the ledgers of a folder, those that are there and those that come."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

from korg_tui.event import Record
from korg_tui.sources.blobs import BlobStore
from korg_tui.sources.errors import BodyGone, cannot_read, no_ledger_in, reason
from korg_tui.sources.facts import CaughtUp, Fact, Opened, Progress, State
from korg_tui.sources.file import FileSource
from korg_tui.sources.folder import FILES_AT_MOST, FIRST_LOOK, holds_events, is_entered
from korg_tui.sources.met import Folder, Looked, Met
from korg_tui.sources.source import Source
from korg_tui.sources.watch import WATCHER, Listening, Watcher

_SETTLING_SECONDS = 0.2
"""A new file is looked into when it has been there for so long: many are written under another name first."""
_PROGRESS = 256
_LOOKING_SECONDS = (0.5, 30.0)
_SHARE = 100
"""Where nobody tells of changes, looking takes a hundredth of the time at most."""

Claim = Callable[[Path], bool]
"""Whether a file is not read by another source already; from now on it is."""


class FolderSource:
    """A folder that is followed: `found` is called, by whatever thread serves this, with a source for each
    ledger in it, in the order of their names at first, and later as they come. Its own facts say how the
    folder is.

    The ledgers are those of `ledgers_in`. A file that is none is looked into again when it changes. What
    vanishes is for its own source to say. With `wait`, a folder that is not there or has no ledger is waited
    for; should a file appear in its place, that is its ledger. `wake`, called in another thread, says that
    there is reason to `poll`."""

    blocking = False

    def __init__(
        self,
        path: str | Path,
        *,
        name: str | None = None,
        wait: bool = False,
        claim: Claim = lambda path: True,  # noqa: ARG005
        watcher: Watcher = WATCHER,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = Path(path)
        self.name = str(path) if name is None else name
        self.found: Callable[[Source], object] = lambda source: None  # noqa: ARG005
        self.wake: Callable[[], object] = lambda: None
        self._wait = wait
        self._claim = claim
        self._watcher = watcher
        self._clock = clock
        self._lock = threading.Lock()
        self._listening: Listening | None = None
        self._told: set[tuple[Path, str | None]] = set()
        self._folders: dict[Path, Folder] = {}
        self._ledgers: set[Path] = set()
        self._others: dict[Path, Looked] = {}
        """Files that are no ledgers, or not yet."""
        self._unreadable: dict[Path, str] = {}
        self._settling: dict[Path, float] = {}
        """New files, and when they are looked into."""
        self._met = Met()
        self._look_at = 0.0
        self._state = self._text = ""

    @property
    def watched(self) -> Path | None:
        """The folder itself: whether it is there."""
        return self.path

    @property
    def poll_after(self) -> float | None:
        """When the next new file is looked into; and, where nobody tells of changes, now and then."""
        times = [max(0.0, min(self._settling.values()) - self._clock())] if self._settling else []
        if not self._all_told:
            times.append(max(0.0, self._look_at - self._clock()))
        return min(times, default=None)

    @cached_property
    def blobs(self) -> BlobStore:
        """The folders near this one."""
        return BlobStore(self.path / "ledger")

    @property
    def ledgers(self) -> int:
        """How many have been found."""
        return len(self._ledgers)

    def start(self) -> Iterator[Fact]:
        """Look through the folder. Raises `SourceError` when that cannot be, unless it is waited for."""
        self._listening = self._watcher.listen(self._hear)
        begun = self._clock()
        yield Opened("folder")
        try:
            yield from self._looks_through()
        except OSError as error:
            if not (self._wait and isinstance(error, FileNotFoundError | NotADirectoryError)):
                raise cannot_read(self.name, error) from None
        if not (self._wait or self._ledgers):
            raise no_ledger_in(self.name, len(self._others), len(self._unreadable))
        self._rest_after(begun)
        yield from self._said()
        yield CaughtUp()

    def poll(self) -> list[Fact]:
        """Look where something changed. Raises nothing."""
        begun = self._clock()
        with self._lock:
            told, self._told = self._told, set()
        settled = [path for path, due in self._settling.items() if due <= begun]
        try:
            if not self._folders:
                for _ in self._looks_through():
                    pass
            self._look_where(told)
            for path in settled:
                self._settling.pop(path, None)
                self._judge(path)
            if begun >= self._look_at:
                self._look_everywhere()
                self._rest_after(begun)
        except OSError:
            pass  # said below
        return self._said()

    @property
    def _all_told(self) -> bool:
        return all(folder.told for folder in self._folders.values())

    def _rest_after(self, begun: float) -> None:
        least, most = _LOOKING_SECONDS
        now = self._clock()
        self._look_at = now + min(most, max(least, (now - begun) * _SHARE))

    def finish(self) -> list[Record]:
        """A folder has no records of its own."""
        return []

    def read(self, offset: int, length: int, epoch: int | None = None) -> bytes:  # noqa: ARG002
        """Raises `BodyGone`."""
        raise BodyGone(f"{self.name} is a folder")

    def close(self) -> None:
        """Hear of changes no more. The sources that were found are not closed."""
        if self._listening is not None:
            self._listening.close()
            self._listening = None

    # what changed

    def _hear(self, folder: Path, name: str | None) -> None:
        """Called by the watcher. Changes of the ledgers themselves are told to their own sources."""
        if name is not None and folder / name in self._ledgers:
            return
        with self._lock:
            self._told.add((folder, name))
        self.wake()

    def _look_where(self, told: set[tuple[Path, str | None]]) -> None:
        for folder, name in told:
            if name is None:
                self._enter(folder)
            else:
                self._meet(folder / name)

    def _look_everywhere(self) -> None:
        """Into folders whose entries changed, and, unless changes are told, files that changed since they
        were none."""
        for folder in tuple(self._folders):
            self._enter(folder)
        for path in [*self._unreadable, *(() if self._all_told else self._others)]:
            self._meet(path)

    # looking

    def _looks_through(self) -> Iterator[Fact]:
        """Everything, for the first time, or after the folder came back."""
        if stat.S_ISREG(self.path.stat().st_mode):
            self._judge(self.path)
            return
        os.scandir(self.path).close()
        self._met.is_new(self.path)
        waiting, count = [self.path], 0
        while waiting:
            below: list[Path] = []
            for entry in self._entries(waiting.pop()):
                count += 1
                if not count % _PROGRESS:
                    yield Progress(0, 0)
                path = Path(entry.path)
                if entry.is_dir():
                    if is_entered(entry.name) and self._met.is_new(path):
                        below.append(path)
                elif entry.is_file():
                    self._judge(path)
            waiting += reversed(below)

    def _entries(self, folder: Path) -> list[os.DirEntry[str]]:
        """What is in `folder` now, by name; it is watched from now on."""
        told = self._listening is not None and self._listening.add(folder)
        try:
            changed = folder.stat().st_mtime_ns
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            self._leave(folder)
            return []
        except OSError as error:
            self._unreadable[folder] = reason(error)
            changed, entries = 0, []
        else:
            self._unreadable.pop(folder, None)
        self._folders[folder] = Folder(changed, told)
        return entries

    def _enter(self, folder: Path) -> None:
        """Meet what is new in `folder`, if anything changed in it, and in the folders below that are new."""
        known = self._folders.get(folder)
        try:
            if known is not None and known.told and folder.stat().st_mtime_ns == known.changed:
                return
        except OSError:
            self._leave(folder)
            return
        for entry in self._entries(folder):
            path = Path(entry.path)
            if path not in self._folders:
                self._meet(path)

    def _leave(self, folder: Path) -> None:
        if folder not in self._folders:
            return
        for path in [each for each in self._folders if each == folder or folder in each.parents]:
            del self._folders[path]
            self._unreadable.pop(path, None)
            if self._listening is not None:
                self._listening.discard(path)

    def _meet(self, path: Path) -> None:
        """A name of which something was heard: a folder is entered, a file looked into when settled."""
        if path in self._ledgers:
            return
        try:
            now = path.stat()
        except OSError:
            self._others.pop(path, None)
            self._unreadable.pop(path, None)
            self._settling.pop(path, None)
            self._leave(path)
            return
        if stat.S_ISDIR(now.st_mode):
            if is_entered(path.name) and (path in self._folders or self._met.is_new(path)):
                self._enter(path)
        elif stat.S_ISREG(now.st_mode) and path not in self._settling and self._looks_other(path, now):
            self._settling[path] = self._clock() + _SETTLING_SECONDS

    def _looks_other(self, path: Path, now: os.stat_result) -> bool:
        """Whether the file can have become a ledger since it was none."""
        before = self._others.get(path)
        if before is None:
            return True
        if before.inode == now.st_ino and before.size >= FIRST_LOOK and now.st_size >= before.size:
            return False
        return before != Looked.at(now)

    def _judge(self, path: Path) -> None:
        """Look into a file. A ledger is handed on."""
        if path in self._ledgers or not self._met.is_new(path):
            return
        if self._is_full:
            return
        try:
            now = path.stat()
            is_ledger = stat.S_ISREG(now.st_mode) and holds_events(path)
        except FileNotFoundError:
            return
        except OSError as error:
            self._unreadable[path] = reason(error)
            return
        self._unreadable.pop(path, None)
        if not is_ledger:
            self._others[path] = Looked.at(now)
            return
        self._others.pop(path, None)
        self._ledgers.add(path)
        if self._claim(path):
            self.found(FileSource(path, name=self.name if path == self.path else None, wait=True))

    @property
    def _is_full(self) -> bool:
        return len(self._ledgers) + len(self._others) + len(self._unreadable) >= FILES_AT_MOST

    # how it is

    def _said(self) -> list[Fact]:
        state, text = self._words()
        if (state, text) == (self._state, self._text):
            return []
        before, self._state, self._text = self._state, state, text
        if state == "live" and not before:
            return []
        if state == "live" and before in ("gone", "failed"):
            state, text = "back", f"{self.name} is back, and is followed again"
        return [State(state, text, time.time_ns() // 1_000_000)]

    def _words(self) -> tuple[str, str]:
        try:
            is_file = stat.S_ISREG(self.path.stat().st_mode)
            if not is_file:
                os.scandir(self.path).close()
        except (FileNotFoundError, NotADirectoryError):
            if self._state in ("", "waiting"):
                text = f"{self.name} is not there yet; it is read as soon as it appears"
                return "waiting", text
            return (
                "gone",
                f"{self.name} is gone; what was read stays, and it is followed again when it comes back",
            )
        except OSError as error:
            return "failed", f"{self.name}: {reason(error)}; it is tried again until it can be read"
        if self._unreadable or self._is_full:
            return "warned", f"{self.name}: {self._left_out()}"
        if not self._ledgers:
            return "waiting", f"{self.name} has no ledger in it yet; it is watched, and read when one appears"
        return "live", f"{self.name} is followed"

    def _left_out(self) -> str:
        """What is not read, and why."""
        parts = []
        if self._unreadable:
            path, why = next(iter(self._unreadable.items()))
            more = len(self._unreadable) - 1
            others = f" and {more} more" if more else ""
            parts.append(f"not read: {os.path.relpath(path, self.path)}{others} ({why})")
        if self._is_full:
            parts.append(f"more than {FILES_AT_MOST} files; the others are not looked at")
        return "; ".join(parts)
