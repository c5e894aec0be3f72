"""KorgApp: wiring only - sources, their feeds, one journal each, and the screens."""

from __future__ import annotations

import gc
import os
import re
import select
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, tzinfo
from typing import ClassVar, Protocol

from textual import events
from textual.app import App
from textual.binding import Binding

from korg_tui.commands import Situation
from korg_tui.messages import Clock, FactArrived, OpenDemo, OpenSession
from korg_tui.palette import TablePalette
from korg_tui.reading import Reading
from korg_tui.screens import LONG, HelpScreen, KorgScreen, LedgersScreen, SessionScreen
from korg_tui.sources import (
    CaughtUp,
    DemoSource,
    Fact,
    Feed,
    Source,
    SourceError,
    StdinSource,
    discover,
    open_sources,
)
from korg_tui.text import visible
from korg_tui.themes import THEMES, styles_folder
from korg_tui.views import session_rows

HUNG_UP = 129
"""Exit code: the terminal was lost, as a shell counts the signal that says so."""

NO_TERMINAL = 2
"""Exit code: the screen was asked for where there is none."""

QUEUED = 4
"""Facts of all feeds that may wait for the screen; a feed that is further ahead waits itself."""


AT_ONCE = 8
"""Sources that are read for the first time at once."""

LEAVING_SECONDS = 1.0
"""After so long, feeds that still run are left to end with the program."""


class Reader(Protocol):
    """What the app needs of a feed."""

    def start(self) -> None: ...

    def stop(self) -> None: ...


MakeFeed = Callable[[Source, Callable[[Fact], None]], Reader]


def wall_clock() -> int:
    """The time now, in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class KorgApp(App[int], inherit_bindings=False):
    """The explorer over these sources. `looked` says where was looked when there are none."""

    TITLE = "korg-tui"
    COMMANDS: ClassVar = {TablePalette}
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar = [Binding("ctrl+q", "quit", show=False, priority=True)]

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        feed: MakeFeed = Feed,
        clock: Clock = wall_clock,
        theme: str = "dark",
        ascii_only: bool = False,
        looked: str = "",
        utc: bool = False,
    ) -> None:
        plain = "NO_COLOR" in os.environ
        super().__init__(css_path=sorted(styles_folder().glob("*.tcss")), ansi_color=True if plain else None)
        for each in THEMES.values():
            self.register_theme(each)
        self.theme = THEMES[theme].name
        self.set_class(ascii_only, "-ascii")
        self.clock = clock
        self.ascii_only = ascii_only
        self.looked = looked
        self.utc = utc
        self.readings = [Reading.of(source) for source in sources]
        self._make_feed = feed
        self._feeds: list[Reader] = []
        self._waiting: deque[tuple[Reading, Reader]] = deque()
        self._begun: list[Reading] = []
        """Readings that are read for the first time now."""
        self._room = threading.Semaphore(QUEUED)
        self._facts: deque[FactArrived] = deque()
        self._closing = False
        self._ui_thread = threading.get_ident()
        self._opened_alone = False

    async def on_event(self, event: events.Event) -> None:
        """Pasted text is foreign text: only one safe line of it comes in, wherever it goes."""
        if isinstance(event, events.Paste) and not event.is_forwarded:
            event.text = visible(re.split(r"[\r\n]", event.text.strip(), maxsplit=1)[0])
        await super().on_event(event)

    @property
    def zone(self) -> tzinfo | None:
        """The zone in which times are shown; None is that of this machine."""
        return UTC if self.utc else None

    # feeds

    def on_mount(self) -> None:
        self._ui_thread = threading.get_ident()
        self.push_screen(LedgersScreen())
        if not self.is_headless:
            self.set_interval(LEAVING_SECONDS, self._leave_with_the_terminal)
        for reading in self.readings:
            self._follow(reading)

    def _leave_with_the_terminal(self) -> None:
        """A terminal that is lost ends the program, also where nobody sends it a signal."""
        if _hung_up(0):
            self.exit(HUNG_UP)

    def _follow(self, reading: Reading) -> None:
        feed = self._make_feed(reading.source, lambda fact: self._post(reading, fact))
        self._feeds.append(feed)
        self._waiting.append((reading, feed))
        self._start_feeds()

    def _start_feeds(self) -> None:
        """Begin to read, a few sources at a time: hundreds of them at once would only hold each other up."""
        self._begun = [reading for reading in self._begun if reading.state == "reading"]
        while self._waiting and len(self._begun) < AT_ONCE:
            reading, feed = self._waiting.popleft()
            self._begun.append(reading)
            feed.start()

    def _post(self, reading: Reading, fact: Fact) -> None:
        """Called by a feed, in its thread: waits while the screen is behind."""
        if threading.get_ident() != self._ui_thread:
            while not self._room.acquire(timeout=0.2):
                if self._closing:
                    return
        self.post_message(FactArrived(reading, fact))

    def on_fact_arrived(self, message: FactArrived) -> None:
        self._facts.append(message)
        self.take_facts()

    def take_facts(self) -> None:
        """Take in the facts that have arrived, unless a calculation reads the ledgers."""
        screens = [screen for screen in self.screen_stack if isinstance(screen, KorgScreen)]
        while self._facts and not any(screen.busy for screen in screens):
            message = self._facts.popleft()
            self._room.release()
            changes = message.reading.apply(message.fact)
            for screen in screens:
                screen.changed(message.reading, changes)
            if isinstance(message.fact, CaughtUp):
                _spare_the_collector(message.reading)
            self._start_feeds()
            self._open_if_alone()

    def on_unmount(self) -> None:
        self._closing = True
        until = time.monotonic() + LEAVING_SECONDS
        for feed in self._feeds:
            if time.monotonic() < until:
                feed.stop()

    # screens

    def _open_if_alone(self) -> None:
        """The only session of the only source is opened at once; escape leads to the list."""
        if self._opened_alone or len(self.readings) != 1 or not isinstance(self.screen, LedgersScreen):
            return
        (reading,) = self.readings
        if not reading.caught_up:
            return
        rows = [row for ledger in reading.journal.ledgers for row in session_rows(ledger, 0)]
        self._opened_alone = bool(rows)
        if len(rows) == 1:
            self.post_message(OpenSession(reading, rows[0].ledger, rows[0].index))

    def on_open_session(self, message: OpenSession) -> None:
        for ledger in message.reading.journal.ledgers:
            if ledger.name == message.ledger:
                session = message.session if message.session >= 0 else None
                screen = SessionScreen(message.reading, ledger, session, seq=message.seq)
                if isinstance(self.screen, SessionScreen):
                    self.switch_screen(screen)
                else:
                    self.push_screen(screen)

    def on_open_demo(self, _: OpenDemo) -> None:
        reading = Reading.of(DemoSource())
        self.readings = [reading]
        self._opened_alone = False
        self._follow(reading)

    def open_help(self, now: Situation) -> None:
        """Show the help of this situation."""
        self.push_screen(HelpScreen(now))

    def toggle_utc(self) -> None:
        """Show times in UTC, or in local time again."""
        self.utc = not self.utc
        for screen in self.screen_stack:
            if isinstance(screen, KorgScreen):
                screen.times_changed()

    def _fatal_error(self) -> None:
        """Textual would print a traceback here; `run` raises the fault instead, for one line and a report."""
        self._close_messages_no_wait()

    @property
    def fault(self) -> Exception | None:
        """The internal fault that ended the app."""
        return self._exception


def _hung_up(descriptor: int) -> bool:
    """Whether nobody has the other end open any more."""
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


def _spare_the_collector(reading: Reading) -> None:
    """What a long ledger has become stays: looking through all of it for garbage would hold keys up for a
    quarter of a second, again and again."""
    if sum(map(len, reading.journal.ledgers)) >= LONG:
        gc.freeze()


def run(names: Sequence[str], *, demo: bool = False, theme: str = "dark", ascii: bool = False) -> int:  # noqa: A002
    """Open the explorer over these sources until the person leaves it. Returns the exit code.

    Without names it opens what `discover` finds, or says where it looked and offers the demo. Raises
    SourceError when a name can never be a ledger, and whatever an internal fault raised."""
    looked = ""
    sources: list[Source] = [DemoSource()] if demo else []
    if not demo and not names:
        found = discover()
        sources, looked = list(open_sources(found.ledgers)), "\n".join(found.looked)
    elif not demo:
        sources = [_with_keys(source) for source in open_sources(names, wait=True)]
    if not (os.isatty(0) and os.isatty(2)):
        raise SourceError("the screen needs a terminal; korg-tui show LEDGER prints it", NO_TERMINAL)
    app = KorgApp(sources, theme=theme, ascii_only=ascii, looked=looked)
    code = app.run()
    if app.fault is not None:
        raise app.fault
    return code if code is not None else app.return_code or 0


def _with_keys(source: Source) -> Source:
    """When a ledger comes from standard input, keys come from the terminal: it takes the place of standard
    input, and the ledger is read from a copy of the descriptor."""
    if source.name != "-":
        return source
    ledger = os.dup(0)
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        os.close(ledger)
        raise SourceError("standard input: no terminal to take keys from; give a ledger file") from None
    os.dup2(terminal, 0)
    os.close(terminal)
    return StdinSource(descriptor=ledger)
