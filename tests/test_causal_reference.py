"""The causal model against the plain reading of CAUSALITY in `reference`, on ledgers of hypothesis."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders import table
from korg_tui.causal import (
    Journal,
    Ledger,
    NoSuchEvent,
    edges_from,
    edges_into,
    rewind,
    session_graph,
)
from korg_tui.event import Event, Malformed, Record
from korg_tui.sources import Grew, Replaced
from reference import Reading, read
from shapes import agent_rows, edges, expected, ledger_of, model, rewound
from strategies import laid_out, ledgers

LEDGERS = sorted((Path(__file__).parent / "ledgers").glob("*.txt"))
"""One question each, in the notation of `builders.table`."""

MORE = int(os.environ.get("MORE_EXAMPLES", "1"))
"""`MORE_EXAMPLES=50 pytest tests/test_causal_reference.py` looks 50 times longer."""


def examples(number: int = 50) -> Callable[[Any], Any]:
    return settings(
        max_examples=number * MORE,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def in_batches(records: list[Any], data: st.DataObject) -> list[list[Any]]:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(records)), max_size=4)) | {0, len(records)})
    return [records[start:end] for start, end in itertools.pairwise(cuts)]


def assert_agrees(ledger: Ledger, reading: Reading) -> None:
    assert model(ledger) == expected(reading)


def assert_agrees_in_all(ledger: Ledger, reading: Reading) -> None:
    assert_agrees(ledger, reading)
    assert edges(ledger, edges_from) == reading.edge_set()
    assert edges(ledger, edges_into) == reading.edge_set()
    for target in {0, *reading.agent}:
        assert rewound(ledger, target) == reading.rewind(target)


# --- the ledgers beside this file


@pytest.mark.parametrize("path", LEDGERS, ids=lambda path: path.stem)
def test_a_small_ledger_is_read_as_the_text_says_at_every_step(path: Path) -> None:
    events = table(path.read_text()).events()
    journal = Journal(path.name)
    for count, event in enumerate(events, 1):
        journal.apply(Grew((event,)))
        assert_agrees_in_all(journal.ledgers[0], read(events[:count]))
    assert_agrees_in_all(ledger_of(events), read(events))


# --- read at once


@examples(75)
@given(ledgers())
def test_a_whole_ledger_is_read_as_the_text_says(events: list[Event]) -> None:
    assert_agrees_in_all(ledger_of(events), read(events))


@examples()
@given(ledgers())
def test_every_event_is_in_exactly_one_of_the_five_sets(events: list[Event]) -> None:
    ledger = ledger_of(events)
    agent = {event.seq for event in events if event.kind.agent}
    for target in agent:
        found = rewind(ledger, target)
        sets = {"kept": {seq for seq in agent if seq <= target}}
        sets |= {
            name: set(getattr(found, name)) for name in ("invalidated", "possible", "unknown", "independent")
        }
        assert sorted(seq for each in sets.values() for seq in each) == sorted(agent)
        for name, seqs in sets.items():
            assert {found.state(seq) for seq in seqs} <= {name}


@examples(30)
@given(ledgers())
def test_reachability_in_the_graph_of_a_session_is_the_rewind_set(events: list[Event]) -> None:
    ledger = ledger_of(events)
    for index, session in enumerate(ledger.sessions):
        graph = session_graph(ledger, index)
        certain = nx.DiGraph([(u, v) for u, v, sure in graph.edges(data="certain") if sure])
        for row in session.rows():
            found = rewind(ledger, ledger.seq[row])
            assert set(found.invalidated) == reached(certain, found.target)
            assert {*found.invalidated, *found.possible} == reached(graph, found.target)


def reached(graph: nx.DiGraph, target: int) -> set[int]:
    """What is reached from an event through later ones."""
    later = nx.DiGraph([(u, v) for u, v in graph.edges if u >= target and v > target])
    return nx.descendants(later, target) if target in later else set()


def test_an_event_that_is_not_there_names_its_neighbours() -> None:
    ledger = ledger_of(table("2 user_prompt -\n 4 EffectStarted! 2\n 7 llm_inference 2").events())
    for seq, nearest in ((1, (2,)), (3, (2, 7)), (4, (2, 7)), (8, (7,))):
        with pytest.raises(NoSuchEvent) as missing:
            rewind(ledger, seq)
        assert missing.value.nearest == nearest


# --- growing


@examples(50)
@given(ledgers())
def test_event_by_event_is_the_same_as_at_once(events: list[Event]) -> None:
    assert_agrees(ledger_of(*([event] for event in events)), read(events))


@examples(50)
@given(ledgers(), st.data())
def test_whoever_looks_while_it_grows_sees_what_is_there(events: list[Event], data: st.DataObject) -> None:
    """Answers that are kept between two looks must not outlive what they were drawn from."""
    journal, so_far = Journal("a.jsonl"), []
    for batch in in_batches(events, data):
        journal.apply(Grew(tuple(batch)))
        so_far += batch
        assert_agrees_in_all(journal.ledgers[0], read(so_far))


@examples(30)
@given(ledgers(), st.data())
def test_malformed_lines_change_nothing_and_stay_behind_what_they_followed(
    events: list[Event], data: st.DataObject
) -> None:
    records: list[Record] = list(events)
    for place in data.draw(st.lists(st.integers(0, len(events)), min_size=1, max_size=4)):
        records.insert(place, Malformed(offset=-1, length=9, reason="not JSON"))
    records = [msgspec.structs.replace(record, offset=at * 100) for at, record in enumerate(records)]
    ledger = ledger_of(*in_batches(records, data))
    assert_agrees_in_all(ledger, read(events))
    followed = -1
    expected_after = []
    for record in records:
        if isinstance(record, Malformed):
            expected_after.append((record.offset, followed))
        else:
            followed = record.seq
    found = []
    followed = -1
    for row in range(len(ledger)):
        seq = ledger.seq_at(row)
        if seq is None:
            found.append((ledger.offset[row], followed))
            assert ledger.reason_at(row) == "not JSON"
        else:
            followed = seq
    assert sorted(found) == expected_after


# --- a tail that is replaced


@examples(75)
@given(ledgers(), ledgers(), st.data())
def test_a_replaced_tail_is_as_if_it_had_been_so_from_the_start(
    before: list[Event], other: list[Event], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(before)))
    kept = before[:cut]
    taken = {event.seq for event in kept}
    first = kept[0].seq if kept else -1
    written_back = data.draw(st.integers(0, len(before) - cut))
    tail = [*before[cut : cut + written_back]]
    taken |= {event.seq for event in tail}
    tail += [event for event in other if event.seq not in taken and event.seq > first]
    if not kept:
        tail = [event for event in tail if event is tail[0] or event.seq > tail[0].seq]
    whole = laid_out([*kept, *tail])
    journal = Journal("a.jsonl")
    for batch in in_batches(before, data):
        journal.apply(Grew(tuple(batch)))
    if data.draw(st.booleans()):
        model(journal.ledgers[0])
    journal.apply(Replaced(offset=cut * 100, records=tuple(whole[cut:]), epoch=1))
    assert len(journal.ledgers) == 1
    ledger = journal.ledgers[0]
    lost_parent = {ledger.seq[row] for row in agent_rows(ledger) if ledger.pointer_at(row).word == "rewound"}
    dropped = {event.seq for event in before[cut:]}
    now = {event.seq for event in whole}
    assert all(event.parent in dropped for event in whole if event.seq in lost_parent)
    assert lost_parent >= {
        event.seq
        for event in whole[cut:]
        if event.kind.agent
        and not event.bad_parent
        and event.parent in dropped - now
        and event.parent < event.seq
    }
    assert_agrees_in_all(ledger, read(whole, lost_parent))


# --- runs


@examples(30)
@given(ledgers(max_moves=12), ledgers(max_moves=12), st.data())
def test_numbers_that_restart_begin_a_ledger_of_their_own(
    one: list[Event], two: list[Event], data: st.DataObject
) -> None:
    if two[0].seq > one[0].seq and two[0].seq not in {event.seq for event in one}:
        one, two = two, one
    journal = Journal("a.jsonl")
    for batch in in_batches(laid_out([*one, *two]), data):
        journal.apply(Grew(tuple(batch)))
    assert [ledger.name for ledger in journal.ledgers] == ["a.jsonl", "a.jsonl#2"]
    for ledger, events in zip(journal.ledgers, (one, two), strict=True):
        assert_agrees_in_all(ledger, read(events))


# --- what growing costs


ROUND = table("""
    3 Read           2  agent:main
    4 user_prompt    2  agent:sub   prompt="look"
    5 llm_inference  4  agent:sub
    6 Bash           5  agent:sub
    7 Agent          2  agent:main  prompt="look"
    8 llm_inference  2  agent:main
""").events()
"""What hangs from inference 2 until the next one, 8: a call, a sub-agent, and its return."""


def session_of(rounds: int) -> list[Event]:
    """A prompt, an inference, and so many rounds."""
    begin = table("1 user_prompt - human:u\n 2 llm_inference 1 agent:main").events()
    return begin + [each for number in range(rounds) for each in shifted(ROUND, 6 * number)]


def shifted(events: list[Event], by: int) -> list[Event]:
    """The same events with larger seqs and parents."""
    return [
        msgspec.structs.replace(event, seq=event.seq + by, parent=event.parent + by, digest=event.seq + by)
        for event in events
        if event.parent is not None
    ]


def cost(rows: int, events: list[Event]) -> tuple[int, int]:
    """Rows touched and lines of Python run while `events` (which hang from inference 2 of a fresh session)
    are appended one by one to a session that is already so long."""
    lines = 0

    def count(frame: Any, kind: str, argument: Any) -> Any:
        nonlocal lines
        lines += kind == "line"
        return count

    rounds = rows // 6
    ledger = ledger_of(session_of(rounds))
    before, tracer = ledger.touched, sys.gettrace()
    sys.settrace(count)
    try:
        for event in shifted(events, 6 * rounds):
            ledger.append([event])
    finally:
        sys.settrace(tracer)
    return ledger.touched - before, lines


def test_an_event_costs_the_same_at_a_thousand_and_at_fifty_thousand_rows() -> None:
    touched, lines = zip(cost(1_000, ROUND), cost(50_000, ROUND), strict=True)
    assert touched == (6, 6)
    assert lines[1] < lines[0] * 1.05


def test_a_follow_up_that_becomes_a_sub_lane_costs_the_same_at_any_size() -> None:
    events = table("3 user_prompt 2 agent:main\n 4 llm_inference 3 agent:main").events()
    touched, lines = zip(cost(1_000, events), cost(50_000, events), strict=True)
    assert touched[0] == touched[1] < 10
    assert lines[1] < lines[0] * 1.05
