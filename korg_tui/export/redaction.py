"""Redaction of an export: what must not leave with it is taken out, and counted.

Secrets are what the recorder calls so, in keys, too. Known forms of home folders become `~`, as they name the
person. What is neither stays; `STAYS` says what that can be.
"""

from __future__ import annotations

import json
from itertools import count
from typing import Any

from msgspec.structs import replace

from korg_tui.export.beginnings import safe_beginning
from korg_tui.export.homes import Homes
from korg_tui.formats import Unreadable, loads
from korg_tui.sources import BlobFound
from korg_tui.views import Read

BLOB_AT_MOST = 64 << 10
"""Bytes of a blob that are looked at: more than a preview shows."""

STAYS = "credentials in addresses and in KEY=value may be left"
"""What redaction does not take out, in words for a person."""


class Redactor:
    """Takes secrets and home folders out of values and text. `count` says how many secrets were replaced."""

    def __init__(self) -> None:
        from korg_tui.recorder import redact, redact_text

        self._redact, self._redact_text = redact, redact_text
        self._homes = Homes()
        self.count = 0

    def value(self, value: Any, *, counted: bool = True) -> Any:
        """A copy of decoded JSON without secrets."""
        found, replaced = self._redact(value)
        self.count += replaced if counted else 0
        return self._cleaned(found, counted=counted)

    def text(self, text: str, *, counted: bool = False) -> str:
        """Text without secrets."""
        found, replaced = self._redact_text(text)
        self.count += replaced if counted else 0
        return self._homes.without(found)

    def record(self, raw: bytes, *, counted: bool = False) -> bytes:
        """A record without secrets, encoded anew; one that is no JSON, as text."""
        try:
            value = loads(raw)
        except Unreadable:
            return self.text(raw.decode("utf-8", "replace"), counted=counted).encode("utf-8", "replace")
        return json.dumps(self.value(value, counted=counted)).encode()

    def reader(self, read: Read) -> Read:
        """`read(offset, length)`, redacted. What is replaced is counted once for each record, and a record
        that is read again right away is not redacted again."""
        seen: set[int] = set()
        last: tuple[tuple[int, int], bytes] | None = None

        def redacted(offset: int, length: int) -> bytes:
            nonlocal last
            if last is None or last[0] != (offset, length):
                counted = offset not in seen
                seen.add(offset)
                last = (offset, length), self.record(read(offset, length), counted=counted)
            return last[1]

        return redacted

    def blob(self, found: BlobFound) -> BlobFound:
        """A blob of which only the beginning is left, without secrets; none where that is no UTF-8 text."""
        head = found.read(BLOB_AT_MOST)
        try:
            text = head.decode("utf-8")
        except UnicodeDecodeError as wrong:
            if wrong.start < len(head) - 4:
                return _withheld(found)
            text = head[: wrong.start].decode("utf-8")
        if "\0" in text:
            return _withheld(found)
        text = safe_beginning(text, self.value, self._text, whole=(found.size or len(head)) <= BLOB_AT_MOST)
        return replace(found, path=None, content=text.encode("utf-8", "backslashreplace"))

    def _text(self, text: str) -> str:
        return self.text(text, counted=True)

    def _cleaned(self, value: Any, *, counted: bool) -> Any:
        """The same without home folders in its strings, and without either in its keys; records nest at most
        `MAX_DEPTH` deep."""
        if isinstance(value, str):
            return self._homes.without(value)
        if isinstance(value, list):
            return [self._cleaned(each, counted=counted) for each in value]
        if not isinstance(value, dict):
            return value
        cleaned: dict[Any, Any] = {}
        for key, each in value.items():
            name = self._key(key, value, cleaned, counted=counted)
            cleaned[name] = self._cleaned(each, counted=counted)
        return cleaned

    def _key(self, key: Any, among: dict[Any, Any], taken: dict[Any, Any], *, counted: bool) -> Any:
        """A key without what must not leave, told from those that look like it then."""
        name = self.text(key, counted=counted) if isinstance(key, str) else key
        if name == key or (name not in among and name not in taken):
            return name
        free = (f"{name} {number}" for number in count(len(taken) + 1))
        return next(each for each in free if each not in among and each not in taken)


def _withheld(found: BlobFound) -> BlobFound:
    """A blob that nobody can look for secrets in."""
    state = "left out, as it is no text" if found.state == "present" else found.state
    return replace(found, state=state, path=None, content=None)


class NoRedactor(Redactor):
    """Leaves everything as it is."""

    def __init__(self) -> None:
        self.count = 0

    def value(self, value: Any, *, counted: bool = True) -> Any:  # noqa: ARG002
        """The value itself."""
        return value

    def text(self, text: str, *, counted: bool = False) -> str:  # noqa: ARG002
        """The text itself."""
        return text

    def record(self, raw: bytes, *, counted: bool = False) -> bytes:  # noqa: ARG002
        """The record itself."""
        return raw

    def blob(self, found: BlobFound) -> BlobFound:
        """The blob itself."""
        return found

    def reader(self, read: Read) -> Read:
        """The same reader."""
        return read
