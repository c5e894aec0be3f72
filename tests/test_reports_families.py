"""Sub-agents that keep ledgers of their own, as the commands print them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from builders import HUMAN, START_MS, Book
from korg_tui.cli import main

HOST, SUB = "agent:coder#parent", "agent:coder#agent-one"


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """A parent of five events, and its sub-agent of three, each in a file of its own."""
    book = Book(step_ms=10_000)
    ask = book.prompt("Find the callers", by=HUMAN)
    think = book.infer(ask, by=HOST)
    book.tool("Read", think, by=HOST)
    book.spawn(think, "Look for callers", by=HOST, result={"output": "Two.\nagentId: one (go on)"})
    book.infer(think, by=HOST)
    sub = Book(step_ms=2_000, now_ms=START_MS + 21_000)
    think = sub.infer(sub.prompt("Look for callers", by=SUB), by=SUB)
    sub.tool("Write", think, by=SUB, args={"file_path": "notes.md", "content": "two"})
    folder = tmp_path / "sessions"
    folder.mkdir()
    (folder / "parent.jsonl").write_bytes(book.nested())
    (folder / "agent-one.jsonl").write_bytes(sub.nested())
    return folder


@pytest.fixture(params=["parent.jsonl", "."])
def source(request: pytest.FixtureRequest, sessions: Path) -> str:
    """The parent's file alone, whose sub-agent lies beside it; and the folder of both."""
    return str(sessions / request.param)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "46116860184" not in out.replace(",", ""), "a key of the model is nobody's business"
    return out


def documents(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    return json.loads(run(capsys, *words, "--json"))


def test_there_is_one_session_and_it_counts_both(capsys: pytest.CaptureFixture[str], source: str) -> None:
    (session,) = documents(capsys, "sessions", source)
    assert session["ledger"].endswith("parent.jsonl")
    assert (session["total_events"], session["lanes"], session["last_seq"]) == (8, 2, 5)
    assert session["agents"] == [HOST, SUB]


def test_the_lane_names_its_ledger_with_every_event(capsys: pytest.CaptureFixture[str], source: str) -> None:
    main_lane, lane = documents(capsys, "lanes", source)["lanes"]
    assert main_lane["events"] == [1, 2, 3, 4, 5]
    assert [event.rpartition("/")[2] for event in lane["events"]] == [
        "agent-one.jsonl:1", "agent-one.jsonl:2", "agent-one.jsonl:3",
    ]  # fmt: skip
    assert (lane["fork"], lane["actor"]) == (2, SUB)
    assert lane["links"] == [{"call": 4, "certain": True, "basis": "declared"}]


def test_a_rewind_in_one_ledger_reaches_the_other(capsys: pytest.CaptureFixture[str], source: str) -> None:
    found = documents(capsys, "rewind", "agent-one.jsonl:2", source)
    assert found["target"].endswith("agent-one.jsonl:2")
    (written, *rest) = found["invalidated"]
    assert written.endswith("agent-one.jsonl:3") and rest == [4, 5]
    assert found["files"] == [{"path": "notes.md", "seqs": [written]}]
    assert (found["rules"]["5"], found["why"]["5"]) == ([4], [[4, 5]])
    assert found["rules"][written] == [1]


def test_what_is_printed_for_people_names_the_other_ledger_in_short(
    capsys: pytest.CaptureFixture[str], source: str
) -> None:
    printed = run(capsys, "rewind", "2", source)
    assert "agent-one:3" in printed and "Write" in printed
    assert "caused by agent-one:2" in printed
    lanes = run(capsys, "lanes", source)
    assert "started by 4 (certain, by declared)" in lanes
    tree = run(capsys, "show", source)
    assert [line.split()[0] for line in tree.splitlines()[1:9]] == ["1", "2", "3", ":1", ":2", ":3", "4", "5"]


def test_an_event_of_the_other_ledger_is_shown_with_its_own_name(
    capsys: pytest.CaptureFixture[str], source: str
) -> None:
    event = documents(capsys, "show", "agent-one.jsonl:2", source)
    assert event["ledger"].endswith("agent-one.jsonl")
    assert (event["seq"], event["parent"], event["lane"], event["actor"]) == (2, 1, 1, SUB)
    details = run(capsys, "show", "agent-one.jsonl:1", source)
    assert "agent-one:1 user_prompt" in details and "keeps its own" in details
    assert "started by: 4 Agent (certain" in details


@pytest.mark.parametrize(
    "name", ["agent-one", "agent-one.jsonl", "sessions/agent-one", "sessions/agent-one.jsonl", "."]
)
def test_the_other_ledger_goes_by_every_name_that_says_which(
    capsys: pytest.CaptureFixture[str], sessions: Path, name: str
) -> None:
    full = str(sessions / "agent-one.jsonl") if name == "." else name
    assert documents(capsys, "show", f"{full}:2", str(sessions))["actor"] == SUB
    assert documents(capsys, "rewind", f"{full}:2", str(sessions))["target"].endswith("agent-one.jsonl:2")
    assert documents(capsys, "show", "parent:2", str(sessions))["actor"] == HOST


def test_a_name_that_two_sub_agents_have_is_not_guessed(
    capsys: pytest.CaptureFixture[str], sessions: Path
) -> None:
    copy = sessions.parent / "copy"
    copy.mkdir()
    for each in sessions.iterdir():
        (copy / each.name).write_bytes(each.read_bytes())
    assert main(["show", "agent-one:2", str(sessions), str(copy)]) == 2
    assert "several ledgers have an event 2: say which one" in capsys.readouterr().err
    assert documents(capsys, "show", "copy/agent-one:2", str(sessions), str(copy))["actor"] == SUB


def test_a_full_name_is_better_than_a_stem(capsys: pytest.CaptureFixture[str], sessions: Path) -> None:
    (sessions / "parent").write_bytes((sessions / "agent-one.jsonl").read_bytes())
    both = (str(sessions / "parent"), str(sessions / "parent.jsonl"))
    assert documents(capsys, "show", "parent:2", *both)["ledger"].endswith("/parent")


def test_a_ledger_that_nobody_has_is_told_with_those_that_are_there(
    capsys: pytest.CaptureFixture[str], source: str
) -> None:
    assert main(["show", "agent-two:2", source]) == 2
    said = capsys.readouterr().err
    assert "no ledger is called agent-two; there are " in said
    assert "parent.jsonl" in said and "agent-one.jsonl" in said


def test_a_number_without_a_ledger_is_one_of_the_parent(
    capsys: pytest.CaptureFixture[str], source: str
) -> None:
    assert documents(capsys, "show", "2", source)["actor"] == HOST


@pytest.mark.parametrize("number", ["9", "-1", "1099511627777"])
def test_an_event_that_is_not_there_is_one_line(
    capsys: pytest.CaptureFixture[str], source: str, number: str
) -> None:
    assert main(["show", f"agent-one.jsonl:{number}", source]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "46116860184" not in said
    assert f"no event {number} in " in said


def test_a_file_that_is_named_and_is_no_ledger_changes_nothing(
    capsys: pytest.CaptureFixture[str], sessions: Path
) -> None:
    (sessions / "agent-one.jsonl").write_text("my diary\n")
    (session,) = documents(capsys, "sessions", str(sessions / "parent.jsonl"))
    assert (session["total_events"], session["lanes"]) == (5, 1)


def test_a_link_out_of_the_folder_is_not_followed(
    capsys: pytest.CaptureFixture[str], sessions: Path
) -> None:
    elsewhere = sessions.parent / "elsewhere.jsonl"
    (sessions / "agent-one.jsonl").rename(elsewhere)
    (sessions / "agent-one.jsonl").symlink_to(elsewhere)
    (session,) = documents(capsys, "sessions", str(sessions / "parent.jsonl"))
    assert session["total_events"] == 5
