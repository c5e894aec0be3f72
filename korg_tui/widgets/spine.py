"""SpineView: the rows of one session, each drawn when it is seen; and the follow contract (EXPERIENCE).

The cursor stands on an event, not on a place: rows that come, go, fold or are filtered never move it
to another event, nor the page under it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.message import Message
from textual.strip import Strip

from korg_tui.event import Kind
from korg_tui.text import crop, pad, width
from korg_tui.themes import LANE_COLOURS
from korg_tui.trust import Standing
from korg_tui.views import BREAK, SPOKEN_AGAINST, RailRun, RowState, Spine, SpineLine, to_ascii
from korg_tui.views import duration as in_words
from korg_tui.widgets.bookmarks import ASCII_MARK, MARK
from korg_tui.widgets.parted import PartedList

NO_EVENTS = "There are no events here."
_BARS = " ▏▎▍▌▋▊▉█"
_SHIFT = 8
_LEAST_COLUMNS, _CELLS_PER_COLUMN = 4, 9
_ARGUMENT_CELLS = 1000
_DURATION_CELLS = 9
_FATE_CELLS = 38
_RULE_CELLS = 9


class SpineView(PartedList):
    """The spine of a session."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "spine--seq", "spine--tool", "spine--argument", "spine--quiet", "spine--bar", "spine--duration",
        "spine--failed", "spine--dead", "spine--malformed", "spine--hit", "spine--mark", "spine--dim",
        "spine--notice", "spine--target", "spine--dropped", "spine--dropped-mark", "spine--possible",
        "spine--possible-mark", "spine--later", "spine--bookmark", "spine--against", "spine--break",
        "spine--break-rule",
        *(f"spine--lane-{number}" for number in range(LANE_COLOURS)),
    }  # fmt: skip

    class FollowChanged(Message):
        """Following began or ended, or `behind` more events came while paused."""

        def __init__(self, following: bool, behind: int) -> None:
            super().__init__()
            self.following = following
            self.behind = behind

    class FoldClicked(Message):
        """The rails of a row were clicked."""

        def __init__(self, row: int) -> None:
            super().__init__()
            self.row = row

    class Scrolled(Message):
        """Other rows are seen now."""

    def __init__(self, spine: Spine) -> None:
        super().__init__("spine")
        self.empty = NO_EVENTS
        self.spine = spine
        self.following = False
        self.behind = 0
        self.hits: frozenset[int] = frozenset()
        """Rows that the search found."""
        self.bookmarks: frozenset[int] = frozenset()
        """Rows that a person marked."""
        self.states: Callable[[int], RowState] | None = None
        """In the rewind preview: what becomes of a row."""
        self.shift = 0
        self._ascii = False
        self._lines: dict[int, SpineLine] = {}
        self._lines_of = -1

    @property
    def count(self) -> int:
        return len(self.spine)

    @property
    def line(self) -> SpineLine | None:
        """The line under the cursor."""
        return self.spine.line(self.cursor) if self.count else None

    def use_ascii(self, ascii_only: bool) -> None:
        """Draw without box drawing."""
        self._ascii = ascii_only

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.post_message(self.Scrolled())

    def on_resize(self) -> None:
        self.spine.set_columns(max(_LEAST_COLUMNS, self.row_width // _CELLS_PER_COLUMN))
        super().on_resize()

    # following

    def follow(self) -> None:
        """Go to the end and stay there."""
        self.following, self.behind = True, 0
        self.go(self.count - 1)
        self.post_message(self.FollowChanged(True, 0))

    def pause(self) -> None:
        """Stay where the cursor is while rows come."""
        if self.following:
            self.following, self.behind = False, 0
            self.post_message(self.FollowChanged(False, 0))

    def go(self, index: int, *, jump: bool = False) -> None:
        super().go(index, jump=jump)
        self.leave_the_end()

    def leave_the_end(self) -> None:
        """Following ends as soon as the cursor is elsewhere."""
        if self.cursor < self.count - 1:
            self.pause()

    def grown(self, events: int) -> None:
        """The spine was extended by what so many new events show."""
        if self.states is not None:
            self._strips.clear()
        self.measure()
        self.refresh()
        if self.following:
            self.go(self.count - 1)
        else:
            self.behind += events
            self.post_message(self.FollowChanged(False, self.behind))

    def on_mouse_scroll_up(self) -> None:
        if self.max_scroll_y:
            self.pause()

    # where the chain breaks

    @property
    def parted(self) -> Sequence[int]:
        return self.spine.breaks

    def set_standing(self, standing: Standing | None) -> bool:
        """Where the chain of the ledger stands now; None when nobody knows. False when nothing is otherwise
        by that, or when the rows are not yet those of the ledger: then it has to be said again."""
        if standing is self.spine.standing or not self.spine.in_step:
            return False
        return self.part(lambda: self.spine.set_standing(standing))

    def look(self, index: int) -> object:
        return self._line(index)

    def look_above(self, index: int) -> object:
        return self.spine.break_above(index)

    # shape

    def reshape(self, change: Callable[[], object], find: Callable[[], int]) -> None:
        """Change which rows there are; afterwards the cursor stands on row `find()` at the same height."""
        height = self.y_of(self.cursor) - round(self.scroll_y)
        change()
        self._strips.clear()
        self.cursor = max(0, find())
        self.measure()
        self._scroll_rows(self.y_of(self.cursor) - height)
        self.reveal()
        self.refresh()

    def sideways(self, steps: int) -> bool:
        """Scroll the arguments sideways, as far as one that is seen is cut. False when they stay."""
        most = max((self._beyond(index) for index in self.seen), default=0)
        shift = max(0, min(self.shift + steps * _SHIFT, max(most, self.shift if steps < 0 else 0)))
        if shift == self.shift:
            return False
        self.shift = shift
        self.redraw()
        return True

    def _beyond(self, index: int) -> int:
        """Cells of a row's argument for which there is no room."""
        line = self._line(index)
        state = self.states(line.row) if self.states else None
        tail = self._tail(line, state, self.row_width)
        room = self.row_width - self._seq_cells - 1 - tail.cell_length
        words, _ = self._words(line, state, room)
        return width(crop(line.argument, _ARGUMENT_CELLS)) - self._space(line, room - width(words))

    def clicked(self, index: int, x: int) -> bool:
        line = self.spine.line(index)
        begin = self._seq_cells + 1
        if not begin <= x < begin + width(line.rails) or not self.spine.foldable(line.row):
            return False
        self.post_message(self.FoldClicked(line.row))
        return True

    # drawing

    def key(self, index: int) -> Hashable:
        return self._line(index), self._seq_cells

    def _line(self, index: int) -> SpineLine:
        """The line at an index, made once for each state of the spine."""
        if self._lines_of != self.spine.version:
            self._lines_of = self.spine.version
            self._lines.clear()
        line = self._lines.get(index)
        if line is None:
            line = self._lines[index] = self.spine.line(index)
        return line

    @property
    def _seq_cells(self) -> int:
        return max(self.spine.number_cells, 2) + 1

    def draw(self, index: int, width: int) -> Strip:
        line = self._line(index)
        state = self.states(line.row) if self.states else None
        tail = self._tail(line, state, width)
        room = width - self._seq_cells - 1 - tail.cell_length
        return Strip.join([self._seq(line), self._middle(line, state, room), tail])

    def draw_above(self, index: int, width: int) -> Strip:
        line = self.spine.break_above(index)
        rule, mark, style = "─", BREAK, self._style("spine--break-rule")
        if self._ascii:
            rule, mark = to_ascii(rule), to_ascii(mark)
        before = Strip([Segment(f"{rule * self._seq_cells} ", style), *self._runs(line.runs)])
        before = before.adjust_cell_length(self._seq_cells + 1 + self.spine.rails.width)
        words = line.words(max(0, width - before.cell_length - 6))
        head = [Segment(f"{mark}{rule} ", style), Segment(words, self._style("spine--break"))]
        return Strip([*before, *head, Segment(f" {rule * width}", style)]).crop(0, width)

    def _seq(self, line: SpineLine) -> Strip:
        hit = line.row in self.hits
        number = line.number or "·"
        text = f"{'*' if hit else ' '}{number:>{self._seq_cells - 1}}"
        mark = (ASCII_MARK if self._ascii else MARK) if line.row in self.bookmarks else " "
        return Strip(
            [
                Segment(text, self._style("spine--hit" if hit else "spine--seq")),
                Segment(mark, self._style("spine--bookmark")),
            ]
        )

    def _middle(self, line: SpineLine, state: RowState | None, room: int) -> Strip:
        words, style = self._words(line, state, room)
        room = max(0, room - width(words))
        body = Strip([*self._rails(line), *self._sign(line, state), *self._text(line, state, room)])
        return Strip.join([body.adjust_cell_length(room), Strip([Segment(words, style)] if words else [])])

    def _words(self, line: SpineLine, state: RowState | None, room: int) -> tuple[str, Style]:
        """What stands at the right of the argument, with two spaces before it."""
        words, style = _words(line), self._words_style(line)
        if line.row in self.bookmarks:
            words = " · ".join(filter(None, ("bookmark", words)))
        if state and (state.held or state.words):
            words, style = state.held, self._held_style(state.held)
        words = crop(words, max(room - 12, room // 2))
        return f"  {words}" if words else "", style

    def _held_style(self, held: str) -> Style:
        """What stands first says what matters most of what a fold holds."""
        return self._style(_HELD_STYLES.get(held[:1], "spine--later"))

    def _rails(self, line: SpineLine) -> list[Segment]:
        return self._runs(line.runs) if line.runs else [Segment(line.rails)]

    def _runs(self, runs: Sequence[RailRun]) -> list[Segment]:
        segments = []
        for run in runs:
            name = "spine--quiet" if run.lane is None else f"spine--lane-{run.lane % LANE_COLOURS}"
            segments.append(Segment(to_ascii(run.text) if self._ascii else run.text, self._style(name)))
        return segments

    def _sign(self, line: SpineLine, state: RowState | None) -> list[Segment]:
        if state and state.sign.strip():
            sign, style = state.sign, self._style(_MARK_STYLES[state.fate])
        else:
            sign, style = line.sign, self._words_style(line)
        return [Segment(f"{to_ascii(sign) if self._ascii else sign} ", style)]

    def _text(self, line: SpineLine, state: RowState | None, room: int) -> list[Segment]:
        tool_style, text_style = self._text_styles(line, state)
        tool = crop(line.tool, min(self._tool_cells, max(room - width(line.rails) - 2, 0)))
        argument = line.argument
        if self.shift:
            shown = Strip([Segment(crop(argument, _ARGUMENT_CELLS))])
            argument = shown.crop(self.shift, max(self.shift, shown.cell_length)).text
        argument = crop(argument, self._space(line, room))
        gap = " " * (self._tool_cells - width(tool) + 1)
        return [Segment(tool, tool_style), Segment(gap), Segment(argument, text_style)]

    @property
    def _tool_cells(self) -> int:
        return 13 if self.row_width < 60 else 14 if self.row_width < 90 else 18

    def _space(self, line: SpineLine, room: int) -> int:
        """Cells for the argument, where rails, sign, tool and argument have `room`."""
        return max(0, room - width(line.rails) - 2 - self._tool_cells - 1)

    def _text_styles(self, line: SpineLine, state: RowState | None) -> tuple[Style, Style]:
        if state and state.fate in _ROW_STYLES and state.gone:
            style = self._style(_ROW_STYLES[state.fate])
            return style, style
        if state and state.fate in ("unknown", "independent"):
            style = self._style("spine--dropped" if state.gone else "spine--later")
            return style, style
        if line.kind in (Kind.MALFORMED, Kind.GAP):
            style = self._style("spine--malformed")
            return style, style
        if line.dim:
            style = self._style("spine--dim")
            return style, style
        quiet = line.kind in (Kind.BOOKKEEPING, Kind.GOVERNANCE)
        tool = "spine--failed" if "failed" in line.marks else "spine--quiet" if quiet else "spine--tool"
        return self._style(tool), self._style("spine--quiet" if quiet else "spine--argument")

    def _words_style(self, line: SpineLine) -> Style:
        if line.sign == SPOKEN_AGAINST:
            return self._style("spine--against")
        if "failed" in line.marks:
            return self._style("spine--failed")
        if line.kind in (Kind.MALFORMED, Kind.GAP):
            return self._style("spine--malformed")
        if line.sign == "?":
            return self._style("spine--dead")
        return self._style("spine--mark")

    def _tail(self, line: SpineLine, state: RowState | None, width: int) -> Strip:
        if state and state.words:
            return self._fate(state, width)
        if not line.duration_ms:
            return Strip([Segment(" " * (_DURATION_CELLS + 2))])
        bar = "=" if self._ascii and line.bar else " " if self._ascii else _BARS[line.bar]
        text = f"{in_words(line.duration_ms):>{_DURATION_CELLS - 1}} "
        return Strip(
            [Segment(f" {bar}", self._style("spine--bar")), Segment(text, self._style("spine--duration"))]
        )

    def _fate(self, state: RowState, width: int) -> Strip:
        cells = max(_FATE_CELLS, width * 2 // 5) if width >= 2 * _FATE_CELLS else width * 2 // 5
        text = pad(f"  {state.words}", cells - 1) + " "
        marked = len(text) if state.fate == "kept" else 2 + _rule_cells(state)
        return Strip(
            [
                Segment(text[:marked], self._style(_MARK_STYLES[state.fate])),
                Segment(text[marked:], self._style("spine--later")),
            ]
        )

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(name, partial=True)


_ROW_STYLES = {"invalidated": "spine--dropped", "possible": "spine--possible"}
_MARK_STYLES = {
    "kept": "spine--target",
    "invalidated": "spine--dropped-mark",
    "possible": "spine--possible-mark",
    "unknown": "spine--later",
    "independent": "spine--later",
}
_HELD_STYLES = {"↺": "spine--target", "╳": "spine--dropped-mark", "~": "spine--possible-mark"}


def _rule_cells(state: RowState) -> int:
    """Cells of `rules 1 4` at the beginning of a row's words."""
    if not state.rules:
        return 0
    at = state.words.find("rule")
    return max(0, at) + max(
        _RULE_CELLS, len("rules" if len(state.rules) > 1 else "rule") + 2 * len(state.rules)
    )


def _words(line: SpineLine) -> str:
    told = ("dead pointer", "malformed") if line.note else ()
    marks = [mark for mark in line.marks if mark not in told and mark != "gap"]
    return " · ".join([*marks, line.note] if line.note else marks)
