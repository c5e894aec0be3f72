"""Certificates, receipts and keys for tests: made as their writers make them (LEDGERS, Containers)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import builders
from korg_tui.causal import Ledger
from korg_tui.reading import Reading
from korg_tui.sources import FileSource

ISSUER = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)
STRANGER = Ed25519PrivateKey.from_private_bytes(b"\x08" * 32)


def name_of(key: Ed25519PrivateKey) -> str:
    """The public key in hex digits."""
    return key.public_key().public_bytes_raw().hex()


def session() -> builders.Book:
    """Five events: a prompt, an inference, three calls, two of which name files."""
    book = builders.Book()
    ask = book.prompt("fix it")
    think = book.infer(ask)
    book.tool("Edit", think, args={"file_path": "a.py"})
    book.tool("Read", think, args={"path": "b.py"})
    book.tool("Bash", think, args={"command": "pytest"})
    return book


def records(book: builders.Book | None = None) -> list[dict[str, Any]]:
    return builders.chained((book or session()).records)


def certificate(events: list[dict[str, Any]], **header: Any) -> dict[str, Any]:
    """A certificate without its seal; `header` changes what it says."""
    calls = [event["event"] for event in events]
    names = ("file_path", "path")
    summary = {
        "agents": sorted({call["source_agent"] for call in calls}),
        "by_tool": dict(sorted(Counter(call["tool_name"] for call in calls).items())),
        "files": sorted({call["args"][name] for call in calls for name in names if name in call["args"]}),
        "seq_first": min(event["seq_id"] for event in events),
        "seq_last": max(event["seq_id"] for event in events),
    }
    return {
        "schema": "korgcert@v1",
        "spec": "korg-ledger@v1",
        "claim": "it works",
        "issued_at": 1760000000,
        "issuer": {"agent": "agent:main@1"},
        "event_count": len(events),
        "tip": events[-1]["entry_hash"],
        "summary": summary,
        "events": events,
    } | header


def sealed(wrapper: dict[str, Any], key: Ed25519PrivateKey = ISSUER) -> dict[str, Any]:
    """A certificate with its seal."""
    said = {name: value for name, value in wrapper.items() if name not in ("events", "seal")}
    sig = key.sign(builders.canonical(said)).hex()
    return wrapper | {"seal": {"alg": "ed25519", "pubkey": name_of(key), "sig": sig}}


def receipt(
    events: list[dict[str, Any]], key: Ed25519PrivateKey | None = ISSUER, **more: Any
) -> dict[str, Any]:
    """A receipt as korgex makes it of the session above, signed over its tip."""
    tip = events[-1]["entry_hash"]
    made = {
        "schema": "korgex-receipt@v1",
        "spec": "korg-ledger@v1",
        "claim": "it works",
        "generated_at": 1.0,
        "event_count": len(events),
        "tip": tip,
        "summary": {
            "prompts": 1,
            "inferences": 1,
            "tool_calls": 3,
            "files": ["a.py", "b.py"],
            "by_tool": {"Edit": 1, "Read": 1, "Bash": 1},
            "cost_usd": 0.0,
        },
        "events": events,
    } | more
    if key is not None:
        sig = key.sign(bytes.fromhex(tip)).hex()
        made["signature"] = {"alg": "ed25519", "pubkey": name_of(key), "sig": sig}
    return made


def opened(path: Path, content: dict[str, Any] | bytes) -> tuple[Reading, Ledger]:
    """A ledger file, read as a command reads it."""
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content, indent=1).encode())
    reading = Reading.of(FileSource(path)).complete()
    return reading, reading.journal.ledgers[0]
