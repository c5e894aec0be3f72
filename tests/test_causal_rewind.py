"""What a rewind carries away, by which rules, and why (CAUSALITY §6, §7)."""

from __future__ import annotations

import networkx as nx
import pytest

from builders import WORKED_EXAMPLE, table
from korg_tui.causal import Ledger, NoDecision, NoSuchEvent, edges_from, edges_into, rewind, session_graph

TABLE = {
    0: {2: "", 3: "", 4: "", 5: "", 6: "", 7: "", 1: ""},
    1: {2: "1", 3: "1,3", 4: "1,3", 5: "1,3", 6: "1,2", 7: "1,4"},
    2: {3: "1,3", 4: "1,3", 5: "1,3", 6: "1,2", 7: "1,4"},
    3: {4: "1,3", 5: "1,3", 6: "2", 7: "1,4"},
    4: {5: "1", 6: "2", 7: "1,4"},
    5: {6: "2", 7: "1,4"},
    6: {7: "1,2"},
    7: {},
}
"""The worked example of SPEC §2b as CAUSALITY §7 has it: N → invalidated seq → rules."""


def ledger_of(text: str) -> Ledger:
    ledger = Ledger("test")
    ledger.append(table(text).events())
    return ledger


@pytest.mark.parametrize("target", TABLE)
def test_the_worked_example(target: int) -> None:
    found = rewind(ledger_of(WORKED_EXAMPLE), target)
    assert {seq: ",".join(map(str, found.rules(seq))) for seq in found.invalidated} == TABLE[target]
    assert (found.possible, found.unknown, found.independent) == ((), (), ())


@pytest.mark.parametrize("target", range(1, 8))
def test_the_worked_example_through_the_graph(target: int) -> None:
    graph = session_graph(ledger_of(WORKED_EXAMPLE), 0)
    assert {seq for seq in nx.descendants(graph, target) if seq > target} == set(TABLE[target])


def test_why_is_a_shortest_chain_of_reasons() -> None:
    found = rewind(ledger_of(WORKED_EXAMPLE), 5)
    assert found.why(6) == ((2, 6),)
    assert found.why(7) == ((4, 7),)
    assert found.why(5) == found.why(2) == ()


def test_the_reason_of_a_row_is_its_most_telling_edge() -> None:
    found = rewind(ledger_of(WORKED_EXAMPLE), 5)
    assert (found.reason(6), found.reason(7), found.reason(5)) == ((2, 5), (4, 5), None)
    assert rewind(ledger_of(WORKED_EXAMPLE), 0).reason(3) is None


def test_every_later_event_meets_one_fate() -> None:
    ledger = ledger_of(
        """
        1 user_prompt   - human:u
        2 llm_inference 1 agent:m
        3 Read          2 agent:m
        4 stall.verdict 2 agent:m
        5 llm_inference 2 agent:m
        6 Read          - agent:m
        7 user_prompt   - human:u
        """
    )
    found = rewind(ledger, 3)
    assert [found.state(seq) for seq in (2, 3, 4, 5, 6, 7)] == [
        "kept", "kept", "independent", "invalidated", "unknown", "independent"
    ]  # fmt: skip
    assert rewind(ledger, 4).possible == (5,)
    assert rewind(ledger, 4).rules(5) == (2,)


def test_before_is_a_rewind_to_the_decision_that_led_to_it() -> None:
    ledger = ledger_of(WORKED_EXAMPLE)
    assert rewind(ledger, 5, before=True).target == 4
    with pytest.raises(NoDecision, match=r"led to 1 \(root\)"):
        rewind(ledger, 1, before=True)


def test_a_seq_that_is_not_there_names_the_nearest() -> None:
    ledger = ledger_of("3 user_prompt - human:u\n5 EffectStarted! 3\n9 llm_inference 3 agent:m")
    with pytest.raises(NoSuchEvent) as missing:
        rewind(ledger, 7)
    assert missing.value.nearest == (3, 9)
    with pytest.raises(NoSuchEvent, match=r"5 is a governance event; the nearest agent events are 3 and 9"):
        rewind(ledger, 5)
    with pytest.raises(NoSuchEvent, match="99 is not in the ledger; the nearest agent event is 9"):
        rewind(ledger, 99)


def test_a_lane_without_a_link_depends_on_its_fork_alone() -> None:
    ledger = ledger_of(
        """
        1 user_prompt   - human:u
        2 llm_inference 1 agent:m
        3 llm_inference 2 agent:s
        4 Read          3 agent:s
        5 llm_inference 2 agent:m
        """
    )
    assert rewind(ledger, 4).independent == (5,)


def test_edges_say_the_same_from_both_ends() -> None:
    ledger = ledger_of(WORKED_EXAMPLE)
    out = {edge for row in range(7) for edge in edges_from(ledger, row)}
    assert out == {edge for row in range(7) for edge in edges_into(ledger, row)}
    named = {(edge.rule, edge.source + 1, edge.target + 1) for edge in out}
    assert named == {
        (1, 1, 2), (1, 2, 3), (1, 3, 4), (1, 4, 5), (1, 2, 6), (1, 6, 7),
        (2, 3, 6), (2, 4, 6), (2, 5, 6), (2, 6, 7),
        (4, 3, 7), (4, 4, 7), (4, 5, 7),
    }  # fmt: skip


def test_a_result_that_names_an_event_of_another_session_ties_them() -> None:
    ledger = ledger_of(
        """
        1 user_prompt   - human:u
        2 llm_inference 1 agent:m
        3 llm_inference 2 agent:s
        4 user_prompt   - human:u
        5 llm_inference 4 agent:n
        6 Agent         5 agent:n result={"root_seq":3}
        7 llm_inference 5 agent:n
        """
    )
    found = rewind(ledger, 3)
    assert found.invalidated == (6, 7)
    assert found.independent == (4, 5)
