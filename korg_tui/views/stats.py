"""Stats: what sessions did in numbers - calls, failures, time, tokens - per tool, per agent and per lane.

The columns of a ledger say most of it. Tokens, cost and written files are in the records, which are read
slice by slice, so that a screen stays quick; what is unknown stays unknown.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from korg_tui.event import Kind
from korg_tui.formats import body
from korg_tui.sources import BodyGone
from korg_tui.views import calls, marks
from korg_tui.views.arguments import LARGE
from korg_tui.views.groups import At, Group, Scope, Sum, groups_of
from korg_tui.views.timeline import drawable
from korg_tui.views.usage import HINTS, NOTHING, Usage, usage_of

LISTED = 20
"""The slowest calls, and the files written most often, that are named."""

LANES = 100
"""Lanes that are told apart; of more, those that took longest."""

_ACTS = (Kind.TOOL, Kind.SPAWN, Kind.INFERENCE)
_LOOKS_BETWEEN_STOPS = 32


@dataclass(frozen=True, slots=True)
class Call:
    """One call among the slowest."""

    place: At
    tool: str
    duration_ms: float


@dataclass(frozen=True, slots=True)
class Written:
    """A file, as calls name it, how many of them wrote it, and the last one."""

    path: str
    writes: int
    last: At


@dataclass(frozen=True, slots=True)
class Stats:
    """The numbers as they are known so far: of `looked` rows of `total`."""

    ledgers: tuple[str, ...]
    sessions: int
    events: int
    prompts: int
    inferences: int
    tool_calls: int
    spawn_calls: int
    failed: int
    first_ms: int | None
    last_ms: int | None
    usage: Usage
    cost: float | None
    """US dollars; of each session that of whole runs where that is said, else what single events name."""
    tools: tuple[Group, ...]
    agents: tuple[Group, ...]
    lanes: tuple[Group, ...]
    more_lanes: int
    slowest: tuple[Call, ...]
    files: tuple[Written, ...]
    more_files: int
    unread: int
    """Events whose record could not be read, or is too long to be read for this."""
    looked: int
    total: int


class StatsBook:
    """Counts the events of some sessions, a slice at a time, and goes on when their ledgers grow."""

    def __init__(self, scopes: Sequence[Scope]) -> None:
        self.scopes = scopes
        self._begin()

    def _begin(self) -> None:
        self._revisions = [(scope.ledger.revision, scope.ledger.generation) for scope in self.scopes]
        self._met = [0] * len(self.scopes)
        self._counts = dict.fromkeys(Kind, 0)
        self._failed = self._unread = 0
        self._first: int | None = None
        self._last: int | None = None
        self._sessions: dict[tuple[int, int], Usage] = {}
        self._order = 0
        self._tools: dict[str, Sum] = {}
        self._agents: dict[str, Sum] = {}
        self._lanes: dict[tuple[int, int], Sum] = {}
        self._slowest: list[tuple[float, int, Call]] = []
        self._last_write: dict[str, At] = {}
        self._writes: dict[str, int] = {}

    @property
    def total(self) -> int:
        """Rows of all ledgers that are asked."""
        return sum(len(scope.ledger) for scope in self.scopes)

    @property
    def looked(self) -> int:
        """How many of them were looked at."""
        return sum(self._met)

    @property
    def done(self) -> bool:
        """Whether nothing is left to be counted."""
        return self.looked >= self.total and not self._moved

    @property
    def _moved(self) -> bool:
        now = [(scope.ledger.revision, scope.ledger.generation) for scope in self.scopes]
        return now != self._revisions

    def work(self, stop: Callable[[], bool]) -> None:
        """Count on until everything is counted, or `stop` says so. Rows that moved are counted anew."""
        if self._moved:
            self._begin()
        for number, scope in enumerate(self.scopes):
            while self._met[number] < len(scope.ledger):
                self._count(number, scope, self._met[number])
                self._met[number] += 1
                if self._met[number] % _LOOKS_BETWEEN_STOPS == 0 and stop():
                    return

    def _count(self, number: int, scope: Scope, row: int) -> None:
        ledger = scope.ledger
        session = ledger.session_at(row)
        if session is None or (scope.session is not None and session is not scope.session.standing()):
            return
        self._order += 1
        kind, failed = ledger.kind_at(row), ledger.success_at(row) is False
        self._counts[kind] += 1
        self._failed += failed
        self._span(ledger.time_at(row))
        place = At(scope, ledger.seq[row])
        used = self._look(scope, row, place)
        self._sessions[number, session.index] = self._sessions.get((number, session.index), NOTHING) + used
        if kind in _ACTS:
            self._add(number, place, row, failed, used)

    def _span(self, time: int | None) -> None:
        if time is not None:
            self._first = time if self._first is None else min(self._first, time)
            self._last = time if self._last is None else max(self._last, time)

    def _add(self, number: int, place: At, row: int, failed: bool, used: Usage) -> None:
        ledger = place.scope.ledger
        ms, tool = drawable(ledger.duration_at(row)), ledger.tool_at(row)
        lane = ledger.lane_at(row)
        sums = [self._tools.setdefault(tool, Sum()), self._agents.setdefault(ledger.actor_at(row), Sum())]
        if lane is not None:
            sums.append(self._lanes.setdefault((number, lane.id), Sum()))
        for each in sums:
            each.add(place, failed, ms, used)
        if ms:
            entry = (ms, -self._order, Call(place, tool, ms))
            if len(self._slowest) < LISTED:
                heapq.heappush(self._slowest, entry)
            elif entry > self._slowest[0]:
                heapq.heapreplace(self._slowest, entry)

    def _look(self, scope: Scope, row: int, place: At) -> Usage:
        """Read a record for what its columns do not say."""
        ledger = scope.ledger
        if scope.read is None or ledger.kind[row] == Kind.PROMPT:
            return NOTHING
        writes = ledger.tool_at(row) in calls.WRITERS
        if ledger.length[row] > LARGE:
            self._unread += 1
            return NOTHING
        try:
            raw = scope.read(ledger.offset[row], ledger.length[row])
        except (BodyGone, OSError):
            self._unread += 1
            return NOTHING
        said = any(hint in raw for hint in HINTS)
        if not (said or writes):
            return NOTHING
        found = body(raw)
        if found is None:
            return NOTHING
        for path in calls.paths_written(ledger.tool_at(row), found.args) if writes else ():
            self._writes[path] = self._writes.get(path, 0) + 1
            self._last_write[path] = place
        return usage_of(found) if said else NOTHING

    def stats(self) -> Stats:
        """What is known so far. Groups come in the order of their total time, the longest first."""
        lanes = sorted(self._lanes.items(), key=lambda each: -math.fsum(each[1].durations))
        files = sorted(self._writes, key=lambda path: (-self._writes[path], path))
        acts = self._counts
        return Stats(
            ledgers=tuple(dict.fromkeys(scope.ledger.name for scope in self.scopes)),
            sessions=len(self._sessions),
            events=sum(acts.values()),
            prompts=acts[Kind.PROMPT],
            inferences=acts[Kind.INFERENCE],
            tool_calls=acts[Kind.TOOL],
            spawn_calls=acts[Kind.SPAWN],
            failed=self._failed,
            first_ms=self._first,
            last_ms=self._last,
            usage=sum(self._sessions.values(), NOTHING),
            cost=_cost(self._sessions.values()),
            tools=groups_of(self._tools),
            agents=groups_of(self._agents),
            lanes=tuple(each.group(self._lane_name(*where)) for where, each in lanes[:LANES]),
            more_lanes=max(0, len(lanes) - LANES),
            slowest=tuple(call for _, _, call in sorted(self._slowest, reverse=True)),
            files=tuple(Written(path, self._writes[path], self._last_write[path]) for path in files[:LISTED]),
            more_files=max(0, len(files) - LISTED),
            unread=self._unread,
            looked=self.looked,
            total=self.total,
        )

    def _lane_name(self, number: int, lane: int) -> str:
        ledger = self.scopes[number].ledger
        title = marks.lane_title(ledger.lanes[lane]) if lane < len(ledger.lanes) else f"lane {lane + 1}"
        return title if len(self.scopes) == 1 else f"{ledger.name} {title}"


def _cost(sessions: Iterable[Usage]) -> float | None:
    said = [used.dollars for used in sessions if used.dollars is not None]
    return math.fsum(said) if said else None


def stats(scopes: Sequence[Scope]) -> Stats:
    """All numbers at once."""
    book = StatsBook(scopes)
    book.work(lambda: False)
    return book.stats()
