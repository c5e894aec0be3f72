"""Spending: what one record says of model, tokens, and the id of its call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from korg_tui.formats import Body

_IN = ("input_tokens", "prompt_tokens")
_OUT = ("output_tokens", "completion_tokens")
_CALLS = ("tool_use_id", "tool_call_id", "call_id")
_PROVIDERS = (
    ("claude", "anthropic"), ("gpt", "openai"), ("o1", "openai"), ("o3", "openai"), ("o4", "openai"),
    ("codex", "openai"), ("gemini", "gcp.gemini"), ("grok", "x_ai"), ("deepseek", "deepseek"),
    ("mistral", "mistral_ai"), ("command", "cohere"),
)  # fmt: skip
_LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Spent:
    """What could be found; None where the record says nothing."""

    argument: str = ""
    """The argument that matters, a safe line."""
    model: str | None = None
    provider: str | None = None
    """As OpenTelemetry names it, by the name of the model."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    call: str | None = None


def spent(found: Body, argument: str) -> Spent:
    """What a record says."""
    places = list(_places(found))
    model = _text(places, ("model",))
    return Spent(
        argument=argument,
        model=model,
        provider=None if model is None else _provider(model),
        tokens_in=_count(places, _IN),
        tokens_out=_count(places, _OUT),
        call=_text(places, _CALLS),
    )


def _places(found: Body) -> Iterator[Mapping[str, Any]]:
    for value in (found.args, found.result, found.metadata):
        if isinstance(value, Mapping):
            yield value
            inside = (value.get(key) for key in ("usage", "token_usage"))
            yield from (each for each in inside if isinstance(each, Mapping))


def _text(places: list[Mapping[str, Any]], keys: tuple[str, ...]) -> str | None:
    found = (place[key] for place in places for key in keys if isinstance(place.get(key), str))
    return next((text for text in found if text), None)


def _count(places: list[Mapping[str, Any]], keys: tuple[str, ...]) -> int | None:
    for place in places:
        for key in keys:
            count = place.get(key)
            if isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= _LARGEST:
                return count
    return None


def _provider(model: str) -> str | None:
    name = model.lower().rpartition("/")[2]
    return next((provider for begins, provider in _PROVIDERS if name.startswith(begins)), None)
