"""HttpSource: the ledger of a running server, asked again and again (SPEC §8.5.1, LEDGERS.md, HTTP)."""

from __future__ import annotations

import hashlib
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from korg_tui.event import Record
from korg_tui.sources.blobs import Blobs
from korg_tui.sources.errors import BodyGone, SourceError, reason
from korg_tui.sources.facts import CaughtUp, Fact, Holes, Opened, Progress, State
from korg_tui.sources.http import wire
from korg_tui.sources.http.address import address
from korg_tui.sources.http.blobs import HttpBlobs
from korg_tui.sources.http.pages import OtherServer, PageReader
from korg_tui.sources.http.pauses import Pauses
from korg_tui.sources.http.records import Records
from korg_tui.sources.http.web import Answer, Away, Nonsense, NotKorg, Web
from korg_tui.sources.http.whole import Whole
from korg_tui.sources.http.window import WindowReader

EVERY = (0.2, 60.0)
"""Seconds between two looks: the least and the most."""

FIRST_READING = 4 << 30
"""Bytes that the first reading of a server takes in, at most; what is left comes with later looks."""

_FILLING_SECONDS = 5.0
_PLAINLY_SECONDS = 60.0
"""For which a server that only says that it is our own is read like any other."""
_USAGE = 2
_EXPECTED = (Away, Nonsense, wire.NoWireForm, OSError)
"""What goes wrong with servers. Whatever else they cause is said, too, and never ends a reader (§8.5.1)."""


class HttpSource:
    """The ledger of the server at `url`, with or without `/api/journal`, looked at `every` so many seconds.

    With `wait`, a server that cannot be reached yet is waited for; otherwise `start` raises `SourceError`.
    `$KORG_TOKEN` is sent as a bearer token. `clock` gives seconds, `chance` numbers from 0 to 1, `now` the
    milliseconds since the epoch. Raises `SourceError` for what is no address."""

    watched: Path | None = None
    blocking = True

    def __init__(
        self,
        url: str,
        *,
        every: float = 1.0,
        name: str | None = None,
        wait: bool = False,
        environment: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
        now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        if not EVERY[0] <= every <= EVERY[1]:
            raise SourceError(f"a server is looked at every {EVERY[0]:g} to {EVERY[1]:g} seconds", _USAGE)
        self.address = address(url)
        self.name = self.address.shown if name is None else name
        token = _token(environment)
        self._web = Web(self.address, token=token)
        self._blobs = HttpBlobs(Web(self.address, token=token))
        self._wait = wait
        self._clock = clock
        self._now = now
        self._pauses = Pauses(every, chance)
        self._pause = every
        self._records = Records()
        self._window = self._new_window()
        self._pages: PageReader | None = None
        self._plainly_until = float("-inf")
        self._etag = ""
        self._seen = b""
        self._begun = False
        self._caught_up = False
        self._trouble = ""
        self._unwritten = ""

    # the protocol of sources

    @property
    def poll_after(self) -> float | None:
        """Seconds until the server is to be asked again: longer and longer while it fails."""
        return self._pause

    @property
    def blobs(self) -> Blobs:
        """The blobs of the server."""
        return self._blobs

    def start(self) -> Iterator[Fact]:
        """The first reading, in batches. Ends with `CaughtUp`, or with a `State` when the server is waited
        for. Raises `SourceError` when it is no Korg server, or cannot be reached."""
        asked_at = self._now()
        try:
            yield from self._look()
            if not self._wait:
                yield from self._fill()
                yield from self._leaves_out()
            self._pause = self._pauses.worked()
            yield self._catches_up()
        except BodyGone:
            return
        except Exception as error:
            if self._web.closed:
                return
            if not self._wait or isinstance(error, NotKorg | wire.NoJournal):
                self._trouble = "failed"
                raise _refused(self.name, error) from None
            yield from self._fails(error, asked_at)

    def poll(self) -> list[Fact]:
        """What changed since, in order. Raises nothing: a server that fails is a `State`."""
        facts: list[Fact] = []
        known, asked_at = self._caught_up, self._now()
        if self._web.closed:
            return facts
        try:
            facts.extend(fact for fact in self._look() if not isinstance(fact, Progress))
            self._pause = 0.0 if self._pages and self._pages.behind else self._pauses.worked()
            if not known:
                facts.append(self._catches_up())
            return [*self._recovers(known), *facts]
        except BodyGone:
            return facts
        except Exception as error:
            if not self._web.closed:
                facts += self._fails(error, asked_at)
            return facts

    def finish(self) -> list[Record]:
        """Nothing is unfinished: a server gives whole events."""
        return []

    def read(self, offset: int, length: int, epoch: int | None = None) -> bytes:
        """The bytes of a record as reported in `epoch`. Raises `BodyGone`."""
        return self._records.spool.read(offset, length, epoch)

    def close(self) -> None:
        """Close the connections, and give back what was kept. What waits for the server ends."""
        self._web.close()
        self._blobs.close()
        self._records.spool.close()

    # looking

    def _look(self) -> Iterator[Fact]:
        """Ask once, and take in what is new."""
        if self._pages is not None:
            try:
                yield from self._look_at_pages(self._pages)
                return
            except OtherServer:
                self._pages = None
        answer = self._web.get(wire.PATH, etag=self._etag)
        if self._clock() >= self._plainly_until and wire.mark(answer.headers.get(wire.HEADER)):
            try:
                yield from self._is_our_own(answer)
                return
            except OtherServer:
                self._pages, self._plainly_until = None, self._clock() + _PLAINLY_SECONDS
                answer = self._web.get(wire.PATH)
        if answer.status == 404:
            raise NotKorg("it has no /api/journal")
        seen = self._seen if answer.status == 304 else hashlib.sha256(answer.body).digest()
        if seen != self._seen:
            self._seen = b""
            window = wire.journal(answer.body)
            yield from self._opens(("total", str(window.total)))
            yield from self._window.take(window)
            self._etag, self._seen = answer.headers.get("etag", ""), seen
        yield from self._window.complete()

    def _is_our_own(self, answer: Answer) -> Iterator[Fact]:
        if answer.status == 200:
            wire.page(answer.body)
        self._etag, self._seen = "", b""
        holes, self._window = self._window.told, self._new_window()
        mark = wire.mark(answer.headers.get(wire.HEADER))
        assert mark is not None
        self._pages = PageReader(self._web, self._records, self._clock)
        yield from self._opens(("total", str(mark.total)), ("server", "korg-tui serve"))
        yield from self._look_at_pages(self._pages)
        if holes:
            yield Holes(())

    def _new_window(self) -> WindowReader:
        return WindowReader(self._web, self._records, Whole(self._web, self._clock))

    def _look_at_pages(self, pages: PageReader) -> Iterator[Fact]:
        yield from pages.look()
        last = pages.last
        while pages.behind and not self._caught_up and not self._has_enough(last):
            yield from pages.look()
        yield from self._says(pages.trouble)

    def _has_enough(self, last: int) -> bool:
        """Whether the first reading ends: with what the server had then, or with what anybody has."""
        return (self._records.last or 0) >= last or self._records.cost >= FIRST_READING

    def _leaves_out(self) -> Iterator[Fact]:
        if self._pages is not None and self._pages.behind and self._records.cost >= FIRST_READING:
            text = f"{self.name} has more than {FIRST_READING >> 30} GB; the rest is not read"
            yield State("warned", text, self._now())

    def _says(self, trouble: str) -> Iterator[Fact]:
        """Whether our own server can write."""
        if trouble == self._unwritten:
            return
        self._unwritten = trouble
        if trouble:
            why = trouble.replace("(", "").replace(")", "")
            text = f"{self.name} records nothing now: {why}; what it had acknowledged is there"
            yield State("warned", text, self._now())
        else:
            yield State("back", f"{self.name} records again", self._now())

    def _opens(self, *notes: tuple[str, str]) -> Iterator[Fact]:
        if not self._begun:
            self._begun = True
            yield Opened("wire", notes)

    def _fill(self) -> Iterator[Fact]:
        """Look for what is missing as long as it takes, for somebody who reads once; but not for ever."""
        until = self._clock() + _FILLING_SECONDS
        while self._window.filling and self._clock() < until:
            yield from self._window.complete()

    # what goes wrong

    def _fails(self, error: Exception, asked_at: int) -> Iterator[Fact]:
        """A look that began at `asked_at` failed: that is since when, however long an answer was awaited."""
        self._seen, self._etag, self._unwritten = b"", "", ""
        self._pause = self._pauses.failed()
        if not isinstance(error, _EXPECTED):
            self._pages, self._window = None, self._new_window()
        state, text = _trouble(self.name, error)
        if state != self._trouble:
            self._trouble = state
            yield State(state, text, asked_at)

    def _recovers(self, known: bool) -> Iterator[Fact]:
        if self._trouble:
            self._trouble = ""
            if known:
                yield State("back", f"{self.name} is back, and is followed again", self._now())
            else:
                yield State("live", f"{self.name} has appeared, and is followed", self._now())

    def _catches_up(self) -> Fact:
        self._caught_up = True
        return CaughtUp()


def _trouble(name: str, error: Exception) -> tuple[str, str]:
    if isinstance(error, Away):
        return "offline", f"{name} cannot be reached ({error}); what was read stays, and it is asked again"
    if isinstance(error, OSError):
        why = reason(error)
        return "failed", f"{name}: what it gives cannot be kept ({why}); it is tried again"
    why = str(error) if isinstance(error, _EXPECTED) else _fault(error)
    return "warned", f"{name} gives no journal ({why}); what was read stays, and it is asked again"


def _refused(name: str, error: Exception) -> SourceError:
    if isinstance(error, Away):
        return SourceError(f"{name}: cannot be reached: {error}; start the server, or give a ledger file")
    if isinstance(error, OSError):
        return SourceError(f"{name}: what it gives cannot be kept: {reason(error)}; make room for it")
    why = str(error) if isinstance(error, _EXPECTED) else _fault(error)
    return SourceError(f"{name}: not a Korg server: {why}; give the address of one, or a ledger file")


def _fault(error: Exception) -> str:
    return f"this program fails on what it gives: {type(error).__name__}: {str(error)[:200]}"


def _token(environment: Mapping[str, str]) -> str:
    token = environment.get("KORG_TOKEN", "").strip()
    if not (token.isascii() and token.isprintable()):
        raise SourceError("KORG_TOKEN holds what no token can hold; set it again, or unset it", _USAGE)
    return token
