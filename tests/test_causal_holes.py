"""Holes: what a source has and could not give, and what becomes of it when it is given (CAUSALITY §2)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from builders import HUMAN, MAIN, SUB, Book, table
from korg_tui.causal import Appended, HolesChanged, Journal, Ledger, Rewound, rewind
from korg_tui.event import Event, Gap, Kind
from korg_tui.sources import Filled, Grew, Holes, Replaced
from shapes import ledger_of, model
from strategies import ledgers

STORY = """
    1 user_prompt   -  human:dusk
    2 llm_inference 1  agent:main@1
    3 Read          2  agent:main@1
    4 llm_inference 2  agent:main@1
    5 Bash          4  agent:main@1
    6 llm_inference 4  agent:main@1
    7 Edit          6  agent:main@1
"""


def journal_of(*facts: Any) -> Journal:
    journal = Journal("http://127.0.0.1:8080")
    for fact in facts:
        journal.apply(fact)
    return journal


def seqs(ledger: Ledger) -> list[Any]:
    """Seqs by row; a gap as `first-last`."""
    gaps = [ledger.gap_at(row) for row in range(len(ledger))]
    return [f"{gap.first}-{gap.last}" if gap else ledger.seq_at(row) for row, gap in enumerate(gaps)]


def states(ledger: Ledger) -> dict[int, str]:
    return {
        ledger.seq[row]: ledger.pointer_at(row).word
        for row in range(len(ledger))
        if ledger.kind_at(row).agent and ledger.pointer_at(row).word not in ("ok", "root")
    }


def test_a_hole_is_a_row_and_pointers_into_it_are_not_loaded_rather_than_dead() -> None:
    events = table(STORY).events()
    journal = journal_of(Grew(tuple(events[:2])), Holes(((3, 5),)), Grew(tuple(events[5:])))
    (ledger,) = journal.ledgers
    assert seqs(ledger) == [1, 2, "3-5", 6, 7]
    assert states(ledger) == {6: "unloaded"}
    assert ledger.kind_at(2) is Kind.GAP and ledger.seq_at(2) is None
    assert (ledger.holes, ledger.not_loaded) == ((Gap(3, 5),), 3)
    assert [session.unloaded for session in ledger.sessions] == [0, 1]


def test_a_number_that_is_in_no_hole_is_dead() -> None:
    events = table(STORY).events()
    journal = journal_of(Grew(tuple(events[:2])), Holes(((4, 4),)), Grew((events[4], events[6])))
    assert states(journal.ledgers[0]) == {5: "unloaded", 7: "dead"}


def test_a_hole_that_is_filled_leaves_nothing_behind_and_no_line_is_late() -> None:
    events = table(STORY).events()
    journal = journal_of(Grew(tuple(events[:2])), Holes(((3, 5),)), Grew(tuple(events[5:])))
    (filled,) = journal.apply(Filled(tuple(events[2:5])))
    assert isinstance(filled, Appended)
    assert [journal.ledgers[0].seq_at(row) for row in filled.rows] == [3, 4, 5]
    (closed,) = journal.apply(Holes(()))
    assert isinstance(closed, HolesChanged) and closed.new == ()
    (ledger,) = journal.ledgers
    assert (seqs(ledger), states(ledger), ledger.late) == ([1, 2, 3, 4, 5, 6, 7], {}, set())
    assert model(ledger) == model(ledger_of(events))


def test_a_hole_that_proves_to_be_empty_makes_its_pointers_dead() -> None:
    events = table(STORY).events()
    journal = journal_of(Grew(tuple(events[:2])), Holes(((3, 5),)), Grew(tuple(events[5:])), Holes(()))
    assert states(journal.ledgers[0]) == {6: "dead"}


def test_what_lies_before_the_window_is_a_hole_and_can_come_later() -> None:
    events = table(STORY).events()
    journal = journal_of(Holes(((1, 4),)), Grew(tuple(events[4:])))
    (ledger,) = journal.ledgers
    assert (seqs(ledger), states(ledger)) == (["1-4", 5, 6, 7], {5: "unloaded", 6: "unloaded"})
    assert len(ledger.sessions) == 1
    journal.apply(Filled(tuple(events[:2])))
    journal.apply(Holes(((3, 4),)))
    assert journal.ledgers == [ledger]
    assert (seqs(ledger), states(ledger)) == ([1, 2, "3-4", 5, 6, 7], {5: "unloaded", 6: "unloaded"})


def test_heads_in_a_hole_are_one_session_when_their_root_event_is_the_same() -> None:
    book = Book()
    book.prompt("first")
    for seq, parent, by in ((7, 4, MAIN), (8, 5, SUB)):
        book.infer(parent, by=by, seq=seq, metadata={"root_event_id": "the-root"})
    one, *rest = book.events()
    journal = journal_of(Grew((one,)), Holes(((2, 6),)), Grew(tuple(rest)))
    assert [session.total_events for session in journal.ledgers[0].sessions] == [1, 2]


def test_a_rewind_drops_the_holes_behind_it() -> None:
    events = table(STORY).events()
    journal = journal_of(Grew(tuple(events[:2])), Holes(((3, 5),)), Grew(tuple(events[5:])))
    (rewound,) = journal.apply(Replaced(events[1].offset, (), 1))
    assert isinstance(rewound, Rewound)
    assert [gone.event.seq for gone in rewound.dropped] == [2, 6, 7]
    assert seqs(journal.ledgers[0]) == [1]


def test_a_gap_is_never_in_a_rewind_set() -> None:
    events = table(STORY).events()
    journal = journal_of(Grew(tuple(events[:2])), Holes(((3, 5),)), Grew(tuple(events[5:])))
    found = rewind(journal.ledgers[0], 2)
    assert (found.invalidated, found.unknown, found.independent) == ((), (6, 7), ())


def test_the_same_holes_again_change_nothing() -> None:
    events = table(STORY).events()
    journal = journal_of(Grew(tuple(events[:2])), Holes(((3, 5),)), Grew(tuple(events[5:])))
    revision = journal.ledgers[0].revision
    assert journal.apply(Holes(((3, 5),))) == []
    assert journal.ledgers[0].revision == revision


def test_a_new_hole_at_the_end_touches_no_row() -> None:
    book = Book()
    last = book.prompt("begin", by=HUMAN)
    for _ in range(200):
        last = book.infer(last)
    journal = journal_of(Grew(tuple(book.events())))
    touched = journal.ledgers[0].touched
    journal.apply(Holes(((202, 230),)))
    assert journal.ledgers[0].touched == touched + 1


def ranges_of(withheld: list[int]) -> tuple[tuple[int, int], ...]:
    """Seqs as ranges, both ends included."""
    cuts = [at for at, (one, two) in enumerate(pairwise(withheld), 1) if two != one + 1]
    parts = [withheld[a:b] for a, b in pairwise([0, *cuts, len(withheld)])]
    return tuple((part[0], part[-1]) for part in parts if part)


@st.composite
def withheld(draw: Any) -> tuple[list[Event], list[int]]:
    events = sorted(draw(ledgers()), key=lambda event: event.seq)
    chosen = draw(st.lists(st.sampled_from(events[:-1] or events), unique_by=lambda event: event.seq))
    return events, sorted(event.seq for event in chosen)


@given(withheld(), st.data())
def test_holes_that_are_filled_in_any_order_end_as_the_ledger_read_whole(
    case: tuple[list[Event], list[int]], data: st.DataObject
) -> None:
    events, missing = case
    journal = journal_of(Holes(ranges_of(missing)), Grew(tuple(e for e in events if e.seq not in missing)))
    left = data.draw(st.permutations(missing))
    while left:
        count = data.draw(st.integers(1, len(left)))
        given_now, left = set(left[:count]), left[count:]
        journal.apply(Filled(tuple(event for event in events if event.seq in given_now)))
        journal.apply(Holes(ranges_of(sorted(left))))
    (ledger,) = journal.ledgers
    assert (ledger.holes, ledger.late) == ((), set())
    assert model(ledger) == model(ledger_of(events))
    assert ledger.session_book.standing() == ledger.sessions


@given(withheld())
def test_holes_that_become_known_late_are_the_same_as_holes_known_at_once(
    case: tuple[list[Event], list[int]]
) -> None:
    events, missing = case
    there = tuple(event for event in events if event.seq not in missing)
    holes = Holes(ranges_of(missing))
    early = journal_of(holes, Grew(there)).ledgers[0]
    step = journal_of(*(Grew((event,)) for event in there), holes).ledgers[0]
    assert (seqs(early), states(early)) == (seqs(step), states(step))
