"""The details of one event: fields, causes, effects, values, blobs, the raw record."""

from __future__ import annotations

from datetime import timedelta, timezone

import pytest

from builders import WORKED_EXAMPLE, Book, ref
from korg_tui.sources import BlobFound
from korg_tui.views import Line, details
from korg_tui.views.values import CHARACTERS, LINES, arguments, as_json, bounded, raw_lines, result
from looking import Glass, lines_of, titled


@pytest.fixture
def worked() -> Glass:
    return Glass(WORKED_EXAMPLE)


def of(glass: Glass, seq: int):
    return details(glass.ledger, glass.row(seq), glass.read)


def test_fields(worked: Glass):
    assert titled(of(worked, 5), "5 Read") == [
        "kind: tool call",
        "lane: lane 2 sub",
        "session: 1, complete",
        "actor: agent:sub",
        "time: 2026-03-02 14:00:04.000 UTC",
        "took: 0 ms",
        "outcome: succeeded",
        "parent: 4",
        f"record: byte {worked.ledger.offset[4]:,}, {worked.ledger.length[4]} B",
    ]


def test_times_in_another_zone(worked: Glass):
    zone = timezone(timedelta(hours=1), "CET")
    shown = titled(details(worked.ledger, 4, worked.read, zone=zone), "5 Read")
    assert "time: 2026-03-02 15:00:04.000 CET" in shown


def test_links_say_what_they_rest_on(worked: Glass):
    assert "started by: 6 Agent (certain: the same round made both)" in titled(of(worked, 3), "3 user_prompt")
    assert "forks at: 2 in lane 1 main" in titled(of(worked, 3), "3 user_prompt")
    assert "started: lane 2 sub (certain: the same round made both)" in titled(of(worked, 6), "6 Agent")


def test_causes_walk_to_the_root_and_name_what_was_read(worked: Glass):
    assert titled(of(worked, 7), "causes") == [
        "cause: ‹ 6 Agent", "‹ 2 llm_inference", "‹ 1 user_prompt", "read: 6 Agent (sub 2 returned)",
    ]  # fmt: skip
    lines = next(section for section in of(worked, 7) if section.kind == "causes").lines
    assert [line.seq for line in lines] == [6, 2, 1, 6]


def test_the_walk_ends_where_the_ledger_does():
    glass = Glass("1 user_prompt - human:dusk\n9 llm_inference 8\n10 Bash 9")
    assert titled(of(glass, 10), "causes") == [
        "cause: ‹ 9 llm_inference", "parent 8 missing: not in the ledger",
    ]  # fmt: skip


def test_a_long_walk_is_cut_and_leads_on():
    glass = Glass(
        "1 user_prompt - human:dusk\n" + "\n".join(f"{n} llm_inference {n - 1}" for n in range(2, 40))
    )
    causes = titled(of(glass, 39), "causes")
    assert causes[:2] == ["cause: ‹ 38 llm_inference", "‹ 37 llm_inference"]
    assert "… and on to 1, where the walk ends" in causes


def test_effects_are_counted(worked: Glass):
    assert titled(of(worked, 5), "effects: what it carries away") == [
        "certain: 2 events: 1 spawn call, 1 inference", "first: 6 Agent",
    ]  # fmt: skip
    assert titled(of(worked, 7), "effects") == ["nothing later depends on it"]


def test_an_edit_is_a_diff():
    book = Book()
    args = {
        "file_path": "a.py",
        "old_string": "one\ntwo\n",
        "new_string": "one\nthree\n",
        "replace_all": False,
    }
    book.tool("Edit", book.prompt(), args=args, result={"result": "Applied 1 change(s)"})
    sections = of(Glass(book), 2)
    change = next(section for section in sections if section.kind == "diff")
    assert change.title == "change a.py"
    assert [(line.text, line.style) for line in change.lines] == [
        ("@@ -1,3 +1,3 @@", "hunk"), (" one", ""), ("-two", "removed"), ("+three", "added"), (" ", ""),
    ]  # fmt: skip
    assert titled(sections, "arguments") == ["{", '  "replace_all": false', "}"]


def test_terminal_output_is_inert():
    book = Book()
    out = {"stdout": "\x1b[32mok\x1b[0m\ttab\n\x1b]0;title\x07", "stderr": "", "exit_code": 0}
    book.tool("Bash", book.prompt(), args={"command": "make\ntest"}, result=out)
    sections = of(Glass(book), 2)
    assert titled(sections, "command") == ["make", "test"]
    assert titled(sections, "stdout") == ["ok  tab", "␛]0;title␇", "2 colour codes left out"]
    assert titled(sections, "result") == ["{", '  "exit_code": 0', "}"]


def test_blobs_are_named_with_their_state():
    book = Book()
    held = ref("z" * 5_000)
    digest = held["_ref"].removeprefix("sha256:")
    book.tool("Read", book.prompt(), result=held)
    glass = Glass(book)
    found = BlobFound(digest, "missing", "no such blob")
    shown = details(glass.ledger, 1, glass.read, blobs=lambda sha: found)
    assert titled(shown, "blobs") == [f"{digest} missing"]
    assert titled(of(glass, 2), "blobs") == [digest]


def test_a_malformed_line_and_a_lost_record():
    glass = Glass("1 user_prompt - human:dusk")
    glass.grow(b'{"seq_id": \x1b\n')
    sections = details(glass.ledger, 1, glass.read)
    assert [section.kind for section in sections] == ["fields", "raw"]
    assert lines_of(sections[1]) == ['{"seq_id": ␛']
    glass.lost = True
    assert titled(of(glass, 1), "record") == ["not readable: the file is gone"]


def test_a_governance_event_shows_its_fields():
    book = Book()
    book.prompt()
    book.governance("LedgerRewind", 1, target_seq_id=1)
    sections = of(Glass(book), 2)
    assert "names: 1" in titled(sections, "2 LedgerRewind")
    assert '  "target_seq_id": 1,' in titled(sections, "event")


# --- values, bounded


def test_a_long_value_says_how_much_is_left_out():
    assert bounded("a\nb\nc") == [Line("a"), Line("b"), Line("c")]
    many = bounded("\n".join(map(str, range(LINES + 1))))
    assert (len(many), many[-1]) == (LINES + 1, Line("… 4 B more, not shown", "note"))
    assert bounded("x" * 5_000_000)[-1].text == "… 4.9 MB more, not shown"
    assert sum(len(line.text) for line in bounded("x" * 5_000_000)) < CHARACTERS


def test_json_is_shortened_in_depth_breadth_and_length():
    deep: list[object] = []
    for _ in range(60):
        deep = [deep]
    shown = [line.text for line in as_json({"deep": deep, "wide": list(range(500)), "long": "y" * 9_000})]
    assert any("1 item deeper down, not shown" in line for line in shown)
    assert len(shown) == LINES + 1
    wide = [line.text for line in as_json({"wide": {str(n): n for n in range(500)}})]
    assert wide[-1].endswith("more, not shown")
    assert '  "long": "' + "y" * 8_150 in as_json({"long": "y" * 9_000})[1].text


def test_numbers_that_json_does_not_have_and_lone_surrogates_are_shown():
    assert [line.text for line in as_json([float("inf"), 2**70, "\ud800"])] == [
        "[", "  Infinity,", "  1180591620717411303424,", '  "�"', "]",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "args", "titles"),
    [
        ("Write", {"file_path": "a", "content": "x"}, ["written a"]),
        ("MultiEdit", {"file_path": "a", "edits": [{"old_string": "1", "new_string": "2"}]}, ["change a"]),
        ("apply_patch", "*** Add File: a\n+x", ["patch"]),
        ("apply_patch", {"patch": "+x", "strict": True}, ["patch", "arguments"]),
        ("Bash", {"command": "ls", "timeout": 5}, ["command", "arguments"]),
        ("Read", {"file_path": "a"}, ["arguments"]),
        ("Write", ref("x"), ["arguments"]),
        ("Write", {"file_path": "a", "content": ref("x")}, ["arguments"]),
        ("Edit", "text", ["arguments"]),
        ("Read", {}, []),
        ("Read", None, []),
    ],
)
def test_how_arguments_are_shown(tool: str, args: object, titles: list[str]):
    assert [section.title for section in arguments(tool, args)] == titles


@pytest.mark.parametrize(
    ("tool", "value", "shapes"),
    [
        ("Read", "text", ["text"]),
        ("Bash", "text", ["terminal"]),
        ("Bash", {"stdout": "a", "stderr": "b", "exit_code": 1}, ["terminal", "terminal", "json"]),
        ("llm_inference", {"text": "hi", "tokens": 3}, ["text", "json"]),
        ("Read", {"ok": True}, ["json"]),
        ("Read", ref("x"), ["json"]),
        ("Read", ["a"], ["json"]),
        ("Read", {}, []),
    ],
)
def test_how_results_are_shown(tool: str, value: object, shapes: list[str]):
    assert [section.kind for section in result(tool, value, failed=False)] == shapes


def test_the_text_of_a_failed_call_is_an_error():
    assert result("Read", "no such file", failed=True)[0].lines == (Line("no such file", "error"),)


def test_the_raw_record_is_as_found_and_bounded():
    assert [line.text for line in raw_lines(b'{"a":"\xff\x1b"}', 9)] == ['{"a":"\\xff␛"}']
    long = raw_lines(b"x" * CHARACTERS, 5_000_000)
    assert long[-1].text == "… 4.9 MB more, not shown"
