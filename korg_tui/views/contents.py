"""Contents: what a query looks for in a record and in the blobs that it names, without the ledger.

A record is read and decoded once, when a word asks for it. Nothing here touches a ledger, so that long
records and blobs can be looked at beside the screen."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from korg_tui.event import Kind
from korg_tui.formats import Body, body
from korg_tui.sources import BlobFound, BodyGone
from korg_tui.text import visible
from korg_tui.views import calls
from korg_tui.views.usage import usage_of
from korg_tui.views.words import plural, size

HUGE = 32_000_000
"""Bytes of a record that is not looked at any more: that is counted and told."""

BLOB_HEAD = 8_000_000
"""Bytes of a blob that are looked at; that there are more is counted and told."""

FindBlob = Callable[[str], BlobFound]
"""The blob of a digest. May take its time: it is asked beside the screen."""

_PIECE = 1 << 16
_COUNTED = 100_000


@dataclass(slots=True)
class Unseen:
    """What a query could not look at, or not whole, each counted once."""

    lost: set[int] = field(default_factory=set)
    huge: set[int] = field(default_factory=set)
    no_blob: set[str] = field(default_factory=set)
    cut_blob: set[str] = field(default_factory=set)

    @property
    def words(self) -> str:
        """`2 records not readable, 1 blob not found`; empty when everything was looked at."""
        told = (
            (len(self.lost), "record", "not readable"),
            (len(self.huge), "record", f"over {size(HUGE)} not looked at"),
            (len(self.no_blob), "blob", "not found"),
            (len(self.cut_blob), "blob", f"looked at in its first {size(BLOB_HEAD)}"),
        )
        return ", ".join(f"{plural(count, what)} {how}" for count, what, how in told if count)


def _note(known: set[int] | set[str], one: int | str) -> None:
    if len(known) < _COUNTED:
        known.add(one)  # type: ignore[arg-type]


class Content:
    """What a record holds: its arguments, its result, and the blobs it names. `load` gives its bytes and may
    raise BodyGone or OSError."""

    def __init__(
        self,
        tool: str,
        kind: Kind,
        failed: bool,
        place: tuple[int, int],
        digests: tuple[str, ...],
        load: Callable[[], bytes] | None,
        blobs: Blobs,
        unseen: Unseen,
    ) -> None:
        self.tool, self.kind, self.failed, self.digests = tool, kind, failed, digests
        self._offset, self.length = place
        self._load = load
        self._blobs = blobs
        self._unseen = unseen

    @cached_property
    def raw(self) -> bytes:
        """The bytes of the record; empty when they cannot be had."""
        if self._load is None:
            return b""
        if self.length > HUGE:
            _note(self._unseen.huge, self._offset)
            return b""
        try:
            return self._load()
        except (BodyGone, OSError, LookupError):
            _note(self._unseen.lost, self._offset)
            return b""

    @cached_property
    def found(self) -> Body | None:
        """The record, decoded."""
        return body(self.raw) if self.raw else None

    def says(self, needle: str) -> bool:
        """Whether arguments or result have this text, which is folded; of a governance event any field, of a
        malformed line anything."""
        if not self.raw or not may_hold(self.raw, needle):
            return False
        if self.found is None:
            return holds(self.raw.decode("utf-8", "replace"), needle)
        return any(holds(text, needle) for text in _content(self.found))

    def names_path(self, needle: str) -> bool:
        """Whether a path that the call names has this text."""
        if not self.raw or ("\\" not in needle and not may_hold(self.raw, needle)) or self.found is None:
            return False
        paths = calls.paths_named(self.tool, self.found.args)
        return any(needle in path.casefold() or needle in visible(path).casefold() for path in paths)

    def has(self, what: str) -> bool:
        """Whether the record has a `path`, `command`, `tokens`, or `error`."""
        if self.found is None:
            return False
        match what:
            case "path":
                return bool(calls.paths_named(self.tool, self.found.args))
            case "command":
                return self.tool in calls.RUNNERS and bool(calls.command(self.found.args))
            case "tokens":
                return usage_of(self.found).tokens is not None
            case _:
                return self.failed or _tells_error(self.found.result)

    def blob_says(self, needle: str) -> bool:
        """Whether the content of a blob has this text."""
        return any(self._blobs.says(digest, needle, self._unseen) for digest in self.digests)


class Blobs:
    """The blobs of one query: each is looked at once for each text."""

    def __init__(self, find: FindBlob | None) -> None:
        self._find = find
        self._known: dict[tuple[str, str], bool] = {}

    def says(self, digest: str, needle: str, unseen: Unseen) -> bool:
        """Whether the content of this blob has this text, which is folded."""
        known = self._known.get((digest, needle))
        if known is None:
            known = self._look(digest, needle, unseen)
            if len(self._known) < _COUNTED:
                self._known[digest, needle] = known
        return known

    def _look(self, digest: str, needle: str, unseen: Unseen) -> bool:
        found = None if self._find is None else self._find(digest)
        if found is None or found.state != "present":
            _note(unseen.no_blob, digest)
            return False
        head = found.read(BLOB_HEAD)
        if (found.size or 0) > len(head):
            _note(unseen.cut_blob, digest)
        return holds(head.decode("utf-8", "replace"), needle)


def _tells_error(result: object) -> bool:
    if not isinstance(result, dict):
        return False
    return bool(result.get("error")) or result.get("is_error") is True


def may_hold(raw: bytes, needle: str) -> bool:
    """A quick look that spares most records from being decoded: false only where no text of the JSON in
    `raw` can have the needle, in small letters."""
    if not needle.isascii() or not needle.isprintable() or '"' in needle or "\\" in needle:
        return True
    escaped = b"\\u" in raw or ("/" in needle and b"\\/" in raw)
    return escaped or needle.encode() in raw.lower()


def holds(text: str, needle: str) -> bool:
    """Whether a text has the needle, whatever its letters' case; piece by piece, so that no single step of a
    long text keeps the screen waiting."""
    if len(text) <= _PIECE:
        return needle in text.casefold()
    reach = _PIECE + len(needle)
    return any(needle in text[at : at + reach].casefold() for at in range(0, len(text), _PIECE))


def _content(found: Body) -> Iterator[str]:
    """What a person calls the content of a record: arguments and result, or a governance event's fields."""
    if found.args is None and found.result is None:
        event = found.record.get("event")
        yield from _texts(event if event is not None else found.record)
        return
    yield from _texts(found.args)
    yield from _texts(found.result)


def _texts(value: object) -> Iterator[str]:
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            yield from part
            stack += part.values()
        elif isinstance(part, list):
            stack += part
        elif part is not None:
            yield json.dumps(part)
