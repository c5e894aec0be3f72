"""`show --filter` looks into arguments and results, in every ledger, and says where it found something."""

from __future__ import annotations

import json

import pytest

from builders import Book
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
