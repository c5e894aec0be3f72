"""The timeline screen: lanes against time, every row's bar below, and where the time went (EXPERIENCE, 5)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from textual import on
from textual.app import ComposeResult

from korg_tui.causal import Change, Ledger, Session
from korg_tui.commands import Place, Situation
from korg_tui.messages import OpenSession
from korg_tui.reading import Reading
from korg_tui.screens.asking import Asking
from korg_tui.screens.base import KorgScreen
from korg_tui.views import Timeline, Window, duration, in_turn, label, neighbour, plural, time_words
from korg_tui.widgets.chrome import Bar, KeyFooter, Line, Notice
from korg_tui.widgets.lines import LineList
from korg_tui.widgets.names import ending
from korg_tui.widgets.timeline import Sight, TimeChart, TimeRows, legend

_ZOOM = 2.0
_STEP = 0.25
"""What the window moves by, as a part of itself."""
_SHARE = 5
"""A long timeline is laid out anew so seldom, that it takes a fifth of the time at most."""
_QUICK_SECONDS = 0.05
_CHART_SHARE = 3
"""The lanes take at most a third of the screen."""


class TimelineScreen(KorgScreen):
    """Screen 5 of EXPERIENCE: a session, or a whole ledger (None), against time, the cursor on `seq`."""

    PLACES = (Place.TIMELINE,)

    def __init__(self, reading: Reading, ledger: Ledger, session: Session | None, seq: int | None) -> None:
        super().__init__()
        self.reading = reading
        self.ledger = ledger
        self.timeline: Timeline | None = None
        self.asking = Asking(self, self._rested)
        self._session = session
        self._begin_at = seq
        self._window: Window | None = None
        """What is seen; None for all of it."""
        self._at_end = False
        self._slow = -1
        """The row to which `slow-after` went last."""
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
    def lines(self) -> TimeRows:
        """The rows."""
        return self.query_one(TimeRows)

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
            zoomed=self._window is not None,
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
        if old is not None and self._window is not None:
            axis = self.timeline.axis
            begin, end = (axis.place(old.axis.moment(at)) for at in (self._window.begin, self._window.end))
            self._window = Window(begin, max(end, begin + 1e-6), self._window.cells)
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
        sight = self._sight
        if sight is not None:
            self.lines.show(sight)
            most = max(3, self.size.height // _CHART_SHARE)
            self.query_one(TimeChart).show(sight, self.lines.cursor, most)

    @property
    def _sight(self) -> Sight | None:
        if self.timeline is None:
            return None
        sight = Sight(self.timeline, self.timeline.whole(1), self.korg.zone, self.korg.ascii_only)
        cells = sight.columns(self.lines.row_width).bars
        seen = self._window or self.timeline.whole(cells)
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
        if self._window is not None:
            share = 100 * (self._window.end - self._window.begin) / timeline.axis.length
            seen = f"{share:.0f} %" if share >= 1 else "less than 1 %"
            parts.append((self.keymap.told(f"zoomed to {seen}: {{zoom-whole}} shows all"), "line--mark"))
        if timeline.slowest:
            parts.append((f"slowest {_named(timeline, timeline.slowest[0])}", ""))
        shown_parts: list[tuple[str, str]] = []
        for part in parts:
            shown_parts += [(" · ", "line--quiet")] * bool(shown_parts) + [part]
        return shown_parts

    def _settle(self) -> None:
        """The cursor went elsewhere: what is seen goes along."""
        timeline, sight = self.timeline, self._sight
        if timeline is None or sight is None:
            return
        self._at_end = self.lines.cursor >= len(timeline.rows) - 1
        if self._window is not None and timeline.rows:
            self._window = timeline.showing(sight.window, self.lines.cursor)
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

    def do_zoom_in(self) -> None:
        self._zoom(_ZOOM)

    def do_zoom_out(self) -> None:
        self._zoom(1 / _ZOOM)

    def do_zoom_whole(self) -> None:
        self._window = None
        self.show_timeline()

    def _zoom(self, factor: float) -> None:
        timeline, sight = self.timeline, self._sight
        if timeline is None or sight is None or not timeline.rows:
            return
        window = sight.window
        place = timeline.place(self.lines.cursor)
        around = place[1] if place else (window.begin + window.end) / 2
        zoomed = timeline.zoomed(timeline.showing(window, self.lines.cursor), factor, around)
        if factor > 1 and zoomed.end - zoomed.begin >= window.end - window.begin:
            self.remark = "this is as near as it gets"
        self._window = None if zoomed.end - zoomed.begin >= timeline.axis.length else zoomed
        self.show_timeline()

    def do_earlier(self) -> None:
        self._shift(-_STEP)

    def do_later(self) -> None:
        self._shift(_STEP)

    def _shift(self, part: float) -> None:
        timeline, sight = self.timeline, self._sight
        if timeline is None or sight is None or self._window is None:
            self.remark = self.keymap.told("all of it is seen: {zoom-in} shows less of it, larger")
            return
        window = sight.window
        self._window = timeline.moved(window, window.begin + part * (window.end - window.begin))
        self.show_timeline()

    def do_slow_after(self) -> None:
        """The slowest first, then one after the other, until the cursor goes elsewhere."""
        if self.timeline is None or not self.timeline.slowest:
            return
        slowest = self.timeline.slowest
        goes_on = self.row == self._slow and self._slow in slowest
        at = (slowest.index(self._slow) + 1) % len(slowest) if goes_on else 0
        self._slow = slowest[at]
        self._go(self._slow)
        self.remark = f"{at + 1} of the {len(slowest)} slowest: {_named(self.timeline, self._slow)}"

    def do_error_after(self) -> None:
        self._step_failure(1)

    def do_error_before(self) -> None:
        self._step_failure(-1)

    def _step_failure(self, step: int) -> None:
        find = partial(neighbour, self.timeline.failures if self.timeline else ())
        row, said = in_turn(find, self.row, len(self.ledger), "failure", step)
        self.remark = said
        if row is not None:
            self._go(row)

    def do_lane_after(self) -> None:
        self._step_lane(1)

    def do_lane_before(self) -> None:
        self._step_lane(-1)

    def _step_lane(self, step: int) -> None:
        lane = self.ledger.lane_at(self.row)
        row = None if lane is None else neighbour(lane.rows, self.row, step)
        if row is None:
            self.remark = f"no {'later' if step > 0 else 'earlier'} event in this lane"
        else:
            self._go(row)

    def _go(self, row: int) -> None:
        if self.timeline is not None:
            self.lines.go(self.timeline.index_of(row), jump=True)

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


def _named(timeline: Timeline, row: int) -> str:
    line = timeline.line(timeline.index_of(row))
    if row >= len(timeline.ledger):
        return line.tool
    return f"{label(timeline.ledger, timeline.ledger.seq[row])} {line.tool[:30]} {duration(line.duration_ms)}"
