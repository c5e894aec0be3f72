"""Overlays: spans of one line that lie over one another become spans that do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from korg_tui.views.sections import Span


def overlaid(*layers: Iterable[Span]) -> tuple[Span, ...]:
    """The layers as one; where two overlap, the later one's looks come over the earlier one's."""
    kept = [tuple(layer) for layer in layers]
    kept = [layer for layer in kept if layer]
    if len(kept) < 2:
        return kept[0] if kept else ()
    under, over, *more = kept
    both = _two(under, over)
    return overlaid(both, *more) if more else both


def _two(under: Sequence[Span], over: Sequence[Span]) -> tuple[Span, ...]:
    edges = sorted({edge for span in (*under, *over) for edge in (span.begin, span.end)})
    spans: list[Span] = []
    below, above = 0, 0
    for begin, end in pairwise(edges):
        while below < len(under) and under[below].end <= begin:
            below += 1
        while above < len(over) and over[above].end <= begin:
            above += 1
        names = [
            layer[index].name
            for layer, index in ((under, below), (over, above))
            if index < len(layer) and layer[index].begin <= begin
        ]
        if names:
            spans.append(Span(begin, end, " ".join(names)))
    return tuple(spans)


def moved(spans: Iterable[Span], by: int) -> tuple[Span, ...]:
    """The spans of a text that stands so many characters further on in its line."""
    return tuple(Span(span.begin + by, span.end + by, span.name) for span in spans)
