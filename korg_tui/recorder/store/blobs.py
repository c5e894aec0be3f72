"""The blob folder of a store: content under the name of its digest, whole or not at all (SPEC §7.3)."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from korg_tui.recorder.store import disk
from korg_tui.recorder.store.disk import StoreChanged, entered

_NAME = re.compile(r"[0-9a-f]{64}")
_UNFINISHED = ".unfinished-"


def is_name(name: str) -> bool:
    """Whether a blob can have this name: 64 lower-case hex digits."""
    return _NAME.fullmatch(name) is not None


class BlobFolder:
    """`<folder>/<sha[:2]>/<sha>`. Others may add blobs to it; only what this has kept is counted again. No
    link is followed, but one that leads to `within`, by default to the folder itself.

    Blobs are looked for in `$KORG_BLOB_DIR`, too (SPEC §6.4)."""

    def __init__(
        self, folder: Path, environment: Mapping[str, str] = os.environ, *, within: Path | None = None
    ) -> None:
        self.folder = folder
        self._base = within or folder
        self._below = folder.relative_to(self._base).parts
        elsewhere = environment.get("KORG_BLOB_DIR")
        self._elsewhere = Path(elsewhere) if elsewhere else None
        self._lock = threading.Lock()
        self.count = 0
        """Blobs in the folder, as far as this knows."""

    def open(self) -> None:
        """Count what is there, and take away what a crash left unfinished. Raises `OSError`: `StoreChanged`
        for a link in the place of a folder."""
        self.count = 0
        with contextlib.suppress(FileNotFoundError), self._entered() as top, os.scandir(top) as parts:
            for part in parts:
                if len(part.name) == 2:
                    self.count += self._look_through(part.name)

    def _look_through(self, part: str) -> int:
        found = 0
        with self._entered(part) as folder, os.scandir(folder) as entries:
            for entry in entries:
                if not entry.is_file(follow_symlinks=False):
                    continue
                if entry.name.startswith(_UNFINISHED):
                    os.unlink(entry.name, dir_fd=folder)
                found += is_name(entry.name)
        return found

    def keep(self, name: str, content: bytes) -> bool:
        """Return when the blob is on the disk; whether it is new. A file of that name with other content is
        put right. Raises `OSError`: `StoreChanged` for what is no file."""
        with self._entered(name[:2], make=True) as folder:
            path = self.folder / name[:2] / name
            if _has(folder, path, content):
                # It can be the work of another thread that has not come to this yet.
                disk.sync(folder)
                return False
            through = f"{_UNFINISHED}{uuid.uuid4().hex}"
            disk.write_whole(folder, path, iter((content,)), through=through)
        with self._lock:
            self.count += 1
        return True

    def has(self, name: str) -> bool:
        """Whether the blob is there."""
        return any(_is_file(folder, name) for folder in self._folders(name))

    @contextlib.contextmanager
    def read(self, name: str) -> Iterator[int | None]:
        """The open file of a blob for as long as the block lasts; None when it is not there."""
        number = self._opened(name)
        try:
            yield number
        finally:
            if number is not None:
                os.close(number)

    def _opened(self, name: str) -> int | None:
        for folder in self._folders(name):
            with contextlib.suppress(OSError):
                return disk.open_file(Path(name), os.O_RDONLY, within=folder)
        return None

    def _entered(self, *below: str, make: bool = False) -> AbstractContextManager[int]:
        return entered(self._base, *self._below, *below, make=make)

    def _folders(self, name: str) -> Iterator[int]:
        """The folders that a blob can be in, each open until the next one is asked for."""
        with contextlib.suppress(OSError), self._entered(name[:2]) as folder:
            yield folder
        if self._elsewhere is not None:
            with contextlib.suppress(OSError), entered(self._elsewhere, name[:2]) as folder:
                yield folder


def _is_file(folder: int, name: str) -> bool:
    with contextlib.suppress(OSError):
        return stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    return False


def _has(folder: int, path: Path, content: bytes) -> bool:
    try:
        number = disk.open_file(path, os.O_RDONLY, within=folder)
    except FileNotFoundError:
        return False
    try:
        size = os.fstat(number).st_size
        return size == len(content) and disk.read_exactly(number, 0, size) == content
    except StoreChanged:
        return False
    finally:
        os.close(number)
