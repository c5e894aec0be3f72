"""Content is read piece by piece, and what is made of it is made no further than somebody looks."""

from __future__ import annotations

import os
import threading

import pytest

from korg_tui.sources import content
from korg_tui.sources.content import FileContent, MadeContent, MemoryContent, NotAFile, chunks, open_regular


def test_a_file_is_read_where_it_is_asked(tmp_path):
    path = tmp_path / "blob"
    path.write_bytes(b"0123456789")
    found = FileContent.at(path)
    assert (found.size, found.read(3, 4), found.read(8, 9), found.asked) == (10, b"3456", b"89", 6)
    path.unlink()
    assert b"".join(chunks(found)) == b"0123456789"
    found.close()
    assert found.read(0, 1) == b""


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_only_a_regular_file_is_opened(tmp_path, make):
    make(tmp_path / "odd")
    with pytest.raises(NotAFile):
        open_regular(tmp_path / "odd")


def test_what_is_made_can_be_read_while_it_grows():
    go_on = threading.Event()

    def make(parts):
        yield b"".join(parts).upper()
        assert go_on.wait(30)
        yield b" END"

    made = MadeContent(make, MemoryContent(b"begin"))
    while made.size < 5:
        pass
    assert (made.read(0, 99), made.complete) == (b"BEGIN", False)
    go_on.set()
    assert made.wait(30)
    assert (made.read(0, 99), made.failure) == (b"BEGIN END", "")
    made.close()
    assert made.read(0, 1) == b""


def test_it_is_made_only_a_little_ahead_of_what_is_looked_at(monkeypatch):
    monkeypatch.setattr(content, "AHEAD", 10)
    steps = []

    def make(parts):
        for step in range(20):
            steps.append(step)
            yield b"12345"

    made = MadeContent(make, MemoryContent(b""))
    while made.size < 15:
        pass
    assert not made.wait(0.05)
    assert len(steps) == 3
    made.want()
    assert made.wait(30)
    assert made.size == 100
    made.close()


def test_a_failure_is_told_and_what_was_made_before_stays(monkeypatch):
    def make(parts):
        yield b"good"
        raise ValueError("damaged from here on")

    made = MadeContent(make, MemoryContent(b""))
    assert made.wait(30)
    assert (made.read(0, 9), made.failure) == (b"good", "damaged from here on")
    made.close()
    monkeypatch.setattr(content, "LARGEST_MADE", 10)
    large = MadeContent(lambda parts: iter([b"123456"] * 9), MemoryContent(b""))
    assert large.wait(30)
    assert (large.size, large.failure) == (10, "only the first 0 MiB are shown")
    large.close()


def test_one_is_made_of_another_that_still_grows():
    go_on = threading.Event()

    def slow(parts):
        yield b"ab"
        assert go_on.wait(30)
        yield b"cd"

    inner = MadeContent(slow, MemoryContent(b""))
    outer = MadeContent(lambda parts: (part.upper() for part in parts), inner)
    go_on.set()
    assert outer.wait(30)
    assert outer.read(0, 9) == b"ABCD"
    outer.close()
    inner.close()


def test_closing_ends_the_thread():
    made = MadeContent(lambda parts: iter(lambda: b"x" * 100_000, b""), MemoryContent(b""))
    made.close()
    assert made.wait(30)
