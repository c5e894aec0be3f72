"""Alignment: which of two sequences' items stand for each other, so that one that was inserted shifts none.

Keys that are unique on both sides anchor what lies between them, rare ones after them; what is short is
compared whole. The work is bounded whatever the keys are: when it is spent, the rest is matched as it comes.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

Pair = tuple[int | None, int | None]
"""Places on the left and on the right; None where there is no counterpart."""

_WHOLE = 20_000
"""Pairs of keys that may be compared whole, of what lies between two anchors."""
_WORK = 80
"""Steps that may be taken for every item."""
_RARE = 32
"""Keys that come more often are no anchors."""
_BLOCK = 64
"""Items of one side that are compared whole where no key is rare."""
_AHEAD = 64
"""So far ahead a counterpart is looked for when the work is spent."""


@dataclass(slots=True)
class _Part:
    """Items from `i` to before `k` on the left, from `j` to before `m` on the right."""

    i: int
    k: int
    j: int
    m: int

    @property
    def size(self) -> int:
        return self.k - self.i + self.m - self.j


def align(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Pair]:
    """Every place of both sides once, none out of order; what has no counterpart stands where it was."""
    return list(with_others(_Aligner(left, right).matches(), len(left), len(right)))


def with_others(matches: Sequence[tuple[int, int]], lefts: int, rights: int) -> Iterator[Pair]:
    """Matches, ascending, and between them every place that has no counterpart, those of the left first."""
    i = j = 0
    for left, right in [*matches, (lefts, rights)]:
        yield from ((at, None) for at in range(i, left))
        yield from ((None, at) for at in range(j, right))
        if left < lefts:
            yield left, right
        i, j = left + 1, right + 1


class _Aligner:
    def __init__(self, left: Sequence[Hashable], right: Sequence[Hashable]) -> None:
        self._left, self._right = _numbered(left, right)
        self._work = _WORK * (len(left) + len(right)) + _WHOLE
        self._found: list[tuple[int, int]] = []

    def matches(self) -> list[tuple[int, int]]:
        parts = [_Part(0, len(self._left), 0, len(self._right))]
        while parts:
            part = parts.pop()
            self._trim(part)
            if part.i == part.k or part.j == part.m:
                continue
            self._work -= part.size
            anchors = self._anchors(part)
            if anchors:
                parts += _between(part, anchors)
                self._found += anchors
        return sorted(self._found)

    def _trim(self, part: _Part) -> None:
        """Match what is the same at both ends."""
        left, right = self._left, self._right
        while part.i < part.k and part.j < part.m and left[part.i] == right[part.j]:
            self._found.append((part.i, part.j))
            part.i, part.j = part.i + 1, part.j + 1
        while part.i < part.k and part.j < part.m and left[part.k - 1] == right[part.m - 1]:
            part.k, part.m = part.k - 1, part.m - 1
            self._found.append((part.k, part.m))

    def _anchors(self, part: _Part) -> list[tuple[int, int]]:
        """Some matches; a part in which there are none is done. Those that compare a part whole are all
        there are: what lies between them has no key in common, or is looked at again."""
        if self._work <= 0:
            return self._as_they_come(part)
        on_left, on_right = self._places(part)
        counts = [len(places) + len(on_right[key]) for key, places in on_left.items() if key in on_right]
        if not counts:
            return []
        rarest = min(counts)
        if rarest > 2 and (part.k - part.i) * (part.m - part.j) <= _WHOLE:
            return self._whole(part)
        if rarest > _RARE:
            return self._block_by_block(part)
        pairs = [
            pair
            for key, places in on_left.items()
            if key in on_right and len(places) + len(on_right[key]) == rarest
            for pair in zip(places, on_right[key], strict=False)
        ]
        return _longest_ascending(sorted(pairs))

    def _places(self, part: _Part) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        on_left: dict[int, list[int]] = defaultdict(list)
        on_right: dict[int, list[int]] = defaultdict(list)
        for at in range(part.i, part.k):
            on_left[self._left[at]].append(at)
        for at in range(part.j, part.m):
            on_right[self._right[at]].append(at)
        return on_left, dict(on_right)

    def _whole(self, part: _Part) -> list[tuple[int, int]]:
        """A longest common subsequence."""
        left, right = self._left[part.i : part.k], self._right[part.j : part.m]
        self._work -= len(left) * len(right)
        width = len(right) + 1
        best = [array("i", bytes(4 * width)) for _ in range(len(left) + 1)]
        for i in range(len(left) - 1, -1, -1):
            row, below, key = best[i], best[i + 1], left[i]
            for j in range(len(right) - 1, -1, -1):
                row[j] = below[j + 1] + 1 if key == right[j] else max(below[j], row[j + 1])
        found, i, j = [], 0, 0
        while i < len(left) and j < len(right):
            if left[i] == right[j]:
                found.append((part.i + i, part.j + j))
                i, j = i + 1, j + 1
            elif best[i + 1][j] >= best[i][j + 1]:
                i += 1
            else:
                j += 1
        return found

    def _block_by_block(self, part: _Part) -> list[tuple[int, int]]:
        """Where no key is rare: blocks that lie as far along on both sides, each compared whole."""
        count = max(part.k - part.i, part.m - part.j) // _BLOCK + 1
        found: list[tuple[int, int]] = []
        for number in range(count):
            i, k = (part.i + (part.k - part.i) * at // count for at in (number, number + 1))
            j, m = (part.j + (part.m - part.j) * at // count for at in (number, number + 1))
            block = _Part(i, k, j, m)
            found += self._whole(block) if self._work > 0 else self._as_they_come(block)
        return found

    def _as_they_come(self, part: _Part) -> list[tuple[int, int]]:
        """Each item with its next counterpart, if that is near."""
        _, on_right = self._places(part)
        found, j = [], part.j
        for i in range(part.i, part.k):
            places = on_right.get(self._left[i], [])
            number = bisect_left(places, j)
            if number < len(places) and places[number] <= j + _AHEAD:
                found.append((i, places[number]))
                j = places[number] + 1
        return found


def _numbered(left: Sequence[Hashable], right: Sequence[Hashable]) -> tuple[array[int], array[int]]:
    """Small numbers in the place of keys."""
    numbers: dict[Hashable, int] = {}
    return (
        array("q", [numbers.setdefault(key, len(numbers)) for key in left]),
        array("q", [numbers.setdefault(key, len(numbers)) for key in right]),
    )


def _longest_ascending(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of pairs that ascend on the left, as many as ascend on the right, too."""
    tops: list[int] = []
    top_of: list[int] = []
    before: list[int] = []
    for number, (_, right) in enumerate(pairs):
        at = bisect_left(tops, right)
        before.append(top_of[at - 1] if at else -1)
        if at == len(tops):
            tops.append(right)
            top_of.append(number)
        else:
            tops[at], top_of[at] = right, number
    chain, number = [], top_of[-1] if top_of else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _between(part: _Part, anchors: list[tuple[int, int]]) -> Iterator[_Part]:
    i, j = part.i, part.j
    for left, right in [*anchors, (part.k, part.m)]:
        if i < left and j < right:
            yield _Part(i, left, j, right)
        i, j = left + 1, right + 1
