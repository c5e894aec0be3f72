"""The rows of the first screen."""

from __future__ import annotations

import pytest

from builders import START_MS, Book, ref
from korg_tui.event import SYNTHESIZED_PROMPT
from korg_tui.reading import Reading
from korg_tui.views import SORTS, SessionBook, SessionRow, ago, has_words, session_rows, sort_sessions
from looking import Glass
from stage import MemorySource

NOW = START_MS + 60_000


@pytest.fixture
def rows() -> list[SessionRow]:
    book = Book()
    first = book.prompt("fix the \x1b[1mbug\nplease")
    think = book.infer(first, by="agent:main@1")
    book.tool("Bash", think, success=False)
    sub = book.prompt("look", parent=think, by="agent:sub@1")
    book.infer(sub, by="agent:sub@1")
    book.prompt(SYNTHESIZED_PROMPT)
    book.tool("Read", 404)
    book.prompt(ref("long"))
    return session_rows(Glass(book).ledger, live=True)


def test_rows(rows: list[SessionRow]):
    seen = [(row.seq, row.prompt, row.status, ago(row.last_ms, NOW)) for row in rows]
    assert seen == [
        (1, "fix the ␛[1mbug …", "complete", "56 s ago"),
        (6, SYNTHESIZED_PROMPT, "complete", "55 s ago"),
        (7, "begins with Read", "malformed", "54 s ago"),
        (8, f"prompt in blob {ref('long')['_ref'][7:15]}", "complete", "53 s ago"),
    ]
    first = rows[0]
    assert (first.events, first.agents, first.lanes, first.failed, first.dead_pointers) == (5, 2, 2, 1, 0)
    assert [row.synthesized for row in rows] == [False, True, False, False]
    assert [row.dead_pointers for row in rows] == [0, 0, 1, 0]


def test_only_the_session_with_the_newest_event_is_live(rows: list[SessionRow]):
    assert [row.live for row in rows] == [False, False, False, True]


@pytest.mark.parametrize(
    ("by", "seqs"),
    [("activity", [8, 7, 6, 1]), ("size", [1, 6, 7, 8]), ("failures", [1, 7, 6, 8]), ("start", [1, 6, 7, 8])],
)
def test_orders(rows: list[SessionRow], by: str, seqs: list[int]):
    assert [row.seq for row in sort_sessions(reversed(rows), by)] == seqs


def test_a_ledger_without_times_is_the_least_active(rows: list[SessionRow]):
    flat = Book()
    flat.prompt("timeless")
    (timeless,) = session_rows(Glass(flat.flat()).ledger)
    assert (ago(timeless.last_ms, NOW), timeless.last_ms) == ("no time", None)
    assert sort_sessions([timeless, *rows], "activity")[-1] is timeless


def test_words_that_narrow_the_list(rows: list[SessionRow]):
    assert [row.seq for row in rows if has_words(row, "BUG complete")] == [1]
    assert [row.seq for row in rows if has_words(row, "synthesized")] == [6]
    assert len([row for row in rows if has_words(row, "")]) == 4


def test_an_empty_ledger_has_no_rows():
    assert session_rows(Glass(b"").ledger) == []


def test_a_ledger_without_an_agent_event_has_one_row():
    glass = Glass("1 LeaseAcquired! -")
    glass.grow(b"broken\nagain\n")
    (row,) = session_rows(glass.ledger)
    assert (row.index, row.status) == (-1, "no session")
    assert row.prompt == "no agent event: 2 malformed lines and 1 governance event"


def test_rows_that_still_hold_are_the_same_objects():
    book = Book()
    first = book.prompt("one")
    book.prompt("two")
    glass = Glass(book)
    before = session_rows(glass.ledger)
    grown = Book()
    grown.prompt("one")
    grown.prompt("two")
    grown.tool("Read", first)
    glass.grow(grown.nested()[len(book.nested()) :])
    after = session_rows(glass.ledger, before=before)
    assert [row.events for row in after] == [2, 1]
    assert after[1] is before[1]
    assert after == session_rows(glass.ledger)


def book_of(readings: list[Reading], sort: str, words: str = "") -> list[SessionRow]:
    """What a book says that is told of all readings at once."""
    book = SessionBook()
    book.arrange(sort, words)
    for reading in readings:
        book.update(reading, live=True)
    return list(book.rows)


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("words", ["", "prompt 1", "nothing has these"])
def test_a_book_that_is_told_of_changes_is_as_one_made_anew(sort: str, words: str):
    readings, books = [], []
    told = SessionBook()
    told.arrange(sort, words)
    for number in range(120):
        ledger = Book(step_ms=1_000 + number)
        ledger.prompt(f"prompt {number}")
        reading = Reading.of(MemorySource(ledger, f"{number}.jsonl"))
        for fact in reading.source.start():
            reading.apply(fact)
        readings.append(reading)
        books.append(ledger)
        told.update(reading, live=True)
    assert list(told.rows) == book_of(readings, sort, words)
    for number in (3, 119, 3, 7, 110):
        before = len(books[number].nested())
        ask = books[number].prompt("again")
        books[number].tool("Bash", ask, success=False)
        source = readings[number].source
        source.post = readings[number].apply
        source.append(books[number].nested()[before:])
        counted = told.sessions
        told.update(readings[number], live=True)
        assert told.sessions == counted + 1
        assert list(told.rows) == book_of(readings, sort, words)
    readings[7].source.becomes(Book())
    told.update(readings[7], live=True)
    assert list(told.rows) == book_of(readings, sort, words)
    same = told.rows
    told.update(readings[8], live=True)
    assert told.rows is same
    assert told.owner("8.jsonl") is readings[8]
