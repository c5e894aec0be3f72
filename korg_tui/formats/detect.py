"""Which container holds the records, by content and never by name (LEDGERS.md, Detection)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from korg_tui.event import Event
from korg_tui.formats.korg import decode, may_hold_event
from korg_tui.formats.parse import Unreadable, loads
from korg_tui.formats.recover import records_of_line
from korg_tui.formats.scan import EVENT_START, gap_end, members, value_end

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
HEAD = 1 << 20
"""Bytes that are enough to tell a ledger, unless one record is longer."""

_TOTAL = re.compile(rb"//\s*total events:\s*(\d{1,18})\s*$", re.MULTILINE)
_LIKE_AN_EVENT = re.compile(rb'"(?:seq_id|tool_name|source_agent|event_type|entry_hash)"\s*:')
_LIKE_AN_ANCHOR = re.compile(rb'"anchor_(?:kind|proof)"\s*:')
_OF_ANCHORS = frozenset({"anchor_kind", "anchor_proof", "anchored_at"})
_OF_EVENTS = frozenset({"tool_name", "source_agent", "event_type", "event", "metadata", "args"})
_CLAIMS = frozenset(
    {"schema", "claim", "issuer", "issued_at", "generated_at", "event_count", "tip", "signature", "seal"}
)


class Container(msgspec.Struct, frozen=True):
    """What the bytes hold: `lines`, `array`, `wrapper`, `wire` or `empty`, and where records begin."""

    kind: str
    start: int = 0
    """Bytes before the first line, or up to and with the array's opening bracket."""
    notes: tuple[tuple[str, str], ...] = ()
    around: tuple[tuple[int, int], ...] = ()
    """Offset and length of what stands before and behind the events of a wrapper. Put together it is one JSON
    object, in which `events` is an empty array."""
    passed: tuple[tuple[int, int], ...] = ()
    """Offset and length of values that a wrapper has for `events`, too, and that do not count."""

    @property
    def appended(self) -> bool:
        """Writers add lines at the end; otherwise they write the whole file again."""
        return self.kind in ("lines", "wire", "empty")


class NotALedger(ValueError):
    """The bytes hold no Korg event and do not begin one; the text says what they look like."""


def detect(data: bytes, *, whole: bool = True) -> Container:
    """The container that `data` is, or begins to be when it is not the `whole`. Raises `NotALedger`."""
    mark = len(BYTE_ORDER_MARK) if data.startswith(BYTE_ORDER_MARK) else 0
    notes = (("byte-order mark", "present, skipped"),) if mark else ()
    first = _first_byte(data, mark)
    if first < 0:
        return Container("empty", mark, notes)
    if data[first : first + 1] == b"[" and _array_of_events(data, first + 1, whole):
        return Container("array", first + 1, notes)
    wrapper = _wrapper(data, first, whole)
    if wrapper is not None:
        return msgspec.structs.replace(wrapper, notes=notes + wrapper.notes)
    if not _lines_of_events(data, mark, whole):
        raise NotALedger(_appearance(data, first))
    total = _TOTAL.match(data, first)
    if total:
        return Container("wire", mark, (*notes, ("total", total[1].decode())))
    return Container("lines", mark, notes)


def enclosed(container: Container, data: bytes, end: int) -> Container:
    """The container with what stands around its events, when it is a wrapper; `data` is all of it, and `end`
    is just behind the last event. When an array of events follows that counts in the place of this one, it
    `start`s there, and is to be enclosed again."""
    if container.kind != "wrapper":
        return container
    notes = dict(container.notes)
    passed = list(_events_before(data, container.start))
    for name, position in members(data, gap_end(data, end)):
        if name == "events" and data[position : position + 1] == b"[":
            return msgspec.structs.replace(container, start=position + 1)
        if name == "events":
            passed.append((position, max(1, value_end(data, position) - position)))
        if name in _CLAIMS:
            notes[name] = _plain(data, position)
    if passed:
        notes["events"] = f"the key stands {len(passed) + 1} times: only one array of events is read"
    return msgspec.structs.replace(
        container,
        notes=tuple(notes.items()),
        around=((0, container.start), (end, len(data) - end)),
        passed=tuple(passed),
    )


def behind(container: Container, data: bytes, end: int) -> int:
    """Where bytes begin that stand behind the end of an array or a wrapper, of which `end` is just behind the
    last event; -1 when there are none, or the end is not there."""
    end = gap_end(data, end)
    if data[end : end + 1] != b"]":
        return -1
    position = end + 1
    if container.kind == "wrapper":
        for _, value in members(data, end):
            position = value_end(data, value)
            if position < 0:  # cut off; unless it only looks so, to hide events
                return value if EVENT_START.search(data, value) else -1
        position = gap_end(data, position)
        position += data[position : position + 1] == b"}"
    return _first_byte(data, position)


def _events_before(data: bytes, start: int) -> Iterator[tuple[int, int]]:
    """The values for `events` in a wrapper in front of those from `start` on."""
    for name, position in members(data, data.find(b"{")):
        if position >= start - 1:
            return
        if name == "events":
            yield position, value_end(data, position) - position


def is_ledger(head: bytes, *, whole: bool = False) -> bool:
    """Whether bytes from the beginning of a file belong to a ledger; 0 bytes do."""
    try:
        detect(head, whole=whole)
    except NotALedger:
        return False
    return True


def _first_byte(data: bytes, start: int) -> int:
    for position in range(start, len(data)):
        if data[position] not in b" \t\r\n":
            return position
    return -1


def _array_of_events(data: bytes, start: int, whole: bool) -> bool:
    """An empty array, or one with an event among its first elements (all of them when it is `whole`)."""
    position, judged = start, 0
    while True:
        position = _first_byte(data, position)
        if position < 0:
            return judged == 0
        if data[position] in b"]":
            return judged == 0
        if data[position] in b",":
            position += 1
            continue
        end = value_end(data, position)
        if end < 0:
            like_an_event = _LIKE_AN_EVENT.search(data, position) and not _is_an_anchor(data, position)
            return bool(like_an_event) or (not whole and judged == 0)
        raw = data[position:end]
        if may_hold_event(raw) and isinstance(decode(raw, position), Event):
            return True
        judged += 1
        position = end


def _wrapper(data: bytes, first: int, whole: bool) -> Container | None:
    """One object that has `events`. A line that has `events` beside a seq is an event."""
    if data[first : first + 1] != b"{":
        return None
    claims: list[tuple[str, str]] = []
    start = -1
    for name, position in members(data, first):
        if name in ("seq_id", "seq", "tool_name"):
            return None
        if name == "events" and data[position : position + 1] == b"[":
            start = position + 1
        elif name in _CLAIMS:
            claims.append((name, _plain(data, position)))
    if start < 0 or not _array_of_events(data, start, whole):
        return None
    return Container("wrapper", start, tuple(claims))


def _plain(data: bytes, position: int) -> str:
    """A small value as text for a note: strings as they are, objects member by member."""
    end = value_end(data, position)
    try:
        value: Any = loads(data[position:end])
    except Unreadable:
        return ""
    if isinstance(value, dict):
        return ", ".join(f"{name} {found}" for name, found in value.items())[:500]
    return str(value)[:500]


def _lines_of_events(data: bytes, start: int, whole: bool) -> bool:
    """Lines that begin like records, with an event among them or the beginning of one; or lines of another
    kind that are events for the greater part (a README that quotes one is no ledger). Comments alone are an
    empty wire form."""
    position, events, others, anchors = start, 0, 0, False
    while position < len(data):
        feed = data.find(b"\n", position)
        line = data[position : feed if feed >= 0 else len(data)]
        text = line.strip(b" \t\r")
        if text and not text.startswith(b"//"):
            anchors = anchors or _is_an_anchor(text, 0)
            begins_one = not anchors and EVENT_START.match(text)
            if feed < 0 and begins_one and (not whole or _LIKE_AN_EVENT.search(text)):
                return True
            found = may_hold_event(line) and any(
                isinstance(record, Event) for record in records_of_line(line, position)
            )
            events, others = events + found, others + (not found)
            if events and data[_first_byte(data, start)] in b"{/":
                return True
        position += len(line) + 1
    if events or others:
        return events >= others
    return bool(_TOTAL.match(data, _first_byte(data, start)))


def _is_an_anchor(data: bytes, start: int) -> bool:
    """Whether the object that begins at `start`, cut off or not, says what the hash of an event was: such
    objects name a seq, too, but are no events (`anchors.jsonl`, beside a ledger)."""
    if data[start : start + 1] != b"{" or not _LIKE_AN_ANCHOR.search(data, start):
        return False
    names = {name for name, _ in members(data, start)}
    return not _OF_ANCHORS.isdisjoint(names) and _OF_EVENTS.isdisjoint(names)


def _appearance(data: bytes, first: int) -> str:
    if b"\0" in data[:8192]:
        return "it is binary"
    if _is_an_anchor(data, first):
        return "it is JSON without a Korg event: anchors of the ledger beside it"
    if data[first : first + 1] in (b"{", b"["):
        return "it is JSON without a Korg event"
    return "it is text without a Korg event"
