"""Effects: everything that an event carries away, row by row, with the rule and in words (CAUSALITY §7)."""

from __future__ import annotations

from dataclasses import dataclass

from korg_tui.causal import Ledger, rewind
from korg_tui.event import Kind
from korg_tui.views import marks, words
from korg_tui.views.arguments import Arguments, Read
from korg_tui.views.preview import Preview
from korg_tui.views.sections import Line, Section


@dataclass(frozen=True, slots=True)
class Effect:
    """A row of the list. All text is safe."""

    seq: int
    number: str
    sign: str
    """The sign of its fate, as in the rewind preview."""
    possible: bool
    lane: str
    failed: bool
    tool: str
    argument: str
    words: str
    """`rule 4  it read what 6 returned`."""


class Effects:
    """What a rewind to `seq` would carry away: certain and possible events, in the ledger's order. Making it
    costs a step for every later event; a row is worked out when it is looked at.

    Raises `NoSuchEvent` when `seq` is no agent event."""

    def __init__(self, ledger: Ledger, seq: int, read: Read) -> None:
        self.ledger = ledger
        self.seq = seq
        self._preview = Preview(ledger, rewind(ledger, seq))
        self._arguments = Arguments(ledger, read)
        found = self._preview.rewind
        self.certain, self.possible = len(found.invalidated), len(found.possible)
        self.rows = tuple(row for each in found.dropped if (row := ledger.row_of(each)) is not None)
        if found.dropped:
            found.rules(found.dropped[0])

    @property
    def title(self) -> str:
        """The event whose effects these are."""
        row = self.ledger.row_of(self.seq)
        tool = "" if row is None else f" {marks.tool(self.ledger, row)}"
        return f"{words.label(self.ledger, self.seq)}{tool}"

    @property
    def counts(self) -> str:
        """`12 certain, 3 possible: 7 tool calls, …`."""
        if not self.rows:
            return "nothing later depends on it"
        kinds = [Kind(self.ledger.kind[row]) for row in self.rows]
        calls = sum(kind in (Kind.TOOL, Kind.SPAWN) for kind in kinds)
        failed = sum(marks.is_failed(self.ledger, row) for row in self.rows)
        told = [f"{self.certain:,} certain", f"{self.possible:,} possible" if self.possible else ""]
        told += [words.plural(calls, "call") if calls else "", f"{failed:,} failed" if failed else ""]
        return " · ".join(filter(None, told))

    def row(self, index: int) -> Effect:
        """What the list shows at an index."""
        ledger, row = self.ledger, self.rows[index]
        state, lane = self._preview.state(row), ledger.lane_at(row)
        return Effect(
            seq=ledger.seq[row],
            number=words.label(ledger, ledger.seq[row]),
            sign=state.sign,
            possible=state.fate == "possible",
            lane="" if lane is None else f"{marks.lane_number(lane)} {marks.lane_name(lane)}",
            failed=marks.is_failed(ledger, row),
            tool=marks.tool(ledger, row),
            argument=self._arguments.of(row),
            words=state.words,
        )

    def why(self, index: int) -> Section:
        """The chain of reasons from the event to the one at an index, an edge a line."""
        row = self.rows[index]
        name = f"{words.label(self.ledger, self.ledger.seq[row])} {marks.tool(self.ledger, row)}"
        lines: tuple[Line, ...] = tuple(self._preview.why(row))
        return Section(f"why {name} depends on {words.label(self.ledger, self.seq)}", "causes", lines)
