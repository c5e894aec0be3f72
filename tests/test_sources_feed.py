"""The feed: one thread that follows a source and posts facts, told of changes or looking for them."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import builders
from korg_tui.sources import Fact, Feed, FileSource, Grew, Pool, Replaced, SourceError, State, StdinSource
from korg_tui.sources.notify import Notify
from korg_tui.sources.watch import Watcher, new_backend

PATIENCE = 20
"""Seconds after which a fact that has to come is given up."""

WATCHERS = {"native": new_backend, "watchfiles": Notify, "none": lambda: None}


def book(events: int, mark: str = "") -> builders.Book:
    made = builders.Book()
    ask = made.prompt("fix it" + mark)
    while len(made.records) < events:
        made.tool("Read", ask)
    return made


class Reader:
    """Collects what a feed posts, in a thread of its own or in one of a pool."""

    def __init__(self, path: Path, watcher: Watcher, pooled: bool) -> None:
        self.path = path
        self.facts: queue.Queue[Fact] = queue.Queue()
        self.threads: set[str] = set()
        self.feed: Feed | Pool
        if pooled:
            self.feed = Pool(watcher=watcher)
            self.feed.add(FileSource(path, wait=True), self.post)
        else:
            self.feed = Feed(FileSource(path, wait=True), self.post, watcher=watcher)
            self.feed.start()

    def post(self, fact: Fact) -> None:
        self.threads.add(threading.current_thread().name)
        self.facts.put(fact)

    def until(self, kind: str) -> list[Fact]:
        """The facts up to the first of this kind (a class name, or the word of a state)."""
        found: list[Fact] = []
        while True:
            fact = self.facts.get(timeout=PATIENCE)
            found.append(fact)
            if kind in (type(fact).__name__, getattr(fact, "state", "")):
                return found

    def seqs_until(self, last: int) -> list[int]:
        """The seqs that grow until this one has come."""
        seqs: list[int] = []
        while last not in seqs:
            (*_, fact) = self.until("Grew")
            assert isinstance(fact, Grew)
            seqs += [record.seq for record in fact.records]
        return seqs


@pytest.fixture(params=[f"{watcher}-{kind}" for watcher in WATCHERS for kind in ("feed", "pool")])
def reader(request, tmp_path) -> Iterator:
    readers: list[Reader] = []
    backend, _, kind = request.param.partition("-")
    watcher = Watcher(WATCHERS[backend])

    def start(data: bytes | None, path: Path = tmp_path / "ledger") -> Reader:
        if data is not None:
            path.write_bytes(data)
        readers.append(Reader(path, watcher, kind == "pool"))
        return readers[-1]

    yield start
    for one in readers:
        one.feed.stop()
    names = {thread.name for thread in threading.enumerate()}
    assert not names & {"korg-feed", "korg-pool"}


def test_what_is_appended_is_posted(reader):
    one = reader(book(2).nested())
    assert [type(fact).__name__ for fact in one.until("CaughtUp")] == ["Opened", "Grew", "CaughtUp"]
    whole = book(6).nested()
    sizes = [len(book(events).nested()) for events in range(2, 7)]
    for begin, end in pairwise(sizes):
        with one.path.open("ab") as file:
            file.write(whole[begin:end])
    assert one.seqs_until(6) == [3, 4, 5, 6]
    assert one.threads in ({"korg-feed"}, {"korg-pool"})


def test_a_file_renamed_over_is_followed(reader):
    one = reader(book(4).array())
    one.until("CaughtUp")
    for events in (5, 6):
        fresh = one.path.with_suffix(".tmp")
        fresh.write_bytes(book(events).array())
        fresh.replace(one.path)
        assert one.seqs_until(events) == [events]
    fresh.write_bytes(book(2, "!").array())
    fresh.replace(one.path)
    (*_, fact) = one.until("Replaced")
    assert isinstance(fact, Replaced)
    assert [record.seq for record in fact.records] == [1, 2]


def test_a_file_that_goes_and_comes_back(reader):
    one = reader(book(2).nested())
    one.until("CaughtUp")
    one.path.unlink()
    one.until("gone")
    one.path.write_bytes(book(3).nested())
    one.until("back")
    assert one.seqs_until(3)[-1] == 3


def test_a_file_in_a_folder_that_is_not_there_yet(reader, tmp_path):
    one = reader(None, tmp_path / "a" / ".korg" / "ledger")
    one.until("waiting")
    one.path.parent.mkdir(parents=True)
    one.path.write_bytes(book(2).nested())
    one.until("live")
    assert one.seqs_until(2)[-1] == 2


def test_a_folder_that_is_made_again(reader, tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    one = reader(book(1).nested(), folder / "ledger")
    one.until("CaughtUp")
    one.path.unlink()
    folder.rmdir()
    one.until("gone")
    folder.mkdir()
    one.path.write_bytes(book(2).nested())
    one.until("back")
    assert one.seqs_until(2)[-1] == 2


def test_a_symbolic_link_is_followed_to_its_file(reader, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    target = tmp_path / "elsewhere" / "real"
    target.write_bytes(book(1).nested())
    (tmp_path / "ledger").symlink_to(target)
    one = reader(None)
    one.until("CaughtUp")
    with target.open("ab") as file:
        file.write(book(2).nested()[len(book(1).nested()) :])
    assert one.seqs_until(2) == [2]


def test_two_feeds_share_a_watcher(reader, tmp_path):
    one, two = reader(book(1).nested()), reader(book(1).nested(), tmp_path / "other")
    for each in (one, two):
        each.until("CaughtUp")
        with each.path.open("ab") as file:
            file.write(book(2).nested()[len(book(1).nested()) :])
        assert each.seqs_until(2) == [2]
    one.feed.stop()
    with two.path.open("ab") as file:
        file.write(book(3).nested()[len(book(2).nested()) :])
    assert two.seqs_until(3) == [3]


def test_an_array_half_written_in_place_is_posted_once_it_is_whole(reader):
    one = reader(book(2).array())
    one.until("CaughtUp")
    whole = book(4).array()
    with one.path.open("r+b") as file:
        file.write(whole[:-200])
        file.truncate()
        file.flush()
        file.write(whole[-200:])
    assert one.seqs_until(4) == [3, 4]


def test_no_ledger_is_a_state_and_can_become_one(reader):
    one = reader(b"# a README\n")
    (fact,) = one.until("failed")
    assert isinstance(fact, State)
    assert "not a ledger" in fact.text
    one.path.write_bytes(book(2).nested())
    one.until("live")
    assert one.seqs_until(2) == [1, 2]


def test_after_stop_nothing_is_posted(reader):
    one = reader(book(1).nested())
    one.until("CaughtUp")
    one.feed.stop()
    with one.path.open("ab") as file:
        file.write(book(2).nested()[len(book(1).nested()) :])
    one.feed.stop()
    assert one.facts.empty()


class Broken:
    """A source with a fault of its own."""

    name = "broken"
    watched = None
    poll_after = None
    blocking = False

    def start(self) -> Iterator[Fact]:
        raise ZeroDivisionError("oh")

    def close(self) -> None:
        pass


def test_a_fault_is_a_state_not_silence():
    facts: queue.Queue[Fact] = queue.Queue()
    feed = Feed(Broken(), facts.put)  # type: ignore[arg-type]
    feed.start()
    fact = facts.get(timeout=PATIENCE)
    feed.stop()
    assert isinstance(fact, State)
    assert fact.state == "failed"
    assert fact.text == "broken: this program failed while reading it (ZeroDivisionError: oh)"


def test_a_post_that_fails_ends_the_thread():
    def refuse(_: Fact) -> None:
        raise RuntimeError("the screen is gone")

    feed = Feed(Broken(), refuse)  # type: ignore[arg-type]
    feed.start()
    feed.stop()
    assert "korg-feed" not in {thread.name for thread in threading.enumerate()}


def test_a_pipe_is_posted_as_it_comes_and_ends():
    reading, writing = os.pipe()
    facts: queue.Queue[Fact] = queue.Queue()
    feed = Feed(StdinSource(descriptor=reading), facts.put)
    feed.start()
    os.write(writing, book(2).nested())
    names = [type(facts.get(timeout=PATIENCE)).__name__ for _ in range(3)]
    assert names == ["Opened", "Grew", "CaughtUp"]
    os.write(writing, book(3).nested()[len(book(2).nested()) :])
    grew = facts.get(timeout=PATIENCE)
    assert isinstance(grew, Grew)
    os.close(writing)
    ended = facts.get(timeout=PATIENCE)
    assert isinstance(ended, State)
    assert ended.state == "ended"
    assert feed.source.read(grew.records[0].offset, 10) == b'{"schema_v'
    feed.stop()
    os.close(reading)


def test_a_feed_that_waits_for_a_pipe_stops_at_once():
    reading, writing = os.pipe()
    feed = Feed(StdinSource(descriptor=reading), lambda fact: None)
    feed.start()
    feed.stop()
    assert not [thread for thread in threading.enumerate() if thread.name == "korg-feed"]
    os.close(reading)
    os.close(writing)


def test_a_refusal_of_a_pipe_is_a_state():
    reading, writing = os.pipe()
    os.write(writing, b"hello\n")
    os.close(writing)
    facts: queue.Queue[Fact] = queue.Queue()
    feed = Feed(StdinSource(descriptor=reading), facts.put)
    feed.start()
    fact = facts.get(timeout=PATIENCE)
    assert isinstance(fact, State)
    assert "standard input: not a ledger" in fact.text
    feed.stop()
    os.close(reading)


def test_a_refusal_is_raised_to_who_reads_by_hand(tmp_path):
    with pytest.raises(SourceError):
        list(FileSource(tmp_path / "nothing").start())
