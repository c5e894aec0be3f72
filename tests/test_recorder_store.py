"""The store: what it writes, what it survives, and what it refuses."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import stat
import tempfile
import threading
import uuid
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import Book, canonical
from korg_tui.causal import Journal, Rewound
from korg_tui.event import Event
from korg_tui.recorder.store import LEDGER, Store, StoreChanged, disk
from korg_tui.recorder.store.blobs import BlobFolder
from korg_tui.recorder.store.calls import Call, Refused
from korg_tui.recorder.store.disk import DiskFile
from korg_tui.recorder.store.index import Index
from korg_tui.sources import FileSource, Grew, SourceError


def call(tool: str = "Read", cause: int | None = None, **more: Any) -> Call:
    fields: dict[str, Any] = {"args": {}, "result": {}, "success": True, "duration_ms": 1, **more}
    return Call(actor="agent:test@1", tool=tool, triggered_by=cause, **fields)


def add(store: Store, *calls: Call) -> list[int | Refused]:
    return store.append(calls)


def fill(store: Store, events: int) -> None:
    add(store, call("user_prompt", args={"prompt": "go"}))
    for seq in range(1, events):
        add(store, call("llm_inference", seq, args={"é": "x" * seq}))


def ledger(folder: Path) -> list[dict[str, Any]]:
    """The events of the file, after checking that seqs, links and hashes hold, and that a reader agrees."""
    path = folder / LEDGER
    data = path.read_bytes()
    assert data.isascii()
    assert not data or data.endswith(b"\n")
    records = [json.loads(line) for line in data.splitlines()]
    previous = "0" * 64
    for seq, record in enumerate(records, 1):
        assert (record["seq_id"], record["prev_hash"]) == (seq, previous)
        content = {key: value for key, value in record.items() if key != "entry_hash"}
        previous = hashlib.sha256(canonical(content)).hexdigest()
        assert record["entry_hash"] == previous
    source = FileSource(path)
    journal = Journal(path.name)
    found: list[object] = []
    for fact in source.start():
        journal.apply(fact)
        found += fact.records if isinstance(fact, Grew) else ()
    source.close()
    assert all(isinstance(record, Event) for record in found)
    assert [record.seq for record in found] == [record["seq_id"] for record in records]
    assert len(journal.ledgers) == 1
    return records


def tools(folder: Path) -> list[str]:
    return [each["event"].get("tool_name") or each["event"]["event_type"] for each in ledger(folder)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".korg"


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    store = Store(folder)
    yield store
    store.close()


@pytest.fixture
def in_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A folder for tests that open many stores, and are not about the disk."""
    monkeypatch.setattr(disk, "sync", lambda number: None)
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as folder:
        yield Path(folder)


# --- what it writes


def test_an_event_in_the_journal_shape(store: Store, folder: Path) -> None:
    ref = {"sha256": "0" * 64, "size_bytes": 1, "label": "Read.text"}
    assert add(store, call("user_prompt", args={"prompt": "go"})) == [1]
    assert add(
        store, call("Read", 1, args={"n": 2**60, "é": "\ud800"}, result="ok", payload_refs=(ref,))
    ) == [2]
    root, read = ledger(folder)
    assert list(read) == ["schema_version", "seq_id", "metadata", "event", "prev_hash", "entry_hash"]
    assert " ".join(read["metadata"]) == (
        "event_id correlation_id causation_id root_event_id actor_id campaign_id emitted_at branch_id "
        "speculative retry_count tier span_id tags triggered_by"
    )
    assert " ".join(read["event"]) == (
        "event_type source_agent tool_name args result payload_refs success duration_ms timestamp"
    )
    assert read["event"]["args"] == {"n": 2**60, "é": "\ud800"}
    assert (read["event"]["result"], read["event"]["payload_refs"]) == ("ok", [ref])
    assert read["metadata"]["triggered_by"] == 1
    assert read["metadata"]["causation_id"] == root["metadata"]["event_id"]
    assert (
        read["metadata"]["root_event_id"] == root["metadata"]["event_id"] == root["metadata"]["root_event_id"]
    )
    assert root["metadata"]["causation_id"] is None
    assert read["metadata"]["actor_id"] == "korg:api"
    assert read["metadata"]["tags"]["recorder"] == "korg-tui"
    assert store.head.tip == read["entry_hash"]


def test_a_cause_must_be_an_earlier_event(store: Store, folder: Path) -> None:
    answers = add(store, call("A"), call("B", 1), call("C", 3), call("D", 0), call("E", 2), call("F", 9))
    assert [answer if isinstance(answer, int) else "refused" for answer in answers] == [
        1, 2, "refused", "refused", 3, "refused",
    ]  # fmt: skip
    assert tools(folder) == ["A", "B", "E"]
    assert "the last one is 3" in store.refusal(4).text
    assert store.refusal(3) is None


def test_the_clock_never_goes_back(store: Store, folder: Path) -> None:
    now = 2_000_000_000.0
    store._clock.now = lambda: now
    add(store, call(), call())
    now -= 500
    add(store, call())
    clocks = [record["metadata"]["emitted_at"] for record in ledger(folder)]
    assert [(each["physical"], each["logical"]) for each in clocks] == [
        (2_000_000_000_000, n) for n in range(3)
    ]


def test_only_its_owner_reads_it(store: Store, folder: Path) -> None:
    add(store, call())
    store.blobs.keep(hashlib.sha256(b"x").hexdigest(), b"x")
    add(store, call())
    store.rewind(1, "human:dusk", "")
    for path in (folder, *folder.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


# --- opened again


def test_opened_again_it_goes_on(folder: Path) -> None:
    store = Store(folder)
    fill(store, 4)
    before = store.head
    store.close()
    again = Store(folder)
    assert again.head == before
    assert add(again, call("Read", 4)) == [5]
    again.close()
    assert len(ledger(folder)) == 5


@pytest.mark.parametrize("events", [3, 6])
def test_cut_at_every_byte_of_the_last_three_records(in_memory: Path, events: int) -> None:
    whole = in_memory / "whole"
    store = Store(whole)
    fill(store, events)
    store.close()
    data = (whole / LEDGER).read_bytes()
    lines = data.splitlines(keepends=True)
    first_cut = len(b"".join(lines[: events - 3]))
    folder = in_memory / "cut"
    folder.mkdir()
    for size in range(first_cut, len(data) + 1):
        kept = data[:size]
        (folder / LEDGER).write_bytes(kept)
        store = Store(folder)
        # A record that lacks nothing but its line feed is whole.
        complete = sum(size >= end - 1 for end in accumulate(map(len, lines)))
        assert store.head.total == complete, size
        rest = kept[sum(map(len, lines[:complete])) :]
        torn = list((folder / ".cut").glob("torn-*"))
        assert [path.read_bytes() for path in torn] == ([rest] if rest else [])
        assert bool(store.notice) == bool(rest)
        for path in torn:
            path.rename(folder / "looked at")
        assert add(store, call("Bash", complete or None)) == [complete + 1]
        store.close()
        assert (folder / LEDGER).read_bytes().splitlines(keepends=True)[:-1] == lines[:complete]
        if size % 97 == 0:
            assert tools(folder)[-1] == "Bash"


def test_zeros_that_a_lost_machine_left_are_put_aside(folder: Path) -> None:
    store = Store(folder)
    fill(store, 2)
    store.close()
    with (folder / LEDGER).open("ab") as file:
        file.write(b"\0" * 5000)
    again = Store(folder)
    assert again.head.total == 2
    again.close()
    assert len(ledger(folder)) == 2


def test_an_empty_file_is_a_store(folder: Path) -> None:
    folder.mkdir()
    (folder / LEDGER).touch()
    store = Store(folder)
    assert store.head.total == 0
    assert add(store, call()) == [1]
    store.close()


def _foreign() -> dict[str, bytes]:
    book = Book()
    book.tool("Read", book.prompt())
    return {
        "another producer": book.nested(),
        "another producer, torn": book.nested()[:-30],
        "an array": book.array(),
        "text": b"hello\n",
        "a blank": b"\n",
        "binary": bytes(range(256)),
    }


@pytest.mark.parametrize("data", _foreign().values(), ids=_foreign().keys())
def test_a_file_that_it_did_not_begin_is_refused(folder: Path, data: bytes) -> None:
    folder.mkdir()
    (folder / LEDGER).write_bytes(data)
    with pytest.raises(SourceError, match="not begun by korg-tui serve") as refused:
        Store(folder)
    assert refused.value.exit_code == 3
    assert "\n" not in refused.value.text
    assert (folder / LEDGER).read_bytes() == data
    assert not (folder / ".cut").exists()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda lines: [*lines, Book().nested() or b'{"seq_id":4}\n'],
        lambda lines: [*lines, b'{"seq_id":4}'],
        lambda lines: [lines[0], lines[2]],
        lambda lines: [lines[1], lines[0], lines[2]],
        lambda lines: [lines[0], b"torn" + lines[1], lines[2]],
        lambda lines: [*lines, lines[2]],
        lambda lines: [*lines[:2], lines[2].replace(b"xx", b"xy").rstrip(b"\n")],
        lambda lines: [lines[0], lines[1].replace(b'"entry_hash":"', b'"entry_hash":"0'), lines[2]],
    ],
)
def test_a_file_that_somebody_else_wrote_to_is_refused(folder: Path, spoil: Any) -> None:
    store = Store(folder)
    fill(store, 3)
    store.close()
    path = folder / LEDGER
    data = b"".join(spoil(path.read_bytes().splitlines(keepends=True)))
    path.write_bytes(data)
    with pytest.raises(SourceError) as refused:
        Store(folder)
    assert refused.value.exit_code == 3
    assert path.read_bytes() == data


def _told(line: bytes, **changes: Any) -> bytes:
    record = json.loads(line)
    for name, value in changes.items():
        holder = record["metadata"]["tags"] if name in ("store", "generation") else record
        holder = record["metadata"]["emitted_at"] if name == "physical" else holder
        holder[name] = value
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


@pytest.mark.parametrize(
    ("where", "changes"),
    [
        (0, {"generation": "9" * 5000}),
        (0, {"generation": "٣"}),
        (1, {"generation": "9" * 300}),
        (1, {"store": "x\r\nSet-Cookie: a=b"}),
        (1, {"store": "→"}),
        (1, {"entry_hash": "é\r\nX: y"}),
        (1, {"entry_hash": "0" * 64}),
        (1, {"physical": 10**30}),
        (1, {"physical": -1}),
        (1, {"x": 1}),
    ],
)
def test_a_file_that_says_what_no_store_says_is_refused(
    folder: Path, where: int, changes: dict[str, Any]
) -> None:
    store = Store(folder)
    fill(store, 2)
    store.close()
    lines = store.path.read_bytes().splitlines(keepends=True)
    lines[where] = _told(lines[where], **changes)
    store.path.write_bytes(b"".join(lines))
    with pytest.raises(SourceError) as refused:
        Store(folder)
    assert (refused.value.exit_code, "\n" in refused.value.text) == (3, False)
    assert store.path.read_bytes() == b"".join(lines)


@pytest.mark.parametrize("end", [b"}", b"}\n"])
def test_a_file_that_nests_too_deep_is_refused(folder: Path, end: bytes) -> None:
    store = Store(folder)
    fill(store, 2)
    store.close()
    first, second = store.path.read_bytes().splitlines(keepends=True)
    store.path.write_bytes(first + second[:-2] + b',"x":' + b"[" * 100_000 + b"]" * 100_000 + end)
    with pytest.raises(SourceError) as refused:
        Store(folder)
    assert "\n" not in refused.value.text


def test_one_writer(store: Store, folder: Path) -> None:
    store.lock.say("process 7, http://127.0.0.1:8080")
    with pytest.raises(SourceError, match=r"another recorder writes here \(process 7, http://127") as refused:
        Store(folder)
    assert refused.value.exit_code == 3
    store.lock.say("process 7")


def test_one_writer_even_when_its_lock_file_is_taken_away(store: Store, folder: Path) -> None:
    (folder / "korg-tui.lock").unlink()
    with pytest.raises(SourceError, match="another recorder writes here"):
        Store(folder)
    add(store, call(), call())
    store.rewind(1, "korg:api", "")
    (folder / "korg-tui.lock").unlink()
    with pytest.raises(SourceError, match="another recorder writes here"):
        Store(folder)


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SourceError, match="give another --store") as refused:
        Store(tmp_path / "file" / ".korg")
    assert "\n" not in refused.value.text


# --- what goes wrong while it writes


class Frail(DiskFile):
    """A file whose disk fails when it is told to."""

    full = False
    broken = False
    stuck = False
    log: list[str]

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.log = []

    def write(self, data: bytes, at: int) -> None:
        self.log.append("write")
        if self.full:
            super().write(data[: len(data) // 2], at)
            raise OSError(errno.ENOSPC, "No space left on device")
        super().write(data, at)

    def sync(self) -> None:
        self.log.append("sync")
        if self.broken:
            raise OSError(errno.EIO, "Input/output error")
        super().sync()

    def cut(self, size: int) -> None:
        if self.stuck:
            raise OSError(errno.EIO, "Input/output error")
        super().cut(size)


@pytest.fixture
def frail(folder: Path) -> Iterator[Store]:
    store = Store(folder, Frail)
    fill(store, 3)
    yield store
    store.close()


def file_of(store: Store) -> Frail:
    assert isinstance(store._file, Frail)
    return store._file


@pytest.mark.parametrize("stuck", [False, True])
@pytest.mark.parametrize("failure", ["full", "broken"])
def test_what_a_failed_write_leaves_is_cut_off_again(
    frail: Store, folder: Path, failure: str, stuck: bool
) -> None:
    before = frail.path.read_bytes()
    file = file_of(frail)
    file.stuck = stuck
    setattr(file, failure, True)
    for _ in range(2):
        with pytest.raises(OSError, match=r"No space|Input/output"):
            add(frail, call("lost", 3), call("lost too", 4))
        assert frail.head.total == 3
    with frail.view() as view:
        assert b"".join(view.pieces(view.lines(1, 3))) == before
        assert view.children(3, 100, 1 << 20) == []
    file.full = file.broken = file.stuck = False
    assert add(frail, call("kept", 3)) == [4]
    assert tools(folder) == ["user_prompt", "llm_inference", "llm_inference", "kept"]
    assert frail.path.read_bytes().startswith(before)


def test_an_event_is_on_the_disk_before_anybody_is_told(frail: Store) -> None:
    file = file_of(frail)
    file.log.clear()
    add(frail, call(), call())
    assert file.log == ["write", "sync"]


def test_a_file_that_was_taken_away_is_written_again(store: Store, folder: Path, tmp_path: Path) -> None:
    fill(store, 3)
    store.path.rename(tmp_path / "taken")
    assert add(store, call("after", 3)) == [4]
    assert tools(folder)[-1] == "after"
    store.path.unlink()
    store.tend()
    assert len(ledger(folder)) == 4
    shutil.rmtree(folder)
    assert add(store, call("again", 4)) == [5]
    assert len(ledger(folder)) == 5
    with pytest.raises(SourceError, match="another recorder"):
        Store(folder)


@pytest.mark.parametrize("data", [b"", b"something else\n" * 1000])
@pytest.mark.parametrize("in_place", [False, True])
def test_a_file_that_was_changed_is_left_alone(
    store: Store, tmp_path: Path, data: bytes, in_place: bool
) -> None:
    fill(store, 3)
    other = store.path if in_place else tmp_path / "other"
    other.write_bytes(data)
    other.rename(store.path)
    store.tend()
    with pytest.raises(StoreChanged, match="somebody else" if in_place else "another file"):
        add(store, call("after", 3))
    assert store.path.read_bytes() == data


def test_what_is_overwritten_in_place_is_noticed(store: Store) -> None:
    fill(store, 3)
    os.utime(store.path, ns=(1, 1))
    assert add(store, call("after", 3)) == [4], "it was only touched"
    with store.path.open("r+b") as file:
        file.seek(200)
        file.write(b"\n\n\n")
    os.utime(store.path, ns=(1, 1))
    before = store.path.read_bytes()
    with pytest.raises(StoreChanged, match="changed by somebody else"):
        add(store, call("after", 3))
    assert store.path.read_bytes() == before


def test_what_cannot_be_written_again_is_said_and_put_elsewhere(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    fill(store, 3)
    assert store.rescued() == ""
    before = store.path.read_bytes()
    lock = store.folder / "korg-tui.lock"
    lock.unlink()
    lock.mkdir()
    store.path.unlink()
    for _ in range(3):
        store.tend()
    (message,) = caplog.messages
    assert "korg-tui.lock is a folder" in message
    said, _, name = store.rescued().rpartition(" ")
    assert said == f"{store.path} was taken away; what it held, 3 events, is in"
    assert Path(name).read_bytes() == before
    assert Path(name).parent == tmp_path


def test_what_was_moved_away_and_replaced_is_said(store: Store, tmp_path: Path) -> None:
    fill(store, 3)
    store.path.rename(tmp_path / "moved")
    store.path.touch()
    assert "the one with 3 events was moved" in store.rescued()


def test_what_was_cut_is_said(store: Store) -> None:
    fill(store, 3)
    os.truncate(store.path, 1000)
    assert "was cut by somebody else" in store.rescued()


# --- rewinding


def test_a_sealed_rewind(store: Store, folder: Path) -> None:
    fill(store, 5)
    old = store.path.read_bytes().splitlines(keepends=True)
    done = store.rewind(2, "human:dusk", "wrong way")
    assert (done.seq, done.target, done.invalidated_through, done.generation) == (3, 2, 5, 2)
    assert done.tail.read_bytes() == b"".join(old[2:])
    records = ledger(folder)
    assert store.path.read_bytes().startswith(b"".join(old[:2]))
    sealed = records[2]
    assert {key: sealed["event"][key] for key in sealed["event"] if key != "timestamp"} == {
        "event_type": "LedgerRewind",
        "target_seq_id": 2,
        "invalidated_through": 5,
        "rewound_by": "human:dusk",
        "reason": "wrong way",
    }
    assert sealed["metadata"]["triggered_by"] == 2
    assert sealed["metadata"]["causation_id"] == records[1]["metadata"]["event_id"]
    assert add(store, call("Read", 5)) != [4], "seq 5 is no more"
    assert add(store, call("Read", 2)) == [4]
    assert store.head.generation == 2
    assert tools(folder) == ["user_prompt", "llm_inference", "LedgerRewind", "Read"]


def test_a_rewind_to_nothing_and_generations_across_restarts(folder: Path) -> None:
    store = Store(folder)
    fill(store, 3)
    identity = store.head.store
    for generation in (2, 3, 4):
        store.rewind(0, "korg:api", "")
        add(store, call())
        assert store.head.generation == generation
        store.close()
        store = Store(folder)
        assert (store.head.generation, store.head.store) == (generation, identity)
        assert tools(folder) == ["LedgerRewind", "Read"]
    store.close()
    assert len(list((folder / ".cut").glob("generation-*.jsonl"))) == 3


@pytest.mark.parametrize("target", [3, 4, 2**53])
def test_a_rewind_to_where_nothing_follows_is_refused(store: Store, target: int) -> None:
    fill(store, 3)
    before = store.path.read_bytes()
    with pytest.raises(Refused, match="the last event is 3"):
        store.rewind(target, "korg:api", "")
    assert (store.path.read_bytes(), store.head.generation) == (before, 1)


def test_whoever_reads_while_it_is_rewound_reads_on(store: Store) -> None:
    fill(store, 5)
    before = store.path.read_bytes()
    with store.view() as view:
        store.rewind(1, "korg:api", "")
        add(store, call("Read", 1), call("Read", 1))
        assert view.head.generation == 1
        assert b"".join(view.pieces()) == before
        assert b"".join(view.pieces(view.lines(5, 5))) == before.splitlines(keepends=True)[4]
        assert json.loads(b"".join(view.pieces(view.children(4, 100, 1 << 20))))["seq_id"] == 5


def test_a_reader_that_follows_the_file_sees_what_a_rewind_dropped(store: Store) -> None:
    fill(store, 5)
    source, journal = FileSource(store.path), Journal("korg-tui.jsonl")
    for fact in source.start():
        journal.apply(fact)
    store.rewind(2, "human:dusk", "")
    add(store, call("Read", 2))
    changes = [change for fact in source.poll() for change in journal.apply(fact)]
    source.close()
    (rewound,) = [change for change in changes if isinstance(change, Rewound)]
    assert (rewound.to, [gone.event.seq for gone in rewound.dropped]) == (2, [3, 4, 5])


class Crash(BaseException):
    """The process ends here."""


class Crashing:
    """Lets the n-th touch of the disk be the last one, done by half or not at all."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, last: int) -> None:
        self.left = last
        for name in ("sync", "sync_folder"):
            monkeypatch.setattr(disk, name, self.counted(getattr(disk, name)))
        for name in ("write", "pwrite", "ftruncate", "open", "mkdir", "replace", "unlink"):
            monkeypatch.setattr(disk.os, name, self.counted(getattr(disk.os, name)))
        monkeypatch.setattr(disk.os, "write", self.halved(disk.os.write))

    def counted(self, function: Any) -> Any:
        def touch(*arguments: Any, **more: Any) -> Any:
            if self.left == 0:
                raise Crash
            self.left -= 1
            return function(*arguments, **more)

        return touch

    def halved(self, function: Any) -> Any:
        return lambda number, data: function(number, data[: max(1, len(data) // 2)])


def test_a_crash_anywhere_in_a_rewind_leaves_the_old_state_or_the_new_one(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    store = Store(whole)
    fill(store, 4)
    store.close()
    old = (whole / LEDGER).read_bytes()
    states: list[str] = []
    for last in range(1000):
        folder = tmp_path / f"{last}"
        shutil.copytree(whole, folder)
        store = Store(folder)
        with pytest.MonkeyPatch.context() as patch:
            crashing = Crashing(patch, last)
            with contextlib.suppress(Crash):
                store.rewind(2, "korg:api", "")
            ended = crashing.left > 0
        store.close()
        states.append(_old_or_new(folder, old))
        if ended:
            break
    assert states[0] == "old"
    assert states[-1] == "new"
    assert states == sorted(states, reverse=True), "never back again"
    assert len(states) > 15


def _old_or_new(folder: Path, old: bytes) -> str:
    now = (folder / LEDGER).read_bytes()
    store = Store(folder)
    state = "old" if store.head.generation == 1 else "new"
    if state == "old":
        assert now == old
    else:
        assert tools(folder) == ["user_prompt", "llm_inference", "LedgerRewind"]
        assert old.endswith((folder / ".cut" / "generation-1.jsonl").read_bytes())
    add(store, call("after", store.head.total))
    store.close()
    assert tools(folder)[-1] == "after"
    return state


# --- blobs


def named(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_blob_is_kept_once(tmp_path: Path) -> None:
    blobs = BlobFolder(tmp_path / "blobs", {})
    name = named(b"content")
    assert not blobs.has(name)
    assert blobs.keep(name, b"content")
    assert not blobs.keep(name, b"content")
    assert blobs.has(name)
    assert (tmp_path / "blobs" / name[:2] / name).read_bytes() == b"content"
    assert blobs.count == 1


def test_a_blob_and_its_name_are_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[str] = []
    replace = os.replace
    monkeypatch.setattr(disk, "sync", lambda number: log.append("sync"))
    monkeypatch.setattr(disk.os, "replace", lambda *names, **at: log.append("named") or replace(*names, **at))
    blobs = BlobFolder(tmp_path, {})
    (tmp_path / named(b"content")[:2]).mkdir()
    blobs.keep(named(b"content"), b"content")
    assert log == ["sync", "named", "sync"]
    log.clear()
    blobs.keep(named(b"content"), b"content")
    assert log == ["sync"], "who named it may not have come to this yet"


@pytest.mark.parametrize("wrong", [b"", b"xontent", b"longer content"])
def test_a_blob_with_other_content_is_put_right(tmp_path: Path, wrong: bytes) -> None:
    blobs = BlobFolder(tmp_path / "blobs", {})
    name = named(b"content")
    blobs.keep(name, b"content")
    path = tmp_path / "blobs" / name[:2] / name
    path.write_bytes(wrong)
    blobs.keep(name, b"content")
    assert path.read_bytes() == b"content"


def test_what_a_crash_left_of_a_blob_goes(tmp_path: Path) -> None:
    blobs = BlobFolder(tmp_path / "blobs", {})
    blobs.keep(named(b"content"), b"content")
    left = tmp_path / "blobs" / "ab" / ".unfinished-1"
    left.parent.mkdir()
    left.write_bytes(b"cont")
    again = BlobFolder(tmp_path / "blobs", {})
    again.open()
    assert (again.count, left.exists()) == (1, False)


def test_blobs_elsewhere_are_found(tmp_path: Path) -> None:
    name = named(b"content")
    BlobFolder(tmp_path / "elsewhere", {}).keep(name, b"content")
    blobs = BlobFolder(tmp_path / "blobs", {"KORG_BLOB_DIR": str(tmp_path / "elsewhere")})
    assert blobs.has(name)
    with blobs.read(name) as number:
        assert os.read(number, 100) == b"content"


def test_many_keep_the_same_blob_at_once(tmp_path: Path) -> None:
    blobs = BlobFolder(tmp_path / "blobs", {})
    content = b"x" * 100_000
    threads = [threading.Thread(target=blobs.keep, args=(named(content), content)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [path.read_bytes() for path in (tmp_path / "blobs").rglob("*") if path.is_file()] == [content]


# --- the index


@given(st.lists(st.tuples(st.integers(1, 99), st.floats(0, 1))), st.lists(st.floats(0, 1), max_size=2))
def test_the_index_knows_what_a_list_would(events: list[tuple[int, float]], cuts: list[float]) -> None:
    index = Index()
    model: list[tuple[int, int | None]] = []
    for cut in [1.0, *cuts]:
        keep = int(cut * len(model))
        index, model = index.cut(keep), model[:keep]
        for length, where in events:
            parent = int(where * len(model)) or None
            index.add(length, uuid.uuid4(), parent)
            model.append((length, parent))
        assert index.total == len(model)
        for seq in range(len(model) + 1):
            assert index.end(seq) == sum(length for length, _ in model[:seq])
            children = [child for child, (_, parent) in enumerate(model, 1) if parent == seq]
            assert index.children(seq, 100, index.total) == (children[-100:] if seq else [])
            half = index.total // 2
            earlier = [child for child in children if child <= half]
            assert index.children(seq, 3, half) == (earlier[-3:] if 0 < seq <= half else [])


@given(st.lists(st.integers(1, 50), min_size=1), st.data())
def test_a_page_is_as_many_lines_as_fit(lengths: list[int], data: st.DataObject) -> None:
    index = Index()
    for length in lengths:
        index.add(length, uuid.uuid4(), None)
    first = data.draw(st.integers(1, len(lengths)))
    last = data.draw(st.integers(first, len(lengths)))
    most = data.draw(st.integers(0, 300))
    found = index.last_within(first, last, most)
    fitting = [end for end in range(first, last + 1) if sum(lengths[first - 1 : end]) <= most]
    assert found == (fitting[-1] if fitting else first)
    newest = [start for start in range(first, last + 1) if sum(lengths[start - 1 : last]) <= most]
    assert index.first_within(first, last, most) == (newest[0] if newest else last)


# --- a folder that somebody has prepared


def _secret(tmp_path: Path) -> Path:
    secret = tmp_path / "home" / "secret"
    secret.parent.mkdir()
    secret.write_text("precious")
    return secret


@pytest.mark.parametrize("name", [LEDGER, "korg-tui.lock", ".cut", "blobs", "blobs/ab"])
@pytest.mark.parametrize("kind", ["file", "folder", "nothing", "pipe", "device"])
def test_what_is_in_the_place_of_a_file_of_its_own_is_refused(
    tmp_path: Path, folder: Path, name: str, kind: str
) -> None:
    secret = _secret(tmp_path)
    (secret.parent / ".unfinished-thesis").touch()
    place = folder / name
    place.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(place)
    else:
        home = secret.parent
        leads = {"file": secret, "folder": home, "nothing": home / "new", "device": "/dev/zero"}
        place.symlink_to(leads[kind])
    with pytest.raises(SourceError, match=f"{name} is a (link|pipe), and a store has a") as refused:
        store = Store(folder)
        add(store, call(), call())
        try:
            store.rewind(1, "korg:api", "")
        except StoreChanged as changed:
            raise SourceError(str(changed)) from None
        finally:
            store.close()
    assert (refused.value.exit_code, "\n" in refused.value.text) == (3, False)
    assert sorted(path.name for path in secret.parent.iterdir()) == [".unfinished-thesis", "secret"]
    assert secret.read_text() == "precious"
    assert os.path.lexists(place)


@pytest.mark.parametrize("name", ["generation-1.unfinished", "next.jsonl"])
def test_what_is_in_the_place_of_an_unfinished_file_is_not_written_to(
    tmp_path: Path, store: Store, name: str
) -> None:
    secret = _secret(tmp_path)
    fill(store, 3)
    (store.folder / ".cut").mkdir()
    (store.folder / ".cut" / name).symlink_to(secret)
    with pytest.raises(StoreChanged, match=f"{name} is a link"):
        store.rewind(1, "korg:api", "")
    assert (secret.read_text(), store.head.total) == ("precious", 3)
    (store.folder / ".cut" / name).unlink()
    (store.folder / ".cut" / name).write_text("left by a crash")
    assert store.rewind(1, "korg:api", "").seq == 2
    assert not (store.folder / ".cut" / name).exists()


def test_a_store_that_is_a_link_is_the_folder_that_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    store = Store(tmp_path / "link")
    fill(store, 3)
    store.rewind(1, "korg:api", "")
    store.blobs.keep(named(b"content"), b"content")
    store.close()
    assert tools(tmp_path / "real") == ["user_prompt", "LedgerRewind"]


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "link to nothing"])
def test_what_is_no_file_is_no_blob(tmp_path: Path, kind: str) -> None:
    secret = _secret(tmp_path)
    blobs = BlobFolder(tmp_path / "blobs", {})
    name = named(b"")
    place = tmp_path / "blobs" / name[:2] / name
    place.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(secret if kind == "link" else tmp_path / "nothing")
    blobs.open()
    assert blobs.count == 0
    assert not blobs.has(name)
    with blobs.read(name) as number:
        assert number is None
    with pytest.raises(StoreChanged, match=f"^{place} is a {kind.split()[0]}"):
        blobs.keep(name, b"")
    assert (secret.read_text(), (tmp_path / "nothing").exists()) == ("precious", False)


def test_blobs_go_through_no_link_below_the_folder_that_was_named(tmp_path: Path) -> None:
    secret = _secret(tmp_path)
    (tmp_path / ".korg").symlink_to(secret.parent)
    blobs = BlobFolder(tmp_path / ".korg" / "blobs", {}, within=tmp_path)
    with pytest.raises(StoreChanged, match="korg is a link"):
        blobs.keep(named(b"content"), b"content")
    assert [path.name for path in secret.parent.iterdir()] == ["secret"]
