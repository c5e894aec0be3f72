"""The checklist on small ledgers: what passes, what warns, what fails, and where."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from builders import WORKED_EXAMPLE, Book, ref, table
from checking import IDS, Kept, Shelf, graves, statuses, told, written
from korg_tui.event import SYNTHESIZED_PROMPT
from korg_tui.sources import BlobFound
from korg_tui.trust import Check

LONG = "x" * 1_025


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def checks_of(
    path: Path, book: Book, shelf: Shelf | None = None, since: int | None = None
) -> dict[str, Check]:
    return Kept(path, written(book)).checks(shelf, since)


def round_of(**call: Any) -> Book:
    """A prompt 1, an inference 2, and one call 3."""
    book = Book()
    thought = book.infer(book.prompt())
    book.add("Read", thought, **call)
    return book


def test_a_ledger_as_the_spec_has_it_passes_every_check(path: Path):
    book = round_of(args={"file_path": "a.py"}, result={"content": "x" * 1_024})
    found = checks_of(path, book)
    assert statuses(found) == {}
    assert [found[each].looked_at for each in IDS] == [3, 1, 3, 0, 3, 3, 1, 1]
    assert not any(check.findings for check in found.values())


def test_an_empty_ledger_passes(path: Path):
    path.write_bytes(b"")
    kept = Kept(path, written(round_of())[:0])
    assert [ledger for ledger in kept.reading.journal.ledgers if statuses(kept.checks())] == []


# 6.1


def test_dead_pointers_warn_with_their_state_and_the_words_of_the_screen(path: Path):
    book = table("""
        1 user_prompt    -  human:dusk  prompt="go"
        2 llm_inference  1
        4 Read           3
        5 Bash           .
        6 EffectStarted! 2
        7 Read           6
    """)
    check = checks_of(path, book)["6.1"]
    assert (check.status, check.looked_at) == ("warn", 5)
    assert told(check) == [
        (4, "parent 3 missing: not in the ledger (dead)"),
        (5, "no parent recorded: lost before it was written (orphan)"),
        (7, "parent 6 is a governance event: no agent did it (governance)"),
    ]
    assert {finding.about for finding in check.findings} == {"pointer"}


@pytest.mark.parametrize("parent", ["3", "9", '"2"', "true", "2.0", "[2]", "{}", str(2**70)])
def test_a_parent_that_is_not_earlier_or_no_integer_fails(path: Path, parent: str):
    book = table(f"""
        1 user_prompt    -  human:dusk  prompt="go"
        2 llm_inference  1
        3 Read           {parent}
    """)
    check = checks_of(path, book)["6.1"]
    assert check.status == "fail"
    assert [finding.seq for finding in graves(check)] == [3]


@pytest.mark.parametrize(
    ("above", "within", "fails"),
    [(2, 2, False), (2, 1, True), (None, 2, True), (2, "2", True), (1, True, True), (2**70, 2**70, False)],
)
def test_parents_are_read_from_the_top_and_from_metadata(path: Path, above: Any, within: Any, fails: bool):
    book = round_of()
    book.records[2]["triggered_by"] = above
    book.records[2]["metadata"]["triggered_by"] = within
    check = checks_of(path, book)["6.1"]
    assert any("two parents" in finding.text for finding in graves(check)) is fails


def test_parents_are_found_whatever_their_name_is_written_with(path: Path):
    raw = written(round_of()).replace(b'"metadata":{', b'"trigger\\u0065d\\u005fby":1,"metadata":{')
    found = Kept(path, raw).checks()["6.1"]
    said = "it names two parents: 1 at its top, 2 in its metadata"
    assert (3, said) in told(found)


def test_a_spine_of_five_thousand_inferences_warns_with_its_length(path: Path):
    book = Book()
    thought = book.prompt()
    for _ in range(5_000):
        thought = book.infer(thought)
    found = checks_of(path, book)
    assert statuses(found) == {"6.1": "warn"}
    assert told(found["6.1"]) == [
        (5_001, "its walk to 1 takes 5,000 steps, more than 200: it ends, as long spines do")
    ]


@pytest.mark.parametrize(("thoughts", "status"), [(200, "pass"), (201, "warn")])
def test_two_hundred_steps_are_not_too_many(path: Path, thoughts: int, status: str):
    book = Book()
    thought = book.prompt()
    for _ in range(thoughts):
        thought = book.infer(thought)
    assert checks_of(path, book)["6.1"].status == status


# 6.2, 7.6


def test_a_root_without_children_fails_unless_it_is_the_newest(path: Path):
    book = Book()
    book.prompt("nobody answered")
    book.infer(book.prompt("go"))
    check = checks_of(path, book)["6.2"]
    assert (check.status, told(check)) == ("fail", [(1, "nothing hangs from this root")])
    book.prompt("just now")
    said = told(checks_of(path, book)["6.2"])
    assert said[1:] == [(4, "nothing hangs from this root yet: it is the newest")]


def test_only_the_newest_root_warns(path: Path):
    book = Book()
    book.infer(book.prompt("go"))
    book.prompt("just now")
    check = checks_of(path, book)["6.2"]
    assert (check.status, [finding.seq for finding in check.findings]) == ("warn", [3])


def test_sessions_without_a_root_are_partial_or_malformed_and_say_why(path: Path):
    book = table("""
        1 user_prompt    -  human:dusk  prompt="go"
        2 llm_inference  1
        4 llm_inference  3
        5 Read           5
    """)
    check = checks_of(path, book)["7.6"]
    assert (check.status, check.looked_at) == ("fail", 3)
    assert told(check) == [
        (4, "its session is partial, without a root: parent 3 missing: not in the ledger"),
        (5, "its session is malformed, without a root: parent 5 cannot be: this event itself"),
    ]
    assert [finding.grave for finding in check.findings] == [False, True]


def test_a_partial_session_alone_warns(path: Path):
    found = checks_of(path, table("1 user_prompt - human:dusk\n2 llm_inference 1\n4 llm_inference 3"))
    assert statuses(found) == {"6.1": "warn", "7.6": "warn"}


def test_a_synthesized_root_is_told_on_a_pass(path: Path):
    book = Book()
    book.infer(book.prompt(SYNTHESIZED_PROMPT))
    check = checks_of(path, book)["7.6"]
    assert (check.status, [finding.seq for finding in check.findings]) == ("pass", [1])
    assert "synthesized" in check.findings[0].text


def test_bookkeeping_needs_no_root_and_what_an_agent_did_from_it_does(path: Path):
    book = Book()
    start = book.note(tool="session_start")
    book.note(tool="hook.post")
    book.infer(book.prompt())
    check = checks_of(path, book)["7.6"]
    assert check.status == "pass"
    said = "bookkeeping that no prompt caused: it has no root, and needs none; so 2 times"
    assert told(check) == [(1, said)]
    book.infer(start)
    check = checks_of(path, book)["7.6"]
    assert (check.status, graves(check)[0].seq) == ("fail", 1)
    assert graves(check)[0].text == "its session has no root: it begins with bookkeeping, and 5 is none"


def test_a_malformed_line_fails_with_its_place_and_a_torn_last_one_warns(path: Path):
    lines = written(round_of()).splitlines(keepends=True)
    spoilt = b"".join([lines[0], b'{"seq_id": nope}\n', *lines[1:]])
    check = Kept(path, spoilt).checks()["7.6"]
    (finding,) = check.findings
    assert (check.status, finding.seq, finding.offset) == ("fail", None, len(lines[0]))
    assert (finding.about, finding.text.startswith(f"the line at byte {len(lines[0]):,} is no event: ")) == (
        "line", True,
    )  # fmt: skip

    torn = b"".join(lines) + lines[2][:40]
    check = Kept(path, torn, ended=True).checks()["7.6"]
    assert check.status == "warn"
    assert told(check)[0][1].endswith("is torn, the last one: its rest was not written")
    check = Kept(path, torn + b"\n", ended=True).checks()["7.6"]
    assert check.status == "fail", "a line feed follows, so no one will write the rest"


# 6.5, 6.6


@pytest.mark.parametrize(
    ("actor", "status"),
    [
        ("agent:k@1", "pass"),
        ("human:dusk", "pass"),
        ("korg:replay", "pass"),
        ("mcp:github", "pass"),
        ("import:okto@0.1.0", "pass"),
        ("agent:claude-code/sub-toolu_01@2.1", "pass"),
        ("agent:k", "warn"),
        ("agent:k@", "warn"),
        ("agent:@1", "warn"),
        ("import:okto", "warn"),
        ("agent:", "fail"),
        ("human:", "fail"),
        ("Agent:k@1", "fail"),
        ("robot:k@1", "fail"),
        ("agentk@1", "fail"),
        (" agent:k@1", "fail"),
        ("", "fail"),
    ],
)
def test_actors_begin_as_the_spec_has_it(path: Path, actor: str, status: str):
    check = checks_of(path, round_of(by=actor))["6.5"]
    assert check.status == status
    assert {finding.seq for finding in check.findings} == (set() if status == "pass" else {3})


def test_one_finding_per_actor_and_per_schema(path: Path):
    book = Book()
    ask = book.prompt()
    for _ in range(4):
        book.infer(ask, by="robot")
    for record in book.records[:3]:
        record["schema_version"] = "0.9"
    book.governance()
    assert told(checks_of(path, book)["6.5"]) == [
        (1, "schema_version is 0.9, and the frozen one is 1.0; so in 3 events"),
        (2, "its actor robot does not begin with agent:, human:, korg:, mcp: or import:; so in 4 events"),
    ]


@pytest.mark.parametrize(
    ("count", "walk", "index"),
    [(100, "pass", "pass"), (101, "warn", "pass"), (501, "warn", "warn"), (5_001, "warn", "fail")],
)
def test_without_an_index_large_ledgers_are_warned_of(path: Path, count: int, walk: str, index: str):
    book = Book()
    ask = book.prompt()
    for _ in range(count - 1):
        book.tool("Read", ask)
    kept = Kept(path, written(book))
    found = {check.check: check.status for check in kept.looking(indexed=False).checks()}
    assert (found["6.2"], found["6.6"]) == (walk, index)
    assert statuses(kept.checks()) == {}, "this program has one"


# 2a


def test_an_inference_that_hangs_from_a_call_is_off_its_spine(path: Path):
    book = table("""
        1 user_prompt    -  human:dusk  prompt="go"
        2 llm_inference  1
        3 Edit           2
        4 llm_inference  3
        5 llm_inference  2
    """)
    check = checks_of(path, book)["2a"]
    assert (check.status, check.looked_at) == ("fail", 3)
    assert told(check) == [
        (4, "it hangs from the call 3 (Edit), not from the inference 2: calls are never on the spine"),
        (5, "it goes on from 2 (llm_inference), not from the inference 4, the newest of its lane"),
    ]


@pytest.mark.parametrize(
    "more",
    [
        "",
        '8 user_prompt 7 human:dusk prompt="and now?"\n9 llm_inference 8 agent:main',
        "8 Read 7 agent:main\n9 llm_inference 8 agent:tee",
        "8 session_start . agent:main\n9 llm_inference 8 agent:main",
    ],
)
def test_other_inferences_are_on_theirs(path: Path, more: str):
    """The worked example of §2b goes on from what a sub-agent returned; a person asks again; another agent
    begins with an inference."""
    assert checks_of(path, table(WORKED_EXAMPLE + more))["2a"].status == "pass"


# since


def test_since_looks_at_what_is_new(path: Path):
    book = table("""
        1 user_prompt    -  robot  prompt="go"
        3 llm_inference  2
        4 Read           3
        5 Read           9
    """)
    book.records[1]["event"]["result"] = {"text": LONG}
    found = checks_of(path, book, since=4)
    assert [found[each].looked_at for each in IDS] == [2, 0, 2, 0, 2, 2, 2, 0]
    assert [finding.seq for finding in found["6.1"].findings] == [5]
    assert statuses(found) == {"6.1": "fail", "7.6": "fail"}
    assert [finding.seq for finding in found["7.6"].findings] == [3, 5], "its session goes on"


def test_a_walk_is_counted_from_its_beginning_whatever_since_says(path: Path):
    book = Book()
    thought = book.prompt()
    for _ in range(300):
        thought = book.infer(thought)
    assert "takes 300 steps" in checks_of(path, book, since=250)["6.1"].findings[0].text


def test_nothing_new_is_nothing_found(path: Path):
    found = checks_of(path, table("1 robot 7\n2 robot 2"), since=100)
    assert (statuses(found), sum(check.looked_at for check in found.values())) == ({}, 0)


# more findings than anybody reads


def test_of_very_many_findings_the_rest_is_counted(path: Path):
    book = Book()
    book.prompt()
    for _ in range(1_500):
        book.tool("Read", 99_999_999)
    check = checks_of(path, book)["6.1"]
    assert (check.status, len(check.findings)) == ("fail", 1_001)
    assert told(check)[-1] == (None, "and 500 more like these")


def test_what_a_blob_says_is_seen_once(path: Path):
    """Arguments that are one blob: it is read once, however many events name it."""
    content = json.dumps({"file_path": "a.py"}).encode()
    sha = hashlib.sha256(content).hexdigest()
    blob = BlobFound(sha, "present", "present", size=len(content), content=content)
    shelf = Shelf({sha: blob}, remote=True)
    book = Book()
    ask = book.prompt()
    for _ in range(30):
        book.tool("Read", ask, args=ref(content))
    found = checks_of(path, book, shelf)
    assert (found["6.3"].status, len(found["6.3"].findings)) == ("fail", 30)
    assert len(shelf.asked) == 2
