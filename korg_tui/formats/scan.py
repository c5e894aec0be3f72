"""Where JSON values begin and end in bytes that may be cut off, damaged, or glued together.

Nothing here judges values: brackets and strings are counted, so that whole records can be lifted out of
a container that no parser accepts any more (LEDGERS.md, Containers: torn lines, cut-off arrays)."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator

import msgspec

from korg_tui.formats.parse import MAX_DEPTH

_STRUCTURE = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*("?)|([\[{])|([\]}])', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,\]}\[{\"]+")
_GAP = re.compile(rb"[\s,]*")
_KEY = re.compile(rb'"([^"\\]*(?:\\.[^"\\]*)*)"[ \t\r\n]*:[ \t\r\n]*', re.DOTALL)
EVENT_START = re.compile(
    rb'\{\s*"(?:schema_version|seq_id|seq|source_agent|tool_name|metadata|event|event_type|args|result'
    rb'|payload_refs|success|duration_ms|triggered_by|prev_hash|entry_hash)"\s*:'
)
"""How a record of any Korg writer begins, whatever the order of its keys."""

_MANY = 2_000_000
_COMMAS_OF_AN_EVENT = 100

_raw_list = msgspec.json.Decoder(list[msgspec.Raw]).decode


def value_end(data: bytes, start: int) -> int:
    """Where the value that begins at `start` ends (exclusive); -1 when it is cut off, or nests too deep."""
    if start >= len(data):
        return -1
    if data[start] not in b'{["':
        scalar = _SCALAR.match(data, start)
        return scalar.end() if scalar and scalar.end() < len(data) else -1
    depth = 0
    for token in _STRUCTURE.finditer(data, start):
        if token[2]:
            depth += 1
            if depth > MAX_DEPTH:
                return -1
        elif token[3]:
            depth -= 1
        elif not token[1]:
            return -1
        if depth <= 0:
            return token.end()
    return -1


def outermost(data: bytes) -> bytes:
    """The object in `data` with null for each object and array in it, however deep; nothing when its brackets
    do not match in number."""
    out: list[bytes] = []
    depth = done = 0
    for token in _STRUCTURE.finditer(data):
        if token[2]:
            if depth == 1:
                out.append(data[done : token.start()])
            depth += 1
        elif token[3]:
            depth -= 1
            if depth == 1:
                out.append(b"null")
                done = token.end()
    return b"".join((*out, data[done:])) if depth == 0 else b""


def members(data: bytes, start: int) -> Iterator[tuple[str, int]]:
    """The members of the object that begins at `start`: name, and where the value begins. Ends where the
    object ends or is cut off."""
    position = start + 1
    while key := _KEY.match(data, gap_end(data, position)):
        yield _spelled(key[1]), key.end()
        position = value_end(data, key.end())
        if position < 0:
            return


def _spelled(key: bytes) -> str:
    """A key as it reads, whatever escapes it is written with."""
    text = key.decode("utf-8", "replace")
    if "\\" not in text:
        return text
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text


class Elements(msgspec.Struct):
    """The elements of an array, as far as it goes."""

    offsets: array[int]
    lengths: array[int]
    end: int
    """Just behind the last whole element."""
    closed: bool
    """The closing bracket is there, right behind the last whole element."""
    valid: bool
    """All of it is JSON; otherwise brackets were counted, and any element may be damaged."""

    @property
    def spans(self) -> Iterator[tuple[int, int]]:
        """Offset and length of each, in bytes."""
        return zip(self.offsets, self.lengths, strict=True)


def elements(data: bytes, start: int) -> Elements:
    """The elements of an array from `start`, which lies behind `[` or behind an element. What follows
    `end` when it is not closed is cut off or damaged."""
    # A Raw for each of millions of values that say nothing would take fifty times their room.
    commas = data.count(b",", start)
    crowded = commas > _MANY and commas > _COMMAS_OF_AN_EVENT * data.count(b'"seq', start)
    return (None if crowded else _whole(data, start)) or _piecewise(data, start)


def _whole(data: bytes, start: int) -> Elements | None:
    """The quick way: the array is valid, and nothing but white space follows."""
    first = gap_end(data, start)
    try:
        values = _raw_list(b"".join((b"[", memoryview(data)[first:])))
    except (msgspec.MsgspecError, RecursionError):
        return None
    offsets, lengths = array("q"), array("q")
    end = start
    for value in values:
        offset = gap_end(data, end)
        length = memoryview(value).nbytes
        offsets.append(offset)
        lengths.append(length)
        end = offset + length
    return Elements(offsets, lengths, end, closed=True, valid=True)


def _piecewise(data: bytes, start: int) -> Elements:
    offsets, lengths = array("q"), array("q")
    for offset, length in one_by_one(data, start):
        offsets.append(offset)
        lengths.append(length)
    end = offsets[-1] + lengths[-1] if offsets else start
    following = gap_end(data, end)
    closed = data[following : following + 1] == b"]"
    return Elements(offsets, lengths, end, closed=closed, valid=False)


def one_by_one(data: bytes, start: int) -> Iterator[tuple[int, int]]:
    """Offset and length of each element of an array from `start`, as far as it goes. Ends in front of what is
    no whole element: the closing bracket, or where it is cut off or damaged."""
    while True:
        offset = gap_end(data, start)
        start = value_end(data, offset)
        if start <= offset or data[offset : offset + 1] == b"]":
            return
        yield offset, start - offset


def gap_end(data: bytes, start: int) -> int:
    """The first byte at or behind `start` that is neither white space nor a comma."""
    return _GAP.match(data, start).end()  # type: ignore[union-attr]
