"""Seeking: the next place in content that has some words, looked for step by step, around the end once."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from dataclasses import dataclass

from korg_tui.sources import Content

LONGEST = 200
"""Characters of what can be looked for."""

COUNTED = 100_000
"""Places that are counted; there may be more."""

_SLICE = 65_536
_HEX = re.compile(r"\s*(?:0x)?((?:[0-9a-fA-F]{2}\s*)+)")


@dataclass(frozen=True, slots=True)
class Needle:
    """What is looked for. `words` as a person typed them."""

    words: str
    pattern: re.Pattern[bytes]
    reach: int
    """Bytes that it can take."""


def needle(words: str, *, encoding: str = "utf-8", as_hex: bool = False) -> Needle:
    """Words in any case; with `as_hex`, bytes when they are written so: `89 50 4e`."""
    words = words[:LONGEST]
    found = _HEX.fullmatch(words) if as_hex else None
    if found:
        exact = bytes.fromhex(found[1])
        return Needle(words, re.compile(re.escape(exact), re.DOTALL), len(exact))
    each = [{form.encode(encoding, "replace") for form in (c, c.lower(), c.upper())} for c in words]
    parts = [b"(?:" + b"|".join(sorted(map(re.escape, forms))) + b")" for forms in each]
    reach = sum(max(map(len, forms)) for forms in each)
    return Needle(words, re.compile(b"".join(parts), re.DOTALL), reach)


class Seeker:
    """Looks for the next place behind `start`, or before it. Several may look in the same content."""

    def __init__(self, content: Content, sought: Needle, start: int, *, forward: bool = True) -> None:
        self._content = content
        self._needle = sought
        self._start = start
        self.forward = forward
        self._at = start
        self.around = False
        """Whether it has gone around the end (or the beginning)."""
        self.found: int | None = None
        """Where it was found, in bytes."""
        self.done = not sought.words
        self.looked = 0
        """Bytes that were looked at."""

    def step(self) -> None:
        """Look a step further, unless it is done. While content grows, its end is waited for."""
        if self.done:
            return
        if self.forward:
            self._step_on()
        else:
            self._step_back()
        self.done = self.done or self.found is not None

    def _step_on(self) -> None:
        complete, size = self._content.complete, self._content.size
        end = min(self._at + _SLICE, size)
        if self.around:
            end = min(end, self._start)
        part = self._content.read(self._at, end - self._at + self._needle.reach - 1)
        met = self._needle.pattern.search(part)
        if met and self._at + met.start() < end:
            self.found = self._at + met.start()
        elif not complete and end + self._needle.reach > size:
            self._content.read(size, 1)
            end = max(self._at, size - self._needle.reach)
        elif end >= (self._start if self.around else size):
            self.done, self.around, end = self.around, True, 0
        self._looked_at(end)

    def _looked_at(self, at: int) -> None:
        self.looked += abs(at - self._at) if at else 0
        self._at = at

    def _step_back(self) -> None:
        begin = max(0, self._at - _SLICE, self._start if self.around else 0)
        part = self._content.read(begin, self._at - begin + self._needle.reach - 1)
        places = (begin + each.start() for each in self._needle.pattern.finditer(part))
        met = [place for place in places if place < self._at]
        self.looked += self._at - begin
        self._at = begin
        if met:
            self.found = met[-1]
        elif begin <= (self._start if self.around else 0):
            self.done, self.around, self._at = self.around, True, self._content.size


class HitCount:
    """Counts the places that have some words, step by step from the beginning."""

    def __init__(self, content: Content, sought: Needle) -> None:
        self.content = content
        self._needle = sought
        self._places = array("q")
        self._at = 0
        self.done = not sought.words
        """Nothing more is to be counted now; while content grows, there may be more later."""

    def step(self) -> None:
        """Count a step further, unless it is done."""
        complete, size = self.content.complete, self.content.size
        reach = self._needle.reach
        end = min(self._at + _SLICE, size if complete else size - reach)
        if end > self._at:
            part = self.content.read(self._at, end - self._at + reach - 1)
            met = self._needle.pattern.search(part)
            while met and self._at + met.start() < end and len(self._places) < COUNTED:
                self._places.append(self._at + met.start())
                met = self._needle.pattern.search(part, met.start() + 1)
            self._at = end
        self.done = self._at >= size - (0 if complete else reach) or len(self._places) >= COUNTED

    @property
    def is_whole(self) -> bool:
        """Whether all places were counted."""
        return self.content.complete and self._at >= self.content.size and len(self._places) < COUNTED

    def words(self, place: int) -> str:
        """`hit 3 of 12`, for the hit at this byte; as far as they are counted."""
        count = len(self._places)
        number = bisect_left(self._places, place)
        known = number < count and self._places[number] == place
        total = f"{count:,}{'' if self.is_whole else ' or more'}"
        return f"hit {number + 1:,} of {total}" if known else f"a hit, of {total}"
