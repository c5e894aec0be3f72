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
    told = (replace(line, text=line.told) for line in section.lines)
    lines = list(told if section.tree is None else _json(section.tree.value, limit))
    if len(lines) <= limit:
        return lines
    more = "more" if section.tree is not None else f"{plural(len(lines) - limit, 'line')} more"
    return [*lines[:limit], Line(f"… {more}, not shown", style="note")]


def _json(value: object, limit: int) -> Iterator[Line]:
    """JSON as it is written, and a line more where it goes on."""
    text = "".join(islice(_ENCODER.iterencode(value), _TOKENS * limit))
    return (Line(line) for line in visible_lines(text, limit + 1)[: limit + 1])
