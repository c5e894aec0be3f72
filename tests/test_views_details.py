"""The details of one event: fields, causes, effects, values, blobs, the raw record."""

from __future__ import annotations

from datetime import timedelta, timezone

import pytest

from builders import WORKED_EXAMPLE, Book, ref
from korg_tui.sources import BlobFound
from korg_tui.views import details
from korg_tui.views.texts import CHARACTERS
from korg_tui.views.values import raw_lines
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
        "session: 1, complete: it begins with a prompt",
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
        ("lines are counted from where the replaced text begins", "note"),
        ("1  one", ""), ("2 -two", "removed"), ("2 +three", "added"),
    ]  # fmt: skip
    assert titled(sections, "arguments") == ["{", '  "replace_all": false', "}"]


def test_terminal_output_is_inert():
    book = Book()
    out = {"stdout": "\x1b[32mok\x1b[0m\ttab\n\x1b]0;title\x07", "stderr": "", "exit_code": 0}
    book.tool("Bash", book.prompt(), args={"command": "make\ntest"}, result=out)
    sections = of(Glass(book), 2)
    assert titled(sections, "command") == ["make", "test"]
    assert titled(sections, "terminal ✓ exit 0") == ["ok  tab", "␛]0;title␇"]
    assert "result" not in [section.title for section in sections]


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


def test_the_raw_record_is_as_found_and_bounded():
    assert [line.text for line in raw_lines(b'{"a":"\xff\x1b"}', 9)] == ['{"a":"\\xff␛"}']
    long = raw_lines(b"x" * CHARACTERS, 5_000_000)
    assert long[-1].text == "… 4.9 MB more: enter opens it whole"
