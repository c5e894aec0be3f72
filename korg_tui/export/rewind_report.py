"""A rewind preview as text to paste: what goes, by which rules, and what a rewind would not undo."""

from __future__ import annotations

from collections.abc import Iterator

from korg_tui.causal import Ledger, Rewind
from korg_tui.export.pieces import Piece, PieceLine, columns, plain
from korg_tui.text import visible
from korg_tui.views import LossBook, Preview, Read, Section, label, lane_title

_TOOL = 40


def rewind_report(ledger: Ledger, found: Rewind, read: Read, *, truncation: bool = False) -> str:
    """The preview of a rewind as safe text, as `rewind --text` prints it.

    `read(offset, length)` gives the bytes of records; with `truncation` all that is later goes.
    """
    return plain(rewind_lines(ledger, found, read, truncation=truncation))


def rewind_lines(
    ledger: Ledger, found: Rewind, read: Read, *, truncation: bool = False
) -> Iterator[PieceLine]:
    """The same in styled lines."""
    book = LossBook(ledger, lambda row: read(ledger.offset[row], ledger.length[row]))
    preview = Preview(ledger, found, book, truncation=truncation)
    target = f" to {label(ledger, found.target)}"
    yield [("rewind preview of ", "dim"), (visible(ledger.name), "bold"), (target, "bold")]
    yield [(preview.bar, "bold")]
    yield []
    rows = sorted(preview.dropped)
    if rows:
        yield from columns([_dropped(preview, row) for row in rows], right=frozenset({1}))
    for section in preview.sections()[1:] if rows else ():
        yield from _section(section)
    yield []
    yield [("A preview: nothing was rewound, and nothing on disk would be undone.", "dim")]


def _dropped(preview: Preview, row: int) -> list[Piece]:
    ledger, state = preview.ledger, preview.state(row)
    lane = ledger.lane_at(row)
    return [
        (f"  {state.sign}", "bad" if state.fate == "invalidated" else "odd"),
        (label(ledger, ledger.seq[row]), ""),
        (visible(ledger.tool_at(row), _TOOL), ""),
        ("" if lane is None else lane_title(lane), "dim"),
        (state.words, "dim"),
    ]


def _section(section: Section) -> Iterator[PieceLine]:
    yield []
    yield [(section.title, "bold")]
    yield from columns([[(f"  {line.label}", "dim"), (line.text, "")] for line in section.lines])
