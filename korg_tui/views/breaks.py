"""Breaks: where the chain of a ledger breaks between the rows of a spine, and what else speaks against its
events, row by row. A standing that goes on from the one before it costs what is new in it."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from korg_tui.text import crop, width
from korg_tui.trust import Fault, FaultKind, Standing
from korg_tui.views.rails import RailRun

SPOKEN_AGAINST = "≠"
"""The sign of a row that evidence speaks against, one cell."""
BREAK = "╳"
"""The sign of a line at which the chain breaks, one cell."""

_WORDS: dict[FaultKind, str] = {
    "content": "altered",
    "signature": "bad signature",
    "anchor": "anchored otherwise",
    "unchained": "no hash",
}
_LEAST_TEXT = 24
"""Cells in which a piece of why the chain breaks says anything."""


@dataclass(frozen=True, slots=True)
class BreakLine:
    """A line between two rows, at which the chain breaks. All text is safe, none of it is cropped."""

    runs: tuple[RailRun, ...]
    """The rails that go on through it."""
    count: int
    """How many breaks fall together here; more than one where rows between them are hidden."""
    text: str
    """Why the chain breaks, of the first one."""

    def words(self, cells: int) -> str:
        """What it says in so many cells. What stands behind a colon in the text is left out first."""
        long, short, between = "the chain breaks here", "chain breaks", ": "
        if self.count > 1:
            long, short = f"{long} {self.count:,} times", f"{self.count:,} breaks of the chain"
            between = ", first: "
        for text in (self.text, self.text.partition(": ")[0]):
            for head in (long, short):
                if width(head) + width(between) + width(text) <= cells:
                    return f"{head}{between}{text}"
        if cells >= width(short) + width(between) + _LEAST_TEXT:
            return crop(f"{short}{between}{self.text}", cells)
        return crop(long if width(long) <= cells else short, cells)


class Evidence:
    """What speaks against the events of a ledger that are meant, by row. `meant(row)` is None where nobody
    can say yet."""

    def __init__(self, row_of: Callable[[int], int | None], meant: Callable[[int], bool | None]) -> None:
        self.breaks = array("q")
        """The rows above which the chain breaks, ascending. What comes last is added to it; else it is
        another array."""
        self.rows = array("q")
        """All rows that evidence speaks against, ascending; in the same way."""
        self._row_of = row_of
        self._meant = meant
        self._taken: tuple[Fault, ...] = ()
        self._open: list[Fault] = []
        """Those of which nobody could say yet whether their events are meant."""
        self._why: dict[int, str] = {}
        self._words: dict[int, tuple[str, ...]] = {}

    def take(self, standing: Standing | None) -> bool:
        """What is known now; None when nothing is. False when it is what was known. That no event at all has
        a hash is said of the ledger, not of an event."""
        faults = () if standing is None or standing.verdict == "unchained" else standing.faults
        known = self._taken
        if faults is known or faults == known:
            return False
        if faults[: len(known)] != known:
            self.breaks, self.rows = array("q"), array("q")
            self._why, self._words, self._open = {}, {}, []
            known = ()
        self._taken = faults
        self._meet(faults[len(known) :])
        return True

    def rows_came(self) -> None:
        """There are more rows now: some may be those of faults that were taken before."""
        if self._open:
            faults, self._open = self._open, []
            self._meet(faults)

    def words(self, row: int) -> tuple[str, ...]:
        """What is wrong with an event itself."""
        return self._words.get(row, ())

    def why(self, row: int) -> str:
        """Why the chain breaks above a row of `breaks`; safe text."""
        return self._why[row]

    def _meet(self, faults: Iterable[Fault]) -> None:
        breaks, rows = [], []
        for fault in faults:
            if fault.kind != "link" and fault.kind not in _WORDS:
                continue
            row = None if fault.seq is None else self._row_of(fault.seq)
            meant = None if row is None else self._meant(row)
            if row is None or meant is None:
                self._open += [fault] * (row is not None)
            elif meant:
                if row not in self._why and row not in self._words:
                    rows.append(row)
                if fault.kind != "link":
                    self._words[row] = tuple(dict.fromkeys((*self.words(row), _WORDS[fault.kind])))
                elif row not in self._why:
                    self._why[row] = fault.text
                    breaks.append(row)
        self.breaks, self.rows = _with(self.breaks, breaks), _with(self.rows, rows)


def _with(rows: array[int], more: list[int]) -> array[int]:
    """The rows with others, ascending: the same array where all of those come last, else another one."""
    more.sort()
    if more and rows and more[0] < rows[-1]:
        return array("q", sorted((*rows, *more)))
    rows.extend(more)
    return rows


class Between:
    """Above which visible rows lines stand for breaks. Rows that are only added cost what is new."""

    def __init__(self) -> None:
        self.indexes: list[int] = []
        """The indexes of visible rows above which a line stands, ascending; their number: below all."""
        self._firsts: list[int] = []
        """For each line, the place of its first break among all."""
        self._breaks: Sequence[int] = ()
        self._shown: Sequence[int] = ()
        self._seen: tuple[int, int, int] = (0, 0, -1)
        """How many breaks and visible rows there were, and the last of these."""

    def lie(self, breaks: Sequence[int], shown: Sequence[int]) -> None:
        """The chain breaks above these rows, and these rows are seen, both ascending."""
        met, count, last = self._seen
        if breaks is not self._breaks or shown is not self._shown:
            self._begin(breaks, shown)
        elif len(breaks) == met and len(shown) == count and (not count or shown[-1] == last):
            return
        elif len(breaks) < met or len(shown) < count or (count and shown[count - 1] != last):
            self._begin(breaks, shown)
        elif self.indexes and self.indexes[-1] == count:
            self.indexes.pop()
            met = self._firsts.pop()
            self._seen = (met, count, last)
        self._go_on(breaks, shown)

    def _begin(self, breaks: Sequence[int], shown: Sequence[int]) -> None:
        self._breaks, self._shown = breaks, shown
        self.indexes, self._firsts, self._seen = [], [], (0, 0, -1)

    def _go_on(self, breaks: Sequence[int], shown: Sequence[int]) -> None:
        index = self.indexes[-1] if self.indexes else 0
        for place in range(self._seen[0], len(breaks)):
            index = bisect_left(shown, breaks[place], index)
            if not self.indexes or self.indexes[-1] != index:
                self.indexes.append(index)
                self._firsts.append(place)
        self._seen = (len(breaks), len(shown), shown[-1] if shown else -1)

    def breaks_at(self, index: int) -> tuple[int, int]:
        """Of the line above a row: the place of its first break among all, and how many fall together."""
        line = bisect_left(self.indexes, index)
        end = self._firsts[line + 1] if line + 1 < len(self._firsts) else len(self._breaks)
        return self._firsts[line], end - self._firsts[line]
