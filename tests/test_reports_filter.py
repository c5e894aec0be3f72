"""`show --filter` looks into arguments and results, in every ledger, and says where it found something."""

from __future__ import annotations

import json

import pytest

from builders import Book, ref
from korg_tui.cli import main


@pytest.fixture
def ledgers(tmp_path) -> list[str]:
    names = []
    for name in ("north", "south"):
        book = Book()
        think = book.infer(book.prompt(f"work in the {name}"))
        book.tool("Edit", think, args={"file_path": "src/dates.py", "old_string": "29", "new_string": name})
        book.tool("Bash", think, args={"command": "pytest"}, result={"stdout": "12 passed"})
        path = tmp_path / f"{name}.jsonl"
        path.write_bytes(book.nested())
        names.append(str(path))
    return names


def test_who_touched_this_path_in_json(capsys, ledgers):
    assert main(["show", "--filter", "path:src/dates.py", "--json", *ledgers]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(event["ledger"], event["seq"]) for event in found] == [(name, 3) for name in ledgers]


def test_who_touched_this_path_in_text(capsys, ledgers):
    assert main(["show", "--filter", "path:src/dates.py", *ledgers]) == 0
    out = capsys.readouterr().out
    for name in ledgers:
        assert f"{name} › session 1" in out
    assert len([line for line in out.splitlines() if "Edit" in line and "src/dates.py" in line]) == 2


def test_words_are_looked_for_in_arguments_and_results(capsys, ledgers):
    for words, seqs in (("south", [1, 3]), ('"12 passed"', [4, 4]), ("nowhere", [])):
        assert main(["show", "--filter", words, "--json", *ledgers]) == 0
        found = [json.loads(line)["seq"] for line in capsys.readouterr().out.splitlines()]
        assert found == seqs


def test_an_error_points_at_the_word(capsys, ledgers):
    assert main(["show", "--filter", "tool:Edit is:faild lane:1", *ledgers]) == 2
    first, *below = capsys.readouterr().err.splitlines()
    assert first.startswith("korg-tui: --filter: “is:faild” is not known: did you mean failed?")
    assert below == ["  tool:Edit is:faild lane:1", "            ^^^^^^^^"]


def test_since_counts_from_now_and_from_a_moment(capsys, ledgers):
    asked = (("since:10m", []), ("since:2026-03-02T14:00:03", [4, 4]), ("until:1s", [1, 2, 3, 4] * 2))
    for words, seqs in asked:
        assert main(["show", "--filter", words, "--json", *ledgers]) == 0
        assert [json.loads(line)["seq"] for line in capsys.readouterr().out.splitlines()] == seqs


def test_blobs_are_looked_into_when_asked_for_and_what_is_missing_is_said(capsys, tmp_path):
    book = Book()
    book.tool("Read", book.prompt("go"), result=ref("the whole report"))
    book.tool("Read", 1, result=ref("another"))
    ledger = tmp_path / "journal.jsonl"
    ledger.write_bytes(book.nested())
    sha = ref("the whole report")["_ref"].removeprefix("sha256:")
    (tmp_path / "blobs" / sha[:2]).mkdir(parents=True)
    (tmp_path / "blobs" / sha[:2] / sha).write_text("the whole report")
    assert main(["show", "--filter", "blob:WHOLE", "--json", str(ledger)]) == 0
    out, err = capsys.readouterr()
    assert [json.loads(line)["seq"] for line in out.splitlines()] == [2]
    assert err == "korg-tui: the filter did not see everything: 1 blob not found\n"


def test_a_word_turned_round_is_no_option(capsys, ledgers):
    assert main(["show", "--filter", "-tool:Edit kind:tool", "--json", ledgers[0]]) == 0
    assert [json.loads(line)["seq"] for line in capsys.readouterr().out.splitlines()] == [4]
    assert main(["export", ledgers[0], "--format", "ndjson", "--filter", "-kind:tool"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_what_a_rewind_drops_goes_with_the_export_of_one(capsys, ledgers):
    asked = ["--format", "ndjson", "--filter", "is:dropped", "--rewind", "2", ledgers[0]]
    assert main(["export", *asked]) == 0
    assert [json.loads(line)["seq"] for line in capsys.readouterr().out.splitlines()] == [3, 4]
    for words in (["show"], ["export", "--format", "ndjson"]):
        assert main([*words, "--filter", "is:dropped", ledgers[0]]) == 2
        said = "korg-tui: --filter: is:dropped asks for a rewind; export takes one: --rewind N\n"
        assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize(
    ("query", "said", "marks"),
    [
        ('is:ok "two words', "this quote is never closed; close it, or leave it out", "      ^^^^^^^^^^"),
        ('"', "“” names nothing", None),
        ('"two', "this quote is never closed; close it, or leave it out", "^^^^"),
        ("is:ok seq:5..2", "“seq:5..2” fits nothing: write seq:2..5", "      ^^^^^^^^"),
    ],
)
def test_what_cannot_be_meant_is_pointed_at(capsys, ledgers, query, said, marks):
    assert main(["show", "--filter", query, *ledgers]) == 2
    first, *below = capsys.readouterr().err.splitlines()
    assert first.startswith(f"korg-tui: --filter: {said}")
    assert below == ([] if marks is None else [f"  {query}", f"  {marks}"])


def test_a_query_of_any_length_is_refused_in_few_words(capsys, ledgers):
    assert main(["show", "--filter", "word " * 10_000, *ledgers]) == 2
    first, line, marks = capsys.readouterr().err.splitlines()
    assert first == "korg-tui: --filter: a filter has at most 200 words"
    assert len(line) < 500
    at = marks.index("^")
    assert (line[at : at + 4], marks.count("^")) == ("word", 4)


def test_an_event_by_number_and_a_filter_are_too_much(capsys, ledgers):
    assert main(["show", "1", "--filter", "is:failed", ledgers[0]]) == 2
    assert capsys.readouterr().err == "korg-tui: --filter chooses among all events; leave it out, or 1\n"
