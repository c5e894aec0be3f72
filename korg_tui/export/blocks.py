"""Blocks: the lines of a section of the details, bounded, as a reader of a file wants them: JSON whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from korg_tui.text import visible_lines
from korg_tui.views import Line, Section, plural

_ENCODER = json.JSONEncoder(indent=2, ensure_ascii=False, default=str)
_TOKENS = 20
"""Tokens of JSON that a line has at most, in the mean."""


def block_lines(section: Section, limit: int) -> list[Line]:
    """The first lines of a section, each safe; then, if there are more, one that says so."""
    if section.tree is not None:
        lines, more = list(_json(section.tree.value, limit)), "more"
    else:
        lines = [_told(line) for line in islice(section.lines, limit + 1)]
        more = f"{plural(len(section.lines) - limit, 'line')} more"
    if len(lines) <= limit:
        return lines
    return [*lines[:limit], Line(f"… {more}, not shown", style="note")]


def _told(line: Line) -> Line:
    return line if line.told == line.text else replace(line, text=line.told)


def _json(value: object, limit: int) -> Iterator[Line]:
    """JSON as it is written, and a line more where it goes on."""
    text = "".join(islice(_ENCODER.iterencode(value), _TOKENS * limit))
    return (Line(line) for line in visible_lines(text, limit + 1)[: limit + 1])
