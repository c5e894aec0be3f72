"""Vocabulary: the names that ledgers have, for the completion of a query. Bounded; paths, which stand in the
records, are met a slice at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from korg_tui.formats import body
from korg_tui.sources import BodyGone
from korg_tui.views import calls, marks
from korg_tui.views.completion import Known
from korg_tui.views.touched import Where

ROWS = 50_000
"""The newest rows of a ledger, whose tools and agents are counted."""
RECORDS = 3_000
"""The newest records of a ledger that are looked at for paths."""

_LEDGERS, _NAMES, _PATHS = 8, 200, 1_000
_LONG_RECORD = 100_000


class Vocabulary:
    """The names that some ledgers have; paths only of `rows`, which are rows of each, or of all."""

    def __init__(
        self, sources: Sequence[Where], rows: Sequence[int] | None = None, *, in_preview: bool = False
    ) -> None:
        self._sources = sources[:_LEDGERS]
        self._paths: Counter[str] = Counter()
        self._ahead = [(source, row) for source in self._sources for row in _newest(source, rows)]
        self._in_preview = in_preview
        self._known = self._names()

    @property
    def known(self) -> Known:
        """What is known so far."""
        return self._known

    @property
    def done(self) -> bool:
        """Whether all records that are to be met were met."""
        return not self._ahead

    def meet(self, enough: Callable[[], bool]) -> None:
        """Look for paths until it is `enough`, or all were met."""
        before = len(self._paths)
        while self._ahead and len(self._paths) < _PATHS:
            self._meet(*self._ahead.pop())
            if enough():
                break
        else:
            self._ahead.clear()
        if len(self._paths) != before:
            self._known = self._names()

    def _meet(self, source: Where, row: int) -> None:
        ledger = source.ledger
        if row >= len(ledger) or not ledger.kind_at(row).agent or ledger.length[row] > _LONG_RECORD:
            return
        try:
            found = body(source.read(ledger.offset[row], ledger.length[row]))
        except (BodyGone, OSError, LookupError):
            return
        if found is not None:
            self._paths.update(calls.paths_named(ledger.tool_at(row), found.args)[:20])

    def _names(self) -> Known:
        tools: Counter[str] = Counter()
        agents: Counter[str] = Counter()
        for source in self._sources:
            columns = source.ledger.columns
            for counts, column in ((tools, columns.tool), (agents, columns.actor)):
                for number, count in Counter(column[-ROWS:]).items():
                    counts[columns.names[number]] += count
        return Known(
            tools=_common(tools, _NAMES),
            agents=_common(agents, _NAMES),
            lanes=tuple(_lanes(self._sources)),
            sessions=tuple(_sessions(self._sources)),
            paths=_common(self._paths, _PATHS),
            in_preview=self._in_preview,
        )


def _newest(source: Where, rows: Sequence[int] | None) -> list[int]:
    """The rows whose records are met, the newest last."""
    if rows is not None:
        return list(rows[-RECORDS:])
    end = len(source.ledger)
    return list(range(max(0, end - RECORDS), end))


def _common(counts: Counter[str], most: int) -> tuple[str, ...]:
    return tuple(name for name, _ in counts.most_common(most) if name)


def _lanes(sources: Sequence[Where]) -> list[tuple[str, str]]:
    if len(sources) != 1:
        return []
    lanes = sources[0].ledger.lanes[:_NAMES]
    return [(str(marks.lane_number(lane)), marks.lane_name(lane)) for lane in lanes]


def _sessions(sources: Sequence[Where]) -> list[tuple[str, str]]:
    if len(sources) != 1:
        return []
    return [(str(session.seq), session.status) for session in sources[0].ledger.sessions[-_NAMES:]]


