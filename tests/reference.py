"""A second, plain, quadratic reading of the causal model: from pointers to rewind sets.

Written from the text of CAUSALITY §2-§7 alone and sharing nothing with `korg_tui.causal`, so that an error
has to be made twice to go unseen. Clear before fast: every step looks at everything. It reads whole ledgers:
no growth, and no holes but the one before the first seq.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from korg_tui.event import Event, Kind

MISSING = ("dead", "unloaded", "rewound")
"""Pointer states that name a seq which the ledger does not have."""

Round = int | tuple[str, int] | None
"""The seq of an inference or an opener, `("missing", seq)`, or none."""


@dataclass
class Reading:
    """All that the model says of one ledger. Events are named by their seq everywhere."""

    agent: dict[int, Event]
    pointers: dict[int, str] = field(default_factory=dict)
    """State word of every agent event's parent pointer (§2)."""
    head_of: dict[int, int] = field(default_factory=dict)
    """The head that the chain of parents ends at; a head is its own."""
    session_of: dict[int, int] = field(default_factory=dict)
    """The session of every agent event, named by its first head."""
    sessions: dict[int, dict] = field(default_factory=dict)
    """First head → {heads, status, synthesized, events, lanes}."""
    lane_of: dict[int, int] = field(default_factory=dict)
    lanes: list[dict] = field(default_factory=list)
    """id, session, opener, parent, fork, actor, events, links (as `lanes --json` has them), and opened_by."""
    rounds: dict[int, Round] = field(default_factory=dict)
    """`prior` of inferences and `round` of all others (§4); None where there is none."""
    consumed: dict[tuple[int, int], bool] = field(default_factory=dict)
    """(T, S) → certain, for every T that inference S consumed."""
    edges: dict[tuple[int, int, int], bool] = field(default_factory=dict)
    """(u, v, rule) → certain, rules as in the table of §6."""

    def edge_set(self) -> set[tuple[int, int, int, bool]]:
        return {(u, v, rule, certain) for (u, v, rule), certain in self.edges.items()}

    def lanes_json(self) -> list[dict]:
        """The lanes with the keys of `lanes --json`."""
        return [{key: value for key, value in lane.items() if key != "opened_by"} for lane in self.lanes]

    def rewind(self, target: int) -> dict:
        return _rewind(self, target)


def read(events: Iterable[Event], rewound: Iterable[int] = ()) -> Reading:
    """Read one whole ledger; the order of the records does not matter, their seqs do.

    `rewound` are the seqs of events whose parent was removed, which only someone who watched can know."""
    ordered = sorted(events, key=lambda event: event.seq)
    reading = Reading(agent={event.seq: event for event in ordered if event.kind.agent})
    governance = {event.seq for event in ordered if not event.kind.agent}
    first = min((event.seq for event in ordered), default=0)
    for seq, event in reading.agent.items():
        state = "rewound" if seq in rewound else _pointer(event, reading.agent, governance, first)
        reading.pointers[seq] = state
    _find_heads(reading)
    _cut_lanes(reading)
    _find_sessions(reading)
    _find_rounds(reading)
    _find_links(reading)
    _find_edges(reading)
    return reading


# --- §2 pointers and sessions


def _pointer(event: Event, agent: dict[int, Event], governance: set[int], first: int) -> str:
    parent = event.parent
    if parent in agent and parent < event.seq and not event.bad_parent:
        return "ok"
    if event.bad_parent:
        return "malformed"
    if parent is None:
        if event.kind is Kind.PROMPT:
            return "root"
        return "detached" if event.kind is Kind.BOOKKEEPING else "orphan"
    if parent >= event.seq:
        return "forward"
    if parent in governance:
        return "governance"
    if parent < first and first > 1:
        return "unloaded"
    return "dead"


def _is_ok(reading: Reading, seq: int) -> bool:
    return reading.pointers[seq] == "ok"


def _missing_seq(reading: Reading, seq: int) -> int | None:
    """The missing seq that this event names, if it is a head of that sort."""
    return reading.agent[seq].parent if reading.pointers[seq] in MISSING else None


def _find_heads(reading: Reading) -> None:
    for seq, event in reading.agent.items():
        parent = event.parent
        reading.head_of[seq] = reading.head_of[parent] if _is_ok(reading, seq) else seq


def _find_sessions(reading: Reading) -> None:
    heads = [seq for seq in reading.agent if not _is_ok(reading, seq)]
    together = {head: {head} for head in heads}
    for one in heads:
        for other in heads:
            if _share_a_session(reading, one, other) and together[one] is not together[other]:
                joined = together[one] | together[other]
                for head in joined:
                    together[head] = joined
    for seq in reading.agent:
        reading.session_of[seq] = min(together[reading.head_of[seq]])
    for lane in reading.lanes:
        lane["session"] = reading.session_of[lane["opener"]]
    for head in heads:
        if head != min(together[head]):
            continue
        state = reading.pointers[head]
        reading.sessions[head] = {
            "heads": sorted(together[head]),
            "status": {
                "root": "complete",
                "detached": "detached",
                "orphan": "partial",
                "dead": "partial",
                "unloaded": "partial",
                "rewound": "partial",
            }.get(state, "malformed"),
            "synthesized": state == "root" and reading.agent[head].synthesized,
            "events": [seq for seq in reading.agent if reading.session_of[seq] == head],
            "lanes": [lane["id"] for lane in reading.lanes if lane["session"] == head],
        }


def _share_a_session(reading: Reading, one: int, other: int) -> bool:
    missing = _missing_seq(reading, one)
    if missing is not None and missing == _missing_seq(reading, other):
        return True
    if reading.pointers[one] != "unloaded" or reading.pointers[other] != "unloaded":
        return False
    group = reading.agent[one].root_event_id
    return group != "" and group == reading.agent[other].root_event_id


# --- §3 lanes


def _owns_no_lane(actor: str) -> bool:
    return actor.startswith(("human:", "korg:"))


def _cut_lanes(reading: Reading) -> None:
    for seq, event in reading.agent.items():
        if not _is_ok(reading, seq):
            lane = _lane_of_head(reading, event)
        elif event.kind is Kind.PROMPT:
            lane = _lane_of_prompt(reading, event)
        else:
            lane = _lane_of_other(reading, event)
        lane["events"].append(seq)
        reading.lane_of[seq] = lane["id"]


def _open_lane(reading: Reading, opener: int, actor: str | None, parent: dict | None, opened_by: str) -> dict:
    lane = {
        "id": len(reading.lanes),
        "session": opener,
        "opener": opener,
        "parent": None if parent is None else parent["id"],
        "fork": None if parent is None else reading.agent[opener].parent,
        "actor": actor,
        "events": [],
        "links": [],
        "opened_by": opened_by,
    }
    reading.lanes.append(lane)
    return lane


def _lane_of_head(reading: Reading, event: Event) -> dict:
    actor = None if _owns_no_lane(event.actor) else event.actor
    missing = _missing_seq(reading, event.seq)
    for lane in reading.lanes:
        earlier_heads = [seq for seq in lane["events"] if not _is_ok(reading, seq)]
        if missing is None or missing not in [_missing_seq(reading, seq) for seq in earlier_heads]:
            continue
        if actor is None or lane["actor"] == actor:
            return lane
        if lane["actor"] is None:
            lane["actor"] = actor
            return lane
    return _open_lane(reading, event.seq, actor, None, "head")


def _lane_of_prompt(reading: Reading, event: Event) -> dict:
    lane = reading.lanes[reading.lane_of[event.parent]]
    if _owns_no_lane(event.actor):
        return lane
    if lane["actor"] is not None and lane["actor"] != event.actor:
        return _open_lane(reading, event.seq, event.actor, lane, "prompt")
    has_children = any(
        child.parent == event.seq and _is_ok(reading, child.seq) for child in reading.agent.values()
    )
    return _open_lane(reading, event.seq, event.actor, lane, "prompt") if has_children else lane


def _lane_of_other(reading: Reading, event: Event) -> dict:
    lane = reading.lanes[reading.lane_of[event.parent]]
    if _owns_no_lane(event.actor) or event.actor == lane["actor"]:
        return lane
    if lane["actor"] is None:
        lane["actor"] = event.actor
        return lane
    for above in _lanes_above(reading, lane):
        if above["actor"] == event.actor:
            return above
    for below in reading.lanes:
        if (below["parent"], below["actor"], below["opened_by"]) == (lane["id"], event.actor, "actor"):
            return below
    return _open_lane(reading, event.seq, event.actor, lane, "actor")


def _lanes_above(reading: Reading, lane: dict) -> list[dict]:
    """Nearest first."""
    above = []
    while lane["parent"] is not None:
        lane = reading.lanes[lane["parent"]]
        above.append(lane)
    return above


def _events_at_and_below(reading: Reading, lane: dict) -> list[int]:
    """The events of a lane and of all lanes below it."""
    return [
        seq
        for other in reading.lanes
        if other is lane or lane in _lanes_above(reading, other)
        for seq in other["events"]
    ]


# --- §4 rounds


def _find_rounds(reading: Reading) -> None:
    for seq in reading.agent:
        reading.rounds[seq] = _round(reading, seq)
    for inference, event in reading.agent.items():
        if event.kind is not Kind.INFERENCE or reading.rounds[inference] is None:
            continue
        for other, candidate in reading.agent.items():
            if candidate.kind is Kind.INFERENCE or reading.lane_of[other] != reading.lane_of[inference]:
                continue
            if reading.rounds[other] == reading.rounds[inference]:
                late = other > inference
                bookkeeping = candidate.kind is Kind.BOOKKEEPING
                of_a_missing_seq = isinstance(reading.rounds[inference], tuple)
                certain = not (late or bookkeeping or of_a_missing_seq)
                reading.consumed[other, inference] = certain


def _round(reading: Reading, seq: int) -> Round:
    lane = reading.lanes[reading.lane_of[seq]]
    if seq == lane["opener"]:
        missing = _missing_seq(reading, seq)
        return None if missing is None else ("missing", missing)
    at = seq
    while _is_ok(reading, at):
        at = reading.agent[at].parent
        if reading.agent[at].kind is Kind.INFERENCE and reading.lane_of[at] == lane["id"]:
            return at
    missing = _missing_seq(reading, at)
    if reading.lane_of[at] == lane["id"] and missing is not None:
        return "missing", missing
    return lane["opener"]


# --- §5 links


def _find_links(reading: Reading) -> None:
    sub_lanes = [lane for lane in reading.lanes if lane["parent"] is not None]
    for lane in sub_lanes:
        if reading.agent[lane["fork"]].kind is Kind.SPAWN:
            _link(lane, lane["fork"], True, "fork")
    for lane in sub_lanes:
        inside = _events_at_and_below(reading, lane)
        for call, event in reading.agent.items():
            if (
                call > lane["opener"]
                and call not in inside
                and any(root in lane["events"] for root in event.returns)
            ):
                _link(lane, call, True, "result")
    by_prompt = lambda lane: (lane["parent"], reading.agent[lane["opener"]].prompt)  # noqa: E731
    for parent, prompt in {by_prompt(lane) for lane in sub_lanes}:
        if prompt:
            lanes = [lane for lane in sub_lanes if by_prompt(lane) == (parent, prompt)]
            calls = [call for call in _spawn_calls(reading, parent) if reading.agent[call].prompt == prompt]
            _settle(reading, lanes, calls, "prompt")
    by_round = lambda lane: (lane["parent"], _fork_round(reading, lane))  # noqa: E731
    for parent, fork_round in {by_round(lane) for lane in sub_lanes}:
        lanes = [lane for lane in sub_lanes if by_round(lane) == (parent, fork_round)]
        calls = [call for call in _spawn_calls(reading, parent) if reading.rounds[call] == fork_round]
        _settle(reading, lanes, calls, "round")
    for lane in reading.lanes:
        lane["links"].sort(key=lambda link: link["call"])


def _link(lane: dict, call: int, certain: bool, basis: str) -> None:
    lane["links"].append({"call": call, "certain": certain, "basis": basis})


def _spawn_calls(reading: Reading, lane_id: int) -> list[int]:
    return [seq for seq in reading.lanes[lane_id]["events"] if reading.agent[seq].kind is Kind.SPAWN]


def _fork_round(reading: Reading, lane: dict) -> Round:
    fork = lane["fork"]
    if reading.agent[fork].kind is Kind.INFERENCE:
        return fork
    fork_round = reading.rounds[fork]
    return fork if fork_round is None else fork_round


def _settle(reading: Reading, lanes: list[dict], calls: list[int], basis: str) -> None:
    """Share the unused calls out among the unlinked lanes of one group."""
    used = {link["call"] for lane in reading.lanes for link in lane["links"]}
    lanes = [lane for lane in lanes if not lane["links"]]
    calls = [call for call in calls if call not in used]
    strict: dict[int, list[int]] = {}
    loose: dict[int, list[int]] = {}
    for lane in lanes:
        opener, last = lane["opener"], max(_events_at_and_below(reading, lane))
        strict[lane["id"]] = [
            call for call in calls if call > last and _is_before(reading.rounds[call], opener)
        ]
        after = [call for call in calls if call > opener]
        loose[lane["id"]] = after or [call for call in calls if call < opener]
    never_strict = {lane_id for lane_id, candidates in strict.items() if not candidates}
    open_lanes = {lane["id"] for lane in lanes}
    while True:
        single = {lane_id: strict[lane_id][0] for lane_id in open_lanes if len(strict[lane_id]) == 1}
        taken = {lane_id: call for lane_id, call in single.items() if list(single.values()).count(call) == 1}
        if not taken:
            break
        for lane_id, call in taken.items():
            _link(reading.lanes[lane_id], call, True, basis)
            open_lanes.remove(lane_id)
            for candidates in (*strict.values(), *loose.values()):
                if call in candidates:
                    candidates.remove(call)
    for lane_id in open_lanes:
        for call in loose[lane_id] if lane_id in never_strict else strict[lane_id]:
            _link(reading.lanes[lane_id], call, False, basis)


def _is_before(round_: Round, opener: int) -> bool:
    seq = round_[1] if isinstance(round_, tuple) else round_
    return seq is not None and seq < opener


# --- §6 edges


def _find_edges(reading: Reading) -> None:
    for seq, event in reading.agent.items():
        if _is_ok(reading, seq):
            _edge(reading, event.parent, seq, 1, True)
    for (result, inference), certain in reading.consumed.items():
        _edge(reading, result, inference, 2, certain)
    for lane in reading.lanes:
        for link in lane["links"]:
            call = link["call"]
            if call < lane["opener"]:
                _edge(reading, call, lane["opener"], 3, link["certain"])
            for seq in _events_at_and_below(reading, lane):
                if call <= seq:
                    continue
                _edge(reading, seq, call, 2, link["certain"])
                for (result, inference), certain in reading.consumed.items():
                    if result == call and inference > seq:
                        _edge(reading, seq, inference, 4, link["certain"] and certain and call < inference)


def _edge(reading: Reading, source: int, target: int, rule: int, certain: bool) -> None:
    """Two edges of one rule between the same events are one, certain if either is."""
    reading.edges[source, target, rule] = certain or reading.edges.get((source, target, rule), False)


# --- §7 rewind


def _rewind(reading: Reading, target: int) -> dict:
    if target == 0 and target not in reading.agent:
        every = sorted(reading.agent)
        return {
            "target": 0,
            "invalidated": every,
            "possible": [],
            "unknown": [],
            "independent": [],
            "rules": {},
            "why": {},
        }
    if target not in reading.agent:
        raise LookupError(target)
    edges = [edge for edge in reading.edge_set() if edge[0] >= target and edge[1] > target]
    surely = _distances(target, [edge for edge in edges if edge[3]])
    at_all = _distances(target, edges)
    invalidated = set(surely) - {target}
    dropped = set(at_all) - {target}
    rest = [seq for seq in reading.agent if seq > target and seq not in dropped]
    unknown = [
        seq
        for seq in rest
        if reading.head_of[seq] > target
        and reading.pointers[reading.head_of[seq]] not in ("root", "detached")
    ]
    return {
        "target": target,
        "invalidated": sorted(invalidated),
        "possible": sorted(dropped - invalidated),
        "unknown": unknown,
        "independent": [seq for seq in rest if seq not in unknown],
        "rules": {seq: _rules(reading, target, dropped, seq) for seq in sorted(dropped)},
        "why": {
            seq: _why(reading, target, [edge for edge in edges if edge[3]], surely, seq)
            if seq in invalidated
            else _why(reading, target, edges, at_all, seq)
            for seq in sorted(dropped)
        },
    }


def _distances(target: int, edges: list[tuple[int, int, int, bool]]) -> dict[int, int]:
    distance = {target: 0}
    frontier = [target]
    while frontier:
        reached = {v for u, v, _, _ in edges if u in frontier and v not in distance}
        distance |= dict.fromkeys(reached, distance[frontier[0]] + 1)
        frontier = sorted(reached)
    return distance


def _counts_as(reading: Reading, target: int, source: int, event: int, rule: int) -> int:
    linked = any(link["call"] == source for lane in reading.lanes for link in lane["links"])
    if rule == 2 and (source, event) in reading.consumed and linked and source != target:
        return 4
    return rule


def _rules(reading: Reading, target: int, dropped: set[int], seq: int) -> list[int]:
    carried_away = dropped | {target}
    rules = {
        _counts_as(reading, target, u, v, rule)
        for u, v, rule in reading.edges
        if v == seq and u in carried_away
    }
    lane = reading.lanes[reading.lane_of[seq]]
    for at in (lane, *_lanes_above(reading, lane)):
        if at["parent"] is not None and at["opener"] in carried_away:
            rules.add(3)
    return sorted(rules)


def _why(
    reading: Reading,
    target: int,
    edges: list[tuple[int, int, int, bool]],
    distance: dict[int, int],
    seq: int,
) -> list[list[int]]:
    chain = []
    while seq != target:
        rule, source = min(
            (_counts_as(reading, target, u, v, rule), u)
            for u, v, rule, _ in edges
            if v == seq and distance.get(u) == distance[seq] - 1
        )
        chain.append([rule, seq])
        seq = source
    return chain[::-1]
