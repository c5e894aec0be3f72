"""Small ledgers for tests, built event by event or from a table, as events and as bytes.

    book = Book()
    ask = book.prompt("fix the bug", by="human:dusk")
    think = book.infer(ask, by="agent:main")
    book.tool("Read", think, args={"file_path": "a.py"})
    book.events()      # what the causal model reads
    book.nested()      # NDJSON bytes of the journal shape, chained
    book.flat()        # NDJSON bytes of the flat shape, chained

`table("2 llm_inference 1 agent:main")` makes a book from lines of `seq tool parent actor`, then `key=value`.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from korg_tui.event import DEFAULT_KINDS, SYNTHESIZED_PROMPT, Event, Kind
from korg_tui.sources.facts import CaughtUp, Fact, Grew, Opened

START_MS = 1_772_460_000_000
"""2026-03-02 14:00:00 UTC: when every ledger of the tests begins."""

MAIN = "agent:main@1"
SUB = "agent:sub@1"
HUMAN = "human:dusk"

ABSENT: Any = object()
"""A parent that is not written at all, which is not the same as null."""


class FixedClock:
    """A clock that stands still until it is moved; called, it gives seconds, as `time.monotonic` does."""

    def __init__(self, now_ms: int = START_MS) -> None:
        self.now_ms = now_ms

    def __call__(self) -> float:
        return self.now_ms / 1000

    def move(self, seconds: float) -> None:
        self.now_ms += round(seconds * 1000)


@dataclass
class Book:
    """A ledger in the making. Every method that writes an event returns its seq."""

    first: int = 1
    step_ms: int = 1_000
    now_ms: int = START_MS
    """When the next event is written; every event moves it by `step_ms`."""
    records: list[dict[str, Any]] = field(default_factory=list)
    """Nested records in the order of writing, without their hashes."""
    top: int | None = None
    """The largest seq so far."""

    # --- writing

    def prompt(self, text: Any = "do it", parent: Any = None, by: str = HUMAN, **more: Any) -> int:
        return self.add("user_prompt", parent, by, args={"prompt": text} if text else {}, **more)

    def infer(self, parent: Any, by: str = MAIN, **more: Any) -> int:
        return self.add("llm_inference", parent, by, **more)

    def tool(self, tool: str, parent: Any, by: str = MAIN, **more: Any) -> int:
        return self.add(tool, parent, by, **more)

    def spawn(self, parent: Any, prompt: Any = None, by: str = MAIN, tool: str = "Agent", **more: Any) -> int:
        """A spawn call. `prompt` is text, or a reference to a blob as `ref()` makes it."""
        return self.add(tool, parent, by, args={"prompt": prompt} if prompt else {}, **more)

    def note(self, parent: Any = None, tool: str = "stall.verdict", by: str = MAIN, **more: Any) -> int:
        """Bookkeeping."""
        return self.add(tool, parent, by, **more)

    def governance(
        self, event_type: str = "EffectStarted", parent: Any = None, *, seq: int | None = None, **fields: Any
    ) -> int:
        return self._write({"event_type": event_type, **fields}, parent, seq, {})

    def add(
        self,
        tool: str,
        parent: Any = None,
        by: str = MAIN,
        *,
        seq: int | None = None,
        args: Any = None,
        result: Any = None,
        success: bool = True,
        duration_ms: float = 0,
        payload_refs: Sequence[Any] = (),
        metadata: dict[str, Any] | None = None,
    ) -> int:
        event = {
            "event_type": "AgentToolCall",
            "source_agent": by,
            "tool_name": tool,
            "args": {} if args is None else args,
            "result": {} if result is None else result,
            "payload_refs": list(payload_refs),
            "success": success,
            "duration_ms": duration_ms,
        }
        return self._write(event, parent, seq, metadata or {})

    def _write(self, event: dict[str, Any], parent: Any, seq: int | None, metadata: dict[str, Any]) -> int:
        if seq is None:
            seq = self.first if self.top is None else self.top + 1
        self.top = seq if self.top is None else max(seq, self.top)
        now_ms, self.now_ms = self.now_ms, self.now_ms + self.step_ms
        when = dt.datetime.fromtimestamp(now_ms / 1000, dt.UTC)
        pointer = {} if parent is ABSENT else {"triggered_by": parent}
        self.records.append(
            {
                "schema_version": "1.0",
                "seq_id": seq,
                "metadata": {
                    "event_id": f"{seq:08x}-0000-4000-8000-000000000001",
                    "actor_id": "korg:api",
                    "emitted_at": {"physical": now_ms, "logical": 0, "actor_id": 1},
                    **pointer,
                    **metadata,
                },
                "event": {**event, "timestamp": when.strftime("%Y-%m-%dT%H:%M:%S.%fZ")},
            }
        )
        return seq

    # --- reading

    def events(self) -> list[Event]:
        """What a format makes of `nested()`, in the order of writing."""
        return events_of(self.nested())

    def facts(self) -> list[Fact]:
        """The first reading of a source that holds this ledger."""
        return [Opened("lines"), Grew(tuple(self.events())), CaughtUp()]

    def nested(self) -> bytes:
        """NDJSON, journal shape, with an intact chain."""
        return lines(chained(self.records))

    def flat(self) -> bytes:
        """NDJSON, flat shape, with an intact chain: no time, no ids, and a root has no `triggered_by`."""
        return lines(chained(_flat(record) for record in self.records))

    def array(self) -> bytes:
        """One pretty-printed JSON array, as the server rewrites it."""
        return json.dumps(chained(self.records), indent=2).encode()


def table(text: str) -> Book:
    """A book from lines of `seq tool parent actor`, then `key=value` with JSON values.

    `-` is a null parent, `.` an absent one, and any other word that is no integer is written as the JSON that
    it is. An event type that ends in `!` is a governance event. Keys are those of `Book.add`, and `prompt`.
    """
    book = Book()
    for line in text.strip().splitlines():
        words, *pairs = re.split(r"\s+(?=\w+=)", line.strip())
        seq, tool, parent_word, *actor = words.split()
        parent = {"-": None, ".": ABSENT}.get(parent_word, parent_word)
        if isinstance(parent, str):
            parent = json.loads(parent)
        if tool.endswith("!"):
            book.governance(tool[:-1], parent, seq=int(seq))
            continue
        more = {key: json.loads(value) for key, _, value in (pair.partition("=") for pair in pairs)}
        if "prompt" in more:
            more["args"] = {"prompt": more.pop("prompt")} | more.get("args", {})
        book.add(tool, parent, actor[0] if actor else MAIN, seq=int(seq), **more)
    return book


WORKED_EXAMPLE = """
    1 user_prompt    -  human:dusk  prompt="go"
    2 llm_inference  1  agent:main
    3 user_prompt    2  agent:sub   prompt="look"
    4 llm_inference  3  agent:sub
    5 Read           4  agent:sub
    6 Agent          2  agent:main
    7 llm_inference  6  agent:main
"""
"""The sub-agent of SPEC §2b: forks at 2, and its spawn call 6 hands the result back to 7."""


def ref(content: str | bytes) -> dict[str, Any]:
    """A reference to a blob with this content (SPEC §7.3)."""
    raw = content.encode() if isinstance(content, str) else content
    return {"_ref": "sha256:" + hashlib.sha256(raw).hexdigest(), "size_bytes": len(raw)}


# --- bytes


def canonical(value: Any) -> bytes:
    """Sorted keys, no white space, ASCII: what a hash is taken over (LEDGERS, Hash chain)."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def chained(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records with `prev_hash` and `entry_hash`."""
    previous, out = "0" * 64, []
    for record in records:
        linked = {**record, "prev_hash": previous}
        previous = hashlib.sha256(canonical(linked)).hexdigest()
        out.append({**linked, "entry_hash": previous})
    return out


def lines(records: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    event = {key: value for key, value in record["event"].items() if key != "timestamp"}
    if event["event_type"] == "AgentToolCall":
        del event["event_type"]
    parent = record["metadata"].get("triggered_by")
    pointer = {} if parent is None else {"triggered_by": parent}
    return {"schema_version": record["schema_version"], "seq_id": record["seq_id"], **event, **pointer}


# --- events


def events_of(ledger: bytes) -> list[Event]:
    """A plain reading of NDJSON, so that tests of higher floors do not lean on the formats."""
    events, offset = [], 0
    for line in ledger.split(b"\n"):
        if line.strip() and not line.startswith(b"//"):
            events.append(event_of(json.loads(line), offset, len(line)))
        offset += len(line) + 1
    return events


def event_of(record: dict[str, Any], offset: int = 0, length: int = 0) -> Event:
    """The skeleton of one well-formed record of any shape (CAUSALITY §1)."""
    metadata, inner = record.get("metadata", {}), record.get("event", record)
    pointer = record if "triggered_by" in record else metadata
    parent = pointer.get("triggered_by")
    tool, event_type = inner.get("tool_name"), inner.get("event_type", "AgentToolCall")
    is_agent = tool is not None and event_type == "AgentToolCall"
    args, result = inner.get("args"), inner.get("result")
    prompt = args.get("prompt") if isinstance(args, dict) else None
    content = record.get("entry_hash") or hashlib.sha256(canonical(record)).hexdigest()
    physical = metadata.get("emitted_at", {}).get("physical")
    return Event(
        seq=record["seq_id"] if "seq_id" in record else record["seq"],
        kind=DEFAULT_KINDS[tool] if is_agent else Kind.GOVERNANCE,
        tool=tool if is_agent else event_type,
        actor=inner.get("source_agent", ""),
        parent=parent if type(parent) is int else None,
        bad_parent=parent is not None and type(parent) is not int,
        success=inner.get("success"),
        duration_ms=inner.get("duration_ms"),
        time_ms=_milliseconds(inner["timestamp"]) if "timestamp" in inner else physical,
        prompt=_prompt_key(prompt) if is_agent else "",
        returns=tuple(_returns(result, 1)) if is_agent else (),
        root_event_id=metadata.get("root_event_id") or "",
        synthesized=prompt == SYNTHESIZED_PROMPT,
        agent=_agent(result) if tool in ("Agent", "Task") else "",
        schema=str(record.get("schema_version", "")),
        digest=int(content[:16], 16) >> 1,
        offset=offset,
        length=length,
    )


def _milliseconds(timestamp: str) -> int:
    return round(dt.datetime.fromisoformat(timestamp).timestamp() * 1000)


def _prompt_key(prompt: Any) -> str:
    if isinstance(prompt, str) and prompt:
        return "text:" + prompt
    if isinstance(prompt, dict) and isinstance(prompt.get("_ref"), str):
        return "ref:" + prompt["_ref"].removeprefix("sha256:")
    return ""


def _agent(result: Any) -> str:
    found = re.findall(r"agentId: (\S+)", json.dumps(result).replace("\\n", "\n").replace('"', " "))
    return found[-1] if found else ""


def _returns(value: Any, level: int) -> Iterable[int]:
    if level > 4:
        return
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, member in members:
        if key in ("root_seq", "child_root_seq", "child_root_seqs"):
            yield from (seq for seq in (member if isinstance(member, list) else [member]) if type(seq) is int)
        else:
            yield from _returns(member, level + 1)
