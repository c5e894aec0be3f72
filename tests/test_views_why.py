"""Edges as sentences, each with the words that fit its rule and its certainty."""

from __future__ import annotations

from builders import WORKED_EXAMPLE
from korg_tui.causal import rewind
from korg_tui.views import chain
from looking import Glass

LAUNCHED_FIRST = """
    1 user_prompt    - human:dusk
    2 llm_inference  1 agent:main
    3 Agent          2 agent:main  prompt="look"
    4 user_prompt    2 agent:sub   prompt="look"
    5 llm_inference  4 agent:sub
"""

TWO_TIED = """
     1 user_prompt    - human:dusk
     2 llm_inference  1 agent:main
     3 user_prompt    2 agent:sub
     4 user_prompt    2 agent:other
     5 llm_inference  3 agent:sub
     6 llm_inference  4 agent:other
     7 Agent          2 agent:main
     8 Agent          2 agent:main
     9 llm_inference  2 agent:main
"""


def why(ledger: str, target: int, seq: int) -> list[str]:
    glass = Glass(ledger)
    return [f"{line.label}: {line.text}" for line in chain(glass.ledger, rewind(glass.ledger, target), seq)]


def test_rule_1():
    assert why(WORKED_EXAMPLE, 3, 5) == [
        "rule 1: 4 followed from 3, its parent",
        "rule 1: 5 followed from 4, its parent",
    ]


def test_rule_2_a_result_that_was_read():
    ledger = "1 user_prompt - human:dusk\n2 llm_inference 1\n3 Read 2\n4 hook.post 2\n5 llm_inference 2"
    assert why(ledger, 3, 5) == ["rule 2: 5 read the result of the Read call 3"]
    assert why(ledger, 4, 5) == ["rule 2: 5 may have read the result of hook.post 4"]


def test_rule_2_a_return():
    assert why(WORKED_EXAMPLE, 4, 6) == ["rule 2: 6, the Agent call, returned sub-agent 2, in which 4 ran"]
    assert why(TWO_TIED, 5, 7) == ["rule 2: 7, the Agent call, may have returned sub-agent 2, in which 5 ran"]


def test_rule_3_a_launch():
    assert why(LAUNCHED_FIRST, 3, 5) == [
        "rule 3: 4 began sub-agent 2, which the Agent call 3 may have started",
        "rule 1: 5 followed from 4, its parent",
    ]


def test_rule_4():
    assert why(WORKED_EXAMPLE, 5, 7) == [
        "rule 4: 7 read the result of 6, the Agent call that returned sub-agent 2, in which 5 ran",
        "rule 1: also: 7 followed from 6, its parent",
    ]  # fmt: skip
    assert why(TWO_TIED, 5, 9) == [
        "rule 4: 9 may have read the result of 7, the Agent call that returned sub-agent 2, in which 5 ran",
    ]  # fmt: skip


def test_what_is_not_dropped_has_no_reasons():
    assert why(WORKED_EXAMPLE, 5, 4) == []
    assert why(WORKED_EXAMPLE, 0, 4) == []
    assert why(WORKED_EXAMPLE, 5, 404) == []
