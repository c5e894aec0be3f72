"""Gaps: what a source has and could not give, as rows of a spine, in details, and in documents."""

from __future__ import annotations

from builders import Book, table
from korg_tui.causal import Journal, Ledger
from korg_tui.export import event_document
from korg_tui.reading import Reading
from korg_tui.sources import Filled, Grew, Holes
from korg_tui.views import Spine, details, parse_query
from stage import MemorySource

STORY = """
    1 user_prompt   -  human:dusk   prompt="go"
    2 llm_inference 1  agent:main@1
    3 Read          2  agent:main@1
    4 llm_inference 2  agent:main@1
    5 Bash          4  agent:main@1
    6 llm_inference 4  agent:main@1
    7 user_prompt   -  human:dusk   prompt="and now"
    8 llm_inference 7  agent:main@1
"""


def ledger_of(book: Book, *missing: int) -> Ledger:
    """The ledger without these seqs, which its source has."""
    journal = Journal("http://127.0.0.1:8080")
    journal.apply(Holes(((missing[0], missing[-1]),)))
    journal.apply(Grew(tuple(event for event in book.events() if event.seq not in missing)))
    return journal.ledgers[0]


def spine_of(ledger: Ledger, session: int) -> list[tuple[str, str, str, str]]:
    spine = Spine(ledger, session)
    lines = (spine.line(index) for index in range(len(spine)))
    return [(line.number, line.sign, line.tool, line.note or line.argument) for line in lines]


def test_a_gap_is_a_row_between_its_neighbours_in_words():
    ledger = ledger_of(table(STORY), 3, 4, 5)
    whole = spine_of(ledger, -1)
    assert [number for number, *_ in whole] == ["1", "2", "", "6", "7", "8"]
    assert whole[2] == ("", "…", "gap", "events 3–5 not loaded (3)")
    assert whole[3][3] == "parent 4 not loaded: in a gap that the source did not fill"


def test_a_gap_is_shown_in_every_session_that_may_have_lost_something_in_it():
    ledger = ledger_of(table(STORY), 3, 4, 5)
    assert [session.seq for session in ledger.sessions] == [1, 6, 7]
    assert [number for number, *_ in spine_of(ledger, 0)] == ["1", "2", ""]
    assert [number for number, *_ in spine_of(ledger, 1)] == ["", "6"]
    assert [number for number, *_ in spine_of(ledger, 2)] == ["7", "8"]


def test_one_event_that_is_missing_is_called_one():
    (row,) = [row for row in spine_of(ledger_of(table(STORY), 3), 0) if not row[0]]
    assert row[3] == "event 3 not loaded"


def test_a_spine_that_was_open_shows_what_fills_the_gap():
    book = table(STORY)
    journal = Journal("http://127.0.0.1:8080")
    events = book.events()
    for fact in (Grew(tuple(events[:2])), Holes(((3, 5),)), Grew(tuple(events[5:]))):
        journal.apply(fact)
    spine = Spine(journal.ledgers[0], 0)
    journal.apply(Filled(tuple(events[2:5])))
    journal.apply(Holes(()))
    spine.extend()
    numbers = [spine.line(index).number for index in range(len(spine))]
    assert numbers == ["1", "2", "3", "4", "5", "6"]


def test_details_of_a_gap_say_what_is_missing_and_read_nothing():
    ledger = ledger_of(table(STORY), 3, 4, 5)

    def read(offset: int, length: int) -> bytes:
        raise AssertionError("a gap has no record")

    (section,) = details(ledger, 2, read)
    assert [line.text for line in section.lines] == [
        "events 3–5 are missing here: 3 that the source has and could not give",
        "filled as soon as the source gives them; pointers into it are not loaded",
    ]


def test_a_gap_is_found_by_the_filter_and_has_a_document():
    ledger = ledger_of(table(STORY), 3, 4, 5)
    found = [row for row in range(len(ledger)) if parse_query("is:gap")(ledger, row)]
    assert found == [2]
    document = event_document(Reading.of(MemorySource(b"")), ledger, 2)
    assert (document["kind"], document["seq"], document["first"], document["last"]) == ("gap", None, 3, 5)
    assert document["raw"] is None
