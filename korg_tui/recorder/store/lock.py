"""One writer: the lock of a store, and who holds it."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from korg_tui.recorder.store import disk
from korg_tui.sources import SourceError

_LONGEST = 200


def hold(number: int) -> None:
    """Lock an open file for as long as it is open. Raises `BlockingIOError` when another process holds it."""
    fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)


def held(folder: Path, holder: str) -> SourceError:
    """The error for a store that another process writes to."""
    return SourceError(
        f"{folder}: another recorder writes here ({holder}); stop it, or give another folder with --store"
    )


class StoreLock:
    """The lock of the store in a folder; the system frees it when its holder ends, however that happens.
    Raises `SourceError` when another process holds it, `OSError` when there can be none."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "korg-tui.lock"
        self._number = disk.open_file(self._path, os.O_RDWR | os.O_CREAT)
        try:
            hold(self._number)
        except BlockingIOError:
            holder = os.pread(self._number, _LONGEST, 0).decode("utf-8", "replace").strip()
            os.close(self._number)
            raise held(folder, holder or "just starting") from None
        self.holder = ""
        self.say(f"process {os.getpid()}")

    def is_there(self) -> bool:
        """Whether others find the lock: its file was not taken away."""
        return disk.is_at(self._number, self._path)

    def say(self, holder: str) -> None:
        """Tell others who it is."""
        self.holder = holder
        with contextlib.suppress(OSError):
            os.ftruncate(self._number, 0)
            os.pwrite(self._number, holder.encode("utf-8")[:_LONGEST], 0)

    def close(self) -> None:
        """Free the store."""
        self.say("")
        os.close(self._number)
