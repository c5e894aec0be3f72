"""The timeline screen: lanes against time, every row's bar below, and where the time went (EXPERIENCE, 5)."""

from __future__ import annotations

import time
from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult

from korg_tui.causal import Change, Ledger, Session
from korg_tui.commands import Place, Situation
from korg_tui.messages import OpenSession
from korg_tui.reading import Reading
from korg_tui.screens.asking import Asking
from korg_tui.screens.zooming import ZoomingScreen, named
from korg_tui.views import Timeline, Window, plural, time_words
from korg_tui.widgets.chrome import Bar, KeyFooter, Line, Notice
from korg_tui.widgets.lines import LineList
from korg_tui.widgets.names import ending
from korg_tui.widgets.timeline import Sight, TimeChart, TimeRows, legend

_SHARE = 5
"""A long timeline is laid out anew so seldom, that it takes a fifth of the time at most."""
_QUICK_SECONDS = 0.05
_CHART_SHARE = 3
"""The lanes take at most a third of the screen."""


class TimelineScreen(ZoomingScreen):
    """Screen 5 of EXPERIENCE: a session, or a whole ledger (None), against time, the cursor on `seq`."""

    PLACES = (Place.TIMELINE,)

    def __init__(self, reading: Reading, ledger: Ledger, session: Session | None, seq: int | None) -> None:
        super().__init__()
        self.reading = reading
        self.ledger = ledger
        self.asking = Asking(self, self._rested)
        self._session = session
        self._begin_at = seq
        self._at_end = False
        self._stale = False
        self._took = 0.0

    def compose(self) -> ComposeResult:
        yield Line("crumbs")
        yield TimeChart()
        yield Line("time-head")
        yield TimeRows()
        yield Bar("time-spent")
        yield Notice("notices")
        yield Line("status")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.set_focus(self.lines)
        self.lines.say_when_empty("Laying the events out …")
        self._show_crumbs()
        self.show_status()
        self.call_after_refresh(self._lay_out)

    @property
    def busy(self) -> bool:
        return self.asking.busy

    @property
    def row(self) -> int:
        """The ledger's row under the cursor, -1 when there is none, or a rewind has taken it since."""
        row = self.timeline.rows[self.lines.cursor] if self.timeline and self.timeline.rows else -1
        return row if row < len(self.ledger) else -1

    @property
    def situation(self) -> Situation:
        row = self.row if self.ready else -1
        return Situation(
            place=Place.TIMELINE,
            rows=len(self.timeline.rows) if self.timeline else 0,
            on_row=row >= 0,
            on_event=row >= 0 and self.ledger.kind_at(row).agent,
            failures=len(self.timeline.failures) if self.timeline else 0,
            slow=len(self.timeline.slowest) if self.timeline else 0,
            zoomed=self.window is not None,
            live=self.reading.live,
            notices=len(self.notices),
        )

    # laying out, at first and as it grows

    def _rested(self) -> None:
        self.korg.take_facts()

    def _lay_out(self) -> None:
        self._stale = False
        if not self.ready:
            return
        read = self.reading.bodies(self.ledger)

        def work() -> tuple[Timeline, float]:
            begun = time.monotonic()
            session = self._standing()
            timeline = Timeline(self.ledger, None if session is None else session.index, read)
            return timeline, time.monotonic() - begun

        self.asking.ask("timeline", work, self._laid_out, rows=len(self.ledger))

    def _standing(self) -> Session | None:
        """The session that is shown; one that was written anew has the number of the old one."""
        old, sessions = self._session, self.ledger.sessions
        if old is None or not sessions:
            return None
        if any(each is old.standing() for each in sessions):
            return old.standing()
        return next((each for each in sessions if each.seq == old.seq), sessions[0])

    def _laid_out(self, found: tuple[Timeline, float]) -> None:
        old, seq = self.timeline, self._seq
        self.timeline, self._took = found
        self._session = self.timeline.session
        if old is not None and self.window is not None:
            axis = self.timeline.axis
            begin, end = (axis.place(old.axis.moment(at)) for at in (self.window.begin, self.window.end))
            self.window = Window(begin, max(end, begin + 1e-6), self.window.cells)
        self.lines.say_when_empty("There are no events here.")
        self.show_timeline()
        row = None if seq is None else self.ledger.row_of(seq)
        last = len(self.timeline.rows) - 1
        follows = old is not None and self._at_end and self.reading.live
        self.lines.go(last if row is None or follows else self.timeline.index_of(row), jump=True)
        self._settle()

    @property
    def _seq(self) -> int | None:
        """The event under the cursor, by seq, as the timeline was laid out last."""
        if self.timeline is None:
            return self._begin_at
        row = self.row
        return self.ledger.seq_at(row) if 0 <= row < len(self.ledger) else None

    def changed(self, reading: Reading, changes: Sequence[Change]) -> None:
        if reading is not self.reading or not self.ready:
            return
        if not any(change.ledger is self.ledger for change in changes):
            self.show_status()
            return
        if self.timeline is not None:
            self._begin_at = self._seq
        if not self._stale:
            self._stale = True
            rest = self._took * _SHARE
            if rest > _QUICK_SECONDS:
                self.set_timer(rest, self._lay_out)
            else:
                self.call_after_refresh(self._lay_out)

    def on_screen_resume(self) -> None:
        if self.timeline is not None:
            self.show_timeline()

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_timeline)

    def times_changed(self) -> None:
        self.show_timeline()

    # showing

    def show_timeline(self) -> None:
        """Bring everything up to date with the window."""
        if not (self.ready and self.timeline is not None):
            return
        self._show_bars()
        self.query_one("#time-spent", Bar).show([(" · ".join(time_words(self.timeline)), "")])
        head = f" seq lane  {legend(self.korg.ascii_only)}"
        self.query_one("#time-head", Line).show([(head, "line--quiet")])
        self._show_crumbs()
        self.show_status()

    def _show_bars(self) -> None:
        sight = self.sight
        if sight is not None:
            self.lines.show(sight)
            most = max(3, self.size.height // _CHART_SHARE)
            self.query_one(TimeChart).show(sight, self.lines.cursor, most)

    @property
    def sight(self) -> Sight | None:
        if self.timeline is None:
            return None
        sight = Sight(self.timeline, self.timeline.whole(1), self.korg.zone, self.korg.ascii_only)
        cells = sight.columns(self.lines.row_width).bars
        seen = self.window or self.timeline.whole(cells)
        window = self.timeline.moved(Window(seen.begin, seen.end, cells), seen.begin)
        return Sight(self.timeline, window, self.korg.zone, self.korg.ascii_only)

    def _show_crumbs(self) -> None:
        line, row = self.query_one("#crumbs", Line), self.row
        parts = [(ending(self.ledger.name, max(14, self.size.width // 4)), "line--quiet")]
        if self._session is not None:
            parts.append((f" › session {self._session.seq}", ""))
        parts.append((" › timeline", "line--strong"))
        if row >= 0 and self.timeline is not None:
            shown = self.timeline.line(self.lines.cursor)
            lanes = [each.title for each in self.timeline.lanes if each.id == shown.lane]
            parts += [
                (f" › lane {lanes[0]}" if lanes else "", ""),
                (f" › {shown.number} {shown.tool}", "line--strong"),
            ]
        line.show(parts)

    def show_status(self) -> None:
        if self.ready:
            self.status.show([(self.remark, "line--mark")] if self.remark else self._status())
            self.show_keys()

    def _status(self) -> list[tuple[str, str]]:
        timeline = self.timeline
        if timeline is None:
            return [("laying the events out …", "")]
        parts: list[tuple[str, str]] = []
        if self.reading.live and self._at_end:
            parts.append(("FOLLOW", "line--good"))
        parts.append((_counted(timeline), ""))
        parts.append((_lanes_shown(self.query_one(TimeChart), len(timeline.lanes)), ""))
        failed = len(timeline.failures)
        parts.append((f"{failed:,} failed", "line--bad" if failed else "line--quiet"))
        if self.window is not None:
            share = 100 * (self.window.end - self.window.begin) / timeline.axis.length
            seen = f"{share:.0f} %" if share >= 1 else "less than 1 %"
            parts.append((self.keymap.told(f"zoomed to {seen}: {{zoom-whole}} shows all"), "line--mark"))
        if timeline.slowest:
            parts.append((f"slowest {named(timeline, timeline.slowest[0])}", ""))
        shown_parts: list[tuple[str, str]] = []
        for part in parts:
            shown_parts += [(" · ", "line--quiet")] * bool(shown_parts) + [part]
        return shown_parts

    def _settle(self) -> None:
        """The cursor went elsewhere: what is seen goes along."""
        timeline, sight = self.timeline, self.sight
        if timeline is None or sight is None:
            return
        self._at_end = self.lines.cursor >= len(timeline.rows) - 1
        if self.window is not None and timeline.rows:
            self.window = timeline.showing(sight.window, self.lines.cursor)
        self._show_bars()
        self._show_crumbs()
        self.show_status()

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._settle()

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        self.give("open-event")

    @on(TimeChart.Aimed)
    def _aimed(self, event: TimeChart.Aimed) -> None:
        index = self.timeline.nearest(event.lane, event.begin, event.end) if self.timeline else None
        if index is not None:
            self.lines.go(index, jump=True)

    # commands

    def do_follow(self) -> None:
        self.do_last()

    def do_open_event(self) -> None:
        row = self.row
        session = self.ledger.session_at(row) or self._session
        index = -1 if session is None else session.standing().index
        seq = self.ledger.seq_at(row)
        self.post_message(OpenSession(self.reading, self.ledger.name, index, seq))


def _counted(timeline: Timeline) -> str:
    """`58 events, 63 rows`: what agents did, and with it governance events, malformed lines and gaps."""
    sessions = timeline.ledger.sessions if timeline.session is None else [timeline.session]
    events = sum(each.total_events for each in sessions)
    rows = len(timeline.rows)
    return plural(events, "event") + (f", {plural(rows, 'row')}" if rows != events else "")


def _lanes_shown(chart: TimeChart, count: int) -> str:
    if chart.shown >= count:
        return plural(count, "lane")
    return f"lanes {chart.top + 1}–{chart.top + chart.shown} of {count}"
