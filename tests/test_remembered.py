"""Remembered: bookmarks, places, searches and panes lie in the state folder, whatever happens there."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from korg_tui import remembered
from korg_tui.remembered import PHRASES, Bookmark, Remembered, Spot, identity

HERE = "/work/journal.jsonl"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "korg-tui"


def test_a_bookmark_is_there_next_time_and_goes_when_it_is_set_again(folder: Path):
    mark = Bookmark(HERE, 42, 7, "42 Bash pytest", 1_000)
    assert Remembered(folder).toggle(mark)
    assert Remembered(folder).bookmarks() == (mark,)
    assert not Remembered(folder).toggle(mark)
    assert Remembered(folder).bookmarks() == ()


def test_a_mark_on_an_event_that_was_replaced_takes_the_place_of_the_old_one(folder: Path):
    kept = Remembered(folder)
    kept.toggle(Bookmark(HERE, 42, 7))
    assert kept.toggle(Bookmark(HERE, 42, 8))
    assert [each.digest for each in kept.bookmarks()] == [8]


def test_what_a_bookmark_says_is_safe_text(folder: Path):
    kept = Remembered(folder)
    kept.toggle(Bookmark(HERE, 1, words="\x1b]0;owned\x07"))
    assert kept.bookmarks()[0].words == "␛]0;owned␇"


def test_files_are_for_this_person_alone(folder: Path):
    Remembered(folder).add_to_history("search", "leap day")
    assert (folder / "history.json").stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in folder.iterdir()) == ["history.json", "lock"]


def test_a_place_is_that_of_its_session_and_the_last_one_that_of_the_ledger(folder: Path):
    kept = Remembered(folder)
    kept.keep_spot(Spot(HERE, session=1, seq=5))
    kept.keep_spot(Spot(HERE, session=9, seq=12))
    kept.keep_spot(Spot(HERE, session=1, seq=6))
    assert kept.spot(HERE).seq == 6
    assert kept.spot(HERE, 9).seq == 12
    assert kept.spot(HERE, 2) is None
    assert kept.spot("/other") is None


def test_the_history_ends_with_what_was_asked_last_and_is_bounded(folder: Path):
    kept = Remembered(folder)
    for words in ("tool:Bash", "is:failed", "tool:Bash", "  "):
        kept.add_to_history("filter", words)
    assert kept.history("filter") == ("is:failed", "tool:Bash")
    assert kept.history("search") == ()
    (folder / "history.json").write_bytes(b'{"search": [' + b", ".join([b'"x"'] * 500) + b"]}")
    kept.add_to_history("search", "y")
    assert len(kept.history("search")) == PHRASES
    assert kept.history("search")[-1] == "y"


def test_panes_are_remembered_and_forgotten(folder: Path):
    Remembered(folder).keep_pane("wide", 40)
    assert Remembered(folder).panes() == {"wide": 40}
    Remembered(folder).keep_pane("wide", None)
    assert Remembered(folder).panes() == {}


def test_two_programs_see_what_the_other_has_marked(folder: Path):
    one, two = Remembered(folder), Remembered(folder)
    one.toggle(Bookmark(HERE, 1))
    assert [each.seq for each in two.bookmarks()] == [1]
    two.toggle(Bookmark(HERE, 2))
    one.toggle(Bookmark(HERE, 3))
    assert [each.seq for each in two.bookmarks()] == [1, 2, 3]


def _mark_some(folder: Path, first: int) -> None:
    kept = Remembered(folder)
    for seq in range(first, first + 10):
        kept.toggle(Bookmark(HERE, seq))
    assert kept.settle(30)


def test_programs_that_mark_at_once_lose_nothing(folder: Path):
    context = multiprocessing.get_context("fork")
    others = [context.Process(target=_mark_some, args=(folder, first)) for first in (100, 200)]
    for other in others:
        other.start()
    _mark_some(folder, 300)
    for other in others:
        other.join()
    assert len(Remembered(folder).bookmarks()) == 30


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"{}", b'[{"seq": "x"}]', b"\xff\xfe", b"[" * 100_000, b" " * 4_000_001],
    ids=["empty", "torn", "other", "wrong", "bytes", "deep", "long"],
)
def test_a_broken_file_is_set_aside_and_told_once(folder: Path, content: bytes):
    folder.mkdir(parents=True)
    (folder / "bookmarks.json").write_bytes(content)
    kept = Remembered(folder)
    assert kept.bookmarks() == ()
    assert kept.toggle(Bookmark(HERE, 1))
    aside = folder / "bookmarks.broken"
    assert kept.troubles() == [f"the bookmarks could not be read: what was there is now {aside}"]
    assert kept.troubles() == []
    assert aside.read_bytes() == content
    assert len(Remembered(folder).bookmarks()) == 1


def test_a_folder_that_cannot_be_written_is_told_once_and_everything_works(folder: Path):
    folder.parent.mkdir()
    folder.write_text("a file where the folder should be")
    kept = Remembered(folder)
    assert kept.toggle(Bookmark(HERE, 1))
    kept.add_to_history("search", "leap")
    kept.add_to_history("search", "day")
    assert [each.seq for each in kept.bookmarks()] == [1]
    assert kept.history("search") == ("leap", "day")
    bookmarks, history = kept.troubles()
    assert bookmarks.startswith(f"bookmarks cannot be kept in {folder}: ")
    assert history.endswith("; they last until you quit")
    assert kept.troubles() == []
    assert not kept.toggle(Bookmark(HERE, 1))


@pytest.fixture
def held(folder: Path) -> Iterator[Callable[[], None]]:
    """The lock is held; called, it lets it go."""
    folder.mkdir(parents=True)
    descriptors = [os.open(folder / "lock", os.O_RDWR | os.O_CREAT)]
    fcntl.flock(descriptors[0], fcntl.LOCK_EX)
    yield lambda: os.close(descriptors.pop())
    for descriptor in descriptors:
        os.close(descriptor)


def test_what_changes_while_another_program_holds_the_lock_is_written_when_it_is_free(folder, held):
    other = Remembered(folder)
    kept = Remembered(folder)
    assert kept.toggle(Bookmark(HERE, 1))
    assert not kept.toggle(Bookmark(HERE, 1))
    assert kept.toggle(Bookmark(HERE, 2))
    kept.keep_pane("wide", 30)
    assert [each.seq for each in kept.bookmarks()] == [2]
    assert kept.troubles() == [
        "another korg-tui is writing: the bookmarks are kept when it is done",
        "another korg-tui is writing: the panes are kept when it is done",
    ]
    assert not kept.settle()
    assert other.bookmarks() == ()
    held()
    other.toggle(Bookmark(HERE, 3))
    assert [each.seq for each in kept.bookmarks()] == [3, 2]
    assert kept.settle()
    assert [each.seq for each in other.bookmarks()] == [3, 2]
    assert other.panes() == {"wide": 30}


def test_what_could_not_be_written_by_the_end_is_told(folder, held, monkeypatch):
    monkeypatch.setattr(remembered, "_LEAVING_SECONDS", 0.0)
    kept = Remembered(folder)
    kept.toggle(Bookmark(HERE, 1))
    kept.troubles()
    told = "what changed in the bookmarks is lost: another korg-tui did not let anybody write"
    assert kept.leave() == [told]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_set_aside_and_never_waited_for(folder: Path, make):
    folder.mkdir(parents=True)
    make(folder / "bookmarks.json")
    kept = Remembered(folder)
    assert kept.bookmarks() == ()
    assert kept.troubles() == [
        f"the bookmarks could not be read: what was there is now {folder / 'bookmarks.broken'}"
    ]
    assert kept.toggle(Bookmark(HERE, 1))
    assert len(Remembered(folder).bookmarks()) == 1


def test_what_cannot_be_set_aside_is_told_and_bookmarks_last_as_long_as_the_program(folder: Path):
    (folder / "bookmarks.json").mkdir(parents=True)
    (folder / "bookmarks.broken").write_text("from before")
    kept = Remembered(folder)
    assert kept.toggle(Bookmark(HERE, 1))
    assert len(kept.bookmarks()) == 1
    assert any(words.endswith("they last until you quit") for words in kept.troubles())
    assert (folder / "bookmarks.broken").read_text() == "from before"


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to(path.parent / "victim")])
def test_a_lock_that_is_no_file_is_told_and_a_link_is_not_followed(folder: Path, make):
    folder.mkdir(parents=True)
    make(folder / "lock")
    kept = Remembered(folder)
    assert kept.toggle(Bookmark(HERE, 1))
    assert len(kept.bookmarks()) == 1
    assert kept.troubles()[0].startswith(f"bookmarks cannot be kept in {folder}: ")
    assert not (folder / "victim").exists()


def test_without_a_folder_everything_lasts_as_long_as_the_program(tmp_path: Path):
    kept = Remembered(None)
    kept.toggle(Bookmark(HERE, 1))
    kept.keep_pane("wide", 30)
    assert kept.bookmarks() and kept.panes() == {"wide": 30}
    assert kept.troubles() == []


def test_what_has_no_place_of_its_own_is_never_written(folder: Path):
    kept = Remembered(folder)
    assert kept.toggle(Bookmark(identity(None, "demo"), 1))
    kept.keep_spot(Spot(identity(None, "-"), 1, 2))
    assert len(kept.bookmarks()) == 1
    assert kept.spot("-:-").seq == 2
    assert not folder.exists()


def test_a_ledger_is_known_by_its_resolved_path_or_its_address(tmp_path: Path):
    real = tmp_path / "journal.jsonl"
    real.touch()
    link = tmp_path / "link.jsonl"
    link.symlink_to(real)
    assert identity(link, "link.jsonl") == str(real)
    assert identity(real, "journal.jsonl#2") == f"{real}#2"
    assert identity(None, "http://127.0.0.1:8080") == "http://127.0.0.1:8080"
    assert identity(None, "demo") == "-:demo"
    assert identity(Path(os.fsdecode(b"/tmp/\xff.jsonl")), "x").isprintable()
