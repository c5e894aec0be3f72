"""SessionList: the sessions of all ledgers, and a line for every source that has something to say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from korg_tui.text import crop, pad, visible, width
from korg_tui.views import SessionRow, Tone, ago
from korg_tui.widgets.lines import LineList
from korg_tui.widgets.names import ending, fitted


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source that has no sessions yet, or is not well, in words."""

    ledger: str
    """Its name, raw."""
    state: str
    text: str
    """What is said of it, safe: the sentence goes on after the name."""


Row = SessionRow | SourceRow

_NUMBERS = (("events", 7), ("agents", 7), ("failed", 8), ("dead", 5))
_CHAIN_CELLS = 18
_WIDE, _VERY_WIDE = 100, 140
_LEAST_NAME = 12
_HERE = "▸"
"""Stands before the row under the cursor."""
_USUAL = ("complete", "no session")
"""States that need no word where there is little room: of rows without a session the prompt tells it."""
_BAD = frozenset({"failed", "gone", "offline", "warned"})
_TRUST: Mapping[Tone, str] = {
    "good": "sessions--holds", "bad": "sessions--bad", "mark": "sessions--dead", "quiet": "sessions--quiet",
}  # fmt: skip
_SORT_COLUMN = {"activity": "activity", "size": "events", "failures": "failed"}
"""The column by which it is sorted; the start of a session has none."""


class SessionList(LineList):
    """One row per session."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "sessions--head", "sessions--prompt", "sessions--number", "sessions--quiet", "sessions--bad",
        "sessions--dead", "sessions--live", "sessions--ledger", "sessions--holds",
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__("sessions")
        self.rows: Sequence[Row] = ()
        self.names: Mapping[str, str] = {}
        """What rows call their ledgers, safe."""
        self.several = False
        self.now_ms = 0
        self._longest = 0
        self._fitted: tuple[int, Mapping[str, str]] = (0, {})
        """What rows call their ledgers in a column of so many cells."""
        self._ages: Mapping[int, str] = {}
        """What the rows that are seen say of their age."""

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    def show(self, rows: Sequence[Row], names: Mapping[str, str], *, several: bool, now_ms: int) -> None:
        """Show these rows; the cursor stays on the session it was on, wherever that is now.

        `several`: rows of sessions name their ledgers."""
        self.grow_older(now_ms)
        if rows == self.rows and names is self.names and several == self.several:
            return
        kept = self.row
        if names is not self.names:
            self._longest = max(map(width, names.values()), default=0)
            self._fitted = (0, {})
        self.rows, self.names, self.several = rows, names, several
        if kept is not None:
            self.cursor = _place(rows, kept, self.cursor)
        self.redraw()
        self.reveal()

    def grow_older(self, now_ms: int) -> None:
        """Tell the ages of the rows that are seen as of now, where they are others than before."""
        self.now_ms = now_ms
        top = self.scroll_offset.y
        seen = range(top, min(top + self.page, self.count))
        ages = {index: self._age(self.rows[index]) for index in seen}
        for index, age in ages.items():
            if self._ages.get(index) != age:
                self.refresh_line(index)
        self._ages = ages

    def _age(self, row: Row) -> str:
        return "" if isinstance(row, SourceRow) else ago(row.last_ms, self.now_ms)

    def head(self, cells: int, sort: str) -> str:
        """The names of the columns."""
        mark = _SORT_COLUMN.get(sort, "")
        names = "".join(f"{_marked(name, mark):>{size}}" for name, size in _NUMBERS)
        ledger = pad("ledger", self._ledger_cells(cells)) + "  " if self.several else ""
        dense = self._dense(cells)
        status = "" if dense else pad("status", 10)
        activity = pad(_marked("activity", mark), self._activity_cells(cells))
        chain = pad("chain", _CHAIN_CELLS) if self._has_chain_column(cells) else "chain, "
        chain += "status, " if dense else ""
        return f"   {activity}{ledger}{status}{names}  {chain}prompt"

    def _dense(self, cells: int) -> bool:
        """Whether there is so little room, that status and chain stand before the prompt: a status that is
        not the usual, and of a chain that holds only the sign where ledgers are named."""
        return cells < _WIDE

    def _has_chain_column(self, cells: int) -> bool:
        return cells >= (_VERY_WIDE if self.several else _WIDE)

    def _activity_cells(self, cells: int) -> int:
        return 10 if self._dense(cells) else 13

    def _ledger_cells(self, cells: int) -> int:
        room = (cells - 45) // 2 if self._dense(cells) else max(cells // 4, cells - 110)
        return max(6, min(self._longest, room))

    def _called(self, row: SessionRow, cells: int) -> str:
        size = self._ledger_cells(cells)
        if self._fitted[0] != size:
            self._fitted = (size, fitted(self.names.values(), size))
        name = self.names.get(row.ledger, row.title)
        return self._fitted[1].get(name) or ending(name, size)

    def draw(self, index: int, width: int) -> Strip:
        row = self.rows[index]
        mark = _HERE if index == self.cursor else " "
        if isinstance(row, SourceRow):
            return self._source(row, width, mark)
        return self._session(row, width, mark)

    def cuts(self, row: SourceRow) -> bool:
        """Whether a row has no room for the whole sentence about its source."""
        return 16 + width(visible(row.ledger)) + width(row.text) > self.row_width

    def _source(self, row: SourceRow, cells: int, mark: str) -> Strip:
        style = self._style("sessions--bad" if row.state in _BAD else "sessions--quiet")
        state = f"{mark}- {pad(row.state, self._activity_cells(cells))}"
        room = max(_LEAST_NAME, cells - width(state) - width(row.text))
        name = ending(self.names.get(row.ledger, row.ledger), room)
        text = crop(row.text, cells - width(state) - width(name))
        return Strip(
            [Segment(state, style), Segment(name, self._style("sessions--ledger")), Segment(text, style)]
        )

    def _session(self, row: SessionRow, cells: int, mark: str) -> Strip:
        live = Segment(f"{mark}● " if row.live else f"{mark}  ", self._style("sessions--live"))
        dense = self._dense(cells)
        age = self._age(row).removesuffix(" ago").removeprefix("in the ") if dense else self._age(row)
        parts = [live, Segment(pad(age, self._activity_cells(cells)), self._style("sessions--quiet"))]
        if self.several:
            name = pad(self._called(row, cells), self._ledger_cells(cells))
            parts.append(Segment(f"{name}  ", self._style("sessions--ledger")))
        status = self._style("sessions--bad" if row.status == "malformed" else "sessions--quiet")
        if not dense:
            parts.append(Segment(pad(row.status, 10), status))
        counts = {"events": row.events, "agents": row.agents, "failed": row.failed, "dead": row.dead_pointers}
        parts += [self._number(name, size, counts[name]) for name, size in _NUMBERS]
        parts += [Segment("  "), *self._trust(row, cells)]
        if dense and row.status not in _USUAL:
            parts.append(Segment(f"{row.status}: ", status))
        if row.synthesized:
            parts.append(Segment("synthesized ", self._style("sessions--quiet")))
        if row.missing:
            parts.append(Segment(f"{row.missing:,} not loaded · ", self._style("sessions--dead")))
        room = cells - sum(width(part.text) for part in parts)
        parts.append(Segment(crop(row.prompt, room), self._style("sessions--prompt")))
        return Strip(parts)

    def _trust(self, row: SessionRow, cells: int) -> Iterator[Segment]:
        """What is said of the chain, without the number of an event where its column has no room for that."""
        mark, column = row.trust, self._has_chain_column(cells)
        if mark is None:
            yield Segment(" " * _CHAIN_CELLS if column else "")
            return
        style = self._style(_TRUST[mark.tone])
        if column:
            said = str(mark) if width(str(mark)) < _CHAIN_CELLS else str(mark).partition(" at ")[0]
            yield Segment(pad(said, _CHAIN_CELLS), style)
        elif mark.tone == "good" and self.several and self._dense(cells):
            yield Segment(f"{mark.sign} ", style)
        else:
            yield Segment(f"{mark} · ", style)

    def _number(self, name: str, size: int, count: int) -> Segment:
        style = {"failed": "sessions--bad", "dead": "sessions--dead"}.get(name, "sessions--number")
        return Segment(f"{count:>{size}}", self._style(style if count else "sessions--quiet"))

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(name, partial=True)


def _marked(name: str, mark: str) -> str:
    return f"{name}▾" if name == mark else name


def _place(rows: Sequence[Row], kept: Row, before: int) -> int:
    """Where the session of a row is now; `before` when it is not there any more."""
    identity = _identity(kept)
    if before < len(rows) and _identity(rows[before]) == identity:
        return before
    return next((index for index, row in enumerate(rows) if _identity(row) == identity), before)


def _identity(row: Row) -> tuple[str, int]:
    return (row.ledger, row.index) if isinstance(row, SessionRow) else (row.ledger, -2)
