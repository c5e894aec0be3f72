"""What a causal ledger says, in seqs and in the plain shapes of `reference`, to compare the two."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from korg_tui.causal import NO_ROUND, Journal, Ledger, links, rewind
from korg_tui.event import Record
from korg_tui.sources import Grew
from reference import Reading


def ledger_of(*batches: Iterable[Record]) -> Ledger:
    journal = Journal("a.jsonl")
    for batch in batches:
        journal.apply(Grew(tuple(batch)))
    (ledger,) = journal.ledgers
    return ledger


def agent_rows(ledger: Ledger) -> list[int]:
    return [row for row in range(len(ledger)) if ledger.kind_at(row).agent]


def model(ledger: Ledger) -> dict[str, Any]:
    """What a causal ledger says, in seqs."""
    seq = ledger.seq
    linked = {
        lane: [{"call": seq[link.call], "certain": link.certain, "basis": link.basis} for link in found]
        for session in range(len(ledger.sessions))
        for lane, found in links(ledger, session).items()
    }
    return {
        "pointers": {seq[row]: ledger.pointer_at(row).word for row in agent_rows(ledger)},
        "lanes": [
            {
                "id": lane.id,
                "session": ledger.sessions[lane.session].seq,
                "opener": seq[lane.opener],
                "parent": lane.parent,
                "fork": None if lane.fork is None else seq[lane.fork],
                "actor": lane.actor,
                "events": [seq[row] for row in lane.rows],
                "links": sorted(linked.get(lane.id, []), key=lambda link: link["call"]),
            }
            for lane in ledger.lanes
        ],
        "sessions": {
            session.seq: {
                "status": session.status,
                "synthesized": session.synthesized,
                "events": [seq[row] for row in session.rows()],
                "lanes": session.lanes,
            }
            for session in ledger.sessions
        },
        "rounds": {seq[row]: round_of(ledger, row) for row in agent_rows(ledger)},
        "children": {seq[row]: [seq[child] for child in ledger.children(row)] for row in agent_rows(ledger)},
    }


def round_of(ledger: Ledger, row: int) -> Any:
    code = ledger.round_at(row)
    missing = ledger.lane_book.missing_seq(code)
    if missing is not None:
        return "missing", missing
    return None if code == NO_ROUND else ledger.seq[code]


def expected(reading: Reading) -> dict[str, Any]:
    """What the reference says, in the same shape."""
    return {
        "pointers": reading.pointers,
        "lanes": reading.lanes_json(),
        "sessions": {
            head: {key: value for key, value in session.items() if key != "heads"}
            for head, session in reading.sessions.items()
        },
        "rounds": reading.rounds,
        "children": {
            seq: [
                child
                for child, event in reading.agent.items()
                if event.parent == seq and reading.pointers[child] == "ok"
            ]
            for seq in reading.agent
        },
    }


def edges(ledger: Ledger, ends: Callable[[Ledger, int], list[Any]]) -> set[tuple[int, int, int, bool]]:
    """All edges; two of one rule between the same events count as one, certain if either is."""
    certain: dict[tuple[int, int, int], bool] = {}
    for row in range(len(ledger)):
        for edge in ends(ledger, row):
            key = ledger.seq[edge.source], ledger.seq[edge.target], edge.rule
            certain[key] = edge.certain or certain.get(key, False)
    return {(*key, value) for key, value in certain.items()}


def rewound(ledger: Ledger, target: int) -> dict[str, Any]:
    found = rewind(ledger, target)
    dropped = sorted(found.invalidated + found.possible)
    by_rule = {seq: list(found.rules(seq)) for seq in dropped}
    why = {seq: [list(step) for step in found.why(seq)] for seq in dropped}
    return {
        "target": found.target,
        "invalidated": list(found.invalidated),
        "possible": list(found.possible),
        "unknown": list(found.unknown),
        "independent": list(found.independent),
        "rules": {seq: rules for seq, rules in by_rule.items() if rules},
        "why": {seq: chain for seq, chain in why.items() if chain},
    }
