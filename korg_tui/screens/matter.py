"""Matter: what the reader shows - a blob, or one value of an event - found, opened, and verified.

`load` may take long for what lies on a server, and for a value of a long record: it is called in a thread.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from korg_tui.causal import Ledger
from korg_tui.formats import Body, body
from korg_tui.reading import Reading
from korg_tui.sources import BlobFound, Blobs, BodyGone, Content, FileContent, MemoryContent, open_blob
from korg_tui.sources import chunks as all_of
from korg_tui.text import visible
from korg_tui.views import HUGE, judged, label, paths_named, size, state_words

LONG_RECORD = 1_000_000
"""Bytes of a record that is decoded beside the screen."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was found. Without `content` there is nothing to show but `state`."""

    state: str
    """In a few words."""
    text: str
    """In one line: where, why, how much."""
    content: Content | None = None
    path: str = ""
    """The file that it comes from or goes to, as far as an event says."""
    bad: bool = False
    """Whether something is wrong with it."""
    asks: bool = False
    """Whether a person must ask for (more of) it."""
    verify: bool = False
    """Whether the digest of the content is still to be verified."""


class Matter(Protocol):
    """What the reader shows."""

    title: str
    """Which one, safe: `blob 0123456789ab`, `result.stdout`."""
    name: str
    """What is copied of it, safe."""

    @property
    def slow(self) -> bool:
        """Whether loading may take longer than a key waits."""

    @property
    def coming(self) -> tuple[int, int]:
        """Bytes that have come by now, and that will come; 0: not known."""

    def load(self, *, whole: bool = False) -> Loaded:
        """Find and open it; `whole`: also when that takes long. Raises nothing."""


class BlobMatter:
    """One blob; `declared` is its size as the event says, `path` what the event says it belongs to."""

    def __init__(self, digest: str, blobs: Blobs, declared: int | None = None, path: str = "") -> None:
        self.title = f"blob {visible(digest, 16)}"
        self.name = visible(digest)
        self.declared = declared
        self._digest = digest
        self._blobs = blobs
        self._path = path

    @property
    def slow(self) -> bool:
        return self._blobs.remote

    @property
    def coming(self) -> tuple[int, int]:
        come: tuple[int, int] = getattr(self._blobs, "coming", (0, 0))
        return come

    def load(self, *, whole: bool = False) -> Loaded:
        if self._blobs.remote:
            return self._loaded(self._blobs.find(self._digest, whole=whole))
        glance: Callable[[str], BlobFound] = getattr(self._blobs, "glance", self._blobs.find)
        return self._loaded(glance(self._digest), whole=whole)

    def _loaded(self, found: BlobFound, *, whole: bool = False) -> Loaded:
        found = judged(found, self.declared)
        if found.content is not None:
            return self._of(found, MemoryContent(found.content))
        asks = found.state == "not fetched"
        if found.path is None or found.state in ("missing", "unreadable", "not a blob name"):
            return Loaded(state_words(found), found.text, bad=not asks, asks=asks)
        try:
            content = FileContent(open_blob(found.path))
        except OSError:
            return Loaded("unreadable", f"unreadable: {found.path} cannot be opened any more", bad=True)
        if found.state == "verifying" or (found.state == "too big" and whole):
            return self._of(found, content, verify=True)
        return self._of(found, content)

    def _of(self, found: BlobFound, content: Content, *, verify: bool = False) -> Loaded:
        words = "verifying" if verify else state_words(found)
        bad = found.state in ("wrong", "wrong size")
        asks = found.state == "too big" and not verify
        return Loaded(words, found.text, content, self._path, bad, asks, verify)

    def verified(self, digest: str, count: int) -> tuple[str, bool]:
        """The state in words once its digest is known, and whether that is bad."""
        state = "present" if digest == self._digest else "wrong"
        found = judged(BlobFound(self._digest, state, state, size=count), self.declared)
        return state_words(found), found.state != "present"


class ValueMatter:
    """One value of an event, by its JSON pointer into its args, result and payload_refs."""

    coming = (0, 0)

    def __init__(self, reading: Reading, ledger: Ledger, row: int, pointer: str) -> None:
        self.title = visible(pointer.removeprefix("/").replace("/", "."), 60) or "event"
        self.name = self.title
        self._reading, self._ledger, self._row, self._pointer = reading, ledger, row, pointer
        self._read = reading.bodies(ledger)
        self._place = ledger.offset[row], ledger.length[row]
        self._tool = ledger.tool_at(row)

    @property
    def slow(self) -> bool:
        return self._place[1] > LONG_RECORD

    def load(self, *, whole: bool = False) -> Loaded:
        del whole
        offset, length = self._place
        if length > HUGE:
            words = f"the record has {size(length)}: its raw bytes are shown"
            return self._raw(words, offset, length)
        try:
            found = body(self._read(offset, length))
        except (BodyGone, OSError) as gone:
            return Loaded("unreadable", f"unreadable: {visible(str(gone), 400)}", bad=True)
        if self._pointer == "/raw" or found is None:
            return self._raw("", offset, length)
        value, there = at_pointer(found, self._pointer)
        if not there:
            return Loaded("not there", "this event has no such value any more", bad=True)
        paths = paths_named(self._tool, found.args)
        path = paths[0] if isinstance(value, str) and len(paths) == 1 else ""
        return Loaded("", "", MemoryContent(_as_bytes(value)), path)

    def _raw(self, words: str, offset: int, length: int) -> Loaded:
        try:
            return Loaded(words, words, MemoryContent(self._read(offset, length)))
        except (BodyGone, OSError) as gone:
            return Loaded("unreadable", f"unreadable: {visible(str(gone), 400)}", bad=True)


def _as_bytes(value: object) -> bytes:
    """A value as UTF-8; lone surrogates become question marks in the end."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace")


def at_pointer(found: Body, pointer: str) -> tuple[object, bool]:
    """The value at a JSON pointer (RFC 6901), and whether it is there."""
    value: object = {"args": found.args, "result": found.result, "payload_refs": found.payload_refs}
    event = found.record.get("event", found.record)
    if isinstance(event, dict):
        value = {**event, **value}  # type: ignore[dict-item]
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isascii() and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None, False
    return value, True


def digest_of(content: Content, progress: Callable[[int], bool]) -> str:
    """The digest of content; empty when `progress`, which is told of every piece, says no."""
    found, done = hashlib.sha256(), 0
    for part in all_of(content):
        found.update(part)
        done += len(part)
        if not progress(done):
            return ""
    return found.hexdigest()


def where(ledger: Ledger, row: int) -> str:
    """The event in words: `17 Bash`."""
    seq = ledger.seq_at(row)
    return f"{label(ledger, seq)} {visible(ledger.tool_at(row), 40)}" if seq is not None else "row"

