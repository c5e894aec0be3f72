"""What a store knows of its events without reading them: where they lie, and how they hang together."""

from __future__ import annotations

import uuid
from array import array
from bisect import bisect_left, bisect_right
from math import inf


class Index:
    """Columns over seqs 1 to `total`. It only grows: a rewind makes another one, so that whoever reads the
    old one may go on. About 56 bytes an event."""

    def __init__(self) -> None:
        self.total = 0
        self._ends = array("Q", [0])
        self._parents = array("Q", [0])
        self._last_child = array("Q", [0])
        self._sibling_before = array("Q", [0])
        self._roots = array("Q", [0])
        self._ids = bytearray(16)

    def add(self, length: int, event_id: uuid.UUID, parent: int | None) -> None:
        """The next event: bytes of its line, and the seq it hangs from (a smaller one)."""
        seq = self.total + 1
        self._ends.append(self._ends[-1] + length)
        self._ids += event_id.bytes
        self._parents.append(parent or 0)
        self._last_child.append(0)
        self._sibling_before.append(self._last_child[parent] if parent else 0)
        self._roots.append(self._roots[parent] if parent else seq)
        if parent:
            self._last_child[parent] = seq
        self.total = seq

    def cut(self, total: int) -> Index:
        """Another index, of the first `total` events."""
        kept = Index()
        last_child = self._last_child[: total + 1]
        for seq in range(self.total, total, -1):
            if self._parents[seq] <= total:
                last_child[self._parents[seq]] = self._sibling_before[seq]
        kept.total = total
        kept._ends = self._ends[: total + 1]
        kept._parents = self._parents[: total + 1]
        kept._last_child = last_child
        kept._sibling_before = self._sibling_before[: total + 1]
        kept._roots = self._roots[: total + 1]
        kept._ids = self._ids[: 16 * (total + 1)]
        return kept

    def end(self, seq: int) -> int:
        """The offset behind the line of an event; 0 for seq 0."""
        return self._ends[seq]

    def last_within(self, first: int, last: int, most: int) -> int:
        """The last of the events from `first` up to `last` so that their lines fit in `most` bytes; `first`
        at least."""
        fits = bisect_right(self._ends, self._ends[first - 1] + most, first, last + 1) - 1
        return max(first, fits)

    def first_within(self, first: int, last: int, most: int) -> int:
        """The first of the events from `first` up to `last` so that the lines from it on fit in `most` bytes;
        `last` at the latest."""
        if first > last:
            return first
        fits = bisect_left(self._ends, self._ends[last] - most, first - 1, last) + 1
        return min(last, fits)

    def event_id(self, seq: int) -> uuid.UUID:
        """The id of an event."""
        return uuid.UUID(bytes=bytes(self._ids[16 * seq : 16 * seq + 16]))

    def root(self, seq: int) -> int:
        """The event that the chain of causes ends in."""
        return self._roots[seq]

    def children(self, seq: int, limit: int, total: int, most: float = inf) -> list[int]:
        """The last `limit` direct children among the first `total` events, ascending; as many of them as fit
        in `most` bytes, but one at least."""
        found: list[int] = []
        size = 0
        child = self._last_child[seq] if 0 < seq <= total else 0
        while child and len(found) < limit:
            if child <= total:
                size += self._ends[child] - self._ends[child - 1]
                if found and size > most:
                    break
                found.append(child)
            child = self._sibling_before[child]
        return found[::-1]
