"""Whether an event arrived whose answer was lost: the journal knows, as far as its window reaches.

Servers give no key against duplicates. But this client posts one event at a time, so the journal holds an
event with the same cause, actor, tool and duration, later than the last one that was acknowledged, only if it
is this one.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from typing import Any

from korg_tui.recorder.client.connection import Connection

CLOCKS_APART_MS = 2_000
"""How far the clock of a server may be behind, where only time tells an old event from a new one."""


def arrived(
    connection: Connection, body: Mapping[str, Any], after: int | None, since_ms: int
) -> tuple[bool, int | None]:
    """Whether the journal could be asked, and the seq of the event in it that was posted as `body`, if any.

    `after` is the last seq that the server acknowledged to this client; without one, an event counts when it
    is no older than `since_ms` (milliseconds since the epoch). Raises `Unreachable` or `Unanswered`.
    """
    parent = body["triggered_by"]
    answer = connection.ask(
        "GET", "/api/journal" if parent is None else f"/api/journal?triggered_by={parent}"
    )
    if answer.status == 404 and parent is not None:
        return True, None
    if not answer.fine:
        return False, None
    found = None
    try:
        for seq, time_ms, event in _events(answer.body):
            recent = time_ms is not None and time_ms > since_ms - CLOCKS_APART_MS
            if (recent if after is None else seq > after) and _same(event, body):
                found = seq
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return False, None
    return True, found


def _same(event: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    fields = ("source_agent", "tool_name", "success", "duration_ms")
    if any(event.get(name) != body[name] for name in fields):
        return False
    # Among the children of one of our own events nobody else has any; roots are told apart by what they ask.
    return body["triggered_by"] is not None or event.get("args") == body["args"]


def _events(journal: bytes) -> Iterator[tuple[int, int | None, Mapping[str, Any]]]:
    """Seq, time and fields of each event of a journal answer."""
    for line in journal.splitlines():
        if not line.strip() or line.startswith(b"//"):
            continue
        record = json.loads(line)
        seq = record.get("seq_id")
        event = record.get("event", record)
        if isinstance(seq, int) and isinstance(event, dict):
            yield seq, _time_ms(record, event), event


def _time_ms(record: Mapping[str, Any], event: Mapping[str, Any]) -> int | None:
    stamp = event.get("timestamp")
    if isinstance(stamp, str):
        try:
            when = dt.datetime.fromisoformat(stamp)
        except ValueError:
            return None
        return round((when if when.tzinfo else when.replace(tzinfo=dt.UTC)).timestamp() * 1000)
    physical = record.get("metadata", {}).get("emitted_at", {}).get("physical")
    return physical if isinstance(physical, int) else None
