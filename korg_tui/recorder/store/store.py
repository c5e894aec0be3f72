"""The store: an append-only ledger that loses no acknowledged event, whatever happens to its process.

A batch of events is written behind the last one, then synced, and only then known: nobody is told of an
event that is not on the disk. What a failed write leaves is cut off again. A rewind writes a whole new file
beside the old one and takes its name, so that there is always either the one or the other.
"""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from korg_tui.recorder.store import disk
from korg_tui.recorder.store.blobs import BlobFolder
from korg_tui.recorder.store.calls import Call, Refused
from korg_tui.recorder.store.disk import DiskFile, LedgerFile, StoreChanged
from korg_tui.recorder.store.envelope import ZEROS, Place, call_event, rewind_event, seal
from korg_tui.recorder.store.index import Index
from korg_tui.recorder.store.lock import StoreLock, held, hold
from korg_tui.recorder.store.opening import look_through
from korg_tui.sources import SourceError

LEDGER = "korg-tui.jsonl"
CUT = ".cut"
"""The folder, below that of the store, where what was cut away lies: no reader takes it for a ledger."""

_NEXT = "next.jsonl"

Span = tuple[int, int]
"""Offsets of bytes of the ledger: the first, and the one behind the last."""

_log = logging.getLogger("korg_tui.recorder")


@dataclass(frozen=True, slots=True)
class Head:
    """Where the ledger stands."""

    store: str
    """An opaque id; the same for the life of the store."""
    generation: int
    """Grows with every rewind."""
    total: int
    """Events, and the seq of the last one."""
    tip: str
    """`entry_hash` of the last one; 64 zeros when there is none."""


@dataclass(frozen=True, slots=True)
class Rewound:
    """What a rewind did."""

    seq: int
    """Of the `LedgerRewind`."""
    target: int
    invalidated_through: int
    generation: int
    tail: Path
    """The file that holds what was cut away."""


class View:
    """The ledger as it was at one moment, for as long as it is looked at."""

    def __init__(self, head: Head, index: Index, number: int) -> None:
        self.head = head
        self._index = index
        self._number = number

    def lines(self, first: int, last: int, most: int | None = None) -> list[Span]:
        """Where the lines of the events `first` to `last` are: as many of them as fit in `most` bytes, but
        one at least."""
        if first > last:
            return []
        if most is not None:
            last = self._index.last_within(first, last, most)
        return [(self._index.end(first - 1), self._index.end(last))]

    def newest(self, limit: int, most: int) -> list[Span]:
        """The same for the last `limit` events: of those, the last."""
        total = self.head.total
        return self.lines(self._index.first_within(max(1, total - limit + 1), total, most), total)

    def children(self, seq: int, limit: int, most: int) -> list[Span]:
        """The same for the last `limit` direct children of an event; empty for a leaf, and for none."""
        found = self._index.children(seq, limit, self.head.total, most)
        return [(self._index.end(child - 1), self._index.end(child)) for child in found]

    def pieces(self, spans: Iterable[Span] | None = None) -> Iterator[bytes]:
        """What is there, by default all lines, each with its line feed, in pieces of a megabyte at most.
        Raises `OSError`: `StoreChanged` when the ledger is shorter than it was."""
        if spans is None:
            spans = [(0, self._index.end(self.head.total))]
        for start, end in spans:
            yield from disk.pieces(self._number, start, end)


class Store:
    """The ledger and the blobs in a folder, opened for writing. Raises `SourceError` when another process
    writes there, or when the ledger is none that a store began.

    `append`, `rewind` and `tend` are for one thread; everything else for any."""

    def __init__(self, folder: Path, open_file: Callable[[Path], LedgerFile] = DiskFile) -> None:
        self.folder = folder
        self.path = folder / LEDGER
        self.blobs = BlobFolder(folder / "blobs", within=folder)
        self.notice = ""
        """What had to be put right when it was opened, in words; empty when there was nothing."""
        self._absent = ""
        """Why the file could not be written again; empty when it is there."""
        self._open_file = open_file
        self._swap = threading.Lock()
        with contextlib.ExitStack() as undo:
            try:
                disk.make_folder(folder)
                self.lock = StoreLock(folder)
                undo.callback(self.lock.close)
                self._file = self._open(self.path)
                undo.callback(self._file.close)
                disk.sync_folder(folder)
                self._look_through()
                self.blobs.open()
            except SourceError:
                raise
            except StoreChanged as error:
                raise SourceError(f"{error}, or give another folder with --store") from None
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                where = error.filename if str(folder) in str(error.filename) else folder
                raise SourceError(f"{where}: {reason}; give another --store") from None
            undo.pop_all()

    def _open(self, path: Path) -> LedgerFile:
        """The file at `path`, which nobody else may hold: the lock's own file can be taken away."""
        file = self._open_file(path)
        try:
            hold(file.fileno())
        except OSError as error:
            file.close()
            if not isinstance(error, BlockingIOError):
                raise
            raise held(self.folder, "whose lock file was taken away") from None
        return file

    def _look_through(self) -> None:
        found = look_through(self._file.fileno(), self.path)
        self._index, self._clock = found.index, found.clock
        self._head = Head(found.store, found.generation, found.index.total, found.tip)
        self._stamp = 0
        """When the file was written to last by this."""
        self._unsure = True
        """The file can have bytes behind the last event, or its name be not on the disk yet."""
        end = found.index.end(found.index.total)
        if found.torn:
            self._put_aside(end, end + found.torn)
        elif found.unended:
            self._file.write(b"\n", end - 1)
            self._file.sync()

    def _put_aside(self, start: int, end: int) -> None:
        """A crash left half an event, which nobody was told of: keep it apart."""
        torn = self._keep_cut(f"torn-{uuid.uuid4().hex[:8]}", start, end)
        self._file.cut(start)
        self._file.sync()
        self.notice = f"half an event at the end, never acknowledged, was put into {torn}"

    @property
    def head(self) -> Head:
        """Where the ledger stands now."""
        return self._head

    def tend(self) -> None:
        """Look whether the file is still there, and write it again when it is not; why that cannot be done is
        said once. Never raises."""
        try:
            if not self._file.is_at(self.path):
                self._restore()
            self._absent = ""
        except OSError as error:
            why = str(error) if isinstance(error, StoreChanged) else f"{self.path}: {error.strerror}"
            if why != self._absent:
                _log.error("%s", why)
            self._absent = why

    def rescued(self) -> str:
        """What became of the events when the file is not where it was at the end; empty when it is. When no
        file holds them any more, they are put into a temporary one."""
        with contextlib.suppress(OSError):
            if self._file.is_at(self.path):
                whole = self._file.size() >= self._end
                return "" if whole else f"{self.path} was cut by somebody else: events are missing at its end"
        events = f"{self._head.total:,} {'event' if self._head.total == 1 else 'events'}"
        if os.fstat(self._file.fileno()).st_nlink:
            return f"{self.path} is another file now: the one with {events} was moved, and is where it is now"
        try:
            with tempfile.NamedTemporaryFile(prefix="korg-tui-", suffix=".jsonl", delete=False) as file:
                for part in disk.pieces(self._file.fileno(), 0, self._end):
                    file.write(part)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            return f"{self.path} was taken away, with {events}, and they cannot be put elsewhere: {why}"
        return f"{self.path} was taken away; what it held, {events}, is in {file.name}"

    def close(self) -> None:
        """Let go of everything; every event is on the disk already."""
        with self._swap:
            self._file.close()
        self.lock.close()

    # --- reading

    @contextlib.contextmanager
    def view(self) -> Iterator[View]:
        """The ledger as it is now. A rewind meanwhile does not change what is looked at."""
        with self._swap:
            number = os.dup(self._file.fileno())
            view = View(self._head, self._index, number)
        try:
            yield view
        finally:
            os.close(number)

    # --- writing

    def append(self, calls: Sequence[Call]) -> list[int | Refused]:
        """Append the calls, in their order, with one sync: the seq of each, or why it was refused. When this
        returns they are on the disk; when it raises (`OSError`), none of them is in the ledger."""
        self._make_sure()
        lines: list[bytes] = []
        tip = self._head.tip
        answers: list[int | Refused] = []
        try:
            for call in calls:
                if refusal := self.refusal(call.triggered_by):
                    answers.append(refusal)
                    continue
                place = self._place(self._index, call.triggered_by, tip, self._head.generation)
                line, tip = seal(call_event(call), place, self._clock)
                self._index.add(len(line), place.event_id, place.parent)
                lines.append(line)
                answers.append(place.seq)
            self._write(b"".join(lines))
        except BaseException:
            self._index = self._index.cut(self._head.total)
            raise
        self._head = replace(self._head, total=self._index.total, tip=tip)
        return answers

    def refusal(self, cause: int | None) -> Refused | None:
        """Why the next event cannot name this cause: it must be an existing, strictly earlier seq."""
        last = self._index.total
        if cause is None or 0 < cause <= last:
            return None
        there = f"the last one is {last}" if last else "there is none yet"
        return Refused(f"triggered_by names {cause}, which is no earlier event: {there}")

    def _write(self, data: bytes) -> None:
        if not data:
            return
        self._unsure = True
        try:
            self._file.write(data, self._end)
            self._file.sync()
        except OSError:
            with contextlib.suppress(OSError):
                self._make_sure()
            raise
        self._unsure = False
        self._stamp = self._file.stamp()

    @property
    def _end(self) -> int:
        """Bytes of the file that hold events."""
        return self._index.end(self._head.total)

    def _make_sure(self) -> None:
        """The file ends with the last event, and has its name: put right what a failure left, and what
        somebody did to it."""
        if not self._file.is_at(self.path):
            self._restore()
        size = self._file.size()
        strange = not self._unsure and self._file.stamp() != self._stamp
        if size < self._end or (size > self._end and not self._unsure) or (strange and not self._holds()):
            raise StoreChanged(f"{self.path} was changed by somebody else; stop the recorder and look at it")
        if self._unsure:
            if size > self._end:
                self._file.cut(self._end)
            self._file.sync()
            disk.sync_folder(self.folder)
            self._unsure = False
        self._stamp = self._file.stamp()

    def _holds(self) -> bool:
        """Whether the file, to which somebody else has done something, still holds the same chain."""
        try:
            found = look_through(self._file.fileno(), self.path)
        except SourceError:
            return False
        return (found.index.total, found.tip, found.torn) == (self._head.total, self._head.tip, 0)

    def _restore(self) -> None:
        """The file was taken away while we hold it: write it again. Raises `StoreChanged` when there is
        another one in its place, or another recorder."""
        if os.path.lexists(self.path):
            raise StoreChanged(f"{self.path} was replaced by another file; stop the recorder and look at it")
        disk.make_folder(self.folder)
        if not self.lock.is_there():
            try:
                lock = StoreLock(self.folder)
            except SourceError as held:
                raise StoreChanged(held.text) from None
            lock.say(self.lock.holder)
            self.lock.close()
            self.lock = lock
        self._replace(disk.pieces(self._file.fileno(), 0, self._end), self._head, self._index)
        events = f"{self._head.total:,} {'event' if self._head.total == 1 else 'events'}"
        _log.warning("%s was taken away; it was written again, with %s", self.path, events)

    # --- rewinding

    def rewind(self, target: int, by: str, reason: str) -> Rewound:
        """Keep the events up to seq `target`, and seal that with a `LedgerRewind` behind them. The tail is
        kept in a file of its own first. Raises `Refused`, or `OSError` when nothing was changed."""
        self._make_sure()
        old = self._head
        if target >= old.total:
            raise Refused(f"nothing comes after {target}: the last event is {old.total}")
        end = self._index.end(target)
        tail = self._keep_cut(f"generation-{old.generation}", end, self._end)
        index = self._index.cut(target)
        place = self._place(index, target or None, self._hash_of(target), old.generation + 1)
        line, tip = seal(rewind_event(target, old.total, by, reason), place, self._clock)
        index.add(len(line), place.event_id, place.parent)
        new = Head(old.store, old.generation + 1, index.total, tip)
        self._replace(chain(disk.pieces(self._file.fileno(), 0, end), (line,)), new, index)
        return Rewound(new.total, target, old.total, new.generation, tail)

    def _hash_of(self, seq: int) -> str:
        """The `entry_hash` of an event."""
        if seq == 0:
            return ZEROS
        with self.view() as view:
            line = b"".join(view.pieces(view.lines(seq, seq)))
        tip: str = line[line.rindex(b'"entry_hash":"') + 14 :][:64].decode("ascii")
        return tip

    def _replace(self, parts: Iterable[bytes], head: Head, index: Index) -> None:
        """Put a file with these bytes into the place of the ledger's, at once."""
        with disk.entered(self.folder, CUT, make=True) as cut:
            disk.write_synced(cut, self.folder / CUT / _NEXT, parts)
            file = self._open(self.folder / CUT / _NEXT)
            try:
                os.replace(_NEXT, self.path, src_dir_fd=cut)
            except BaseException:
                file.close()
                raise
        with self._swap:
            old, self._file = self._file, file
            self._head, self._index = head, index
        old.close()
        self._unsure = True
        self._make_sure()

    def _keep_cut(self, name: str, start: int, end: int) -> Path:
        """Put bytes of the file into one of their own; its path."""
        kept, parts = self.folder / CUT / f"{name}.jsonl", disk.pieces(self._file.fileno(), start, end)
        with disk.entered(self.folder, CUT, make=True) as cut:
            disk.write_whole(cut, kept, parts, through=f"{name}.unfinished")
        return kept

    # --- places

    def _place(self, index: Index, parent: int | None, prev_hash: str, generation: int) -> Place:
        """The place behind the last event of an index."""
        event_id = uuid.uuid4()
        return Place(
            seq=index.total + 1,
            event_id=event_id,
            parent=parent,
            parent_id=index.event_id(parent) if parent else None,
            root_id=index.event_id(index.root(parent)) if parent else event_id,
            prev_hash=prev_hash,
            store=self._head.store,
            generation=generation,
        )
