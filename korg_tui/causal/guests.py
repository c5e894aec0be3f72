"""Guests: events of a sub-agent that keeps a ledger of its own, in the ledger of whoever started it.

A producer may write every agent into a file of its own, with numbers of its own. The spawn call's result
names the file, so that lane and link are declared (CAUSALITY §5), and nothing is guessed. In the host's
ledger a guest has a *key* in the place of its seq: a number that no event of the host can have. Outside, it
is still (ledger, seq).
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from korg_tui.causal.pointers import Pointer
from korg_tui.event import Event

_LOWEST = -(2**62)
_ROOM = 2**40
"""Numbers that a sub-agent's ledger can have."""
ORIGINS_AT_MOST = 2**20


@dataclass(slots=True, eq=False)
class Origin:
    """A sub-agent's ledger that a host has taken in. `calls` are the spawn calls that name it, `fork` the
    event in which its lane begins, as seqs or keys of the host."""

    index: int
    name: str
    calls: list[int]
    fork: int
    present: int = 0
    """How many of its events are in the host."""
    reached_ms: int = 0
    """The time of its newest event so far, ms since the epoch."""

    def key(self, number: int) -> int:
        """What the host knows an event of this ledger by."""
        return _LOWEST + self.index * _ROOM + number

    def number(self, key: int) -> int:
        """The seq that an event has in its own ledger."""
        return key - _LOWEST - self.index * _ROOM


def is_key(seq: int) -> bool:
    """Whether a seq of a host is the key of a guest."""
    return _LOWEST <= seq < _LOWEST + ORIGINS_AT_MOST * _ROOM


def origin_of(key: int) -> int:
    """The index of the origin of a guest."""
    return (key - _LOWEST) // _ROOM


def has_room(number: int) -> bool:
    """Whether a number can be made a key."""
    return 0 <= number < _ROOM


Order = tuple[int, ...]
"""Where a row stands. It begins with the place, a seq of the host: guests stand before the event of it."""


class Guest(msgspec.Struct, frozen=True):
    """A guest as it is stepped over. `event` has keys for seq, parent and offset; `state` is that of its
    pointer."""

    event: Event
    state: Pointer
    order: Order

    @property
    def place(self) -> int:
        """The seq of the host's event before which it stands, be there one or not."""
        return self.order[0]
