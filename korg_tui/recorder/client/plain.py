"""Values as JSON has them: a copy that nobody changes any more, and that every server can take."""

from __future__ import annotations

import base64
import dataclasses
import math
from collections.abc import Mapping, Set
from typing import Any

DEEPEST = 64
"""Containers in containers; what lies deeper is told as text."""

_MEMBER = 1
"""The depth of the direct members of arguments and results."""

_INTEGERS = range(-(2**63), 2**64)


def plain(value: object, depth: int = 0) -> Any:
    """A copy of `value` made of dict, list, str, int, float, bool and None. Never raises.

    Mappings and dataclasses become objects, other collections lists; numbers that JSON has no word for (NaN,
    infinities, integers beyond 64 bits) and anything else become their text. Lone surrogates, which no UTF-8
    can carry, become U+FFFD. Bytes that are UTF-8 become text; others stay bytes where they are a direct
    member (§7.2 hashes them raw), and are `{"base64": …}` elsewhere.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return int(value) if value in _INTEGERS else _told(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _told(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return _bytes(bytes(value), depth)
    if depth >= DEEPEST:
        return _told(value)
    try:
        return _container(value, depth + 1)
    except Exception:
        return _told(value)


def _container(value: object, depth: int) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {_key(key): plain(member, depth) for key, member in value.items()}
    if isinstance(value, list | tuple | Set):
        return [plain(member, depth) for member in value]
    return _told(value)


def _key(key: object) -> str:
    return _text(key) if isinstance(key, str) else _told(plain(key, DEEPEST))


def _text(text: str) -> str:
    own = str.__str__(text)
    try:
        own.encode()
    except UnicodeEncodeError:
        return own.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return own


def _bytes(content: bytes, depth: int) -> Any:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content if depth == _MEMBER else in_base64(content)


def in_base64(content: bytes) -> dict[str, str]:
    """Bytes as JSON can carry them."""
    return {"base64": base64.b64encode(content).decode("ascii")}


def _told(value: object) -> str:
    try:
        return _text(str(value))
    except Exception:
        return f"<{type(value).__name__}>"
