"""Feed: reads a source, follows it, and posts facts in batches (DESIGN.md, The feed)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from korg_tui.sources.errors import SourceError
from korg_tui.sources.facts import Fact, State
from korg_tui.sources.source import Source
from korg_tui.sources.watch import WATCHER, Subscription, Watcher

GROUPED_SECONDS = 0.025
"""Further changes of a source that changed a moment ago are grouped for so long: they stay below 50 ms."""
SURE_SECONDS = 2.0
"""Nobody relies on being told alone: some file systems tell of what this machine does, not of others."""
_LOOKING_SECONDS = (0.05, 2.0)
_LOOKS_PER_SECOND = 500

Post = Callable[[Fact], object]


class _NobodyListens(Exception):
    """The feed was stopped, or whoever it posts to is gone."""


class Following:
    """One source and who is told of it, served by whatever thread, never by two at once.

    What goes wrong becomes a `State`. A `post` that raises ends it: there is nobody left to tell. `wake` is
    called in another thread when there is reason to serve it again."""

    def __init__(
        self, source: Source, post: Post, wake: Callable[[], object], *, watcher: Watcher = WATCHER
    ) -> None:
        self.source = source
        self.changed_at = 0.0
        """When a change was seen last, as `time.monotonic` says."""
        self.told = False
        """Whether `wake` will be called when the source changes."""
        self._post = post
        self._wake = wake
        self._watcher = watcher
        self._subscription: Subscription | None = None
        self._begun = False
        self._changed = False
        self._stopping = False

    def serve(self) -> bool:
        """Read the source for the first time, or what changed in it since; whether more can come."""
        try:
            self.told = self._subscribe()
            changed = self._poll() if self._begun else self._first_reading()
            if changed:
                self.changed_at = time.monotonic()
            lasts = self.source.watched is not None or self.source.poll_after is not None
        except _NobodyListens:
            self.source.close()
            lasts = False
        except Exception as error:  # the last line of defence: a fault is a state, never silence
            fault = f"{type(error).__name__}: {error}"
            with suppress(_NobodyListens):
                self._tell(f"{self.source.name}: this program failed while reading it ({fault})")
            lasts = False
        if not lasts and self._subscription is not None:
            self._subscription.close()
        return lasts and not self._stopping

    def _subscribe(self) -> bool:
        path = self.source.watched
        if path is None:
            return False
        if self._subscription is None:
            self._subscription = self._watcher.subscribe(self._wake)
        return self._subscription.follow(path)

    def _first_reading(self) -> bool:
        self._begun = True
        try:
            for fact in self.source.start():
                self._pass_on(fact)
        except SourceError as error:
            self._tell(error.text)
        return True

    def _poll(self) -> bool:
        facts = self.source.poll()
        for fact in facts:
            self._pass_on(fact)
        self._changed = self._changed or bool(facts)
        return bool(facts)

    def _tell(self, text: str) -> None:
        self._pass_on(State("failed", text, time.time_ns() // 1_000_000))

    def _pass_on(self, fact: Fact) -> None:
        if self._stopping:
            raise _NobodyListens
        try:
            self._post(fact)
        except Exception as error:
            raise _NobodyListens from error

    def pause(self, among: int = 1) -> float | None:
        """Seconds until it is served again although nobody calls `wake`: as the source wants it; or, where
        nobody tells, the oftener the less time has passed since the last change, and the more seldom the more
        sources it is `among`. `None` when it can rely on being told, but for a look now and then."""
        wanted = self.source.poll_after
        if wanted is not None or self.told:
            return wanted
        least, most = _LOOKING_SECONDS
        fair = among / _LOOKS_PER_SECOND
        if not self._changed:
            least = max(least, fair)
        return min(max(most, fair), max(least, (time.monotonic() - self.changed_at) / 100))

    def stop(self) -> None:
        """Post nothing more. To be followed by `close`, when no thread serves it any more."""
        self._stopping = True
        if self.source.blocking:
            self.source.close()  # ends a reading that waits

    def close(self) -> None:
        """Be told no more, and close the source. Bodies cannot be read any more."""
        if self._subscription is not None:
            self._subscription.close()
        self.source.close()


class Feed:
    """Reads `source` in a thread of its own and calls `post` with each fact, in that thread, in order."""

    def __init__(self, source: Source, post: Post, *, watcher: Watcher = WATCHER) -> None:
        self.source = source
        self._wake = threading.Event()
        self._stopping = False
        self._following = Following(source, post, self._wake.set, watcher=watcher)
        self._thread = threading.Thread(target=self._run, name="korg-feed", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self) -> None:
        """Stop reading and close the source; no fact is posted after this. Bodies cannot be read any more."""
        self._stopping = True
        self._following.stop()
        self._wake.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=2)
        self._following.close()

    def _run(self) -> None:
        while self._following.serve():
            pause = self._following.pause()
            woken = self._wake.wait(SURE_SECONDS if pause is None else pause)
            if woken and not self._stopping:
                time.sleep(max(0.0, self._following.changed_at + GROUPED_SECONDS - time.monotonic()))
            self._wake.clear()
