"""Preview: what a rewind would keep, drop, and leave standing (EXPERIENCE, screen 3). It writes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Fate = Literal["kept", "invalidated", "possible", "unknown", "independent"]
"""What becomes of an event (CAUSALITY §7)."""


@dataclass(frozen=True, slots=True)
class FileTouched:
    """A file that dropped events wrote. `path` is raw."""

    path: str
    seqs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CommandRun:
    """A command that a dropped event ran, raw."""

    command: str
    seq: int


@dataclass(frozen=True, slots=True)
class OutsideEffect:
    """A dropped call of a tool that may have had effects outside, its name raw."""

    tool: str
    seq: int


@dataclass(frozen=True, slots=True)
class Losses:
    """What the dropped events did that a rewind does not undo; raw text."""

    files: tuple[FileTouched, ...]
    commands: tuple[CommandRun, ...]
    effects: tuple[OutsideEffect, ...]
    blobs: tuple[str, ...]
    """Digests that only dropped events name."""
    tokens: int | None
    """None when no dropped event carries any."""
    duration_ms: float


@dataclass(frozen=True, slots=True)
class Share:
    """How many events of one session, or one lane, meet each fate."""

    name: str
    index: int
    """The session's index, or the lane's id."""
    kept: int
    invalidated: int
    possible: int
    unknown: int
    independent: int


@dataclass(frozen=True, slots=True)
class RowState:
    """How the preview marks one row."""

    fate: Fate
    rules: tuple[int, ...]
    sign: str
    words: str
    """`rule 2`, `rules 1 4`, `rewind to here`, `unknown cause`, `no recorded dependence` …"""
    gone: bool
    """Whether the chosen scope drops it: the set of §3, or all that comes later (plain truncation)."""
