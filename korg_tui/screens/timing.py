"""TimingScreen: from a session to the same events against time, in numbers, and beside another session."""

from __future__ import annotations

from korg_tui.reading import Reading
from korg_tui.screens.stats import StatsScreen
from korg_tui.screens.stepping import SteppingScreen
from korg_tui.screens.timeline import TimelineScreen


class TimingScreen(SteppingScreen):
    """Commands `timeline` and `stats`."""

    reading: Reading

    def do_timeline(self) -> None:
        row = self.row
        seq = None if row < 0 else self.ledger.seq_at(row)
        self.korg.push_screen(TimelineScreen(self.reading, self.ledger, self.spine.session, seq))

    def do_stats(self) -> None:
        self.korg.push_screen(StatsScreen(self.korg.readings, self.reading, self.ledger, self.spine.session))
