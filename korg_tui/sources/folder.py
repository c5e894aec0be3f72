"""The ledgers in a folder, however deep, by their content."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from korg_tui.formats import HEAD, is_ledger

FIRST_LOOK = 64 * 1024
FILES_AT_MOST = 100_000
GLANCE = 5_000
"""Files that are looked into, at most, where it is only asked whether there is a ledger."""

_NEVER_ENTERED = frozenset({"blobs", "node_modules", "__pycache__", "site-packages"})
_EMPTY_LEDGERS = (".jsonl", ".ndjson", "capability_journal.json")
ANCHORS = "anchors.jsonl"
"""The file beside a ledger that says which hashes are known elsewhere."""


class Found(msgspec.Struct, frozen=True):
    """What a walk through a folder has found."""

    ledgers: tuple[Path, ...]
    """In the order of their names."""
    skipped: int
    """Files that are no ledgers."""
    unreadable: int = 0
    """Files that cannot be read."""
    cut: bool = False
    """There were more files than are looked at."""


def ledgers_in(folder: Path) -> Found:
    """Walk `folder`: nested folders and `.korg` too, but no other hidden ones, and no blobs. Symbolic links
    are followed, each folder and file once. Raises `OSError` when `folder` itself cannot be read."""
    os.scandir(folder).close()
    ledgers: list[Path] = []
    skipped = unreadable = 0
    for count, path in enumerate(_files(folder)):
        if count >= FILES_AT_MOST:
            return Found(tuple(ledgers), skipped, unreadable, cut=True)
        try:
            if holds_events(path):
                ledgers.append(path)
            else:
                skipped += 1
        except OSError:
            unreadable += 1
    return Found(tuple(ledgers), skipped, unreadable)


def glance(folder: Path) -> Found:
    """As `ledgers_in`, but only as far as the first ledger, or `GLANCE` files where none comes before. Raises
    `OSError` when `folder` itself cannot be read."""
    os.scandir(folder).close()
    skipped = unreadable = 0
    for path in _files(folder):
        if skipped + unreadable >= GLANCE:
            return Found((), skipped, unreadable, cut=True)
        try:
            if holds_events(path):
                return Found((path,), skipped, unreadable)
            skipped += 1
        except OSError:
            unreadable += 1
    return Found((), skipped, unreadable)


def _files(root: Path) -> Iterator[Path]:
    seen: set[tuple[int, int]] = set()
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        below: list[Path] = []
        for entry in _entries(folder, seen):
            if entry.is_dir():
                if is_entered(entry.name):
                    below.append(Path(entry.path))
            elif entry.is_file():
                yield Path(entry.path)
        waiting += reversed(below)


def _entries(folder: Path, seen: set[tuple[int, int]]) -> list[os.DirEntry[str]]:
    """What is in `folder` by name, without what was seen already."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []
    return [entry for entry in entries if _is_new(entry, seen)]


def _is_new(entry: os.DirEntry[str], seen: set[tuple[int, int]]) -> bool:
    try:
        now = entry.stat()
    except OSError:
        return False
    identity = (now.st_dev, now.st_ino)
    new = identity not in seen
    seen.add(identity)
    return new


def is_entered(name: str) -> bool:
    """Whether a folder of this name is looked through."""
    return name == ".korg" or not (name.startswith(".") or name in _NEVER_ENTERED)


def holds_events(path: Path) -> bool:
    """Whether the file is a ledger. An empty one is when its name says so: there is nothing else to go by."""
    with path.open("rb") as file:
        head = file.read(FIRST_LOOK)
        if not head:
            return path.name.endswith(_EMPTY_LEDGERS) and path.name != ANCHORS
        if is_ledger(head):
            return True
        if len(head) < FIRST_LOOK or not head.lstrip().startswith((b"{", b"[", b"\xef")):
            return False
        return is_ledger(head + file.read(HEAD))
