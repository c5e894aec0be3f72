"""Files whose numbers begin again: each run is a ledger, and one that was put in or moved is told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from builders import Book
from korg_tui.reading import Reading
from korg_tui.sources import FileSource
from korg_tui.trust import Verification, Vigil, verification

SEVEN = 7


def lines(prompt: str = "fix the bug") -> list[bytes]:
    """A chain of seven events."""
    book = Book()
    think = book.prompt(prompt)
    for _ in range(SEVEN - 1):
        think = book.infer(think)
    return book.nested().splitlines(keepends=True)


def verified(path: Path, parts: Sequence[bytes]) -> list[Verification]:
    """What is said of a file with these lines, ledger by ledger."""
    path.write_bytes(b"".join(parts))
    source = FileSource(path)
    try:
        reading = Reading.of(source).complete()
        return [verification(reading, ledger) for ledger in reading.journal.ledgers]
    finally:
        source.close()


@pytest.mark.parametrize("at", range(1, SEVEN))
def test_a_line_that_was_copied_behind_itself_begins_no_chain(tmp_path, at):
    parts = lines()
    first, second = verified(tmp_path / "a.jsonl", [*parts[: at + 1], *parts[at:]])
    assert (first.verdict, first.believed) == ("intact", True)
    assert (second.verdict, second.believed) == ("broken", False)
    (fault,) = second.faults
    assert (fault.seq, fault.kind) == (at + 1, "link")
    assert fault.text.startswith("its number came before in this file, and it begins no chain of its own")


@pytest.mark.parametrize("where", range(1, SEVEN + 1))
@pytest.mark.parametrize("line", range(SEVEN))
def test_a_copy_of_any_line_at_any_place_is_told(tmp_path, where, line):
    parts = lines()
    found = verified(tmp_path / "a.jsonl", [*parts[:where], parts[line], *parts[where:]])
    assert not all(each.believed for each in found)


@pytest.mark.parametrize("cut", range(1, SEVEN))
def test_halves_that_changed_places_are_told_at_what_follows_the_other(tmp_path, cut):
    parts = lines()
    found = verified(tmp_path / "a.jsonl", [*parts[cut:], *parts[:cut]])
    (moved,) = [finding for each in found for finding in each.findings]
    assert (moved.seq, moved.grave) == (cut + 1, True)
    assert re.fullmatch(rf"it follows seq {cut} of .*: lines were moved", moved.text)
    assert not all(each.believed for each in found)


def test_two_whole_chains_in_one_file_are_two_ledgers_which_is_said(tmp_path):
    first, second = verified(tmp_path / "a.jsonl", [*lines(), *lines("fix the other")])
    assert first.believed and second.believed
    words = "other events stand before it in the file: its numbers began again"
    assert words not in first.notes
    assert words in second.notes


def test_a_chain_that_stands_in_the_file_twice_is_told(tmp_path):
    first, second = verified(tmp_path / "a.jsonl", lines() * 2)
    assert first.believed
    (finding,) = second.findings
    assert (finding.seq, finding.grave) == (1, True)
    assert re.fullmatch("it is seq 1 of .* again", finding.text)


def test_runs_without_hashes_are_no_chains(tmp_path):
    book = Book()
    book.infer(book.prompt("fix the bug"))
    plain = re.sub(rb',\s*"(prev|entry)_hash":\s*"\w+"', b"", book.nested())
    found = verified(tmp_path / "a.jsonl", [plain, plain])
    assert [each.verdict for each in found] == ["unchained", "unchained"]
    assert [[fault.kind for fault in each.faults] for each in found] == [["unchained"], ["unchained"]]


def test_whoever_watches_a_file_says_the_same(tmp_path):
    parts = lines()
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join([*parts[:4], *parts[3:]]))
    source = FileSource(path)
    reading = Reading.of(source).complete()
    vigil = Vigil()
    for ledger in reading.journal.ledgers:
        vigil.look(reading, ledger)
    while (turn := vigil.turn()) is not None:
        turn.check()
        vigil.take(turn)
    source.close()
    verdicts = [vigil.standing(ledger).verdict for ledger in reading.journal.ledgers]
    assert verdicts == ["intact", "broken"]


def test_numbers_that_were_skipped_are_noted(tmp_path):
    book = Book()
    think = book.prompt("fix the bug")
    (found,) = verified(tmp_path / "a.jsonl", renumbered(book, think))
    assert found.verdict == "intact"
    assert "3 numbers between its first event and its last were skipped" in found.notes


def renumbered(book: Book, parent: int) -> list[bytes]:
    """The book, and one more event three numbers later."""
    book.infer(parent)
    book.records[-1]["seq_id"] += 3
    return [book.nested()]


def test_a_line_that_is_no_event_says_why(tmp_path):
    parts = lines()
    (found,) = verified(tmp_path / "a.jsonl", [*parts[:3], b"[1]\n", *parts[3:]])
    (finding,) = found.findings
    assert finding.seq is None
    assert re.fullmatch(r"the line at byte [\d,]+ is no event: not an event: a JSON list .*", finding.text)
