"""Every ledger of the shared folder gets the verdict that a plain reading gives it, at the right seq.
Collected only where that folder lies beside."""

from __future__ import annotations

import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from korg_tui.reading import Reading
from korg_tui.sources import FileSource
from korg_tui.trust import Asked, Verification, public_keys, verification

LEDGERS = Path(__file__).parents[2] / "shared" / "ledgers"
KEY = b"korg-conformance-key"
PUBLISHED = "197f6b23e16c8532c6abc838facd5ea789be0c76b2920334039bfa8b3d368d61"
ZEROS = "0" * 64
NO_LEDGERS = {"conformance.json", "anchors.jsonl"}


def verify(path: Path, asked: Asked | None = None) -> list[Verification]:
    reading = Reading.of(FileSource(path)).complete()
    return [verification(reading, ledger, asked) for ledger in reading.journal.ledgers]


def one(name: str, asked: Asked | None = None) -> Verification:
    (found,) = verify(LEDGERS / name, asked)
    return found


def faults(found: Verification) -> list[tuple[int | None, str]]:
    return [(fault.seq, fault.kind) for fault in found.faults]


# a plain reading


def records(path: Path) -> list[dict[str, Any]]:
    text = path.read_text()
    try:
        document = json.loads(text)
    except ValueError:
        return [found for line in text.splitlines() if (found := _loaded(line)) is not None]
    if isinstance(document, dict) and "events" in document:
        document = document["events"]
    return document if isinstance(document, list) else [document]


def _loaded(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def generations(path: Path) -> list[list[dict[str, Any]]]:
    """The events, parted where `seq` begins anew."""
    parts: list[list[dict[str, Any]]] = [[]]
    for record in records(path):
        event = record.get("journal_event", record)
        seq = event.get("seq_id", event.get("seq"))
        if parts[-1] and seq <= parts[-1][-1].get("seq_id", parts[-1][-1].get("seq")) and "seq" in event:
            parts.append([])
        parts[-1].append(event)
    return parts


def is_odd(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(is_odd, value.values()))
    if isinstance(value, list):
        return any(map(is_odd, value))
    return isinstance(value, float) or (type(value) is int and abs(value) > 2**53 - 1)


def plainly(events: list[dict[str, Any]], key: bytes | None = None) -> tuple[str, list[tuple[int, str]]]:
    """The verdict, and where what is wrong."""
    wrong: list[tuple[int, str]] = []
    before, fitting, odd = None, 0, False
    for event in events:
        stated = event.get("entry_hash")
        if not stated:
            continue
        seq = event.get("seq_id", event.get("seq"))
        content = json.dumps(
            {name: value for name, value in event.items() if name not in ("entry_hash", "event_sig")},
            sort_keys=True,
            separators=(",", ":"),
        ).encode()
        sha = hashlib.sha256(content) if key is None else hmac.new(key, content, hashlib.sha256)
        if before is not None and event["prev_hash"] != before:
            wrong.append((seq, "link"))
        fits = sha.hexdigest() == stated
        fitting += fits
        if is_odd(event):
            odd = True
        elif not fits:
            wrong.append((seq, "content"))
        before = stated
    if not events:
        return "empty", []
    if before is None:
        return "unchained", []
    if not fitting and key is None and all(kind == "content" for _, kind in wrong):
        return "needs_key", []
    if wrong:
        return "broken", wrong
    return "unverifiable" if odd else "intact" if events[0]["prev_hash"] == ZEROS else "window", []


if LEDGERS.is_dir():
    EVERY = sorted(
        path for path in LEDGERS.rglob("*")
        if path.is_file() and path.suffix in (".jsonl", ".json", ".ndjson")
        and path.name not in NO_LEDGERS and "looprig" not in path.parts
    )  # fmt: skip

    @pytest.mark.parametrize("path", EVERY, ids=lambda path: path.relative_to(LEDGERS).as_posix())
    def test_each_ledger_gets_the_verdict_of_a_plain_reading(path):
        for found, events in zip(verify(path), generations(path), strict=True):
            verdict, wrong = plainly(events)
            assert (found.verdict, found.standing.events) == (verdict, len(events))
            assert [each for each in faults(found) if each[1] != "unchained"] == wrong
            if events and verdict != "unchained":
                assert found.standing.tip == events[-1]["entry_hash"]
            assert found.believed == (verdict in ("intact", "window", "unverifiable", "empty"))

    def test_there_are_many_of_each_kind():
        verdicts = [found.verdict for path in EVERY for found in verify(path)]
        assert len(verdicts) > 60
        assert set(verdicts) == {
            "intact", "broken", "unchained", "needs_key", "unverifiable", "window", "empty",
        }  # fmt: skip

    def test_the_conformance_vectors_have_their_tips():
        document = json.loads((LEDGERS / "upstream_samples" / "conformance.json").read_text())
        for vector in document["vectors"]:
            key = vector["key"].encode() if vector["key"] else None
            for folder in ("vectors", "vectors-korgex"):
                found = one(f"upstream_samples/{folder}/{vector['file']}", Asked(key))
                if vector["verify"] == "intact":
                    assert (found.verdict, found.faults) == ("intact", ())
                    assert found.standing.tip == vector.get("tip_entry_hash") or folder != "vectors"
                else:
                    assert found.verdict == "broken"
                    assert [f"seq {fault.seq}" for fault in found.faults] == [vector["error_contains"]]

    @pytest.mark.parametrize(
        "name",
        [
            "upstream_samples/vectors/hmac-intact.jsonl",
            "upstream_samples/vectors-korgex/hmac-intact.jsonl",
            "korg-ledger-py/hmac.jsonl",
        ],
    )
    def test_keyed_ledgers_need_their_key(name):
        assert one(name).verdict == "needs_key"
        assert (one(name, Asked(KEY)).verdict, one(name, Asked(KEY)).faults) == ("intact", ())
        other = one(name, Asked(b"another key"))
        assert (other.verdict, {kind for _, kind in faults(other)}) == ("broken", {"content"})

    def test_a_key_is_missed_where_none_was_used():
        found = one("upstream_samples/vectors/basic-intact.jsonl", Asked(KEY))
        assert (found.verdict, faults(found)) == ("broken", [(1, "content")])

    @pytest.mark.parametrize(
        ("name", "wrong"),
        [
            ("upstream_samples/vectors/tampered-content.jsonl", [(2, "content")]),
            ("upstream_samples/vectors/tampered-deletion.jsonl", [(3, "link")]),
            ("upstream_samples/vectors-korgex/tampered-content.jsonl", [(2, "content")]),
            ("upstream_samples/vectors-korgex/tampered-deletion.jsonl", [(3, "link")]),
            ("upstream_samples/web-samples/tampered.jsonl", [(4, "content")]),
        ],
    )
    def test_tampering_is_found_where_it_is(name, wrong):
        assert (one(name).verdict, faults(one(name))) == ("broken", wrong)

    @pytest.mark.parametrize(
        ("name", "key"),
        [
            ("korg-verify-fixtures/signed-events.jsonl", "korg-verify-fixtures/signed-events.pubkey"),
            ("web-samples/signed.jsonl", "web-samples/signed.pubkey"),
        ],
    )
    def test_signatures_fit_the_published_keys(name, key):
        samples = LEDGERS / "upstream_samples"
        found = one(f"upstream_samples/{name}", Asked(keys=public_keys([str(samples / key)])))
        assert (found.verdict, found.faults, found.signers, found.standing.signed) == ("intact", (), True, 2)
        stranger = one(f"upstream_samples/{name}", Asked(keys=public_keys([other_key()])))
        assert (stranger.verdict, faults(stranger)) == ("broken", [(1, "signature"), (2, "signature")])

    def test_the_signed_ledger_of_the_public_writer():
        owner = Ed25519PrivateKey.from_private_bytes(b"\x2a" * 32).public_key().public_bytes_raw().hex()
        assert owner == PUBLISHED
        found = one("korg-ledger-py/signed.jsonl", Asked(keys=public_keys([owner])))
        assert (found.verdict, found.faults, found.standing.signed) == ("intact", (), 7)

    @pytest.mark.parametrize(
        ("name", "kind", "count"),
        [
            ("korg-verify-fixtures/korgcert-v1.json", "certificate", 5),
            ("web-samples/korgcert.json", "certificate", 5),
            ("korg-verify-fixtures/signed-receipt.json", "receipt", 2),
        ],
    )
    def test_seals_fit_and_say_whose_they_are(name, kind, count):
        found = one(f"upstream_samples/{name}")
        assert found.seal is not None and found.sealing is not None
        assert (found.verdict, found.faults, found.sealing.status) == ("intact", (), "fits")
        assert (found.seal.kind, found.seal.count, found.seal.tip) == (kind, count, found.standing.tip)
        trusted = one(f"upstream_samples/{name}", Asked(keys=public_keys([found.seal.pubkey])))
        assert trusted.sealing is not None
        assert (trusted.verdict, trusted.sealing.status) == ("intact", "trusted")
        stranger = one(f"upstream_samples/{name}", Asked(keys=public_keys([other_key()])))
        assert stranger.verdict == "broken"
        assert (None, "seal") in faults(stranger)

    def test_an_anchor_beside_a_ledger_holds():
        found = one("korg-ledger-py/anchored/session.jsonl")
        assert found.anchoring is not None
        assert (found.verdict, found.faults, len(found.anchoring.held)) == ("intact", (), 1)


def other_key() -> str:
    return Ed25519PrivateKey.from_private_bytes(b"\x09" * 32).public_key().public_bytes_raw().hex()
