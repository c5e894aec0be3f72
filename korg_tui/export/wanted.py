"""Wanted: what is to be exported, seen as an exporter needs it, and the sink that takes the bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import BinaryIO

from korg_tui.causal import Ledger, Rewind, Session, rewind
from korg_tui.export.redaction import NoRedactor, Redactor
from korg_tui.reading import Reading
from korg_tui.sources import BlobFound
from korg_tui.text import visible
from korg_tui.views import Predicate, Read, Spine

_BLOBS_REMEMBERED = 64

Progress = Callable[[int, int], None]
"""Is told how many events are done, and of how many. What it raises ends the export."""


class ExportRefused(Exception):
    """What is asked for cannot be exported so; the text is one line: what, why, and what now."""


class Sink:
    """Takes an export as text, and counts. All text must be such that UTF-8 can hold it."""

    def __init__(self, out: BinaryIO, progress: Progress | None = None) -> None:
        self._out = out
        self._progress = progress
        self._total = 0
        self._done = 0
        self.bytes = 0
        self.events = 0
        self.left_out: list[str] = []

    def write(self, text: str) -> None:
        """Write text as UTF-8."""
        raw = text.encode("utf-8", "backslashreplace")
        self._out.write(raw)
        self.bytes += len(raw)

    def expect(self, events: int) -> None:
        """So many events are to be written."""
        self._total += events

    def step(self) -> None:
        """One more event is looked at."""
        self._done += 1
        if self._progress is not None and (self._done % 64 == 0 or self._done == self._total):
            self._progress(self._done, self._total)

    def leave_out(self, words: str) -> None:
        """Say, for a person, what the export does not hold."""
        if words not in self.left_out:
            self.left_out.append(words)


@dataclass(eq=False)
class Wanted:
    """One ledger, or one session of it, to be exported."""

    reading: Reading
    ledger: Ledger
    session: Session | None = None
    """None: the whole ledger."""
    meant: Predicate | None = None
    """Which events; None: all of them."""
    rewind: Rewind | None = None
    """The rewind whose preview goes with it."""
    blobs: bool = False
    """Whether the beginning of blobs is shown where they are named."""
    redactor: Redactor = field(default_factory=NoRedactor)

    @cached_property
    def read(self) -> Read:
        """The bytes of records, redacted where that is asked for."""
        return self.redactor.reader(self.reading.bodies(self.ledger))

    @cached_property
    def look(self) -> Callable[[str], BlobFound] | None:
        """The blob of a name, redacted where that is asked for; None where blobs are not shown."""
        if not self.blobs:
            return None
        found: dict[str, BlobFound] = {}

        def look(sha: str) -> BlobFound:
            if sha not in found:
                if len(found) >= _BLOBS_REMEMBERED:
                    found.clear()
                found[sha] = self.redactor.blob(self.reading.source.blobs.find(sha))
            return found[sha]

        return look

    def raw(self, row: int) -> bytes:
        """The bytes of a row's record, redacted where that is asked for. Raises BodyGone."""
        return self.read(self.ledger.offset[row], self.ledger.length[row])

    def safe(self, text: str) -> str:
        """Text of the ledger as one line that is harmless everywhere, redacted where that is asked for."""
        return visible(self.redactor.text(text))

    @property
    def redacts(self) -> bool:
        """Whether secrets are taken out."""
        return not isinstance(self.redactor, NoRedactor)

    @property
    def title(self) -> str:
        """The ledger's name, a safe line."""
        return self.safe(self.ledger.name)

    @cached_property
    def sessions(self) -> list[Session]:
        """The sessions that are exported."""
        return list(self.ledger.sessions) if self.session is None else [self.session]

    @cached_property
    def spine(self) -> Spine:
        """The spine of what is exported, filtered where that is asked for."""
        spine = Spine(self.ledger, None if self.session is None else self.session.index, self.read)
        if self.meant is not None:
            spine.set_filter(self.meant)
        return spine

    @property
    def all_rows(self) -> Sequence[int]:
        """The rows of the session or ledger, ascending, whatever the filter."""
        return self.spine.all_rows

    def rows(self, sink: Sink) -> Iterator[int]:
        """The rows that are exported, ascending; `sink` is told of each."""
        every = self.all_rows
        sink.expect(len(every))
        for row in every:
            sink.step()
            if self.meant is None or self.meant(self.ledger, row):
                sink.events += 1
                yield row


def session_at(ledger: Ledger, index: int | None) -> Session | None:
    """The session with this index; None, or -1, is the whole ledger. Raises `ExportRefused`."""
    if index is None or index < 0:
        return None
    if index >= len(ledger.sessions):
        raise ExportRefused(f"{visible(ledger.name)} has no such session any more; choose another")
    return ledger.sessions[index]


def preview_of(ledger: Ledger, target: int | None) -> Rewind | None:
    """The rewind to a seq, None for none. Raises `ExportRefused` when there is no such event."""
    if target is None:
        return None
    try:
        return rewind(ledger, target)
    except LookupError as missing:
        raise ExportRefused(f"no rewind preview: {missing}") from missing


