"""Runs: long runs of records that are no events, folded into one record each, so that a file full of nothing
costs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from korg_tui.event import Event, Malformed, Record
from korg_tui.formats import may_hold_event

SPARE = 1_000
"""Records that are no events, each of which is told, before runs of them are folded."""

_EARNED = 10
"""By how many of them each event makes up for others."""


class Runs:
    """Passes records on as they come, in ascending order of offset, and folds what are too many."""

    def __init__(self) -> None:
        self._spare = SPARE
        self._first: Malformed | None = None
        self._count = 0
        self._end = 0

    def passes_over(self, raw: bytes, offset: int) -> bool:
        """Whether `raw`, which is a record, can be counted without being read."""
        if self._spare > 0 or self._first is None or may_hold_event(raw):
            return False
        self._count += 1
        self._end = offset + len(raw)
        return True

    def folded(self, records: Iterable[Record]) -> Iterator[Record]:
        """These records; of those that are no events, only as many as can be spared."""
        for record in records:
            if isinstance(record, Event):
                yield from self.end()
                self._spare = min(SPARE, self._spare + _EARNED)
                yield record
            elif self._spare > 0:
                self._spare -= 1
                yield record
            else:
                self._first = self._first or record
                self._count += 1
                self._end = record.offset + record.length

    def end(self) -> Iterator[Record]:
        """What was folded and not passed on yet, as one record."""
        first, count, self._first, self._count = self._first, self._count, None, 0
        if first is None:
            return
        if count > 1:
            reason = f"{count:,} records in a row that are no events; the first: {first.reason}"
            first = Malformed(offset=first.offset, length=self._end - first.offset, reason=reason)
        yield first
