"""Spent: where the time of a session went - tools, inference, waiting for a person - where known."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from korg_tui.causal import Ledger
from korg_tui.event import Kind


class Work(enum.IntEnum):
    """What an event is on a timeline, most telling first."""

    PROMPT = 0
    TOOL = 1
    INFERENCE = 2
    SPAWN = 3
    NOTE = 4

    @property
    def word(self) -> str:
        """As legends call it."""
        return ("prompt", "tool", "inference", "sub-agent call", "note")[self]


_WORKS = {
    Kind.PROMPT: Work.PROMPT, Kind.TOOL: Work.TOOL, Kind.INFERENCE: Work.INFERENCE, Kind.SPAWN: Work.SPAWN,
}  # fmt: skip


def work_of(ledger: Ledger, row: int) -> Work:
    """What a row is on a timeline."""
    return _WORKS.get(Kind(ledger.kind[row]), Work.NOTE)


@dataclass(frozen=True, slots=True)
class Stretch:
    """One event in time, ms since the epoch; its lane's id (-1 off lanes), and whether a person did it."""

    begin: float
    end: float
    work: Work
    lane: int
    human: bool = False


@dataclass(frozen=True, slots=True)
class Spent:
    """How a session's time divides, in ms; every moment is counted once."""

    total: float = 0
    tools: float = 0
    """At least one tool ran."""
    inference: float = 0
    """No tool ran, and an inference did."""
    waiting: float = 0
    """Only calls ran that wait for their sub-agents."""
    human: float = 0
    """Nothing ran until a person wrote."""
    unrecorded: float = 0
    """Nothing ran that says how long it took, until something else came."""
    at_once: int = 0
    """How many lanes worked at one moment, at most."""

    @property
    def shares(self) -> list[tuple[str, float]]:
        """What took how much, in words, the longest first, without what took nothing."""
        parts = [
            ("tools", self.tools), ("inference", self.inference), ("waiting for sub-agents", self.waiting),
            ("waiting for a person", self.human), ("not recorded", self.unrecorded),
        ]  # fmt: skip
        return sorted(((name, ms) for name, ms in parts if ms > 0), key=lambda part: -part[1])


_ENDS, _POINT, _BEGINS = 0, 1, 2


def spent(stretches: Iterable[Stretch]) -> Spent:
    """Go along all beginnings and ends, and give every moment to what ran then."""
    points = sorted(_points(stretches), key=lambda point: point[:2])
    sums = dict.fromkeys(("tools", "inference", "waiting", "human", "unrecorded"), 0.0)
    running = [0] * len(Work)
    lanes: dict[int, int] = {}
    at_once = 0
    before = points[0][0] if points else 0.0
    for moment, step, each in points:
        if moment > before:
            sums[_who(running, each)] += moment - before
            before = moment
        if step == _POINT:
            continue
        change = 1 if step == _BEGINS else -1
        running[each.work] += change
        if each.work in (Work.TOOL, Work.INFERENCE):
            lanes[each.lane] = lanes.get(each.lane, 0) + change
            if not lanes[each.lane]:
                del lanes[each.lane]
            at_once = max(at_once, len(lanes))
    total = points[-1][0] - points[0][0] if points else 0.0
    return Spent(total=total, at_once=at_once, **sums)


def _points(stretches: Iterable[Stretch]) -> Iterable[tuple[float, int, Stretch]]:
    for each in stretches:
        if each.begin < each.end:
            yield each.begin, _BEGINS, each
            yield each.end, _ENDS, each
        else:
            yield each.begin, _POINT, each


def _who(running: list[int], after: Stretch) -> str:
    """What the time until `after` went to."""
    if running[Work.TOOL]:
        return "tools"
    if running[Work.INFERENCE]:
        return "inference"
    if running[Work.SPAWN]:
        return "waiting"
    return "human" if after.work is Work.PROMPT and after.human else "unrecorded"
