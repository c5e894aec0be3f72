"""A page of text: lines in styled pieces, cropped on a terminal, whole in a pipe."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator
from typing import TextIO

from korg_tui import colours
from korg_tui.export import Piece, PieceLine, columns
from korg_tui.text import crop, width

__all__ = ["Line", "Piece", "folded", "print_page", "table"]

Line = PieceLine
table = columns

_STYLES = {"": "", "dim": "2", "bold": "1", "bad": "31", "good": "32", "odd": "33"}
_LANES = ("36", "35", "33", "32", "34", "31")


def print_page(lines: Iterable[Line], out: TextIO | None = None) -> int:
    """Print lines, and return how many. On a terminal they are cropped to its width (`…` says so) and
    coloured, unless the environment says no; elsewhere they come whole and plain, whatever the locale."""
    out = out or sys.stdout
    terminal = out.isatty()
    cells = shutil.get_terminal_size().columns if terminal else 0
    coloured = terminal and colours.wanted(os.environ)
    count = 0
    for count, line in enumerate(lines, 1):  # noqa: B007
        pieces = _cropped(line, cells) if cells else line
        text = "".join(_coloured(piece) if coloured else piece[0] for piece in pieces)
        out.write(text.rstrip() + "\n")
    return count


def folded(lines: Iterable[Line]) -> Iterator[Line]:
    """Nothing is cropped on a terminal: what nobody can know must be read to its end."""
    if not sys.stdout.isatty():
        yield from lines
        return
    cells = max(shutil.get_terminal_size().columns, 20)
    for line in lines:
        text, style = "".join(piece for piece, _ in line), line[0][1] if len(line) == 1 else ""
        if width(text) <= cells:
            yield line
        else:
            rest = "    " if text.startswith("  ") else "  "
            first, *more = textwrap.wrap(text, cells, subsequent_indent=rest, break_on_hyphens=False)
            head = line[0][0] if first.startswith(line[0][0]) else ""
            yield [(head, line[0][1]), (first[len(head) :], style)]
            yield from ([(part, style)] for part in more)


def _cropped(line: Line, cells: int) -> Line:
    pieces, left = [], cells
    while line and not line[-1][0].strip():
        line = line[:-1]
    for text, style in line:
        fitting = crop(text, left)
        pieces.append((fitting, style))
        left -= width(fitting)
        if fitting != text or left <= 0:
            break
    return pieces


def _coloured(piece: Piece) -> str:
    text, style = piece
    code = _LANES[int(style[5:]) % len(_LANES)] if style.startswith("lane ") else _STYLES[style]
    return f"\x1b[{code}m{text}\x1b[0m" if code and text.strip() else text
