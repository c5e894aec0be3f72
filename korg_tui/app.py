"""KorgApp: wiring only - sources, their feeds, one journal each, and the screens."""

from __future__ import annotations

import gc
import os
import re
import select
import termios
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, tzinfo
from itertools import islice
from pathlib import Path
from typing import ClassVar, Protocol

from textual import events
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.filter import LineFilter, Monochrome, NoColor

from korg_tui import colours
from korg_tui.arrivals import Arrivals
from korg_tui.causal import Ledger
from korg_tui.commands import Situation
from korg_tui.config import Settings
from korg_tui.families import Families, lies_beside
from korg_tui.messages import Arrived, Choice, Clock, Looked, OpenDemo, OpenSession
from korg_tui.palette import Palette, TablePalette
from korg_tui.reading import Reading
from korg_tui.remembered import Remembered
from korg_tui.screens import LONG, HelpScreen, KorgScreen, LedgersScreen, SessionScreen, passing
from korg_tui.sources import (
    CaughtUp,
    DemoSource,
    Fact,
    FileSource,
    FolderSource,
    Pool,
    Replaced,
    Source,
    open_sources,
)
from korg_tui.text import visible
from korg_tui.themes import THEMES, styles_folder
from korg_tui.trust import Standing, Vigil, Watched
from korg_tui.views import session_rows
from korg_tui.watching import Watching
from korg_tui.widgets.ascii import Ascii

HUNG_UP = 129
"""Exit code: the terminal was lost, as a shell counts the signal that says so."""

LEAVING_SECONDS = 1.0
"""The terminal is looked at so often."""

TAKING_SECONDS = 0.01
"""After so long, keys come before more facts."""

BREATH_SECONDS = 0.004
"""What keys and the screen get in between."""

LOOKING_SECONDS = 2.0
"""While there is nothing to show, it is looked for something so often."""


class Feeds(Protocol):
    """What the app needs of the feeds of all sources."""

    def add(self, source: Source, post: Callable[[Fact], None]) -> None: ...

    def stop(self) -> None: ...


def wall_clock() -> int:
    """The time now, in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class KorgApp(App[int], inherit_bindings=False):
    """The explorer over these sources. When there are none, `looked` says where was looked, and `look` is
    called now and then, in a thread of its own, until there are some."""

    TITLE = "korg-tui"
    COMMANDS: ClassVar = {TablePalette}
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar = [Binding("ctrl+q", "quit", show=False, priority=True)]

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        feeds: Feeds | None = None,
        clock: Clock = wall_clock,
        settings: Settings | None = None,
        looked: str = "",
        look: Callable[[], Looked] | None = None,
        choice: Choice | None = None,
        configured_in: str = "the built-in settings, no file",
        remembered: Remembered | None = None,
        key: bytes | None = None,
    ) -> None:
        self.settings = (settings or Settings()).spelled
        """What the person has chosen, from start to end."""
        self.configured_in = configured_in
        """Where that is written, for the help."""
        plain = not colours.wanted(os.environ)
        super().__init__(css_path=sorted(styles_folder().glob("*.tcss")), ansi_color=True if plain else None)
        # Its key is one of the keymap; Textual would bind one of its own.
        self.use_command_palette = True
        self.no_color = plain
        self._plain = NoColor()
        for each in THEMES.values():
            self.register_theme(each)
        self.theme = THEMES[self.settings.theme].name
        self.set_class(self.settings.ascii, "-ascii")
        self.clock = clock
        self._ascii = Ascii()
        self.looked = looked
        self.choice = choice
        """What is opened although nothing was named; None when something was."""
        self.utc = self.settings.utc
        self.rings = self.settings.bell
        """Whether a bell rings when a call fails while one follows."""
        self.remembered = Remembered(None) if remembered is None else remembered
        self.readings: list[Reading] = []
        """One for each ledger source."""
        self.folders: list[Reading] = []
        """What the folders say of themselves; their ledgers are readings of their own."""
        self._sources = list(sources)
        self._feeds = Pool() if feeds is None else feeds
        self._arrivals = Arrivals(lambda: self.post_message(Arrived()))
        self._families = Families()
        self._watching = Watching(self, Vigil(key))
        self._look = look
        self._looking = False
        self._unfrozen = 0
        self._opened_alone = False

    async def on_event(self, event: events.Event) -> None:
        """Pasted text is foreign text: only one safe line of it comes in, wherever it goes."""
        if isinstance(event, events.Paste) and not event.is_forwarded:
            event.text = visible(re.split(r"[\r\n]", event.text.strip(), maxsplit=1)[0])
        elif isinstance(event, events.Key):
            self._watching.pressed()
        await super().on_event(event)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What every drawn line passes: in ASCII what has other signs, without colours, if a person wants it
        so."""
        plain = [self._plain] if self.no_color else []
        # Textual takes an empty NO_COLOR for one that is set.
        filters = [each for each in super().get_line_filters() if not isinstance(each, Monochrome)]
        return [*filters, *plain, *([self._ascii] if self.ascii_only else [])]

    @property
    def ascii_only(self) -> bool:
        """Whether signs, borders and quotes are those of ASCII."""
        return self.settings.ascii

    @property
    def zone(self) -> tzinfo | None:
        """The zone in which times are shown; None is that of this machine."""
        return UTC if self.utc else None

    # feeds

    def on_mount(self) -> None:
        self._arrivals.begin()
        self.push_screen(LedgersScreen())
        if not self.is_headless:
            self.set_interval(LEAVING_SECONDS, self._leave_with_the_terminal)
            threading.Thread(target=_end_with_the_terminal, args=(0,), name="korg-end", daemon=True).start()
        if self._look is not None:
            self.set_interval(LOOKING_SECONDS, self._look_again)
        for source in self._sources:
            self._follow(source)

    def _leave_with_the_terminal(self) -> None:
        """A terminal that is lost ends the program, also where nobody sends it a signal."""
        if _hung_up(0):
            self.exit(HUNG_UP)

    def _follow(self, source: Source) -> None:
        reading = Reading.of(source)
        if isinstance(source, FolderSource):
            source.found = self._arrivals.found
            self.folders.append(reading)
        else:
            self.readings.append(reading)
        self._feeds.add(source, lambda fact: self._arrivals.post(reading, fact))

    def on_arrived(self) -> None:
        self.take_facts()

    def take_facts(self) -> None:
        """Take in what has arrived, unless a calculation reads the ledgers. Keys do not wait for all."""
        screens = [screen for screen in self.screen_stack if isinstance(screen, KorgScreen)]
        until = time.monotonic() + TAKING_SECONDS
        while not any(screen.busy for screen in screens):
            arrival = self._arrivals.take()
            if arrival is None:
                break
            if isinstance(arrival, tuple):
                self._take(*arrival, screens)
            else:
                self._follow(arrival)
            if time.monotonic() >= until:
                self.set_timer(BREATH_SECONDS, self.take_facts)
                break
        self._open_if_alone()

    def _take(self, reading: Reading, fact: Fact, screens: Sequence[KorgScreen]) -> None:
        changes = reading.apply(fact)
        for each, changed in [(reading, changes), *self._families.changed(reading, changes)]:
            self._watching.changed(each, changed, anew=isinstance(fact, Replaced))
            for screen in screens:
                screen.changed(each, changed)
        for path in self._families.missing():
            self._follow_sub_agent(path)
        if isinstance(fact, CaughtUp):
            self._spare_the_collector(reading)

    def _follow_sub_agent(self, path: Path) -> None:
        """A ledger that a call names is opened, unless it is read, or will be found in a folder."""
        watched = [reading.source.watched for reading in self.readings]
        folders = [reading.source.watched for reading in self.folders]
        if path in watched or any(folder and path.is_relative_to(folder) for folder in folders):
            return
        if lies_beside(path):
            self._follow(FileSource(path, wait=True))

    def _spare_the_collector(self, reading: Reading) -> None:
        """What long ledgers have become stays: looking through all of it for garbage would hold keys up for
        a quarter of a second, again and again."""
        self._unfrozen += sum(map(len, reading.journal.ledgers))
        if self._unfrozen >= LONG:
            self._unfrozen = 0
            gc.freeze()

    # what is known of the chains

    def watched(self, ledger: Ledger) -> Watched | None:
        """What can be said of the chain of a ledger now; None when that is nothing yet."""
        return self._watching.vigil.of(ledger)

    def standing(self, reading: Reading, ledger: Ledger) -> Standing | None:
        """Where its chain stands, as far as it was looked at; None when nobody has looked yet."""
        del reading
        return self._watching.vigil.standing(ledger)

    def on_unmount(self) -> None:
        self._arrivals.close()
        self._feeds.stop()

    # looking for something to open

    @property
    def looks(self) -> bool:
        """Whether it is looked for something to open while there is nothing."""
        return self._look is not None

    def _look_again(self) -> None:
        if not (self.readings or self.folders or self._looking):
            self._looking = True
            threading.Thread(target=self._look_in_a_thread, name="korg-look", daemon=True).start()

    def _look_in_a_thread(self) -> None:
        assert self._look is not None
        self.post_message(self._look())

    def on_looked(self, message: Looked) -> None:
        self._looking = False
        if self.readings or self.folders:
            return
        self.looked, self.choice = message.where, message.choice
        for source in message.sources:
            self._follow(source)
        if isinstance(self.screen, LedgersScreen):
            self.screen.looked_again()

    # screens

    def _open_if_alone(self) -> None:
        """The only session of the only source is opened at once; escape leads to the list."""
        if self._opened_alone or not isinstance(self.screen, LedgersScreen):
            return
        alone = list(islice((reading for reading in self.readings if not reading.hosted), 2))
        if len(alone) != 1 or not all(each.caught_up for each in (*alone, *self.folders)):
            return
        (reading,) = alone
        rows = [row for ledger in reading.journal.ledgers for row in session_rows(ledger)]
        self._opened_alone = bool(rows)
        if len(rows) == 1:
            self.screen.do_seen()  # the session says what is to be seen
            self.post_message(OpenSession(reading, rows[0].ledger, rows[0].index, choice=self.choice))

    def on_open_session(self, message: OpenSession) -> None:
        for ledger in message.reading.journal.ledgers:
            if ledger.name == message.ledger and message.session < len(ledger.sessions):
                session = message.session if message.session >= 0 else None
                screen = SessionScreen(
                    message.reading, ledger, session, seq=message.seq, row=message.row, choice=message.choice
                )
                if isinstance(self.screen, SessionScreen):
                    self.switch_screen(screen)
                else:
                    leads = message.seq is not None or message.row >= 0
                    screen.led_here = leads and not isinstance(self.screen, LedgersScreen)
                    self.push_screen(screen)

    def on_open_demo(self, _: OpenDemo) -> None:
        self.readings, self.folders, self._families = [], [], Families()
        self._watching.vigil.forget_all()
        self._opened_alone, self.choice = False, None
        self._follow(DemoSource())

    def open_event(self, reading: Reading, ledger: Ledger, row: int) -> None:
        """Go to an event, wherever it is: in the session that is open, or in one that is opened for it."""
        if row >= len(ledger):
            if isinstance(self.screen, KorgScreen):
                self.screen.say("this event is gone from its ledger")
            return
        seq, session = ledger.seq_at(row), ledger.session_at(row)
        if isinstance(self.screen, SessionScreen) and self.screen.ledger is ledger and seq is not None:
            self.screen.go_to_seq(seq)
        else:
            index = -1 if session is None else session.index
            self.post_message(OpenSession(reading, ledger.name, index, seq, row=row if seq is None else -1))

    def open_ledger(self, name: str) -> None:
        """Follow one more ledger. Raises `SourceError`."""
        for source in open_sources([name], wait=True, every=self.settings.every):
            self._follow(source)

    def tell_troubles(self) -> None:
        """Say, once, why something cannot be remembered."""
        screens = (each for each in reversed(self.screen_stack) if isinstance(each, KorgScreen))
        screen = next((each for each in screens if isinstance(each, SessionScreen | LedgersScreen)), None)
        if screen is not None:
            for words in self.remembered.troubles():
                screen.announce(words)

    def pop_screen(self) -> AwaitComplete:
        """Leave the screen on top. The list of ledgers stays, however often a hasty click says so."""
        return AwaitComplete() if isinstance(self.screen, LedgersScreen) else super().pop_screen()

    def open_help(self, now: Situation) -> None:
        """Show the help of this situation."""
        self.push_screen(HelpScreen(now, self.configured_in))

    def action_command_palette(self) -> None:
        """Open the palette, once."""
        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(id="--command-palette"))

    def use_theme(self, name: str) -> None:
        """Show everything in the colours of this theme, until the end."""
        self.theme = THEMES[name].name

    def toggle_utc(self) -> None:
        """Show times in UTC, or in local time again."""
        self.utc = not self.utc
        for screen in self.screen_stack:
            if isinstance(screen, KorgScreen):
                screen.times_changed()

    def _fatal_error(self) -> None:
        """Textual would print a traceback here; `run` raises the fault instead, for one line and a report."""
        hush(self._driver)
        self._close_messages_no_wait()

    @property
    def fault(self) -> Exception | None:
        """The internal fault that ended the app."""
        return self._exception


def _end_with_the_terminal(descriptor: int) -> None:
    """Ends a program whose terminal is lost and that does not leave: it hangs in writing to it."""
    poll = select.poll()
    poll.register(descriptor, 0)
    if any(event & select.POLLHUP for _, event in poll.poll()):
        time.sleep(3 * LEAVING_SECONDS)
        passing.clear()
        os._exit(HUNG_UP)


def hush(driver: object) -> None:
    """Let the terminal that a driver gives back echo nothing: whoever ran the app restores it."""
    attributes = getattr(driver, "attrs_before", None)
    if attributes is not None:
        attributes[3] &= ~termios.ECHO


def _hung_up(descriptor: int) -> bool:
    """Whether nobody has the other end open any more."""
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(event & select.POLLHUP for _, event in poll.poll(0))
