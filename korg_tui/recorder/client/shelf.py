"""Where the client keeps blobs before it sends the events that name them (SPEC §7.3)."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

from korg_tui.recorder.client.connection import Answer, Connection, Unanswered
from korg_tui.recorder.store.blobs import BlobFolder

REMEMBERED = 4096
"""Digests of which a client remembers that the server has them."""


class Shelf:
    """`PUT /api/blob`; a folder of this machine for what the server does not take, or for all, when one is
    named.

    A server without `PUT` is asked once for each connection.
    """

    def __init__(self, connection: Connection, folder: Path | None, fallback: Path) -> None:
        self._connection = connection
        self._named = None if folder is None else BlobFolder(folder)
        self._fallback = BlobFolder(fallback, within=fallback.parent.parent)
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
            return f"the server refused a blob with {status}: it is in {self._fallback.folder}"
        return f"the server takes no blobs: they are in {self._fallback.folder}"

    def _remember(self, sha: str) -> None:
        self._known[sha] = None
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
