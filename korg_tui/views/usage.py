"""Usage: tokens and cost of one event, as far as its record says; nothing is estimated.

Producers write `prompt_tokens` in `args` and `completion_tokens` in `result` (korgex, codex, the importers),
or the same in `usage`; a `session_complete` carries `total_cost_usd`, the cost of all that came before it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from korg_tui.formats import Body
from korg_tui.views.calls import is_count

_IN = ("prompt_tokens", "input_tokens")
_OUT = ("completion_tokens", "output_tokens")
_CACHED = ("cached_tokens", "cache_read_input_tokens")
_TOTAL = ("total_tokens", "tokens")

HINTS = (b"token", b"cost_usd")
"""A record without any of these says nothing of tokens and cost."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one event, or many, used; None where nothing is said."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    cached: int | None = None
    """Of those that went in, how many came from a cache."""
    unsplit: int | None = None
    """Tokens of which it is not said whether they went in or out."""
    cost: float | None = None
    """US dollars, of events that name their own."""
    total_cost: float | None = None
    """US dollars, of events that name that of a whole run."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            _sum(self.tokens_in, other.tokens_in),
            _sum(self.tokens_out, other.tokens_out),
            _sum(self.cached, other.cached),
            _sum(self.unsplit, other.unsplit),
            _total(self.cost, other.cost),
            _total(self.total_cost, other.total_cost),
        )

    @property
    def tokens(self) -> int | None:
        """All that is said: in, out, and those that are not split."""
        return _sum(_sum(self.tokens_in, self.tokens_out), self.unsplit)

    @property
    def dollars(self) -> float | None:
        """The cost of whole runs where that is said, else the sum of what single events name."""
        return self.cost if self.total_cost is None else self.total_cost


NOTHING = Usage()


def usage_of(found: Body) -> Usage:
    """What an event used, by its arguments and its result."""
    places = [each for value in (found.args, found.result) for each in _places(value)]
    went_in, came_out = _count(places, _IN), _count(places, _OUT)
    split = went_in is not None or came_out is not None
    return Usage(
        tokens_in=went_in,
        tokens_out=came_out,
        cached=_count(places, _CACHED),
        unsplit=None if split else _count(places, _TOTAL),
        cost=_dollars(places, "cost_usd"),
        total_cost=_dollars(places, "total_cost_usd"),
    )


def _places(value: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        yield value
        for key in ("usage", "token_usage"):
            if isinstance(value.get(key), Mapping):
                yield value[key]


def _count(places: list[Mapping[str, Any]], keys: tuple[str, ...]) -> int | None:
    for place in places:
        for key in keys:
            if is_count(place.get(key)):
                return int(place[key])
    return None


def _dollars(places: list[Mapping[str, Any]], key: str) -> float | None:
    for place in places:
        cost = place.get(key)
        if (
            isinstance(cost, int | float)
            and not isinstance(cost, bool)
            and 0 <= cost < 1e12
            and math.isfinite(cost)
        ):
            return float(cost)
    return None


def _sum(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other


def _total(one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other
