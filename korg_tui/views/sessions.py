"""Sessions: the rows of the first screen (EXPERIENCE, screen 1)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session of one ledger. Text is safe; numbers are numbers, for sorting."""

    ledger: str
    """The ledger's name, raw: the identity, with `index`."""
    index: int
    """The session's index in its ledger."""
    title: str
    """The ledger's name, safe."""
    seq: int | None
    """The seq of the first head."""
    prompt: str
    agents: int
    lanes: int
    events: int
    failed: int
    dead_pointers: int
    unloaded: int
    status: str
    """`complete`, `partial`, `detached` or `malformed`."""
    synthesized: bool
    live: bool
    last_ms: int | None
    """Time of the last event, ms since the epoch, None when the ledger has none."""
    activity: str
    """`12 s ago`, or `no time`."""
