"""`korg-tui stats`: tables for people, JSON for scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from korg_tui.cli import main
from stage import story


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(story().nested())
    return path


def test_json_has_the_numbers_and_null_for_what_is_unknown(ledger, capsys):
    assert main(["stats", str(ledger), "--json"]) == 0
    out = capsys.readouterr().out
    assert out.isascii()
    found = json.loads(out)
    assert (found["events"], found["failed"], found["cost_usd"]) == (24, 1, None)
    bash = next(tool for tool in found["tools"] if tool["name"] == "Bash")
    assert (bash["calls"], bash["failed"], bash["p50_ms"], bash["max_ms"]) == (2, 1, 3820, 4100)
    assert bash["slowest"] == {"ledger": str(ledger), "seq": 18}
    assert found["tokens"] == {"in": None, "out": None, "cached": None, "not_split": None}
    assert found["files"][0] == {
        "path": "notes.md", "writes": 1, "last": {"ledger": str(ledger), "seq": 22},
    }  # fmt: skip


def test_text_is_tables_sorted_as_asked(ledger, capsys):
    assert main(["stats", str(ledger), "--sort", "failed"]) == 0
    out = capsys.readouterr().out.splitlines()
    first = out[next(at for at, line in enumerate(out) if line.startswith("tools (9)")) + 1]
    assert " ".join(first.split()) == "Bash 2 1 (50 %) 7.9 s 4.0 s 3.8 s 4.1 s 4.1 s 4.1 s"
    assert "  tokens: not said · cost: not said" in out


def test_an_event_number_is_refused(ledger, capsys):
    assert main(["stats", "5", str(ledger)]) == 2
    assert capsys.readouterr().err == "korg-tui: stats takes no event number; korg-tui show 5 shows one\n"


def test_an_empty_ledger_is_no_error(tmp_path, capsys):
    path = tmp_path / "journal.jsonl"
    path.touch()
    assert main(["stats", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["events"] == 0
