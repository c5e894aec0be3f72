"""Facts: what a source reports about its ledger, in the order in which it happened.

A reader that applies the facts of a source, one after the other, to `causal.Journal` has the ledger as
the source has it now (CAUSALITY §8). Facts are values: whoever receives one may keep it.
"""

from __future__ import annotations

import msgspec

from korg_tui.event import Record


class Opened(msgspec.Struct, frozen=True):
    """The container was recognised. `notes` are `(name, value)` pairs in words for a person: the claim,
    issuer and seal of a wrapper, the total a wire form announces, a byte-order mark, and so on."""

    container: str
    """`lines`, `array`, `wrapper`, `wire`, or `empty`."""
    notes: tuple[tuple[str, str], ...] = ()
    around: tuple[tuple[int, int], ...] = ()
    """Where what stands around the events of a wrapper can be read; see `Container.around`."""


class Grew(msgspec.Struct, frozen=True):
    """Records were appended after all that was reported before."""

    records: tuple[Record, ...]


class Replaced(msgspec.Struct, frozen=True):
    """What was reported with `offset >= offset` is gone from the source; `records` stand in its place.

    `epoch` numbers the readings of the source: bodies of what was there before are read with the
    previous number, for as long as the source can still give them."""

    offset: int
    records: tuple[Record, ...]
    epoch: int
    rest: tuple[tuple[int, int], ...] = ()
    """Seqs and digests of the events that will be reported right after these."""


class Filled(msgspec.Struct, frozen=True):
    """Records that the source had all along, between or before those that were reported, and could not give
    until now, in ascending order of seq. Their lines are not late for that."""

    records: tuple[Record, ...]


class Holes(msgspec.Struct, frozen=True):
    """All that the source has and cannot give at present: ranges of seqs `(first, last)`, both included,
    ascending. Pointers into them are `unloaded`, not dead (CAUSALITY §2). Empty when nothing is missing."""

    ranges: tuple[tuple[int, int], ...]


class Progress(msgspec.Struct, frozen=True):
    """How far the first reading has come, in bytes. `total` is 0 when nobody knows."""

    done: int
    total: int


class CaughtUp(msgspec.Struct, frozen=True):
    """All that the source had when this reading began has been reported."""


class State(msgspec.Struct, frozen=True):
    """The source changed its state: `live`, `waiting` (not there yet), `gone`, `back`, `failed`, or `ended`;
    over HTTP also `offline` (it cannot be reached, and is asked again) and `warned` (its answers make no
    sense; the last good state stays).

    `text` says it in one line for a person, with the reason and what happens next; `at_ms` is since when."""

    state: str
    text: str
    at_ms: int


Fact = Opened | Grew | Replaced | Filled | Holes | Progress | CaughtUp | State
