"""`follow` over a folder: ledgers that come later are followed, too."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from builders import Book

PATIENCE = "20"
"""Seconds without anything new after which the command ends by itself."""


def put(path: Path, prompt: str) -> None:
    book = Book()
    book.prompt(prompt)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(book.nested())


def prompts(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        told = json.loads(line)
        if told["type"] == "event":
            yield Path(told["ledger"]).name, told["args"]["prompt"]


def test_new_ledgers_of_a_folder_appear(tmp_path: Path) -> None:
    put(tmp_path / "one.jsonl", "first")
    words = [sys.executable, "-m", "korg_tui", "follow", str(tmp_path), "--json", "--until-idle", PATIENCE]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None
        told = prompts(iter(command.stdout.readline, ""))
        assert next(told) == ("one.jsonl", "first")
        put(tmp_path / "deep" / "two.jsonl", "second")
        assert next(told) == ("two.jsonl", "second")
        command.terminate()
        command.communicate(timeout=20)


def test_a_folder_without_a_ledger_is_one_line_and_3(tmp_path: Path) -> None:
    (tmp_path / "README").write_bytes(b"# words\n")
    words = [sys.executable, "-m", "korg_tui", "follow", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert "no ledger in this folder: none of its 1 files holds Korg events" in line


def test_a_line_taken_from_the_middle_is_one_dropped_event_and_nothing_new(tmp_path: Path) -> None:
    path, book = tmp_path / "one.jsonl", Book()
    ask = book.prompt("first")
    for _ in range(6):
        book.infer(ask)
    path.write_bytes(book.nested())
    words = [sys.executable, "-m", "korg_tui", "follow", str(path), "--json", "--until-idle", PATIENCE]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None
        told = (json.loads(line) for line in iter(command.stdout.readline, ""))
        assert next(each["seq"] for each in told if each["type"] == "event" and each["seq"] == 7) == 7
        lines = book.nested().splitlines(keepends=True)
        new = tmp_path / "new.tmp"
        new.write_bytes(b"".join(lines[:4] + lines[5:]))
        new.rename(path)
        rewound = next(each for each in told if each["type"] in ("rewound", "event"))
        assert (rewound["type"], rewound["to"], rewound["dropped"]) == ("rewound", 4, [5])
        book.infer(ask)
        with path.open("ab") as file:
            file.write(book.nested().splitlines(keepends=True)[-1])
        assert next(each["seq"] for each in told if each["type"] == "event") == 8
        command.terminate()
        command.communicate(timeout=20)
