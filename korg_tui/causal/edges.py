"""Edges u → v, "v depends on u", derived when asked for (CAUSALITY §6, SPEC §3).

A `Weave` holds what the edges of some sessions follow from: who consumed which round, and which lanes
are linked to which calls. The edges from a whole sub-tree to its call are never stored one by one.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import merge

from korg_tui.causal.lanes import NO_ROUND, Lane
from korg_tui.causal.ledger import Ledger
from korg_tui.causal.links import Claim, Link, Links, claims, find_links
from korg_tui.causal.sessions import Session
from korg_tui.event import Kind

_INFERENCE, _BOOKKEEPING = int(Kind.INFERENCE), int(Kind.BOOKKEEPING)


@dataclass(frozen=True, slots=True)
class Edge:
    """`target` depends on `source` (rows), by this rule of SPEC §3 (1 to 4). `basis` is that of the link the
    edge rests on, empty where it needs none."""

    rule: int
    source: int
    target: int
    certain: bool
    basis: str = field(default="", compare=False)


class Weave:
    """What the edges of one session, and of those that results link it to, follow from.

    `rows` are all their events, ascending. `doubtful` says whether any edge is just possible; `late` are the
    events that an inference before them may have read."""

    def __init__(self, ledger: Ledger, lanes: list[Lane], links: Links) -> None:
        self.ledger = ledger
        self.lanes = lanes
        self.links = links
        self.consumers: dict[tuple[int, int], list[int]] = defaultdict(list)
        self.rounds: dict[tuple[int, int], list[int]] = defaultdict(list)
        self.rows = array("q", sorted(row for lane in lanes for row in lane.rows))
        self.late: set[int] = set()
        self.doubtful = any(not link.certain for groups in links.groups.values() for _, link in groups)
        self._below: dict[int, list[Lane]] = defaultdict(list)
        self._sort_rounds()

    def _sort_rounds(self) -> None:
        kind, rounds = self.ledger.kind, self.ledger.lane_book.round
        for lane in self.lanes:
            if lane.above is not None:
                self._below[lane.above.key].append(lane)
            for row in lane.rows:
                if rounds[row] != NO_ROUND:
                    book = self.consumers if kind[row] == _INFERENCE else self.rounds
                    book[lane.key, rounds[row]].append(row)
        for key, readers in self.consumers.items():
            for row in self.rounds.get(key, ()):
                self.doubtful |= not self.surely_consumed(row, readers[0])
                if row > readers[0]:
                    self.late.add(row)

    def round_key(self, row: int) -> tuple[int, int]:
        """Equal for the events of one round of one lane."""
        return self.ledger.lane_book.of[row], self.ledger.round_at(row)

    def consumers_of(self, row: int) -> list[int]:
        """The inferences that consumed an event, ascending (§4)."""
        if self.ledger.kind[row] == _INFERENCE or self.ledger.round_at(row) == NO_ROUND:
            return []
        return self.consumers.get(self.round_key(row), [])

    def consumed_by(self, row: int) -> list[int]:
        """The events that an inference consumed, ascending (§4)."""
        if self.ledger.kind[row] != _INFERENCE or self.ledger.round_at(row) == NO_ROUND:
            return []
        return self.rounds.get(self.round_key(row), [])

    def surely_consumed(self, event: int, inference: int) -> bool:
        """Whether the consumption is certain, and not just possible (§4)."""
        return (
            event < inference
            and self.ledger.kind[event] != _BOOKKEEPING
            and self.ledger.round_at(event) > NO_ROUND
        )

    def is_linked(self, call: int) -> bool:
        """Whether a call started a lane, or may have."""
        return call in self.links.groups

    def linked_lanes(self, call: int) -> Iterator[tuple[Lane, Link]]:
        """The lanes that a call started, or may have started."""
        return self.links.lanes(call)

    def lane_links(self, lane: Lane) -> list[Link]:
        """The calls that started a lane."""
        return self.links.of.get(lane.key, [])

    def subtree(self, lane: Lane) -> Iterator[int]:
        """The rows of a lane and of the lanes below it, ascending."""
        parts, stack = [], [lane]
        while stack:
            part = stack.pop()
            parts.append(part.rows)
            stack += self._below.get(part.key, [])
        return merge(*parts)

    def edges_from(self, row: int) -> Iterator[Edge]:
        """The edges that leave an event."""
        for child in self.ledger.children(row):
            yield Edge(1, row, child, True)
        for reader in self.consumers_of(row):
            yield Edge(2, row, reader, self.surely_consumed(row, reader))
        for lane, link in self.linked_lanes(row):
            if row < lane.opener:
                yield Edge(3, row, lane.opener, link.certain, link.basis)
        here = self.ledger.lane_at(row)
        for lane in here.chain() if here else ():
            for link in self.lane_links(lane):
                if link.call > row:
                    yield from self._return_edges(row, link)

    def _return_edges(self, row: int, link: Link) -> Iterator[Edge]:
        yield Edge(2, row, link.call, link.certain, link.basis)
        for reader in self.consumers_of(link.call):
            if reader > row:
                certain = link.certain and self.surely_consumed(link.call, reader)
                yield Edge(4, row, reader, certain, link.basis)

    def edges_into(self, row: int) -> Iterator[Edge]:
        """The edges that enter an event."""
        if self.ledger.parent_row(row) >= 0:
            yield Edge(1, self.ledger.parent_row(row), row, True)
        for read in self.consumed_by(row):
            yield Edge(2, read, row, self.surely_consumed(read, row))
        for lane, link in self.linked_lanes(row):
            yield from (Edge(2, each, row, link.certain) for each in self.subtree(lane) if each < row)
        lane_here = self.ledger.lane_at(row)
        if lane_here is not None and lane_here.opener == row:
            for link in self.lane_links(lane_here):
                if link.call < row:
                    yield Edge(3, link.call, row, link.certain)
        for call in self.consumed_by(row):
            for lane, link in self.linked_lanes(call):
                certain = link.certain and self.surely_consumed(call, row)
                for each in self.subtree(lane):
                    if each < call and each < row:
                        yield Edge(4, each, row, certain)


def weave(ledger: Ledger, session: Session) -> Weave:
    """The weave of a session. It is kept until one of its sessions grows or the ledger is reshaped."""
    claimed = _resolved_claims(ledger)
    sessions = _connected(ledger, session, claimed)
    lanes = sorted((lane for each in sessions for lane in each.lane_objects()), key=lambda lane: lane.opener)
    mark = (ledger.revision, len(claimed), sum(each.total_events for each in sessions))
    kept: tuple[object, Weave] | None = ledger.derived.get(f"weave {session.head}")
    if kept is not None and kept[0] == mark:
        return kept[1]
    of = ledger.lane_book.of
    keys = {lane.key for lane in lanes}
    touching = [each for each in claimed if of[each.call] in keys or of[each.named] in keys]
    woven = Weave(ledger, lanes, find_links(ledger, lanes, touching))
    for key in [key for key in ledger.derived if key.startswith("weave ")][:-8]:
        del ledger.derived[key]
    ledger.derived[f"weave {session.head}"] = (mark, woven)
    return woven


def _resolved_claims(ledger: Ledger) -> list[Claim]:
    mark = (ledger.revision, len(ledger))
    kept: tuple[object, list[Claim]] | None = ledger.derived.get("claims")
    if kept is None or kept[0] != mark:
        kept = (mark, claims(ledger))
        ledger.derived["claims"] = kept
    return kept[1]


def _connected(ledger: Ledger, session: Session, claimed: list[Claim]) -> list[Session]:
    """The session and those tied to it by a result that names an event of the other."""
    ties: dict[int, set[int]] = defaultdict(set)
    for claim in claimed:
        one, other = ledger.session_at(claim.call), ledger.session_at(claim.named)
        if one is not None and other is not None and one is not other:
            ties[one.index].add(other.index)
            ties[other.index].add(one.index)
    found, stack = {session.index}, [session.index]
    while stack:
        for index in ties.get(stack.pop(), ()):
            if index not in found:
                found.add(index)
                stack.append(index)
    sessions = ledger.sessions
    return [sessions[index] for index in sorted(found)]


def edges_from(ledger: Ledger, row: int) -> list[Edge]:
    """The edges that leave an event; none for rows off lanes."""
    session = ledger.session_at(row)
    return [] if session is None else list(weave(ledger, session).edges_from(row))


def edges_into(ledger: Ledger, row: int) -> list[Edge]:
    """The edges that enter an event; none for rows off lanes."""
    session = ledger.session_at(row)
    return [] if session is None else list(weave(ledger, session).edges_into(row))


def links(ledger: Ledger, session: int) -> dict[int, tuple[Link, ...]]:
    """Lane id → links, for the sub-lanes of a session (by index) that have any (§5)."""
    woven = weave(ledger, ledger.sessions[session])
    mine = {lane.key: lane.id for lane in ledger.sessions[session].lane_objects()}
    return {mine[key]: tuple(found) for key, found in woven.links.of.items() if key in mine and found}
