"""The checklist on what records hold: values, paths, blobs; whatever a hostile ledger has written there."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from builders import Book, ref
from checking import Kept, Shelf, graves, look, statuses, told, written
from korg_tui.sources import BlobFound
from korg_tui.trust import Check

SHA = hashlib.sha256(b"gone").hexdigest()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def of_call(path: Path, shelf: Shelf | None = None, **call: Any) -> dict[str, Check]:
    """The checks of a prompt, an inference, and one call 3."""
    book = Book()
    book.tool("Read", book.infer(book.prompt()), **call)
    return Kept(path, written(book)).checks(shelf)


def present(content: bytes, **more: Any) -> Shelf:
    sha = hashlib.sha256(content).hexdigest()
    return Shelf({sha: BlobFound(sha, "present", "present", size=len(content), content=content)}, **more)


# 6.3


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ("x" * 1_024, 0),
        ("x" * 1_025, 1_025),
        ("é" * 512, 0),
        ("é" * 513, 1_026),
        ({"text": "x" * 1_013}, 0),
        ({"text": "x" * 1_014}, 1_025),
        (["é" * 171], 1_030),
        (10**1_100, 1_101),
        (1.5, 0),
    ],
)
def test_values_are_measured_in_canonical_bytes(path: Path, value: Any, count: int):
    """Text by its own bytes, everything else as compact JSON in ASCII (§7.2)."""
    check = of_call(path, result={"out": value})["6.3"]
    assert check.status == ("fail" if count else "pass")
    assert [f"{count:,} bytes" in text for _, text in told(check)] == ([True] if count else [])


def test_a_long_value_is_named_down_to_where_its_length_comes_from(path: Path):
    value = {"parts": ["short", {"text": "x" * 2_000}]}
    (finding,) = of_call(path, args={"input": value})["6.3"].findings
    assert finding.text.startswith("args.input.parts[1].text has ")
    assert (finding.seq, finding.grave) == (3, True)


def test_a_result_that_is_text_is_a_value(path: Path):
    assert told(of_call(path, result="x" * 2_000)["6.3"]) == [
        (3, "result has 2,000 bytes in the event, more than 1,024")
    ]


@pytest.mark.parametrize("name", ["file_path", "path", "filepath"])
@pytest.mark.parametrize("value", [ref("a.py"), "sha256:" + SHA, {"_ref": 5}])
def test_a_path_stands_in_the_event_as_it_is(path: Path, name: str, value: Any):
    check = of_call(path, args={name: value})["6.3"]
    assert told(check) == [(3, f"args.{name} is a reference to a blob: a path stands in the event as it is")]


@pytest.mark.parametrize("value", ["a.py", "sha256:abc", SHA, 5, None, ["a"]])
def test_other_paths_are_no_references(path: Path, value: Any):
    assert of_call(path, args={"path": value})["6.3"].status == "pass"


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b'{"file_path": "src/a.py"}', "fail"),
        (b'{"command": "make"}', "pass"),
        (b"[1, 2]", "pass"),
        (b"no json", "pass"),
        (b'{"path": 5}', "pass"),
    ],
)
def test_arguments_that_are_one_blob_are_looked_into(path: Path, content: bytes, status: str):
    found = of_call(path, present(content), args=ref(content))
    assert (found["6.3"].status, found["6.4"].status) == (status, "pass")


def test_of_arguments_whose_blob_is_missing_nothing_can_be_told(path: Path):
    found = of_call(path, Shelf(), args=ref("gone"))
    assert statuses(found) == {"6.3": "warn", "6.4": "fail"}
    assert "cannot be told" in found["6.3"].findings[0].text


# 6.4


def test_blobs_are_verified_where_they_lie(path: Path):
    for name, content in (("right", b"right"), ("wrong", b"another"), ("long", b"long")):
        sha = hashlib.sha256(name.encode()).hexdigest()
        (path.parent / "blobs" / sha[:2]).mkdir(parents=True, exist_ok=True)
        (path.parent / "blobs" / sha[:2] / sha).write_bytes(content)
    book = Book()
    ask = book.prompt()
    for name in ("right", "wrong", "gone"):
        book.tool("Read", ask, result={"out": ref(name)})
    book.tool("Read", ask, result={"out": {**ref("long"), "size_bytes": 9}})
    check = Kept(path, written(book)).checks()["6.4"]
    assert (check.status, check.looked_at) == ("fail", 4)
    assert [finding.seq for finding in graves(check)] == [3, 4, 5]
    assert told(check)[2][1].endswith("has 4 bytes, and the event says 9")
    assert str(path.parent / "blobs") in told(check)[1][1], "it says where it was looked for"
    assert {finding.about for finding in check.findings} == {"blob"}


@pytest.mark.parametrize(
    ("state", "status"),
    [
        ("missing", "fail"),
        ("wrong", "fail"),
        ("unreadable", "fail"),
        ("too big", "warn"),
        ("not fetched", "warn"),
    ],
)
def test_a_blob_that_nobody_looked_into_only_warns(path: Path, state: str, status: str):
    shelf = Shelf({SHA: BlobFound(SHA, state, f"{state}: http://host/api/blob/{SHA}")}, remote=True)
    check = of_call(path, shelf, result={"out": ref("gone")})["6.4"]
    assert check.status == status
    assert "http://host/api/blob/" in check.findings[0].text
    assert shelf.asked == [(SHA, False)], "nothing large is fetched unasked"


def test_each_blob_is_one_finding_and_is_looked_for_once(path: Path):
    book = Book()
    ask = book.prompt()
    for _ in range(50):
        book.tool("Read", ask, result={"out": ref("gone")}, payload_refs=[{"sha256": SHA, "size_bytes": 4}])
    shelf = Shelf()
    (finding,) = Kept(path, written(book)).checks(shelf)["6.4"].findings
    assert (finding.seq, finding.text.endswith("; 50 events name it")) == (2, True)
    assert len(shelf.asked) == 1


@pytest.mark.parametrize("name", ["sha256:", "sha256:ABC", "sha256:" + "G" * 64, "sha256:../../etc/passwd"])
def test_a_reference_that_names_no_blob_fails(path: Path, name: str):
    check = of_call(path, Shelf(), result={"out": {"_ref": name, "size_bytes": 1}})["6.4"]
    assert (check.status, told(check)[0][1].endswith("is no name of a blob")) == ("fail", True)


@pytest.mark.parametrize("name", ["main", 5, None, ["x"], {"_ref": None}])
def test_what_only_looks_like_a_reference_is_none(path: Path, name: Any):
    found = of_call(path, Shelf(), result={"out": {"_ref": name}})
    assert (found["6.4"].status, found["6.4"].looked_at) == ("pass", 0)


def test_a_digest_that_is_only_told_of_warns(path: Path):
    check = of_call(path, Shelf(), result={"original_sha256": SHA})["6.4"]
    assert check.status == "warn"
    assert "told of" in check.findings[0].text


# whatever stands there


DEEP = json.loads("[" * 300 + "]" * 300)


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        "\ud800" * 2_000,
        DEEP,
        2**4_000,
        {"\ud800": "x" * 2_000},
        "x" * (1 << 20),
        {},
    ],
)
def test_hostile_values_are_looked_at_like_others(path: Path, value: Any):
    book = Book()
    ask = book.prompt()
    book.tool("Read", ask, args={"path": value}, result=value, payload_refs=[value, {"sha256": value}])
    book.records[1]["triggered_by"] = value
    kept = Kept(path, written(book))
    found = kept.checks()
    for check in found.values():
        assert all(len(text) < 1_000 and text.isprintable() for _, text in told(check))
    assert found["6.1"].looked_at == 2 - len(list(_malformed(kept)))


def _malformed(kept: Kept) -> list[int]:
    return [row for row in range(len(kept.ledger)) if kept.ledger.reason_at(row)]


def test_very_deep_lines_end_in_a_finding(path: Path):
    deep = b'{"seq_id":2,"schema_version":"1.0","tool_name":"x","source_agent":"agent:a@1","args":'
    deep += b"[" * 50_000 + b"]" * 50_000 + b',"result":{},"triggered_by":1}\n'
    book = Book()
    book.infer(book.prompt())
    found = Kept(path, written(book) + deep).checks()
    assert "7.6" in statuses(found) or "6.3" in statuses(found)


def test_an_actor_of_a_megabyte_is_cut(path: Path):
    check = of_call(path, by="x" * (1 << 20))["6.5"]
    assert len(check.findings[0].text) < 300


# one batch at a time


def test_batches_are_bounded_in_events_and_bytes(path: Path):
    book = Book()
    ask = book.prompt()
    for _ in range(300):
        book.tool("Read", ask, result={"out": "x" * 1_000})
    looking = Kept(path, written(book)).looking()
    batch = looking.batch(events=40)
    assert batch is not None
    assert len(batch.records) == 40
    assert looking.pending == 261
    batch = looking.batch(size=10_000)
    assert batch is not None
    assert sum(record.length for record in batch.records[:-1]) < 10_000


def test_what_is_gone_is_left_out_and_a_rewind_is_looked_at_anew(path: Path):
    book = Book()
    ask = book.prompt()
    for _ in range(20):
        book.tool("Read", 99)
    kept = Kept(path, written(book))
    looking = kept.looking()
    assert look(looking)[0].status == "fail"
    kept.write(written(Book(records=book.records[:1])), "wb")
    assert looking.checks(), "before it is looked at again, too"
    again = Book()
    again.infer(again.prompt("another"))
    kept.write(written(again), "wb")
    assert kept.ledger.seq[0] == ask
    assert {check.check: check for check in look(kept.looking())} == kept.checks()
