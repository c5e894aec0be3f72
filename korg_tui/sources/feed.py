"""Feed: the one thread that reads a source, decodes, and posts facts in batches (DESIGN.md, The feed)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from korg_tui.sources.errors import SourceError
from korg_tui.sources.facts import Fact, State
from korg_tui.sources.source import Source
from korg_tui.sources.watch import WATCHER, Watcher

_GROUPED_SECONDS = 0.025
_TOLD_SECONDS = 2.0
_LOOKING_SECONDS = (0.05, 2.0)


class _NobodyListens(Exception):
    """The feed was stopped, or whoever it posts to is gone."""


class Feed:
    """Reads `source` in a thread of its own and calls `post` with each fact, in that thread, in order.

    A lone change is posted at once; further ones are grouped for 25 ms, which keeps them below 50 ms. What
    goes wrong becomes a `State`. A `post` that raises ends the feed: there is nobody left to tell."""

    def __init__(self, source: Source, post: Callable[[Fact], object], *, watcher: Watcher = WATCHER) -> None:
        self.source = source
        self._post = post
        self._watcher = watcher
        self._wake = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="korg-feed", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self) -> None:
        """Stop reading and close the source; no fact is posted after this. Bodies cannot be read any more."""
        self._stopping = True
        self._wake.set()
        if self.source.blocking:
            self.source.close()  # ends a reading that waits
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=2)
        self.source.close()

    def _run(self) -> None:
        try:
            self._first_reading()
            self._follow()
        except _NobodyListens:
            self.source.close()
        except Exception as error:  # the last line of defence: a fault is a state, never silence
            with suppress(_NobodyListens):
                fault = f"{type(error).__name__}: {error}"
                self._tell(f"{self.source.name}: this program failed while reading it ({fault})")

    def _first_reading(self) -> None:
        try:
            for fact in self.source.start():
                self._pass_on(fact)
        except SourceError as error:
            self._tell(error.text)

    def _tell(self, text: str) -> None:
        self._pass_on(State("failed", text, time.time_ns() // 1_000_000))

    def _pass_on(self, fact: Fact) -> None:
        if self._stopping:
            raise _NobodyListens
        try:
            self._post(fact)
        except Exception as error:
            raise _NobodyListens from error

    def _follow(self) -> None:
        path = self.source.watched
        subscription = self._watcher.subscribe(self._wake.set) if path is not None else None
        try:
            changed_at = time.monotonic()
            while not (self._stopping or (path is None and self.source.poll_after is None)):
                told = subscription is not None and path is not None and subscription.follow(path)
                self._wake.clear()
                if self._poll():
                    changed_at = time.monotonic()
                self._wait(told, changed_at)
        finally:
            if subscription is not None:
                subscription.close()

    def _poll(self) -> bool:
        facts = self.source.poll()
        for fact in facts:
            self._pass_on(fact)
        return bool(facts)

    def _wait(self, told: bool, changed_at: float) -> None:
        """Until there is reason to look again: told of a change, or, where nobody tells, the oftener the less
        time has passed since the last change."""
        least, most = _LOOKING_SECONDS
        looking = min(most, max(least, (time.monotonic() - changed_at) / 100))
        wanted = self.source.poll_after
        limit = (_TOLD_SECONDS if told else looking) if wanted is None else wanted
        if self._wake.wait(limit) and not self._stopping:
            time.sleep(max(0.0, changed_at + _GROUPED_SECONDS - time.monotonic()))
