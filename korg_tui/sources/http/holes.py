"""Holes: seqs that a server has and that no answer has given yet, and how they are looked for when the server
does not give its whole ledger: among the children of known events (LEDGERS.md, HTTP)."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator

from korg_tui.event import Event, Kind
from korg_tui.sources.http import wire
from korg_tui.sources.http.records import Records
from korg_tui.sources.http.web import Away, Nonsense, Web

PER_HOLE = 200
"""Requests for one hole, at most."""

AT_ONCE = 10
"""Requests between two looks at the journal, at most: nobody is to notice."""

Range = tuple[int, int]
_HAVE_CHILDREN = (Kind.PROMPT, Kind.INFERENCE, Kind.SPAWN)


def without(ranges: Iterable[Range], records: Records) -> tuple[Range, ...]:
    """What is left of `ranges` when the known seqs are taken out; ascending, without overlaps."""
    left: list[Range] = []
    for first, last in sorted(ranges):
        start = max(first, left[-1][1] + 1) if left else first
        for row in range(records.rows_before(start), records.rows_before(last + 1)):
            seq = records.seqs[row]
            if start < seq:
                left.append((start, seq - 1))
            start = seq + 1
        if start <= last:
            left.append((start, last))
    return tuple(left)


class Children:
    """Which events are asked for their children, and what they are: those first that most often have some,
    and of these the last ones."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._queue: list[tuple[int, int]] = []
        self._asked: set[int] = set()
        self._left = 0

    @property
    def exhausted(self) -> bool:
        """Nobody is left to be asked."""
        return self._left <= 0 or not self._queue

    def forget(self) -> None:
        """Nothing is missing any more."""
        self._queue, self._asked, self._left = [], set(), 0

    def begin(self, hole: Range, records: Records, named: Iterable[int] = ()) -> None:
        """Look for what lies in `hole`, too. `named` are parents that lie there themselves: their children
        can be asked for before they are known."""
        self._left += PER_HOLE
        for seq in named:
            if hole[0] <= seq <= hole[1]:
                self._offer(seq, likely=True)
        spare = [PER_HOLE, PER_HOLE]
        for row in range(records.rows_before(hole[0]) - 1, -1, -1):
            likely = records.kinds[row] in _HAVE_CHILDREN
            if spare[likely]:
                spare[likely] -= 1
                self._offer(records.seqs[row], likely=likely)
            if not any(spare):
                return

    def ask(self, before: int) -> list[wire.Taken]:
        """Ask a few; return what they gave, as far as it comes before seq `before`. A server that is away is
        for others to notice."""
        found: dict[int, wire.Taken] = {}
        for seq in self._next():
            try:
                answer = self._web.get(f"{wire.PATH}?triggered_by={seq}")
                given = wire.journal(answer.body).taken if answer.status == 200 else ()
            except wire.NoWireForm:
                continue
            except (Away, Nonsense):
                break
            for each in given:
                if each.seq is not None and each.seq < before:
                    found[each.seq] = each
                    kind = each.record.kind if isinstance(each.record, Event) else Kind.MALFORMED
                    self._offer(each.seq, likely=kind in _HAVE_CHILDREN)
        return [found[seq] for seq in sorted(found)]

    def _next(self) -> Iterator[int]:
        for _ in range(AT_ONCE):
            if self.exhausted:
                return
            self._left -= 1
            yield -heapq.heappop(self._queue)[1]

    def _offer(self, seq: int, *, likely: bool) -> None:
        if seq not in self._asked:
            self._asked.add(seq)
            heapq.heappush(self._queue, (not likely, -seq))
