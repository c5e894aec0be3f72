"""Whole events lifted out of damaged bytes: a fragment with the next event glued on, an array with a hole."""

from __future__ import annotations

from collections.abc import Iterator

from korg_tui.event import DEFAULT_KINDS, Event, KindTable, Malformed, Record
from korg_tui.formats.korg import decode, may_hold_event
from korg_tui.formats.scan import EVENT_START, gap_end, value_end

_SCANNED_AT_LEAST = 1_000_000
_SCANNED_TIMES = 8
"""How many times over a damaged span is looked at, at most: hostile bytes cost bounded time."""
_WORTHLESS = b" \t\r\n,]}"


def records_of_line(line: bytes, offset: int, kinds: KindTable = DEFAULT_KINDS) -> list[Record]:
    """What one line holds, without its line feed: nothing when it is blank or a `//` comment, one record,
    or, when writers collided, several events and the fragments between them. `offset` is where it begins."""
    raw = line.strip(b" \t\r")
    if not raw or raw.startswith(b"//"):
        return []
    if len(raw) != len(line):
        offset += line.index(raw[:1])
    record = decode(raw, offset, kinds)
    if isinstance(record, Event) or raw.count(b"{") < 2 or not may_hold_event(raw):
        return [record]
    pieces = recover(raw, 0, offset, kinds)
    # Without an event in it, the line is one record, to its last bracket: it may only nest too deep.
    return pieces if any(isinstance(piece, Event) for piece in pieces) else [record]


def recover(data: bytes, start: int, base: int, kinds: KindTable = DEFAULT_KINDS) -> list[Record]:
    """The records of a damaged span, `data` from `start` on; `base` is the offset of `data` in the source.

    Whole events become `Event`, what lies between them `Malformed`."""
    return list(_pieces(data, start, base, kinds))


def _pieces(data: bytes, start: int, base: int, kinds: KindTable) -> Iterator[Record]:
    budget = [_SCANNED_AT_LEAST + _SCANNED_TIMES * len(data)]
    position = gap_end(data, start)
    while position < len(data):
        event = _next_event(data, position, base, kinds, budget)
        begin = len(data) if event is None else event.offset - base
        fragment = data[position:begin].rstrip(_WORTHLESS if event is None else b" \t\r\n,")
        if fragment and not fragment.startswith(b"//"):
            yield _fragment(fragment, base + position, event, kinds)
        if event is None:
            return
        yield event
        position = gap_end(data, begin + event.length)


def _fragment(raw: bytes, offset: int, event: Event | None, kinds: KindTable) -> Record:
    if event is None:
        return decode(raw, offset, kinds)
    reason = f"an unfinished record of {len(raw)} bytes; event {event.seq} follows on the same line"
    return Malformed(offset=offset, length=len(raw), reason=reason)


def _next_event(data: bytes, start: int, base: int, kinds: KindTable, budget: list[int]) -> Event | None:
    """The first whole event at or behind `start` that is not a member of something else."""
    for begin in _beginnings(data, start):
        if budget[0] <= 0:
            return None
        end = value_end(data, begin)
        budget[0] -= (end if end > 0 else len(data)) - begin
        if end < 0 or (begin != start and not _stands_alone(data, end)):
            continue
        record = decode(data[begin:end], base + begin, kinds)
        if isinstance(record, Event):
            return record
    return None


def _beginnings(data: bytes, start: int) -> Iterator[int]:
    if data[start : start + 1] == b"{":
        yield start
    for found in EVENT_START.finditer(data, start + 1):
        yield found.start()


def _stands_alone(data: bytes, end: int) -> bool:
    """Whether what ends at `end` is followed by another record or by nothing: a member of an object would be
    followed by a comma and a key, or by the object's own end."""
    following = gap_end(data, end)
    return data[following : following + 1] in (b"", b"{", b"]")
