"""A folder that lives: ledgers that are there, that come, that were something else first, and that go."""

from __future__ import annotations

import os
import queue
from collections.abc import Iterator
from pathlib import Path

import pytest

import builders
from builders import FixedClock
from korg_tui.sources import (
    CaughtUp,
    Fact,
    FileSource,
    FolderSource,
    Grew,
    Pool,
    SourceError,
    State,
    live,
    open_sources,
)
from korg_tui.sources.notify import Notify
from korg_tui.sources.watch import Watcher, new_backend

LEDGER = builders.table(builders.WORKED_EXAMPLE)
PATIENCE = 20
WATCHERS = {"native": new_backend, "watchfiles": Notify, "none": lambda: None}


def put(path: Path, data: bytes = LEDGER.nested()) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


class Folder:
    """A folder source that a test polls, with a clock that a test moves. Nobody tells of changes."""

    def __init__(self, path: Path, **options) -> None:
        self.clock = FixedClock()
        self.found: list[str] = []
        self.source = FolderSource(path, watcher=Watcher(lambda: None), clock=self.clock, **options)
        self.source.found = self._take
        self.path = path

    def _take(self, source: FileSource) -> None:
        assert source.name in (str(source.path), self.source.name)
        self.found.append(os.path.relpath(source.path, self.path))

    def start(self) -> list[tuple[str, str]]:
        return self.states(list(self.source.start()))

    def states(self, facts: list[Fact]) -> list[tuple[str, str]]:
        return [(fact.state, fact.text) for fact in facts if isinstance(fact, State)]

    def later(self, seconds: float = 40.0) -> list[tuple[str, str]]:
        """What is said when new files have been noticed and have settled."""
        said = []
        for _ in range(2):
            self.clock.move(seconds)
            said += self.states(self.source.poll())
        return said


@pytest.fixture
def folder(tmp_path) -> Iterator[Folder]:
    made = Folder(tmp_path / "work")
    yield made
    made.source.close()


def test_what_is_there_is_found_in_the_order_of_names_by_the_rules_of_folders(folder):
    for name in ("b.jsonl", "a.jsonl", ".korg/journal.jsonl", "deep/er/x", "empty.jsonl"):
        put(folder.path / name, b"" if name.startswith("empty") else LEDGER.nested())
    for name in (".git/x.jsonl", "blobs/ab/x.jsonl", "node_modules/x.jsonl"):
        put(folder.path / name)
    put(folder.path / "README", b"# words\n")
    (folder.path / "up").symlink_to(folder.path)
    (folder.path / "again").symlink_to(folder.path / "b.jsonl")
    facts = list(folder.source.start())
    assert folder.found == ["a.jsonl", "again", "empty.jsonl", ".korg/journal.jsonl", "deep/er/x"]
    assert isinstance(facts[-1], CaughtUp)
    assert folder.states(facts) == []
    assert folder.later() == []
    assert len(folder.found) == 5


def test_new_ledgers_are_found_also_in_new_folders(folder):
    put(folder.path / "a.jsonl")
    folder.start()
    put(folder.path / "b.jsonl")
    put(folder.path / "new" / "folder" / "c.jsonl")
    assert folder.later() == []
    assert folder.found == ["a.jsonl", "b.jsonl", "new/folder/c.jsonl"]


def test_a_new_file_is_looked_into_when_it_has_settled(folder):
    put(folder.path / "a.jsonl")
    folder.start()
    passing = put(folder.path / "b.jsonl.tmp")
    folder.clock.move(40)
    folder.source.poll()
    assert folder.found == ["a.jsonl"]
    assert 0 < folder.source.poll_after < 0.3
    passing.rename(folder.path / "b.jsonl")
    folder.later()
    assert folder.found == ["a.jsonl", "b.jsonl"]


def test_what_is_no_ledger_yet_becomes_one(folder):
    put(folder.path / "a.jsonl")
    half = put(folder.path / "half", LEDGER.nested()[:9])
    nothing = put(folder.path / "nothing", b"")
    words = put(folder.path / "words", b"# words\n")
    folder.start()
    assert folder.found == ["a.jsonl"]
    for path in (half, nothing, words):
        put(path)
    folder.later()
    assert sorted(folder.found) == ["a.jsonl", "half", "nothing", "words"]


def test_files_are_looked_into_once_per_change(folder, monkeypatch):
    looked: list[str] = []
    real = live.holds_events

    def look(path: Path) -> bool:
        looked.append(path.name)
        return real(path)

    monkeypatch.setattr(live, "holds_events", look)
    put(folder.path / "a.jsonl")
    put(folder.path / "words", b"# words\n")
    log = put(folder.path / "log", b"x" * live.FIRST_LOOK)
    folder.start()
    assert looked == ["a.jsonl", "log", "words"]
    for _ in range(3):
        folder.later()
    put(folder.path / "a.jsonl", LEDGER.nested() * 2)
    with log.open("ab") as file:
        file.write(b"a log that grows has the beginning that it had")
    folder.later()
    assert looked == ["a.jsonl", "log", "words"]
    put(folder.path / "words", b"# other words\n")
    folder.later()
    assert looked == ["a.jsonl", "log", "words", "words"]


def test_an_empty_folder_and_none_at_all_are_waited_for(tmp_path):
    folder = Folder(tmp_path / "work", wait=True, name="work")
    assert folder.start() == [("waiting", "work is not there yet; it is read as soon as it appears")]
    folder.path.mkdir()
    empty = "work has no ledger in it yet; it is watched, and read when one appears"
    assert folder.later() == [("waiting", empty)]
    put(folder.path / "a.jsonl")
    assert folder.later() == [("live", "work is followed")]
    assert folder.found == ["a.jsonl"]
    folder.source.close()


def test_a_file_that_appears_where_a_folder_was_awaited_is_the_ledger(tmp_path):
    folder = Folder(tmp_path / "later", wait=True)
    folder.start()
    put(tmp_path / "later")
    assert folder.later() == [("live", f"{tmp_path}/later is followed")]
    assert folder.found == ["."]
    folder.source.close()


def test_without_waiting_nothing_and_nothing_in_it_are_refused(tmp_path):
    missing = Folder(tmp_path / "missing")
    with pytest.raises(SourceError, match="no such file"):
        missing.start()
    put(tmp_path / "words" / "README", b"# words\n")
    words = Folder(tmp_path / "words")
    with pytest.raises(SourceError, match="none of its 1 files holds Korg events"):
        words.start()
    missing.source.close()
    words.source.close()


def test_a_folder_that_goes_and_comes_back_says_so(folder, tmp_path):
    put(folder.path / "a.jsonl")
    folder.start()
    away = folder.path.rename(tmp_path / "away")
    gone = f"{folder.path} is gone; what was read stays, and it is followed again when it comes back"
    assert folder.later() == [("gone", gone)]
    put(away / "b.jsonl")
    away.rename(folder.path)
    assert folder.later() == [("back", f"{folder.path} is back, and is followed again")]
    assert folder.found == ["a.jsonl", "b.jsonl"]


def test_what_cannot_be_read_is_said_and_read_when_it_can_be(folder, monkeypatch):
    put(folder.path / "a.jsonl")
    put(folder.path / "secret")
    locked = ["secret"]
    look = Path.open

    def refuse(path: Path, mode: str) -> object:
        if path.name in locked:
            raise PermissionError(13, "Permission denied")
        return look(path, mode)

    monkeypatch.setattr(Path, "open", refuse)
    assert folder.start() == [("warned", f"{folder.path}: not read: secret (no permission to read it)")]
    assert folder.later() == []
    locked.clear()
    assert folder.later() == [("live", f"{folder.path} is followed")]
    assert folder.found == ["a.jsonl", "secret"]


def test_of_too_many_files_the_rest_is_not_looked_at_and_that_is_said(folder, monkeypatch):
    monkeypatch.setattr(live, "FILES_AT_MOST", 3)
    for number in range(5):
        put(folder.path / f"{number}.jsonl")
    assert folder.start() == [("warned", f"{folder.path}: more than 3 files; the others are not looked at")]
    assert folder.found == ["0.jsonl", "1.jsonl", "2.jsonl"]


def test_a_ledger_named_twice_is_one_also_within_a_folder(tmp_path):
    ledger = put(tmp_path / "work" / "a.jsonl")
    put(tmp_path / "work" / "b.jsonl")
    sources = open_sources([str(ledger), str(tmp_path / "work"), f"{tmp_path}/./work/"], wait=True)
    assert [type(source) for source in sources] == [FileSource, FolderSource]
    found: list[str] = []
    sources[1].found = lambda source: found.append(source.path.name)
    list(sources[1].start())
    assert found == ["b.jsonl"]
    for source in sources:
        source.close()


class Readers:
    """A pool over a folder, and what it posts for each ledger."""

    def __init__(self, path: Path, watcher: Watcher) -> None:
        self.pool = Pool(watcher=watcher)
        self.facts: queue.Queue[tuple[str, Fact]] = queue.Queue()
        self.take(FolderSource(path, name="folder", wait=True, watcher=watcher))

    def take(self, source: FileSource | FolderSource) -> None:
        if isinstance(source, FolderSource):
            source.found = self.take
        name = source.path.name if isinstance(source, FileSource) else source.name
        self.pool.add(source, lambda fact: self.facts.put((name, fact)))

    def until(self, name: str, kind: str) -> Fact:
        """The next fact of this ledger that is of this kind (a class name, or the word of a state)."""
        while True:
            source, fact = self.facts.get(timeout=PATIENCE)
            if source == name and kind in (type(fact).__name__, getattr(fact, "state", "")):
                return fact


@pytest.mark.parametrize("backend", WATCHERS)
def test_ledgers_that_come_grow_go_and_come_back(tmp_path, backend):
    path = tmp_path / "work"
    readers = Readers(path, Watcher(WATCHERS[backend]))
    readers.until("folder", "waiting")
    one = put(path / "deep" / "one.jsonl")
    assert len(readers.until("one.jsonl", "Grew").records) == len(LEDGER.records)
    readers.until("one.jsonl", "CaughtUp")
    with one.open("ab") as file:
        file.write(LEDGER.nested().replace(b'"seq_id":1,', b'"seq_id":900,').splitlines(keepends=True)[0])
    grew = readers.until("one.jsonl", "Grew")
    assert isinstance(grew, Grew)
    assert [record.seq for record in grew.records] == [900]
    content = one.read_bytes()
    one.unlink()
    readers.until("one.jsonl", "gone")
    put(path / "deep" / "two.jsonl")
    readers.until("two.jsonl", "CaughtUp")
    one.write_bytes(content)
    readers.until("one.jsonl", "back")
    readers.pool.stop()
