"""A journal: one source, and the ledgers that its facts make (CAUSALITY §1, §8).

Most sources hold one ledger. A file whose numbers restart holds one per run: `FILE`, `FILE#2`, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from korg_tui.causal.ledger import Gone, Judge, Ledger, Replacement
from korg_tui.causal.rewind import NoSuchEvent, nothing_kept, rewind
from korg_tui.event import Event, Gap, Record
from korg_tui.sources import Fact, Filled, Grew, Holes, Replaced

RULES_TOLD = 5_000
"""Of so many events that a source drops at once, it is kept by which rules §3 would have dropped them."""


@dataclass(frozen=True, slots=True)
class Appended:
    """Rows from `first_row` on are new, or, after a late line, moved; `rows` are the new ones."""

    ledger: Ledger
    first_row: int
    rows: Sequence[int]

    @property
    def count(self) -> int:
        """How many rows are new."""
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Rewound:
    """The source dropped events: a new generation began. `to` is the last seq that was kept (0 if none);
    of `dropped`, those with `invalid` are what §3 would have dropped for that target."""

    ledger: Ledger
    to: int
    dropped: tuple[Gone, ...]
    generation: int

    @property
    def in_place(self) -> bool:
        """Whether events behind those that were dropped stand as they were: a rewind leaves none."""
        return any(each.amid for each in self.dropped)

    @property
    def invalid(self) -> tuple[int, ...]:
        """The dropped seqs that §3 calls invalid."""
        return tuple(each.event.seq for each in self.dropped if each.invalid)


@dataclass(frozen=True, slots=True)
class NewLedger:
    """A run began."""

    ledger: Ledger


@dataclass(frozen=True, slots=True)
class Vanished:
    """A run is no more in the source."""

    ledger: Ledger


@dataclass(frozen=True, slots=True)
class HolesChanged:
    """What the source has and could not give is another set now; rows from `first_row` on were placed anew.
    `new` are the holes that were not known before."""

    ledger: Ledger
    first_row: int
    new: tuple[Gap, ...]


Change = Appended | Rewound | NewLedger | Vanished | HolesChanged


class Journal:
    """The ledgers of one source, kept up to date by its facts. There is always at least one ledger."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.ledgers: list[Ledger] = [Ledger(name)]

    def apply(self, fact: Fact) -> list[Change]:
        """Take in one fact; facts that say nothing of events change nothing."""
        match fact:
            case Grew():
                return self._append(list(fact.records))
            case Replaced():
                return self._replace(fact)
            case Filled():
                return self._fill(fact.records)
            case Holes():
                return self._set_holes(tuple(Gap(first, last) for first, last in fact.ranges))
        return []

    def _append(self, records: list[Record]) -> list[Change]:
        changes: list[Change] = []
        ledger = self.ledgers[-1]
        while records:
            run, records = _split_run(ledger, records)
            if run:
                changes.append(_appended(ledger, ledger.append(run), run))
            if records:
                ledger = self._open()
                changes.append(NewLedger(ledger))
        return changes

    def _fill(self, records: Sequence[Record]) -> list[Change]:
        ledger = self.ledgers[-1]
        return [_appended(ledger, ledger.fill(records), records)] if records else []

    def _set_holes(self, holes: tuple[Gap, ...]) -> list[Change]:
        ledger = self.ledgers[-1]
        before = set(ledger.holes)
        if before == set(holes):
            return []
        new = tuple(gap for gap in holes if gap not in before)
        return [HolesChanged(ledger, ledger.set_holes(holes), new)]

    def _open(self) -> Ledger:
        ledger = Ledger(f"{self.name}#{len(self.ledgers) + 1}")
        self.ledgers.append(ledger)
        return ledger

    def _replace(self, fact: Replaced) -> list[Change]:
        records = list(fact.records)
        for ledger in self.ledgers:
            ledger.release([origin for origin in ledger.origins if origin is not None])
        place = next(
            (n for n, each in enumerate(self.ledgers) if len(each) and max(each.offset) >= fact.offset),
            len(self.ledgers) - 1,
        )
        changes: list[Change] = []
        for ledger in self.ledgers[:place]:
            ledger.epoch = fact.epoch
        for ledger in self.ledgers[place:]:
            kept = {ledger.seq[row] for row in range(len(ledger)) if 0 <= ledger.offset[row] < fact.offset}
            run, records = _split_run_after(kept, records)
            changes += _replace_in(ledger, fact, run)
        while len(self.ledgers) > 1 and not len(self.ledgers[-1]):
            changes.append(Vanished(self.ledgers.pop()))
        return changes + self._append(records)


def _appended(ledger: Ledger, first: int, run: Sequence[Record]) -> Appended:
    rows = range(first, len(ledger))
    if len(rows) <= len(run):
        return Appended(ledger, first, rows)
    new = {record.offset for record in run}
    return Appended(ledger, first, [row for row in rows if ledger.offset[row] in new])


def _replace_in(ledger: Ledger, fact: Replaced, run: Sequence[Record]) -> list[Change]:
    def judge(to: int, count: int) -> Judge:
        return _judge(ledger, to, count)

    done = ledger.replace(fact.offset, run, fact.epoch, judge, dict(fact.rest))
    changes: list[Change] = []
    if done.gone:
        changes.append(Rewound(ledger, max(_to(ledger, done), 0), done.gone, ledger.generation))
    if done.first < len(ledger):
        new = {record.offset for record in done.new}
        rows = [row for row in range(done.first, len(ledger)) if ledger.offset[row] in new]
        changes.append(Appended(ledger, done.first, rows))
    return changes


def _to(ledger: Ledger, done: Replacement) -> int:
    """The last seq before what was dropped, 0 if there is none."""
    if any(each.amid for each in done.gone):
        kept = ledger.kept.get(ledger.generation)
        return 0 if kept is None else kept[0]
    return max((ledger.seq[row] for row in range(done.first)), default=0)


def _judge(ledger: Ledger, to: int, count: int) -> Judge:
    """What §3 says of `count` events for a rewind to the last agent event that is not after `to`."""
    try:
        found = rewind(ledger, max(to, 0))
    except NoSuchEvent as missing:
        before = [seq for seq in missing.nearest if seq < to]
        found = rewind(ledger, before[0]) if before else nothing_kept(ledger)
    tells_rules = count <= RULES_TOLD
    return lambda seq: (found.state(seq), found.rules(seq) if tells_rules else ())


def _split_run(ledger: Ledger, records: list[Record]) -> tuple[list[Record], list[Record]]:
    """The records that belong to this ledger's run, and the rest."""
    first = ledger.columns.first_seq
    top = ledger.columns.last_seq() if first is not None else 0
    used: set[int] = set()
    for number, record in enumerate(records):
        if not isinstance(record, Event):
            continue
        seq = record.seq
        if first is None:
            first = top = seq
        elif seq > top:
            top = seq
        elif seq <= first or seq in used or ledger.row_of(seq) is not None:
            return records[:number], records[number:]
        used.add(seq)
    return records, []


def _split_run_after(kept: set[int], records: list[Record]) -> tuple[list[Record], list[Record]]:
    """The records of a new tail that belong to the run that kept these seqs, and the rest."""
    used, first = set(kept), min(kept, default=None)
    for number, record in enumerate(records):
        if not isinstance(record, Event):
            continue
        if record.seq in used or (first is not None and record.seq <= first):
            return records[:number], records[number:]
        first = record.seq if first is None else first
        used.add(record.seq)
    return records, []
