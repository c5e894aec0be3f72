"""Needle: what a search in a JSON value looks for. Of long values most members are passed over unseen."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import count, islice, repeat
from typing import Any

import msgspec

_LOOKED = 1_000_000
"""Members of long values that a search looks at."""
_AT_ONCE = 500


def steps(value: Any) -> Iterator[tuple[int, str, Any]]:
    """The members of an object or a list: (place, name, member)."""
    if isinstance(value, Mapping):
        return zip(count(), map(str, value), value.values(), strict=False)
    return zip(count(), repeat(""), value if isinstance(value, list) else (), strict=False)


def _written(name: str, value: object) -> str:
    simple = not isinstance(value, (Mapping, list))
    said = json.dumps(value, ensure_ascii=False, default=str) if simple else ""
    return f"{json.dumps(name, ensure_ascii=False)}: {said}," if name else f"{said},"


class Needle:
    """What a search looks for. Most members of a long value are passed over a few hundred at once."""

    def __init__(self, needle: str) -> None:
        self._needle = needle.casefold()
        self._written = json.dumps(needle, ensure_ascii=False)[1:-1].casefold()
        self._signs = any(sign in needle for sign in '":,')
        self._looked = 0

    def fits(self, name: str, value: object) -> bool:
        """Whether the name or a simple value has it, as it is or as its line is written."""
        if self._signs and self._needle in _written(name, value).casefold():
            return True
        if name and self._needle in name.casefold():
            return True
        if type(value) is str:
            return self._needle in value.casefold()
        if type(value) in (dict, list) and value:
            return False
        return self._needle in json.dumps(value, default=str).casefold()

    def members(self, value: Any) -> Iterator[tuple[int, str, Any]]:
        """The members that are worth a look."""
        members = steps(value)
        if not isinstance(value, (Mapping, list)) or len(value) <= _AT_ONCE:
            yield from members
            return
        while self._looked < _LOOKED and (some := list(islice(members, _AT_ONCE))):
            if self._may_be_in([step[1:] for step in some]):
                self._looked += len(some)
                yield from some

    def _may_be_in(self, some: list[tuple[str, Any]]) -> bool:
        if self._signs:
            return True
        try:
            written = msgspec.json.encode(some).decode()
        except (TypeError, ValueError, OverflowError, RecursionError):
            return True
        return self._written in written.casefold()
