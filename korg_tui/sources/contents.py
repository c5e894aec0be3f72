"""Contents: what has been read of one file so far, and how the rest, or a changed file, is read."""

from __future__ import annotations

import time
from collections.abc import Iterator

import msgspec

from korg_tui.event import Event, Record
from korg_tui.formats import HEAD, Container, NotALedger, detect, enclosed
from korg_tui.sources.opened import OpenFile
from korg_tui.sources.records import BATCH, ArrayRecords, Fingerprints, LineReader, outside

BATCH_SECONDS = 0.05
_CHUNK = 256 * 1024
_PROBE = 4096
_SEARCHED_AT_MOST = 1 << 30
_ENDS_LATER = (b"{", b"[", b"/", b"\xef")


class Unfinished(Exception):
    """The file looks as if somebody were writing it just now."""


class Changed(msgspec.Struct):
    """What reading a changed file again has brought."""

    records: list[Record]
    cut: int | None
    """The offset from which on the earlier records are gone; `None` when all still stand."""
    opened: Container | None
    """The container, when it is another one than before."""


class Contents:
    """The records of one file up to `end`, with their fingerprints."""

    def __init__(self) -> None:
        self.container = Container("empty")
        self.end = 0
        self.events = 0
        self._prints = Fingerprints()
        self._lines = LineReader(0, self._prints)
        self._held: list[Record] = []
        self._odd = False
        """Whether an array has more than its elements to tell: it is read from its beginning each time."""
        self._probe = b""

    def __len__(self) -> int:
        return len(self._prints)

    def first(self, file: OpenFile, size: int) -> Iterator[list[Record]]:
        """Read all of it: lists of records, whenever one is worth passing on. Raises `NotALedger`."""
        self._open(_detected(file, size))
        if not self.container.appended:
            self.container, found = _array(self.container, file.read(0, size))
            yield from self._array_records(found)
        else:
            yield from self._lines_until(file, size)
        if len(self) and not self.events:
            raise NotALedger("it holds no Korg event")

    def _open(self, container: Container) -> None:
        self.container = container
        self.end = container.start
        self._lines = LineReader(self.end, self._prints)
        self._held = []

    def _lines_until(self, file: OpenFile, size: int) -> Iterator[list[Record]]:
        records: list[Record] = []
        due = time.monotonic() + BATCH_SECONDS
        while self.end < size:
            records += self._line_records(file, min(_CHUNK, size - self.end))
            if time.monotonic() >= due or len(records) >= BATCH:
                yield records
                records, due = [], time.monotonic() + BATCH_SECONDS
        if records:
            yield records
        self._probe = file.read(max(0, self.end - _PROBE), min(self.end, _PROBE))

    def _line_records(self, file: OpenFile, length: int) -> list[Record]:
        chunk = file.read(self.end, length)
        self.end += len(chunk) or length
        records = self._lines.feed(chunk)
        self.events += sum(isinstance(record, Event) for record in records)
        return records

    def _array_records(self, found: ArrayRecords) -> Iterator[list[Record]]:
        for records in found.read():
            self._prints.add(records, found.data, 0)
            self.end = records[-1].offset + records[-1].length
            self.events += sum(isinstance(record, Event) for record in records)
            yield records
        self._odd = found.odd
        self._held = found.held
        self.end = len(found.data)

    @property
    def unfinished(self) -> int:
        """Bytes at the end that are no record yet."""
        return self._lines.held + sum(record.length for record in self._held)

    def finish(self) -> list[Record]:
        """The torn end as records, for a reader that does not wait for the rest of it."""
        if self.container.appended:
            return self._lines.finish()
        held, self._held = self._held, []
        return held

    # --- a file that has changed

    def appended(self, file: OpenFile, size: int) -> bool:
        """Whether what was read last still stands where it was, with more lines behind it."""
        if self.container.kind not in ("lines", "wire") or size <= self.end:
            return False
        return file.read(self.end - len(self._probe), len(self._probe)) == self._probe

    def append(self, file: OpenFile, size: int) -> list[Record]:
        """The records that lines up to `size` complete."""
        return [record for records in self._lines_until(file, size) for record in records]

    def again(self, file: OpenFile, size: int, *, fresh: bool) -> Changed:
        """Find the first record whose bytes are not there any more, and read anew from it on.

        Raises `NotALedger`; and `Unfinished` when the file is `fresh`, written a moment ago, and looks half
        written. Nothing has changed here then."""
        array = not self.container.appended
        data = file.read(0, size) if array else b""
        standing = self._prints.standing(
            (lambda offset, length: data[offset : offset + length]) if array else file.read
        )
        if array and self._odd:
            standing = 0
        container = self.container if standing else self._detected_again(file, size, fresh)
        if not container.appended:
            return self._array_again(data or file.read(0, size), standing, container, fresh)
        return self._lines_again(file, size, standing, container)

    def _detected_again(self, file: OpenFile, size: int, fresh: bool) -> Container:
        half_written = fresh and not self.container.appended
        try:
            container = _detected(file, size)
        except NotALedger:
            if half_written:
                raise Unfinished from None
            if begins_something(file.read(0, _CHUNK)):
                return Container("empty")
            raise
        if half_written and container.kind == "empty":
            raise Unfinished
        return container

    def _array_again(self, data: bytes, standing: int, container: Container, fresh: bool) -> Changed:
        container, found = _array(container, data, self._prints.end(standing - 1) if standing else -1)
        if fresh and (found.behind or not found.closed):
            raise Unfinished
        if standing and found.tells_more():
            return self._array_again(data, 0, container, fresh)
        changed = self._cut(standing, container)
        changed.records = [record for records in self._array_records(found) for record in records]
        return changed

    def _lines_again(self, file: OpenFile, size: int, standing: int, container: Container) -> Changed:
        changed = self._cut(standing, container)
        self.end = self._prints.end(standing - 1) if standing else container.start
        self._lines = LineReader(self.end, self._prints)
        if container.kind != "empty":
            changed.records = self.append(file, size)
        return changed

    def _cut(self, standing: int, container: Container) -> Changed:
        cut = self._prints.offset(standing) if standing < len(self) else None
        self._prints.cut(standing)
        changed = Changed([], cut, container if container != self.container else None)
        self._open(container)
        return changed


def begins_something(head: bytes) -> bool:
    """Whether bytes that are no ledger can still become one: an unfinished first line."""
    text = head.lstrip()
    return b"\n" not in text and text.startswith(_ENDS_LATER) and len(head) < _CHUNK


def _array(container: Container, data: bytes, start: int = -1) -> tuple[Container, ArrayRecords]:
    """The container with what stands around it, and its records, from an element on when `start` says so."""
    while True:
        found = ArrayRecords(data, max(start, container.start), amid=start > container.start)
        whole = enclosed(container, data, found.end)
        if whole.start == container.start:
            found.before, found.behind = outside(whole, found)
            return whole, found
        container, start = whole, -1


def _detected(file: OpenFile, size: int) -> Container:
    head = file.read(0, min(HEAD, size))
    whole = size <= len(head)
    try:
        return detect(head, whole=whole)
    except NotALedger:
        if whole or size > _SEARCHED_AT_MOST or not head.lstrip().startswith((b"{", b"[")):
            raise
    return detect(file.read(0, size))
