"""Running: commands from standard input, answers to standard output, and the ledgers as they grow."""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from itertools import islice
from typing import TextIO

from korg_tui.config import Settings
from korg_tui.families import Families, lies_beside
from korg_tui.plain.talk import Talk
from korg_tui.reading import Reading
from korg_tui.sources import (
    UNREADABLE,
    DemoSource,
    Fact,
    FileSource,
    FolderSource,
    Pool,
    Replaced,
    Source,
    SourceError,
    State,
    discover,
    open_sources,
)
from korg_tui.text import visible
from korg_tui.trust import Vigil

USAGE = 2
"""Exit code: a command that came through a pipe was not understood."""

_PAGE = 40
"""Lines of an answer that a person at a terminal hears at once."""
_WAIT = 0.2
_LOOKING = 1.0
"""Seconds that the chains are looked at before the first answer."""


@dataclass(frozen=True, slots=True)
class _Line:
    """What a person typed; None: there will be no more."""

    text: str | None


_Arrival = tuple[Reading, Fact] | Source | _Line


@dataclass(eq=False)
class _Run:
    """One run: sources, what they brought, and the talk about it."""

    settings: Settings
    vigil: Vigil
    out: TextIO
    at_terminal: bool
    arrivals: queue.Queue[_Arrival] = field(default_factory=lambda: queue.Queue(maxsize=64))
    readings: list[Reading] = field(default_factory=list)
    folders: list[Reading] = field(default_factory=list)
    waiting: deque[_Line] = field(default_factory=deque)
    """Commands that came before everything was read."""
    rest: Iterator[str] = field(default_factory=lambda: iter(()))
    """What is left of the last answer."""

    def __post_init__(self) -> None:
        self.feeds = Pool()
        self.families = Families()
        zone = UTC if self.settings.utc else None
        clock = _wall_clock
        self.talk = Talk(
            self.readings, clock, keymap=self.settings.keymap, zone=zone, watched=self.vigil.of
        )
        self.begun = False
        self.read_at: float | None = None
        """When everything that was there at the start was read, seconds."""
        self.closing = False
        self.no_more = False
        """No more commands come."""

    # sources

    def follow(self, source: Source) -> None:
        """Read a source, and what it gets later."""
        reading = Reading.of(source)
        if isinstance(source, FolderSource):
            source.found = self._put
            self.folders.append(reading)
        else:
            self.readings.append(reading)
        self.feeds.add(source, lambda fact: self._put((reading, fact)))

    def _put(self, arrival: _Arrival) -> None:
        while not self.closing:
            try:
                self.arrivals.put(arrival, timeout=_WAIT)
            except queue.Full:
                continue
            return

    @property
    def ready(self) -> bool:
        """Whether everything that was there at the start is read."""
        every = (*self.folders, *self.readings)
        return all(each.caught_up or each.state not in ("reading", "live") for each in every)

    @property
    def ended(self) -> bool:
        """Whether nothing new will come."""
        return all(reading.state in ("ended", "failed") for reading in (*self.folders, *self.readings))

    # the loop

    def loop(self) -> int:
        """Answer until the person quits, or no more commands come. Returns the exit code."""
        while not self.talk.over:
            self._begin_when_ready()
            while self.begun and self.waiting and not self.talk.over:
                self._obey(self.waiting.popleft())
            if self.talk.over or (self.no_more and self.begun and not self.waiting and self._is_done):
                break
            try:
                self._take(self.arrivals.get(timeout=0 if self._look_on() else _WAIT))
            except queue.Empty:
                continue
        return self._code

    @property
    def _is_done(self) -> bool:
        """Without more commands it goes on only if the last one was to follow."""
        return self.ended or not self._follows

    _follows = False

    @property
    def _code(self) -> int:
        if self.readings and all(each.state == "failed" for each in self.readings):
            return UNREADABLE
        return USAGE if self.talk.wrong and not self.at_terminal else 0

    def _look_on(self) -> bool:
        """Look at a further part of the chains. False when nothing is left."""
        turn = self.vigil.turn()
        if turn is not None:
            turn.check()
            self.vigil.take(turn)
        if self.begun:
            self.talk.looked(self.tell)
        return turn is not None

    def _begin_when_ready(self) -> None:
        if not self.begun and self.ready and self.arrivals.empty():
            now = time.monotonic()
            self.read_at = now if self.read_at is None else self.read_at
            if self.vigil.waiting and now - self.read_at < _LOOKING:
                return
            self.begun = True
            for line in self.talk.begin():
                self.tell(line)

    def _take(self, arrival: _Arrival) -> None:
        if isinstance(arrival, _Line):
            self.waiting.append(arrival)
        elif isinstance(arrival, tuple):
            self._take_fact(*arrival)
        else:
            self.follow(arrival)

    def _take_fact(self, reading: Reading, fact: Fact) -> None:
        changes = reading.apply(fact)
        for each, changed in [(reading, changes), *self.families.changed(reading, changes)]:
            self.vigil.changed(each, changed, anew=isinstance(fact, Replaced))
            if self.begun:
                self.talk.changed(each, changed, self.tell)
        if isinstance(fact, State) and fact.text:
            self.tell(visible(fact.text))
        for path in self.families.missing():
            watched = [each.source.watched for each in self.readings]
            if path not in watched and lies_beside(path):
                self.follow(FileSource(path, wait=True))

    def _obey(self, line: _Line) -> None:
        if line.text is None:
            self.no_more = True
            return
        self._follows = line.text.strip().lower() in ("follow", "follow on", "f")
        wants_more = line.text.strip().lower() == "more"
        self._print(self.rest if wants_more else self.talk.answer(line.text))

    def _print(self, answer: Iterator[str]) -> None:
        page = list(islice(answer, _PAGE)) if self.at_terminal else answer
        for line in page:
            self.tell(line)
        self.rest = answer
        following = next(answer, None)
        if following is not None:
            self.rest = _before(following, answer)
            self.tell("there is more: 'more' tells it")

    def tell(self, line: str) -> None:
        """One safe line."""
        self.out.write(visible(line) + "\n")
        self.out.flush()

    def close(self) -> None:
        """End what runs beside."""
        self.closing = True
        self.feeds.stop()


def _before(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def run(
    names: Sequence[str], *, demo: bool = False, settings: Settings | None = None, key: bytes | None = None
) -> int:
    """Tell what these sources hold, in lines, until the person quits; `key` is that of keyed ledgers. Returns
    the exit code: 0; 2 when a command that came through a pipe was not understood; 3 when no source could be
    read.

    Raises SourceError when a name can never be a ledger, or when nothing is found."""
    settings = settings or Settings()
    commands = _commands(names)
    running = _Run(settings, Vigil(key), sys.stdout, at_terminal=commands is not None and commands.isatty())
    try:
        for source in _sources(names, demo, settings.every, running.tell):
            running.follow(source)
        threading.Thread(target=_listen, args=(commands, running), name="korg-plain", daemon=True).start()
        return running.loop()
    finally:
        running.close()


def _sources(names: Sequence[str], demo: bool, every: float, tell: Callable[[str], None]) -> list[Source]:
    if demo:
        return [DemoSource()]
    if names:
        return open_sources(names, live=True, every=every)
    found = discover()
    if not found.names:
        raise SourceError(f"no ledger found; looked in {'; '.join(found.looked)}; name one, or try --demo")
    tell(visible(found.said))
    return open_sources(found.names, live=True, every=every)


def _commands(names: Sequence[str]) -> TextIO | None:
    """Where commands come from: standard input, or the terminal where a ledger comes from there."""
    if "-" not in names:
        return sys.stdin
    try:
        return open("/dev/tty", encoding="utf-8", errors="replace")  # noqa: PTH123 - as long as it runs
    except OSError:
        return None


def _listen(commands: TextIO | None, running: _Run) -> None:
    """Put what is typed among what arrives."""
    try:
        for line in commands or ():
            running._put(_Line(line))
    except (OSError, ValueError):
        pass
    running._put(_Line(None))


def _wall_clock() -> int:
    return time.time_ns() // 1_000_000


