"""Fates: what every possible rewind does to every row, packed so that a page can show it without thinking.

A rewind's runs are `state` or `state*count`, comma-separated, one state for each row from a first one on; a
state is a number into `States.table`. In the worst case that is half the square of the rows, so there is a
bound, beyond which only the rewind that was asked for is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from korg_tui.causal import Ledger, Rewind, rewind
from korg_tui.event import Kind

RULES_AT_MOST = 450
"""Rows of an export in which every rewind is told with the rules by which events go."""

FATES_AT_MOST = 1_000
"""Rows of an export in which every rewind is told."""

_KEPT = ("kept", ())
State = tuple[str, tuple[int, ...]]
"""A fate (CAUSALITY §7), and the rules by which an event goes."""
Counts = tuple[int, int, int, int]
"""Events of the whole ledger that are invalidated, possible, unknown, independent."""


@dataclass(slots=True)
class States:
    """The states that occur, by number."""

    table: list[State] = field(default_factory=lambda: [_KEPT])
    _numbers: dict[State, int] = field(default_factory=lambda: {_KEPT: 0})

    def number(self, state: State) -> int:
        """The number of a state, a new one if it was never seen."""
        known = self._numbers.get(state)
        if known is None:
            known = self._numbers[state] = len(self.table)
            self.table.append(state)
        return known


def runs(ledger: Ledger, found: Rewind, rows: Sequence[int], states: States, *, rules: bool = True) -> str:
    """What a rewind does to these rows, packed; without `rules`, only their fates."""
    if rules:
        numbers = [states.number(_state(ledger, found, row)) for row in rows]
    else:
        numbers = _fates(ledger, found, rows, states)
    packed = ((state, sum(1 for _ in group)) for state, group in groupby(numbers))
    return ",".join(f"{state}*{count}" if count > 1 else str(state) for state, count in packed)


def _state(ledger: Ledger, found: Rewind, row: int) -> State:
    if not Kind(ledger.kind[row]).agent:
        return _KEPT
    seq = ledger.seq[row]
    return found.state(seq), found.rules(seq)


def _fates(ledger: Ledger, found: Rewind, rows: Sequence[int], states: States) -> list[int]:
    """The number of the state of each row, by its fate alone."""
    numbers: dict[int, int] = {}
    for fate in ("invalidated", "possible", "unknown", "independent"):
        numbers |= dict.fromkeys(getattr(found, fate), states.number((fate, ())))
    seqs, kinds = ledger.seq, ledger.kind
    return [numbers.get(seqs[row], 0) if kinds[row] <= Kind.BOOKKEEPING else 0 for row in rows]


def counts_of(found: Rewind) -> Counts:
    """What a rewind does to the whole ledger, in numbers."""
    return len(found.invalidated), len(found.possible), len(found.unknown), len(found.independent)


def every_rewind(
    ledger: Ledger, rows: Sequence[int], states: States, counts: list[Counts | None]
) -> Iterator[str]:
    """The runs of a rewind to each row, from the next row on, and in `counts` what it does in numbers; empty,
    and None, for rows that no rewind can name. Nothing at all beyond `FATES_AT_MOST` rows."""
    if len(rows) > FATES_AT_MOST:
        return
    with_rules = len(rows) <= RULES_AT_MOST
    for index, row in enumerate(rows):
        if Kind(ledger.kind[row]).agent:
            found = rewind(ledger, ledger.seq[row])
            yield runs(ledger, found, rows[index + 1 :], states, rules=with_rules)
            counts.append(counts_of(found))
        else:
            yield ""
            counts.append(None)
