"""Following a file through whatever its writers do to it (LEDGERS, Containers; CAUSALITY §8)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import builders
from korg_tui.event import Event, Record
from korg_tui.sources import BodyGone, CaughtUp, Fact, FileSource, Grew, Opened, Replaced, SourceError, State

LONG_AGO = 10**9
"""A clock that says this much later than now: nothing was written a moment ago."""


def book(events: int, mark: str = "") -> builders.Book:
    made = builders.Book()
    ask = made.prompt("fix it" + mark)
    while len(made.records) < events:
        made.tool("Read", ask)
    return made


class Followed:
    """A ledger being followed, and what a reader of the facts holds of it."""

    def __init__(self, path: Path, data: bytes | None) -> None:
        self.path = path
        self.late_ns = 60 * LONG_AGO
        if data is not None:
            path.write_bytes(data)
        self.source = FileSource(path, wait=True, clock=self.clock)
        self.records: list[Record] = []
        self.first = list(self.source.start())
        self.apply(self.first)

    def clock(self) -> int:
        """Nanoseconds since the epoch: some time after the file was last written."""
        try:
            return os.stat(self.path).st_mtime_ns + self.late_ns  # noqa: PTH116 - tests take Path.stat away
        except OSError:
            return self.late_ns

    def apply(self, facts: Iterable[Fact]) -> None:
        for fact in facts:
            if isinstance(fact, Replaced):
                self.records = [record for record in self.records if record.offset < fact.offset]
            if isinstance(fact, Grew | Replaced):
                self.records += fact.records

    def poll(self) -> list[Fact]:
        facts = self.source.poll()
        self.apply(facts)
        return facts

    @property
    def seqs(self) -> list[object]:
        return [record.seq if isinstance(record, Event) else ... for record in self.records]

    def append(self, data: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(data)

    def rename_over(self, data: bytes) -> None:
        fresh = self.path.with_suffix(".tmp")
        fresh.write_bytes(data)
        fresh.replace(self.path)

    def rewrite(self, data: bytes) -> None:
        """In place, a little later."""
        before = self.path.stat().st_mtime_ns
        with self.path.open("r+b") as file:
            file.write(data)
            file.truncate()
        os.utime(self.path, ns=(before + LONG_AGO, before + LONG_AGO))


@pytest.fixture
def follow(tmp_path):
    opened: list[Followed] = []

    def start(data: bytes | None) -> Followed:
        opened.append(Followed(tmp_path / "ledger", data))
        return opened[-1]

    yield start
    for followed in opened:
        followed.source.close()


def kinds(facts: list[Fact]) -> list[str]:
    return [fact.state if isinstance(fact, State) else type(fact).__name__ for fact in facts]


def test_an_append_is_what_grew(follow):
    followed = follow(book(2).nested())
    followed.append(book(4).nested()[len(book(2).nested()) :])
    assert kinds(followed.poll()) == ["Grew"]
    assert followed.seqs == [1, 2, 3, 4]
    assert followed.poll() == []


def test_a_torn_line_is_waited_for(follow):
    whole = book(3).nested()
    followed = follow(whole[:-100])
    assert followed.seqs == [1, 2]
    followed.append(whole[-100:-50])
    assert followed.poll() == []
    followed.append(whole[-50:])
    followed.poll()
    assert followed.seqs == [1, 2, 3]


def test_a_whole_line_is_not_kept_waiting_for_its_line_feed(follow):
    followed = follow(book(2).nested()[:-1])
    assert followed.seqs == [1, 2]
    followed.append(b"\n" + book(3).nested()[len(book(2).nested()) :])
    followed.poll()
    assert followed.seqs == [1, 2, 3]


def test_an_event_glued_onto_a_torn_line_is_recovered(follow):
    whole = book(3).nested()
    third = whole[len(book(2).nested()) :]
    followed = follow(whole[:-100])
    followed.append(third)
    followed.poll()
    assert followed.seqs == [1, 2, ..., 3]


def test_a_line_of_5_megabytes_that_arrives_in_pieces(follow):
    followed = follow(book(1).nested())
    line = json.dumps({"seq_id": 2, "tool_name": "Read", "result": "y" * 5_000_000}).encode() + b"\n"
    for begin in range(0, len(line), 1 << 20):
        followed.append(line[begin : begin + (1 << 20)])
        followed.poll()
    assert followed.seqs == [1, 2]


def test_a_truncation_takes_records_back(follow):
    followed = follow(book(5).nested())
    os.truncate(followed.path, len(book(3).nested()))
    (fact,) = followed.poll()
    assert fact == Replaced(followed.records[-1].offset + followed.records[-1].length + 1, (), 1)
    assert followed.seqs == [1, 2, 3]
    assert followed.source.read(followed.records[0].offset, followed.records[0].length, 0)
    with pytest.raises(BodyGone, match="cut or rewritten"):
        followed.source.read(fact.offset, 10, 0)


def test_a_truncation_and_an_append_at_once(follow):
    followed = follow(book(5).nested())
    followed.rewrite(
        book(3).nested() + builders.lines([{"seq_id": 4, "tool_name": "Bash", "args": "x" * 5_000}])
    )
    assert kinds(followed.poll()) == ["Replaced"]
    assert followed.seqs == [1, 2, 3, 4]
    assert followed.records[-1].tool == "Bash"


def test_a_truncation_to_nothing_and_a_new_beginning(follow):
    followed = follow(book(5).nested())
    os.truncate(followed.path, 0)
    assert kinds(followed.poll()) == ["Opened", "Replaced"]
    assert followed.seqs == []
    followed.append(book(2, "!").flat())
    assert kinds(followed.poll()) == ["Opened", "Grew"]
    assert followed.seqs == [1, 2]


def test_a_rewrite_in_place_of_the_same_size(follow):
    data = book(4).nested()
    followed = follow(data)
    followed.rewrite(data.replace(b'"seq_id":3', b'"seq_id":8'))
    (fact,) = followed.poll()
    assert fact.offset == followed.records[2].offset
    assert followed.seqs == [1, 2, 8, 4]


def test_a_rewrite_within_the_same_tick_is_seen_a_little_later(follow):
    data = book(4).nested()
    followed = follow(data)
    followed.late_ns = 1_000_000
    followed.append(builders.lines([{"seq_id": 5, "tool_name": "x"}]))
    followed.poll()
    assert followed.source.poll_after
    stamp = followed.path.stat().st_mtime_ns
    now = followed.path.read_bytes().replace(b'"seq_id":3', b'"seq_id":8')
    with followed.path.open("r+b") as file:
        file.write(now)
    os.utime(followed.path, ns=(stamp, stamp))
    followed.late_ns = LONG_AGO
    followed.poll()
    assert followed.seqs == [1, 2, 8, 4, 5]
    assert followed.poll() == []
    assert followed.source.poll_after is None


def test_touching_changes_nothing(follow):
    followed = follow(book(4).nested())
    os.utime(followed.path, ns=(5 * LONG_AGO, 5 * LONG_AGO))
    assert followed.poll() == []


def test_an_array_with_one_more_event_grew(follow):
    followed = follow(book(3).array())
    followed.rename_over(book(4).array())
    assert kinds(followed.poll()) == ["Grew"]
    assert followed.seqs == [1, 2, 3, 4]
    record = followed.records[0]
    assert json.loads(followed.source.read(record.offset, record.length))["seq_id"] == 1


def test_only_what_is_new_in_an_array_is_decoded(follow, monkeypatch):
    from korg_tui.sources import records

    followed = follow(book(50).array())
    followed.rename_over(book(51).array())
    decoded: list[int] = []

    def counting(raw: bytes, offset: int) -> object:
        decoded.append(offset)
        return decode(raw, offset)

    decode = records.decode
    monkeypatch.setattr(records, "decode", counting)
    followed.poll()
    assert followed.seqs[-1] == 51
    assert len(decoded) == 1


def test_a_rewound_array_is_replaced_from_the_first_difference(follow):
    followed = follow(book(6).array())
    old = followed.records[4]
    before = followed.source.read(old.offset, old.length)
    rewound = book(3)
    rewound.governance("LedgerRewind", target_seq_id=3)
    followed.rename_over(rewound.array())
    (fact,) = followed.poll()
    assert isinstance(fact, Replaced)
    assert [record.seq for record in fact.records] == [4]
    assert (fact.epoch, followed.seqs) == (1, [1, 2, 3, 4])
    assert followed.source.read(old.offset, old.length, 0) == before
    new = followed.records[3]
    assert (
        json.loads(followed.source.read(new.offset, new.length, 1))["event"]["event_type"] == "LedgerRewind"
    )


def test_an_array_in_another_layout_is_replaced_whole(follow):
    followed = follow(book(3).array())
    followed.rename_over(json.dumps(json.loads(book(3).array())).encode())
    assert kinds(followed.poll()) == ["Replaced"]
    assert followed.seqs == [1, 2, 3]


def test_an_array_of_nothing_after_a_rewind_to_nothing(follow):
    followed = follow(book(3).array())
    followed.rename_over(b"[]")
    assert kinds(followed.poll()) == ["Replaced"]
    assert followed.seqs == []
    followed.rename_over(book(2).array())
    assert kinds(followed.poll()) == ["Grew"]


def test_lines_can_become_an_array(follow):
    followed = follow(book(3).nested())
    followed.rename_over(book(4).array())
    assert kinds(followed.poll()) == ["Opened", "Replaced"]
    assert followed.seqs == [1, 2, 3, 4]


def test_an_array_that_is_being_written_in_place_is_waited_for(follow):
    followed = follow(book(3).array())
    followed.late_ns = 1_000_000
    for half in (b"", b"[\n", book(6).array()[:-300]):
        followed.path.write_bytes(half)
        assert followed.poll() == []
        assert followed.source.poll_after
    followed.path.write_bytes(book(6).array())
    assert kinds(followed.poll()) == ["Grew"]
    assert followed.seqs == [1, 2, 3, 4, 5, 6]


def test_an_array_that_stays_cut_off_is_read_as_far_as_it_goes(follow):
    followed = follow(book(3).array())
    followed.path.write_bytes(book(6).array()[:-300])
    assert kinds(followed.poll()) == ["Grew"]
    assert followed.seqs == [1, 2, 3, 4, 5]


def test_a_file_that_goes_and_comes_back(follow):
    followed = follow(book(3).nested())
    followed.path.unlink()
    (gone,) = followed.poll()
    assert (gone.state, "followed again" in gone.text) == ("gone", True)
    assert followed.poll() == []
    record = followed.records[0]
    assert followed.source.read(record.offset, record.length)
    followed.path.write_bytes(book(4).nested())
    assert kinds(followed.poll()) == ["back", "Grew"]
    assert followed.seqs == [1, 2, 3, 4]


def test_a_file_that_comes_back_as_another(follow):
    followed = follow(book(3).nested())
    followed.path.unlink()
    followed.poll()
    followed.path.write_bytes(book(2, "!").nested())
    assert kinds(followed.poll()) == ["back", "Replaced"]
    assert followed.seqs == [1, 2]


def test_a_file_that_is_not_there_yet(follow):
    followed = follow(None)
    assert kinds(followed.first) == ["waiting"]
    assert followed.poll() == []
    followed.path.write_bytes(b"")
    assert kinds(followed.poll()) == ["live", "Opened", "CaughtUp"]
    followed.append(book(2).nested()[:6])
    assert followed.poll() == []
    followed.append(book(2).nested()[6:])
    assert kinds(followed.poll()) == ["Opened", "Grew"]
    assert followed.seqs == [1, 2]


def test_a_file_that_appears_with_a_torn_first_line(follow):
    followed = follow(None)
    followed.path.write_bytes(book(2).nested()[:6])
    assert followed.poll() == []
    followed.append(book(2).nested()[6:])
    assert kinds(followed.poll()) == ["live", "Opened", "Grew", "CaughtUp"]


def test_something_else_appears_in_its_place(follow):
    followed = follow(book(3).nested())
    followed.rename_over(b"# a README\n")
    (failed,) = followed.poll()
    assert (failed.state, "is not a ledger now" in failed.text) == ("failed", True)
    assert followed.poll() == []
    assert followed.seqs == [1, 2, 3]
    followed.rename_over(book(4).nested())
    assert kinds(followed.poll()) == ["back", "Grew"]


def test_what_was_no_ledger_at_the_start_can_become_one(tmp_path):
    path = tmp_path / "ledger"
    path.write_text("# a README\n")
    source = FileSource(path)
    with pytest.raises(SourceError):
        list(source.start())
    assert source.poll() == []
    path.write_bytes(book(3).nested())
    facts = source.poll()
    assert kinds(facts) == ["live", "Opened", "Grew", "CaughtUp"]
    source.close()


def test_a_file_that_cannot_be_read_for_a_while(follow, monkeypatch):
    followed = follow(book(3).nested())

    def refuse(self: Path) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", refuse)
        assert kinds(followed.source.poll()) == ["failed"]
        assert followed.source.poll() == []
    followed.append(book(4).nested()[len(book(3).nested()) :])
    assert kinds(followed.poll()) == ["back", "Grew"]


def test_bodies_of_many_replaced_files_do_not_keep_files_open_for_ever(follow):
    followed = follow(book(3, "0").array())
    old = followed.records[2]
    before = len(list(Path("/dev/fd").iterdir()))
    for turn in range(1, 60):
        followed.rename_over(book(3, str(turn)).array())
        assert kinds(followed.poll()) == ["Replaced"]
    assert len(list(Path("/dev/fd").iterdir())) - before <= 32
    with pytest.raises(BodyGone, match="replaced too often"):
        followed.source.read(old.offset, old.length, 0)
    assert followed.source.read(old.offset, 5, 58)


def test_a_closed_source_gives_no_bodies(follow):
    followed = follow(book(3).nested())
    followed.source.close()
    with pytest.raises(BodyGone):
        followed.source.read(0, 5)


CONTENTS = st.sampled_from(["lines 2", "lines 6", "array 4", "array 5", "other 4", "flat 3"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(1, 900)),
        st.tuples(st.just("cut"), st.integers(0, 3000)),
        st.tuples(st.just("rename"), CONTENTS),
        st.tuples(st.just("rewrite"), CONTENTS),
        st.tuples(st.just("delete"), st.just(0)),
    ),
    max_size=8,
)


def content(name: str) -> bytes:
    kind, count = name.split()
    made = book(int(count), "!" if kind == "other" else "")
    return {"lines": made.nested, "other": made.nested, "array": made.array, "flat": made.flat}[kind]()


def take(step: tuple[str, object], followed: Followed) -> None:
    what, how = step
    there = followed.path.exists()
    if what == "append" and there:
        size = followed.path.stat().st_size
        followed.append(book(8).nested()[size : size + int(how)])  # type: ignore[call-overload]
    elif what == "cut" and there:
        os.truncate(followed.path, min(followed.path.stat().st_size, int(how)))  # type: ignore[call-overload]
    elif what == "rename":
        followed.rename_over(content(str(how)))
    elif what == "rewrite" and there:
        followed.rewrite(content(str(how)))
    elif what == "delete" and there:
        followed.path.unlink()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(STEPS)
def test_whatever_happens_the_facts_amount_to_what_is_there(tmp_path, steps):
    """After any steps, a follower holds what a new reader of the file finds."""
    followed = Followed(tmp_path / "ledger", book(3).nested())
    for step in steps:
        take(step, followed)
        followed.poll()
        if followed.path.exists():
            anew = FileSource(followed.path)
            try:
                facts = list(anew.start())
            except SourceError:
                continue
            finally:
                anew.close()
            expected = [record for fact in facts if isinstance(fact, Grew) for record in fact.records]
            assert followed.records == expected
    followed.source.close()


def test_the_first_facts_say_what_was_opened(follow):
    followed = follow(book(1).nested())
    assert followed.first[0] == Opened("lines")
    assert followed.first[-1] == CaughtUp()


def test_a_file_emptied_a_moment_ago_is_about_to_be_written(tmp_path: Path) -> None:
    followed = Followed(tmp_path / "ledger.jsonl", book(3).nested())
    followed.late_ns = 0
    followed.path.write_bytes(b"")
    assert followed.poll() == []
    assert followed.source.poll_after
    followed.path.write_bytes(book(5).nested())
    (grew,) = followed.poll()
    assert isinstance(grew, Grew)
    assert len(grew.records) == 2


def test_a_file_that_stays_empty_has_lost_its_events(tmp_path: Path) -> None:
    followed = Followed(tmp_path / "ledger.jsonl", book(3).nested())
    followed.late_ns = 0
    followed.path.write_bytes(b"")
    followed.poll()
    followed.late_ns = LONG_AGO
    assert [type(fact) for fact in followed.poll() if not isinstance(fact, Opened)] == [Replaced]
    assert followed.records == []


def test_a_run_of_worthless_lines_grows_and_is_cut_like_any_other_record(tmp_path: Path) -> None:
    first, second = book(2).nested().splitlines(keepends=True)
    data = first + b"1\n" * 5_000
    ledger = Followed(tmp_path / "ledger", data)
    assert len(ledger.records) == 1_002
    for _ in range(3):
        data += b"2\n" * 300
        ledger.path.write_bytes(data)
        ledger.poll()
    data += second
    ledger.path.write_bytes(data)
    ledger.poll()
    assert len(ledger.records) == 1_006
    assert isinstance(ledger.records[-1], Event)
    assert [record.length for record in ledger.records[-4:-1]] == [599] * 3
    ledger.path.write_bytes(first + b"1\n" * 2_000 + second)
    ledger.poll()
    assert [record.seq for record in ledger.records if isinstance(record, Event)] == [1, 2]
    assert ledger.records[-1].offset == len(first) + 4_000


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (os.mkfifo, "it is a pipe, not a file"),
        (os.mkdir, "it is a folder, not a file"),
        (lambda path: path.symlink_to("/dev/zero"), "it is a device, not a file"),
        (lambda path: path.symlink_to("/proc/self/mem"), "the device reports an error"),
        (lambda path: path.symlink_to("/proc/self/status"), "it is no file on a disk"),
        (lambda path: path.symlink_to(path), "its symbolic links go in a circle"),
    ],
)
def test_a_ledger_that_something_else_takes_the_place_of(
    tmp_path: Path, place: Callable[[Path], None], words: str
) -> None:
    ledger = Followed(tmp_path / "ledger", book(3).nested())
    ledger.path.rename(tmp_path / "aside")
    place(ledger.path)
    (state,) = ledger.poll()
    assert isinstance(state, State)
    assert state.state == "failed"
    assert words in state.text
    assert ledger.poll() == []
    assert len(ledger.records) == 3
    (tmp_path / "moved").mkdir()
    ledger.path.rename(tmp_path / "moved" / "it")
    ledger.path.write_bytes(book(4).nested())
    (back, grew) = ledger.poll()
    assert isinstance(back, State)
    assert (back.state, isinstance(grew, Grew)) == ("back", True)
    assert len(ledger.records) == 4
