"""Export: a ledger in other forms: the JSON documents of the commands, and files for others to open."""

from __future__ import annotations

from korg_tui.export.blocks import block_lines
from korg_tui.export.documents import (
    WHY_STEPS,
    event_document,
    for_ledgers,
    lanes_document,
    prompt_text,
    rewind_document,
    session_document,
    timestamp,
    to_json,
)
from korg_tui.export.pieces import Piece, PieceLine, columns
from korg_tui.export.rewind_report import rewind_lines, rewind_report
from korg_tui.export.sparing import spared
from korg_tui.export.wanted import ExportRefused, Progress, Wanted
from korg_tui.export.whole import ended_by_signals, written_new, written_whole
from korg_tui.export.writing import FORMATS, Exported, Format, write_export, write_several

__all__ = [
    "FORMATS",
    "WHY_STEPS",
    "ExportRefused",
    "Exported",
    "Format",
    "Piece",
    "PieceLine",
    "Progress",
    "Wanted",
    "block_lines",
    "columns",
    "ended_by_signals",
    "event_document",
    "for_ledgers",
    "lanes_document",
    "prompt_text",
    "rewind_document",
    "rewind_lines",
    "rewind_report",
    "session_document",
    "spared",
    "timestamp",
    "to_json",
    "write_export",
    "write_several",
    "written_new",
    "written_whole",
]
