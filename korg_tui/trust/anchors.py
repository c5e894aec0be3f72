"""Anchors: hashes of events that somebody put where the keeper of the ledger cannot change them.

They stand in `anchors.jsonl` beside a ledger, or in a certificate around it. The outside witness, a commit or
a timestamp that an anchor names, is never asked here: what is compared is the anchor and the event.

Several ledgers can lie in one folder, with one `anchors.jsonl`. An anchor speaks of a ledger that has its
hash. One whose hash is not there speaks of the ledger, too, when no other ledger lies beside it; where others
do, it speaks of the one that has its hash, and where none has, nobody can tell whose event is missing: that
is a grave finding of each. A person who knows better names the file: then all of it speaks of that ledger."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from korg_tui.formats import Unreadable, loads
from korg_tui.sources import ANCHORS, SourceError, holds_events, open_regular, reason
from korg_tui.text import visible

_HASH = re.compile(r"[0-9a-f]{64}")
_OF_EVENTS = frozenset({"tool_name", "source_agent", "event_type", "event", "metadata", "args"})
_LARGEST_FILE = 64 << 20
COMPANIONS_AT_MOST = 5_000
"""Files beside a ledger that are looked at for whether they are ledgers, too."""
_SAID = 20
"""Lines that are no anchors, and are named one by one."""
_WORD = 80


@dataclass(frozen=True, slots=True)
class Anchor:
    """That the event of a seq had this hash, and who is said to know."""

    seq: int
    entry_hash: str
    witness: str = ""
    """The kind of anchor, its proof and its time, as written, in short words that may be shown."""


@dataclass(frozen=True, slots=True)
class Anchors:
    """Anchors that may speak of a ledger, from one place."""

    where: str
    """The file, or what they are embedded in; may be shown."""
    anchors: tuple[Anchor, ...] = ()
    damaged: tuple[str, ...] = ()
    """Of what is no anchor, where and why: each may be shown."""
    companions: tuple[Path, ...] = ()
    """Other ledgers that they may speak of."""


def anchors_beside(path: Path) -> Anchors | None:
    """The anchors in the folder of a ledger file; None when it has none. A link that leads out of the folder
    is not followed: whoever wrote the ledger may have put it there. Raises nothing."""
    beside = path.parent / ANCHORS
    real = Path(os.path.realpath(beside))
    if real == Path(os.path.realpath(path)):
        return None
    if not real.is_relative_to(os.path.realpath(path.parent)):
        text = "it is a link that leads out of the folder, and was not read; --anchors FILE reads it"
        return Anchors(visible(str(beside)), (), (text,))
    try:
        found = _of_file(real, str(beside), os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Anchors(visible(str(beside)), (), (f"it cannot be read: {reason(error)}",))
    return replace(found, companions=tuple(_companions(path)))


def anchors_named(name: str) -> Anchors:
    """The anchors in a file that a person named for one ledger. Raises `SourceError` when it cannot be read,
    or holds none."""
    where = visible(name)
    try:
        found = _of_file(Path(name), name)
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else "no name of a file"
        raise SourceError(f"{where}: {why}; give a file with anchors, one a line") from None
    if not found.anchors:
        why = found.damaged[0] if found.damaged else "it is empty"
        raise SourceError(f"{where}: no anchor in it: {why}; give a file with anchors, one a line")
    return found


def anchors_within(value: object, where: str) -> Anchors:
    """The anchors in a list that a certificate holds."""
    if not isinstance(value, list):
        return Anchors(where, (), ("its anchors are no list",))
    return _collected(where, ((f"anchor {number}", item) for number, item in enumerate(value, 1)))


def _of_file(path: Path, name: str, more: int = 0) -> Anchors:
    """Raises `OSError`."""
    now = os.stat(path)  # noqa: PTH116 - of many ledgers, each asks
    return _of_state(path, name, more, (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns))


@lru_cache(maxsize=1)
def _of_state(path: Path, name: str, more: int, state: tuple[int, ...]) -> Anchors:  # noqa: ARG001
    """The ledgers of a folder share their anchors: they are read once. Raises `OSError`."""
    with os.fdopen(open_regular(path, more), "rb") as file:
        content = file.read(_LARGEST_FILE + 1)
    cut = len(content) > _LARGEST_FILE
    found = _collected(visible(name), _lines(content[:_LARGEST_FILE]))
    if cut:
        return replace(found, damaged=(*found.damaged, "more than 64 MB: what follows was not read"))
    return found


def _lines(content: bytes) -> Iterator[tuple[str, object]]:
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        text = line.strip()
        if text and not text.startswith(b"//"):
            try:
                yield f"line {number}", loads(text)
            except Unreadable as error:
                yield f"line {number}", error


def _collected(where: str, items: Iterable[tuple[str, object]]) -> Anchors:
    anchors: dict[Anchor, None] = {}
    damaged: list[str] = []
    others = 0
    for place, item in items:
        found = _anchor(item)
        if isinstance(found, Anchor):
            anchors[found] = None
        elif len(damaged) < _SAID:
            damaged.append(f"{place} is no anchor: {found}")
        else:
            others += 1
    if others:
        damaged.append(f"and {others:,} more are none")
    return Anchors(where, tuple(anchors), tuple(damaged))


def _anchor(item: object) -> Anchor | str:
    """An anchor, or why it is none."""
    if isinstance(item, Unreadable):
        return str(item)
    if not isinstance(item, dict):
        return "not a JSON object"
    if not _OF_EVENTS.isdisjoint(item):
        return "it is an event"
    seq, entry_hash = item.get("seq_id"), item.get("entry_hash")
    if type(seq) is not int:
        return "it names no seq_id"
    if not isinstance(entry_hash, str) or not _HASH.fullmatch(entry_hash):
        return f"the entry_hash of seq {visible(str(seq), 24)} is not 64 lower-case hex digits"
    return Anchor(seq, entry_hash, ", ".join(_words_of(item)))


def _words_of(item: Mapping[str, Any]) -> Iterator[str]:
    """What an anchor says of its witness."""
    kind, proof, at = item.get("anchor_kind"), item.get("anchor_proof"), item.get("anchored_at")
    if isinstance(kind, str):
        yield visible(kind, _WORD)
    if isinstance(proof, dict):
        for name, value in list(proof.items())[:4]:
            if isinstance(value, str | int):
                yield f"{visible(name, 24)} {visible(str(value), _WORD)}"
    if isinstance(at, str):
        yield visible(at, _WORD)


def _companions(path: Path) -> Iterator[Path]:
    """The other ledgers in the folder of one."""
    try:
        changed, own = path.parent.stat().st_mtime_ns, path.stat()
    except OSError:
        return
    for other, identity in _ledgers_of(path.parent, changed):
        if identity != (own.st_dev, own.st_ino):
            yield other


@lru_cache(maxsize=8)
def _ledgers_of(folder: Path, changed: int) -> tuple[tuple[Path, tuple[int, int]], ...]:  # noqa: ARG001
    """The ledgers right in a folder that changed at this time, and which files they are. Those of many are
    verified one after the other: it is looked at once. Anchors are never a ledger here, whatever they look
    like: their own hashes would speak for them."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.is_file() and entry.name != ANCHORS)
    except OSError:
        return ()
    paths = (folder / name for name in names[:COMPANIONS_AT_MOST])
    return tuple((path, found) for path in paths if (found := _ledger(path)) is not None)


def _ledger(path: Path) -> tuple[int, int] | None:
    """Which file a ledger is; None for what is none."""
    try:
        now = path.stat()
        return (now.st_dev, now.st_ino) if holds_events(path) else None
    except OSError:
        return None
