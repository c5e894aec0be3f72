"""Blobs: content that a ledger names by SHA-256, found and verified (LEDGERS.md, Blobs).

`BlobStore` looks near the ledger; what lies on a server is found by another `Blobs`.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from korg_tui.sources.errors import reason

LARGEST_BLOB = 64 << 20
"""Bytes of the largest blob that is verified when its state is asked for, and read into memory."""

ASKED_ABOUT = 10_000_000
"""Bytes of the largest blob that is fetched from a server without asking a person first."""

_NAME = re.compile(r"[0-9a-f]{64}")
_CHUNK = 1 << 20


class BlobFound(msgspec.Struct, frozen=True):
    """What is known about a blob. `text` says the state in one line for a person."""

    sha: str
    state: str
    """`present` (verified), `missing`, `wrong` (other content), `unreadable` (by a server, too), `too big`
    (to be verified), `not fetched` (more than `ASKED_ABOUT` bytes on a server, and nobody asked for it), or
    `not a blob name`."""
    text: str
    path: Path | None = None
    size: int | None = None
    """Bytes, as far as it is known."""
    url: str = ""
    """Where it lies on a server."""
    content: bytes | None = None
    """What a server gave; what lies in a file is read from there."""

    def read(self, limit: int = LARGEST_BLOB) -> bytes:
        """The first `limit` bytes of the content; empty when it is not there or cannot be read any more."""
        if self.content is not None:
            return self.content[:limit]
        if self.path is None or self.state not in ("present", "wrong", "too big"):
            return b""
        try:
            with self.path.open("rb") as file:
                return file.read(limit)
        except OSError:
            return b""


class Blobs(Protocol):
    """Where the blobs of a source are looked for."""

    @property
    def remote(self) -> bool:
        """Whether `find` may wait for a server: then it is called beside the screen, never by it."""

    def find(self, sha: str, *, whole: bool = False) -> BlobFound:
        """The blob of this name. `whole` takes the time for a large one: it fetches more than `ASKED_ABOUT`
        bytes from a server, and verifies a file of more than `LARGEST_BLOB`. Raises nothing: what goes wrong
        is a state. Any thread may call it."""


def not_a_name(sha: str) -> BlobFound | None:
    """What is to be said of a name that no blob can have; None for a digest."""
    if _NAME.fullmatch(sha):
        return None
    return BlobFound(sha, "not a blob name", "not a blob name: it is not 64 lower-case hex digits")


class BlobStore:
    """The folders in which the blobs of a ledger can lie. Nothing is written there."""

    remote = False

    def __init__(
        self, ledger: Path | None, *, environment: Mapping[str, str] = os.environ, here: Path | None = None
    ) -> None:
        here = Path.cwd() if here is None else here
        self.folders = tuple(dict.fromkeys(_folders(ledger, environment, here)))
        """Where it looks, in order."""

    def find(self, sha: str, *, whole: bool = False) -> BlobFound:
        """The blob of this name. A copy with the right content, wherever, comes before any other."""
        refused = not_a_name(sha)
        if refused is not None:
            return refused
        second_best: BlobFound | None = None
        for folder in self.folders:
            found = _look(sha, folder / sha[:2] / sha, whole)
            if found is not None and found.state == "present":
                return found
            second_best = second_best or found
        return second_best or BlobFound(sha, "missing", self._missing())

    def _missing(self) -> str:
        there = [folder for folder in self.folders if folder.is_dir()]
        if not there:
            return "missing: there is no blobs folder beside the ledger, and KORG_BLOB_DIR names none"
        return f"missing: not in {', '.join(map(str, there))}"


def _folders(ledger: Path | None, environment: Mapping[str, str], here: Path) -> Iterator[Path]:
    if environment.get("KORG_BLOB_DIR"):
        yield Path(environment["KORG_BLOB_DIR"])
    if ledger is not None:
        beside = Path(os.path.abspath(ledger)).parent  # noqa: PTH100 - as named, not where links lead
        yield beside / "blobs"
        for folder in (beside, *beside.parents):
            yield folder / ".korg" / "blobs"
    yield here / ".korg" / "blobs"


def _look(sha: str, path: Path, whole: bool) -> BlobFound | None:
    try:
        now = path.stat()
        if not stat.S_ISREG(now.st_mode):
            return BlobFound(sha, "unreadable", f"unreadable: {path} is no file", path)
        if now.st_size > LARGEST_BLOB and not whole:
            text = f"too big to verify: {now.st_size} bytes in {path}"
            return BlobFound(sha, "too big", text, path, now.st_size)
        digest = _digest(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return BlobFound(sha, "unreadable", f"unreadable: {path}: {reason(error)}", path)
    if digest == sha:
        return BlobFound(sha, "present", f"present: {now.st_size} bytes, digest verified", path, now.st_size)
    return BlobFound(sha, "wrong", f"wrong: the content of {path} has the digest {digest}", path, now.st_size)


def _digest(path: Path) -> str:
    content = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            content.update(chunk)
    return content.hexdigest()
