"""Where the client keeps blobs before it sends the events that name them (SPEC §7.3)."""

from __future__ import annotations

import os
import tempfile
from collections import OrderedDict
from pathlib import Path

from korg_tui.recorder.connection import Answer, Connection, Unanswered

REMEMBERED = 4096
"""Digests of which a client remembers that the server has them."""


class Folder:
    """A blob folder of this machine. A blob is there whole or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def keep(self, sha: str, content: bytes) -> None:
        """Write a blob, unless it is there. Raises `OSError`."""
        place = self.path / sha[:2] / sha
        if place.exists() and place.stat().st_size == len(content):
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".", dir=place.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(place)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


class Shelf:
    """`PUT /api/blob`; a folder of this machine for what the server does not take, or for all, when one is
    named.

    A server without `PUT` is asked once for each connection.
    """

    def __init__(self, connection: Connection, folder: Path | None, fallback: Path) -> None:
        self._connection = connection
        self._named = None if folder is None else Folder(folder)
        self._fallback = Folder(fallback)
        self._known: OrderedDict[str, None] = OrderedDict()
        self._opened = 0
        self._takes = True

    def keep(self, sha: str, content: bytes) -> str | None:
        """Keep a blob; a line to warn with when that was not done as usual. Raises `OSError` when it could
        not be kept, `Unreachable` or `Unanswered` when the server has to be asked again."""
        if self._named is not None:
            self._named.keep(sha, content)
            return None
        if self._connection.opened != self._opened:
            self._known.clear()
            self._takes = True
        if sha in self._known:
            return None
        if not self._takes:
            self._fallback.keep(sha, content)
            return None
        answer = self._put(content)
        if answer.fine:
            self._remember(sha)
            return None
        return self._keep_here(sha, content, answer.status)

    def _put(self, content: bytes) -> Answer:
        answer = self._connection.ask("PUT", "/api/blob", content, "application/octet-stream")
        if self._connection.opened != self._opened:
            self._known.clear()
            self._opened = self._connection.opened
        if answer.status in (408, 429) or answer.status >= 500:
            raise Unanswered(f"the server answers {answer.status} to a blob")
        return answer

    def _keep_here(self, sha: str, content: bytes, status: int) -> str:
        self._takes = status not in (404, 405)
        self._fallback.keep(sha, content)
        if self._takes:
            return f"the server refused a blob with {status}: it is in {self._fallback.path}"
        return f"the server takes no blobs: they are in {self._fallback.path}"

    def _remember(self, sha: str) -> None:
        self._known[sha] = None
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
