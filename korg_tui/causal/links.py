"""Which spawn call started which lane, and what each link rests on (CAUSALITY §5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

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
    """The links of the lanes of some sessions: `of[lane key]`, and `lanes[call row]` the other way."""

    ledger: Ledger
    subs: list[Lane]
    of: dict[int, list[Link]] = field(default_factory=lambda: defaultdict(list))
    lanes: dict[int, list[tuple[Lane, Link]]] = field(default_factory=lambda: defaultdict(list))
    ends: dict[int, int] = field(default_factory=dict)

    def add(self, lane: Lane, link: Link) -> None:
        """Add a link, unless this call is linked to this lane already."""
        if all(each.call != link.call for each in self.of[lane.key]):
            self.of[lane.key].append(link)
            self.lanes[link.call].append((lane, link))

    def unlinked(self) -> list[Lane]:
        """The sub-lanes that have no link yet."""
        return [lane for lane in self.subs if not self.of.get(lane.key)]


def find_links(ledger: Ledger, lanes: Iterable[Lane], claimed: Iterable[Claim]) -> Links:
    """Link the sub-lanes among `lanes`; `claimed` are the claims whose call or named event is in them."""
    ordered = sorted(lanes, key=lambda lane: lane.opener)
    links = Links(ledger, [lane for lane in ordered if lane.above is not None])
    links.ends = _ends(ordered)
    calls = {lane.key: [row for row in lane.rows if ledger.kind[row] == Kind.SPAWN] for lane in ordered}
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


def _link_by_fork(links: Links) -> None:
    for lane in links.subs:
        if lane.fork is not None and links.ledger.kind[lane.fork] == Kind.SPAWN:
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
            if ledger.prompt_key(call) and call not in links.lanes:
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
            if ledger.round_at(call) != NO_ROUND and call not in links.lanes:
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
    strict = {lane.key: _strict(links, lane, calls) for lane in lanes}
    loose = {lane.key: _loose(lane, calls) for lane in lanes if not strict[lane.key]}
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
    for lane in open_lanes:
        left = loose[lane.key] if lane.key in loose else strict[lane.key]
        for place, call in enumerate(calls):
            if left >> place & 1:
                links.add(lane, Link(call, False, basis))


def _sole_takers(lanes: list[Lane], strict: dict[int, int]) -> list[Lane]:
    """The lanes with one strict candidate that is not the only one of another lane too."""
    wanted: dict[int, list[Lane]] = defaultdict(list)
    for lane in lanes:
        if strict[lane.key].bit_count() == 1:
            wanted[strict[lane.key]].append(lane)
    return [each[0] for each in wanted.values() if len(each) == 1]


def _strict(links: Links, lane: Lane, calls: list[int]) -> int:
    bits, end = 0, links.ends[lane.key]
    for place, call in enumerate(calls):
        if call > end and _round_before(links.ledger, call, lane.opener):
            bits |= 1 << place
    return bits


def _loose(lane: Lane, calls: list[int]) -> int:
    after = sum(1 << place for place, call in enumerate(calls) if call > lane.opener)
    return after or sum(1 << place for place, call in enumerate(calls) if call < lane.opener)


def _round_before(ledger: Ledger, call: int, opener: int) -> bool:
    in_round = ledger.round_at(call)
    missing = ledger.lane_book.missing_seq(in_round)
    if missing is not None:
        return missing < ledger.seq[opener]
    return 0 <= in_round < opener
