"""Timeline: the rows of one session against time (EXPERIENCE, screen 5).

An event's time is that of its completion (SPEC §1); its duration goes back from there. Everything that a
frame asks is answered by binary search, cell by cell, however many events there are.
"""

from __future__ import annotations

import heapq
import math
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from korg_tui.causal import Lane, Ledger
from korg_tui.event import Kind
from korg_tui.views import marks
from korg_tui.views.arguments import Arguments, Read
from korg_tui.views.axis import Axis, Pause, merged
from korg_tui.views.axis import Span as Between
from korg_tui.views.members import Members
from korg_tui.views.spent import Spent, Stretch, Work, spent, work_of
from korg_tui.views.tracks import CODES, FAILED, LaneLine, Track, Window

LONGEST_MS = 10_000 * 86_400_000
"""A duration from here on is none that can be drawn."""

SLOWEST = 10
"""Calls that are named as the slowest."""

OFF_LANES = -1
"""Stands for the id of a lane where rows are that are in none."""

_BACK_MS = 1_000
"""A clock that goes back less is not said to jump."""

_POINTS = (Work.PROMPT, Work.NOTE)
"""What is shown as a moment, however long it says it took."""

_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class TimeRow:
    """What one row says beside its bar. Text is safe."""

    number: str
    lane: int
    """The lane's id, `OFF_LANES` for a row that is in none."""
    sign: str
    tool: str
    argument: str
    duration_ms: float | None
    code: str
    """Of its bar: one of `CODES`, or `FAILED`."""
    note: str
    """`no time`, `clock back`, or empty."""


_GONE = TimeRow("", OFF_LANES, "╳", "gone", "", None, CODES[Work.NOTE], "")


class Timeline:
    """The rows of a session, `session` its index, or of a whole ledger (None), against time.

    `read(offset, length)` gives a record's bytes; without it there are no arguments. Where nothing has a
    time, `by_order` is true, and one place of the line is one row. The ledger may lose rows while this is
    seen: what was laid out stays as it was.
    """

    def __init__(self, ledger: Ledger, session: int | None = None, read: Read | None = None) -> None:
        chosen = None if session is None or session < 0 else ledger.sessions[session]
        members = Members(ledger, chosen)
        for row in range(len(ledger)):
            members.meet(row)
        self.ledger = ledger
        self._arguments = Arguments(ledger, read)
        self.session = members.session
        self.rows: Sequence[int] = members.rows
        self.failures: Sequence[int] = members.failed
        self.ends = array("d", [_NAN if (t := ledger.time_at(row)) is None else t for row in self.rows])
        self.begins = array("d", map(self._begin, self.rows, self.ends))
        self.timed = sum(end == end for end in self.ends)
        """Rows that have a time."""
        self.measured = sum(self._took(row) > 0 for row in self.rows)
        """Rows that say how long they took, more than 0 ms."""
        self.by_order = not self.timed
        self._lasts = bytes(work_of(ledger, row) not in _POINTS for row in self.rows)
        self.digits = len(str(ledger.number_at(self.rows[-1]) or 0)) if self.rows else 1
        """Of the longest seq."""
        self.back = self._clock_jumps()
        """Rows whose clock stands before that of an earlier row."""
        self._back = frozenset(self.back)
        self._lay_out()
        self.slowest = self._slowest()
        """The rows that took longest, the longest first."""

    def _begin(self, row: int, end: float) -> float:
        return end - self._took(row)

    def _took(self, row: int) -> float:
        """How long the work of a row took, ms. A prompt is none, and what a note says is the length of
        something else: a `session_complete` has that of the whole run."""
        if work_of(self.ledger, row) in _POINTS:
            return 0.0
        return drawable(self.ledger.duration_at(row)) or 0.0

    def _clock_jumps(self) -> list[int]:
        newest, jumps = -math.inf, []
        for row, end in zip(self.rows, self.ends, strict=True):
            if end < newest - _BACK_MS:
                jumps.append(row)
            if end == end:
                newest = end
        return jumps

    def _slowest(self) -> list[int]:
        took = [(self._took(row), -row) for row in self.rows]
        return [-row for ms, row in heapq.nlargest(SLOWEST, took) if ms > 0]

    # the line

    def _lay_out(self) -> None:
        if self.by_order:
            self.axis = Axis([(0.0, float(len(self.rows)))] if self.rows else [])
            self.spent = Spent()
        else:
            stretches = self._stretches()
            self.axis = Axis(merged([(each.begin, each.end) for each in stretches]))
            self.spent = spent(stretches)
        self.lanes = self._lane_lines()

    def _stretches(self) -> list[Stretch]:
        ledger, out = self.ledger, []
        for row, begin, end in zip(self.rows, self.begins, self.ends, strict=True):
            if end == end:
                lane = ledger.lane_at(row)
                human = ledger.actor_at(row).startswith("human:")
                out.append(
                    Stretch(begin, end, work_of(ledger, row), OFF_LANES if lane is None else lane.id, human)
                )
        return out

    def place(self, index: int) -> Between | None:
        """From where to where a row lies on the line; None where it has no time and others have."""
        if self.by_order:
            return float(index), float(index + self._lasts[index])
        begin, end = self.begins[index], self.ends[index]
        return (self.axis.place(begin), self.axis.place(end)) if end == end else None

    def _lane_lines(self) -> list[LaneLine]:
        spans: dict[int, dict[Work, list[Between]]] = defaultdict(lambda: defaultdict(list))
        failed: dict[int, list[float]] = defaultdict(list)
        ends: dict[int, list[tuple[float, int]]] = defaultdict(list)
        counts: dict[int, list[float]] = defaultdict(lambda: [0, 0, 0.0])
        lanes: dict[int, Lane | None] = {}
        ledger = self.ledger
        for index, row in enumerate(self.rows):
            if ledger.kind[row] == Kind.GAP:
                continue
            lane = ledger.lane_at(row)
            number = OFF_LANES if lane is None else lane.id
            lanes[number] = lane
            bad = marks.is_failed(ledger, row)
            count = counts[number]
            count[0] += 1
            count[1] += bad
            count[2] += self._took(row)
            place = self.place(index)
            if place is not None:
                spans[number][work_of(ledger, row)].append(place)
                ends[number].append((place[1], index))
                if bad:
                    failed[number].append(_last(place))
        order = sorted(lanes, key=lambda number: (number == OFF_LANES, number))
        return [
            LaneLine(
                id=number,
                title=_title(lanes[number]),
                events=int(counts[number][0]),
                failed=int(counts[number][1]),
                busy_ms=counts[number][2],
                tracks=tuple((work, Track.of(spans[number][work])) for work in Work if spans[number][work]),
                failures=array("d", sorted(failed[number])),
                ends=array("d", [end for end, _ in sorted(ends[number])]),
                indexes=array("q", [index for _, index in sorted(ends[number])]),
            )
            for number in order
        ]

    # what is seen

    def whole(self, cells: int) -> Window:
        """All of it."""
        return Window(0.0, self.axis.length, cells)

    def zoomed(self, window: Window, factor: float, around: float) -> Window:
        """Factor 2 shows half as much, a half twice as much; `around` stays where it is seen."""
        width = min(self.axis.length, max((window.end - window.begin) / factor, self._least(window.cells)))
        around = min(max(around, window.begin), window.end)
        part = (around - window.begin) / ((window.end - window.begin) or 1.0)
        return self.moved(Window(0.0, width, window.cells), around - part * width)

    def _least(self, cells: int) -> float:
        """A cell is a hundredth of a ms, or a tenth of a row, at least, and what numbers can tell apart."""
        return max(cells * (0.1 if self.by_order else 0.01), self.axis.length * 1e-9)

    def moved(self, window: Window, begin: float) -> Window:
        """The same width from another place on, as far as the line goes."""
        width = min(window.end - window.begin, self.axis.length)
        begin = min(max(begin, 0.0), self.axis.length - width)
        return Window(begin, begin + width, window.cells)

    def showing(self, window: Window, index: int) -> Window:
        """The window, moved so that a row's end, and its beginning if there is room, is in it."""
        place = self.place(index)
        if place is None or (window.begin <= place[0] and place[1] <= window.end):
            return window
        width = window.end - window.begin
        if place[1] - place[0] >= width:
            inside = window.begin < place[1] and place[0] < window.end
            return window if inside else self.moved(window, place[1] - width)
        if place[0] < window.begin:
            return self.moved(window, place[0] - width / 8)
        return self.moved(window, place[1] - width * 7 / 8)

    def bar(self, index: int, window: Window) -> tuple[int, int] | None:
        """The first cell of a row's bar and the one behind its last: at least one cell; less than 0 or more
        than there are where it lies beside the window. None for a row without a place."""
        place = self.place(index)
        if place is None:
            return None
        first = window.cell(place[0])
        return first, max(window.cell(_last(place)), first) + 1

    def line(self, index: int) -> TimeRow:
        """What a row says beside its bar. One that a rewind has taken since says so, until the rows are laid
        out anew."""
        row, ledger = self.rows[index], self.ledger
        if row >= len(ledger):
            return _GONE
        lane, number = ledger.lane_at(row), ledger.number_at(row)
        failed = marks.is_failed(ledger, row)
        note = "clock back" if row in self._back else ""
        return TimeRow(
            number="" if number is None else str(number),
            lane=OFF_LANES if lane is None else lane.id,
            sign=marks.sign(ledger, row),
            tool=marks.tool(ledger, row),
            argument=self._arguments.of(row),
            duration_ms=ledger.duration_at(row),
            code=FAILED if failed else CODES[work_of(ledger, row)],
            note="no time" if not self.by_order and self.place(index) is None else note,
        )

    def lane_of(self, index: int) -> int:
        """The id of the lane of a row, `OFF_LANES` for one that is in none."""
        row = self.rows[index]
        lane = self.ledger.lane_at(row) if row < len(self.ledger) else None
        return OFF_LANES if lane is None else lane.id

    def nearest(self, line: LaneLine, begin: float, end: float) -> int | None:
        """The index of the row of a lane that lies nearest to these places, by where rows end."""
        number = bisect_left(line.ends, begin)
        around = [at for at in (number - 1, number) if 0 <= at < len(line.ends)]
        found = [(self._away(line.indexes[at], begin, end), line.indexes[at]) for at in around]
        return min(found)[1] if found else None

    def _away(self, index: int, begin: float, end: float) -> float:
        place = self.place(index)
        return math.inf if place is None else max(place[0] - end, begin - place[1], 0.0)

    def index_of(self, row: int) -> int:
        """Where a row stands, or the one before it."""
        number = bisect_left(self.rows, row)
        if number < len(self.rows) and self.rows[number] == row:
            return number
        return max(0, number - 1)

    @property
    def pauses(self) -> Sequence[Pause]:
        """The pauses that are pressed together, in their order."""
        return self.axis.pauses


def _last(place: Between) -> float:
    """The last place that still belongs to a stretch."""
    return math.nextafter(place[1], place[0])


def drawable(ms: float | None) -> float | None:
    """A duration that can be drawn: known, not negative, not beyond measure."""
    return ms if ms is not None and 0 <= ms < LONGEST_MS else None


def _title(lane: Lane | None) -> str:
    return "off lanes" if lane is None else f"{marks.lane_number(lane)} {marks.lane_name(lane)}"
