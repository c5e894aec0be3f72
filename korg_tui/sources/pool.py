"""Pool: the feeds of any number of sources, served by a few threads (DESIGN.md, The feed)."""

from __future__ import annotations

import heapq
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from korg_tui.sources.feed import GROUPED_SECONDS, SURE_SECONDS, Feed, Following, Post
from korg_tui.sources.live import FolderSource
from korg_tui.sources.source import Source
from korg_tui.sources.watch import WATCHER, Watcher

WORKERS = 4
_LEAVING_SECONDS = 1.0
_SURE_AT_ONCE = 200
"""Of so many sources that rely on being told, it is asked every `SURE_SECONDS`, in turn, whether their files
look as they did."""


@dataclass(slots=True, eq=False)
class _Place:
    """A source's place in the pool."""

    following: Following
    begun: bool = False
    queued: bool = False
    served: bool = False
    again: bool = False
    """There was reason to serve it again while it was being served."""
    due: float | None = None
    """The time for which it stands in the list of times."""
    gone: bool = False
    looked: tuple[int, ...] = ()
    """How its file looked when that was asked last."""

    def looks_other(self) -> bool:
        """Whether its file looks other than it did; of a folder that says too little."""
        looks: tuple[int, ...] = ()
        source = self.following.source
        if isinstance(source, FolderSource) or source.watched is None:
            return True
        try:
            now = source.watched.stat()
            looks = (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
        except OSError:
            pass
        before, self.looked = self.looked, looks
        return before != looks


@dataclass(slots=True)
class _Queues:
    first: deque[_Place] = field(default_factory=deque)
    """To be read for the first time, in order."""
    told: deque[_Place] = field(default_factory=deque)
    """To be looked at now."""
    timed: list[tuple[float, int, _Place]] = field(default_factory=list)
    """To be looked at later: a heap."""
    sure: deque[_Place] = field(default_factory=deque)
    """To be asked for now and then, in turn."""


class Pool:
    """Follows the sources that are added, and posts the facts of each in order.

    A source that is told of a change is served by the next thread that is free, one of them at least being
    free of first readings; facts of one source never come from two threads at once. Sources that wait for
    somebody else have a thread of their own. `post` may wait: its thread waits with it."""

    def __init__(self, *, watcher: Watcher = WATCHER, workers: int = WORKERS) -> None:
        self._watcher = watcher
        self._workers = workers
        self._condition = threading.Condition()
        self._queues = _Queues()
        self._places: set[_Place] = set()
        self._feeds: list[Feed] = []
        self._threads: list[threading.Thread] = []
        self._numbers = count()
        self._reading = 0
        """Threads that read something for the first time now."""
        self._sure_at = 0.0
        self._keeps_time = False
        self._stopping = False

    def add(self, source: Source, post: Post) -> None:
        """Read `source` after those that were added before, and follow it. Any thread may add."""
        if source.blocking:
            feed = Feed(source, post, watcher=self._watcher)
            with self._condition:
                self._feeds.append(feed)
                if not self._stopping:
                    feed.start()
            return
        place = _Place(Following(source, post, lambda: self._wake(place), watcher=self._watcher))
        if isinstance(source, FolderSource):
            source.wake = lambda: self._wake(place)
        with self._condition:
            self._places.add(place)
            place.queued = True
            self._queues.first.append(place)
            if len(self._threads) < self._workers and not self._stopping:
                self._threads.append(threading.Thread(target=self._work, name="korg-pool", daemon=True))
                self._threads[-1].start()
            self._condition.notify()

    def stop(self) -> None:
        """Stop reading and close all sources; no fact is posted after this."""
        with self._condition:
            self._stopping = True
            self._condition.notify_all()
            places, feeds, threads = list(self._places), self._feeds, self._threads
        for place in places:
            place.following.stop()
        until = time.monotonic() + _LEAVING_SECONDS
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(timeout=max(0.0, until - time.monotonic()))
        for place in places:
            place.following.close()
        for feed in feeds:
            feed.stop()

    # what is to be done

    def _wake(self, place: _Place) -> None:
        """There is reason to serve this one: at once, or when its changes have been grouped."""
        with self._condition:
            if place.gone or place.queued:
                return
            if place.served:
                place.again = True
                return
            self._look_at(place, place.following.changed_at + GROUPED_SECONDS)

    def _look_at(self, place: _Place, when: float) -> None:
        if when <= time.monotonic():
            self._look_now(place)
        elif place.due is None or when < place.due:
            place.due = when
            heapq.heappush(self._queues.timed, (when, next(self._numbers), place))
            if self._queues.timed[0][2] is place:
                self._condition.notify_all()

    def _look_now(self, place: _Place) -> None:
        place.queued, place.due = True, None
        self._queues.told.append(place)
        self._condition.notify()

    def _take_due(self) -> float | None:
        """Queue what is due; seconds until more will be."""
        now = time.monotonic()
        timed, sure = self._queues.timed, self._queues.sure
        while timed and (timed[0][0] <= now or timed[0][2].due != timed[0][0]):
            when, _, place = heapq.heappop(timed)
            if place.due == when:
                place.due = None
                if not (place.gone or place.queued or place.served):
                    self._look_now(place)
        times = [when for when, _, _ in timed[:1]] + [self._sure_at] * bool(sure)
        return max(0.0, min(times) - now) if times else None

    # doing it

    def _work(self) -> None:
        while (work := self._next()) is not None:
            work()

    def _next(self) -> Callable[[], None] | None:
        """What is to be done now; waits for something. `None` when the pool stops."""
        with self._condition:
            while not self._stopping:
                rest = None if self._keeps_time else self._take_due()
                place = self._pick()
                if place is not None:
                    self._condition.notify()
                    return partial(self._serve, place)
                if rest is not None and self._queues.sure and self._sure_at <= time.monotonic():
                    self._sure_at = time.monotonic() + SURE_SECONDS
                    return self._make_sure
                self._wait(rest)
            return None

    def _make_sure(self) -> None:
        """Serve those whose files look other than they did, though nobody told."""
        with self._condition:
            sure = self._queues.sure
            places = [sure.popleft() for _ in range(min(_SURE_AT_ONCE, len(sure)))]
            sure.extend(place for place in places if not place.gone)
        for place in places:
            if not self._stopping and place.looks_other():
                self._wake(place)

    def _wait(self, rest: float | None) -> None:
        """One of the threads that wait keeps the time."""
        keeps_time = not self._keeps_time
        self._keeps_time = True
        try:
            self._condition.wait(rest if keeps_time else None)
        finally:
            if keeps_time:
                self._keeps_time = False

    def _pick(self) -> _Place | None:
        first, told = self._queues.first, self._queues.told
        if first and (not self._reading or (not told and self._reading < max(1, self._workers - 1))):
            place = first.popleft()
            self._reading += 1
        elif told:
            place = told.popleft()
        else:
            return None
        place.queued, place.served = False, True
        return place

    def _serve(self, place: _Place) -> None:
        place.looks_other()
        goes_on = place.following.serve()
        with self._condition:
            place.served = False
            if not place.begun:
                place.begun = True
                self._reading -= 1
                if goes_on and place.following.source.watched is not None:
                    if not self._queues.sure:
                        self._sure_at = time.monotonic() + SURE_SECONDS
                    self._queues.sure.append(place)
            if not goes_on:
                place.gone = True
            elif place.again:
                place.again = False
                self._look_at(place, place.following.changed_at + GROUPED_SECONDS)
            else:
                pause = place.following.pause(len(self._places))
                if pause is not None:
                    self._look_at(place, time.monotonic() + pause)
