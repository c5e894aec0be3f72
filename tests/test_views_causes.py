"""Causes and effects of one event: the walk to what began it, why it came, what stands around it, what it
carries away."""

from __future__ import annotations

import pytest

from builders import WORKED_EXAMPLE, Book
from korg_tui.causal import NoSuchEvent, rewind
from korg_tui.text import width
from korg_tui.views import Effects, cause_walk, reasons, relations
from korg_tui.views.arguments import Arguments
from korg_tui.views.relations import COUNTED
from looking import Glass, lines_of
from stage import story

LOST = """
    1 user_prompt    - human:dusk
    7 Read           4 agent:main
    8 llm_inference  7 agent:main
"""


def walked(glass: Glass, seq: int, cells: int = 100) -> str:
    arguments = Arguments(glass.ledger, glass.read)
    return "".join(step.text for step in cause_walk(glass.ledger, glass.row(seq), arguments.of, cells))


def chain_of(events: int) -> Glass:
    """One event after the other."""
    book = Book()
    last = book.prompt("begin here")
    for _ in range(events):
        last = book.tool("Read", last, args={"file_path": "a.py"})
    return Glass(book)


# the walk


@pytest.mark.parametrize(
    ("seq", "cells", "line"),
    [
        (7, 100, "7 llm_inference ‹ 6 Agent ‹ 2 llm_inference ‹ 1 user_prompt by human:dusk “go”"),
        (7, 60, "7 llm_inference ‹ … 2 more ‹ 1 user_prompt by human:dusk"),
        (7, 70, "7 llm_inference ‹ 6 Agent ‹ … 1 more ‹ 1 user_prompt by human:dusk"),
        (5, 80, "5 Read ‹ 4 llm_inference ‹ … 2 more ‹ 1 user_prompt by human:dusk “go”"),
        (1, 100, "1 user_prompt by human:dusk “go”"),
    ],
)
def test_the_walk_keeps_its_ends_and_what_is_nearest(seq: int, cells: int, line: str):
    assert walked(Glass(WORKED_EXAMPLE), seq, cells) == line


def test_the_walk_says_where_a_cause_is_missing():
    glass = Glass(LOST)
    assert walked(glass, 8) == "8 llm_inference ‹ 7 Read  ? parent 4 missing: not in the ledger"
    assert walked(glass, 7) == "7 Read  ? parent 4 missing: not in the ledger"


def test_the_walk_of_a_long_chain_is_bounded_and_of_what_is_off_the_lanes_goes_through_what_it_names():
    glass = chain_of(900)
    assert walked(glass, 901, 80).endswith(" ‹ 899 Read ‹ … ‹ 1 user_prompt by human:dusk “begin here”")
    assert walked(glass, 901, 200).count("Read") < 30
    book = story()
    book.governance("LeaseAcquired", 16)
    glass = Glass(book)
    assert walked(glass, 26).startswith("26 LeaseAcquired ‹ 16 llm_inference ‹ 5 llm_inference ‹")
    alone = Glass(b'{"seq_id": broken\n')
    assert cause_walk(alone.ledger, 0, lambda row: "", 80) == []


def test_every_step_of_the_walk_leads_to_its_event():
    glass = Glass(WORKED_EXAMPLE)
    steps = cause_walk(glass.ledger, glass.row(7), lambda row: "go", 100)
    assert [step.seq for step in steps if step.seq is not None] == [7, 6, 2, 1, 1, 1]


@pytest.mark.parametrize("cells", [50, 80, 120])
def test_the_walk_fits(cells: int):
    book = Book()
    ask = book.prompt("日本語 \x1b[2J\u202e" * 30, by="human:" + "x" * 90)
    glass = Glass(book)
    book.tool("T\x1b]0;" * 40, book.tool("日本" * 30, ask))
    glass = Glass(book)
    line = walked(glass, 3, cells)
    assert line.isprintable()
    assert width(line) <= cells


def test_the_walk_keeps_the_prompt_of_this_turn():
    book = Book()
    last = book.infer(book.prompt("begin here"))
    for _ in range(5):
        last = book.infer(book.prompt("go on", parent=last))
    for _ in range(9):
        last = book.tool("Read", last)
    glass = Glass(book)
    assert walked(glass, 21, 80) == (
        "21 Read ‹ 20 Read ‹ … ‹ 11 user_prompt ‹ … ‹ 1 user_prompt by human:dusk"
    )


# why


def why(glass: Glass, seq: int) -> list[str]:
    return lines_of(reasons(glass.ledger, glass.row(seq)))


def test_why_names_every_edge_with_what_it_rests_on():
    assert why(Glass(WORKED_EXAMPLE), 7) == [
        "rule 1: 7 followed from 6, its parent (certain: it names its parent)",
        "rule 2: 7 read the result of the Agent call 6 (certain: same round, written before it)",
        "rule 4: 7 read the result of 6, the Agent call that returned sub-agent 2, in which 5 ran"
        " (certain: the same round made both)",
        "origin: it all began with 1 user_prompt, of human:dusk",
    ]
    assert why(Glass(WORKED_EXAMPLE), 6)[1:2] == [
        "rule 2: 6, the Agent call, returned sub-agent 2, in which 5 ran (certain: the same round made both)"
    ]
    assert why(Glass(WORKED_EXAMPLE), 3)[1] == (
        "link: it began sub-agent 2, which 6, the Agent call, returned later"
        " (certain: the same round made both)"
    )


def test_why_says_what_is_only_possible_and_why():
    before = "1 user_prompt - human:dusk\n2 llm_inference 1\n3 Read 2\n4 hook.post 2\n"
    ledger = before + "5 llm_inference 2\n6 Read 2"
    assert why(Glass(ledger), 5)[1:-1] == [
        "rule 2: 5 read the result of the Read call 3 (certain: same round, written before it)",
        "rule 2: 5 may have read the result of hook.post 4 (possible: bookkeeping is not always read)",
        "rule 2: 5 may have read the result of the Read call 6 (possible: written after it)",
    ]


def test_why_a_head_came():
    assert why(Glass(WORKED_EXAMPLE), 1) == ["it is a root: a prompt of human:dusk began this session"]
    assert why(Glass(LOST), 7) == ["parent: parent 4 missing: not in the ledger"]
    assert why(Glass(LOST), 8)[-1] == (
        "origin: the walk ends at 7 Read: parent 4 missing: not in the ledger"
    )


def test_what_is_certain_in_a_reason_is_an_edge_of_the_model():
    glass = Glass(story())
    for row in range(20):
        seq = glass.ledger.seq[row]
        for line in reasons(glass.ledger, row).lines:
            if line.label.startswith("rule") and "(certain" in line.text:
                assert line.seq is not None
                assert seq in rewind(glass.ledger, line.seq).invalidated


# around it


def test_around_an_event_are_its_children_siblings_and_inferences():
    glass = Glass(story())
    assert lines_of(relations(glass.ledger, glass.row(4))) == [
        "sibling 2/3: ‹ 3 Bash  ✗ failed",
        "› 5 llm_inference",
        "inference: ‹ 2 llm_inference",
        "› 5 llm_inference",
    ]
    below = lines_of(relations(glass.ledger, glass.row(5)))
    assert below[:2] == ["children 5: › 6 user_prompt", "› 7 user_prompt"]
    assert [line.seq for line in relations(glass.ledger, glass.row(1)).lines] == [2, 2]


def test_many_children_are_counted_up_to_a_bound_and_said():
    book = Book()
    think = book.infer(book.prompt("go"))
    for _ in range(COUNTED + 5):
        book.tool("Read", think)
    glass = Glass(book)
    lines = lines_of(relations(glass.ledger, glass.row(2)))
    assert lines[0].startswith("children more than 2,000: › ")
    assert lines[6] == "… many more, not shown"
    assert len(lines) < 12


# effects


def test_the_effects_of_an_event_are_what_a_rewind_to_it_carries_away():
    glass = Glass(WORKED_EXAMPLE)
    effects = Effects(glass.ledger, 5, glass.read)
    assert effects.title == "5 Read"
    assert effects.counts == "2 certain · 1 call"
    rows = [effects.row(index) for index in range(len(effects.rows))]
    assert [(row.number, row.tool, row.words) for row in rows] == [
        ("6", "Agent", "rule 2    result of sub 2"),
        ("7", "llm_inference", "rules 1 4 it read what 6 returned"),
    ]
    assert lines_of(effects.why(1))[0] == (
        "rule 4: 7 read the result of 6, the Agent call that returned sub-agent 2, in which 5 ran"
    )
    for seq in range(1, 8):
        listed = [glass.ledger.seq[row] for row in Effects(glass.ledger, seq, glass.read).rows]
        assert listed == list(rewind(glass.ledger, seq).dropped)


def test_a_long_chain_of_reasons_is_told_from_both_ends():
    glass = chain_of(300)
    lines = lines_of(Effects(glass.ledger, 1, glass.read).why(299))
    assert lines[0] == "rule 1: 2 followed from 1, its parent"
    assert lines[30] == "… 150 more steps, not shown"
    assert lines[-1] == "rule 1: 301 followed from 300, its parent"


def test_possible_effects_are_told_apart_and_nothing_is_said_plainly():
    ledger = "1 user_prompt - human:dusk\n2 llm_inference 1\n3 hook.post 2\n4 llm_inference 2"
    glass = Glass(ledger)
    effects = Effects(glass.ledger, 3, glass.read)
    assert effects.counts == "0 certain · 1 possible"
    assert effects.row(0).possible
    assert effects.row(0).words.startswith("possibly rule 2")
    assert Effects(glass.ledger, 4, glass.read).counts == "nothing later depends on it"
    with pytest.raises(NoSuchEvent):
        Effects(glass.ledger, 99, glass.read)
