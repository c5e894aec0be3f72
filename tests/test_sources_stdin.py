"""A ledger from a pipe: reported as it comes, with bodies that can be read again."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

import builders
from korg_tui.event import Malformed
from korg_tui.sources import Grew, Opened, SourceError, State, StdinSource


def book(events: int) -> builders.Book:
    made = builders.Book()
    ask = made.prompt("fix it")
    while len(made.records) < events:
        made.tool("Read", ask)
    return made


@pytest.fixture
def piped() -> Iterator:
    ends: list[int] = []
    writers: list[threading.Thread] = []
    sources: list[StdinSource] = []

    def start(data: bytes) -> StdinSource:
        reading, writing = os.pipe()
        ends.append(reading)

        def write() -> None:
            with suppress(BrokenPipeError), os.fdopen(writing, "wb", buffering=0) as pipe:
                pipe.write(data)

        writers.append(threading.Thread(target=write))
        writers[-1].start()
        sources.append(StdinSource(descriptor=reading))
        return sources[-1]

    yield start
    for source in sources:
        source.close()
    for end in ends:
        os.close(end)
    for writer in writers:
        writer.join()


@pytest.mark.parametrize(
    "data",
    [
        book(300).nested(),
        b"// total events: 300\n" + book(300).nested(),
        book(300).array(),
        b"\xef\xbb\xbf" + book(300).flat(),
        json.dumps({"schema": "korgcert@v1", "events": json.loads(book(300).array())}, indent=1).encode(),
        b"not JSON\n" + book(300).nested(),
        book(300).nested()[:-1],
    ],
    ids=["lines", "wire", "array", "mark", "wrapper", "bad line", "no end"],
)
def test_every_container_comes_through_a_pipe(piped, data):
    source = piped(data)
    facts = list(source.start())
    assert isinstance(facts[0], Opened)
    assert [fact.state for fact in facts if isinstance(fact, State)] == ["ended"]
    records = [record for fact in facts if isinstance(fact, Grew) for record in fact.records]
    events = [record for record in records if not isinstance(record, Malformed)]
    assert [event.seq for event in events] == list(range(1, 301))
    for event in events:
        record = json.loads(source.read(event.offset, event.length))
        assert record["seq_id"] == event.seq
    assert source.poll() == []
    assert source.finish() == []


def test_a_torn_end_is_held_until_someone_asks(piped):
    source = piped(book(3).nested()[:-20])
    list(source.start())
    assert [type(record) for record in source.finish()] == [Malformed]


def test_an_empty_pipe_is_an_empty_ledger(piped):
    facts = list(piped(b"").start())
    assert facts[0] == Opened("empty")


@pytest.mark.parametrize("data", [b"hello\nworld\n", b"{}", b"\x7fELF\x00", b"x" * (2 << 20)])
def test_what_is_no_ledger_is_one_line(piped, data):
    with pytest.raises(SourceError, match="standard input: not a ledger: ") as refusal:
        list(piped(data).start())
    assert refusal.value.exit_code == 3


def test_a_named_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(book(3).nested()))
    writer.start()
    source = StdinSource(path, name=str(path))
    facts = list(source.start())
    writer.join()
    source.close()
    assert [len(fact.records) for fact in facts if isinstance(fact, Grew)] == [3]
