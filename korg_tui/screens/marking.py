"""MarkingScreen: bookmarks in a spine, and the place where a person was when the session was left."""

from __future__ import annotations

from msgspec.structs import replace

from korg_tui.reading import Reading
from korg_tui.remembered import Spot
from korg_tui.screens.bookmarks import BookmarksScreen
from korg_tui.screens.stepping import SteppingScreen
from korg_tui.views import Marked, bookmark, ledger_identity, marked, plural

KEPT_SECONDS = 5.0
"""The place is remembered so often while it changes, for a terminal that is closed says nothing."""


class MarkingScreen(SteppingScreen):
    """Commands `bookmark`, `bookmarks`; where a session is opened again."""

    reading: Reading

    def __init__(self) -> None:
        super().__init__()
        self.marked = Marked()
        """The bookmarks of this ledger, as it stands now."""
        self._kept: Spot | None = None

    # bookmarks

    def do_bookmark(self) -> None:
        line = self.view.line
        words = "" if line is None else f"{line.tool} {line.argument}".strip()
        mark = bookmark(self.reading, self.ledger, self.row, words, self.korg.clock())
        if mark is None:
            self.remark = "only an event can be marked: this row has no number of its own"
            return
        there = self.korg.remembered.toggle(mark)
        self.mark_again()
        self.settle()
        self.remark = f"marked {mark.seq} · " if there else f"{mark.seq} is not marked any more · "
        self.remark += self.keymap.told("{bookmarks}: ") + plural(len(self.marked.rows), "bookmark") + " here"
        self.korg.tell_troubles()

    def mark_again(self) -> None:
        """Bookmarks or rows have changed: show them where they are now."""
        self.marked = marked(self.reading, self.ledger, self.korg.remembered.bookmarks())
        rows = frozenset(self.marked.rows)
        if rows != self.view.bookmarks:
            self.view.bookmarks = rows
            self.view.redraw()

    def on_screen_resume(self) -> None:
        """Marks may have been taken away in the list of bookmarks, or by another program."""
        if self.ready:
            self.mark_again()

    def do_bookmarks(self) -> None:
        self.korg.push_screen(BookmarksScreen(self.reading, self.ledger))

    # the place

    def on_mount(self) -> None:
        self.set_interval(KEPT_SECONDS, self.keep_place)

    def keep_place(self) -> None:
        """Remember the event at or above the cursor, if that is not what is remembered; and what could not
        be written before."""
        self.korg.remembered.settle()
        rows = self.spine.all_rows
        row = self._event_at(self.row)
        if row is None or not rows or rows[-1] >= len(self.ledger):
            return
        at_end = self.view.following or self.row == rows[-1]
        spot = Spot(
            ledger_identity(self.reading, self.ledger),
            self._session_seq,
            -1 if at_end else self.ledger.seq[row],
            0 if at_end else self.ledger.columns.digest[row],
            at_end=at_end,
            last=-1 if at_end else self.ledger.seq[rows[-1]],
        )
        if spot != self._kept:
            self._kept = spot
            self.korg.remembered.keep_spot(replace(spot, at_ms=self.korg.clock()))

    def _event_at(self, row: int) -> int | None:
        """The row itself; of a malformed line or a gap, the event before it."""
        if row >= 0 and self.ledger.seq_at(row) is not None:
            return row
        seqs = (self.ledger.seq[each] for each in (row, row - 1) if each >= 0)
        found = (self.ledger.row_of(seq) for seq in seqs)
        return next((each for each in found if each is not None), None)

    @property
    def _session_seq(self) -> int:
        session = self.spine.session
        return -1 if session is None else session.seq

    def return_to_place(self) -> bool:
        """Go where the person was, unless there is something newer to see at the end of a ledger that grows:
        then the way back is one key. True when the cursor was put there."""
        spot = self.korg.remembered.spot(ledger_identity(self.reading, self.ledger), self._session_seq)
        if spot is None or spot.at_end:
            return False
        self._kept = replace(spot, at_ms=0)
        row = self.ledger.row_of(spot.seq)
        number = "it" if row is None else str(self.ledger.number_at(row))
        if row is None or self.ledger.columns.digest[row] != spot.digest:
            self.say("where you were is gone from this ledger: a rewind took it away")
            return False
        rows = self.spine.all_rows
        came = self.ledger.seq[rows[-1]] != spot.last if rows else False
        if self.reading.live and came:
            self.trail.append((spot.seq, row))
            self.say(self.keymap.told(f"new events came since you were at {number} · {{back}}: there"))
            return False
        if not self.jump(row):
            return False
        self.trail.clear()
        self.say(self.keymap.told(f"where you were: {number} · {{last}}: the end"))
        return True
