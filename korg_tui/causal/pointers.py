"""Parent pointers and the state each one is in (CAUSALITY §2, SPEC §6.1)."""

from __future__ import annotations

import enum

from korg_tui.event import Kind


class Pointer(enum.IntEnum):
    """The state of an event's parent pointer. Everything but `OK` makes the event a head."""

    OK = 0
    REWOUND = 1
    ROOT = 2
    DETACHED = 3
    ORPHAN = 4
    MALFORMED = 5
    FORWARD = 6
    GOVERNANCE = 7
    UNLOADED = 8
    DEAD = 9

    @property
    def word(self) -> str:
        """The state as CAUSALITY §2 and the JSON of `lanes` call it."""
        return self.name.lower()

    @property
    def names_missing(self) -> bool:
        """Whether the pointer names a seq that the ledger does not have; such heads form groups."""
        return self in (Pointer.DEAD, Pointer.UNLOADED, Pointer.REWOUND)

    @property
    def lost(self) -> bool:
        """Whether `sessions` counts it as a dead pointer: everything that should have a parent and has
        none, but for `unloaded`, which is counted apart."""
        return self in _LOST

    @property
    def begins(self) -> bool:
        """Whether a head in this state begins something, so that nothing before it is missing."""
        return self in (Pointer.ROOT, Pointer.DETACHED)


_LOST = frozenset(
    {
        Pointer.DEAD,
        Pointer.ORPHAN,
        Pointer.FORWARD,
        Pointer.GOVERNANCE,
        Pointer.MALFORMED,
        Pointer.REWOUND,
    }
)

STATUS = {
    Pointer.ROOT: "complete",
    Pointer.DETACHED: "detached",
    Pointer.ORPHAN: "partial",
    Pointer.DEAD: "partial",
    Pointer.UNLOADED: "partial",
    Pointer.REWOUND: "partial",
    Pointer.FORWARD: "malformed",
    Pointer.GOVERNANCE: "malformed",
    Pointer.MALFORMED: "malformed",
}
"""Head state → session status (CAUSALITY §2)."""


def without_parent(kind: Kind) -> Pointer:
    """The state of a pointer that is null or absent, which depends on what kind of event has it."""
    if kind is Kind.PROMPT:
        return Pointer.ROOT
    return Pointer.DETACHED if kind is Kind.BOOKKEEPING else Pointer.ORPHAN
