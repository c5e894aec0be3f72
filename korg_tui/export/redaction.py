"""Redaction of an export: what must not leave with it is taken out, and counted.

Secrets are what the recorder calls so. Home folders become `~`, as they name the person.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from korg_tui.formats import Unreadable, loads
from korg_tui.sources import BlobFound
from korg_tui.views import Read

_HOMES = re.compile(
    r"(?:(?<![\w.-])(?:/home|/Users)/|\b[A-Za-z]:[\\/]{1,4}Users[\\/]{1,4})[^/\\\s\"'`:;,<>|)\]}]+"
)
BLOB_AT_MOST = 64 << 10
"""Bytes of a blob that are looked at: more than a preview shows."""

HOME = "~"
"""Stands where a home folder was named."""


class Redactor:
    """Takes secrets and home folders out of values and text. `count` says how many secrets were replaced."""

    def __init__(self) -> None:
        from korg_tui.recorder import redact, redact_text

        self._redact, self._redact_text = redact, redact_text
        self._home = str(Path.home())
        self.count = 0

    def value(self, value: Any, *, counted: bool = True) -> Any:
        """A copy of decoded JSON without secrets."""
        found, replaced = self._redact(value)
        self.count += replaced if counted else 0
        return self._without_homes(found)

    def text(self, text: str, *, counted: bool = False) -> str:
        """Text without secrets."""
        found, replaced = self._redact_text(text)
        self.count += replaced if counted else 0
        return self._without_home(found)

    def record(self, raw: bytes, *, counted: bool = False) -> bytes:
        """A record without secrets, encoded anew; one that is no JSON, as text."""
        try:
            value = loads(raw)
        except Unreadable:
            return self.text(raw.decode("utf-8", "replace"), counted=counted).encode("utf-8", "replace")
        return json.dumps(self.value(value, counted=counted)).encode()

    def reader(self, read: Read) -> Read:
        """`read(offset, length)`, redacted. What is replaced is counted once for each record."""
        seen: set[int] = set()

        def redacted(offset: int, length: int) -> bytes:
            counted = offset not in seen
            seen.add(offset)
            return self.record(read(offset, length), counted=counted)

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
        return replace(found, path=None, content=self.text(text, counted=True).encode())

    def _without_homes(self, value: Any) -> Any:
        """The same, in every string of a value; records nest at most `MAX_DEPTH` deep."""
        if isinstance(value, str):
            return self._without_home(value)
        if isinstance(value, dict):
            return {self._key(key): self._without_homes(each) for key, each in value.items()}
        return [self._without_homes(each) for each in value] if isinstance(value, list) else value

    def _key(self, key: Any) -> Any:
        return self._without_home(key) if isinstance(key, str) else key

    def _without_home(self, text: str) -> str:
        if len(self._home) > 1 and self._home in text:
            text = re.sub(rf"{re.escape(self._home)}(?![\w.-])", HOME, text)
        return _HOMES.sub(HOME, text) if "/" in text or "\\" in text else text


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

