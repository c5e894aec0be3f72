"""DemoSource: a recorded session that grows while somebody watches, with no server and no set-up.

The recording lies in the package, with its blobs beside it; nothing is written anywhere.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from importlib.resources import files
from itertools import accumulate, pairwise
from pathlib import Path

from korg_tui.event import Event, Record
from korg_tui.formats import decode
from korg_tui.sources.blobs import BlobStore
from korg_tui.sources.errors import BodyGone
from korg_tui.sources.facts import CaughtUp, Fact, Grew, Opened, State

AT_ONCE = 2 / 3
"""The share of the recording that is there at the start."""

LONGEST_PAUSE = 2.0
"""Seconds; a longer pause between two recorded events is cut to this."""


class DemoSource:
    """The demo as a source. `whole` gives all of it at once; otherwise the last third comes one by one, as
    fast as it was recorded times `speed`, by `clock` (seconds, monotonic)."""

    watched: Path | None = None
    blocking = False

    def __init__(
        self, *, speed: float = 1.0, whole: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = "demo"
        self.path = Path(str(files("korg_tui.sources") / "recorded" / "session.jsonl"))
        self._clock = clock
        self._data = self.path.read_bytes()
        self._records = _records(self._data)
        at_once = len(self._records) if whole else round(len(self._records) * AT_ONCE)
        self._given = at_once
        self._due = _due(self._records[at_once - 1 :], speed)
        self._first = at_once
        self._started = 0.0
        self._ended = whole

    @property
    def poll_after(self) -> float | None:
        """When the next event is due; `None` when all has been played."""
        if self._ended:
            return None
        next_due = self._due[self._given - self._first] if self._given < len(self._records) else 0.0
        return max(0.0, self._started + next_due - self._clock())

    @cached_property
    def blobs(self) -> BlobStore:
        """The folder beside the recording."""
        return BlobStore(self.path)

    def start(self) -> Iterator[Fact]:
        """What is there at the start, in one batch."""
        self._started = self._clock()
        yield Opened("lines", (("demo", "a recorded session, played as if it were live"),))
        yield Grew(tuple(self._records[: self._given]))
        yield CaughtUp()

    def poll(self) -> list[Fact]:
        """What is due since; once, at the end, a `State` that says so."""
        if self._ended:
            return []
        now = self._first + bisect_right(self._due, self._clock() - self._started)
        facts: list[Fact] = []
        if now > self._given:
            facts.append(Grew(tuple(self._records[self._given : now])))
            self._given = now
        if now == len(self._records):
            self._ended = True
            facts.append(State("ended", "the demo has been played to its end", time.time_ns() // 1_000_000))
        return facts

    def finish(self) -> list[Record]:
        """Nothing is unfinished: every record is whole."""
        return []

    def read(self, offset: int, length: int, epoch: int | None = None) -> bytes:  # noqa: ARG002
        """The bytes of a record. Raises `BodyGone` for a place that the recording does not have."""
        if not 0 <= offset <= offset + length <= len(self._data):
            raise BodyGone("the recording has no such place")
        return self._data[offset : offset + length]

    def close(self) -> None:
        """Nothing is open."""


def _records(data: bytes) -> list[Record]:
    records, offset = [], 0
    for line in data.splitlines(keepends=True):
        records.append(decode(line.rstrip(b"\n"), offset))
        offset += len(line)
    return records


def _due(records: list[Record], speed: float) -> list[float]:
    """When each record after the first is due, in seconds after the start."""
    times = [record.time_ms or 0 for record in records if isinstance(record, Event)]
    pauses = (min(max(late - early, 0) / 1000, LONGEST_PAUSE) / speed for early, late in pairwise(times))
    return list(accumulate(pauses))
