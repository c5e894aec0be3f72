"""The checklist on ledgers that attack whoever examines them: nothing raises, all that is said is plain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from checking import IDS, Kept, Shelf, told
from hostile import ATTACKS, write_hostile
from korg_tui.reading import Reading
from korg_tui.sources import FileSource
from korg_tui.text import visible
from korg_tui.trust import Check, checklist

LONGEST = 1_200
"""Characters of a finding: pieces of the ledger are cut."""

REFERENCES: list[Any] = [
    {"_ref": "sha256:" + "b" * 64, "size_bytes": 10**30},
    {"_ref": "sha256:" + "B" * 64},
    {"_ref": "sha256:../../../../etc/passwd"},
    {"_ref": 7},
    {"_ref": {"_ref": "sha256:" + "c" * 64}, "size_bytes": None},
]
VALUES: list[Any] = [
    None, True, 0, -1, 3.5, float("nan"), float("inf"), 2**63, -(2**64), 10**400, "", "3", [], {},
    "a\ud800b", "x" * 1_025, "é" * 600, [[["z" * 2_000]]], {"a\x1b[31m": {"b": "q" * 1_500}},
    *REFERENCES,
]  # fmt: skip
FIRST = {"seq_id": 1, "schema_version": "1.0", "tool_name": "user_prompt", "source_agent": "human:d"}
ACTORS = ["agent:k@1", "agent:", "human:", "agent:@", "import:x", None, 5, "A" * 100_000, *ATTACKS.values()]

values = st.sampled_from(VALUES)
parts = values | st.dictionaries(
    st.sampled_from(["file_path", "path", "filepath", "prompt", "_ref", "\ud800", "k" * 3_000]), values
)
parents = st.sampled_from([None, 0, 1, 2, 3, 4, 9, "3", 3.0, True, -5, 10**25, {}, "\ud800"])
refs = values | st.lists(values | st.fixed_dictionaries({"sha256": values | st.just("d" * 64)}), max_size=2)


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    event = {
        "event_type": draw(st.sampled_from(["AgentToolCall", "AgentToolCall", None, 5, "LedgerRewind"])),
        "source_agent": draw(st.sampled_from(ACTORS)),
        "tool_name": draw(st.sampled_from(["user_prompt", "llm_inference", "Read", "Agent", "hook.x", None])),
        "args": draw(parts),
        "result": draw(parts),
        "payload_refs": draw(refs),
        "success": draw(values),
    }
    record = {"schema_version": draw(values | st.just("1.0"))}
    if draw(st.booleans()):
        record |= event | {"triggered_by": draw(parents)}
    else:
        metadata = values | st.fixed_dictionaries({"triggered_by": parents})
        record |= {"event": event, "metadata": draw(metadata)}
    if draw(st.booleans()):
        record["triggered_by"] = draw(parents)
    return record


def written_once(**more: Any) -> bytes:
    """A ledger of one event."""
    return json.dumps({**FIRST, **more}).encode() + b"\n"


def safe(checks: tuple[Check, ...] | dict[str, Check]) -> None:
    """All eight, and every word can be shown as it is."""
    found = tuple(checks.values()) if isinstance(checks, dict) else checks
    assert tuple(check.check for check in found) == IDS
    for check in found:
        for finding in check.findings:
            assert visible(finding.text) == finding.text
            assert len(finding.text) < LONGEST
        grave = any(finding.grave for finding in check.findings)
        assert (check.status == "fail") == grave
        assert check.status != "warn" or check.findings


@given(st.lists(records(), min_size=1, max_size=8), st.sampled_from([None, -(10**40), 3, 10**40]))
def test_nothing_that_a_ledger_can_hold_raises(
    tmp_path_factory: Any, drawn: list[dict[str, Any]], since: int | None
):
    path = tmp_path_factory.mktemp("hostile") / "journal.jsonl"
    numbered = [{"seq_id": number, **record} for number, record in enumerate(drawn, 2)]
    raw = b"".join(json.dumps(each).encode() + b"\n" for each in (FIRST, *numbered))
    kept = Kept(path, raw, ended=True)
    for ledger in kept.reading.journal.ledgers:
        safe(checklist(ledger, kept.reading.bodies(ledger), Shelf(), since=since))


def test_the_ledger_of_all_attacks(tmp_path: Path):
    reading = Reading.of(FileSource(write_hostile(tmp_path))).complete()
    for ledger in reading.journal.ledgers:
        safe(checklist(ledger, reading.bodies(ledger), reading.source.blobs))


def test_an_actor_of_a_megabyte_is_cut_to_a_line(tmp_path: Path):
    kept = Kept(tmp_path / "journal.jsonl", written_once(source_agent="A" * 1_000_000))
    check = kept.checks()["6.5"]
    assert check.status == "fail"
    assert len(told(check)[0][1]) < 200


def test_names_of_blobs_never_leave_the_folder(tmp_path: Path):
    """What is no name of a blob is never looked for."""
    event = {
        "args": {"a": {"_ref": "sha256:../../../../etc/passwd"}}, "payload_refs": [{"sha256": "/etc/passwd"}],
    }  # fmt: skip
    kept, shelf = Kept(tmp_path / "journal.jsonl", written_once(**event)), Shelf()
    check = kept.checks(shelf)["6.4"]
    assert check.status == "fail"
    assert {text for _, text in told(check)} == {
        "sha256:../../../../etc/passwd is no name of a blob", "/etc/passwd is no name of a blob",
    }  # fmt: skip
    assert shelf.asked == []
