"""FileSource: a ledger in a file, read once and then followed through whatever its writers do to it
(LEDGERS.md, Containers; CAUSALITY §8)."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

from korg_tui.event import Record
from korg_tui.formats import NotALedger
from korg_tui.sources.blobs import BlobStore
from korg_tui.sources.bodies import Bodies
from korg_tui.sources.contents import Contents, Unfinished, begins_something
from korg_tui.sources.errors import BodyGone, cannot_read, not_a_ledger, reason
from korg_tui.sources.facts import CaughtUp, Fact, Grew, Opened, Progress, Replaced, State
from korg_tui.sources.opened import AnotherFile, OpenFile
from korg_tui.sources.records import BATCH, batches, following

_SOON_SECONDS = 0.06
_HALF_WRITTEN_NS = 250_000_000
_SAME_TICK_NS = 60_000_000
_COMPARED_AT_LEISURE = 1 << 20
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


class FileSource:
    """One ledger file. `start` reads it, `poll` says what changed since; `read` gives bodies.

    With `wait`, a file that is not there yet is waited for; otherwise `start` raises `SourceError`.
    Nothing is ever written, locked, or created. `clock` gives nanoseconds since the epoch."""

    blocking = False

    def __init__(
        self,
        path: str | Path,
        *,
        name: str | None = None,
        wait: bool = False,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        self.path = Path(path)
        self.name = str(path) if name is None else name
        self._wait = wait
        self._clock = clock
        self._bodies: Bodies | None = None
        self._contents = Contents()
        self._seen: tuple[int, ...] = ()
        self._refused: tuple[int, ...] = ()
        self._state = ""
        self._half_written = False
        self._same_tick = False

    def start(self) -> Iterator[Fact]:
        """Read the file in batches. Ends with `CaughtUp`, or with a `State` when nothing can be read yet.
        Raises `SourceError` when it is no ledger or cannot be read."""
        try:
            file = OpenFile.at(self.path)
        except OSError as error:
            if not (self._wait and isinstance(error, FileNotFoundError | NotADirectoryError)):
                raise cannot_read(self.name, error) from None
            yield self._becomes("waiting", f"{self.name} is not there yet; it is read as soon as it appears")
            return
        self._bodies = Bodies(file)
        try:
            with file.held():
                yield from self._first_reading(file)
        except NotALedger as error:
            self._refused = _signature(file.stat())
            self._forget(file)
            raise not_a_ledger(self.name, str(error)) from None
        except OSError as error:
            self._forget(file)
            raise cannot_read(self.name, error) from None

    def _forget(self, file: OpenFile) -> None:
        file.close()
        self._bodies, self._contents = None, Contents()
        self._state = "failed"

    def _first_reading(self, file: OpenFile) -> Iterator[Fact]:
        now = regular(file.stat())
        begun = False
        for records in self._contents.first(file, now.st_size):
            if not begun:
                yield opened(self._contents)
                begun = True
            yield from grown(records)
            if self._contents.end < now.st_size:
                yield Progress(self._contents.end, now.st_size)
        if not begun:
            yield opened(self._contents)
        self._remember(now)
        yield CaughtUp()

    @property
    def unfinished(self) -> int:
        """Bytes at the end of the file that are no record yet: a line that is being written, or was torn."""
        return self._contents.unfinished

    def finish(self) -> list[Record]:
        """The torn end of the file as records, for a reader that does not wait for the rest of it."""
        return self._contents.finish()

    def poll(self) -> list[Fact]:
        """What changed since `start` or the last `poll`, in order; `[]` when nothing did. Raises nothing: a
        source that cannot be read any more is a `State`."""
        try:
            now = regular(self.path.stat())
            if _signature(now) == self._refused:
                return []
            self._refused = ()
            return self._changes(now)
        except (FileNotFoundError, NotADirectoryError):
            return self._is_gone()
        except OSError as error:
            if self._bodies is not None:
                self._bodies.file.replaced()
            return self._fails(f"{self.name}: {reason(error)}; it is tried again until it can be read")
        except NotALedger as error:
            self._refused = _signature(now)
            return self._fails(f"{self.name} is not a ledger now: {error}; it is read again when it changes")

    @property
    def watched(self) -> Path | None:
        """The file."""
        return self.path

    @property
    def poll_after(self) -> float | None:
        """Soon, when a change was seen that may not be all."""
        return _SOON_SECONDS if self._half_written or self._same_tick else None

    @cached_property
    def blobs(self) -> BlobStore:
        """The folders near the file."""
        return BlobStore(self.path)

    def _changes(self, now: os.stat_result) -> list[Fact]:
        self._half_written = False
        if self._bodies is None:
            return self._appears()
        file = self._bodies.file
        try:
            if (now.st_dev, now.st_ino) == file.identity:
                facts = self._changes_in_place(file, now)
            else:
                facts = self._is_replaced(self._bodies)
        except (Unfinished, AnotherFile):
            self._half_written = True
            return []
        if self._state in ("gone", "failed"):
            return [self._becomes("back", f"{self.name} is back, and is followed again"), *facts]
        return facts

    def _appears(self) -> list[Fact]:
        file = OpenFile.at(self.path)
        self._bodies = Bodies(file)
        try:
            facts = list(self._first_reading(file))
        except (NotALedger, OSError):
            may_grow = begins_something(file.read(0, file.stat().st_size))
            state = self._state
            self._forget(file)
            self._state = state
            if may_grow:
                return []
            raise
        return [self._becomes("live", f"{self.name} has appeared, and is followed"), *facts]

    def _changes_in_place(self, file: OpenFile, now: os.stat_result) -> list[Fact]:
        if _signature(now) == self._seen:
            if not self._same_tick or self._age(now) < _SAME_TICK_NS:
                return []
            if now.st_size > _COMPARED_AT_LEISURE:
                self._same_tick = False
                return []
        elif self._contents.appended(file, now.st_size):
            records = self._contents.append(file, now.st_size)
            self._remember(now)
            return list(grown(records))
        return self._read_again(file, now)

    def _is_replaced(self, bodies: Bodies) -> list[Fact]:
        file = OpenFile.at(self.path)
        try:
            now = regular(file.stat())
            if now.st_size == 0 and file.read(0, 1) and file.stat().st_size == 0:
                raise OSError(errno.EINVAL, "it is no file on a disk")
            return self._read_again(file, now, other=bodies.file)
        finally:
            if bodies.file is not file:
                file.close()

    def _read_again(self, file: OpenFile, now: os.stat_result, other: OpenFile | None = None) -> list[Fact]:
        """Facts about a file that was rewritten in place, or took the place of an `other` one."""
        bodies = self._bodies
        assert bodies is not None
        fresh = 0 <= self._age(now) < _HALF_WRITTEN_NS
        if fresh and now.st_size == 0 and len(self._contents):
            raise Unfinished("emptied, and most likely about to be written")
        changed = self._contents.again(file, now.st_size, fresh=fresh)
        self._remember(now)
        facts: list[Fact] = [opened(self._contents)] if changed.opened else []
        if changed.cut is None:
            if other is not None:
                bodies.same_content(file)
            return [*facts, *grown(changed.records)]
        if other is None:
            bodies.rewritten(changed.cut)
        else:
            bodies.replaced(file)
        first, behind = changed.records[:BATCH], changed.records[BATCH:]
        facts.append(Replaced(changed.cut, tuple(first), bodies.epoch, following(behind)))
        return [*facts, *grown(behind)]

    def _remember(self, now: os.stat_result) -> None:
        """Changes are seen by comparison with `now`; one that comes within the same tick of the file system's
        clock has the same time, so a young file is looked at once more."""
        self._seen = _signature(now)
        self._same_tick = 0 <= self._age(now) < _SAME_TICK_NS

    def _age(self, now: os.stat_result) -> int:
        return self._clock() - now.st_mtime_ns

    def _is_gone(self) -> list[Fact]:
        if self._state in ("gone", "waiting") or self._bodies is None:
            return []
        self._bodies.file.replaced()
        text = f"{self.name} is gone; what was read stays, and it is followed again when it comes back"
        return [self._becomes("gone", text)]

    def _fails(self, text: str) -> list[Fact]:
        if self._state == "failed":
            return []
        return [self._becomes("failed", text)]

    def _becomes(self, state: str, text: str) -> State:
        self._state = state
        return State(state, text, self._clock() // 1_000_000)

    def read(self, offset: int, length: int, epoch: int | None = None) -> bytes:
        """The bytes of a record as reported in `epoch` (the present one by default). Raises `BodyGone`."""
        if self._bodies is None:
            raise BodyGone(f"{self.name} is not open")
        return self._bodies.read(offset, length, epoch)

    def close(self) -> None:
        """Close the files. Bodies cannot be read any more."""
        if self._bodies is not None:
            self._bodies.close()


def opened(contents: Contents) -> Opened:
    """What was found when `contents` began."""
    container = contents.container
    return Opened(container.kind, container.notes, container.around)


def grown(records: list[Record]) -> Iterator[Grew]:
    """`records` in facts of at most `BATCH`."""
    for batch in batches(records):
        yield Grew(tuple(batch))


def regular(now: os.stat_result) -> os.stat_result:
    """What was found, if it is a file. Raises `OSError` for pipes, devices and the like: following them would
    wait for ever, or never end."""
    if stat.S_ISREG(now.st_mode):
        return now
    kind = _KINDS.get(stat.S_IFMT(now.st_mode), "something else")
    raise OSError(errno.EINVAL, f"it is {kind}, not a file")


def _signature(now: os.stat_result) -> tuple[int, ...]:
    return now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns
