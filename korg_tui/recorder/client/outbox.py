"""Outbox: the ordered queue in front of the recorder, and the one thread that empties it (SPEC §5, §7.5)."""

from __future__ import annotations

import atexit
import contextlib
import enum
import logging
import os
import random
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable

from korg_tui.recorder.client.posting import Posting
from korg_tui.text import visible

LOG = logging.getLogger("korg_tui.recorder.client")

CAPACITY = 256
"""Events that wait (§7.5); the one that is being posted is not among them."""

ROOM = 64 << 20
"""Bytes that waiting events may take together, about."""

KEEP = 900.0
"""Seconds for which one event is tried again: after that it would be told at a time that is not its own."""

HANG_UP = 1.0
"""Seconds that `close` waits for an idle worker to end."""

LONGEST_WAIT = 1e6
"""Seconds that anybody waits for anything."""

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
"""Seconds between two attempts."""


class Attempt(enum.Enum):
    """How an attempt to deliver ended."""

    SETTLED = "settled"
    """The posting is taken or lost."""
    UNREACHABLE = "unreachable"
    """Nobody was there."""
    AGAIN = "again"
    """The server was there, but could not or would not say yes or no."""


class Outbox:
    """Delivers postings in the order in which they were put, one at a time, from a thread of its own.

    `deliver` makes one attempt, and settles its posting unless another attempt is wanted; `hang_up` ends the
    connection. A full outbox drops its oldest posting with a warning. No method waits for the server, except
    `wait`, `flush` and `close`, which take their limits in seconds. What is left when the process ends gets
    `flush` seconds.
    """

    def __init__(
        self,
        deliver: Callable[[Posting], Attempt],
        hang_up: Callable[[], None],
        *,
        capacity: int = CAPACITY,
        keep: float = KEEP,
        flush: float = 5.0,
        url: str = "the server's address",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = url
        self._deliver, self._hang_up = deliver, hang_up
        self._capacity, self._keep, self._flush, self._clock = capacity, keep, flush, clock
        self._ever_taken = False
        self._begin()
        atexit.register(self.close)
        _outboxes.add(self)

    def _begin(self) -> None:
        self.order = threading.Condition()
        """Held while postings get their order; never for long."""
        self._waiting: deque[Posting] = deque()
        self._size = 0
        """Bytes that those take."""
        self._current: Posting | None = None
        self._perhaps = False
        """Whether the current one can have arrived: it is being sent, or somebody was there who gave no
        answer."""
        self._worker: threading.Thread | None = None
        self._unreachable = 0
        self._hurry = False
        self._closing = self._ended = False

    # --- from the threads of the agent

    def put(self, make: Callable[[], Posting]) -> Posting:
        """Make a posting and put it at the end, in one step that no other thread can come between. Returns it
        at once; a closed outbox loses it with a warning."""
        pushed_out: list[Posting] = []
        with self.order:
            posting, closed = make(), self._closing
            if closed:
                posting.lost()
            else:
                pushed_out = self._append(posting)
            waiting = len(self._waiting)
            self.order.notify_all()
        if closed:
            LOG.warning("lost %s: the recorder client is closed", posting)
        for each in pushed_out:
            LOG.warning("lost %s: %d newer events wait, the server is away or slow", each, waiting)
        return posting

    def _append(self, posting: Posting) -> list[Posting]:
        pushed_out = []
        self._size += posting.size
        while self._waiting and (len(self._waiting) >= self._capacity or self._size > ROOM):
            pushed_out.append(self._pop())
            pushed_out[-1].lost()
        self._waiting.append(posting)
        if self._worker is None or not self._worker.is_alive():
            self._worker = threading.Thread(target=self._work, name="korg-recorder", daemon=True)
            # An interpreter that ends, or a full machine, has no thread for us: the next call tries again.
            with contextlib.suppress(RuntimeError):
                self._worker.start()
        return pushed_out

    def _pop(self) -> Posting:
        posting = self._waiting.popleft()
        self._size -= posting.size
        return posting

    def wait(self, posting: Posting, timeout: float) -> int | None:
        """The seq of a posting, as soon as it has one; None when it is lost, when nobody answers at the
        server's address, or after `timeout` seconds. The posting stays in the outbox until it is settled."""
        deadline = self._clock() + seconds(timeout)
        with self.order:
            failed = self._unreachable
            self._hurry = True
            self.order.notify_all()
            while posting.state == "waiting" and self._unreachable == failed:
                left = deadline - self._clock()
                if left <= 0:
                    break
                self.order.wait(left)
            return posting.seq

    def flush(self, timeout: float) -> bool:
        """Wait until everything is settled, at most `timeout` seconds; whether it is. A server that has never
        answered gets one attempt."""
        deadline = self._clock() + seconds(timeout)
        with self.order:
            failed = self._unreachable
            self._hurry = True
            self.order.notify_all()
            while self._waiting or self._current is not None:
                left = deadline - self._clock()
                if left <= 0 or (not self._ever_taken and self._unreachable != failed):
                    return False
                self.order.wait(left)
        return True

    def close(self, timeout: float | None = None) -> None:
        """Take nothing more, deliver what is left within `timeout` seconds (by default `flush`), and end.
        What is left then is lost, with a warning."""
        atexit.unregister(self.close)
        _outboxes.discard(self)
        with self.order:
            self._closing = True
        self.flush(self._flush if timeout is None else timeout)
        with self.order:
            self._ended = True
            current, perhaps, left = self._current, self._perhaps, list(self._waiting)
            self._waiting.clear()
            self._size = 0
            for posting in left if current is None or perhaps else (current, *left):
                posting.lost()
            self.order.notify_all()
        if current is not None and perhaps:
            LOG.warning(
                "%s may be lost: its answer was not there when the recorder client was closed", current
            )
        elif current is not None:
            LOG.warning("lost %s: nobody answers at %s", current, visible(self._url, 200))
        for posting in left:
            LOG.warning("lost %s: not delivered when the recorder client was closed", posting)
        if self._worker is not None and self._worker.is_alive() and not (current and perhaps):
            self._worker.join(HANG_UP)

    # --- from the worker

    def _work(self) -> None:
        while (posting := self._next()) is not None:
            self._bring(posting)
            with self.order:
                self._ever_taken = self._ever_taken or posting.state == "taken"
                self._current = None
                self.order.notify_all()
        self._hang_up()

    def _next(self) -> Posting | None:
        with self.order:
            while not self._waiting:
                if self._closing:
                    return None
                self.order.wait()
            self._current, self._perhaps = self._pop(), False
            return self._current

    def _bring(self, posting: Posting) -> None:
        started, pause, met = self._clock(), FIRST_PAUSE, False
        while self._may_send():
            try:
                attempt = self._deliver(posting)
            except Exception as fault:
                self._lose(posting, f"it could not be sent ({type(fault).__name__}: {fault})")
                return
            if attempt is Attempt.SETTLED:
                return
            if self._clock() - started > self._keep:
                self._lose(posting, f"the server has not taken it for {self._keep:.0f} s")
                return
            met = met or attempt is not Attempt.UNREACHABLE
            self._rest(attempt, pause, met)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _may_send(self) -> bool:
        """Whether there is to be another attempt; from here on it can arrive."""
        with self.order:
            self._perhaps = not self._ended
            return self._perhaps

    def _lose(self, posting: Posting, why: str) -> None:
        LOG.warning("lost %s: %s", posting, visible(why, 300))
        with self.order:
            posting.lost()

    def _rest(self, attempt: Attempt, pause: float, met: bool) -> None:
        """Pause before the next attempt; somebody who begins to wait for a server that was away ends it.
        `met` says whether any attempt so far met a server."""
        deadline = self._clock() + pause * random.uniform(0.5, 1)
        with self.order:
            self._perhaps = met
            if attempt is Attempt.UNREACHABLE:
                self._unreachable += 1
                self._hurry = False
                self.order.notify_all()
            while not self._ended and not (self._hurry and attempt is Attempt.UNREACHABLE):
                left = deadline - self._clock()
                if left <= 0:
                    return
                self.order.wait(left)

    def after_fork(self) -> None:
        """In the child of a fork: what waits and the connection are the parent's; the thread is not here."""
        for posting in (*self._waiting, *([self._current] if self._current else [])):
            posting.lost()
        self._hang_up()
        self._begin()


def seconds(timeout: object) -> float:
    """How long somebody waits who has said `timeout`: not at all where that is no number."""
    try:
        return max(0.0, min(float(timeout), LONGEST_WAIT))  # type: ignore[arg-type]
    except Exception:
        LOG.warning("a timeout is a number of seconds, not a %s", type(timeout).__name__)
        return 0.0


_outboxes: weakref.WeakSet[Outbox] = weakref.WeakSet()


def _begin_again_in_the_child() -> None:
    for outbox in list(_outboxes):
        outbox.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_again_in_the_child)
