"""Arrivals: what the feeds have brought and the screen has not taken in yet."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from korg_tui.reading import Reading
from korg_tui.sources import Fact, Filled, Grew, Replaced, Source

ROOM = 64
"""What may wait for the screen; a feed that is further ahead waits itself."""

_RECORDS = 128
"""Records that take as much room as a fact without any."""

Arrival = tuple[Reading, Fact] | Source
"""A fact for a reading, or a source that was found in a folder."""


class Arrivals:
    """A queue from the threads of the feeds to that of the screen.

    `arrived` is called, in whatever thread, when something arrives that nobody was told of yet."""

    def __init__(self, arrived: Callable[[], object]) -> None:
        self._arrived = arrived
        self._condition = threading.Condition()
        self._waiting: deque[Arrival] = deque()
        self._taken_up = 0
        self._told = False
        self._closed = False
        self._home = threading.get_ident()

    def post(self, reading: Reading, fact: Fact) -> None:
        """Called by a feed: waits while the screen is behind, unless it is called by the screen itself."""
        with self._condition:
            if threading.get_ident() != self._home:
                self._condition.wait_for(lambda: self._closed or self._taken_up < ROOM)
            self._put((reading, fact), _size(fact))

    def found(self, source: Source) -> None:
        """A source was found in a folder."""
        with self._condition:
            self._put(source, 0)

    def _put(self, arrival: Arrival, size: int) -> None:
        if self._closed:
            return
        self._waiting.append(arrival)
        self._taken_up += size
        if not self._told:
            self._told = True
            self._arrived()

    def take(self) -> Arrival | None:
        """The next one; `None` when there is none, and `arrived` will be called for the next."""
        with self._condition:
            if not self._waiting:
                self._told = False
                return None
            arrival = self._waiting.popleft()
            if isinstance(arrival, tuple):
                before, self._taken_up = self._taken_up, self._taken_up - _size(arrival[1])
                if before >= ROOM > self._taken_up:
                    self._condition.notify_all()
            return arrival

    def __len__(self) -> int:
        return len(self._waiting)

    def begin(self) -> None:
        """The calling thread is that of the screen."""
        self._home = threading.get_ident()

    def close(self) -> None:
        """Take nothing more; feeds that wait go on."""
        with self._condition:
            self._closed = True
            self._waiting.clear()
            self._condition.notify_all()


def _size(fact: Fact) -> int:
    records = len(fact.records) if isinstance(fact, Grew | Replaced | Filled) else 0
    return 1 + records // _RECORDS
