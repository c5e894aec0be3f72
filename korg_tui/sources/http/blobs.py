"""HttpBlobs: content that a ledger names by SHA-256, fetched from its server and verified (LEDGERS.md)."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict

from korg_tui.sources.blobs import ASKED_ABOUT, BlobFound, not_a_name
from korg_tui.sources.http.web import LARGEST, Answer, Away, Nonsense, TooLarge, Web

KEPT = 64 << 20
"""Bytes of fetched blobs that are kept, so that looking again asks nobody."""


class HttpBlobs:
    """The blobs of one server. Each is fetched when somebody looks at it; one at a time."""

    remote = True

    def __init__(self, web: Web) -> None:
        self._web = web
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, BlobFound] = OrderedDict()
        self._size = 0
        self.coming = (0, 0)
        """Of the blob that is being fetched: bytes that have come, and that will (0: nobody knows)."""

    def find(self, sha: str, *, whole: bool = False) -> BlobFound:
        """The blob of this name. `whole` fetches more than `ASKED_ABOUT` bytes, too. Raises nothing: what
        goes wrong is a state. Any thread may call it."""
        wrong = not_a_name(sha)
        if wrong is not None:
            return wrong
        with self._lock:
            kept = self._kept.get(sha)
            if kept is not None:
                self._kept.move_to_end(sha)
                return kept
            return self._keep(self._fetched(sha, LARGEST if whole else ASKED_ABOUT))

    def _fetched(self, sha: str, largest: int) -> BlobFound:
        path = f"/api/blob/{sha}"
        url = self._web.address.shown + path
        try:
            answer = self._received(path, largest)
        except TooLarge as refused:
            return _too_large(sha, url, refused.size, largest)
        except Away as away:
            return BlobFound(sha, "unreadable", f"unreadable: the server cannot be reached ({away})", url=url)
        except Nonsense as nonsense:
            return BlobFound(sha, "unreadable", f"unreadable: {nonsense}", url=url)
        if answer.status != 200:
            return BlobFound(sha, "missing", "missing: the server does not have it", url=url)
        return _judged(sha, url, answer.body)

    def _received(self, path: str, largest: int) -> Answer:
        receiving = self._web.receive(path, largest=largest)
        try:
            while True:
                self.coming = next(receiving)
        except StopIteration as done:
            answer: Answer = done.value
            return answer
        finally:
            self.coming = (0, 0)

    def _keep(self, found: BlobFound) -> BlobFound:
        if found.state == "present" and found.size is not None and found.size <= KEPT:
            self._kept[found.sha] = found
            self._size += found.size
            while self._size > KEPT:
                _, oldest = self._kept.popitem(last=False)
                self._size -= oldest.size or 0
        return found

    def close(self) -> None:
        """End what is being fetched."""
        self._web.close()


def _too_large(sha: str, url: str, size: int | None, largest: int) -> BlobFound:
    how_large = f"{size} bytes" if size else f"more than {largest} bytes"
    if largest >= LARGEST:
        return BlobFound(sha, "too big", f"too big to verify: {how_large} on the server", url=url, size=size)
    return BlobFound(sha, "not fetched", f"not fetched: {how_large} on the server", url=url, size=size)


def _judged(sha: str, url: str, content: bytes) -> BlobFound:
    size = len(content)
    digest = hashlib.sha256(content).hexdigest()
    if digest == sha:
        text = f"present: {size} bytes from the server, digest verified"
        return BlobFound(sha, "present", text, url=url, size=size, content=content)
    text = f"wrong: what the server gave has the digest {digest}"
    return BlobFound(sha, "wrong", text, url=url, size=size, content=content)
