"""`check`: JSON as it is promised, exit codes for scripts, several ledgers at once, and JUnit for CI."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from builders import WORKED_EXAMPLE, Book, ref, table
from checking import IDS
from korg_tui.cli import main


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("KORG_JOURNAL_PATH", "KORG_HOME", "KORG_URL", "KORG_BLOB_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def say(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    code = main(["check", *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def good() -> Book:
    book = Book()
    book.infer(book.prompt())
    return book


def bad() -> Book:
    """A blob that is not there, and an actor that is none."""
    book = good()
    book.tool("Read", 2, args={"content": ref("gone")}, by="robot")
    return book


def test_one_ledger_is_one_list(place: Path, capsys: pytest.CaptureFixture[str]):
    Path("good.jsonl").write_bytes(good().nested())
    code, found = say(capsys, "good.jsonl")
    assert code == 0
    assert [each["check"] for each in found] == list(IDS)
    assert all(set(each) == {"check", "status", "looked_at", "findings"} for each in found)
    assert {each["status"] for each in found} == {"pass"}


def test_warnings_alone_exit_0_and_failures_1(place: Path, capsys: pytest.CaptureFixture[str]):
    Path("warned.jsonl").write_bytes(table(WORKED_EXAMPLE).nested())
    Path("bad.jsonl").write_bytes(bad().nested())
    code, found = say(capsys, "warned.jsonl")
    assert (code, {each["check"]: each["status"] for each in found}["6.5"]) == (0, "warn")
    assert main(["check", "warned.jsonl"]) == 0
    assert capsys.readouterr().out.startswith("warned.jsonl: 1 of 8 checks warn\n")
    code, found = say(capsys, "bad.jsonl")
    assert (code, [each["check"] for each in found if each["status"] == "fail"]) == (1, ["6.4", "6.5"])
    (finding,) = found[3]["findings"]
    assert set(finding) == {"seq", "text"}
    assert finding["seq"] == 3
    assert "missing" in finding["text"]


def test_a_malformed_line_has_no_seq_and_exits_1(place: Path, capsys: pytest.CaptureFixture[str]):
    Path("spoilt.jsonl").write_bytes(good().nested() + b"{not json}\n")
    code, found = say(capsys, "spoilt.jsonl")
    (finding,) = found[6]["findings"]
    assert (code, finding["seq"]) == (1, None)
    assert f"the line at byte {len(good().nested()):,}" in finding["text"]


def test_a_folder_is_a_list_of_ledgers(place: Path, capsys: pytest.CaptureFixture[str]):
    for name, book in (("a", good()), ("b", bad())):
        (place / "kept").mkdir(exist_ok=True)
        (place / "kept" / f"{name}.jsonl").write_bytes(book.nested())
    code, found = say(capsys, "kept")
    assert code == 1
    assert all(set(each) == {"ledger", "checks"} for each in found)
    assert sorted(Path(each["ledger"]).name for each in found) == ["a.jsonl", "b.jsonl"]
    assert all([check["check"] for check in each["checks"]] == list(IDS) for each in found)


def test_since_looks_at_what_is_new(place: Path, capsys: pytest.CaptureFixture[str]):
    book = bad()
    book.tool("Read", 2)
    Path("bad.jsonl").write_bytes(book.nested())
    code, found = say(capsys, "bad.jsonl", "--since", "4")
    assert (code, found[0]["looked_at"], found[3]["looked_at"]) == (0, 1, 0)


def test_what_cannot_be_read_exits_3_and_wrong_words_2(place: Path, capsys: pytest.CaptureFixture[str]):
    Path("note.txt").write_text("no ledger")
    Path("good.jsonl").write_bytes(good().nested())
    assert main(["check", "nothing.jsonl"]) == 3
    assert main(["check", "note.txt"]) == 3
    assert main(["check", "good.jsonl", "note.txt"]) == 3
    assert "good.jsonl: all 8 checks pass" in capsys.readouterr().out
    assert main(["check", "good.jsonl", "--since", "soon"]) == 2
    assert main(["check", "good.jsonl", "--junit", "good.jsonl"]) == 2
    assert Path("good.jsonl").read_bytes() == good().nested(), "a source is never written over"


def test_junit_has_a_case_per_check(place: Path, capsys: pytest.CaptureFixture[str]):
    book = bad()
    book.tool("Read\x1b[31m", 4, seq=6, by="robot\x07")
    Path("bad.jsonl").write_bytes(book.nested())
    assert main(["check", "bad.jsonl", "--junit", "out.xml"]) == 1
    root = ET.parse("out.xml").getroot()
    (suite,) = root.iter("testsuite")
    cases = list(suite.iter("testcase"))
    assert len(cases) == len(IDS)
    failed = [case.get("name", "").split()[0] for case in cases if case.find("failure") is not None]
    assert failed == ["§6.4", "§6.5"]
    assert (suite.get("tests"), suite.get("failures")) == ("8", "2")
    warned = next(case for case in cases if "§6.1" in case.get("name", ""))
    assert "seq 6  parent 4 missing" in (warned.findtext("system-out") or "")


def test_for_a_person_each_check_is_a_sign_and_a_word(place: Path, capsys: pytest.CaptureFixture[str]):
    Path("bad.jsonl").write_bytes(bad().nested())
    main(["check", "bad.jsonl"])
    said = capsys.readouterr().out
    assert said.startswith("bad.jsonl: 2 of 8 checks fail\n")
    assert "✗ fail  §6.4" in said
    assert "✓ pass  §2a" in said
    assert "seq 3  its actor robot" in said


def test_what_is_not_printed_is_counted(place: Path, capsys: pytest.CaptureFixture[str]):
    book = good()
    for _ in range(25):
        book.tool("Read", 999_999)
    Path("long.jsonl").write_bytes(book.nested())
    main(["check", "long.jsonl"])
    assert "and 5 more; --json lists them" in capsys.readouterr().out
    assert len(say(capsys, "long.jsonl")[1][0]["findings"]) == 25
