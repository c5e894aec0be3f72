"""Pieces: lines of safe text in styled parts, and columns of them, whatever they are printed on."""

from __future__ import annotations

from collections.abc import Iterable

from korg_tui.text import width

Piece = tuple[str, str]
"""Safe text and the name of its style: empty, `dim`, `bold`, `bad`, `good`, `odd`, or `lane N`."""
PieceLine = list[Piece]


def columns(rows: list[list[Piece]], right: frozenset[int] = frozenset()) -> list[PieceLine]:
    """Rows as aligned columns; those in `right` are set flush right, the last one is not filled up."""
    widths = [max(width(row[column][0]) for row in rows) for column in range(len(rows[0]))]
    return [_aligned(row, widths, right) for row in rows]


def _aligned(row: list[Piece], widths: list[int], right: frozenset[int]) -> PieceLine:
    line: PieceLine = []
    for column, (text, style) in enumerate(row):
        space = " " * (widths[column] - width(text))
        line += [(space, ""), (text, style)] if column in right else [(text, style), (space, "")]
        line.append(("  ", ""))
    return line


def plain(lines: Iterable[PieceLine]) -> str:
    """The text of lines, each with its end."""
    return "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines)
