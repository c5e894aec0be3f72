"""Answers of a ledger server, taken apart: the window, the whole ledger, and what our own server says in its
header (LEDGERS.md, Containers and HTTP)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote

import msgspec

from korg_tui.event import Malformed, Record
from korg_tui.formats import (
    BYTE_ORDER_MARK,
    Unreadable,
    canonical,
    decode,
    digest,
    loads,
    may_hold_event,
    members,
    one_by_one,
    value_end,
)

WINDOW = 100
"""Events that a server gives at once."""

MOST_LINES = 20_000
"""Lines of a window or a page, at most; both are much smaller."""

MOST_RECORDS = 1_000_000
"""Records of a whole ledger, at most."""

WORTHLESS = 100
"""Records of an answer that are no events, each of which is told."""

PATH = "/api/journal"

HEADER = "korg-tui-journal"
"""The header by which our own server says what its store has."""

_TOTAL = re.compile(rb"\s*//[ \t]*total events:[ \t]*(\d{1,18})[ \t]*(?:\r?\n|$)")
_INT64 = range(-(2**63), 2**63)
_LONGEST_TROUBLE = 200


class NoWireForm(ValueError):
    """An answer that makes no sense; the text says why, in words for a person."""


class NoJournal(NoWireForm):
    """An answer that does not even begin like a journal."""


class Taken(msgspec.Struct, frozen=True):
    """One record of an answer. `seq` is None where it has none that can be read; `digest` stands for its
    content, whatever white space and order of keys it came in."""

    seq: int | None
    digest: int
    record: Record
    """Decoded, at offset 0."""
    raw: bytes
    after: int = 0
    """The seq that a record without one came after."""

    def at(self, offset: int) -> Record:
        """The record where it lies now."""
        return msgspec.structs.replace(self.record, offset=offset)


class Window(msgspec.Struct, frozen=True):
    """What `/api/journal` answers: how many events the whole ledger has, and the last of them."""

    total: int
    taken: tuple[Taken, ...]


class Mark(msgspec.Struct, frozen=True):
    """What our own server says of its store with every answer."""

    store: str
    generation: int
    total: int
    last: int
    """seq of the last event, 0 when there is none."""
    tip: int
    """`Event.digest` of the last event."""
    trouble: str = ""
    """Why it cannot write, in words of its own; empty when it can."""


def journal(body: bytes) -> Window:
    """The wire form: a line with the total, then one event a line. Raises `NoWireForm`."""
    window = _window(body)
    if window.total and not window.taken:
        raise NoWireForm(f"it says that there are {window.total} events and gives none")
    return window


def page(body: bytes) -> tuple[Taken, ...]:
    """The events of a part of the journal, of which there may be none. Raises `NoWireForm`."""
    return _window(body).taken


def _window(body: bytes) -> Window:
    body = body.removeprefix(BYTE_ORDER_MARK)
    total = _TOTAL.match(body)
    if total is None:
        if not body.strip():
            raise NoWireForm("the answer is empty")
        raise NoJournal(_appearance(body))
    if body.count(b"\n") > MOST_LINES:
        raise NoWireForm(f"it gives more than {MOST_LINES:,} lines at once")
    window = Window(int(total[1]), tuple(_unique(_worth_it(_lines(body[total.end() :]), _line))))
    if len(window.taken) > window.total:
        raise NoWireForm(f"it says that there are {window.total} events and gives {len(window.taken)}")
    return window


def capabilities(body: bytes) -> tuple[Taken, ...]:
    """The events of the whole ledger, from an object that has them under `events`. Of records that are no
    events, 100 are taken, and the rest as one. Raises `NoWireForm`."""
    events = _events(body)
    # Each of a few million values that say nothing would take fifty times its room.
    few = events.count(b",") < MOST_RECORDS
    try:
        raws: Iterable[bytes] = map(bytes, _raws(events)) if few else _one_by_one(events)
    except (msgspec.MsgspecError, RecursionError):
        raws = _one_by_one(events)
    return tuple(_unique(_worth_it(raws, taken)))


def _worth_it(raws: Iterable[bytes], read: Callable[[bytes], Taken]) -> Iterator[Taken]:
    """The records of an answer; of those that are no events, not too many."""
    told = more = 0
    last = b""
    for raw in raws:
        if may_hold_event(raw):
            yield read(raw)
        elif told < WORTHLESS:
            told += 1
            yield read(raw)
        else:
            more, last = more + 1, raw
    if more:
        why = f"and {more:,} more records that are no events"
        yield Taken(None, digest(why, b""), Malformed(offset=0, length=len(last), reason=why), last)


def mark(header: str | None) -> Mark | None:
    """What the header says; None without one, or when it does not say all of it."""
    pairs = dict(part.strip().split("=", 1) for part in (header or "").split(";") if "=" in part)
    try:
        generation, total, last = (int(pairs[name]) for name in ("generation", "total", "last"))
        trouble = unquote(pairs.get("trouble", ""))[:_LONGEST_TROUBLE]
        return Mark(pairs["store"], generation, total, last, digest(pairs["tip"], b""), trouble)
    except (KeyError, ValueError):
        return None


def taken(raw: bytes) -> Taken:
    """One record. What this program fails on is a malformed record that says so."""
    try:
        record = decode(raw, 0)
    except Exception as fault:
        why = f"this program failed on this event ({type(fault).__name__}: {fault})"
        record = Malformed(offset=0, length=len(raw), reason=why)
    if isinstance(record, Malformed):
        return Taken(_seq(raw), digest(None, raw), record, raw)
    if record.digest == digest(None, raw):
        record = msgspec.structs.replace(record, digest=digest(None, _canonical(raw)))
    return Taken(record.seq, record.digest, record, raw)


def chained_to(raw: bytes) -> int | None:
    """The digest of the event before this one, as its `prev_hash` names it; None when it names none."""
    try:
        record = loads(raw)
    except Unreadable:
        return None
    before = record.get("prev_hash") if isinstance(record, dict) else None
    return digest(before, b"") if isinstance(before, str) and before else None


class _Capabilities(msgspec.Struct):
    events: msgspec.Raw


_capabilities = msgspec.json.Decoder(_Capabilities).decode
_raws = msgspec.json.Decoder(list[msgspec.Raw]).decode


def _events(body: bytes) -> bytes:
    """The list under `events`, undecoded."""
    try:
        found = bytes(_capabilities(body).events)
    except (msgspec.MsgspecError, RecursionError):
        found = _patiently(body)
    if not found.startswith(b"["):
        raise NoWireForm("it names no events")
    return found


def _patiently(body: bytes) -> bytes:
    body = body.strip()
    if body.startswith(b"{"):
        for name, position in members(body, 0):
            if name == "events":
                return body[position : max(position, value_end(body, position))]
    raise NoWireForm("it names no events")


def _one_by_one(events: bytes) -> Iterator[bytes]:
    """The elements of a list that may be larger than memory would hold, or that only patient parsers take."""
    count, end = 0, 1
    for offset, length in one_by_one(events, 1):
        count, end = count + 1, offset + length
        if count > MOST_RECORDS:
            raise NoWireForm(f"it gives more than {MOST_RECORDS:,} records")
        yield events[offset:end]
    if events[end:].strip() != b"]":
        raise NoWireForm("its events are cut off or damaged")


def _lines(body: bytes) -> list[bytes]:
    lines = (line.strip(b" \t\r") for line in body.split(b"\n"))
    return [line for line in lines if line and not line.startswith(b"//")]


def _line(raw: bytes) -> Taken:
    found = taken(raw)
    if isinstance(found.record, Malformed) and found.seq is None:
        try:
            loads(raw)
        except Unreadable as error:
            raise NoWireForm(f"one of its lines is cut off or damaged: {error}") from None
    return found


def _unique(found: Iterable[Taken]) -> list[Taken]:
    """The records in ascending order of seq, each seq once; one that comes again with other content is
    malformed. Records without a seq stay behind the one they came after."""
    placed: list[tuple[int, Taken]] = []
    seen: set[int] = set()
    after = 0
    for each in found:
        if each.seq is None or each.seq in seen:
            placed.append((after, _without_seq(each, after)))
        else:
            after = each.seq
            seen.add(after)
            placed.append((after, each))
    placed.sort(key=lambda pair: pair[0])
    return [each for _, each in placed]


def _without_seq(found: Taken, after: int) -> Taken:
    if found.seq is None:
        return msgspec.structs.replace(found, after=after)
    why = f"the server gave seq {found.seq} twice in one answer"
    record = Malformed(offset=0, length=len(found.raw), reason=why)
    return Taken(None, found.digest, record, found.raw, after)


def _seq(raw: bytes) -> int | None:
    try:
        record = loads(raw)
    except Unreadable:
        return None
    seq = record.get("seq_id", record.get("seq")) if isinstance(record, dict) else None
    return seq if type(seq) is int and seq in _INT64 else None


def _canonical(raw: bytes) -> bytes:
    try:
        return canonical(loads(raw))
    except (Unreadable, ValueError, TypeError):
        return raw


def _appearance(body: bytes) -> str:
    head = body[:512].lstrip().lower()
    if head.startswith((b"<!doctype", b"<html", b"<?xml")):
        return "the answer is a web page"
    return "the answer does not begin with the number of events"
