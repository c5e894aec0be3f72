"""What decoding an event costs, in microseconds, for each shape of event and for the whole first reading.

    python benchmarks/decode.py [LEDGER]

Without LEDGER, events of common sizes are made up. Nothing is asserted.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from append_to_screen import event

from korg_tui.formats import decode
from korg_tui.sources import FileSource, Grew


def nested(seq: int, padding: int) -> dict[str, object]:
    """The nested shape of an event, with metadata as servers write it."""
    flat = event(seq, padding)
    zero = "00000000-0000-0000-0000-000000000000"
    return {
        "schema_version": "1.0",
        "seq_id": seq,
        "metadata": {
            "event_id": zero,
            "correlation_id": zero,
            "causation_id": None,
            "root_event_id": zero,
            "actor_id": "korg:api",
            "campaign_id": zero,
            "emitted_at": {"physical": 1_780_000_000_000 + seq, "logical": 0, "actor_id": 1},
            "tags": {},
            "triggered_by": flat.get("triggered_by"),
        },
        "event": {
            "event_type": "AgentToolCall",
            **{key: flat[key] for key in ("source_agent", "tool_name", "args", "result", "payload_refs")},
            "success": True,
            "duration_ms": 12,
            "timestamp": "2026-06-01T12:00:00.123456Z",
        },
        "prev_hash": "0" * 64,
        "entry_hash": f"{seq:064x}",
    }


def decoding(name: str, lines: list[bytes]) -> None:
    """Decode `lines` until half a second has passed, and print the best round."""
    best, end = float("inf"), time.perf_counter() + 0.5
    while time.perf_counter() < end:
        began = time.perf_counter()
        for line in lines:
            decode(line, 0)
        best = min(best, time.perf_counter() - began)
    size = sum(map(len, lines)) / len(lines)
    print(f"decode {name:28} {best / len(lines) * 1e6:6.1f} µs per event of {size:,.0f} bytes")


def reading(name: str, path: Path) -> None:
    """Read a whole ledger as the program does, without posting the facts."""
    source = FileSource(path)
    began = time.perf_counter()
    count = sum(len(fact.records) for fact in source.start() if isinstance(fact, Grew))
    took = time.perf_counter() - began
    source.close()
    print(
        f"read   {name:28} {took / max(1, count) * 1e6:6.1f} µs per event, {count:,} events in {took:.2f} s"
    )


def main() -> None:
    """Print the costs."""
    if len(sys.argv) > 1:
        reading(sys.argv[1], Path(sys.argv[1]))
        return
    for padding in (100, 1_000, 10_000):
        decoding(
            f"flat, {padding} of arguments", [json.dumps(event(seq, padding)).encode() for seq in range(500)]
        )
        decoding(f"nested, {padding}", [json.dumps(nested(seq, padding)).encode() for seq in range(500)])
    odd = json.dumps(event(1)).replace("12}", "NaN}").replace('"duration_ms": 12', '"duration_ms": NaN')
    decoding("flat, with a NaN", [odd.encode()] * 200)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger"
        path.write_text("".join(json.dumps(nested(seq, 600)) + "\n" for seq in range(1, 50_001)))
        reading("lines, nested", path)
        path.write_text(json.dumps([nested(seq, 600) for seq in range(1, 20_001)], indent=2))
        reading("array, nested, pretty", path)


if __name__ == "__main__":
    main()
