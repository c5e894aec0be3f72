"""EventList: events of many sessions, one row each, wherever they were found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from korg_tui.text import crop, pad, width
from korg_tui.views import EventRow, EventRows, Hit, clock, to_ascii
from korg_tui.widgets.lines import LineList
from korg_tui.widgets.names import ending, fitted, middle

_WIDE, _VERY_WIDE = 100, 140
_TIME_CELLS, _SHORT_TIME_CELLS = 19, 14
_LANE_CELLS, _MOST_LANE_CELLS = 8, 24
_TOOL_CELLS, _SHORT_TOOL_CELLS = 16, 12
_NOTHING = "no session"


class EventList(LineList):
    """One row per event that was found."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "events--quiet", "events--ledger", "events--seq", "events--tool", "events--argument", "events--bad",
        "events--dead",
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__("events")
        self.hits: Sequence[Hit] = ()
        self.rows = EventRows()
        self.names: Mapping[str, str] = {}
        """What rows call their ledgers, safe."""
        self.zone: tzinfo | None = None
        self.ascii_only = False
        self._seq_cells = 4
        self._fitted: tuple[int, Mapping[str, str]] = (0, {})
        """What rows call their ledgers in a column of so many cells."""

    @property
    def count(self) -> int:
        return len(self.hits)

    @property
    def hit(self) -> Hit | None:
        """The event under the cursor."""
        return self.hits[self.cursor] if self.hits else None

    @property
    def row(self) -> EventRow | None:
        """What its row shows."""
        hit = self.hit
        return None if hit is None else self.rows.of(hit)

    def show(self, hits: Sequence[Hit], names: Mapping[str, str], zone: tzinfo | None) -> None:
        """Show these events; a cursor that has left the first one stays on its event."""
        kept = self.hit if self.cursor else None
        self.hits, self.names, self.zone = hits, names, zone
        self._fitted = (0, {})
        largest = max((hit.seq for hit in hits if hit.seq is not None), default=0)
        self._seq_cells = max(4, len(str(largest)))
        if kept is not None:
            self.cursor = next((index for index, hit in enumerate(hits) if hit == kept), self.cursor)
        self.redraw()
        self.reveal()

    def head(self) -> str:
        """The names of the columns."""
        columns = "".join(f"{pad(name, size)}  " for name, size in self._columns(self.row_width))
        return f" {columns}{'seq':>{self._seq_cells}}   event"

    def _columns(self, cells: int) -> list[tuple[str, int]]:
        """What stands before the seq, and in how many cells. Where there is little room, sessions are left
        out, and lanes where ledgers have to be told apart."""
        columns = [("time", _TIME_CELLS if cells >= _VERY_WIDE else _SHORT_TIME_CELLS)]
        if self._several:
            columns.append(("ledger", self._ledger_cells(cells)))
        if cells >= _WIDE:
            columns.append(("session", cells // 8))
        if cells >= _WIDE or not self._several:
            more = max(0, cells - _WIDE) // 5
            columns.append(("lane", min(_LANE_CELLS + more, _MOST_LANE_CELLS)))
        return columns

    @property
    def _several(self) -> bool:
        return len(self.names) > 1

    def _ledger_cells(self, cells: int) -> int:
        longest = max(map(width, self.names.values()), default=0)
        return max(6, min(longest, cells // (6 if cells >= _WIDE else 4)))

    def draw(self, index: int, width: int) -> Strip:
        row = self.rows.of(self.hits[index])
        parts = [*self._where(row, width), *self._seq(row)]
        words = " · ".join(mark for mark in row.marks if mark != "blob")
        room = width - sum(part.cell_length for part in parts)
        words = crop(words, room // 2)
        room -= len(words) + 2 if words else 0
        parts += self._event(row, room, width)
        if words:
            parts.append(Segment(f"  {words}", self._words_style(row)))
        return Strip(parts)

    def _where(self, row: EventRow, cells: int) -> list[Segment]:
        parts = [Segment(" ")]
        for name, size in self._columns(cells):
            text = self._told(row, name, size)
            style = "events--ledger" if name == "ledger" else "events--quiet"
            parts.append(Segment(f"{pad(text, size)}  ", self._style(style)))
        return parts

    def _told(self, row: EventRow, column: str, size: int) -> str:
        match column:
            case "time":
                return self._time(row, size)
            case "ledger":
                return self._called(row, size)
            case "session":
                return row.prompt or _NOTHING
            case _:
                return middle(row.lane, size) or "-"

    def _called(self, row: EventRow, size: int) -> str:
        if self._fitted[0] != size:
            self._fitted = (size, fitted(self.names.values(), size))
        name = self.names.get(row.ledger, row.ledger)
        return self._fitted[1].get(name) or ending(name, size)

    def _time(self, row: EventRow, size: int) -> str:
        if row.time_ms is None:
            return "no time"
        text = clock(row.time_ms, self.zone, date=True)[:_TIME_CELLS]
        return text[-size:] if size < _TIME_CELLS else text

    def _seq(self, row: EventRow) -> list[Segment]:
        number = "·" if row.number is None else str(row.number)
        sign = to_ascii(row.sign) if self.ascii_only else row.sign
        return [
            Segment(f"{number:>{self._seq_cells}} ", self._style("events--seq")),
            Segment(f"{sign} ", self._words_style(row)),
        ]

    def _event(self, row: EventRow, room: int, cells: int) -> list[Segment]:
        tool_cells = _TOOL_CELLS if cells >= _VERY_WIDE else _SHORT_TOOL_CELLS
        tool = pad(row.tool, tool_cells) + " "
        argument = pad(row.argument, max(0, room - tool_cells - 1))
        quiet = "events--quiet" if row.gone else ""
        return [
            Segment(tool, self._style(quiet or "events--tool")),
            Segment(argument, self._style(quiet or "events--argument")),
        ]

    def _words_style(self, row: EventRow) -> Style:
        if "failed" in row.marks or "malformed" in row.marks:
            return self._style("events--bad")
        return self._style("events--dead" if row.sign == "?" else "events--quiet")

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(name, partial=True)
