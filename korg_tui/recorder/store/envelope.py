"""The journal shape of an event, and its place in the hash chain (SPEC §1.2; LEDGERS.md, Hash chain)."""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from korg_tui.formats import canonical
from korg_tui.recorder.store.calls import Call

ZEROS = "0" * 64
"""`prev_hash` of the first event."""

RECORDER = "korg-tui"
"""`metadata.tags.recorder` of every event that a store writes: by it, it knows a file that it began."""

_NIL = str(uuid.UUID(int=0))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_write = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(slots=True)
class Clock:
    """A hybrid clock: milliseconds that never go back, and a count within one of them."""

    physical: int = 0
    logical: int = 0
    now: Callable[[], float] = time.time
    """Seconds since the epoch."""

    def tick(self) -> str:
        """The next instant; returns the time of day (ISO 8601, UTC) that goes with it."""
        seconds = self.now()
        milliseconds = int(seconds * 1000)
        if milliseconds > self.physical:
            self.physical, self.logical = milliseconds, 0
        else:
            self.logical += 1
        return (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an event comes to stand."""

    seq: int
    event_id: uuid.UUID
    parent: int | None
    parent_id: uuid.UUID | None
    root_id: uuid.UUID
    prev_hash: str
    store: str
    generation: int


def call_event(call: Call) -> dict[str, Any]:
    """The `event` of a tool call, without its timestamp (SPEC §1.2.4)."""
    return {
        "event_type": "AgentToolCall",
        "source_agent": call.actor,
        "tool_name": call.tool,
        "args": call.args,
        "result": call.result,
        "payload_refs": list(call.payload_refs),
        "success": call.success,
        "duration_ms": call.duration_ms,
    }


def rewind_event(target: int, last: int, by: str, reason: str) -> dict[str, Any]:
    """The `event` that seals a rewind to `target`, which drops all up to `last`."""
    return {
        "event_type": "LedgerRewind",
        "target_seq_id": target,
        "invalidated_through": last,
        "rewound_by": by,
        "reason": reason,
    }


def seal(event: dict[str, Any], place: Place, clock: Clock) -> tuple[bytes, str]:
    """The line of an event, with its line feed, and its `entry_hash`. Moves the clock."""
    timestamp = clock.tick()
    record = {
        "schema_version": "1.0",
        "seq_id": place.seq,
        "metadata": {
            "event_id": str(place.event_id),
            "correlation_id": _NIL,
            "causation_id": str(place.parent_id) if place.parent_id else None,
            "root_event_id": str(place.root_id),
            "actor_id": "korg:api",
            "campaign_id": _NIL,
            "emitted_at": {"physical": clock.physical, "logical": clock.logical, "actor_id": 1},
            "branch_id": None,
            "speculative": False,
            "retry_count": 0,
            "tier": "Telemetry" if event["event_type"] == "AgentToolCall" else "Governance",
            "span_id": None,
            "tags": {"recorder": RECORDER, "store": place.store, "generation": str(place.generation)},
            "triggered_by": place.parent,
        },
        "event": {**event, "timestamp": timestamp},
        "prev_hash": place.prev_hash,
    }
    entry_hash = entry_hash_of(record)
    return (_write({**record, "entry_hash": entry_hash}) + "\n").encode("ascii"), entry_hash


def entry_hash_of(record: dict[str, Any]) -> str:
    """The hash of a record, over all its fields but `entry_hash` and `event_sig`."""
    content = {key: value for key, value in record.items() if key not in ("entry_hash", "event_sig")}
    return hashlib.sha256(canonical(content)).hexdigest()
