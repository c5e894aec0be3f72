"""OnwardScreen: what leads on from the session under the cursor - copies, exports, bookmarks, numbers, a
comparison, findings."""

from __future__ import annotations

from korg_tui.causal import Ledger
from korg_tui.reading import Reading
from korg_tui.remembered import identity
from korg_tui.screens.bookmarks import BookmarksScreen
from korg_tui.screens.choices import Subject
from korg_tui.screens.compare import CompareScreen
from korg_tui.screens.export import ExportScreen
from korg_tui.screens.exporting import session_scopes
from korg_tui.screens.findings import FindingsScreen
from korg_tui.screens.sending import SendingScreen
from korg_tui.screens.stats import StatsScreen
from korg_tui.views import SessionBook, SessionRow, ledger_copies
from korg_tui.widgets.sessions import SessionList


class OnwardScreen(SendingScreen):
    """Commands `copy`, `export`, `bookmarks`, `stats`, `compare`, `findings` of a list of sessions."""

    book: SessionBook

    @property
    def lines(self) -> SessionList:
        """The list of sessions."""
        raise NotImplementedError

    def do_copy(self) -> None:
        row = self.lines.row
        reading = None if row is None else self.book.owner(row.ledger)
        if row is not None:
            session = row.seq if isinstance(row, SessionRow) else None
            where = identity(None if reading is None else reading.source.watched, row.ledger)
            self.offer(("row", row.ledger, session), ledger_copies(where.removeprefix("-:"), session))

    def do_export(self) -> None:
        found, row = self._under_the_cursor(), self.lines.row
        if found is None or not isinstance(row, SessionRow):
            self.remark = "this source has no session to export yet"
        else:
            self.korg.push_screen(ExportScreen(session_scopes(*found, row.index)))

    def do_bookmarks(self) -> None:
        self.korg.push_screen(BookmarksScreen())

    def do_stats(self) -> None:
        found = self._under_the_cursor()
        if found is None:
            self.say("this source has no session to count yet")
        else:
            self.korg.push_screen(StatsScreen(self.korg.readings, *found, None))

    def do_findings(self) -> None:
        found = self._under_the_cursor()
        if found is None:
            self.say("this source has no ledger to examine yet")
        else:
            self.korg.push_screen(FindingsScreen(*found))

    def do_compare(self) -> None:
        found, row = self._under_the_cursor(), self.lines.row
        if found is None or not isinstance(row, SessionRow) or row.index < 0:
            self.say("this row has no session to compare")
        else:
            subject = Subject(*found, found[1].sessions[row.index])
            self.korg.push_screen(CompareScreen(self.korg.readings, subject))

    def _under_the_cursor(self) -> tuple[Reading, Ledger] | None:
        """The reading and the ledger whose session is under the cursor, unless a rewind has just taken it."""
        row = self.lines.row
        reading = self.book.owner(row.ledger) if isinstance(row, SessionRow) else None
        if reading is None or not isinstance(row, SessionRow):
            return None
        ledgers = (each for each in reading.journal.ledgers if each.name == row.ledger)
        ledger = next((each for each in ledgers if row.index < len(each.sessions)), None)
        return None if ledger is None else (reading, ledger)
