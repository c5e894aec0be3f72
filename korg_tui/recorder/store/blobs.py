"""The blob folder of a store: content under the name of its digest, whole or not at all (SPEC §7.3)."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import threading
import uuid
from collections.abc import Mapping
from pathlib import Path

from korg_tui.recorder.references import digest
from korg_tui.recorder.store.disk import make_folder, sync_folder, write_whole

_NAME = re.compile(r"[0-9a-f]{64}")
_UNFINISHED = ".unfinished-"


def is_name(name: str) -> bool:
    """Whether a blob can have this name: 64 lower-case hex digits."""
    return _NAME.fullmatch(name) is not None


class BlobFolder:
    """`<folder>/<sha[:2]>/<sha>`. Others may add blobs to it; only what this has kept is counted again.

    Blobs are looked for in `$KORG_BLOB_DIR`, too (SPEC §6.4)."""

    def __init__(self, folder: Path, environment: Mapping[str, str] = os.environ) -> None:
        self.folder = folder
        elsewhere = environment.get("KORG_BLOB_DIR")
        self._folders = (folder, Path(elsewhere)) if elsewhere else (folder,)
        self._lock = threading.Lock()
        self.count = 0
        """Blobs in the folder, as far as this knows."""

    def open(self) -> None:
        """Count what is there, and take away what a crash left unfinished."""
        self.count = 0
        if not self.folder.is_dir():
            return
        for below in self.folder.iterdir():
            if not (below.is_dir() and len(below.name) == 2):
                continue
            for path in below.iterdir():
                if path.name.startswith(_UNFINISHED):
                    path.unlink(missing_ok=True)
                self.count += is_name(path.name)

    def keep(self, name: str, content: bytes) -> bool:
        """Return when the blob is on the disk; whether it is new. A file of that name with other content is
        put right. Raises `OSError`."""
        path = self.folder / name[:2] / name
        if self._has(path, name, len(content)):
            # It can be the work of another thread that has not come to this yet.
            sync_folder(path.parent)
            return False
        make_folder(path.parent)
        through = path.parent / f"{_UNFINISHED}{uuid.uuid4().hex}"
        write_whole(path, iter((content,)), through=through)
        with self._lock:
            self.count += 1
        return True

    def path_of(self, name: str) -> Path | None:
        """Where the blob is; None when it is not there."""
        for folder in self._folders:
            path = folder / name[:2] / name
            with contextlib.suppress(OSError):
                if stat.S_ISREG(path.stat().st_mode):
                    return path
        return None

    def _has(self, path: Path, name: str, size: int) -> bool:
        try:
            return path.stat().st_size == size and digest(path.read_bytes()) == name
        except (FileNotFoundError, NotADirectoryError):
            return False
