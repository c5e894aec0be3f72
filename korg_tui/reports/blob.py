"""`blob`: the content of a blob, verified, on standard output; of a server, not more than a person wants."""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from korg_tui.export import ended_by_signals, to_json, written_new
from korg_tui.reports.asked import UsageError, open_named
from korg_tui.sources import (
    ASKED_ABOUT,
    LARGEST_BLOB,
    UNREADABLE,
    BlobFound,
    Blobs,
    BlobStore,
    SourceError,
    open_blob,
)
from korg_tui.text import visible, visible_lines
from korg_tui.views import size

_DIGEST = re.compile(r"(?:korg://local/blob/|sha256:)?(?P<sha>[0-9a-f]{64})")
_FINDINGS = 1
_USAGE = 2
_WORSE = ("present", "wrong", "not fetched", "too big", "unreadable", "missing")
"""States from the most to the least telling."""
_NOW = {
    "missing": "name the ledger or the server that has it, or set KORG_BLOB_DIR",
    "wrong": "put the right content there, or name another SOURCE that has it",
    "unreadable": "make it readable, or name another SOURCE that has it",
}
"""What a person can do about a state."""
_CHUNK = 1 << 20


def blob(arguments: argparse.Namespace) -> int:
    """Write one blob, or print its state as JSON.

    The exit code is 0 for verified content, 1 for other content under its name, 3 when it is missing or
    cannot be read, 2 when nobody agreed to fetch more than `ASKED_ABOUT` bytes."""
    sha = _name(arguments.words)
    stores = _stores(arguments.words[1:], arguments.demo)
    found, blobs = _best(sha, stores, whole=arguments.yes)
    if found.state == "not fetched" and not arguments.json and _agreed(found):
        found = blobs.find(sha, whole=True)
    if found.state == "present":
        found = _deliver(found, arguments)
    if arguments.json:
        print(to_json(_document(found)))
    elif found.state != "present":
        print(f"korg-tui: {visible(_complaint(found))}", file=sys.stderr, flush=True)
    return {"present": 0, "wrong": _FINDINGS, "not fetched": _USAGE}.get(found.state, UNREADABLE)


def _name(words: list[str]) -> str:
    if not words:
        raise UsageError("blob takes the name of one: 64 hex digits, or korg://local/blob/SHA")
    named = _DIGEST.fullmatch(words[0])
    if named is None:
        raise UsageError(f"{words[0]} is no blob name: it takes 64 lower-case hex digits")
    return named["sha"]


def _stores(sources: list[str], demo: bool) -> Iterator[Blobs]:
    """Where to look: near the sources, or, where there is none, in this folder."""
    try:
        yield from (source.blobs for source in open_named(sources, demo))
    except SourceError:
        if sources:
            raise
        yield BlobStore(None)


def _best(sha: str, stores: Iterator[Blobs], *, whole: bool) -> tuple[BlobFound, Blobs]:
    """The blob where it is there, else the place that has most to say of it."""
    best: tuple[BlobFound, Blobs] | None = None
    asked: set[tuple[Path, ...]] = set()
    for blobs in stores:
        if isinstance(blobs, BlobStore):
            if blobs.folders in asked:
                continue
            asked.add(blobs.folders)
        found = blobs.find(sha, whole=whole or not blobs.remote)
        if found.state == "present":
            return found, blobs
        if best is None or _WORSE.index(found.state) < _WORSE.index(best[0].state):
            best = found, blobs
    if best is None:
        raise UsageError("no SOURCE has a place for blobs; name another")
    return best


def _agreed(found: BlobFound) -> bool:
    """Whether the person at the terminal wants so much to be fetched; nobody is there: no."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"korg-tui: fetch {_how_much(found)} from {visible(found.url)}? [y/N] ", file=sys.stderr, end="")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _how_much(found: BlobFound) -> str:
    return f"more than {size(ASKED_ABOUT)}" if found.size is None else size(found.size)


def _complaint(found: BlobFound) -> str:
    if found.state == "not fetched":
        return f"{found.sha} was not fetched: it has {_how_much(found)}; --yes fetches it"
    now = _NOW.get(found.state, "")
    return f"{found.sha} is {found.text}{f'; {now}' if now else ''}"


def _document(found: BlobFound) -> dict[str, object]:
    return {
        "sha": found.sha,
        "state": found.state,
        "size": found.size,
        "path": None if found.path is None else str(found.path),
        "url": found.url or None,
        "text": found.text,
    }


# writing


class _OtherContent(Exception):
    """It is not what its name says, and takes no name."""


def _deliver(found: BlobFound, arguments: argparse.Namespace) -> BlobFound:
    """Write the content where it was asked for. Returns what it turned out to be while it was written."""
    if arguments.output is not None:
        return _to_file(found, arguments.output)
    if arguments.json:
        return found
    if sys.stdout.isatty():
        return _to_terminal(found)
    sys.stdout.flush()
    return _written(found, sys.stdout.buffer.write)


def _to_file(found: BlobFound, name: str) -> BlobFound:
    try:
        if os.path.lexists(name):
            raise FileExistsError
        with ended_by_signals(), written_new(Path(name)) as file:
            written = _written(found, file.write)
            if written.state != "present":
                raise _OtherContent
            return written
    except _OtherContent:
        return written
    except FileExistsError:
        raise UsageError(f"{name} is there already; give --out another name") from None
    except (FileNotFoundError, NotADirectoryError, PermissionError, IsADirectoryError) as error:
        raise UsageError(f"{name} cannot be written: {error.strerror}; give --out another name") from None


def _to_terminal(found: BlobFound) -> BlobFound:
    """Text, made visible; a terminal would take other bytes for commands."""
    content = found.read()
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text or (found.size or 0) > len(content):
        raise UsageError(f"this blob is binary, {_how_much(found)}: give --out FILE, or a pipe")
    for line in visible_lines(text.removesuffix("\n"), text.count("\n") + 1, len(text) + 1):
        print(line)
    return found


def _written(found: BlobFound, write: Callable[[bytes], object]) -> BlobFound:
    """Write the content chunk by chunk, and verify what was written."""
    content = hashlib.sha256()
    for chunk in _chunks(found):
        content.update(chunk)
        write(chunk)
    if content.hexdigest() == found.sha:
        return found
    return BlobFound(found.sha, "wrong", "wrong: it changed while it was read", found.path, found.size)


def _chunks(found: BlobFound) -> Iterator[bytes]:
    if found.path is None or (found.size or 0) <= LARGEST_BLOB:
        yield found.read()
        return
    with os.fdopen(open_blob(found.path), "rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk
