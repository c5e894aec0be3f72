"""What a walk through a folder has met: files and folders by what they are, not by what they are called."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple


class Folder(NamedTuple):
    """A folder that was looked through."""

    changed: int
    """Time of the last change of its entries then, in ns since the epoch."""
    told: bool
    """Whether changes in it are told."""


class Looked(NamedTuple):
    """A file that was looked into."""

    inode: int
    size: int
    """Bytes."""
    changed: int
    """Time of its last change, in ns since the epoch."""

    @classmethod
    def at(cls, now: os.stat_result) -> Looked:
        """The file as it is now."""
        return cls(now.st_ino, now.st_size, now.st_mtime_ns)


class Met:
    """By which path each file and each folder was met first. Links lead to what was met already."""

    def __init__(self) -> None:
        self._paths: dict[tuple[int, int], Path] = {}

    def is_new(self, path: Path) -> bool:
        """Whether it was not met by another path that still leads to it; of this path that is said again."""
        identity = _identity(path)
        if identity is None:
            return False
        first = self._paths.setdefault(identity, path)
        if first != path and _identity(first) == identity:
            return False
        self._paths[identity] = path
        return True


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        now = path.stat()
    except OSError:
        return None
    return now.st_dev, now.st_ino
