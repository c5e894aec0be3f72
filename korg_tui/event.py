"""Event: the skeleton of one ledger event, and where its body lies (CAUSALITY §1).

A format decodes a record to an `Event` or a `Malformed`. Everything above this floor works on these
two; arguments and results stay in the record and are decoded again when somebody looks at them.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable

import msgspec

SYNTHESIZED_PROMPT = (
    "[adapter-synthesized: original CLI prompt not captured in stream-json; see v1.2]"
)
"""The prompt an adapter writes for a root that it did not see (SPEC §7.6, CAUSALITY §2)."""

SPAWN_TOOLS = frozenset({"Agent", "Task", "Orchestrate", "python"})
"""Tool names of spawn calls, by default (CAUSALITY §1)."""

BOOKKEEPING_TOOLS = frozenset(
    {
        "session_start", "session_complete", "edit_policy", "compaction", "test_gate", "memory_reconcile",
        "spec.seed", "tools_filter.deny", "guardrail.block", "review.finding", "security.scan",
        "agent_message", "message_read",
    }
)  # fmt: skip
BOOKKEEPING_PREFIXES = (
    "stall.", "context.", "loop_guard.", "hook.", "lsp.", "heal.", "subagent.", "orchestrate.",
    "exec_graph.", "best_of_n.", "checkpoint.", "egress.", "skill.", "bus.", "contract.",
)  # fmt: skip


class Kind(enum.IntEnum):
    """What an event is to the causal model (CAUSALITY §1)."""

    PROMPT = 0
    INFERENCE = 1
    SPAWN = 2
    TOOL = 3
    BOOKKEEPING = 4
    GOVERNANCE = 5
    MALFORMED = 6
    GAP = 7

    @property
    def agent(self) -> bool:
        """Whether events of this kind take part in lanes, edges and rewind sets."""
        return self <= Kind.BOOKKEEPING

    @property
    def word(self) -> str:
        """The kind in the words of CAUSALITY §1, as `show --json` prints it."""
        return _KIND_WORDS[self]


_KIND_WORDS = (
    "prompt", "inference", "spawn call", "tool call", "bookkeeping", "governance", "malformed", "gap",
)  # fmt: skip


class KindTable:
    """Tool name → kind, with the configurable sets of CAUSALITY §1. Answers are remembered per name."""

    def __init__(
        self,
        spawn: Iterable[str] = SPAWN_TOOLS,
        bookkeeping: Iterable[str] = BOOKKEEPING_TOOLS,
        prefixes: tuple[str, ...] = BOOKKEEPING_PREFIXES,
    ) -> None:
        self._prefixes = prefixes
        self._known: dict[str, Kind] = dict.fromkeys(bookkeeping, Kind.BOOKKEEPING)
        self._known |= dict.fromkeys(spawn, Kind.SPAWN)
        self._known |= {"user_prompt": Kind.PROMPT, "llm_inference": Kind.INFERENCE}

    def __getitem__(self, tool: str) -> Kind:
        """The kind of a tool call of this name; any name has one."""
        kind = self._known.get(tool)
        if kind is None:
            kind = Kind.BOOKKEEPING if tool.startswith(self._prefixes) else Kind.TOOL
            if len(self._known) < 4096 and len(tool) < 256:
                self._known[tool] = kind
        return kind


DEFAULT_KINDS = KindTable()


class Event(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The skeleton of one event: what the causal model and a spine row need, nothing else.

    `offset` and `length` (bytes) say where the record lies in its source. Unknown is `None` for
    numbers and the empty string for names.
    """

    seq: int
    """`seq_id`, or `seq` in the legacy shape. Unique within one ledger; never a row number."""
    kind: Kind
    tool: str
    """`tool_name`, or the `event_type` of a governance event."""
    actor: str = ""
    """`source_agent`; empty when missing."""
    parent: int | None = None
    """`triggered_by` when it is an integer."""
    bad_parent: bool = False
    """`triggered_by` is there, but is neither null nor an integer (`True` and `3.0` are none)."""
    success: bool | None = None
    duration_ms: float | None = None
    time_ms: int | None = None
    """Milliseconds since the epoch, UTC: `event.timestamp`, else `metadata.emitted_at.physical`."""
    prompt: str = ""
    """A key for equal prompts (CAUSALITY §5 step 3): `text:…` for non-empty text in `args.prompt`,
    `ref:<sha256>` for a reference to a blob, else empty. Text never equals a digest."""
    returns: tuple[int, ...] = ()
    """The seqs that `root_seq`, `child_root_seq`, `child_root_seqs` name in `result` (§5 step 2)."""
    root_event_id: str = ""
    """`metadata.root_event_id`: groups a window whose root is missing (CAUSALITY §2)."""
    synthesized: bool = False
    """A prompt whose text is `SYNTHESIZED_PROMPT`."""
    agent: str = ""
    """Of a spawn call: the id of the sub-agent, where its result says `agentId: <id>`; the sub-agent's ledger
    is `agent-<id>.jsonl` beside this one (LEDGERS, claude-code hook)."""
    blobs: tuple[str, ...] = ()
    """Digests (64 lower-case hex digits) that the record names, in order of first mention."""
    schema: str = ""
    """`schema_version` as written."""
    digest: int = 0
    """63 bits that stand for the content: of `entry_hash` where there is one, else of the raw record
    (CAUSALITY §8). Equal digests mean the same event."""
    offset: int = 0
    length: int = 0


class Malformed(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A record that no format could read: where it lies, and why, in words for a person."""

    offset: int
    length: int
    reason: str


class Gap(msgspec.Struct, frozen=True, gc=False):
    """Seqs from `first` to `last` that a source has and could not give (CAUSALITY §2, `unloaded`)."""

    first: int
    last: int

    @property
    def count(self) -> int:
        """How many seqs that are."""
        return self.last - self.first + 1


Record = Event | Malformed
"""What a format makes of the bytes of one record."""
