"""Export: a ledger in other forms. So far the JSON documents of the commands."""

from __future__ import annotations

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

__all__ = [
    "WHY_STEPS",
    "event_document",
    "for_ledgers",
    "lanes_document",
    "prompt_text",
    "rewind_document",
    "session_document",
    "timestamp",
    "to_json",
]
