"""Opening a store: what its file holds, what a crash left at its end, and whether it is ours at all."""

from __future__ import annotations

import json
import os
import re
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec

from korg_tui.formats import Unreadable, loads
from korg_tui.recorder.store.envelope import RECORDER, ZEROS, Clock, entry_hash_of
from korg_tui.recorder.store.index import Index
from korg_tui.sources import SourceError

_OPENING = b'{"schema_version":"1.0","seq_id":1,"metadata":{"event_id":"'


_Count = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]
_HASH = re.compile(r"[0-9a-f]{64}")
_STORE = re.compile(r"[0-9a-f]{32}")
_GENERATION = re.compile(r"[1-9][0-9]{0,14}")


class _Emitted(msgspec.Struct):
    physical: _Count
    logical: _Count


class _Metadata(msgspec.Struct):
    event_id: uuid.UUID
    emitted_at: _Emitted
    tags: dict[str, Any]
    triggered_by: int | None = None


class _Line(msgspec.Struct):
    seq_id: int
    metadata: _Metadata
    prev_hash: str
    entry_hash: str


_decode = msgspec.json.Decoder(_Line).decode


@dataclass(slots=True)
class Found:
    """What the file of a store holds: an unbroken chain of events, and behind it what a crash left."""

    index: Index = field(default_factory=Index)
    tip: str = ZEROS
    """`entry_hash` of the last event."""
    store: str = field(default_factory=lambda: uuid.uuid4().hex)
    generation: int = 1
    clock: Clock = field(default_factory=Clock)
    torn: int = 0
    """Bytes behind the last event that belong to none."""
    unended: bool = False
    """The last event is whole, but for its line feed."""


def look_through(number: int, path: Path) -> Found:
    """Read the whole file. What was acknowledged is a whole line, so only the end can be torn. Raises
    `SourceError` for a file that this recorder did not begin, or that somebody else has written to."""
    found = Found()
    last = b""
    with os.fdopen(os.dup(number), "rb") as file:
        file.seek(0)
        for line in file:
            if _add(found, line):
                last = line
                continue
            rest = b"".join((line, *file))
            if not _is_torn(rest, found.index.total):
                raise _not_ours(path, found.index.total)
            found.torn = len(rest)
    # Those before it are named by the ones behind them; nothing but itself speaks for the last one.
    if last and not _is_its_hash(last, found.tip):
        raise _not_ours(path, found.index.total - 1)
    return found


def _add(found: Found, line: bytes) -> bool:
    """Take in a line when it is the next event of the chain."""
    ended = line.endswith(b"\n")
    event = _event(line)
    if event is None or event.metadata.tags.get("recorder") != RECORDER:
        return False
    if event.seq_id != found.index.total + 1 or event.prev_hash != found.tip:
        return False
    parent = event.metadata.triggered_by
    if parent is not None and not 0 < parent < event.seq_id:
        return False
    if not _HASH.fullmatch(event.entry_hash) or not (ended or _is_its_hash(line, event.entry_hash)):
        return False
    if not _settle(found, event):
        return False
    found.index.add(len(line) + (not ended), event.metadata.event_id, parent)
    found.tip = event.entry_hash
    found.unended = not ended
    return True


def _is_its_hash(line: bytes, entry_hash: str) -> bool:
    try:
        return entry_hash_of(loads(line)) == entry_hash
    except (Unreadable, ValueError, RecursionError):
        return False


def _settle(found: Found, event: _Line) -> bool:
    """Take over what the event says of the store: the last one says it."""
    tags, emitted = event.metadata.tags, event.metadata.emitted_at
    store, generation = tags.get("store"), tags.get("generation")
    if not isinstance(store, str) or not isinstance(generation, str):
        return False
    if not _STORE.fullmatch(store) or not _GENERATION.fullmatch(generation):
        return False
    found.store, found.generation = store, int(generation)
    found.clock.physical, found.clock.logical = emitted.physical, emitted.logical
    return True


def _event(line: bytes) -> _Line | None:
    try:
        return _decode(line)
    except (msgspec.MsgspecError, RecursionError):
        pass
    try:
        return msgspec.convert(loads(line), _Line)
    except (Unreadable, msgspec.MsgspecError, RecursionError):
        return None


def _is_torn(rest: bytes, total: int) -> bool:
    """Whether bytes can be what a crash left of our own writing: no line of them is JSON; and when nothing
    stands before them, they begin as our first event begins."""
    if total == 0 and not (rest.startswith(_OPENING) or _OPENING.startswith(rest)):
        return False
    return not any(map(_is_json, rest.split(b"\n")))


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    except RecursionError:
        pass  # it may be, and it is none of ours
    return True


def _not_ours(path: Path, total: int) -> SourceError:
    if total == 0:
        text = "it was not begun by korg-tui serve; move it away, or give another folder with --store"
    else:
        text = (
            f"somebody else has written to it, behind event {total}; move it away, or give another folder "
            "with --store"
        )
    return SourceError(f"{path}: {text}")
