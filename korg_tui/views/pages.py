"""Pages: the rows of content of any size, laid out only where somebody looks.

A row is addressed by the byte at which it begins. Content is laid out in blocks that do not depend on each
other: to show a page, no more is read than the blocks it lies in, however much lies before it. Lines that are
too long for a row are cut into several; those that are longer than a block are cut at its edges, too.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, Protocol

from korg_tui.sources import Content
from korg_tui.text import visible_lines
from korg_tui.views.hexdump import COLUMNS, hex_line

BLOCK = 65_536
"""Bytes from one block to the next."""

ROW = 4_096
"""Bytes of a row that is not wrapped: what is longer goes on in the next row."""

_KEPT = 8
_ONE_BYTE_LIMIT = 8 * ROW


@dataclass(frozen=True, slots=True)
class Row:
    """One row. `text` is safe; `begins` says whether a line begins with it, or only goes on."""

    offset: int
    end: int
    text: str
    begins: bool = True


class Pages(Protocol):
    """Content as rows."""

    @property
    def size(self) -> int:
        """Bytes that are there."""

    def rows(self, offset: int, count: int) -> list[Row]:
        """So many rows, fewer at the end, from the one on that begins at `offset`."""

    def row_at(self, offset: int) -> int:
        """Where the row begins that holds the byte at `offset`."""

    def moved(self, offset: int, rows: int) -> int:
        """Where the row begins that stands so many rows below (above, when negative), within the content."""


class HexPages:
    """Any bytes, 16 to a row."""

    def __init__(self, content: Content) -> None:
        self._content = content

    @property
    def size(self) -> int:
        return self._content.size

    def rows(self, offset: int, count: int) -> list[Row]:
        found = self._content.read(offset, count * COLUMNS)
        return [
            Row(offset + at, offset + at + len(part), hex_line(offset + at, part))
            for at in range(0, len(found), COLUMNS)
            if (part := found[at : at + COLUMNS])
        ]

    def row_at(self, offset: int) -> int:
        return max(0, min(offset, self.size - 1)) // COLUMNS * COLUMNS

    def moved(self, offset: int, rows: int) -> int:
        return self.row_at(offset + rows * COLUMNS)


class TextPages:
    """Text in UTF-8 or Latin-1. `cut` is how many bytes a row has at most; with `words`, a row ends behind a
    space where it can."""

    def __init__(
        self,
        content: Content,
        encoding: Literal["utf-8", "latin-1"] = "utf-8",
        *,
        begins: int = 0,
        cut: int = ROW,
        words: bool = False,
    ) -> None:
        self._content = content
        self._encoding = encoding
        self._begins = begins
        self._cut = max(cut, 8)
        self._words = words
        self._blocks: OrderedDict[int, array[int]] = OrderedDict()

    @property
    def size(self) -> int:
        return self._content.size

    # blocks

    def _start(self, block: int) -> int:
        """Where the first row of a block begins: with its first line, or, where no line begins in it, at its
        edge."""
        edge, size = block * BLOCK, self.size
        if block == 0:
            return min(self._begins, size)
        if edge >= size:
            return size
        found = self._content.read(edge - 1, BLOCK)
        newline = found.find(b"\n")
        if newline >= 0:
            return edge + newline
        if self._content.complete and edge - 1 + len(found) >= size:
            return size
        return edge + self._inside(found[1:5])

    def _inside(self, begin: bytes) -> int:
        """How many bytes belong to a character that began before."""
        if self._encoding != "utf-8":
            return 0
        return next((index for index, byte in enumerate(begin) if byte & 0xC0 != 0x80), 0)

    def _block(self, block: int) -> array[int]:
        """Where the rows of a block begin, ascending; then where the next block begins."""
        found = self._blocks.get(block)
        if found is not None:
            self._blocks.move_to_end(block)
            return found
        begin, end = self._start(block), self._start(block + 1)
        rows = self._laid_out(begin, self._content.read(begin, end - begin))
        rows.append(end)
        if self._content.complete or (block + 3) * BLOCK < self.size:
            self._blocks[block] = rows
            if len(self._blocks) > _KEPT:
                self._blocks.popitem(last=False)
        return rows

    def _laid_out(self, begin: int, text: bytes) -> array[int]:
        rows, at = array("Q"), 0
        while at < len(text):
            newline = text.find(b"\n", at)
            end = len(text) if newline < 0 else newline + 1
            while at < end:
                rows.append(begin + at)
                at = self._row_end(text, at, end)
        return rows

    def _row_end(self, text: bytes, at: int, end: int) -> int:
        """Where the row ends that begins at `at`; a line end does not count as part of it."""
        full = at + self._cut
        if end - (text[end - 1 : end] == b"\n") <= full:
            return end
        if self._words:
            space = text.rfind(b" ", at + self._cut * 2 // 3, full)
            if space > 0:
                return space + 1
        while self._encoding == "utf-8" and full > at + 4 and text[full] & 0xC0 == 0x80:
            full -= 1
        return full

    def _find(self, offset: int) -> tuple[int, int]:
        """The block and the number of the row in it that hold the byte at `offset`."""
        offset = max(self._begins, min(offset, self.size - 1))
        block = max(0, offset // BLOCK)
        while block and self._start(block) > offset:
            block -= 1
        return block, max(0, bisect_right(self._block(block), offset) - 1)

    # rows

    def row_at(self, offset: int) -> int:
        block, index = self._find(offset)
        return self._block(block)[index]

    def moved(self, offset: int, rows: int) -> int:
        block, index = self._find(offset)
        index += rows
        while index < 0 and block > 0:
            block -= 1
            index += len(self._block(block)) - 1
        last = (self.size - 1) // BLOCK
        while index >= len(self._block(block)) - 1 and block < last:
            index -= len(self._block(block)) - 1
            block += 1
        starts = self._block(block)
        if len(starts) == 1 and block:  # the last line began in the block before
            starts = self._block(block - 1)
            index = len(starts) - 2
        return starts[max(0, min(index, len(starts) - 2))]

    def rows(self, offset: int, count: int) -> list[Row]:
        if not self.size:
            return []
        block, index = self._find(offset)
        found: list[Row] = []
        while len(found) < count and block * BLOCK < self.size:
            starts = self._block(block)
            ends = starts[index : index + count - len(found) + 1]
            if len(ends) > 1:
                found += self._drawn(ends)
            block, index = block + 1, 0
        return found

    def _drawn(self, ends: array[int]) -> Iterator[Row]:
        content, start = self._content.read(ends[0], ends[-1] - ends[0]), ends[0]
        begins = self._begins_line(start)
        for begin, end in pairwise(ends):
            part = content[begin - start : end - start]
            yield Row(begin, end, self._text(part), begins)
            begins = part.endswith(b"\n")

    def _text(self, part: bytes) -> str:
        part = part.removesuffix(b"\n").removesuffix(b"\r")
        errors = "backslashreplace" if self._encoding == "utf-8" else "strict"
        return visible_lines(part.decode(self._encoding, errors), 1, _ONE_BYTE_LIMIT)[0]

    def _begins_line(self, offset: int) -> bool:
        return offset <= self._begins or self._content.read(offset - 1, 1) == b"\n"


class LineCount:
    """The lines of content, counted step by step: which line lies where, and the other way round."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._before = array("Q", [0])
        """Line ends before each block that was reached."""
        self.lines: int | None = None
        """How many there are, once all were counted."""

    def work(self, blocks: int) -> bool:
        """Count so many blocks further. Returns whether there is more to count now."""
        content = self._content
        for _ in range(blocks):
            if self.lines is not None:
                return False
            complete = content.complete
            at = (len(self._before) - 1) * BLOCK
            part = content.read(at, BLOCK) if complete or at + BLOCK <= content.size else b""
            if len(part) == BLOCK:
                self._before.append(self._before[-1] + part.count(b"\n"))
            elif complete:
                ends = self._before[-1] + part.count(b"\n")
                self.lines = ends + (content.size > 0 and content.read(content.size - 1, 1) != b"\n")
            else:
                return False
        return self.lines is None

    def line_at(self, offset: int) -> int | None:
        """The number, from 1 on, of the line that holds this byte; None while it was not reached."""
        block = offset // BLOCK
        if block >= len(self._before):
            return None
        edge = block * BLOCK
        return self._before[block] + self._content.read(edge, offset - edge).count(b"\n") + 1

    def offset_of(self, number: int) -> int | None:
        """Where a line begins; the last one for a number that is too large; None while it was not reached."""
        wanted = max(number, 1) - 1
        block = bisect_left(self._before, wanted) - 1 if wanted else 0
        if block >= len(self._before) - 1 and self.lines is None and wanted > self._before[-1]:
            return None
        if self.lines is not None and wanted >= self.lines:
            return self.offset_of(self.lines)
        edge = block * BLOCK
        part, at = self._content.read(edge, BLOCK), 0
        for _ in range(wanted - self._before[block]):
            at = part.find(b"\n", at) + 1
            if not at:
                return None
        return edge + at
