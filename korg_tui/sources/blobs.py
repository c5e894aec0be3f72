"""Blobs: content that a ledger names by SHA-256, found and verified (LEDGERS.md, Blobs).

`BlobStore` looks near the ledger; what lies on a server is found by another `Blobs`.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import msgspec

from korg_tui.sources.content import NotAFile, open_regular
from korg_tui.sources.errors import reason

LARGEST_BLOB = 64 << 20
"""Bytes of the largest blob that is verified when its state is asked for, and read into memory."""

AT_ONCE = 256 << 10
"""Bytes of the largest file that is verified while a key waits for it."""

ASKED_ABOUT = 10_000_000
"""Bytes of the largest blob that is fetched from a server without asking a person first."""

_NAME = re.compile(r"[0-9a-f]{64}")
_CHUNK = 1 << 20
_REMEMBERED = 4096
_WHOLE = 1 << 62


class LeadsOut(OSError):
    """A link where a blob should be: what it leads to may be any file of this machine."""

    def __init__(self) -> None:
        super().__init__("it is a link, and leads out of the blobs folder")


def open_blob(path: Path) -> int:
    """A descriptor for reading `<folder>/<two digits>/<digest>`. The folder itself may be a link, which a
    person has made; what lies in it may come from anybody, and no link is followed. Raises `OSError`."""
    folder = os.open(path.parents[1], os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        within = os.open(path.parent.name, os.O_RDONLY | _FOLDER, dir_fd=folder)
        try:
            return open_regular(path.name, os.O_NOFOLLOW, within=within)
        except OSError as error:
            raise _explained(error, path.name, within) from None
        finally:
            os.close(within)
    except (NotADirectoryError, FileNotFoundError) as error:
        raise _explained(error, path.parent.name, folder) from None
    finally:
        os.close(folder)


_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def _explained(error: OSError, name: str, within: int) -> OSError:
    """What to raise for what could not be opened."""
    with suppress(OSError):
        if stat.S_ISLNK(os.stat(name, dir_fd=within, follow_symlinks=False).st_mode):
            return LeadsOut()
    return error


class BlobFound(msgspec.Struct, frozen=True):
    """What is known about a blob. `text` says the state in one line for a person."""

    sha: str
    state: str
    """`present` (verified), `missing`, `wrong` (other content), `unreadable` (by a server, too), `too big`
    (to be verified), `not fetched` (more than `ASKED_ABOUT` bytes on a server, and nobody asked for it),
    `verifying` (what `BlobStore.glance` says of a file that takes time), or `not a blob name`."""
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
        if self.path is None or self.state in ("missing", "unreadable", "not a blob name"):
            return b""
        try:
            with os.fdopen(open_blob(self.path), "rb") as file:
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
        self._digests: OrderedDict[tuple[int, ...], str] = OrderedDict()
        """What files were found to hold, by what changes with their content."""
        self._lock = threading.Lock()

    def find(self, sha: str, *, whole: bool = False) -> BlobFound:
        """The blob of this name. A copy with the right content, wherever, comes before any other."""
        return self._find(sha, _WHOLE if whole else LARGEST_BLOB, "too big")

    def glance(self, sha: str) -> BlobFound:
        """What can be said at once: a file of more than `AT_ONCE` bytes that was not verified before is
        `verifying`."""
        return self._find(sha, AT_ONCE, "verifying")

    def _find(self, sha: str, largest: int, otherwise: str) -> BlobFound:
        refused = not_a_name(sha)
        if refused is not None:
            return refused
        second_best: BlobFound | None = None
        for folder in self.folders:
            found = self._look(sha, folder / sha[:2] / sha, largest, otherwise)
            if found is not None and found.state in ("present", "verifying"):
                return found
            second_best = second_best or found
        return second_best or BlobFound(sha, "missing", self._missing())

    def _look(self, sha: str, path: Path, largest: int, otherwise: str) -> BlobFound | None:
        try:
            descriptor = open_blob(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except NotAFile:
            return BlobFound(sha, "unreadable", f"unreadable: {path} is no file", path)
        except LeadsOut:
            text = f"unreadable: {path} is a link and leads out of the blobs folder"
            return BlobFound(sha, "unreadable", text, path)
        except OSError as error:
            return BlobFound(sha, "unreadable", f"unreadable: {path}: {reason(error)}", path)
        try:
            return self._judge(sha, path, descriptor, largest, otherwise)
        except OSError as error:
            return BlobFound(sha, "unreadable", f"unreadable: {path}: {reason(error)}", path)
        finally:
            os.close(descriptor)

    def _judge(self, sha: str, path: Path, descriptor: int, largest: int, otherwise: str) -> BlobFound:
        now = os.fstat(descriptor)
        size = now.st_size
        key = (now.st_dev, now.st_ino, size, now.st_mtime_ns, now.st_ctime_ns)
        with self._lock:
            digest = self._digests.get(key, "")
        if not digest and size > largest:
            asks = otherwise == "too big" or size > LARGEST_BLOB
            text = f"too big to verify: {size} bytes in {path}" if asks else "verifying"
            return BlobFound(sha, "too big" if asks else otherwise, text, path, size)
        if not digest:
            digest = _digest(descriptor)
            self._remember(key, digest)
        if digest == sha:
            return BlobFound(sha, "present", f"present: {size} bytes, digest verified", path, size)
        return BlobFound(sha, "wrong", f"wrong: the content of {path} has the digest {digest}", path, size)

    def _remember(self, key: tuple[int, ...], digest: str) -> None:
        with self._lock:
            self._digests[key] = digest
            if len(self._digests) > _REMEMBERED:
                self._digests.popitem(last=False)

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


def _digest(descriptor: int) -> str:
    content, offset = hashlib.sha256(), 0
    while chunk := os.pread(descriptor, _CHUNK, offset):
        content.update(chunk)
        offset += len(chunk)
    return content.hexdigest()
