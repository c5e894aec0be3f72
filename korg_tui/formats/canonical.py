"""Canonical bytes: what hashes and signatures of events are taken over (LEDGERS, Hash chain).

Sorted keys, no white space, ASCII: the bytes of `json.dumps(value, sort_keys=True, separators=(",", ":"))`.

Reading and writing with the standard `json` is what defines them, and takes most of the time of a check, so
that a record is read by msgspec and written by orjson first. Why that gives the same bytes, where it is used:

- msgspec takes no text that `json` refuses, and makes the same values of it. Floats are refused by a hook.
  `-0` is 0 to both.
- orjson refuses lone surrogates, and integers outside ±(2^53−1). Within, both write the same digits.
- orjson sorts keys by their UTF-8 bytes, which is the order of code points, as Python's strings have it.
- orjson leaves non-ASCII characters and DEL as they are, where `json` escapes them; they stand in strings
  only, and are escaped afterwards. All other characters are written alike, the control characters too.
- of a key that stands twice, msgspec drops the first value silently. Nothing was dropped when what was
  written is as long as what was read: each white space, escape in another spelling, `-0` and dropped member
  makes it shorter, nothing makes it longer. Else quotation marks are counted: those in strings are `\\"` on
  either side, unless one was spelled `\\u0022`, and a dropped member had two at least.

Everything else goes the slow way, by which also paths of numbers and of duplicate keys are found.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import orjson

from korg_tui.formats.parse import Unreadable
from korg_tui.text import visible

LARGEST = 2**53 - 1
"""Integers up to here, and down to its negative, are the same to every implementation."""

_NAMED = 5
"""Odd numbers and duplicate keys of one event that are named; the others are counted."""
_PARTS = 12
"""Parts of a path that are written."""
_DEL = b"\x7f"
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_ESCAPED = "korg-tui.json"
_encode = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode


class Preimage(msgspec.Struct, frozen=True, gc=False):
    """What the hash of an event is taken over, and what it says about its place."""

    content: bytes
    """The canonical bytes of all fields but `entry_hash` and `event_sig`."""
    entry_hash: Any = None
    """As it stands there, None where it does not; so are the next two."""
    prev_hash: Any = None
    event_sig: Any = None
    odd: tuple[str, ...] = ()
    """Numbers on which implementations disagree, the first few: `args.ratio is a float: 0.5`."""
    duplicates: tuple[str, ...] = ()
    """Paths of keys that stand more than once in one object, the first few; the last one counts."""
    damaged: bool = False
    """Whether there are bytes that are no UTF-8: other programs refuse them, or read something else."""


def canonical(value: Any) -> bytes:
    """The canonical bytes of a value. Raises `TypeError` or `ValueError` for what is no JSON."""
    try:
        return _encode(value).encode("ascii")
    except RecursionError:
        return _canonical_deep(value)


def preimage(raw: bytes) -> Preimage:
    """What the hash of the event in `raw` is taken over. Raises `Unreadable` when it is no JSON object."""
    return _at_once(raw) or _patient(raw)


def with_signature(raw: bytes) -> bytes:
    """The canonical bytes of all fields but `entry_hash`: over these korgex up to 0.37 hashed. Raises
    `Unreadable` like `preimage`."""
    record, _, _ = _read(raw)
    record.pop("entry_hash", None)
    return canonical(record)


# at once


def _refuse(_: str) -> None:
    raise ValueError


_decoder = msgspec.json.Decoder(dict, float_hook=_refuse)

decode_plainly: Callable[[bytes], dict[str, Any]] = _decoder.decode
"""A JSON object without floats; of a key that stands twice, the last value. Raises one of `NOT_PLAIN`."""

decode_lines_plainly: Callable[[bytes], list[dict[str, Any]]] = _decoder.decode_lines
"""Such objects, one a line. Raises one of `NOT_PLAIN`."""

NOT_PLAIN = (msgspec.MsgspecError, TypeError, ValueError, KeyError, RecursionError)
"""What reading and writing at once raise where they cannot be used."""


PLAINLY = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER
"""With these options, `orjson.dumps` writes the canonical bytes, but for non-ASCII characters and DEL; or
raises one of `NOT_PLAIN`."""


def _at_once(raw: bytes) -> Preimage | None:
    """The same as `_patient`, much faster; None where that is not certain."""
    try:
        record = decode_plainly(raw)
        entry_hash, event_sig = record.pop("entry_hash", None), record.pop("event_sig", None)
        content = orjson.dumps(record, None, PLAINLY)
    except NOT_PLAIN:
        return None
    if not _is_all(raw, content, entry_hash, event_sig):
        return None
    if not content.isascii() or _DEL in content:
        content = content.decode().encode("ascii", _ESCAPED).replace(_DEL, b"\\u007f")
    return Preimage(content, entry_hash, record.get("prev_hash"), event_sig)


def _is_all(raw: bytes, content: bytes, entry_hash: object, event_sig: object) -> bool:
    """Whether nothing is lost between `raw`, and `content` and these two members."""
    length, marks = len(content), 0
    if isinstance(entry_hash, str):
        length, marks = length + len(entry_hash) + len('"entry_hash":"",'), 4
    if isinstance(event_sig, str):
        length, marks = length + len(event_sig) + len('"event_sig":"",'), marks + 4
    if length == len(raw):
        return True
    return raw.count(b'"') == content.count(b'"') + marks and b"\\u0022" not in raw


def _escape(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


codecs.register_error(_ESCAPED, _escape)


# patiently


class _Number(float):
    """A number that is no integer, or none that this program holds, and how it was written."""

    written = ""


def _number(written: str) -> _Number:
    number = _Number(written)
    number.written = written
    return number


def _integer(digits: str) -> int | _Number:
    try:
        return int(digits)
    except ValueError:
        return _number(digits)


class _Twice(dict[int, tuple[str, ...]]):
    """By the `id` of an object, the keys that stand more than once in it. It keeps the objects."""

    def __init__(self) -> None:
        super().__init__()
        self._objects: list[dict[str, Any]] = []

    def made(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """The object of these members."""
        found = dict(pairs)
        if len(found) != len(pairs):
            counted = Counter(key for key, _ in pairs)
            self[id(found)] = tuple(key for key, count in counted.items() if count > 1)[:_NAMED]
            self._objects.append(found)
        return found


def _patient(raw: bytes) -> Preimage:
    record, twice, damaged = _read(raw)
    entry_hash, event_sig = record.pop("entry_hash", None), record.pop("event_sig", None)
    odd: list[str] = []
    duplicates: list[str] = []
    more = 0
    for path, value in _odd_and_twice(record, twice):
        if isinstance(value, dict):
            duplicates += [_path((path, key)) for key in twice[id(value)]]
        elif len(odd) < _NAMED:
            odd.append(f"{_path(path)} is {_words(value)}")
        else:
            more += 1
    if twice and not duplicates:
        duplicates.append("inside a value that does not count")
    if more:
        odd.append(f"{more:,} more numbers like that")
    content, prev_hash = canonical(record), record.get("prev_hash")
    return Preimage(
        content, entry_hash, prev_hash, event_sig, tuple(odd), tuple(duplicates[:_NAMED]), damaged
    )


def _read(raw: bytes) -> tuple[dict[str, Any], _Twice, bool]:
    """The record, the keys that stand twice, and whether some bytes are no UTF-8. Raises `Unreadable`."""
    text, damaged = _text(raw)
    twice = _Twice()
    try:
        record = json.loads(
            text,
            object_pairs_hook=twice.made,
            parse_float=_number,
            parse_int=_integer,
            parse_constant=_number,
        )
    except (RecursionError, ValueError):
        raise Unreadable("not JSON that this program can hold") from None
    if not isinstance(record, dict):
        raise Unreadable("not an event: no JSON object")
    return record, twice, damaged


def _text(raw: bytes) -> tuple[str, bool]:
    """The text as `json.loads` takes it from bytes; where it takes none, with U+FFFD."""
    try:
        return raw.decode(), False
    except UnicodeDecodeError:
        pass
    try:
        return raw.decode("utf-8", "surrogatepass"), True
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace"), True


_Path = tuple[Any, "str | int"] | None
"""The path of what is around, and the key or index in it."""


def _odd_and_twice(record: dict[str, Any], twice: _Twice) -> Iterator[tuple[_Path, Any]]:
    """Odd numbers, and objects in which keys stand twice, with their paths, in the order of the record."""
    rest: list[tuple[_Path, Any]] = [(None, record)]
    while rest:
        path, value = rest.pop()
        if isinstance(value, dict):
            if id(value) in twice:
                yield path, value
            rest += [((path, key), value[key]) for key in reversed(value)]
        elif isinstance(value, list):
            rest += [((path, index), value[index]) for index in reversed(range(len(value)))]
        elif isinstance(value, float) or (isinstance(value, int) and abs(value) > LARGEST):
            yield path, value


def _words(number: float) -> str:
    if isinstance(number, _Number) and not number.written.lstrip("-").isdigit():
        return f"a float: {visible(number.written, 40)}"
    return f"an integer beyond 2^53: {visible(_written(number), 40)}"


def _written(number: float) -> str:
    return number.written if isinstance(number, _Number) else str(number)


def _path(path: _Path) -> str:
    parts: list[str] = []
    while path is not None and len(parts) <= _PARTS:
        path, key = path
        parts.append(_part(key))
    if path is not None:
        parts[-1] = "…"
    return visible("".join(reversed(parts)).removeprefix("."), 200)


def _part(key: str | int) -> str:
    if isinstance(key, int):
        return f"[{key}]"
    return f".{key}" if _PLAIN_KEY.fullmatch(key) else f"[{json.dumps(visible(key, 40), ensure_ascii=False)}]"


# deeper than Python's own encoder follows


def _canonical_deep(value: Any) -> bytes:
    out: list[str] = []
    rest: list[tuple[str, Any]] = [("value", value)]
    while rest:
        what, found = rest.pop()
        if what == "text":
            out.append(found)
        elif isinstance(found, dict) and found:
            rest.append(("text", "}"))
            for place, (key, member) in reversed(list(enumerate(sorted(found.items(), key=_key)))):
                name = _encode({key: 0})[1:-2]
                rest += (("value", member), ("text", f"{',' if place else '{'}{name}"))
        elif isinstance(found, list | tuple) and found:
            rest.append(("text", "]"))
            for place, member in reversed(list(enumerate(found))):
                rest += (("value", member), ("text", "," if place else "["))
        else:
            out.append(_encode(found))
    return "".join(out).encode("ascii")


def _key(item: tuple[Any, Any]) -> Any:
    return item[0]
