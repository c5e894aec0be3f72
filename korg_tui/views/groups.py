"""Groups: the calls of one tool, one actor, or one lane, summed up and sorted."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from korg_tui.causal import Ledger, Session
from korg_tui.views.arguments import Read
from korg_tui.views.usage import NOTHING, Usage


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """What is counted: a session of a ledger, or all of it (None); how its records are read."""

    ledger: Ledger
    session: Session | None
    read: Read | None = None


@dataclass(frozen=True, slots=True)
class At:
    """An event, wherever it is: which scope, and its seq there (a key for a guest)."""

    scope: Scope
    seq: int


@dataclass(frozen=True, slots=True)
class Group:
    """The calls of one tool, one actor, or one lane. Durations in ms, None where no call says any.

    Percentiles are by nearest rank: p90 is the smallest duration that at least 90 % of the calls keep to.
    """

    name: str
    """As written, not safe: the tool, the actor, or `LEDGER lane N name`."""
    calls: int
    failed: int
    timed: int
    """Calls that say how long they took."""
    total_ms: float
    mean_ms: float | None
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None
    max_ms: float | None
    slowest: At | None
    usage: Usage


@dataclass(slots=True, eq=False)
class Sum:
    """The calls of a group, as they are met."""

    calls: int = 0
    failed: int = 0
    durations: array[float] = field(default_factory=lambda: array("d"))
    slowest: tuple[float, At] | None = None
    usage: Usage = NOTHING

    def add(self, place: At, failed: bool, ms: float | None, used: Usage) -> None:
        self.calls += 1
        self.failed += failed
        if ms is not None:
            self.durations.append(ms)
            if self.slowest is None or ms > self.slowest[0]:
                self.slowest = ms, place
        if used is not NOTHING:
            self.usage += used

    def group(self, name: str) -> Group:
        ordered = sorted(self.durations)
        total = math.fsum(ordered)
        return Group(
            name=name,
            calls=self.calls,
            failed=self.failed,
            timed=len(ordered),
            total_ms=total,
            mean_ms=total / len(ordered) if ordered else None,
            p50_ms=percentile(ordered, 50),
            p90_ms=percentile(ordered, 90),
            p99_ms=percentile(ordered, 99),
            max_ms=ordered[-1] if ordered else None,
            slowest=None if self.slowest is None else self.slowest[1],
            usage=self.usage,
        )


def percentile(ordered: Sequence[float], percent: int) -> float | None:
    """The nearest rank of ascending numbers; None of none."""
    return ordered[max(0, -(-percent * len(ordered) // 100) - 1)] if ordered else None


def groups_of(sums: Mapping[str, Sum]) -> tuple[Group, ...]:
    """The groups by name, in the order of their total time, the longest first."""
    groups = [each.group(name) for name, each in sums.items()]
    return tuple(sorted(groups, key=ORDERS["time"]))


ORDERS: dict[str, Callable[[Group], tuple[float, float, str]]] = {
    "time": lambda each: (-each.total_ms, -each.calls, each.name),
    "calls": lambda each: (-each.calls, -each.total_ms, each.name),
    "failed": lambda each: (-each.failed, -each.calls, each.name),
    "mean": lambda each: (-(each.mean_ms or 0), -each.calls, each.name),
    "p50": lambda each: (-(each.p50_ms or 0), -each.calls, each.name),
    "p90": lambda each: (-(each.p90_ms or 0), -each.calls, each.name),
    "p99": lambda each: (-(each.p99_ms or 0), -each.calls, each.name),
    "max": lambda each: (-(each.max_ms or 0), -each.calls, each.name),
    "tokens": lambda each: (-(each.usage.tokens or 0), -each.calls, each.name),
    "name": lambda each: (0, 0, each.name),
}
"""What groups can be sorted by, the largest first; names from a to z."""
