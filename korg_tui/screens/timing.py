"""TimingScreen: from a session to the same events against time, in numbers, and beside another session."""

from __future__ import annotations

from korg_tui.reading import Reading
from korg_tui.screens.choices import Subject
from korg_tui.screens.compare import CompareScreen
from korg_tui.screens.stats import StatsScreen
from korg_tui.screens.stepping import SteppingScreen
from korg_tui.screens.timeline import TimelineScreen


class TimingScreen(SteppingScreen):
    """Commands `timeline`, `stats` and `compare`."""

    reading: Reading

    def do_timeline(self) -> None:
        row = self.row
        seq = None if row < 0 else self.ledger.seq_at(row)
        self.korg.push_screen(TimelineScreen(self.reading, self.ledger, self.spine.session, seq))

    def do_stats(self) -> None:
        self.korg.push_screen(StatsScreen(self.korg.readings, self.reading, self.ledger, self.spine.session))

    def do_compare(self) -> None:
        row = self.row
        session = self.spine.session or (self.ledger.session_at(row) if row >= 0 else None)
        if session is None:
            self.remark = "this row is in no session"
        else:
            subject = Subject(self.reading, self.ledger, session.standing())
            self.korg.push_screen(CompareScreen(self.korg.readings, subject))
