"""Pages of content: rows are cut where they should, and nothing is read that nobody looks at."""

from __future__ import annotations

import random

import pytest

from korg_tui.sources import MemoryContent
from korg_tui.views import pages
from korg_tui.views.pages import HexPages, LineCount, TextPages
from korg_tui.views.seeking import HitCount, Seeker, needle


class Counted(MemoryContent):
    """Content in memory that counts what is read of it."""

    asked = 0

    def read(self, offset: int, length: int) -> bytes:
        found = super().read(offset, length)
        self.asked += len(found)
        return found


def all_rows(of: TextPages | HexPages) -> list[str]:
    """Every row, walking down one by one."""
    shown, at = [], of.row_at(0)
    while True:
        (row,) = of.rows(at, 1)
        shown.append(row.text)
        following = of.moved(at, 1)
        if following == at:
            return shown
        at = following


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(pages, "BLOCK", 64)


def test_lines_are_rows_wherever_blocks_end():
    lines = [f"line {number} " + "x" * (number % 23) for number in range(60)]
    text = TextPages(MemoryContent("\n".join(lines).encode()))
    assert all_rows(text) == lines
    assert [row.text for row in text.rows(0, 99)] == lines
    assert all(row.begins for row in text.rows(0, 99))


def test_a_line_that_is_too_long_is_cut_into_rows_that_only_go_on():
    text = TextPages(MemoryContent(b"0123456789" * 3 + b"\nshort\n"), cut=12)
    assert [(row.text, row.begins) for row in text.rows(0, 9)] == [
        ("012345678901", True), ("234567890123", False), ("456789", False), ("short", True)
    ]  # fmt: skip


def test_rows_end_behind_words_where_they_can():
    content = b"some words that go on and on, then averyveryverylongword"
    text = TextPages(MemoryContent(content), cut=16, words=True)
    assert all_rows(text) == ["some words that ", "go on and on, ", "then averyveryve", "rylongword"]


def test_one_endless_line_has_rows_and_no_character_is_torn():
    content = ("é日\U0001f600" * 200).encode()
    rows = all_rows(TextPages(MemoryContent(content), cut=20))
    assert "".join(rows) == content.decode()
    assert max(map(len, rows)) <= 20


@pytest.mark.parametrize("seed", range(5))
def test_going_up_and_down_meets_the_same_rows(seed):
    chance = random.Random(seed)
    content = b"".join(b"x" * chance.choice((0, 1, 9, 70, 300)) + b"\n" for _ in range(60))
    text = TextPages(MemoryContent(content), cut=chance.choice((8, 40, 4096)))
    rows = [row.offset for row in text.rows(0, 10_000)]
    assert rows[0] == 0
    for _ in range(40):
        index, step = chance.randrange(len(rows)), chance.randrange(-30, 30)
        assert text.moved(rows[index], step) == rows[max(0, min(len(rows) - 1, index + step))]
        assert text.row_at(rows[index] + 1 if content[rows[index]] != 10 else rows[index]) == rows[index]
    assert text.moved(0, 10**6) == rows[-1]


def test_bytes_that_are_no_text_and_controls_are_made_visible():
    text = TextPages(MemoryContent(b"\xef\xbb\xbfa\xffb\x1b[2J\r\n\ttab\xe2\x80\xae"), begins=3)
    assert all_rows(text) == ["a\\xffb␛[2J", "    tab\\u202e"]
    latin = TextPages(MemoryContent(b"gr\xfcn\x9b"), "latin-1")
    assert all_rows(latin) == ["grün\\x9b"]


def test_bytes_as_hex():
    of = HexPages(MemoryContent(bytes(range(40))))
    rows = all_rows(of)
    assert rows[1] == "00000010  10 11 12 13 14 15 16 17  18 19 1a 1b 1c 1d 1e 1f  ················"
    assert rows[2].endswith(' !"#$%&\'')
    assert of.moved(0, 99) == 32
    assert {len(row) for row in rows[:2]} == {76}


def test_empty_content_has_no_rows():
    assert TextPages(MemoryContent(b"")).rows(0, 5) == []
    assert HexPages(MemoryContent(b"")).rows(0, 5) == []


def test_a_page_of_50_mb_is_read_as_fast_as_one_of_a_small_file(monkeypatch):
    monkeypatch.setattr(pages, "BLOCK", 65_536)
    for line in (b"a line of the usual length, more or less\n", b"one endless line "):
        content = Counted(line * (50_000_000 // len(line)))
        text = TextPages(content, cut=80)
        assert len(text.rows(0, 50)) == 50
        assert content.asked < 300_000
        end = text.moved(text.moved(content.size, 0), -49)
        assert len(text.rows(end, 60)) == 50
        middle = text.row_at(25_000_000)
        assert text.moved(text.moved(middle, 40), -40) == middle
        assert content.asked < 3_000_000


# lines


def test_lines_are_counted_step_by_step():
    content = MemoryContent(b"".join(b"%d\n" % number for number in range(1, 200)) + b"end")
    count = LineCount(content)
    assert count.line_at(500) is None
    assert count.offset_of(150) is None
    assert count.line_at(10) == 6
    assert count.work(2)
    while count.work(1):
        pass
    assert count.lines == 200
    for number in (1, 2, 77, 150, 199):
        offset = count.offset_of(number)
        assert content.read(offset, 9).split(b"\n")[0] == b"%d" % number
        assert count.line_at(offset) == number
    assert content.read(count.offset_of(10**9), 9) == b"end"
    assert count.offset_of(0) == 0


@pytest.mark.parametrize(
    ("content", "lines"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"\n\n", 2), (b"x" * 64, 1)]
)
def test_how_many_lines_there_are(content, lines):
    count = LineCount(MemoryContent(content))
    while count.work(1):
        pass
    assert count.lines == lines


# seeking


def seek(content: bytes, words: str, start: int = 0, **how) -> tuple[int | None, bool]:
    backward = how.pop("backward", False)
    seeker = Seeker(MemoryContent(content), needle(words, **how), start, forward=not backward)
    for _ in range(100):
        seeker.step()
    assert seeker.done
    return seeker.found, seeker.around


@pytest.mark.parametrize("slice_", [1, 5, 1000])
def test_words_are_found_forward_and_backward_around_the_end(monkeypatch, slice_):
    monkeypatch.setattr("korg_tui.views.seeking._SLICE", slice_)
    content = b"one TWO three two one"
    assert seek(content, "two") == (4, False)
    assert seek(content, "two", 5) == (14, False)
    assert seek(content, "two", 15) == (4, True)
    assert seek(content, "two", 14, backward=True) == (4, False)
    assert seek(content, "two", 4, backward=True) == (14, True)
    assert seek(content, "four") == (None, True)
    assert seek(content, "four", 9, backward=True) == (None, True)


def test_letters_of_every_alphabet_fold_and_bytes_are_found_as_hex():
    assert seek("Grün GRÜN".encode(), "grün", 1)[0] == 6
    assert seek("Grün GRÜN".encode("latin-1"), "grün", 1, encoding="latin-1")[0] == 5
    assert seek(b"ab\x89PNG", "89 50", as_hex=True)[0] == 2
    assert seek(b"ab 89 50", "89 50")[0] == 3
    assert seek(b"abc a.c", "a.c")[0] == 4
    assert seek(b"anything", "")[0] is None


def test_hits_are_counted_as_far_as_there_is_content():
    content = MemoryContent(b"aba" + b"." * 70_000 + b"Aba")
    count = HitCount(content, needle("aba"))
    count.step()
    assert not count.done
    assert (count.words(0), count.words(70_003)) == ("hit 1 of 1 or more", "a hit, of 1 or more")
    count.step()
    assert (count.done, count.words(70_003)) == (True, "hit 2 of 2")
