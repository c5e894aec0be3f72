"""Fates: what every possible rewind does to every row, packed so that a page can show it without thinking.

A rewind's runs are `state` or `state*count`, comma-separated, one state for each row from a first one on; a
state is a number into `States.table`. In the worst case that is half the square of the rows, so there is a
bound, beyond which only the rewind that was asked for is told.
"""

from __future__ import annotations

from collections import Counter
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
Elsewhere = tuple[int, int]
"""Of the independent ones, those in other sessions than the target's, and how many sessions that are."""


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
    ledger: Ledger,
    rows: Sequence[int],
    states: States,
    counts: list[Counts | None],
    others: list[Elsewhere | None],
) -> Iterator[str]:
    """The runs of a rewind to each row, from the next row on, and in `counts` and `others` what it does in
    numbers; empty, and None, for rows that no rewind can name. Nothing at all beyond `FATES_AT_MOST` rows."""
    if len(rows) > FATES_AT_MOST:
        return
    sessions = _sessions(ledger)
    with_rules = len(rows) <= RULES_AT_MOST
    for index, row in enumerate(rows):
        if Kind(ledger.kind[row]).agent:
            found = rewind(ledger, ledger.seq[row])
            yield runs(ledger, found, rows[index + 1 :], states, rules=with_rules)
            counts.append(counts_of(found))
            others.append(_elsewhere(found, sessions))
        else:
            yield ""
            counts.append(None)
            others.append(None)


def _sessions(ledger: Ledger) -> dict[int, int]:
    """The session of each event, by seq; nothing where there is but one."""
    if len(ledger.sessions) < 2:
        return {}
    found = ((ledger.seq[row], ledger.session_at(row)) for row in range(len(ledger)))
    return {seq: session.index for seq, session in found if session is not None}


def _elsewhere(found: Rewind, sessions: dict[int, int]) -> Elsewhere:
    """The independent events that are in other sessions than the target."""
    each = Counter(map(sessions.get, found.independent)) if sessions else Counter[int | None]()
    for here in (None, sessions.get(found.target)):
        each.pop(here, None)
    return each.total(), len(each)
