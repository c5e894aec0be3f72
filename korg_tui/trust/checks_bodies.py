"""Checks of what records hold: parents named twice, paths, values that are too long, references to blobs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from korg_tui.formats import Body, Unreadable, body, canonical, loads
from korg_tui.sources import BlobFound
from korg_tui.text import visible
from korg_tui.trust.collected import Collected
from korg_tui.trust.found import Status
from korg_tui.trust.references import References

INLINE = 1_024
"""Canonical bytes of a value that may stand in an event (SPEC §6.3, §7.3)."""

PATHS = ("file_path", "path", "filepath")
"""Arguments that name the file a call touches (SPEC §6.3)."""

_LEVELS = 8
"""How far a long value is followed to where its length comes from."""
_WHOLE_ARGS = 1 << 20
"""Bytes of a blob that is read to see whether arguments name a path."""
_REFERENCE = re.compile(r"sha256:[0-9a-f]{64}")
_KEY_IN_DISGUISE = re.compile(rb"\\u00[2-7]")
"""An escape of a character that needs none: it may stand in `_ref` or `triggered_by`."""
_CELLS = 80

Find = Callable[[str], BlobFound]


class Bodies:
    """§6.3, and of §6.1 and §6.4 what only records show. Each is decoded once, and only where its bytes say
    that there can be something to find."""

    def __init__(self, find: Find) -> None:
        self.parents = Collected("6.1")
        self.values = Collected("6.3")
        self.references = References()
        self._find = find
        self._said: dict[str, tuple[Status, str]] = {}
        """By the name of a blob that was whole arguments: what is to be said of it."""

    def meet(self, seq: int, raw: bytes, blobs: Iterable[str]) -> None:
        """Look at the record of an agent event, which names these blobs."""
        self.values.looked_at += 1
        if not (blobs or _may_matter(raw)):
            return
        found = body(raw)
        if found is None:
            return
        self._compare_parents(seq, found)
        self._look_for_paths(seq, found)
        self._measure(seq, found)
        self.references.meet(seq, found, blobs)

    def _compare_parents(self, seq: int, found: Body) -> None:
        if "triggered_by" not in found.record or "triggered_by" not in found.metadata:
            return
        above, within = found.record["triggered_by"], found.metadata["triggered_by"]
        if above is not within and (type(above) is not type(within) or above != within):
            said = f"{_short(above)} at its top, {_short(within)} in its metadata"
            self.parents.fail(seq, f"it names two parents: {said}")

    def _look_for_paths(self, seq: int, found: Body) -> None:
        args = found.args
        if not isinstance(args, dict):
            return
        for name in PATHS:
            if _is_reference(args.get(name)):
                text = f"args.{name} is a reference to a blob: a path stands in the event as it is"
                self.values.fail(seq, text)
        if isinstance(args.get("_ref"), str) and len(args) <= 2:
            self._look_into(seq, args["_ref"])

    def _look_into(self, seq: int, name: str) -> None:
        """All arguments are one reference: only the blob says whether they name a path."""
        sha = name.removeprefix("sha256:")
        if sha not in self._said:
            self._said[sha] = _paths_within(self._find(sha))
        status, text = self._said[sha]
        if status == "fail":
            self.values.fail(seq, text)
        elif status == "warn":
            self.values.warn(seq, text)

    def _measure(self, seq: int, found: Body) -> None:
        for path, value in _members(found):
            count = size_of(value)
            if count > INLINE:
                where = visible(_longest(path, value), 2 * _CELLS)
                self.values.fail(seq, f"{where} has {count:,} bytes in the event, more than {INLINE:,}")


def _paths_within(blob: BlobFound) -> tuple[Status, str]:
    """What is to be said of arguments that are this blob as a whole."""
    if blob.state != "present" or (blob.size or 0) > _WHOLE_ARGS:
        state = "too large to look into" if blob.state == "present" else visible(blob.state, _CELLS)
        return "warn", f"whether its args name a path cannot be told: all of them are one blob ({state})"
    try:
        args = loads(blob.read(_WHOLE_ARGS))
    except Unreadable:
        return "pass", ""
    named = (args.get(name) for name in PATHS) if isinstance(args, dict) else ()
    path = next((each for each in named if isinstance(each, str)), None)
    if path is None:
        return "pass", ""
    said = visible(path, _CELLS)
    return "fail", f"the path {said} does not stand in the event: all of its args are one blob"


def _may_matter(raw: bytes) -> bool:
    if len(raw) > INLINE or raw.count(b'"triggered_by"') > 1 or _KEY_IN_DISGUISE.search(raw):
        return True
    return b'"_ref"' in raw or b"sha256" in raw


def _members(found: Body) -> Iterator[tuple[str, Any]]:
    """The values that can be replaced by a reference: direct members of args and result, or either as a whole
    where it is no object (LEDGERS, Blobs)."""
    for path, part in (("args", found.args), ("result", found.result)):
        if isinstance(part, dict):
            yield from ((f"{path}.{name}", value) for name, value in part.items())
        else:
            yield path, part


def _longest(path: str, value: Any) -> str:
    """The path down to where the length of a value comes from."""
    for _ in range(_LEVELS):
        parts: Iterable[tuple[Any, Any]] = value.items() if isinstance(value, dict) else ()
        if isinstance(value, list):
            parts = enumerate(value)
        sizes = [(size_of(part), key, part) for key, part in parts]
        count, key, part = max(sizes, key=lambda each: each[0], default=(0, "", None))
        if count <= INLINE:
            break
        path = f"{path}[{key}]" if isinstance(value, list) else f"{path}.{key}"
        value = part
    return path


def size_of(value: Any) -> int:
    """The canonical bytes of a value (SPEC §7.2): of text its own, of everything else compact JSON."""
    if isinstance(value, str):
        return len(value) if value.isascii() else len(value.encode("utf-8", "surrogatepass"))
    return len(canonical(value))


def _is_reference(value: object) -> bool:
    if isinstance(value, dict):
        return "_ref" in value
    return isinstance(value, str) and _REFERENCE.fullmatch(value) is not None


def _short(value: object) -> str:
    return visible(canonical(value).decode("ascii"), 40)
