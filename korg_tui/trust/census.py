"""Census: what the events of a certificate or receipt amount to, counted anew as their writers count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from korg_tui.formats import body

_PROMPTS = ("user_prompt", "user_message")


@dataclass(slots=True)
class Census:
    """Counts over events, in file order. `by_tool` and `files` are those of a certificate: of every event
    that names a tool; `calls` and `touched` those of a receipt: of what is no prompt and no inference."""

    events: int = 0
    tip: str = ""
    """`entry_hash` of the last event; empty when it has none."""
    first: int = 0
    """The smallest seq; 0 without events."""
    last: int = 0
    """The largest seq."""
    agents: set[str] = field(default_factory=set)
    by_tool: Counter[str] = field(default_factory=Counter)
    files: set[str] = field(default_factory=set)
    prompts: int = 0
    inferences: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    touched: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, places: Iterable[tuple[int, int]], read: Callable[[int, int], bytes]) -> Census:
        """The census of the records at these offsets, of these lengths (bytes). Raises `BodyGone`."""
        census = cls()
        for offset, length in places:
            census.add(read(offset, length))
        return census

    def add(self, raw: bytes) -> None:
        """Count one record; what is no object counts nothing."""
        found = body(raw)
        if found is None:
            return
        record = found.record
        seq, tip = record.get("seq_id"), record.get("entry_hash")
        if type(seq) is int:
            self.first = min(self.first, seq) if self.events else seq
            self.last = max(self.last, seq) if self.events else seq
        self.events += 1
        self.tip = tip if isinstance(tip, str) else ""
        event = record.get("event")
        self._add_call(event if isinstance(event, dict) else record)

    def _add_call(self, call: dict[str, Any]) -> None:
        agent, tool, args = call.get("source_agent"), call.get("tool_name"), call.get("args")
        named = args if isinstance(args, dict) else {}
        if isinstance(agent, str):
            self.agents.add(agent)
        if isinstance(tool, str):
            self.by_tool[tool] += 1
        paths = [named.get(name) for name in ("file_path", "path", "notebook_path")]
        self.files.update(path for path in paths[:2] if isinstance(path, str))
        kind = tool or call.get("event_type") or ""
        if kind in _PROMPTS:
            self.prompts += 1
        elif kind == "llm_inference":
            self.inferences += 1
        elif isinstance(kind, str):
            self.calls[kind] += 1
            self.touched.update([path for path in paths if isinstance(path, str) and path][:1])
