"""What is found when a ledger is examined: faults of its chain, findings, checks, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Verdict = Literal["intact", "broken", "unchained", "needs_key", "unverifiable", "window", "empty"]
"""Whether a chain holds (LEDGERS, Hash chain)."""

FaultKind = Literal["link", "content", "unchained", "signature", "anchor", "seal", "tip"]
"""What kind of evidence speaks against an event, in the words of `verify --json`."""

Status = Literal["pass", "warn", "fail"]

About = Literal["", "pointer", "line", "blob"]
"""What a finding speaks of, where that is one thing: a parent that is not there, a line that is no event, a
blob."""


class Signers(Protocol):
    """Keys that events may be signed with."""

    def fits(self, preimage: bytes, signature: str) -> bool:
        """Whether one of the keys signed exactly these bytes; `signature` as it stands in the event."""
        ...


@dataclass(frozen=True, slots=True)
class Fault:
    """Evidence that an event is not what was recorded, or not where it was."""

    seq: int | None
    """The event; None for what speaks against the ledger as a whole."""
    kind: FaultKind
    text: str
    """In one line for a person; pieces of the ledger are made visible."""
    offset: int = 0
    """Where the record lies (bytes), for what has no seq of its own."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to know about an event, or about a line that is none."""

    seq: int | None
    text: str
    """In one line for a person; pieces of the ledger are made visible."""
    grave: bool = False
    """Whether it alone makes a check fail."""
    offset: int = 0
    """Where the record lies (bytes), for what has no seq of its own."""
    about: About = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One check of the list (SPEC §6, §7.6, §2a), and what it found."""

    check: str
    """`6.1` … `6.6`, `7.6`, `2a`."""
    status: Status
    looked_at: int
    """How many things were looked at: events, roots, values, blobs, as the check has it."""
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the chain of one ledger stands, as far as it was looked at."""

    verdict: Verdict
    events: int
    """Events that were looked at."""
    tip: str
    """`entry_hash` of the last one; empty when it has none."""
    verified_to: int | None
    """The seq up to which every link and every hash fits; None when that holds for no event."""
    faults: tuple[Fault, ...] = ()
    findings: tuple[Finding, ...] = ()
    """Numbers that cannot be verified, and duplicate keys."""
    notes: tuple[str, ...] = ()
    """What else a person should know: conventions, holes, what nobody can know."""
    signed: int = 0
    """Events that carry a signature."""
    misfits: int = 0
    """Events whose hash does not fit and that are not faults: unverifiable ones, and all without the key."""
