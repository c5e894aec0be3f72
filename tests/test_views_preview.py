"""The rewind preview: what each row is marked with, the bar, the counts, and what is not undone."""

from __future__ import annotations

import pytest

from builders import SUB, WORKED_EXAMPLE, Book, ref
from korg_tui.causal import rewind
from korg_tui.views import CommandRun, FileTouched, LossBook, OutsideEffect, Preview, losses
from looking import Glass, lines_of, titled

BUSY = """
     1 user_prompt    -  human:dusk   prompt="go"
     2 llm_inference  1  agent:main
     3 Bash           2  agent:main   args={"command":"ls"}
     4 user_prompt    2  agent:sub    prompt="look"
     5 llm_inference  4  agent:sub
     6 Read           5  agent:sub    args={"file_path":"a.py"}
     7 Agent          2  agent:main   prompt="look"
     8 hook.post      2  agent:main
     9 llm_inference  2  agent:main
    10 user_prompt    -  human:dusk   prompt="other"
    11 llm_inference  10 agent:main
    12 Bash           99 agent:lost
    13 EffectStarted! 9
"""


def preview(glass: Glass, seq: int, *, truncation: bool = False) -> Preview:
    book = LossBook(glass.ledger, glass.raw)
    return Preview(glass.ledger, rewind(glass.ledger, seq), book, truncation=truncation)


def marked(found: Preview) -> list[str]:
    """Every row as `seq sign words`, `-` before what is gone."""
    seen = []
    for row in range(len(found.ledger)):
        state = found.state(row)
        gone = "-" if state.gone else " "
        seen.append(f"{gone}{found.ledger.seq[row]:>2} {state.sign} {state.words}".rstrip())
    return seen


def test_the_worked_example_at_5():
    found = preview(Glass(WORKED_EXAMPLE), 5)
    assert found.bar == (
        "Keep ≤ 5 · 2 invalid (1 tool call, 1 inference) · 0 possible · 0 unknown · 0 independent"
        " · undoing nothing on disk"
    )
    assert marked(found) == [
        "  1", "  2", "  3", "  4",
        "  5 ↺ rewind to here",
        "- 6 ╳ rule 2    result of sub 2",
        "- 7 ╳ rules 1 4 it read what 6 returned",
    ]  # fmt: skip


def test_every_kind_of_mark():
    found = preview(Glass(BUSY), 6)
    assert marked(found) == [
        "  1", "  2", "  3", "  4", "  5",
        "  6 ↺ rewind to here",
        "- 7 ╳ rule 2    result of sub 2",
        "  8 ○ no recorded dependence",
        "- 9 ╳ rule 4    it read what 7 returned",
        " 10 ○ no recorded dependence",
        " 11 ○ no recorded dependence",
        " 12 ? cause unknown",
        " 13",
    ]  # fmt: skip


def test_what_may_be_dropped_says_possibly():
    found = preview(Glass(BUSY), 8)
    assert marked(found)[8] == "- 9 ~ possibly rule 2    it read 8"


def test_the_bar_counts_agents_and_what_lies_elsewhere():
    assert preview(Glass(BUSY), 2).bar == (
        "Keep ≤ 2 · 7 invalid (3 tool calls, 1 agent, 3 others) · 0 possible · 1 unknown · 2 independent,"
        " 2 of them in 1 other session · undoing nothing on disk"
    )


def test_truncation_drops_all_that_is_later():
    found = preview(Glass(BUSY), 6, truncation=True)
    assert found.bar.startswith(
        "Truncate to ≤ 6: 7 dropped · 2 invalid (1 tool call, 1 inference) · 0 possible"
    )
    assert marked(found)[7:] == [
        "- 8 ○ truncated, no recorded dependence",
        "- 9 ╳ rule 4    it read what 7 returned",
        "-10 ○ truncated, no recorded dependence",
        "-11 ○ truncated, no recorded dependence",
        "-12 ? truncated, cause unknown",
        "-13   truncated",
    ]
    assert [found.ledger.seq[row] for row in sorted(found.dropped)] == [7, 8, 9, 10, 11, 12]


def test_a_rewind_to_nothing():
    found = preview(Glass(WORKED_EXAMPLE), 0)
    assert found.bar.startswith("Keep ≤ 0 · 7 invalid (2 tool calls, 1 agent, 4 others)")
    assert marked(found)[0] == "- 1 ╳ nothing is kept"
    assert found.lanes() == []


def test_counts_per_session_and_lane():
    found = preview(Glass(BUSY), 6)
    assert [(share.title, share.words) for share in found.sessions()] == [
        ("session 1", "6 kept, 2 invalid, 1 independent"),
        ("session 10", "2 independent"),
        ("session 12", "1 unknown"),
    ]
    assert [(share.title, share.words) for share in found.lanes()] == [
        ("lane 1 main", "3 kept, 2 invalid, 1 independent"),
    ]  # fmt: skip


def test_why_is_a_chain_of_sentences():
    glass = Glass(BUSY)
    assert [f"{line.label}: {line.text}" for line in preview(glass, 2).why(glass.row(9))] == [
        "rule 1: 9 followed from 2, its parent",
        "rule 2: also: 9 read the result of the Bash call 3",
        "rule 4: also: 9 read the result of 7, the Agent call that returned sub-agent 2, in which 4 ran",
    ]  # fmt: skip
    assert [f"{line.label}: {line.text}" for line in preview(glass, 6).why(glass.row(9))] == [
        "rule 4: 9 read the result of 7, the Agent call that returned sub-agent 2, in which 6 ran",
    ]  # fmt: skip
    assert preview(glass, 6).why(glass.row(10)) == []


# --- losses


@pytest.fixture
def deeds() -> Glass:
    book = Book()
    ask = book.prompt("go")
    think = book.infer(ask, args={"prompt_tokens": 100}, result={"completion_tokens": 20})
    both = ref("named twice")
    book.tool("Read", think, args={"file_path": "seen.py"}, result=both)
    book.tool("Edit", think, args={"file_path": "a.py"}, duration_ms=5)
    book.tool("Write", think, args={"file_path": "b.py", "content": ref("only here")})
    book.tool("apply_patch", think, args={"patch": "*** Update File: a.py\n*** Add File: c.py\n"})
    book.tool("Bash", think, args={"command": "make\x1b[2J"}, success=False, duration_ms=7.5)
    book.tool("shell", think, args={"command": ["sh", "-c", "ls"]})
    book.tool("WebFetch", think, args={"url": "https://example.org"})
    book.tool("mcp__x__send", think)
    book.tool("Write", think, args=ref("everything"))
    book.note(think)
    book.tool("Read", think, result=both)
    book.prompt("other session", result=both)
    return Glass(book)


def test_what_is_not_undone(deeds: Glass):
    found = losses(deeds.ledger, rewind(deeds.ledger, 2), deeds.raw)
    assert found.files == (FileTouched("a.py", (4, 6)), FileTouched("b.py", (5,)), FileTouched("c.py", (6,)))
    assert found.commands == (CommandRun("make\x1b[2J", 7), CommandRun("sh -c ls", 8))
    assert found.effects == (
        OutsideEffect("WebFetch", 9),
        OutsideEffect("mcp__x__send", 10),
        OutsideEffect("Write", 11),
    )
    only_here = [ref(text)["_ref"].removeprefix("sha256:") for text in ("only here", "everything")]
    assert found.blobs == tuple(only_here)
    assert found.tokens is None
    assert found.duration_ms == 12.5


def test_tokens_are_those_of_dropped_events(deeds: Glass):
    assert losses(deeds.ledger, rewind(deeds.ledger, 1), deeds.raw).tokens == 120


def test_lists_are_safe_and_lead_to_their_events(deeds: Glass):
    sections = preview(deeds, 2).sections()
    assert titled(sections, "commands they ran") == ["7: make␛[2J", "8: sh -c ls"]
    assert titled(sections, "files they wrote: they stay as they are") == ["4 6: a.py", "5: b.py", "6: c.py"]
    assert titled(sections, "what they took") == ["time: 12 ms"]
    assert lines_of(sections[0])[-1] == "scope: what depends on it"


def test_records_are_decoded_once_while_the_preview_moves(deeds: Glass):
    book = LossBook(deeds.ledger, deeds.raw)
    for seq in (2, 1, 2, 3):
        book.of(rewind(deeds.ledger, seq).dropped)
    assert deeds.reads == 12


def test_what_cannot_be_read_is_counted_and_may_have_had_effects(deeds: Glass):
    deeds.lost = True
    found = losses(deeds.ledger, rewind(deeds.ledger, 2), deeds.raw)
    assert found.unread == 11
    assert [effect.seq for effect in found.effects] == [4, 5, 6, 7, 8, 9, 10, 11]


def test_truncation_lists_what_all_later_events_did():
    glass = Glass(BUSY + '14 Bash 11 agent:main args={"command":"rm\\u0020build"}')
    commands = [each.command for each in preview(glass, 9, truncation=True).losses.commands]
    assert commands == ["rm build"]
    assert preview(glass, 9).losses.commands == ()


def test_the_kinds_of_invalid_events_add_up():
    book = Book()
    ask = book.prompt("Fix it.")
    plan = book.infer(ask)
    helper = book.prompt("Look.", plan, by=SUB)
    think = book.infer(helper, by=SUB)
    book.tool("Read", think, by=SUB)
    book.infer(think, by=SUB)
    glass = Glass(book)
    assert "6 invalid (1 tool call, 1 agent, 4 others)" in Preview(glass.ledger, rewind(glass.ledger, 0)).bar


def test_truncation_names_the_governance_events_that_go():
    book = Book()
    ask = book.prompt("Fix it.")
    book.infer(ask)
    book.governance("LedgerRewind", result={"rewound_to": 2})
    glass = Glass(book)
    bar = Preview(glass.ledger, rewind(glass.ledger, ask), truncation=True).bar
    assert bar.startswith("Truncate to ≤ 1: 2 dropped · 1 invalid")
    assert " · 1 governance event · undoing nothing" in bar
