"""The causal model on hand-derived answers: the worked example of SPEC §2b, a few questions that have one
answer each, and every vector that lies beside the checkout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from builders import WORKED_EXAMPLE, event_of, ref, table
from korg_tui.causal import Ledger, rewind
from korg_tui.event import Event
from shapes import ledger_of, model, rewound

SHARED = Path(__file__).parents[2] / "shared"
VECTORS = sorted(SHARED.glob("vectors/rewind/*.json"))


def worked_example() -> Ledger:
    return ledger_of(table(WORKED_EXAMPLE).events())


def links_of(ledger: Ledger, lane: int) -> list[tuple[int, bool, str]]:
    return [(link["call"], link["certain"], link["basis"]) for link in model(ledger)["lanes"][lane]["links"]]


# --- the worked example of SPEC §2b, as the table of CAUSALITY §7 has it


@pytest.mark.parametrize(
    ("target", "invalidated", "rules"),
    [
        (0, "1-7", ""),
        (1, "2-7", "2:1 3:1,3 4:1,3 5:1,3 6:1,2 7:1,4"),
        (2, "3-7", "3:1,3 4:1,3 5:1,3 6:1,2 7:1,4"),
        (3, "4-7", "4:1,3 5:1,3 6:2 7:1,4"),
        (4, "5-7", "5:1 6:2 7:1,4"),
        (5, "6-7", "6:2 7:1,4"),
        (6, "7-7", "7:1,2"),
        (7, "8-7", ""),
    ],
)
def test_the_worked_example_gives_the_table(target: int, invalidated: str, rules: str) -> None:
    found = rewind(worked_example(), target)
    first, last = map(int, invalidated.split("-"))
    assert found.invalidated == tuple(range(first, last + 1))
    assert (found.possible, found.unknown, found.independent) == ((), (), ())
    expected = dict(entry.split(":") for entry in rules.split())
    assert {
        str(seq): ",".join(map(str, found.rules(seq))) for seq in found.invalidated if expected
    } == expected


def test_the_worked_example_has_two_lanes_and_one_link() -> None:
    assert model(worked_example())["lanes"] == [
        {
            "id": 0, "session": 1, "opener": 1, "parent": None, "fork": None, "actor": "agent:main",
            "events": [1, 2, 6, 7], "links": [],
        },
        {
            "id": 1, "session": 1, "opener": 3, "parent": 0, "fork": 2, "actor": "agent:sub",
            "events": [3, 4, 5], "links": [{"call": 6, "certain": True, "basis": "round"}],
        },
    ]  # fmt: skip


def test_why_says_that_the_next_inference_read_what_the_sub_agent_returned() -> None:
    assert rewind(worked_example(), 5).why(7) == ((4, 7),)
    assert rewind(worked_example(), 5).why(6) == ((2, 6),)
    assert rewind(worked_example(), 2).why(5) == ((1, 3), (1, 4), (1, 5))


# --- one question each


@pytest.mark.parametrize(
    ("parent", "state"),
    [
        ("-", "orphan"),
        (".", "orphan"),
        ("true", "malformed"),
        ("3.0", "malformed"),
        ('"2"', "malformed"),
        ("9", "forward"),
        ("12", "forward"),
        ("5", "governance"),
        ("4", "dead"),
        ("0", "dead"),
        ("2", "ok"),
    ],
)
def test_pointer_states(parent: str, state: str) -> None:
    ledger = ledger_of(
        table(f"1 user_prompt - human:u\n 2 llm_inference 1\n 5 EffectStarted! 2\n 9 Read {parent}").events()
    )
    assert ledger.pointer_at(3).word == state


def test_nothing_lies_before_a_ledger_that_begins_at_1_and_much_before_one_that_begins_at_50() -> None:
    for first, state in ((0, "dead"), (1, "dead"), (2, "unloaded"), (50, "unloaded")):
        ledger = ledger_of(table(f"{first} llm_inference -3").events())
        assert ledger.pointer_at(0).word == state


def test_a_late_line_brings_the_parent_that_was_missing() -> None:
    early = table("1 user_prompt - human:u\n 3 Read 2").events()
    late = table("2 llm_inference 1").events()
    assert [ledger_of(early).pointer_at(1).word] == ["dead"]
    ledger = ledger_of(early, late)
    assert [ledger.pointer_at(row).word for row in range(3)] == ["root", "ok", "ok"]


def test_two_sub_agents_with_one_name_and_one_prompt_share_two_calls_as_possible() -> None:
    ledger = ledger_of(
        table("""
            1 user_prompt   -  human:u
            2 llm_inference 1  agent:main
            3 user_prompt   2  agent:sub  prompt="look"
            4 user_prompt   2  agent:sub  prompt="look"
            5 Read          3  agent:sub
            6 Read          4  agent:sub
            7 Agent         2  agent:main prompt="look"
            8 Agent         2  agent:main prompt="look"
        """).events()
    )
    both = [(7, False, "prompt"), (8, False, "prompt")]
    assert (links_of(ledger, 1), links_of(ledger, 2)) == (both, both)
    assert rewind(ledger, 5).possible == (7, 8)


def test_a_digest_is_not_the_text_that_looks_like_it() -> None:
    blob = ref("look")
    digest = blob["_ref"].removeprefix("sha256:")
    book = table("1 user_prompt - human:u\n 2 llm_inference 1 agent:main")
    book.prompt(blob, parent=2, by="agent:sub")
    book.prompt(digest, parent=2, by="agent:sub")
    book.spawn(2, digest, by="agent:main")
    book.spawn(2, blob, by="agent:main")
    ledger = ledger_of(book.events())
    assert links_of(ledger, 1) == [(6, True, "prompt")]
    assert links_of(ledger, 2) == [(5, True, "prompt")]


def test_a_launch_in_the_background_may_have_started_the_lane() -> None:
    ledger = ledger_of(
        table("""
            1 user_prompt   -  human:u
            2 llm_inference 1  agent:main
            3 Agent         2  agent:main
            4 user_prompt   2  agent:sub
            5 Read          4  agent:sub
        """).events()
    )
    assert links_of(ledger, 1) == [(3, False, "round")]
    found = rewind(ledger, 3)
    assert found.possible == (4, 5)
    assert found.rules(4) == (3,)
    assert found.why(5) == ((3, 4), (1, 5))


def test_an_orphan_after_the_target_is_unknown_and_another_session_independent() -> None:
    ledger = ledger_of(
        table("""
            1 user_prompt   -  human:u
            2 llm_inference 1
            3 Read          2
            4 Bash          -
            5 user_prompt   -  human:u
            6 llm_inference 5
            7 Edit          4
        """).events()
    )
    found = rewind(ledger, 3)
    assert (found.invalidated, found.unknown, found.independent) == ((), (4, 7), (5, 6))


# --- the vectors beside the checkout, where they are


def records_of(path: Path) -> list[dict[str, Any]]:
    text = path.read_text("utf-8-sig")
    if text.lstrip().startswith("["):
        return json.loads(text)
    return [json.loads(line) for line in text.split("\n") if line.strip() and not line.startswith("//")]


def events_in(path: Path) -> list[Event]:
    return [event_of(record) for record in records_of(path)]


def as_json(found: dict[str, Any]) -> dict[str, Any]:
    return json.loads(json.dumps(found))


if VECTORS:

    @pytest.mark.parametrize("vector", [pytest.param(path, id=path.stem) for path in VECTORS])
    def test_vector(vector: Path) -> None:
        expected = json.loads(vector.read_text())
        ledger = ledger_of(events_in(SHARED / expected["ledger"]))
        found = model(ledger)
        assert {str(seq): state for seq, state in found["pointers"].items() if state != "ok"} == expected[
            "pointers"
        ]
        for lane in found["lanes"]:
            lane["links"] = [{"call": link["call"], "certain": link["certain"]} for link in lane["links"]]
        assert found["lanes"] == expected["lanes"]
        for answer in expected["rewind"]:
            found = as_json(rewound(ledger, answer["target"]))
            assert {key: found[key] for key in answer} == answer
