"""SessionBook: the sessions of all ledgers in one order, brought up to date at the cost of what changed."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence

from korg_tui.causal import Ledger
from korg_tui.reading import Reading
from korg_tui.views.sessions import ORDERS, SORTS, SessionRow, has_words, session_rows
from korg_tui.views.trusted import TrustMarks, Watch, broken_guests, nobody_watches

_SORTED_ANEW = 20
"""When more than one row of so many changed, all are sorted anew."""


class SessionBook:
    """The rows of the first screen, of `Reading`s that are told of by `update`."""

    def __init__(self) -> None:
        self.sort = SORTS[0]
        self.words = ""
        self.sessions = 0
        """How many there are, also of those that do not have the words."""
        self.ledgers = 0
        self._trusted: dict[Ledger, TrustMarks] = {}
        self._by_ledger: dict[Reading, dict[str, list[SessionRow]]] = {}
        self._owners: dict[str, Reading] = {}
        self._rows: list[SessionRow] = []
        self._gone: list[SessionRow] = []
        self._new: list[SessionRow] = []
        self._anew = False

    def update(self, reading: Reading, *, live: bool, watched: Watch = nobody_watches) -> int:
        """Take in what a reading has become; how many sessions it has. `live`: its source is followed;
        `watched` says what is known of the chains."""
        before = self._by_ledger.get(reading, {})
        after: dict[str, list[SessionRow]] = {}
        for ledger in reading.journal.ledgers:
            old = before.get(ledger.name, ())
            after[ledger.name] = rows = session_rows(
                ledger, live=live, before=old, trusted=self._marks(reading, ledger, watched)
            )
            self._owners.setdefault(ledger.name, reading)
            self._gone += _without(old, rows)
            self._new += _without(rows, old)
        for name in before.keys() - after.keys():
            self._gone += before[name]
        self._by_ledger[reading] = after
        count = sum(map(len, after.values()))
        self.sessions += count - sum(map(len, before.values()))
        self.ledgers += len(after) - len(before)
        return count

    def _marks(self, reading: Reading, ledger: Ledger, watched: Watch) -> TrustMarks:
        """What is said of the chain; kept, as it costs a look at every fault."""
        guests = broken_guests(reading, watched)
        known, kept = watched(ledger), self._trusted.get(ledger)
        if kept is None or not kept.still(known, guests):
            kept = self._trusted[ledger] = TrustMarks(ledger, known, guests)
        return kept

    def arrange(self, sort: str, words: str) -> None:
        """Sort by one of `SORTS`, and leave out what does not have these words."""
        if (sort, words) != (self.sort, self.words):
            self.sort, self.words, self._anew = sort, words, True

    @property
    def rows(self) -> Sequence[SessionRow]:
        """The rows in their order; the same object as before if it has the same rows."""
        if self._anew or (len(self._gone) + len(self._new)) * _SORTED_ANEW > self.sessions:
            self._rows = sorted(self._fitting(self._all()), key=ORDERS[self.sort])
        elif self._gone or self._new:
            self._rows = self._mended()
        self._gone, self._new, self._anew = [], [], False
        return self._rows

    def _mended(self) -> list[SessionRow]:
        rows, key = list(self._rows), ORDERS[self.sort]
        for row in self._fitting(self._gone):
            at = bisect_left(rows, key(row), key=key)
            while at < len(rows) and rows[at] is not row:
                at += 1
            del rows[at : at + 1]
        for row in self._fitting(self._new):
            insort(rows, row, key=key)
        return rows

    def _fitting(self, rows: Iterator[SessionRow] | list[SessionRow]) -> Iterator[SessionRow]:
        return (row for row in rows if has_words(row, self.words)) if self.words.strip() else iter(rows)

    def _all(self) -> Iterator[SessionRow]:
        for ledgers in self._by_ledger.values():
            for rows in ledgers.values():
                yield from rows

    def names(self) -> list[str]:
        """The names of all ledgers, in the order in which their readings were met; each once."""
        return list(self._owners)

    def owner(self, ledger: str) -> Reading | None:
        """The reading that has the ledger of this name."""
        return self._owners.get(ledger)


def _without(rows: Sequence[SessionRow], others: Sequence[SessionRow]) -> list[SessionRow]:
    """The rows that are not, as the same objects, at the same place in `others`."""
    same = len(others)
    return [row for index, row in enumerate(rows) if index >= same or others[index] is not row]
