"""`korg-tui compare A B`: what differs as text, all rows as JSON, and how sessions are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from builders import Book
from korg_tui.cli import main
from stage import story


def ledger(folder: Path, name: str, *steps: str) -> str:
    book = Book()
    at = book.prompt("fix it")
    for step in steps:
        at = book.infer(at)
        book.tool("Bash", at, args={"command": step})
    path = folder / name
    path.write_bytes(book.nested())
    return str(path)


def test_text_names_what_differs(tmp_path, capsys):
    one, other = (
        ledger(tmp_path, "one.jsonl", "ls", "test"),
        ledger(tmp_path, "other.jsonl", "ls", "cat x", "test"),
    )
    assert main(["compare", one, other]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[2] == "same 5 · changed 0 · only left 0 · only right 2"
    assert [" ".join(line.split()) for line in out[4:]] == [
        "= 3 events the same",
        "› only right 4 llm_inference",
        "› only right 5 Bash cat x",
        "= 2 events the same",
    ]


def test_json_has_every_row_and_events_name_sessions(tmp_path, capsys):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(story().nested())
    assert main(["compare", "3", f"{path}:24", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [found[side]["session"] for side in ("left", "right")] == [1, 23]
    assert len(found["rows"]) == found["same"] + found["changed"] + found["only_left"] + found["only_right"]
    assert sum(row["left"] is not None for row in found["rows"]) == 20
    assert sum(row["right"] is not None for row in found["rows"]) == 3


@pytest.mark.parametrize("words", [[], ["one"], ["one", "one", "one"], ["1", "2", "3"]])
def test_other_words_than_two_sessions_are_refused(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path(ledger(tmp_path, "one", "ls"))
    assert main(["compare", *words]) == 2
    assert capsys.readouterr().err.startswith("korg-tui: compare takes two sessions")


def test_a_ledger_with_several_sessions_has_to_be_told_apart(tmp_path, capsys):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(story().nested())
    assert main(["compare", str(path), ledger(tmp_path, "one.jsonl", "ls")]) == 2
    said = capsys.readouterr().err
    assert f"has 3 sessions: name one of {path}:1, {path}:22, {path}:23" in said
    assert main(["compare", f"{path}:1", ledger(tmp_path, "two.jsonl", "ls")]) == 0


def test_a_ledger_that_is_not_there_is_named(tmp_path, capsys):
    there = ledger(tmp_path, "one.jsonl", "ls")
    for words in ([there, "nosuch:3"], ["nosuch:3", there]):
        assert main(["compare", *words]) == 2
        assert capsys.readouterr().err == "korg-tui: nosuch:3: no file is called nosuch; check the name\n"
