"""BookmarksScreen: all bookmarks, those of the ledger that is open first; each leads to its event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from korg_tui.causal import Change, Ledger
from korg_tui.commands import Place, Situation
from korg_tui.reading import Reading
from korg_tui.remembered import Bookmark
from korg_tui.screens.labelling import LabellingScreen
from korg_tui.sources import SourceError
from korg_tui.text import crop, visible
from korg_tui.views import ago, ledger_identity, lost_words, marked, plural
from korg_tui.widgets.bookmarks import BookmarkList, BookmarkRow
from korg_tui.widgets.chrome import Ask, KeyFooter, Line
from korg_tui.widgets.lines import LineList


@dataclass(frozen=True, slots=True)
class Aim:
    """Where a bookmark leads to now."""

    reading: Reading
    ledger: Ledger
    row: int


class BookmarksScreen(LabellingScreen):
    """The bookmarks of this person. `reading` and `ledger` are what is open, None from a list."""

    PLACES = (Place.BOOKMARKS,)

    def __init__(self, reading: Reading | None = None, ledger: Ledger | None = None) -> None:
        super().__init__()
        self.here = "" if reading is None or ledger is None else ledger_identity(reading, ledger)
        self._aims: dict[Bookmark, Aim] = {}
        self._lost: dict[Bookmark, str] = {}
        self._awaited: Bookmark | None = None
        """What is gone to as soon as its ledger is read."""

    def compose(self) -> ComposeResult:
        yield Line("crumbs")
        yield BookmarkList()
        yield Static(id="nothing")
        yield Ask()
        yield Line("status")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.lines.ascii_only = self.korg.ascii_only
        self.query_one("#crumbs", Line).show([("bookmarks", "line--strong")])
        self.set_focus(self.lines)

    def on_screen_resume(self) -> None:
        self.show_bookmarks()

    @property
    def lines(self) -> BookmarkList:
        """The list of bookmarks."""
        return self.query_one(BookmarkList)

    @property
    def situation(self) -> Situation:
        return Situation(place=Place.BOOKMARKS, rows=self.lines.count, on_row=self.lines.count > 0)

    def show_bookmarks(self) -> None:
        """Bring the list up to date."""
        if not self.ready:
            return
        every = self.korg.remembered.bookmarks()
        self._look_for(every)
        self.lines.show(list(self._rows(every)))
        nothing = self.query_one("#nothing", Static)
        nothing.display = not every
        self.lines.display = bool(every)
        nothing.update(
            Content(
                self.keymap.told(
                    "There are no bookmarks.\n\nIn a session {bookmark} marks the row under the cursor; "
                    "{bookmarks} lists what is marked.\n{leave} goes back."
                )
            )
        )
        self.show_status()

    def _look_for(self, every: tuple[Bookmark, ...]) -> None:
        """Where each of them is in the ledgers that are open."""
        self._aims, self._lost = {}, {}
        for reading in self.korg.readings:
            for ledger in reading.journal.ledgers:
                found = marked(reading, ledger, every)
                for row, mark in found.rows.items():
                    if ledger.host is None or mark not in self._aims:
                        self._aims[mark] = Aim(reading, ledger, row)
                for mark, fate in found.lost:
                    self._lost[mark] = lost_words(mark, fate)
        for mark in every:
            if mark not in self._aims:
                self._lost.setdefault(mark, "")

    def _rows(self, every: tuple[Bookmark, ...]) -> Iterator[BookmarkRow]:
        """By ledger, the one that is open first; in a ledger by seq."""
        order = sorted(every, key=lambda each: (each.ledger != self.here, each.ledger, each.seq))
        now = self.korg.clock()
        for ledger, marks in groupby(order, key=lambda each: each.ledger):
            listed = list(marks)
            is_open = any(mark in self._aims or self._lost[mark] for mark in listed)
            here = ": open here" if ledger == self.here else "" if is_open else ": not open"
            yield BookmarkRow(f"{ledger.removeprefix('-:')}{here}")
            for mark in listed:
                state = "" if mark in self._aims else self._lost[mark]
                yield BookmarkRow(ledger, mark, state, ago(mark.at_ms, now))

    def show_status(self) -> None:
        if not self.ready:
            return
        count = sum(row.mark is not None for row in self.lines.rows)
        told = f"{plural(count, 'bookmark')} · {len(self._aims):,} in ledgers that are open"
        row = self.lines.row
        said = crop(row.state, 400) if row is not None and row.state else ""
        if row is not None and row.mark is not None and not said and row.mark not in self._aims:
            said = self.keymap.told("its ledger is not open: {open-bookmark} opens it")
        self.status.show([(self.remark or said, "line--mark")] if self.remark or said else [(told, "")])
        self.show_keys()

    # commands

    def do_open_bookmark(self) -> None:
        self.show_bookmarks()  # rows may have moved since
        row = self.lines.row
        aim = None if row is None or row.mark is None else self._aims.get(row.mark)
        if aim is not None:
            self._go(aim)
        elif row is not None and row.mark is not None and not row.state:
            self._open(row.mark)
        else:
            self.remark = "" if row is None else visible(row.state, 400)

    def _go(self, aim: Aim) -> None:
        self.app.pop_screen()
        self.korg.open_event(aim.reading, aim.ledger, aim.row)

    def _open(self, mark: Bookmark) -> None:
        """Read the ledger of a bookmark; the event is gone to when that is done."""
        path, number = mark.ledger, mark.ledger.rpartition("#")[2]
        if number.isdigit() and not Path(path).exists():
            path = path.rpartition("#")[0]
        self._awaited = mark
        self.remark = f"reading {visible(path, 200)} …"
        try:
            self.korg.open_ledger(path)
        except SourceError as error:
            self._awaited = None
            self.remark = visible(error.text, 400)

    def changed(self, reading: Reading, changes: Sequence[Change]) -> None:
        """What was waited for may be there now."""
        del changes
        mark = self._awaited
        if mark is None or not self.on_top or not self.ready:
            return
        names = {ledger_identity(reading, ledger) for ledger in reading.journal.ledgers}
        if reading.state in ("waiting", "failed", "gone", "offline") and mark.ledger not in names:
            self.say(visible(reading.text, 400))
        elif reading.caught_up and mark.ledger in names:
            self._awaited = None
            self.show_bookmarks()
            aim = self._aims.get(mark)
            if aim is not None:
                self._go(aim)
            else:
                self.say(self._lost[mark])

    def do_forget_bookmark(self) -> None:
        row = self.lines.row
        if row is None or row.mark is None:
            return
        self.korg.remembered.forget(row.mark)
        self.show_bookmarks()
        self.remark = f"{row.mark.seq} is not marked any more"
        self.korg.tell_troubles()

    @on(LineList.Moved)
    def _moved(self) -> None:
        self.remark = ""
        self.show_status()

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        self.give("open-bookmark")

