"""Pointers, lanes, sessions, links: small ledgers, each with one question (CAUSALITY §2–§5)."""

from __future__ import annotations

import pytest

from builders import WORKED_EXAMPLE, table
from korg_tui.causal import NO_ROUND, Ledger, links
from korg_tui.event import Event, Malformed


def ledger_of(text: str) -> Ledger:
    ledger = Ledger("test")
    ledger.append(table(text).events())
    return ledger


def pointers(ledger: Ledger) -> dict[int | None, str]:
    return {ledger.seq_at(row): ledger.pointer_at(row).word for row in range(len(ledger))}


def lanes(ledger: Ledger) -> list[list[int]]:
    return [[ledger.seq[row] for row in lane.rows] for lane in ledger.lanes]


def linked(ledger: Ledger) -> dict[int, list[tuple[int, bool, str]]]:
    return {
        lane: [(ledger.seq[link.call], link.certain, link.basis) for link in found]
        for session in ledger.sessions
        for lane, found in links(ledger, session.index).items()
    }


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ("9 Read          8     agent:m", "ok"),
        ("9 user_prompt   -     human:u", "root"),
        ("9 user_prompt   .     human:u", "root"),
        ("9 stall.verdict -     agent:m", "detached"),
        ("9 Read          -     agent:m", "orphan"),
        ('9 Read          "8"   agent:m', "malformed"),
        ("9 Read          true  agent:m", "malformed"),
        ("9 Read          8.0   agent:m", "malformed"),
        ("9 Read          9     agent:m", "forward"),
        ("9 Read          12    agent:m", "forward"),
        ("9 Read          7     agent:m", "governance"),
        ("9 Read          4     agent:m", "unloaded"),
        ("9 Read          6     agent:m", "dead"),
    ],
)
def test_every_pointer_is_in_the_first_state_that_fits(line: str, state: str) -> None:
    ledger = ledger_of(f"5 user_prompt - human:u\n7 EffectStarted! 5\n8 llm_inference 5 agent:m\n{line}")
    assert ledger.pointer_at(3).word == state


def test_nothing_lies_before_a_ledger_that_begins_at_one() -> None:
    assert pointers(ledger_of("1 Read 0 agent:m\n2 Read -3 agent:m")) == {1: "dead", 2: "dead"}


def test_a_sub_agent_is_a_lane_that_forks_at_the_inference_and_is_linked_to_its_call() -> None:
    ledger = ledger_of(WORKED_EXAMPLE)
    assert lanes(ledger) == [[1, 2, 6, 7], [3, 4, 5]]
    assert [(lane.actor, lane.parent, lane.fork) for lane in ledger.lanes] == [
        ("agent:main", None, None),
        ("agent:sub", 0, 1),
    ]
    assert linked(ledger) == {1: [(6, True, "round")]}


def test_a_round_is_the_nearest_inference_of_the_lane_and_an_opener_has_none() -> None:
    ledger = ledger_of(WORKED_EXAMPLE)
    assert [ledger.round_at(row) for row in range(7)] == [NO_ROUND, 0, NO_ROUND, 2, 3, 1, 1]


def test_a_follow_up_becomes_a_sub_lane_when_its_first_child_arrives() -> None:
    ledger = ledger_of("1 user_prompt - human:u\n2 llm_inference 1 agent:m\n3 user_prompt 2 agent:m")
    assert lanes(ledger) == [[1, 2, 3]]
    revision = ledger.revision
    ledger.append(table("4 llm_inference 3 agent:m").events())
    assert lanes(ledger) == [[1, 2], [3, 4]]
    assert ledger.revision > revision


def test_heads_that_name_one_missing_seq_share_a_session_and_a_lane() -> None:
    ledger = ledger_of("1 user_prompt - human:u\n5 Read 4 agent:m\n6 Grep 4 agent:m\n7 Edit 4 agent:n")
    assert [(session.seq, session.status, session.dead_pointers) for session in ledger.sessions] == [
        (1, "complete", 0),
        (5, "partial", 3),
    ]
    assert lanes(ledger) == [[1], [5, 6], [7]]


def test_unloaded_heads_with_one_root_event_share_a_session_and_can_tie_two_together() -> None:
    book = table("50 Read 10 agent:m\n51 Read 11 agent:m")
    for record in book.records:
        record["metadata"]["root_event_id"] = "root"
    ledger = Ledger("test")
    ledger.append(book.events())
    ledger.append(table("52 Read 11 agent:m\n53 Read 12 agent:m").events())
    assert [session.seq for session in ledger.sessions] == [50, 53]
    late = table("54 Read 12 agent:m")
    late.records[0]["metadata"]["root_event_id"] = "root"
    ledger.append(late.events())
    (session,) = ledger.sessions
    assert (session.seq, session.total_events, session.unloaded) == (50, 5, 5)


def test_a_session_counts_what_a_person_asks_for() -> None:
    ledger = ledger_of(
        """
        1 user_prompt   - human:u
        2 llm_inference 1 agent:b
        3 Bash          2 agent:b success=false
        4 Read          2 agent:a
        5 EffectStarted! 4
        """
    )
    (session,) = ledger.sessions
    assert (session.total_events, session.failed, session.last_event_seq) == (4, 1, 4)
    assert session.agents == ["agent:b", "agent:a"]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param(
            "3 Agent 2 agent:m\n4 user_prompt 3 agent:s",
            {1: [(3, True, "fork")]},
            id="the lane forks at its call",
        ),
        pytest.param(
            "3 user_prompt 2 agent:s\n4 llm_inference 3 agent:s\n"
            '5 Bash 2 agent:m result={"child_root_seq":4}',
            {1: [(5, True, "result")]},
            id="a result names an event of the lane",
        ),
        pytest.param(
            '3 user_prompt 2 agent:s prompt="A"\n4 user_prompt 2 agent:t prompt="B"\n'
            '5 Agent 2 agent:m prompt="B"\n6 Agent 2 agent:m prompt="A"',
            {1: [(6, True, "prompt")], 2: [(5, True, "prompt")]},
            id="equal prompts",
        ),
        pytest.param(
            '3 user_prompt 2 agent:s prompt="A"\n4 user_prompt 2 agent:t prompt="A"\n'
            '5 Agent 2 agent:m prompt="A"\n6 Agent 2 agent:m prompt="A"',
            {lane: [(5, False, "prompt"), (6, False, "prompt")] for lane in (1, 2)},
            id="tied prompts are only possible",
        ),
        pytest.param(
            "3 Agent 2 agent:m\n4 user_prompt 2 agent:s\n5 llm_inference 4 agent:s",
            {1: [(3, False, "round")]},
            id="a launch before its lane is only possible",
        ),
    ],
)
def test_a_lane_is_linked_by_the_first_step_that_can_tell(events: str, expected: object) -> None:
    assert linked(ledger_of(f"1 user_prompt - human:u\n2 llm_inference 1 agent:m\n{events}")) == expected


def test_a_late_line_is_put_in_its_place_and_mends_the_pointer_to_it() -> None:
    ledger = ledger_of("1 user_prompt - human:u\n3 Read 2 agent:m")
    assert ledger.pointer_at(1).word == "dead"
    first = ledger.append(table("2 llm_inference 1 agent:m").events())
    assert (first, list(ledger.seq), ledger.is_late(1)) == (1, [1, 2, 3], True)
    assert pointers(ledger) == {1: "root", 2: "ok", 3: "ok"}
    assert [session.total_events for session in ledger.sessions] == [3]


def test_a_malformed_line_is_a_row_behind_the_record_it_followed() -> None:
    ledger = Ledger("test")
    bad = Malformed(offset=0, length=3, reason="no JSON")
    first, second = table("1 user_prompt - human:u\n2 llm_inference 1 agent:m").events()
    ledger.append([bad, first, bad])
    ledger.append([second])
    assert [ledger.seq_at(row) for row in range(4)] == [None, 1, None, 2]
    assert ledger.reason_at(2) == "no JSON"
    assert ledger.row_of(1) == 1
    assert ledger.pointer_at(3).word == "ok"
    assert ledger.parent_row(3) == 1


def test_a_record_comes_back_from_the_columns_as_it_went_in() -> None:
    events = table('1 user_prompt - human:u prompt="x"\n2 Agent 1 agent:m result={"root_seq":1}').events()
    ledger = Ledger("test")
    ledger.append(events)
    for row, event in enumerate(events):
        back = ledger.columns.record_at(row)
        assert isinstance(back, Event)
        assert (back.seq, back.prompt, back.returns, back.digest) == (
            event.seq, event.prompt, event.returns, event.digest
        )  # fmt: skip


def test_lanes_nested_a_thousand_deep_are_placed_without_recursion() -> None:
    text = "\n".join(f"{n} llm_inference {n - 1 if n > 1 else '-'} agent:{n}" for n in range(1, 1001))
    assert len(ledger_of(text).lanes) == 1000
