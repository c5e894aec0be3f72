"""The pool: thousands of sources, a few threads, a few open files, and nobody served twice at once."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import builders
from korg_tui.sources import CaughtUp, Fact, FileSource, Grew, Pool, State, pool
from korg_tui.sources.watch import Watcher
from stage import MemorySource
from test_sources_watch import Script

PATIENCE = 20
LEDGER = builders.table(builders.WORKED_EXAMPLE)


class Polled(MemorySource):
    """A source that counts who serves it, and gives a fact for each poll."""

    def __init__(self, path: Path | None = None, after: float | None = None) -> None:
        super().__init__(LEDGER)
        self.watched, self.poll_after = path, after
        self.polls = 0
        self.inside = threading.Lock()
        self.twice = False
        self.begin = threading.Event()
        self.begin.set()

    def start(self) -> Iterator[Fact]:
        self.begin.wait(PATIENCE)
        yield from super().start()

    def poll(self) -> list[Fact]:
        if not self.inside.acquire(blocking=False):
            self.twice = True
            return []
        try:
            self.polls += 1
            return [State("live", str(self.polls), 0)]
        finally:
            self.inside.release()


class Posted:
    """What a pool has posted of one source."""

    def __init__(self) -> None:
        self.facts: queue.Queue[Fact] = queue.Queue()
        self.threads: set[str] = set()

    def __call__(self, fact: Fact) -> None:
        self.threads.add(threading.current_thread().name)
        self.facts.put(fact)

    def until(self, kind: type[Fact]) -> Fact:
        while not isinstance(fact := self.facts.get(timeout=PATIENCE), kind):
            pass
        return fact


@pytest.fixture
def script():
    return Script()


@pytest.fixture
def feeds(script) -> Iterator[Pool]:
    made = Pool(watcher=Watcher(lambda: script))
    yield made
    made.stop()
    assert not {thread.name for thread in threading.enumerate()} & {"korg-pool", "korg-feed"}


def test_a_source_that_is_told_of_changes_is_never_served_by_two_threads(feeds, script, tmp_path):
    source, posted = Polled(tmp_path / "a"), Posted()
    feeds.add(source, posted)
    posted.until(CaughtUp)
    said: list[str] = []
    while len(said) < 5:
        for _ in range(50):
            script.reports.put([(tmp_path, "a")])
        said.append(posted.until(State).text)
    assert not source.twice
    assert said == ["1", "2", "3", "4", "5"]
    assert source.polls < 250, "changes that come at once are looked at together"
    assert posted.threads == {"korg-pool"}


def test_only_what_is_told_of_is_looked_at(feeds, script, tmp_path):
    sources = {name: Polled(tmp_path / name) for name in "abc"}
    posted = {name: Posted() for name in sources}
    for name, source in sources.items():
        feeds.add(source, posted[name])
        posted[name].until(CaughtUp)
    script.reports.put([(tmp_path, "b"), (tmp_path, "other")])
    posted["b"].until(State)
    assert [source.polls for source in sources.values()] == [0, 1, 0]


def test_a_source_says_when_it_wants_to_be_asked_again_and_when_no_more(feeds):
    source, posted = Polled(after=0.001), Posted()
    feeds.add(source, posted)
    assert [posted.until(State).text for _ in range(3)] == ["1", "2", "3"]
    source.poll_after = None
    last = Polled(after=0.001)
    feeds.add(last, Posted())
    while last.polls < 5:
        threading.Event().wait(0.01)
    assert posted.facts.qsize() <= 2


def test_one_thread_at_least_is_free_of_first_readings(feeds, script, tmp_path):
    source, posted = Polled(tmp_path / "a"), Posted()
    feeds.add(source, posted)
    posted.until(CaughtUp)
    slow = [Polled() for _ in range(3 * pool.WORKERS)]
    late = [Posted() for _ in slow]
    for each, post in zip(slow, late, strict=True):
        each.begin.clear()
        feeds.add(each, post)
    script.reports.put([(tmp_path, "a")])
    assert posted.until(State).text == "1"
    for each in slow:
        each.begin.set()
    for post in late:
        post.until(CaughtUp)


def test_sources_are_read_in_the_order_in_which_they_were_added(script):
    feeds = Pool(watcher=Watcher(lambda: script), workers=1)
    posted: queue.Queue[int] = queue.Queue()
    for number in range(20):
        feeds.add(
            MemorySource(LEDGER),
            lambda fact, number=number: posted.put(number) if isinstance(fact, CaughtUp) else None,
        )
    assert [posted.get(timeout=PATIENCE) for _ in range(20)] == list(range(20))
    feeds.stop()


def test_a_fault_of_one_source_is_its_state_and_nobody_elses(feeds):
    class Broken(MemorySource):
        def start(self):
            raise ZeroDivisionError("oh")

    broken, well = Posted(), Posted()
    feeds.add(Broken(b"", "broken"), broken)
    feeds.add(MemorySource(LEDGER), well)
    fault = broken.until(State)
    assert (fault.state, fault.text) == (
        "failed",
        "broken: this program failed while reading it (ZeroDivisionError: oh)",
    )
    well.until(CaughtUp)


def test_what_waits_for_somebody_else_has_a_thread_of_its_own(feeds):
    class Waiting(Polled):
        blocking = True

    source, posted = Waiting(), Posted()
    feeds.add(source, posted)
    posted.until(CaughtUp)
    assert posted.threads == {"korg-feed"}


def test_when_nobody_tells_any_more_sources_are_looked_at(feeds, script, tmp_path):
    path = tmp_path / "ledger"
    path.write_bytes(LEDGER.nested())
    posted = Posted()
    feeds.add(FileSource(path), posted)
    posted.until(CaughtUp)
    script.reports.put(RuntimeError("lost"))
    for thread in threading.enumerate():
        if thread.name == "korg-watch":
            thread.join(PATIENCE)
    with path.open("ab") as file:
        file.write(LEDGER.nested().replace(b'"seq_id":1,', b'"seq_id":900,').splitlines(keepends=True)[0])
    assert [record.seq for record in posted.until(Grew).records] == [900]


def test_being_told_is_not_relied_on_alone(feeds, tmp_path, monkeypatch):
    monkeypatch.setattr(pool, "SURE_SECONDS", 0.05)
    still, changed = Polled(tmp_path / "still"), Polled(tmp_path / "changed")
    posted = [Posted(), Posted()]
    for source, post in zip((still, changed), posted, strict=True):
        feeds.add(source, post)
        post.until(CaughtUp)
    (tmp_path / "changed").write_bytes(b"something")
    assert posted[1].until(State).text == "1"
    (tmp_path / "changed").unlink()
    assert posted[1].until(State).text == "2"
    assert still.polls == 0


def test_a_pool_that_stops_does_not_wait_for_who_does_not_listen(script):
    feeds = Pool(watcher=Watcher(lambda: script))
    entered, leave = threading.Event(), threading.Event()

    def post(_: Fact) -> None:
        entered.set()
        leave.wait(PATIENCE)

    for _ in range(10):
        feeds.add(MemorySource(LEDGER), post)
    assert entered.wait(PATIENCE)
    feeds.stop()
    leave.set()
    script.reports.put(None)
    for thread in threading.enumerate():
        if thread.name == "korg-pool":
            thread.join(PATIENCE)


CHILD = """
import json, os, queue, resource, sys, threading
from pathlib import Path
resource.setrlimit(resource.RLIMIT_NOFILE, (96, 96))
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
from korg_tui.sources import CaughtUp, FileSource, FolderSource, Grew, Pool
folder, extra = Path(sys.argv[1]), bytes.fromhex(sys.argv[2])
pool, facts, sources = Pool(), queue.Queue(), {}
def take(source):
    sources[source.name] = source
    pool.add(source, lambda fact: facts.put((source.name, fact)))
root = FolderSource(folder)
root.found = take
pool.add(root, lambda fact: None)
def until(kind, count):
    found = []
    while len(found) < count:
        name, fact = facts.get(timeout=30)
        if isinstance(fact, kind):
            found.append((name, fact))
    return found
until(CaughtUp, 1500)
threads = threading.active_count()
descriptors = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
del opened[:]
grown = folder / "0700" / "700.jsonl"
with open(grown, "ab") as file:
    file.write(extra)
[(name, fact)] = until(Grew, 1)
reads = sorted({path for path in opened if path.startswith(str(folder))})
bodies = sum(source.read(0, 10).startswith(b"{") for source in sources.values())
pool.stop()
told = {"threads": threads, "descriptors": descriptors, "grown": name, "reads": reads, "bodies": bodies}
print(json.dumps({**told, "seqs": [record.seq for record in fact.records], "left": len(facts.queue)}))
"""


def test_fifteen_hundred_ledgers_with_96_descriptors_and_only_the_one_that_grew_is_read_again(tmp_path):
    book = builders.Book()
    book.prompt("fix it")
    data = book.nested()
    book.prompt("and then")
    extra = book.nested()[len(data) :]
    for number in range(1500):
        path = tmp_path / f"{number - number % 100:04}" / f"{number}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path), extra.hex()], capture_output=True, text=True, timeout=90
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    grown = str(tmp_path / "0700" / "700.jsonl")
    assert told["threads"] <= 2 + pool.WORKERS
    assert told["descriptors"] < 96
    assert (told["grown"], told["reads"], told["seqs"]) == (grown, [grown], [2])
    assert (told["bodies"], told["left"]) == (1500, 0)
