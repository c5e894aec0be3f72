"""Order: what a person asks first about an event stands first in its details.

How it ended and what led to it; of a failed call then what it was and what it said; of everything else why it
happened and what it carries away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from korg_tui.causal import Ledger
from korg_tui.views import Line, Section

_FIRST = ("outcome", "took", "parent", "names", "started by", "started", "forks at", "unread", "at byte")
_ABOUT = frozenset({"fields", "causes", "effects", "blobs", "raw"})
"""Kinds of sections that tell of the event; all others show what it was given and what it returned."""


def most_asked_first(sections: Sequence[Section], ledger: Ledger, row: int) -> list[Section]:
    """The sections of a row's details in the order in which a person asks for them."""
    fields, *others = sections
    lines = sorted(_lines(fields, ledger, row), key=_rank)
    if ledger.success_at(row) is not False:
        return [replace(fields, lines=tuple(lines)), *others]
    first: list[Line] = []
    more: list[Line] = []
    for line in lines:
        (first if _rank(line) < len(_FIRST) else more).append(line)
    content = [section for section in others if section.kind not in _ABOUT]
    about = [section for section in others if section.kind in _ABOUT and section.kind != "raw"]
    raw = [section for section in others if section.kind == "raw"]
    rest = replace(fields, title="record", lines=tuple(more))
    return [replace(fields, lines=tuple(first)), *content, *about, rest, *raw]


def _lines(fields: Section, ledger: Ledger, row: int) -> list[Line]:
    """Without a duration that says nothing."""
    took = bool(ledger.duration_at(row))
    return [line for line in fields.lines if took or line.label != "took"]


def _rank(line: Line) -> int:
    """Lines without a label go on with what stands before them, and stay there."""
    return _FIRST.index(line.label) if line.label in _FIRST else len(_FIRST)
