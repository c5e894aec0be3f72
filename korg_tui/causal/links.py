"""Which spawn call started which lane, and what each link rests on (CAUSALITY §5)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from operator import or_

from korg_tui.causal.lanes import NO_ROUND, Lane
from korg_tui.causal.ledger import Ledger
from korg_tui.event import Kind


@dataclass(frozen=True, slots=True)
class Link:
    """A spawn call (by row) that started a lane. `basis` is what the link rests on: `fork` (the lane forks
    at the call), `result` (the call's result names the lane), `prompt` (equal prompts), `round` (the same
    round), or `declared` by the format."""

    call: int
    certain: bool
    basis: str


@dataclass(slots=True)
class Claim:
    """A call whose result names an event, both by row."""

    call: int
    named: int


def claims(ledger: Ledger) -> list[Claim]:
    """Every call of the ledger whose result names an event that is there (§5 step 2)."""
    found = []
    for call, seqs in ledger.columns.returns.items():
        if ledger.lane_book.of[call] < 0:
            continue
        for seq in dict.fromkeys(seqs):
            row = ledger.row_of(seq)
            if row is not None and ledger.lane_book.of[row] >= 0:
                found.append(Claim(call, row))
    return found


@dataclass(slots=True)
class Links:
    """The links of the lanes of some sessions: `of[lane key]`, and `groups[call row]` the other way.

    A group is the lanes that one link of a call stands for. Tied lanes share their lists, so that what many
    of them may have in common is kept once.
    """

    ledger: Ledger
    subs: list[Lane]
    of: dict[int, list[Link]] = field(default_factory=dict)
    groups: dict[int, list[tuple[list[Lane], Link]]] = field(default_factory=lambda: defaultdict(list))
    ends: dict[int, int] = field(default_factory=dict)

    def add(self, lane: Lane, link: Link) -> None:
        """Add a link, unless this call is linked to this lane already."""
        found = self.of.setdefault(lane.key, [])
        if all(each.call != link.call for each in found):
            found.append(link)
            self.groups[link.call].append(([lane], link))

    def share(self, lanes: list[Lane], links: list[Link]) -> None:
        """Give each of these lanes, which have no links yet, all of these links."""
        self.of |= dict.fromkeys((lane.key for lane in lanes), links)
        for link in links:
            self.groups[link.call].append((lanes, link))

    def lanes(self, call: int) -> Iterator[tuple[Lane, Link]]:
        """The lanes that a call started, or may have started."""
        for lanes, link in self.groups.get(call, ()):
            for lane in lanes:
                yield lane, link

    def unlinked(self) -> list[Lane]:
        """The sub-lanes that have no link yet."""
        return [lane for lane in self.subs if lane.key not in self.of]


def find_links(ledger: Ledger, lanes: Iterable[Lane], claimed: Iterable[Claim]) -> Links:
    """Link the sub-lanes among `lanes`; `claimed` are the claims whose call or named event is in them."""
    ordered = sorted(lanes, key=lambda lane: lane.opener)
    links = Links(ledger, [lane for lane in ordered if lane.above is not None])
    links.ends = _ends(ordered)
    calls = {lane.key: [row for row in lane.rows if ledger.kind[row] == Kind.SPAWN] for lane in ordered}
    _link_as_declared(links)
    _link_by_fork(links)
    _link_by_result(links, claimed)
    _link_by_prompt(links, calls)
    _link_by_round(links, calls)
    return links


def _ends(ordered: list[Lane]) -> dict[int, int]:
    """The last row of each lane and the lanes below it."""
    ends = {lane.key: lane.rows[-1] for lane in ordered}
    for lane in reversed(ordered):
        if lane.above is not None:
            ends[lane.above.key] = max(ends[lane.above.key], ends[lane.key])
    return ends


def _link_as_declared(links: Links) -> None:
    """Calls that name the ledger of their sub-agent."""
    mine = {lane.key for lane in links.subs}
    for index, lane in links.ledger.lane_book.guest_lanes.items():
        origin = links.ledger.origins[index]
        if origin is not None and lane.key in mine:
            for call in origin.calls:
                row = links.ledger.row_of(call)
                if row is not None:
                    links.add(lane, Link(row, True, "declared"))


def _link_by_fork(links: Links) -> None:
    for lane in links.subs:
        if lane.key not in links.of and lane.fork is not None and links.ledger.kind[lane.fork] == Kind.SPAWN:
            links.add(lane, Link(lane.fork, True, "fork"))


def _link_by_result(links: Links, claimed: Iterable[Claim]) -> None:
    ledger = links.ledger
    for claim in claimed:
        lane, caller = ledger.lane_at(claim.named), ledger.lane_at(claim.call)
        if lane is None or caller is None or lane.above is None or claim.call <= lane.opener:
            continue
        if lane not in caller.chain():
            links.add(lane, Link(claim.call, True, "result"))


def _link_by_prompt(links: Links, calls: dict[int, list[int]]) -> None:
    ledger = links.ledger
    groups: dict[Hashable, list[Lane]] = defaultdict(list)
    for lane in links.unlinked():
        prompt = ledger.prompt_key(lane.opener)
        if prompt and lane.above is not None:
            groups[lane.above.key, prompt].append(lane)
    unused: dict[Hashable, list[int]] = defaultdict(list)
    for key, rows in calls.items():
        for call in rows:
            if ledger.prompt_key(call) and call not in links.groups:
                unused[key, ledger.prompt_key(call)].append(call)
    for group, lanes in groups.items():
        _settle(links, lanes, unused.get(group, []), "prompt")


def _link_by_round(links: Links, calls: dict[int, list[int]]) -> None:
    ledger = links.ledger
    groups: dict[Hashable, list[Lane]] = defaultdict(list)
    for lane in links.unlinked():
        if lane.above is not None and lane.fork is not None:
            groups[lane.above.key, _round_of_fork(ledger, lane.fork)].append(lane)
    unused: dict[Hashable, list[int]] = defaultdict(list)
    for key, rows in calls.items():
        for call in rows:
            if ledger.round_at(call) != NO_ROUND and call not in links.groups:
                unused[key, ledger.round_at(call)].append(call)
    for group, lanes in groups.items():
        _settle(links, lanes, unused.get(group, []), "round")


def _round_of_fork(ledger: Ledger, fork: int) -> int:
    if ledger.kind[fork] == Kind.INFERENCE or ledger.round_at(fork) == NO_ROUND:
        return fork
    return ledger.round_at(fork)


def _settle(links: Links, lanes: list[Lane], calls: list[int], basis: str) -> None:
    """Give each lane the one call it can have, again and again; what is left is possible (§5, *settle*).

    Candidates are sets of positions in `calls`, held as the bits of integers.
    """
    field_of = _Field(links, calls)
    strict = {lane.key: field_of.strict(lane) for lane in lanes}
    loose = {lane.key: field_of.loose(lane) for lane in lanes if not strict[lane.key]}
    open_lanes, taken = list(lanes), -1
    while taken:
        taken, takers = 0, _sole_takers(open_lanes, strict)
        for lane in takers:
            bit = strict[lane.key]
            links.add(lane, Link(calls[bit.bit_length() - 1], True, basis))
            taken |= bit
        taking = {lane.key for lane in takers}
        open_lanes = [lane for lane in open_lanes if lane.key not in taking]
        for candidates in (strict, loose):
            for key in candidates:
                candidates[key] &= ~taken
    left: dict[int, list[Lane]] = defaultdict(list)
    for lane in open_lanes:
        left[loose.get(lane.key, strict[lane.key])].append(lane)
    maybe = [Link(call, False, basis) for call in calls]
    for bits, tied in left.items():
        if bits:
            links.share(tied, [link for place, link in enumerate(maybe) if bits >> place & 1])


def _sole_takers(lanes: list[Lane], strict: dict[int, int]) -> list[Lane]:
    """The lanes with one strict candidate that is not the only one of another lane too."""
    wanted: dict[int, list[Lane]] = defaultdict(list)
    for lane in lanes:
        if strict[lane.key].bit_count() == 1:
            wanted[strict[lane.key]].append(lane)
    return [each[0] for each in wanted.values() if len(each) == 1]


class _Field:
    """The calls that lanes settle on, ascending, and who may be a candidate for which lane."""

    def __init__(self, links: Links, calls: list[int]) -> None:
        self._links = links
        self._calls = calls
        self._all = (1 << len(calls)) - 1
        numbered = ((self._round(call), place) for place, call in enumerate(calls))
        rounds = sorted((seq, place) for seq, place in numbered if seq is not None)
        self._rounds = [seq for seq, _ in rounds]
        self._by_round = list(accumulate((1 << place for _, place in rounds), or_, initial=0))

    def _round(self, call: int) -> int | None:
        """The seq of a call's round, missing or not; None for a lane's opener without one."""
        ledger, in_round = self._links.ledger, self._links.ledger.round_at(call)
        if in_round == NO_ROUND:
            return None
        return ledger.columns.place[in_round] if in_round >= 0 else ledger.lane_book.missing_seq(in_round)

    def strict(self, lane: Lane) -> int:
        """The calls after all that the lane did, from a round before its opener."""
        opener = self._links.ledger.columns.place[lane.opener]
        return self._after(self._links.ends[lane.key]) & self._by_round[bisect_left(self._rounds, opener)]

    def loose(self, lane: Lane) -> int:
        """The calls after the lane's opener; if there are none, those before it."""
        after = self._after(lane.opener)
        return after or self._all & ~self._after(lane.opener - 1)

    def _after(self, row: int) -> int:
        place = bisect_right(self._calls, row)
        return self._all >> place << place
