"""Values as JSON has them: a copy that nobody changes any more, and that every server can take."""

from __future__ import annotations

import base64
import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set, ValuesView
from typing import Any

DEEPEST = 64
"""Containers in containers; what lies deeper is left out."""

VALUES = 200_000
"""Values in one event, at most. A graph with two ways back to itself has more than any memory holds."""

TEXT = 16 << 20
"""Bytes of text in one event, at most."""

_MEMBER = 1
"""The depth of the direct members of arguments and results."""

_BYTES_OF_A_VALUE = 64
_INTEGERS = range(-(2**63), 2**64)


@dataclasses.dataclass(slots=True)
class Budget:
    """What one event may still hold: an agent is never held for longer than so much takes to copy."""

    values: int = VALUES
    text: int = TEXT

    @property
    def spent(self) -> int:
        """Bytes that what was copied takes in memory, about."""
        return TEXT - self.text + _BYTES_OF_A_VALUE * (VALUES - self.values)


def plain(value: object, budget: Budget | None = None) -> Any:
    """A copy of `value` made of dict, list, str, int, float, bool and None. Never raises.

    Mappings and dataclasses become objects, other collections lists; numbers that JSON has no word for (NaN,
    infinities, integers beyond 64 bits) and anything else become their text. Lone surrogates, which no UTF-8
    can carry, become U+FFFD. Bytes that are UTF-8 become text; others stay bytes where they are a direct
    member (§7.2 hashes them raw), and are `{"base64": …}` elsewhere. In place of what holds itself, lies too
    deep, or exceeds the `budget`, which it is taken off, stands a text that says so.
    """
    return _Copy(Budget() if budget is None else budget).of(value, 0)


def name_of(value: object) -> str:
    """A text that something is called by, whatever was given."""
    copy = plain(value, Budget(values=100, text=4096))
    return copy if isinstance(copy, str) else str(copy)


class _Copy:
    def __init__(self, budget: Budget) -> None:
        self._left = budget
        self._open: set[int] = set()
        """The ids of the containers that a value lies in."""

    def of(self, value: object, depth: int) -> Any:
        self._left.values -= 1
        if value is None or value is True or value is False:
            return value
        try:
            if isinstance(value, str):
                return self._text(value)
            if isinstance(value, int):
                # Looking for one of a subclass (an IntEnum), a range would go through its numbers one by one.
                number = int.__int__(value)
                return number if number in _INTEGERS else self._text(str(number))
            if isinstance(value, float):
                return float.__float__(value) if math.isfinite(value) else self._text(str(value))
            if isinstance(value, bytes | bytearray | memoryview):
                return self._bytes(value, depth)
            if _holds(value):
                return self._container(value, depth + 1)
            return self._text(str(value))
        except Exception:
            return f"<{type(value).__name__}>"

    def _container(self, value: object, depth: int) -> Any:
        if id(value) in self._open:
            return "[left out: the same again, it holds itself]"
        if depth > DEEPEST:
            return f"[left out: it lies deeper than {DEEPEST} levels]"
        self._open.add(id(value))
        try:
            if isinstance(value, list):
                return self._list(value, depth)
            if isinstance(value, Mapping):
                return self._object(value.items(), depth)
            if dataclasses.is_dataclass(value):
                return self._object(_fields(value), depth)
            assert isinstance(value, Iterable)
            return self._list(value, depth)
        finally:
            self._open.discard(id(value))

    def _object(self, members: Iterable[tuple[object, object]], depth: int) -> dict[str, Any]:
        copy: dict[str, Any] = {}
        for key, member in members:
            if self._left.values <= 0:
                copy["…"] = _too_many()
                break
            copy[self._key(key)] = self.of(member, depth)
        return copy

    def _list(self, members: Iterable[object], depth: int) -> list[Any]:
        copy: list[Any] = []
        for member in members:
            if self._left.values <= 0:
                copy.append(_too_many())
                break
            copy.append(self.of(member, depth))
        return copy

    def _key(self, key: object) -> str:
        if isinstance(key, str):
            return self._text(key)
        if isinstance(key, tuple):
            return self._text(str(tuple(self._key(each) for each in key)))
        copy = self.of(key, DEEPEST)
        return copy if isinstance(copy, str) else str(copy)

    def _text(self, text: str) -> str:
        own = str.__str__(text)
        if len(own) > self._left.text:
            return _too_large(len(own), "characters")
        if own.isascii():
            self._left.text -= len(own)
            return own
        try:
            self._left.text -= len(own.encode())
        except UnicodeEncodeError:
            own = own.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            self._left.text -= len(own.encode())
        return own

    def _bytes(self, value: bytes | bytearray | memoryview, depth: int) -> Any:
        size = memoryview(value).nbytes
        if size > self._left.text:
            return _too_large(size, "bytes")
        content = bytes(value)
        try:
            return self._text(content.decode())
        except UnicodeDecodeError:
            self._left.text -= size
            return content if depth == _MEMBER else in_base64(content)


def in_base64(content: bytes) -> dict[str, str]:
    """Bytes as JSON can carry them."""
    return {"base64": base64.b64encode(content).decode("ascii")}


def _holds(value: object) -> bool:
    """Whether it is made of other values: its own text would tell all of them, however many there are."""
    if isinstance(value, list | dict):
        return True
    if isinstance(value, type):
        return False
    return dataclasses.is_dataclass(value) or isinstance(value, Mapping | Sequence | Set | ValuesView)


def _fields(value: Any) -> Iterator[tuple[object, object]]:
    for field in dataclasses.fields(value):
        yield field.name, getattr(value, field.name)


def _too_many() -> str:
    return f"[left out: more than {VALUES:,} values in one event]"


def _too_large(size: int, unit: str) -> str:
    return f"[left out: {size:,} {unit}, an event has at most {TEXT >> 20} MB]"
