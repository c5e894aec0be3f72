"""What the checklist says of every ledger of the shared folder. Only where that lies beside."""

from __future__ import annotations

from pathlib import Path

import pytest

from checking import statuses
from korg_tui.reading import Reading
from korg_tui.sources import FileSource
from korg_tui.trust import Check, checklist

LEDGERS = Path(__file__).parents[2] / "shared" / "ledgers"
pytestmark = pytest.mark.skipif(not LEDGERS.is_dir(), reason="no shared ledgers beside the project")

VERSION = {"6.5": "warn"}
LONG_AND_LEGACY = {"6.3": "fail", "6.5": "fail"}
UGLY = {"6.1": "fail", "7.6": "fail", "2a": "fail"}
NAIVE_AND_TWO_ROOTS = {"6.2": "fail", "2a": "fail"}
DELETED = {"6.1": "warn", "6.2": "fail", "6.5": "warn", "7.6": "warn"}
A_SESSION = "55550000-0000-4000-8000-000000000001.jsonl"

FOUND: dict[str, dict[str, str]] = {
    **{f"claude-code_backfill/.korg/sessions/{name}.jsonl": VERSION for name in (
        "agent-showcol1", "agent-showcol2", "representative_messages", "session_b", "simple_session",
        "todowrite_examples",
    )},
    f"claude-code_backfill/.korg/sessions/{A_SESSION}": {"6.3": "fail", "6.5": "warn"},
    f"claude-code_migrated/.korg/sessions/{A_SESSION}": {"6.3": "fail", "6.5": "warn"},
    "claude-code_legacy-flat/claude-events.jsonl": LONG_AND_LEGACY,
    "claude-code_legacy-flat/claude-events.jsonl#2": {"6.5": "fail"},
    "claude-code_migrated/claude-events.jsonl": LONG_AND_LEGACY,
    "claude-code_migrated/claude-events.jsonl#2": {"6.5": "fail"},
    **{f"claude-code_migrated/.korg/sessions/{name}.jsonl": VERSION for name in (
        "agent-showcol1", "agent-showcol2", "representative_messages", "session_b", "simple_session",
        "todowrite_examples",
    )},
    **{f"generated/ugly-{number}.jsonl": UGLY for number in (1, 2, 3)},
    **{f"hand/{name}.jsonl": VERSION for name in (
        "01-fork-at-spawn-call", "02-launch-before-lane", "03-root-seq-link", "05-contested-single",
        "06-late-sibling", "08-follow-up-becomes-sub-lane", "13-simultaneous-settle",
        "07-return-to-lane-above",
    )},
    "hand/04-same-round-certain.jsonl": {"6.3": "warn", "6.4": "fail", "6.5": "warn"},
    "hand/09-two-heads-one-missing-seq.jsonl": {"6.1": "warn", "6.5": "warn", "7.6": "warn"},
    "hand/10-pointers.jsonl": {"6.1": "fail", "6.5": "warn", "7.6": "fail"},
    "hand/11-bookkeeping-and-detached.jsonl": {"6.5": "warn", "7.6": "fail"},
    "hand/12-rewind-to-zero.jsonl": {"6.1": "warn", "6.5": "fail", "7.6": "warn"},
    "hand/15-digest-is-not-text.jsonl": {"6.4": "fail", "6.5": "warn"},
    "hand/16-lane-reuse-nearest-above.jsonl": {"6.5": "warn", "2a": "fail"},
    "korg-ledger-py/torn-tail.jsonl": {"7.6": "warn"},
    "korgex_multiagent/.korg/journal.jsonl": {"6.3": "fail"},
    "rewound/all-event-types.json": {"6.1": "fail", "7.6": "fail"},
    "stream-json_long/journal.wire.ndjson": {"6.1": "warn", "7.6": "warn"},
    "stream-json_parallel/.korg/capability_journal.json": NAIVE_AND_TWO_ROOTS,
    "stream-json_parallel/journal.wire.ndjson": NAIVE_AND_TWO_ROOTS,
    "upstream_samples/korg-verify-fixtures/signed-events.jsonl": VERSION,
    "upstream_samples/web-samples/signed.jsonl": VERSION,
    **{f"upstream_samples/{vectors}/{name}.jsonl": VERSION for vectors, name in (
        ("vectors", "basic-intact"), ("vectors", "hmac-intact"), ("vectors", "tampered-content"),
        ("vectors-korgex", "basic-intact"), ("vectors-korgex", "hmac-intact"),
        ("vectors-korgex", "nonbmp-intact"), ("vectors-korgex", "tampered-content"),
    )},
    "upstream_samples/vectors/tampered-deletion.jsonl": DELETED,
    "upstream_samples/vectors-korgex/tampered-deletion.jsonl": DELETED,
}  # fmt: skip
"""Checks that do not pass, by ledger; every other ledger passes all of them."""

TELLING = [
    ("rewound/all-event-types.json", "6.1", 20, "parent 9999 cannot be"),
    ("stream-json_parallel/journal.wire.ndjson", "6.2", 1, "this root, which is synthesized"),
    ("stream-json_parallel/journal.wire.ndjson", "2a", 14, "it hangs from the call 13 (Bash)"),
    ("stream-json_sample/journal.wire.ndjson", "7.6", 1, "synthesized"),
    ("stream-json_long/journal.wire.ndjson", "6.1", 83, "before the window (unloaded)"),
    ("korgex_multiagent/.korg/journal.jsonl", "6.3", 30, "src/table.py"),
    ("korgex_multiagent/.korg/journal.jsonl", "7.6", 1, "bookkeeping that no prompt caused"),
    ("hand/04-same-round-certain.jsonl", "6.3", 5, "cannot be told"),
    ("hand/04-same-round-certain.jsonl", "6.4", 5, "KORG_BLOB_DIR names none"),
    ("hand/11-bookkeeping-and-detached.jsonl", "7.6", 1, "and 9 is none"),
    ("hand/12-rewind-to-zero.jsonl", "6.5", 8, "it has no source_agent"),
    ("claude-code_legacy-flat/claude-events.jsonl", "6.5", 1, "there is no schema_version"),
    (f"claude-code_backfill/.korg/sessions/{A_SESSION}", "6.3", 4, "result.output has 2,178 bytes"),
    ("korg-ledger-py/torn-tail.jsonl", "7.6", None, "torn"),
]


def paths() -> list[Path]:
    kinds = ("*.json", "*.jsonl", "*.ndjson")
    found = [path for kind in kinds for path in LEDGERS.rglob(kind) if "looprig" not in path.parts]
    return sorted(path for path in found if path.name not in ("conformance.json", "anchors.jsonl"))


def checked(path: Path) -> dict[str, dict[str, Check]]:
    """The checks of every ledger in a file, by its name."""
    reading = Reading.of(FileSource(path)).complete()
    name = path.relative_to(LEDGERS).as_posix()
    return {
        name + "".join(ledger.name.partition("#")[1:]): {
            check.check: check
            for check in checklist(ledger, reading.bodies(ledger), reading.source.blobs)
        }
        for ledger in reading.journal.ledgers
    }


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.relative_to(LEDGERS).as_posix())
def test_exactly_what_is_wrong_is_said(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("KORG_BLOB_DIR", raising=False)
    for name, checks in checked(path).items():
        assert (name, statuses(checks)) == (name, FOUND.get(name, {}))


def test_every_ledger_of_the_table_is_there():
    names = {path.relative_to(LEDGERS).as_posix() for path in paths()}
    assert {name.partition("#")[0] for name in FOUND} <= names


@pytest.mark.parametrize(("name", "check", "seq", "text"), TELLING)
def test_where_and_what(name: str, check: str, seq: int | None, text: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("KORG_BLOB_DIR", raising=False)
    findings = checked(LEDGERS / name)[name][check].findings
    assert any(finding.seq == seq and text in finding.text for finding in findings)
