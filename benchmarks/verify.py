"""How much faster a chain is checked than by reading and writing each event with the standard library.

    python benchmarks/verify.py [EVENTS]

A ledger of nested events, as servers write them, is made up, and checked in turns: by the plain loop that
defines what an intact chain is, by `Chain` alone, and by `LedgerChain` over a file that was read before, the
way the program does it; beside them, the checklist over the same file. The best of several turns counts, on
one core. Nothing is asserted.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

from korg_tui.reading import Reading
from korg_tui.sources import FileSource
from korg_tui.trust import Chain, LedgerChain, checklist

TURNS = 5
ZEROS = "0" * 64
NIL = str(UUID(int=0))


def main() -> None:
    """Print the ratios."""
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.jsonl"
        with path.open("wb") as file:
            file.writelines(lines(events))
        size = path.stat().st_size
        print(f"{events:,} events of {size / events:,.0f} bytes; the best of {TURNS} turns")
        compare(path, events)


def compare(path: Path, events: int) -> None:
    """Check the ledger at `path` in each way, in turns."""
    source = FileSource(path)
    reading = Reading.of(source).complete()
    (ledger,) = reading.journal.ledgers
    read = reading.bodies(ledger)
    ways: dict[str, Callable[[], int]] = {
        "the plain loop": lambda: plainly(path),
        "Chain, an event at a time": lambda: one_by_one(path),
        "LedgerChain over the file": lambda: LedgerChain(ledger, read).whole().verified_to or 0,
        "the checklist over the file": lambda: checklist(ledger, read, source.blobs)[0].looked_at,
    }
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(TURNS):
        for name, way in ways.items():
            began = time.perf_counter()
            reached = way()
            best[name] = min(best[name], time.perf_counter() - began)
            if reached != events:
                sys.exit(f"{name}: the chain holds up to {reached:,} only")
    reference = best["the plain loop"]
    for name, took in best.items():
        print(f"{name:28} {took / events * 1e6:6.2f} µs per event   {reference / took:5.2f} times as fast")
    reading.source.close()


def plainly(path: Path) -> int:
    """The last seq up to which the chain holds, by the standard library."""
    tip, last = ZEROS, 0
    with path.open("rb") as file:
        for line in file:
            record = json.loads(line)
            stated = record.pop("entry_hash", None)
            record.pop("event_sig", None)
            content = json.dumps(record, sort_keys=True, separators=(",", ":")).encode()
            if record["prev_hash"] != tip or hashlib.sha256(content).hexdigest() != stated:
                break
            tip, last = stated, record["seq_id"]
    return last


def one_by_one(path: Path) -> int:
    """The same by `Chain.add`."""
    chain, offset = Chain(), 0
    with path.open("rb") as file:
        for seq, line in enumerate(file, 1):
            chain.add(line[:-1], seq, offset)
            offset += len(line)
    return chain.standing.verified_to or 0


# a ledger


def lines(count: int) -> Iterator[bytes]:
    """The lines of a ledger with an intact chain."""
    chance, tip = random.Random(7), ZEROS
    for seq in range(1, count + 1):
        record = event(seq, chance) | {"prev_hash": tip}
        content = json.dumps(record, sort_keys=True, separators=(",", ":")).encode()
        tip = hashlib.sha256(content).hexdigest()
        yield json.dumps(record | {"entry_hash": tip}, separators=(",", ":")).encode() + b"\n"


def event(seq: int, chance: random.Random) -> dict[str, Any]:
    """A turn of an agent: a prompt now and then, inferences, and calls of its tools."""
    tool, args, result = call(seq, chance)
    parent = seq - 1 if seq > 1 else None
    return {
        "schema_version": "1.0",
        "seq_id": seq,
        "metadata": {
            "event_id": uuid(chance),
            "correlation_id": NIL,
            "causation_id": uuid(chance) if parent else None,
            "root_event_id": uuid(chance),
            "actor_id": "korg:api",
            "campaign_id": NIL,
            "emitted_at": {"physical": 1_780_000_000_000 + seq * 731, "logical": 0, "actor_id": 1},
            "branch_id": None,
            "speculative": False,
            "retry_count": 0,
            "tier": "Telemetry",
            "span_id": None,
            "tags": {},
            "triggered_by": parent,
        },
        "event": {
            "event_type": "AgentToolCall",
            "source_agent": "human:dusk" if tool == "user_prompt" else "agent:claude-code/main@2.1.150",
            "tool_name": tool,
            "args": args,
            "result": result,
            "payload_refs": [],
            "success": chance.random() > 0.05,
            "duration_ms": chance.randrange(4_000),
            "timestamp": f"2026-06-01T12:{seq // 60 % 60:02}:{seq % 60:02}.123456Z",
        },
    }


def call(seq: int, chance: random.Random) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """A tool, its arguments, and its result."""
    path = f"src/korg/{chance.choice(['ledger', 'server', 'views'])}/part_{chance.randrange(90)}.py"
    kind = seq % 5
    if seq % 60 == 1:
        return "user_prompt", {"prompt": f"Find out why {path} is slow, and mend it. " * 4}, {}
    if kind in (0, 2):
        text = f"I will look at {path} next, since \"part\" is what the test names.\n" * 4
        usage = {"input_tokens": chance.randrange(90_000), "output_tokens": chance.randrange(900)}
        return "llm_inference", {"model": "some-model-1"}, {"text": text, "usage": usage}
    if kind == 1:
        content = "".join(f"{line}\tdef step_{line}(self):\n\t    return {line}\n" for line in range(7))
        return "Read", {"file_path": path, "offset": 1, "limit": 20}, {"content": content, "lines": 20}
    if kind == 3:
        matches = [{"file": path, "line": chance.randrange(900), "text": "def step"} for _ in range(6)]
        return "Grep", {"pattern": "def step", "path": "src"}, {"matches": matches, "count": 6}
    output = f"tests/test_part.py::test_{seq} PASSED\n" * 6
    result = {"stdout": output, "stderr": "", "exit_code": 0}
    return "Bash", {"command": "pytest -q", "timeout": 120_000}, result


def uuid(chance: random.Random) -> str:
    return str(UUID(int=chance.getrandbits(128)))


if __name__ == "__main__":
    main()
