"""Where JSON values begin and end in bytes that may be cut off, damaged, or glued together.

Nothing here judges values: brackets and strings are counted, so that whole records can be lifted out of
a container that no parser accepts any more (LEDGERS.md, Containers: torn lines, cut-off arrays)."""

from __future__ import annotations

import re
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


def members(data: bytes, start: int) -> Iterator[tuple[str, int]]:
    """The members of the object that begins at `start`: name, and where the value begins. Ends where the
    object ends or is cut off."""
    position = start + 1
    while key := _KEY.match(data, gap_end(data, position)):
        yield key[1].decode("utf-8", "replace"), key.end()
        position = value_end(data, key.end())
        if position < 0:
            return


class Elements(msgspec.Struct):
    """The elements of an array, as far as it goes. `spans` are `(offset, length)` in bytes."""

    spans: list[tuple[int, int]]
    end: int
    """Just behind the last whole element."""
    closed: bool
    """The closing bracket is there, right behind the last whole element."""
    valid: bool
    """All of it is JSON; otherwise brackets were counted, and any element may be damaged."""


def elements(data: bytes, start: int) -> Elements:
    """The elements of an array from `start`, which lies behind `[` or behind an element. What follows
    `end` when it is not closed is cut off or damaged."""
    return _whole(data, start) or _piecewise(data, start)


def _whole(data: bytes, start: int) -> Elements | None:
    """The quick way: the array is valid, and nothing but white space follows."""
    first = gap_end(data, start)
    try:
        values = _raw_list(b"".join((b"[", memoryview(data)[first:])))
    except (msgspec.MsgspecError, RecursionError):
        return None
    spans = []
    end = start
    for value in values:
        offset = gap_end(data, end)
        length = memoryview(value).nbytes
        spans.append((offset, length))
        end = offset + length
    return Elements(spans, end, closed=True, valid=True)


def _piecewise(data: bytes, start: int) -> Elements:
    found = Elements([], start, closed=False, valid=False)
    while True:
        offset = gap_end(data, found.end)
        if data[offset : offset + 1] == b"]":
            found.closed = True
            return found
        end = value_end(data, offset)
        if end <= offset:
            return found
        found.spans.append((offset, end - offset))
        found.end = end


def gap_end(data: bytes, start: int) -> int:
    """The first byte at or behind `start` that is neither white space nor a comma."""
    return _GAP.match(data, start).end()  # type: ignore[union-attr]
