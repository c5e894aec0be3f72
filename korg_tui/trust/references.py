"""References: the blobs that a ledger names, and whether they are there (SPEC §6.4, §7.3)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from korg_tui.formats import Body
from korg_tui.sources import BlobFound
from korg_tui.text import visible
from korg_tui.trust.collected import Collected
from korg_tui.trust.found import Check

_CELLS = 300
_NAME_CELLS = 80
_UNSEEN = ("too big", "not fetched", "verifying")
"""States of a blob of which nothing was seen that is wrong."""


@dataclass(slots=True)
class _Named:
    """A blob as events name it."""

    seq: int
    """The first event that does."""
    count: int = 0
    """How many events do."""
    meant: bool = False
    """Whether it stands for content that is left out, and is not merely a hash that is told."""
    sizes: dict[int, int] = field(default_factory=dict)
    """By size in bytes that a reference states: the first event that states it."""
    found: BlobFound | None = None


class References:
    """The blobs that events name, each looked for once."""

    def __init__(self) -> None:
        self._named: dict[str, _Named] = {}
        self._new: list[str] = []
        self._no_names = Collected("6.4")

    def meet(self, seq: int, found: Body, blobs: Iterable[str]) -> None:
        """Take in what a record names: `blobs` are the names that the model knows of."""
        for sha in blobs:
            self._name(seq, sha).count += 1
        for name, size in _references(found):
            sha = name.removeprefix("sha256:")
            if not _is_name(sha):
                self._no_names.looked_at += 1
                self._no_names.fail(seq, f"{visible(name, _NAME_CELLS)} is no name of a blob", about="blob")
                continue
            named = self._name(seq, sha)
            named.meant = True
            if size is not None:
                named.sizes.setdefault(size, seq)

    def _name(self, seq: int, sha: str) -> _Named:
        named = self._named.get(sha)
        if named is None:
            named = self._named[sha] = _Named(seq)
            self._new.append(sha)
        return named

    def look(self, find: Callable[[str], BlobFound]) -> None:
        """Look for the blobs that were not looked for yet. Reads files, or asks a server."""
        for sha in self._new:
            self._named[sha].found = find(sha)
        self._new.clear()

    def check(self) -> Generator[None, None, Check]:
        """§6.4: every blob is there, and is what its name and the events say. Pauses after every blob; the
        check is what it returns."""
        found = Collected("6.4")
        for sha, named in self._named.items():
            yield
            if named.found is not None:
                found.looked_at += 1
                _judge(found, sha, named, named.found)
        return found.check(self._no_names)


def _judge(found: Collected, sha: str, named: _Named, blob: BlobFound) -> None:
    more = f"; {named.count:,} events name it" if named.count > 1 else ""
    short = f"blob {sha[:12]}…"
    said = "" if found.full else visible(blob.text, _CELLS)
    if not named.meant and blob.state == "missing":
        text = f"{short}, which is told of and not referred to, is {said}{more}"
        found.warn(named.seq, text, about="blob")
    elif blob.state in _UNSEEN:
        found.warn(named.seq, f"{short} was not verified: {said}{more}", about="blob")
    elif blob.state != "present":
        found.fail(named.seq, f"{short} is {said}{more}", about="blob")
    elif blob.size is not None:
        for size, seq in named.sizes.items():
            if size != blob.size:
                text = f"{short} has {blob.size:,} bytes, and the event says {size:,}"
                found.fail(seq, text, about="blob")


def _references(found: Body) -> Iterator[tuple[str, int | None]]:
    """What stands for content that was left out (SPEC §7.3), and the size that is stated with it."""
    for value in _objects((found.args, found.result)):
        name = value.get("_ref")
        if isinstance(name, str) and (name.startswith("sha256:") or _is_name(name)):
            yield name, _size(value)
    for value in _objects((found.payload_refs, found.metadata.get("payload_refs"))):
        if isinstance(value.get("sha256"), str):
            yield value["sha256"], _size(value)


def _objects(parts: tuple[object, ...]) -> Iterator[dict[str, Any]]:
    """All objects in JSON values."""
    stack: list[object] = list(parts)
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(value)
        elif isinstance(value, dict):
            yield value
            stack.extend(part for part in value.values() if isinstance(part, dict | list))


def _size(reference: dict[str, Any]) -> int | None:
    size = reference.get("size_bytes")
    return size if type(size) is int else None


def _is_name(sha: str) -> bool:
    return len(sha) == 64 and not sha.strip("0123456789abcdef")
