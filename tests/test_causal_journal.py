"""Runs, generations, and what a watched rewind leaves behind (CAUSALITY §1, §8)."""

from __future__ import annotations

import sys

import pytest
from msgspec.structs import replace

from builders import Book, table
from korg_tui.causal import Appended, Journal, NewLedger, Pointer, Rewound, Vanished
from korg_tui.event import Event, Malformed
from korg_tui.sources import CaughtUp, Grew, Opened, Replaced

ledger_module = sys.modules["korg_tui.causal.ledger"]

STORY = """
    1 user_prompt   - human:u
    2 llm_inference 1 agent:m
    3 Read          2 agent:m
    4 llm_inference 2 agent:m
    5 Edit          4 agent:m
    6 llm_inference 4 agent:m
"""


def events(text: str) -> tuple[Event, ...]:
    return tuple(table(text).events())


def placed(records: tuple[Event, ...], start: int = 0) -> tuple[Event, ...]:
    """The same events, one record of 10 bytes behind the other."""
    return tuple(replace(event, offset=start + 10 * n, length=9) for n, event in enumerate(records))


def test_numbers_that_restart_begin_a_ledger_of_their_own() -> None:
    journal = Journal("file")
    first, again = events("1 user_prompt - human:u\n2 Read 1 agent:m"), events("1 user_prompt - human:v")
    changes = journal.apply(Grew((*first, *again)))
    assert [ledger.name for ledger in journal.ledgers] == ["file", "file#2"]
    assert [type(change) for change in changes] == [Appended, NewLedger, Appended]


def test_a_smaller_number_that_is_new_is_a_late_line_and_no_restart() -> None:
    journal = Journal("file")
    journal.apply(Grew(events("1 user_prompt - human:u\n3 Read 2 agent:m\n2 llm_inference 1 agent:m")))
    (ledger,) = journal.ledgers
    assert list(ledger.seq) == [1, 2, 3]
    assert ledger.is_late(1)


def test_a_late_line_moves_rows_but_is_the_only_new_one() -> None:
    journal = Journal("file")
    one, three, two = placed(events("1 user_prompt - human:u\n3 Read 2 agent:m\n2 llm_inference 1 agent:m"))
    journal.apply(Grew((one, three)))
    (change,) = journal.apply(Grew((two,)))
    assert isinstance(change, Appended)
    assert (change.first_row, list(change.rows), change.count) == (1, [1], 1)


def test_facts_that_are_not_about_events_change_nothing() -> None:
    journal = Journal("file")
    assert journal.apply(Opened("lines")) == journal.apply(CaughtUp()) == []
    assert len(journal.ledgers[0]) == 0


def test_a_file_written_anew_with_the_same_events_is_the_same_generation() -> None:
    journal = Journal("file")
    story = placed(events(STORY))
    journal.apply(Grew(story[:4]))
    moved = placed(events(STORY), start=7)
    changes = journal.apply(Replaced(0, moved, 1))
    (ledger,) = journal.ledgers
    assert [type(change) for change in changes] == [Appended]
    assert (ledger.generation, ledger.gone, list(ledger.offset)) == (0, [], [7, 17, 27, 37, 47, 57])


def test_a_sealed_rewind_begins_a_generation_and_says_what_3_had_called_invalid() -> None:
    journal = Journal("file")
    story = placed(events(STORY))
    journal.apply(Grew(story))
    book = Book(first=4)
    book.governance("LedgerRewind", 3, target_seq_id=3, rewound_by="human:dusk")
    book.tool("Bash", 2, by="agent:m")
    changes = journal.apply(Replaced(30, placed(tuple(book.events()), start=30), 1))
    rewound = changes[0]
    assert isinstance(rewound, Rewound)
    assert (rewound.to, rewound.generation) == (3, 1)
    assert [gone.event.seq for gone in rewound.dropped] == [4, 5, 6]
    assert rewound.invalid == (4, 5, 6)
    (ledger,) = journal.ledgers
    assert [ledger.tool_at(row) for row in range(5)] == [
        "user_prompt", "llm_inference", "Read", "LedgerRewind", "Bash"
    ]  # fmt: skip
    assert ledger.session_at(4) is ledger.sessions[0]
    assert ledger.sessions[0].total_events == 4


def test_a_pointer_into_the_dropped_part_is_rewound_and_not_dead() -> None:
    journal = Journal("file")
    journal.apply(Grew(placed(events(STORY))))
    tail = events("4 Bash 2 agent:m\n5 Read 6 agent:m\n7 Read 5 agent:m\n8 Read 6 agent:m\n9 Read 99 agent:m")
    journal.apply(Replaced(30, placed(tail, start=30), 1))
    (ledger,) = journal.ledgers
    words = [ledger.pointer_at(row).word for row in range(3, len(ledger))]
    assert words == ["ok", "rewound", "ok", "rewound", "forward"]


def test_an_old_tail_that_comes_back_points_to_what_it_was_written_for() -> None:
    journal = Journal("file")
    story = events(STORY)
    journal.apply(Grew(placed(story)))
    journal.apply(Replaced(30, placed(events("4 Bash 2 agent:m"), start=30), 1))
    journal.apply(Grew(placed(story[4:], start=40)))
    (ledger,) = journal.ledgers
    assert list(ledger.seq) == [1, 2, 3, 4, 5, 6]
    assert ledger.pointer_at(4).word == ledger.pointer_at(5).word == "rewound"


def test_a_rewind_to_nothing_and_a_run_that_vanishes() -> None:
    journal = Journal("file")
    journal.apply(Grew((*placed(events(STORY)), *placed(events("1 user_prompt - human:v"), start=60))))
    changes = journal.apply(Replaced(0, (), 1))
    assert [type(change) for change in changes] == [Rewound, Rewound, Vanished]
    assert (len(journal.ledgers), len(journal.ledgers[0])) == (1, 0)


def test_a_mended_line_is_no_rewind() -> None:
    journal = Journal("file")
    first, second = placed(events("1 user_prompt - human:u\n2 Read 1 agent:m"))
    journal.apply(Grew((first, Malformed(offset=10, length=4, reason="cut off"))))
    changes = journal.apply(Replaced(10, (second,), 1))
    (ledger,) = journal.ledgers
    assert [type(change) for change in changes] == [Appended]
    assert (ledger.generation, [ledger.seq_at(row) for row in range(len(ledger))]) == (0, [1, 2])


def test_what_was_dropped_knows_what_section_3_said_of_it_and_by_which_rules() -> None:
    book = Book()
    think = book.infer(book.prompt("go"))
    book.tool("Read", think)
    book.tool("Edit", book.infer(think))
    book.infer(book.prompt("else", by="human:dawn"), by="agent:clerk")
    book.governance("LeaseAcquired", 2)
    records = placed(tuple(book.events()))
    journal = Journal("one")
    journal.apply(Grew(records))
    (change,) = journal.apply(Replaced(records[3].offset, (), 1))
    assert isinstance(change, Rewound)
    assert [(gone.event.seq, gone.fate, gone.rules) for gone in change.dropped] == [
        (4, "invalidated", (2,)),
        (5, "invalidated", (1,)),
        (6, "independent", ()),
        (7, "independent", ()),
        (8, "governance", ()),
    ]
    assert change.invalid == (4, 5)


def test_what_was_dropped_is_kept_until_it_is_dismissed() -> None:
    book = Book()
    think = book.infer(book.prompt("go"))
    book.tool("Read", think)
    records = placed(tuple(book.events()))
    journal = Journal("one")
    journal.apply(Grew(records))
    journal.apply(Replaced(records[1].offset, (records[2],), 1))
    (ledger,) = journal.ledgers
    assert ledger.dismiss() == 1
    assert (ledger.gone, ledger.dismissed_at(1), ledger.dismissed_at(0)) == ([], True, False)
    assert ledger.pointer_at(1) is Pointer.REWOUND


def test_a_governance_event_0_is_all_that_is_left() -> None:
    journal = Journal("file")
    one, *rest = placed(events("0 LedgerRewind! -\n1 user_prompt - human:u\n2 Read 1 agent:m"))
    journal.apply(Grew((one, *rest)))
    (rewound,) = journal.apply(Replaced(rest[0].offset, (), 1))
    assert isinstance(rewound, Rewound)
    assert (rewound.to, rewound.invalid) == (0, (1, 2))


def test_of_what_was_dropped_the_newest_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "GONE_AT_MOST", 4)
    monkeypatch.setattr(ledger_module, "REMEMBERED_AT_MOST", 2)
    journal = Journal("file")
    story = placed(events(STORY))
    journal.apply(Grew(story))
    for epoch in (1, 2):
        journal.apply(Replaced(story[3].offset, (), 2 * epoch - 1))
        journal.apply(Replaced(story[3].offset, story[3:], 2 * epoch))
    journal.apply(Replaced(story[3].offset, (), 5))
    (ledger,) = journal.ledgers
    assert [(gone.generation, gone.event.seq) for gone in ledger.gone] == [(2, 6), (3, 4), (3, 5), (3, 6)]
    (change,) = journal.apply(Grew(placed(events("7 Read 6 agent:m\n8 Read 4 agent:m"), 100)))
    words = [ledger.pointer_at(row).word for row in change.rows]
    assert words == ["rewound", "dead"], "of what was dropped long ago nothing is known any more"


def test_an_event_taken_out_of_the_middle_is_all_that_is_dropped() -> None:
    journal = Journal("file")
    story = placed(events(STORY))
    journal.apply(Grew(story))
    behind = placed(story[4:], start=30)
    rewound, appended = journal.apply(Replaced(30, behind, 1))
    assert isinstance(rewound, Rewound) and isinstance(appended, Appended)
    assert rewound.in_place
    assert (rewound.to, [gone.event.seq for gone in rewound.dropped]) == (3, [4])
    assert (appended.first_row, list(appended.rows)) == (3, [])
    (ledger,) = journal.ledgers
    assert list(ledger.seq) == [1, 2, 3, 5, 6]
    assert list(ledger.offset) == [0, 10, 20, 30, 40]
    assert [ledger.pointer_at(row) for row in (3, 4)] == [Pointer.REWOUND, Pointer.REWOUND]


def test_an_event_with_other_content_is_the_only_one_that_is_new() -> None:
    journal = Journal("file")
    story = placed(events(STORY))
    journal.apply(Grew(story))
    other = replace(story[2], tool="Bash", digest=story[2].digest + 1)
    rewound, appended = journal.apply(Replaced(20, (other, *story[3:]), 1))
    assert isinstance(rewound, Rewound) and isinstance(appended, Appended)
    assert rewound.in_place
    assert (rewound.to, [gone.event.seq for gone in rewound.dropped]) == (2, [3])
    assert list(appended.rows) == [2]


def test_what_stays_may_come_in_a_later_fact() -> None:
    journal = Journal("file")
    story = placed(events(STORY))
    journal.apply(Grew(story))
    behind = placed(story[3:], start=20)
    rest = tuple((event.seq, event.digest) for event in behind[1:])
    rewound, _ = journal.apply(Replaced(20, behind[:1], 1, rest))
    assert isinstance(rewound, Rewound)
    assert [gone.event.seq for gone in rewound.dropped] == [3]
    journal.apply(Grew(behind[1:]))
    assert list(journal.ledgers[0].seq) == [1, 2, 4, 5, 6]


def test_the_last_event_with_other_content_cannot_be_told_from_a_rewind() -> None:
    journal = Journal("file")
    story = placed(events(STORY))
    journal.apply(Grew(story))
    rewound, _ = journal.apply(Replaced(50, (replace(story[5], digest=1),), 1))
    assert isinstance(rewound, Rewound)
    assert not rewound.in_place


def test_an_event_altered_under_its_old_hash_is_no_rewind_and_is_shown_as_it_is() -> None:
    journal = Journal("file")
    story = placed(events(STORY))
    journal.apply(Grew(story))
    altered = replace(story[2], tool="Bash", length=8)
    (change,) = journal.apply(Replaced(20, (altered, *story[3:]), 1))
    assert isinstance(change, Appended)
    assert (change.first_row, change.count) == (2, 0)
    (ledger,) = journal.ledgers
    assert (ledger.tool_at(2), ledger.length[2], ledger.generation, ledger.gone) == ("Bash", 8, 0, [])


def test_bytes_that_no_column_has_are_looked_at_again_too() -> None:
    journal = Journal("file")
    story = placed(events(STORY))
    journal.apply(Grew(story))
    (ledger,) = journal.ledgers
    before = ledger.revision
    (change,) = journal.apply(Replaced(20, story[2:], 1))
    assert isinstance(change, Appended)
    assert (change.first_row, change.count) == (2, 0)
    assert ledger.revision > before
