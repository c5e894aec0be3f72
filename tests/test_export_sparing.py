"""Sparing: what an export must never be written to, asked as the screen asks it."""

from __future__ import annotations

import os
from pathlib import Path

from builders import WORKED_EXAMPLE, table
from exporting import reading_of
from korg_tui.export import spared


def test_ledgers_of_sub_agents_and_blobs_are_spared_with_the_ledger(tmp_path: Path) -> None:
    parent = reading_of(tmp_path / "parent.jsonl", table(WORKED_EXAMPLE))
    parent.kin["agent-one"] = reading_of(tmp_path / "agent-one.jsonl", table(WORKED_EXAMPLE))
    other = tmp_path / "other.jsonl"
    other.write_bytes(b"")
    os.link(tmp_path / "agent-one.jsonl", tmp_path / "link.jsonl")
    assert spared(tmp_path / "parent.jsonl", [parent]) == "the ledger itself, which is never written to"
    for name in ("agent-one.jsonl", "link.jsonl"):
        assert spared(tmp_path / name, [parent]) == "a ledger that is being read, which is never written to"
    assert spared(tmp_path / "blobs" / "x", [parent]) == "among the ledger's blobs"
    assert spared(other, [parent]) == spared(tmp_path / "new", [parent]) == ""
    with other.open("rb") as read:
        assert spared(other, [parent], [read.fileno()]).startswith("a ledger that is being read")
