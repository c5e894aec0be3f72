"""Open files: no more at once than there is room for, each still the file that it was."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from korg_tui.sources import BodyGone, FileSource, Replaced
from korg_tui.sources.opened import AnotherFile, Descriptors, OpenFile


@pytest.fixture
def room():
    return Descriptors(3)


@pytest.fixture
def files(room, tmp_path):
    made = []
    for number in range(10):
        path = tmp_path / str(number)
        path.write_bytes(b"%d" % number * 5)
        made.append(OpenFile.at(path, room))
    yield made
    for file in made:
        file.close()
    assert len(room) == 0


def test_all_can_be_read_and_few_are_open(room, files):
    for _ in range(2):
        for number, file in enumerate(files):
            assert file.read(1, 3) == b"%d" % number * 3
            assert len(room) <= 3
    assert [file.stat().st_size for file in files] == [5] * 10


def test_one_that_is_held_stays_open(room, files):
    with files[0].held() as descriptor:
        for file in files[1:]:
            file.read(0, 1)
        assert os.pread(descriptor, 5, 0) == b"00000"
    files[0].close()
    with pytest.raises(AnotherFile):
        files[0].read(0, 1)


def test_one_that_is_closed_while_it_is_held_lasts_until_it_is_given_back(room, files):
    with files[0].held() as descriptor:
        files[0].close()
        assert os.pread(descriptor, 5, 0) == b"00000"
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.pread(descriptor, 5, 0)


def test_a_replaced_file_is_readable_while_there_is_room_and_never_another(room, tmp_path):
    path = tmp_path / "ledger"
    path.write_bytes(b"old")
    old = OpenFile.at(path, room)
    (tmp_path / "new").write_bytes(b"new")
    (tmp_path / "new").replace(path)
    old.replaced()
    new = OpenFile.at(path, room)
    others = [OpenFile.at(path, room) for _ in range(5)]
    assert [file.read(0, 3) for file in (*others, new)] == [b"new"] * 6
    assert old.read(0, 3) == b"old", "those that can be opened again make room first"
    for file in others[:3]:
        file.read(0, 3)
        file.replaced()
    with pytest.raises(AnotherFile):
        old.read(0, 3)
    for file in (old, new, *others):
        file.close()


def test_when_the_process_has_too_many_open_others_make_room(room, files, tmp_path, monkeypatch):
    files[0].read(0, 1)
    opening, refused = os.open, [1]

    def refuse_once(path: Path, flags: int) -> int:
        if refused:
            raise OSError(errno.EMFILE, "Too many open files", refused.pop())
        return opening(path, flags)

    monkeypatch.setattr(os, "open", refuse_once)
    assert files[5].read(0, 5) == b"55555"
    assert len(room) <= 2


def test_bodies_of_a_ledger_that_was_replaced_while_it_was_closed_are_gone_not_wrong(tmp_path, monkeypatch):
    room = Descriptors(1)
    monkeypatch.setattr("korg_tui.sources.opened.DESCRIPTORS", room)
    path, other = tmp_path / "ledger", tmp_path / "other"
    path.write_bytes(b'{"seq_id": 1, "tool_name": "x", "success": true}\n')
    other.write_bytes(b"other")
    source = FileSource(path)
    list(source.start())
    somebody_else = OpenFile.at(other)
    (tmp_path / "new").write_bytes(b'{"seq_id": 1, "tool_name": "y", "success": true}\n')
    (tmp_path / "new").replace(path)
    with pytest.raises(BodyGone, match="another file has its name now"):
        source.read(0, 10)
    (replaced,) = (fact for fact in source.poll() if isinstance(fact, Replaced))
    assert b'"tool_name": "y"' in source.read(0, 48)
    assert replaced.records[0].tool == "y"
    with pytest.raises(BodyGone):
        source.read(0, 10, epoch=0)
    somebody_else.close()
    source.close()
