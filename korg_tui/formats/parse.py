"""JSON as producers write it: fast where it is valid, patient where it is not (LEDGERS.md, Containers)."""

from __future__ import annotations

import json
from typing import Any

import msgspec

MAX_DEPTH = 200
"""Objects and lists inside one another. What nests deeper is refused: nothing above need fear recursion."""

_MAX_DIGITS = 4300
_BETWEEN = bytes(set(range(256)) - set(b'"[]{}'))
"""Bytes that neither begin nor end anything."""

_decode = msgspec.json.Decoder().decode


class Unreadable(ValueError):
    """Bytes that are no JSON by any parser; the text says why, in words for a person."""


def loads(raw: bytes) -> Any:
    """The JSON value in `raw`. Lone surrogates, NaN, 1e400 and integers of any size are taken, as Python
    writers produce them; bytes that are no UTF-8 become U+FFFD. Raises `Unreadable`."""
    if too_deep(raw):
        raise Unreadable(f"nested too deep: more than {MAX_DEPTH} levels")
    try:
        return _decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return _patient(raw)


def too_deep(raw: bytes) -> bool:
    """Whether `raw` nests deeper than `MAX_DEPTH`."""
    if raw.count(b"{") + raw.count(b"[") <= MAX_DEPTH:
        return False
    # What is left are quotes and brackets; without the strings, whose parts have odd numbers, only brackets.
    bare = raw.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _BETWEEN)
    depth = 0
    for bracket in b"".join(bare.split(b'"')[::2]):
        if bracket in b"[{":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        else:
            depth -= 1
    return False


def _patient(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode("utf-8", "replace"), parse_int=_integer)
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" at")
        raise Unreadable(f"not JSON: {what} at byte {_byte_of(raw, error.pos)} of the record") from None
    except (RecursionError, ValueError):
        raise Unreadable("not JSON that this program can hold") from None


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MAX_DIGITS else float(digits)


def _byte_of(raw: bytes, position: int) -> int:
    """Where the character at `position` begins, in bytes, when `raw` is valid up to there."""
    return len(raw.decode("utf-8", "replace")[:position].encode("utf-8", "replace"))
