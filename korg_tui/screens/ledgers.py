"""The ledgers screen: sessions of all sources, newest activity first, and how each source is doing."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from korg_tui.causal import Change, Ledger, Rewound
from korg_tui.commands import Place, Situation
from korg_tui.messages import OpenDemo, OpenSession
from korg_tui.reading import Reading
from korg_tui.screens.aiding import AidingScreen
from korg_tui.screens.headlines import WELL, Told, ages, source_state
from korg_tui.screens.labelling import LabellingScreen
from korg_tui.screens.onward import OnwardScreen
from korg_tui.screens.touched import EventsScreen, places_of
from korg_tui.screens.trusting import TrustingScreen
from korg_tui.sources import FolderSource
from korg_tui.text import visible, visible_lines
from korg_tui.views import SORTS, QueryError, SessionBook, SessionRow, plural, rewound_words
from korg_tui.widgets.chrome import Ask, Bar, KeyFooter, Line, Notice
from korg_tui.widgets.lines import LineList
from korg_tui.widgets.names import apart, ending
from korg_tui.widgets.sessions import Row, SessionList, SourceRow

_AGE_SECONDS = 1.0
_QUICK_SECONDS = 0.1
_SHARE = 10
"""A list that is not quickly brought up to date is so seldom, that it takes a tenth of the time at most."""
_MANY = 8
"""While more sources than these are read for the first time, the list is brought up to date less often, and
does not name each of them."""
_LOADING_SECONDS = 0.15
_EMPTY = " has no sessions yet: the first event will show here"
_TROUBLE = ("failed", "gone", "waiting", "offline", "warned")


class LedgersScreen(OnwardScreen, LabellingScreen, AidingScreen, TrustingScreen):
    """Screen 1 of EXPERIENCE."""

    PLACES = (Place.LEDGERS,)

    def __init__(self) -> None:
        super().__init__()
        self.sort = SORTS[0]
        self.words = ""
        self.listed = ""
        """The events that were asked for last."""
        self.book = SessionBook()
        self._told: dict[Reading, SourceRow] = {}
        """What is said of sources that have no sessions, or are not well."""
        self._reading: set[Reading] = set()
        """Those that are read for the first time now, or wait for it."""
        self._order: dict[Reading, int] = {}
        """The order in which readings were met."""
        self._changed: dict[Reading, None] = {}
        """Readings whose rows are to be counted anew."""
        self._names: dict[str, str] = {}
        """What ledgers are called in the list, by their names."""
        self._stale = False
        self._took = 0.0
        """Seconds that it took to bring the list up to date."""

    def compose(self) -> ComposeResult:
        yield Line("crumbs")
        yield Line("sessions-head")
        yield SessionList()
        yield Static(id="nothing")
        yield Bar("told")
        yield Notice("notices")
        yield Ask()
        yield Line("status")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.set_focus(self.lines)
        self.set_interval(_AGE_SECONDS, self._grow_older)
        self.show_rows()
        self.tell_choice(self.korg.choice)

    def on_screen_resume(self) -> None:
        self.show_rows()

    @property
    def lines(self) -> SessionList:
        """The list of sessions."""
        return self.query_one(SessionList)

    @property
    def situation(self) -> Situation:
        return Situation(
            place=Place.LEDGERS,
            rows=len(self.book.rows),
            on_row=self.lines.row is not None,
            nothing_found=not (self.korg.readings or self.korg.folders),
            notices=len(self.notices),
        )

    def changed(self, reading: Reading, changes: Sequence[Change]) -> None:
        """Rows are counted anew once per frame, however many facts came, and only those that changed."""
        self._changed[reading] = None
        if not self.on_top:
            return
        for change in changes:
            if isinstance(change, Rewound):
                self.announce(f"{change.ledger.name}: {rewound_words(reading, change)}")
        if not self._stale:
            self._stale = True
            rest = self._took * _SHARE if self._took >= _QUICK_SECONDS else 0.0
            if len(self._reading) > _MANY:
                rest = max(rest, _LOADING_SECONDS)
            if rest:
                self.set_timer(rest, self.show_rows)
            else:
                self.call_after_refresh(self.show_rows)

    def in_front(self) -> Iterator[Ledger]:
        """Those of the rows that are seen."""
        for index in self.lines.seen if self.ready else ():
            row = self.lines.rows[index]
            reading = self.book.owner(row.ledger)
            if isinstance(row, SessionRow) and reading is not None:
                yield from (each for each in reading.journal.ledgers if each.name == row.ledger)

    def standing_changed(self, reading: Reading, ledger: Ledger) -> None:
        self.changed(reading, ())
        if ledger.host is not None:
            for each in self.korg.readings:
                if ledger.host in each.journal.ledgers:
                    self.changed(each, ())

    def times_changed(self) -> None:
        self.show_rows()

    # showing

    def _grow_older(self) -> None:
        if self.on_top and self.ready:
            now = self.korg.clock()
            self.lines.grow_older(now)
            older = [reading for reading in self._told if ages(reading, now)]
            if older:
                self._changed.update(dict.fromkeys(older))
                self.show_rows()

    def show_rows(self) -> None:
        """Bring the list up to date."""
        self._stale = False
        if self.on_top and self.ready:
            begun = time.monotonic()
            self._show_rows()
            self._took = time.monotonic() - begun

    def _show_rows(self) -> None:
        self._meet_readings()
        for reading in self._changed:
            self._count(reading)
        self._changed = {}
        self.book.arrange(self.sort, self.words)
        listed = self._told.keys() - (self._reading if len(self._reading) > _MANY else ())
        told = [self._told[reading] for reading in sorted(listed, key=self._order.__getitem__)]
        told = [row for row in told if _has(row, self.words)]
        self._name_ledgers(told)
        several = self.book.ledgers > 1
        rows: list[Row] = [*told, *self.book.rows]
        self.lines.say_when_empty(self._why_empty())
        self.lines.show(rows, self._names, several=several, now_ms=self.korg.clock())
        self._show_crumbs()
        self._show_head()
        self._show_nothing()
        self.show_status()

    def _show_crumbs(self) -> None:
        """A single ledger is named in the title: its rows do not name it."""
        parts = [("ledgers and sessions", "line--strong")]
        if len(self._names) == 1:
            name = next(iter(self._names.values()))
            parts.append((f" › {ending(name, max(14, self.size.width - 24))}", "line--quiet"))
        self.query_one("#crumbs", Line).show(parts)

    def _why_empty(self) -> str:
        if self.words:
            return f"No session has “{visible(self.words, 40)}”: {self.keymap.name('leave')} shows all."
        return "There are no sessions yet: the first event will show here."

    def on_resize(self) -> None:
        self._show_crumbs()
        self._show_head()

    def _show_head(self) -> None:
        head = self.lines.head(self.lines.row_width, self.sort)
        self.query_one("#sessions-head", Line).show([(head, "line--quiet")])

    def _meet_readings(self) -> None:
        """Those that nothing was heard of yet are listed, too."""
        readings = [*self.korg.folders, *self.korg.readings]
        if len(readings) != len(self._order):
            for reading in readings:
                if reading not in self._order:
                    self._order[reading] = len(self._order)
                    self._changed.setdefault(reading)

    def _count(self, reading: Reading) -> None:
        """Bring up to date what is listed of one reading."""
        folder = isinstance(reading.source, FolderSource)
        sessions = 0 if folder else self._update(reading)
        if not reading.caught_up and reading.state == "reading":
            self._reading.add(reading)
        else:
            self._reading.discard(reading)
        quiet = sessions or reading.hosted or (folder and reading.caught_up)
        if reading.state in _TROUBLE or not quiet:
            self._told[reading] = self._source_row(reading)
        else:
            self._told.pop(reading, None)

    def _update(self, reading: Reading) -> int:
        return self.book.update(reading, live=reading.state in WELL, watched=self.korg.watched)

    def _name_ledgers(self, told: Sequence[SourceRow]) -> None:
        names = dict.fromkeys([*self.book.names(), *(row.ledger for row in told)])
        if names.keys() != self._names.keys():
            self._names = apart(list(names))

    def _source_row(self, reading: Reading) -> SourceRow:
        if not reading.caught_up and reading.state == "reading":
            return SourceRow(reading.journal.name, "reading", "")
        if reading.state in WELL:
            return SourceRow(reading.journal.name, "empty", _EMPTY)
        told = Told(self.korg.zone, self.korg.clock())
        return SourceRow(reading.journal.name, reading.state, source_state(reading, told))

    def _show_told(self) -> None:
        """The whole sentence about the source under the cursor, where its row has no room for it."""
        row = self.lines.row
        cut = isinstance(row, SourceRow) and row.state != "empty" and self.lines.cuts(row)
        told = f"{visible(row.ledger)}{row.text}" if cut and isinstance(row, SourceRow) else ""
        bar = self.query_one("#told", Bar)
        bar.display = bool(told)
        bar.show([(told, "line--mark")])

    def _show_nothing(self) -> None:
        nothing = self.query_one("#nothing", Static)
        nothing.display = not (self.korg.readings or self.korg.folders)
        self.lines.display = self.query_one("#sessions-head").display = not nothing.display
        if nothing.display:
            looked = visible_lines(self.korg.looked, 40)
            offer = self.keymap.told("Press {demo} to play the demo: a recorded session, no set-up.")
            again = "Looks again every 2 s, and opens what appears." if self.korg.looks else ""
            nothing.update(Content("\n".join(["No ledger found.", "", *looked, "", offer, again]).rstrip()))

    def looked_again(self) -> None:
        """There was nothing to show, and it was looked again."""
        self.show_rows()
        self.tell_choice(self.korg.choice)

    def show_status(self) -> None:
        self._show_told()
        self.status.show([(self.remark, "line--mark")] if self.remark else self._status())
        self.show_keys()

    def _status(self) -> list[tuple[str, str]]:
        counts = f"{plural(self.book.sessions, 'session')} in {plural(self.book.ledgers, 'ledger')}"
        if self.words:
            counts = f"{len(self.book.rows):,} of {counts}"
        parts = [counts]
        if self.words:
            parts.append(f"only with “{visible(self.words, 20)}”: {self.keymap.name('leave')} shows all")
        parts.append(f"sorted by {self.sort}")
        if len(self._reading) > _MANY:
            parts.append(f"reading {len(self._reading):,} more")
        elif self._reading:
            parts.append(_progress(self._reading))
        elif any(row.live for row in self.book.rows[: self.lines.page]):
            parts.append("● live")
        return [(" · ".join(parts), "line--quiet")]

    # commands

    def do_open(self) -> None:
        row = self.lines.row
        if not isinstance(row, SessionRow):
            self.say("this source has no session to open yet")
            return
        reading = self.book.owner(row.ledger)
        if reading is not None:
            self.post_message(OpenSession(reading, row.ledger, row.index))

    def do_sort(self) -> None:
        self.sort = SORTS[(SORTS.index(self.sort) + 1) % len(SORTS)]
        self.show_rows()

    def do_narrow(self) -> None:
        self.query_one(Ask).ask(
            "sessions", "show sessions with", self.words, goes_on=True, aid=self.history_for("sessions")
        )

    def do_list_events(self) -> None:
        aid = self.aid_for("events", list(places_of(self.korg.readings)))
        listed = visible(self.listed)
        self.query_one(Ask).ask("events", "list the events that fit", listed, goes_on=True, aid=aid)

    def _list_events(self, query: str) -> None:
        if not query:
            self._close_ask()
            self.listed = ""
            self.say("nothing was asked for: type what the events have, as in tool:Edit path:src/")
            return
        try:
            now_ms, zone = self.korg.clock(), self.korg.zone
            screen = EventsScreen(self.korg.readings, query, now_ms=now_ms, zone=zone)
        except QueryError as error:
            self.query_one(Ask).refuse(error)
            return
        self._close_ask()
        self.listed = query
        self.keep_asked("events", query)
        self.korg.push_screen(screen)

    def do_demo(self) -> None:
        self.post_message(OpenDemo())

    def do_leave(self) -> None:
        if self.query_one(Ask).asking:
            self._close_ask()
        elif self.words:
            self._narrow("")
        else:
            self.remark = "this is the first screen: q quits"

    @on(Ask.Typing)
    def _typing(self, event: Ask.Typing) -> None:
        if event.purpose == "sessions":
            self._narrow(event.answer)

    @on(Ask.Answered)
    def _answered(self, event: Ask.Answered) -> None:
        if event.purpose == "events":
            self._list_events(event.answer.strip())
            return
        self._close_ask()
        if event.purpose == "sessions":
            self.keep_asked("sessions", event.answer)
            self._narrow(event.answer)

    def _narrow(self, words: str) -> None:
        self.words = words
        self.show_rows()
        if words.strip():
            self.lines.go(0)

    def _close_ask(self) -> None:
        self.query_one(Ask).close()
        self.set_focus(self.lines)

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._show_told()

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        self.give("open")


def _has(row: SourceRow, words: str) -> bool:
    """Whether every one of the words is in what is said of a source."""
    said = f"{visible(row.ledger)} {row.state} {row.text}".casefold()
    return all(word in said for word in words.casefold().split())


def _progress(readings: Iterable[Reading]) -> str:
    done, total = sum(each.done for each in readings), sum(each.total for each in readings)
    return f"reading {100 * done // total} %" if total else "reading"
