"""Reading a file once: every container and every damage a disk can hold (LEDGERS, Containers)."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import builders
from korg_tui.causal import Journal
from korg_tui.event import Event, Malformed, Record
from korg_tui.formats import decode
from korg_tui.sources import BodyGone, CaughtUp, FileSource, Grew, Opened, Progress, SourceError, State


def example(events: int = 5) -> builders.Book:
    book = builders.Book()
    ask = book.prompt("fix it")
    while len(book.records) < events:
        book.tool("Bash", ask, args={"command": "echo 'a\u2028b\u0085c\rd' # " + "x" * len(book.records)})
    return book


def read(path: Path) -> tuple[list[Record], FileSource]:
    """All records of a file, after checking that the bytes of each are where it says."""
    source = FileSource(path)
    records = [record for fact in source.start() if isinstance(fact, Grew) for record in fact.records]
    for record in records:
        again = decode(source.read(record.offset, record.length), record.offset)
        assert isinstance(record, Malformed) or again == record
    return records, source


def seqs(records: list[Record]) -> list[object]:
    return [record.seq if isinstance(record, Event) else ... for record in records]


def test_lines_an_array_and_a_wrapper_hold_the_same_events(tmp_path):
    book = example()
    events = json.loads(book.array())
    containers = {
        "nested.jsonl": book.nested(),
        "flat.jsonl": book.flat(),
        "windows.jsonl": b"\xef\xbb\xbf" + book.nested().replace(b"\n", b"\r\n"),
        "no-end.jsonl": book.nested().rstrip(b"\n"),
        "notes.jsonl": b"// total events: 5\n\n" + book.nested().replace(b"\n", b"\n\n// note\n"),
        "lines.json": book.nested(),
        "array.jsonl": book.array(),
        "array": b"\xef\xbb\xbf" + json.dumps(events).encode(),
        "certificate.json": json.dumps({"schema": "korgcert@v1", "events": events}, indent=2).encode(),
        "capabilities.json": json.dumps({"nodes": [], "active_states": {}, "events": events}).encode(),
    }
    for name, data in containers.items():
        (tmp_path / name).write_bytes(data)
        records, source = read(tmp_path / name)
        assert seqs(records) == [1, 2, 3, 4, 5], name
        assert source.finish() == [], name
        source.close()


def test_the_facts_of_a_small_file(tmp_path):
    path = tmp_path / "ledger"
    path.write_bytes(b"// total events: 40\n" + example(2).nested())
    source = FileSource(path)
    first, second, third = source.start()
    assert first == Opened("wire", (("total", "40"),))
    assert isinstance(second, Grew)
    assert third == CaughtUp()
    assert source.poll() == []
    source.close()


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b"[]", b"[ \n]", b"// total events: 0\n"])
def test_an_empty_ledger_is_a_ledger(tmp_path, data):
    (tmp_path / "ledger").write_bytes(data)
    source = FileSource(tmp_path / "ledger")
    facts = list(source.start())
    assert isinstance(facts[0], Opened)
    assert facts[1:] == [CaughtUp()]
    source.close()


def test_a_line_is_split_at_line_feeds_only(tmp_path):
    line = '{"seq_id": 1, "tool_name": "Read", "args": {"a": "x\u2028y\u0085z\x7f"}}'.encode()
    (tmp_path / "ledger").write_bytes(line + b"\r" + b"\n")
    records, source = read(tmp_path / "ledger")
    assert seqs(records) == [1]
    assert source.read(records[0].offset, records[0].length) == line
    source.close()


def test_malformed_lines_are_records_with_their_place(tmp_path):
    first, second, *_ = example().nested().split(b"\n")
    bad = [b"rubbish", b'{"no": "event"}', b"\xff\xfe\x00", b'{"seq_id": "one", "tool_name": "x"}']
    (tmp_path / "ledger").write_bytes(b"\n".join([first, *bad, second, b""]))
    records, source = read(tmp_path / "ledger")
    assert seqs(records) == [1, ..., ..., ..., ..., 2]
    found = [source.read(record.offset, record.length) for record in records[1:-1]]
    assert found == bad
    source.close()


def test_a_torn_last_line_is_held_until_someone_asks(tmp_path):
    data = example().nested()
    (tmp_path / "ledger").write_bytes(data[:-40])
    records, source = read(tmp_path / "ledger")
    assert seqs(records) == [1, 2, 3, 4]
    assert source.unfinished == len(data) - 40 - records[-1].offset - records[-1].length - 1
    (torn,) = source.finish()
    assert isinstance(torn, Malformed)
    assert source.read(torn.offset, torn.length) == data[torn.offset : -40]
    assert (source.finish(), source.unfinished) == ([], 0)
    source.close()


def test_an_array_that_is_cut_off_gives_its_whole_elements(tmp_path):
    (tmp_path / "ledger").write_bytes(example().array()[:-400])
    records, source = read(tmp_path / "ledger")
    assert seqs(records) == [1, 2, 3, 4]
    assert [type(record) for record in source.finish()] == [Malformed]
    source.close()


def test_a_damaged_element_costs_only_itself(tmp_path):
    data = example().array().replace(b'"seq_id": 3,', b'"seq_id": 3', 1)
    (tmp_path / "ledger").write_bytes(data)
    records, source = read(tmp_path / "ledger")
    assert seqs(records) == [1, 2, ..., 4, 5]
    assert source.finish() == []
    source.close()


def test_an_element_that_is_no_event_is_a_malformed_record(tmp_path):
    (tmp_path / "ledger").write_bytes(b"[7, " + example(2).array()[1:])
    records, source = read(tmp_path / "ledger")
    assert seqs(records) == [..., 1, 2]
    source.close()


def test_a_line_of_5_megabytes(tmp_path):
    book = example(2)
    book.tool("Read", 1, result={"text": "y" * 5_000_000})
    book.tool("Read", 1)
    (tmp_path / "ledger").write_bytes(book.nested())
    records, source = read(tmp_path / "ledger")
    assert seqs(records) == [1, 2, 3, 4]
    assert records[2].length > 5_000_000
    source.close()


@pytest.mark.parametrize("container", ["nested", "array"])
def test_many_records_come_in_batches(tmp_path, container):
    records = [{"seq_id": seq, "tool_name": "Read", "args": {"pad": "x" * 100}} for seq in range(1, 5001)]
    data = builders.lines(records) if container == "nested" else json.dumps(records).encode()
    (tmp_path / "ledger").write_bytes(data)
    source = FileSource(tmp_path / "ledger")
    facts = list(source.start())
    grew = [fact for fact in facts if isinstance(fact, Grew)]
    assert max(len(fact.records) for fact in grew) <= 2000
    assert [record.seq for fact in grew for record in fact.records] == list(range(1, 5001))
    progress = [fact.done for fact in facts if isinstance(fact, Progress)]
    assert progress == sorted(progress)
    source.close()


def test_a_wrapper_whose_events_come_late(tmp_path):
    wrapper = {"nodes": ["n" * 1000] * 1500, "events": json.loads(example().array())}
    (tmp_path / "ledger").write_text(json.dumps(wrapper))
    records, source = read(tmp_path / "ledger")
    assert seqs(records) == [1, 2, 3, 4, 5]
    source.close()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "no such file; check the name"),
        (lambda path: path.mkdir(), "is a folder"),
        (lambda path: path.write_bytes(b"\x7fELF\x00" * 100), "not a ledger: it is binary"),
        (lambda path: path.write_text("# README\n"), "not a ledger: it is text without a Korg event"),
        (lambda path: path.write_text('{"type": "x"}\n'), "not a ledger: it is JSON without a Korg event"),
        (lambda path: path.symlink_to(path), "circle"),
    ],
)
def test_what_cannot_be_read_is_one_line_with_an_exit_code(tmp_path, make, words):
    path = tmp_path / "thing"
    make(path)
    with pytest.raises(SourceError) as refusal:
        list(FileSource(path).start())
    assert words in refusal.value.text
    assert refusal.value.text.startswith(f"{path}: ")
    assert "\n" not in refusal.value.text
    assert refusal.value.exit_code == 3


def test_no_permission_is_one_line(tmp_path, monkeypatch):
    (tmp_path / "ledger").write_bytes(example().nested())

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(SourceError, match="no permission to read it; change its permissions"):
        list(FileSource(tmp_path / "ledger").start())


def test_a_file_that_is_waited_for_is_a_state(tmp_path):
    source = FileSource(tmp_path / "later", wait=True, clock=lambda: 5_000_000)
    (fact,) = source.start()
    assert fact == State("waiting", f"{tmp_path}/later is not there yet; it is read as soon as it appears", 5)
    with pytest.raises(BodyGone):
        source.read(0, 1)
    source.close()


def test_nothing_is_written_beside_the_ledger(tmp_path):
    path = tmp_path / "ledger"
    path.write_bytes(example().nested())
    tmp_path.chmod(0o555)
    before = path.stat()
    source = FileSource(path)
    list(source.start())
    source.poll()
    source.close()
    tmp_path.chmod(0o755)
    assert list(tmp_path.iterdir()) == [path]
    assert (path.stat().st_mtime_ns, path.stat().st_size) == (before.st_mtime_ns, before.st_size)


DAMAGED = st.lists(
    st.sampled_from(
        [
            *example().nested().split(b"\n")[:-1],
            *example().flat().split(b"\n")[:-1],
            b"// note",
            b"",
            b"\r",
            b"rubbish",
            b'{"seq_id": 9, "tool_name": "x", "args": {"y',
            b'{"seq_id": "bad"}',
            b"\xff\x00",
        ]
    ),
    min_size=1,
    max_size=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(data=st.data(), pieces=DAMAGED, glue=st.sampled_from([b"\n", b"\r\n", b""]))
def test_read_in_any_appends_equals_read_whole(tmp_path, data, pieces, glue):
    """Whatever is appended, and however it is torn, the records are those of one reading."""
    head = example(1).nested()
    whole = head + glue.join(pieces)
    cuts = sorted(data.draw(st.sets(st.integers(len(head), len(whole)), max_size=6)))
    path = tmp_path / "ledger"
    path.write_bytes(whole)
    expected, source = read(path)
    expected += source.finish()
    source.close()

    path.write_bytes(head)
    records, source = read(path)
    for begin, end in zip([len(head), *cuts], [*cuts, len(whole)], strict=True):
        with path.open("ab") as file:
            file.write(whole[begin:end])
        for fact in source.poll():
            assert isinstance(fact, Grew)
            records += fact.records
    records += source.finish()
    source.close()
    assert records == expected


def reasons(records: list[Record]) -> list[str]:
    return [record.reason for record in records if isinstance(record, Malformed)]


@pytest.mark.parametrize("worthless", [b"1", b"{x", b"{}", b' "a" ', b"\xff"])
def test_a_long_run_of_lines_that_are_no_events_is_one_record(tmp_path, worthless):
    path = tmp_path / "ledger"
    lines = example().nested().splitlines(keepends=True)
    many = 150_000
    path.write_bytes(lines[0] + (worthless + b"\n") * many + b"".join(lines[1:]) + worthless + b"\n")
    records, source = read(path)
    assert [seq for seq in seqs(records) if seq is not ...] == [1, 2, 3, 4, 5]
    assert len(records) < 1_100
    spans = [record for record in records if record.length > 9 and isinstance(record, Malformed)]
    folded = [int(span.reason.split()[0].replace(",", "")) for span in spans]
    assert sum(folded) == many - 1_000
    for before, after in itertools.pairwise(records):
        assert before.offset + before.length <= after.offset
    source.close()


def test_events_between_worthless_lines_are_all_read_and_rows_stay_few(tmp_path):
    path = tmp_path / "ledger"
    event = example(1).nested()
    path.write_bytes((event + b"1\n" * 1_000) * 30)
    records, source = read(path)
    assert sum(isinstance(record, Event) for record in records) == 30
    assert len(records) < 1_400
    source.close()


def test_an_event_after_a_run_is_read_however_its_keys_are_written(tmp_path):
    path = tmp_path / "ledger"
    odd = b'{"\\u0073eq_id": 2, "tool_name": "x"}\n'
    path.write_bytes(example(1).nested() + b"1\n" * 5_000 + odd)
    records, source = read(path)
    assert [seq for seq in seqs(records) if seq is not ...] == [1, 2]
    source.close()


@pytest.mark.parametrize("end", [b"]", b"", b",{"])
def test_a_long_run_in_an_array_is_one_record(tmp_path, end):
    path = tmp_path / "ledger"
    first, second = example(2).nested().splitlines()
    path.write_bytes(b"[" + first + b",1" * 50_000 + b"," + second + end)
    records, source = read(path)
    assert [seq for seq in seqs(records) if seq is not ...] == [1, 2]
    assert reasons(records)[-1].startswith("49,000 records in a row that are no events")
    source.close()


def malformed(records: list[Record]) -> list[str]:
    return [record.reason for record in records if isinstance(record, Malformed)]


@pytest.mark.parametrize(
    ("around", "word"), [((b"", b""), "array"), ((b'{"events": ', b"}"), "wrapper")], ids=["array", "wrapper"]
)
@pytest.mark.parametrize(
    ("rest", "looks"),
    [(b"\n7", ""), (b"x\n", ""), (example(2).nested(), ", and looks like 2 events: not of this ledger")],
)
def test_what_stands_behind_the_end_is_told(tmp_path, around, word, rest, looks):
    whole = example().array().join(around)
    (tmp_path / "ledger").write_bytes(whole + rest)
    records, _ = read(tmp_path / "ledger")
    assert [record.seq for record in records if isinstance(record, Event)] == [1, 2, 3, 4, 5]
    assert malformed(records) == [f"stands after the end of the {word}{looks}"]


@pytest.mark.parametrize("between", [b"", b"\n "])
def test_a_missing_comma_is_told_and_both_sides_are_read(tmp_path, between):
    events = example().nested().splitlines()
    data = b"[" + b", ".join(events[:2]) + between + b",".join(events[2:]) + b"]"
    (tmp_path / "ledger").write_bytes(data)
    records, _ = read(tmp_path / "ledger")
    assert [getattr(record, "seq", 0) for record in records] == [1, 2, 0, 3, 4, 5]
    assert "a comma is missing" in malformed(records)[0]


@pytest.mark.parametrize("key", [b'"events"', b'"\\u0065vents"'])
@pytest.mark.parametrize("padding", [0, 2 << 20])
def test_the_last_events_of_a_wrapper_are_read_and_the_others_told(tmp_path, key, padding):
    events = example(2).array() + b', "pad": "' + b"p" * padding + b'"'
    data = b", ".join((b'{"events": ' + events, key + b": " + example().array() + b"}"))
    (tmp_path / "ledger").write_bytes(data)
    records, _ = read(tmp_path / "ledger")
    assert [getattr(record, "seq", 0) for record in records] == [0, 1, 2, 3, 4, 5]
    assert "more than once" in malformed(records)[0]


def test_what_stands_behind_an_array_comes_and_goes_with_the_file(tmp_path):
    path = tmp_path / "ledger"
    path.write_bytes(example(3).array())
    source = FileSource(path, clock=lambda: path.stat().st_mtime_ns + 10**9)
    journal = Journal("ledger")

    def rows(facts):
        for fact in facts:
            journal.apply(fact)
        ledger = journal.ledgers[0]
        return [ledger.seq_at(row) for row in range(len(ledger))]

    assert rows(source.start()) == [1, 2, 3]
    for data, expected in [
        (example(3).array() + b"\nrest and more", [1, 2, 3, None]),
        (example(5).array() + b"\nrest", [1, 2, 3, 4, 5, None]),
        (example(6).array() + b" \n", [1, 2, 3, 4, 5, 6]),
        (example(3).array().replace(b"}, {", b"}{", 1), None),
        (example(4).array(), [1, 2, 3, 4]),
    ]:
        path.write_bytes(data)
        found = rows(source.poll())
        assert expected is None or found == expected
    source.close()


def test_a_rest_behind_an_array_that_is_just_being_written_is_awaited(tmp_path):
    path = tmp_path / "ledger"
    path.write_bytes(example(5).array())
    age = 10**9
    source = FileSource(path, clock=lambda: path.stat().st_mtime_ns + age)
    list(source.start())
    path.write_bytes(example(3).array() + b"\n" + example(5).array()[-300:])
    age = 10**6
    assert source.poll() == []
    assert source.poll_after is not None
    age = 10**9
    assert source.poll() != []
    source.close()
