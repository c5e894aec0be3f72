"""ZoomingScreen: a timeline of which a part is seen; steps along its slowest calls, failures and lanes."""

from __future__ import annotations

from functools import partial

from korg_tui.causal import Ledger
from korg_tui.screens.base import KorgScreen
from korg_tui.views import Timeline, Window, duration, in_turn, label, neighbour
from korg_tui.widgets.timeline import Sight, TimeRows

_ZOOM = 2.0
_STEP = 0.25
"""What the window moves by, as a part of itself."""


class ZoomingScreen(KorgScreen):
    """A screen with a timeline that is seen through a window."""

    ledger: Ledger

    def __init__(self) -> None:
        super().__init__()
        self.timeline: Timeline | None = None
        self.window: Window | None = None
        """What is seen; None for all of it."""
        self._slow = -1
        """The row to which `slow-after` went last."""

    @property
    def lines(self) -> TimeRows:
        """The rows."""
        return self.query_one(TimeRows)

    @property
    def row(self) -> int:
        """The ledger's row under the cursor, -1 when there is none."""
        raise NotImplementedError

    @property
    def sight(self) -> Sight | None:
        """What is seen, in the cells that there are; None before anything is laid out."""
        raise NotImplementedError

    def show_timeline(self) -> None:
        """Bring everything up to date with the window."""
        raise NotImplementedError

    # what is seen

    def do_zoom_in(self) -> None:
        self._zoom(_ZOOM)

    def do_zoom_out(self) -> None:
        self._zoom(1 / _ZOOM)

    def do_zoom_whole(self) -> None:
        self.window = None
        self.show_timeline()

    def _zoom(self, factor: float) -> None:
        timeline, sight = self.timeline, self.sight
        if timeline is None or sight is None or not timeline.rows:
            return
        window = sight.window
        place = timeline.place(self.lines.cursor)
        around = place[1] if place else (window.begin + window.end) / 2
        zoomed = timeline.zoomed(timeline.showing(window, self.lines.cursor), factor, around)
        if factor > 1 and zoomed.end - zoomed.begin >= window.end - window.begin:
            self.remark = "this is as near as it gets"
        self.window = None if zoomed.end - zoomed.begin >= timeline.axis.length else zoomed
        self.show_timeline()

    def do_earlier(self) -> None:
        self._shift(-_STEP)

    def do_later(self) -> None:
        self._shift(_STEP)

    def _shift(self, part: float) -> None:
        timeline, sight = self.timeline, self.sight
        if timeline is None or sight is None or self.window is None:
            self.remark = self.keymap.told("all of it is seen: {zoom-in} shows less of it, larger")
            return
        window = sight.window
        self.window = timeline.moved(window, window.begin + part * (window.end - window.begin))
        self.show_timeline()

    # steps

    def do_slow_after(self) -> None:
        """The slowest first, then one after the other, until the cursor goes elsewhere."""
        if self.timeline is None or not self.timeline.slowest:
            return
        slowest = self.timeline.slowest
        goes_on = self.row == self._slow and self._slow in slowest
        at = (slowest.index(self._slow) + 1) % len(slowest) if goes_on else 0
        self._slow = slowest[at]
        self._go(self._slow)
        self.remark = f"{at + 1} of the {len(slowest)} slowest: {named(self.timeline, self._slow)}"

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


def named(timeline: Timeline, row: int) -> str:
    """A call in a few words: `15 Agent 6.1 s`."""
    line = timeline.line(timeline.index_of(row))
    if row >= len(timeline.ledger):
        return line.tool
    return f"{label(timeline.ledger, timeline.ledger.seq[row])} {line.tool[:30]} {duration(line.duration_ms)}"
