"""Hits: where words are in the sections that a pane shows, folded or not, and in which rows they are seen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from korg_tui.text import visible, width
from korg_tui.views import JsonKey, Line, Section
from korg_tui.widgets.laid_out import TITLE, Place, Row, is_sided

HITS = 1_000
"""Hits of a search that are told apart; the others are not gone to."""


@dataclass(frozen=True, slots=True)
class Hit:
    """Where a search found something, and what must be open for it to be seen."""

    place: Place
    around: tuple[JsonKey, ...] = ()


def hits_in(sections: Sequence[Section], words: str, cells: int) -> list[Hit]:
    """The first `HITS` lines and titles that have these words in any case, in a pane of so many cells."""
    return list(islice(_finds(sections, words, cells), HITS))


def _finds(sections: Sequence[Section], words: str, cells: int) -> Iterator[Hit]:
    needle = visible(words).casefold()
    seen: Counter[str] = Counter()
    for section in sections:
        title, number = section.title, seen[section.title]
        seen[title] += 1
        if title and needle in title.casefold():
            yield Hit((title, number, TITLE))
        if section.tree is not None:
            for found in section.tree.find(words):
                yield Hit((title, number, (found.key, False)), found.around)
            continue
        sided = is_sided(section, cells)
        shown = section.sides if sided else [(line, None) for line in section.lines]
        for index, pair in enumerate(shown):
            if any(needle in _said(line) for line in pair if line is not None):
                yield Hit((title, number, index))


def _said(line: Line) -> str:
    """What a search looks through."""
    return f"{line.label} {line.text}".casefold()


def hit_rows(
    hits: Sequence[Hit], rows: Sequence[Row], wanted: re.Pattern[str] | None
) -> list[tuple[int, bool]]:
    """The row of each hit, and whether it is in what is folded there."""
    places: dict[Place, int] = {}
    for index, row in enumerate(rows):
        if row.place is not None:
            places.setdefault(row.place, index)
    found: list[tuple[int, bool]] = []
    for hit in hits:
        title, number, key = hit.place
        around = [(title, number, (each, False)) for each in reversed(hit.around)]
        beside = [(title, number, key - 1)] if isinstance(key, int) else []
        seen = next((places[place] for place in (*around, *beside) if place in places), 0)
        there = places.get(hit.place)
        found.append((seen, True) if there is None else (first_match(rows, there, wanted), False))
    return found


def first_match(rows: Sequence[Row], first: int, wanted: re.Pattern[str] | None) -> int:
    """Of the rows that a line takes from `first` on, the first that has what was searched for."""
    place = rows[first].place
    for index in range(first, len(rows)):
        if rows[index].place != place or wanted is None:
            break
        if wanted.search(rows[index].plain):
            return index
    return first


def with_hits(strip: Strip, plain: str, wanted: re.Pattern[str], look: Style) -> Strip:
    """The strip of a row with what was searched for in this look, over its own."""
    parts, at = [], 0
    for met in wanted.finditer(plain):
        first, last = width(plain[: met.start()]), width(plain[: met.end()])
        parts += [strip.crop(at, first), _styled(strip.crop(first, last), look)]
        at = last
    return Strip.join([*parts, strip.crop(at)]) if parts else strip


def _styled(strip: Strip, style: Style) -> Strip:
    return Strip([Segment(text, (own or Style()) + style, control) for text, own, control in strip])
