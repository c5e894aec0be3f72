"""Columns: what a ledger keeps of every event, one typed array per property, strings interned.

Rows are sorted by seq. A malformed line has no seq of its own; it carries the seq of the event that it
followed, and stands behind it. A gap carries the last seq that is missing. A guest has a key for its seq,
and stands before the event whose seq is its `place`; the place of all other rows is their seq.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import Any

from korg_tui.causal.guests import Guest, is_key
from korg_tui.event import Event, Gap, Kind, Malformed, Record

NONE = -(2**63)
"""Stands for "no value" in the 64-bit columns, where 0 and -1 are values."""
BAD = NONE + 1
"""Stands for a parent that is there, but is no integer."""
NAN = float("nan")
NOWHERE = -1
"""The offset of a row that is no record of the source."""
UNKNOWN = -1
"""Stands for "not said" in the success column."""
_SAID = (
    "kind", "tool", "actor", "bad_parent", "success", "duration_ms", "time_ms", "prompt", "returns",
    "synthesized", "blobs", "agent", "schema", "parent",
)  # fmt: skip


class Names:
    """Interned strings: name → small number, and back."""

    __slots__ = ("_numbers", "_texts")

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._texts: list[str] = []

    def number(self, text: str) -> int:
        """The number of `text`, a new one if it was never seen."""
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self._texts)
            self._texts.append(text)
        return number

    def __getitem__(self, number: int) -> str:
        return self._texts[number]


class Columns:
    """The given part of a ledger's rows: what records say, before anything is derived from it."""

    def __init__(self) -> None:
        self.names = Names()
        self.first_seq: int | None = None
        self.seq = array("q")
        self.place = self.seq
        self.kind = array("b")
        self.parent = array("q")
        self.actor = array("i")
        self.tool = array("i")
        self.schema = array("i")
        self.success = array("b")
        self.duration = array("d")
        self.time = array("q")
        self.digest = array("q")
        self.offset = array("q")
        self.length = array("q")
        self.prompts: dict[int, str] = {}
        self.returns: dict[int, tuple[int, ...]] = {}
        self.blobs: dict[int, tuple[str, ...]] = {}
        self.roots: dict[int, str] = {}
        self.reasons: dict[int, str] = {}
        self.synthesized: set[int] = set()
        self.gaps: dict[int, Gap] = {}
        self.last_own = -1
        """The last row that is an event of this very ledger: no guest, no gap, no malformed line."""
        self.gaps_in_order: list[Gap] = []
        self.missing = 0
        """How many seqs lie in gaps."""
        self.agents: dict[int, str] = {}
        self.guests: dict[int, Guest] = {}
        self._guest_rows: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.seq)

    def push_guest(self, guest: Guest) -> int:
        """Append a guest as the last row and return that row."""
        if self.place is self.seq:
            self.place = array("q", self.seq)
        row = self.push(guest.event, guest.place)
        self.guests[row] = guest
        self._guest_rows[guest.event.seq] = row
        return row

    def push(self, event: Event, place: int | None = None) -> int:
        """Append an event as the last row and return that row."""
        row, names = len(self.seq), self.names.number
        if self.first_seq is None:
            self.first_seq = event.seq
        if place is None:
            place, self.last_own = event.seq, row
        self._stand(event.seq, place)
        self.kind.append(event.kind)
        self.parent.append(_parent_cell(event))
        self.actor.append(names(event.actor))
        self.tool.append(names(event.tool))
        self.schema.append(names(event.schema))
        self.success.append(UNKNOWN if event.success is None else event.success)
        self.duration.append(NAN if event.duration_ms is None else event.duration_ms)
        self.time.append(NONE if event.time_ms is None else event.time_ms)
        self.digest.append(event.digest)
        self.offset.append(event.offset)
        self.length.append(event.length)
        if event.prompt:
            self.prompts[row] = event.prompt
        if event.returns:
            self.returns[row] = event.returns
        if event.blobs:
            self.blobs[row] = event.blobs
        if event.root_event_id and event.parent is not None and self.not_loaded(event.parent):
            self.roots[row] = event.root_event_id
        if event.agent:
            self.agents[row] = event.agent
        if event.synthesized:
            self.synthesized.add(row)
        return row

    def _stand(self, seq: int, place: int) -> None:
        self.seq.append(seq)
        if self.place is not self.seq:
            self.place.append(place)

    def push_malformed(self, record: Malformed, after: int) -> None:
        """Append a malformed line as the last row; `after` is the seq of the event that it followed."""
        self.reasons[len(self.seq)] = record.reason
        self._push_other(after, Kind.MALFORMED, record.offset, record.length)

    def push_gap(self, gap: Gap) -> None:
        """Append a gap as the last row."""
        self.gaps[len(self.seq)] = gap
        self.gaps_in_order.append(gap)
        self.missing += gap.count
        self._push_other(gap.last, Kind.GAP, NOWHERE, 0)

    def _push_other(self, seq: int, kind: Kind, offset: int, length: int) -> None:
        empty = self.names.number("")
        self._stand(seq, seq)
        self.kind.append(kind)
        self.parent.append(NONE)
        for column in (self.actor, self.tool, self.schema):
            column.append(empty)
        self.success.append(UNKNOWN)
        self.duration.append(NAN)
        self.time.append(NONE)
        self.digest.append(0)
        self.offset.append(offset)
        self.length.append(length)

    def pop(self) -> None:
        """Drop the last row."""
        row = len(self.seq) - 1
        if self.seq[row] == self.first_seq and self.kind[row] < Kind.MALFORMED:
            self.first_seq = None
        if row == self.last_own:
            self.last_own = self._own_before(row)
        for column in self._arrays():
            column.pop()
        if row in self.gaps:
            self.missing -= self.gaps_in_order.pop().count
        for sparse in self._sparse():
            sparse.pop(row, None)
        self.synthesized.discard(row)
        guest = self.guests.pop(row, None)
        if guest is not None:
            del self._guest_rows[guest.event.seq]
        if self.place is not self.seq:
            self.place.pop()
            if not self.guests:
                self.place = self.seq

    def _own_before(self, row: int) -> int:
        row -= 1
        while row >= 0 and (self.kind[row] >= Kind.MALFORMED or row in self.guests):
            row -= 1
        return row

    def _sparse(self) -> tuple[dict[int, Any], ...]:
        return (
            self.prompts, self.returns, self.blobs, self.roots, self.reasons, self.gaps, self.agents,
        )  # fmt: skip

    def _arrays(self) -> tuple[array[int] | array[float], ...]:
        return (
            self.seq, self.kind, self.parent, self.actor, self.tool, self.schema, self.success,
            self.duration, self.time, self.digest, self.offset, self.length,
        )  # fmt: skip

    def record_at(self, row: int) -> Record | Gap | Guest:
        """The record of a row, as far as the columns keep it."""
        if row in self.guests:
            return self.guests[row]
        if self.kind[row] == Kind.GAP:
            return self.gaps[row]
        offset, length = self.offset[row], self.length[row]
        if self.kind[row] == Kind.MALFORMED:
            return Malformed(offset=offset, length=length, reason=self.reasons[row])
        parent, success = self.parent[row], self.success[row]
        duration, time = self.duration[row], self.time[row]
        return Event(
            seq=self.seq[row],
            kind=Kind(self.kind[row]),
            tool=self.names[self.tool[row]],
            actor=self.names[self.actor[row]],
            parent=None if parent in (NONE, BAD) else parent,
            bad_parent=parent == BAD,
            success=None if success == UNKNOWN else bool(success),
            duration_ms=None if duration != duration else duration,
            time_ms=None if time == NONE else time,
            prompt=self.prompts.get(row, ""),
            returns=self.returns.get(row, ()),
            root_event_id=self.roots.get(row, ""),
            synthesized=row in self.synthesized,
            blobs=self.blobs.get(row, ()),
            agent=self.agents.get(row, ""),
            schema=self.names[self.schema[row]],
            digest=self.digest[row],
            offset=offset,
            length=length,
        )

    def says(self, row: int, event: Event) -> bool:
        """Whether a row has the content of an event. The stated hash of an event that was altered can have
        been left: so what the columns have is compared, too."""
        if self.digest[row] != event.digest:
            return False
        known = self.record_at(row)
        assert isinstance(known, Event)
        return all(getattr(known, name) == getattr(event, name) for name in _SAID)

    def row_of(self, seq: int) -> int:
        """The row of the event with this seq, -1 if there is none."""
        if is_key(seq) and self.guests:
            return self._guest_rows.get(seq, -1)
        column = self.seq
        if not column:
            return -1
        row = seq - column[0]
        if 0 <= row < len(column) and column[row] == seq and self.kind[row] < Kind.MALFORMED:
            return row
        row = bisect_left(self.place, seq)
        if row < len(column) and column[row] == seq and self.kind[row] < Kind.MALFORMED:
            return row
        return self._behind_others(seq)

    def _behind_others(self, seq: int) -> int:
        """The row of an event before which guests or a gap stand, -1 if there is none."""
        row = bisect_right(self.place, seq) - 1
        while row >= 0 and self.place[row] == seq and row not in self.guests:
            if self.kind[row] < Kind.MALFORMED:
                return row
            row -= 1
        return -1

    def not_loaded(self, seq: int) -> bool:
        """Whether the source has this seq, as far as one can tell, and could not give it (CAUSALITY §2)."""
        first = self.first_seq
        if first is not None and seq < first and first > 1:
            return True
        return self.in_gap(seq)

    def in_gap(self, seq: int) -> bool:
        """Whether this seq is one that the source could not give."""
        place = bisect_left(self.gaps_in_order, seq, key=lambda gap: gap.last)
        return place < len(self.gaps_in_order) and self.gaps_in_order[place].first <= seq

    def first_from(self, seq: int) -> int:
        """The first row whose place is this seq or a larger one."""
        return bisect_left(self.place, seq)

    def last_seq(self) -> int:
        """The largest seq of an event that is no guest, `NONE` if there is none."""
        return NONE if self.last_own < 0 else self.seq[self.last_own]


def _parent_cell(event: Event) -> int:
    if event.bad_parent:
        return BAD
    return NONE if event.parent is None else max(event.parent, BAD + 1)
