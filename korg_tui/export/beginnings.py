"""Beginnings of blobs without secrets: JSON as the value that it is, other text line by line, and nothing of
what the end of a beginning has cut in two."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from korg_tui.formats import Unreadable, loads

_REDACTED = "[REDACTED]"
_CUT = 512
"""Characters at the end of a beginning that go where they hold no end of a line."""
_KEY_ENDS = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY")
_KEY_LINE = re.compile(r"[A-Za-z0-9+/=]{16,}\s*$")
_MARK = re.compile(r'["\\{}\[\],]')


def safe_beginning(
    text: str, value: Callable[[Any], Any], plain: Callable[[str], str], *, whole: bool
) -> str:
    """The beginning of a text, or all of it (`whole`), without secrets. `value` takes them out of decoded
    JSON, `plain` out of text."""
    if text.lstrip()[:1] in ("{", "["):
        found = _json(text if whole else _closed(text), value)
        if found is not None:
            return found
        lines = text.splitlines(keepends=True) if whole else _uncut(text).splitlines(keepends=True)
        if len(lines) > 1 and _json(lines[0], value) is not None:
            return "".join(_lines(lines, value, plain))
    return plain(_without_tail_of_a_key(text if whole else _uncut(text)))


def _json(text: str, value: Callable[[Any], Any]) -> str | None:
    try:
        found = loads(text.encode("utf-8", "surrogatepass"))
    except Unreadable:
        return None
    indent = 2 if "\n" in text.strip() else None
    return json.dumps(value(found), ensure_ascii=False, indent=indent) + ("\n" if text.endswith("\n") else "")


def _lines(lines: list[str], value: Callable[[Any], Any], plain: Callable[[str], str]) -> Iterator[str]:
    for line in lines:
        found = _json(line, value) if line.lstrip()[:1] in ("{", "[") else None
        yield plain(line) if found is None else found


def _uncut(text: str) -> str:
    """Text without its last line, of which the end may be missing."""
    end = text.rfind("\n", max(0, len(text) - 4096))
    return text[: end + 1] if end >= 0 else text[:-_CUT]


def _closed(text: str) -> str:
    """JSON that was cut off, up to its last whole member, closed."""
    open_, end, closing, in_string, skip = "", 0, "", False, -1
    for mark in _MARK.finditer(text):
        sign, at = mark[0], mark.start()
        if at == skip:
            continue
        if in_string:
            skip = at + 1 if sign == "\\" else -1
            in_string = sign != '"'
        elif sign == '"':
            in_string = True
        elif sign in "{[":
            open_ += "}" if sign == "{" else "]"
            if len(open_) > 1024:
                return text
        elif sign in "}]":
            open_ = open_[:-1]
            if not open_:
                return text
            end, closing = mark.end(), open_
        elif sign == ",":
            end, closing = at, open_
    return text[:end] + closing[::-1]


def _without_tail_of_a_key(text: str) -> str:
    """Text without the lines of a private key whose beginning lies before it."""
    ends = _KEY_ENDS.search(text)
    if ends is None or "BEGIN" in text[: ends.start()]:
        return text
    lines = text[: ends.start()].splitlines(keepends=True)
    first = len(lines)
    while first and _KEY_LINE.search(lines[first - 1]):
        first -= 1
    if first == len(lines):
        return text
    return "".join(lines[:first]) + _REDACTED + "\n" + text[ends.start() :]
