"""Comparing: sequences aligned by what they did; an inserted step shifts nothing; a rewind."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import SUB, Book
from korg_tui.reading import Reading
from korg_tui.views.acts import Side, SideBefore, SideInOrder
from korg_tui.views.alignment import align
from korg_tui.views.compare import SIGNS, Comparison, compare
from looking import Glass, lines_of
from stage import MemorySource


def side(book: Book, name: str = "a") -> Side:
    glass = Glass(book)
    return Side(name, glass.ledger, glass.ledger.sessions[0], glass.read)


def drawn(found: Comparison) -> list[str]:
    """Each row as `left sign right  in what they differ`, events as `seq tool argument`."""
    out = []
    for number, match in enumerate(found.matches):
        texts = [
            "" if act is None else f"{act.seq} {act.tool} {act.argument}".strip()
            for act in found.acts(number)
        ]
        what = f"  {', '.join(match.what)}" if match.what else ""
        out.append(f"{texts[0]:24} {SIGNS[match.state]} {texts[1]:24}{what}".rstrip())
    return out


def work(*steps: tuple[str, str], **more: dict[str, Any]) -> Book:
    """A prompt, then an inference before each step; steps are (tool, argument)."""
    book = Book()
    at = book.prompt("fix it")
    for tool, argument in steps:
        at = book.infer(at)
        key = {"Bash": "command", "Read": "file_path", "Edit": "file_path"}[tool]
        book.tool(tool, at, args={key: argument}, **more.get(argument.replace(".", "_"), {}))
    return book


def test_one_inserted_step_shifts_nothing():
    left = work(("Read", "a.py"), ("Edit", "a.py"), ("Bash", "test"))
    right = work(("Read", "a.py"), ("Bash", "ls"), ("Edit", "a.py"), ("Bash", "test"))
    found = compare(side(left), side(right))
    assert dict(found.counts) == {"same": 7, "right": 2}
    assert drawn(found) == [
        "1 user_prompt fix it     = 1 user_prompt fix it",
        "2 llm_inference          = 2 llm_inference",
        "3 Read a.py              = 3 Read a.py",
        "                         › 4 llm_inference",
        "                         › 5 Bash ls",
        "4 llm_inference          = 6 llm_inference",
        "5 Edit a.py              = 7 Edit a.py",
        "6 llm_inference          = 8 llm_inference",
        "7 Bash test              = 9 Bash test",
    ]


def test_what_changed_is_named():
    changed = {"duration_ms": 9_000, "success": False, "result": {"stdout": "1 failed"}}
    left = work(("Read", "a.py"), ("Bash", "test"), test={"duration_ms": 1_000, "result": {"stdout": "ok"}})
    right = work(("Read", "b.py"), ("Bash", "test"), test=changed)
    found = compare(side(left), side(right))
    assert [match.what for match in found.matches if match.state == "changed"] == [
        ("argument",),
        ("outcome", "result", "duration"),
    ]
    assert found.words.startswith("same 3 · changed 2 · only left 0 · only right 0 · changed: 1 argument")
    assert found.counted(200) == found.words
    assert found.counted(60) == "= 3 · ‹ 0 · › 0 · ≠ 2: 1 argument, 1 outcome, 1 result, 1 duration"
    sections = found.sections(found.differences[-1])
    assert lines_of(sections[0]) == [
        "compared: ≠ changed: outcome, result, duration",
        "left: 5 Bash · ok · 1.0 s",
        "right: 5 Bash · failed · 9.0 s",
    ]
    assert [line.style for line in sections[2].lines if line.style in ("removed", "added")] == [
        "removed",
        "added",
    ]


def test_an_inference_may_say_it_in_other_words():
    def said(text: str) -> Book:
        book = Book()
        book.infer(book.prompt("go"), result={"text": text})
        return book

    found = compare(side(said("I will look.")), side(said("Let me look.")))
    assert drawn(found)[1].endswith("other words")
    assert found.differences == []
    assert lines_of(found.sections(1)[2]) == ["1 -text: I will look.", "1 +text: Let me look."]


def test_parallel_lanes_are_compared_lane_by_lane():
    def run(order: str) -> Book:
        book = Book()
        think = book.infer(book.prompt("go"))
        at = {"a": book.prompt("left", think, by=SUB), "b": book.prompt("right", think, by="agent:scout@1")}
        who = {"a": SUB, "b": "agent:scout@1"}
        for step, lane in enumerate(order):
            book.tool("Read", at[lane], by=who[lane], args={"file_path": f"{lane}{order[:step].count(lane)}"})
        return book

    found = compare(side(run("aabb")), side(run("abab")))
    assert dict(found.counts) == {"same": 8}


def test_a_session_before_and_after_a_rewind():
    before, after = work(("Read", "a.py"), ("Bash", "x"), ("Bash", "y")), Book()
    after.records, after.top = before.records[:3], 3
    again = after.infer(2)
    after.tool("Bash", again, args={"command": "y"})
    source = MemorySource(before)
    reading = Reading.of(source)
    for fact in source.start():
        reading.apply(fact)
    source.post = reading.apply
    source.becomes(after)
    ledger = reading.journal.ledgers[0]

    def gone(each):
        return source.read(each.event.offset, each.event.length, each.epoch)

    session = ledger.sessions[0]
    old = SideBefore("before", ledger, session, reading.bodies(ledger), gone, ledger.gone[-1].generation)
    new = SideInOrder("after", ledger, session, reading.bodies(ledger))
    found = compare(old, new)
    assert [act.seq for act in old.acts] == [1, 2, 3, 4, 5, 6, 7]
    assert dict(found.counts) == {"same": 5, "left": 2}
    assert "(gone)" in lines_of(found.sections(found.differences[0])[0])[1]


def test_what_cannot_be_read_is_compared_by_what_is_known():
    glass = Glass(work(("Read", "a.py")))
    lost = Side("lost", glass.ledger, glass.ledger.sessions[0], glass.read)
    glass.lost = True
    found = compare(lost, side(work(("Read", "a.py"))))
    assert [act.trouble for act in lost.acts] == ["its record could not be read"] * 3
    assert found.sections(2)


STEPS = st.lists(
    st.tuples(st.sampled_from(["Bash", "Read", "Edit"]), st.sampled_from(["a.py", "b.py", "c.py"])),
    max_size=8,
)


@settings(max_examples=40, deadline=None)
@given(STEPS, STEPS)
def test_swapped_sides_are_the_mirror_image(ones, others):
    one, other = side(work(*ones)), side(work(*others))
    found, swapped = compare(one, other), compare(other, one)
    assert found.mirrored.matches == swapped.matches
    mirror = {"left": "right", "right": "left"}
    flipped = [(m.right, m.left, mirror.get(m.state, m.state), m.what) for m in swapped.matches]
    rows = [(m.left, m.right, m.state, m.what) for m in found.matches]
    assert set(rows) == set(flipped)
    assert [row for row in rows if None not in row[:2]] == [row for row in flipped if None not in row[:2]]
    assert found.words.partition("· changed:")[2] == swapped.words.partition("· changed:")[2]


KEYS = st.lists(st.integers(0, 6), max_size=40)


@settings(max_examples=150, deadline=None)
@given(KEYS, KEYS)
def test_every_item_stands_once_and_in_order(left, right):
    pairs = align(left, right)
    assert [i for i, _ in pairs if i is not None] == list(range(len(left)))
    assert [j for _, j in pairs if j is not None] == list(range(len(right)))
    assert all(left[i] == right[j] for i, j in pairs if i is not None and j is not None)


@settings(max_examples=60, deadline=None)
@given(KEYS, st.integers(0, 40))
def test_what_was_inserted_is_all_that_differs(items, at):
    longer = [*items[:at], "new", *items[at:]]
    assert sum(i is None or j is None for i, j in align(items, longer)) == 1


@pytest.mark.parametrize("keys", [1, 3, 50, 5_000])
def test_long_sequences_with_few_keys_are_aligned_in_bounded_work(keys):
    dice = random.Random(keys)
    left, right = ([dice.randrange(keys) for _ in range(6_000)] for _ in range(2))
    pairs = align(left, right)
    assert [i for i, _ in pairs if i is not None] == list(range(6_000))
    assert [j for _, j in pairs if j is not None] == list(range(6_000))
