"""From the bytes of a container to records: lines as they are appended, arrays as a whole."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from korg_tui.event import Event, Malformed, Record
from korg_tui.formats import (
    Container,
    Unreadable,
    behind,
    decode,
    elements,
    loads,
    may_hold_event,
    records_of_line,
    recover,
)
from korg_tui.sources.runs import Runs

BATCH = 2_000
"""Records that are passed on at once, at most."""
_WINDOW = 1 << 20
_TRIED_FREELY = 1 << 20
_BEFORE_A_RECORD = (b" ", b"\t", b"\r", b"/")
"""A line that begins so may be blank or a comment."""
NO_COMMA = "a comma is missing between two records of the array, which is no JSON for that"
_SCALAR = re.compile(rb"-?[0-9]{1,18}|true|false|null")


def following(records: Iterable[Record]) -> tuple[tuple[int, int], ...]:
    """The seqs and digests of events that will be passed on later."""
    return tuple((each.seq, each.digest) for each in records if isinstance(each, Event))


class LineReader:
    """Cuts what is appended into records, at line feeds only. A last line without one is an event as soon as
    it is whole, and is held back until then."""

    def __init__(self, position: int, prints: Fingerprints) -> None:
        self._at = position
        self._prints = prints
        self._runs = Runs()
        self._held: list[bytes] = []
        self._tried = 0

    def feed(self, chunk: bytes) -> list[Record]:
        """The records that `chunk`, which follows what was fed before, completes."""
        self._held.append(chunk)
        if b"\n" not in chunk and not (chunk.rstrip().endswith(b"}") and self._worth_a_try()):
            return []
        data, base = b"".join(self._held), self._at
        lines = data.split(b"\n")
        tail = lines.pop()
        records: list[Record] = []
        for line in lines:
            if not (line and line[:1] not in _BEFORE_A_RECORD and self._runs.passes_over(line, self._at)):
                records += self._runs.folded(records_of_line(line, self._at))
            self._at += len(line) + 1
        self._held = [tail] if tail else []
        self._tried = 0
        records += self._runs.folded(self._whole_tail(tail))
        records += self._runs.end()
        self._prints.add(records, data, base)
        return records

    def _worth_a_try(self) -> bool:
        """Whether a last line may have become whole; a long one is looked at each time it has doubled."""
        return self.held <= _TRIED_FREELY or self.held >= 2 * self._tried

    def _whole_tail(self, tail: bytes) -> list[Record]:
        raw = tail.strip(b" \t\r")
        if not raw.endswith(b"}"):
            return []
        record = decode(raw, self._at + tail.index(raw))
        if isinstance(record, Malformed):
            self._tried = len(tail)
            return []
        self._at += len(tail)
        self._held = []
        return [record]

    @property
    def held(self) -> int:
        """The bytes of a last line that is held back."""
        return sum(map(len, self._held))

    def finish(self) -> list[Record]:
        """What the held-back last line is, when nothing more will follow."""
        line = b"".join(self._held)
        records = records_of_line(line, self._at)
        self._prints.add(records, line, self._at)
        self._at += len(line)
        self._held = []
        return records


class ArrayRecords:
    """The records of an array from `start`, in the bytes of a whole file."""

    def __init__(self, data: bytes, start: int, *, amid: bool = False) -> None:
        """`amid`: `start` lies behind an element, and not behind the opening bracket."""
        self.data = data
        self.before: list[Record] = []
        """What stands in front of the array and is told; as `behind` what follows it."""
        self.behind: list[Record] = []
        self.odd = False
        """Whether anything is told that stands between elements, or outside; known when `read` has ended."""
        self._amid, self._start = amid, start
        self.held: list[Record] = []
        """A last element that is cut off; known when `read` has ended."""
        self._found = elements(data, start)

    @property
    def closed(self) -> bool:
        """The end of the array is there."""
        return self._found.closed

    @property
    def end(self) -> int:
        """Just behind the last whole element."""
        return self._found.end

    def tells_more(self) -> bool:
        """Whether there is anything to tell beside its elements."""
        return bool(self.before or self.behind or next(self._missing(), None))

    def _missing(self) -> Iterator[Malformed]:
        """The places between two elements where no comma stands."""
        before = self._start if self._amid else -1
        for offset, length in () if self._found.valid else self._found.spans:
            if before >= 0 and b"," not in self.data[before:offset]:
                yield Malformed(offset=before - 1, length=offset - before + 1, reason=NO_COMMA)
            before = offset + length

    def read(self) -> Iterator[list[Record]]:
        """The records, in lists of at most `BATCH`."""
        runs = Runs()
        records: list[Record] = []
        self.odd = bool(self.before or self.behind)
        for record in chain(self.before, self._each(runs)):
            records += runs.folded([record])
            if len(records) >= BATCH:
                yield records
                records = []
        records += runs.end()
        yield from batches(records)

    def _each(self, runs: Runs) -> Iterator[Record]:
        found = self._found
        missing = self._missing()
        gap = next(missing, None)
        for offset, length in found.spans:
            if gap is not None and gap.offset < offset:
                self.odd = True
                yield gap
                gap = next(missing, None)
            raw = self.data[offset : offset + length]
            if (found.valid or _SCALAR.fullmatch(raw)) and runs.passes_over(raw, offset):
                continue
            record = decode(raw, offset)
            if not found.valid and isinstance(record, Malformed) and not _readable(raw):
                yield from self._recovered(offset)
                return
            yield record
        if not found.closed:
            yield from self._recovered(found.end)
        yield from self.behind

    def _recovered(self, start: int) -> list[Record]:
        records = recover(self.data, start, 0)
        if records and not self.closed and isinstance(records[-1], Malformed):
            self.held = [records.pop()]
        return records


def outside(container: Container, found: ArrayRecords) -> tuple[list[Record], list[Record]]:
    """What stands in a file and is none of its events: in front of the array that counts, and behind it."""
    told: list[Record] = [
        Malformed(offset=offset, length=length, reason=_PASSED) for offset, length in container.passed
    ]
    start = behind(container, found.data, found.end) if found.closed else -1
    if start >= 0:
        told.append(_behind(found.data, start, "array" if container.kind == "array" else "wrapper"))
    front = [each for each in told if each.offset < container.start]
    return front, told[len(front) :]


_PASSED = "another value of the key events: the key stands more than once, and this one is not read"


def _behind(data: bytes, start: int, word: str) -> Malformed:
    raw = data[start:].rstrip(b" \t\r\n")
    events = sum(isinstance(each, Event) for each in recover(raw, 0, start)) if may_hold_event(raw) else 0
    reason = f"stands after the end of the {word}"
    if events:
        reason += f", and looks like {events:,} event{'s' * (events > 1)}: not of this ledger"
    # A record that ends where the file ends would pass for a line that was torn: its last byte is left out.
    begin = start if len(raw) > 1 else start - 1
    return Malformed(offset=begin, length=max(1, len(raw) - 1), reason=reason)


def batches(records: list[Record]) -> Iterator[list[Record]]:
    """`records` in lists of at most `BATCH`."""
    for first in range(0, len(records), BATCH):
        yield records[first : first + BATCH]


def _readable(raw: bytes) -> bool:
    try:
        loads(raw)
    except Unreadable:
        return False
    return True


class Fingerprints:
    """Where each reported record lies and what its bytes were: enough to see which of them still stand."""

    def __init__(self) -> None:
        self._offsets = array("q")
        self._ends = array("q")
        self._hashes = array("q")

    def __len__(self) -> int:
        return len(self._offsets)

    def offset(self, index: int) -> int:
        """Where record `index` begins."""
        return self._offsets[index]

    def end(self, index: int) -> int:
        """Just behind record `index`."""
        return self._ends[index]

    def add(self, records: Iterable[Record], data: bytes, base: int) -> None:
        """Remember `records`, whose bytes lie in `data`, which begins at offset `base`."""
        for record in records:
            begin = record.offset - base
            self._offsets.append(record.offset)
            self._ends.append(record.offset + record.length)
            self._hashes.append(hash(data[begin : begin + record.length]))

    def cut(self, count: int) -> None:
        """Forget all but the first `count` records."""
        for column in (self._offsets, self._ends, self._hashes):
            del column[count:]

    def standing(self, read: Callable[[int, int], bytes]) -> int:
        """How many records, from the first on, still have the same bytes; `read(offset, length)` gives those
        that are there now."""
        first, count = 0, len(self)
        while first < count:
            begin = self._offsets[first]
            last = max(first + 1, bisect_right(self._ends, begin + _WINDOW, first, count))
            block = read(begin, self._ends[last - 1] - begin)
            for index in range(first, last):
                piece = block[self._offsets[index] - begin : self._ends[index] - begin]
                if hash(piece) != self._hashes[index]:
                    return index
            first = last
        return count
