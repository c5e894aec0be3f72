"""Content references: values that are too large for an event go to the blob store (SPEC §7.2, §7.3)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from korg_tui.formats import canonical as canonical_json

THRESHOLD = 1024
"""Canonical bytes that a value may have inside an event."""

LONGEST_PATH = 4096
"""Bytes that a path may have inside an event."""

_PATHS = frozenset({"file_path", "path", "filepath"})

Keep = Callable[[str, bytes], None]
"""Takes the digest of a blob (64 hex digits) and its content, and returns when the blob is kept."""


def canonical(value: Any) -> bytes:
    """The bytes that stand for a value (SPEC §7.2): a string in UTF-8, bytes as they are, anything else as
    compact JSON with sorted keys. Lone surrogates of a string are written as UTF-8 would write them if it
    could. Raises `TypeError` or `ValueError` for what is no JSON (a set, a circle)."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    return canonical_json(value)


def digest(content: bytes) -> str:
    """The name of a blob: SHA-256, 64 lower-case hex digits."""
    return hashlib.sha256(content).hexdigest()


def reference(tool: str, args: Any, result: Any, keep: Keep) -> tuple[Any, Any, list[dict[str, Any]]]:
    """`args` and `result` with `{"_ref": "sha256:…", "size_bytes": n}` in place of each direct member (and of
    a whole `result` that is a string) of more than 1,024 canonical bytes, and a descriptor for each, to be
    appended to `payload_refs`. `keep` gets every such value before this returns; what it raises, this raises.

    Paths in `args` stay as they are (§6.3), up to 4,096 bytes: longer ones are no paths.
    What is a reference already is small."""
    refs: list[dict[str, Any]] = []

    def moved(field: str, value: Any) -> Any:
        content = _too_large(value)
        if content is None:
            return value
        name = digest(content)
        keep(name, content)
        refs.append({"sha256": name, "size_bytes": len(content), "label": f"{tool}.{field}"})
        return {"_ref": f"sha256:{name}", "size_bytes": len(content)}

    def members(part: Any, verbatim: frozenset[str]) -> Any:
        if not isinstance(part, dict):
            return part
        return {
            key: value if key in verbatim and _is_path(value) else moved(str(key), value)
            for key, value in part.items()
        }

    args = members(args, _PATHS)
    result = moved("result", result) if isinstance(result, str) else members(result, frozenset())
    return args, result, refs


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_PATH and len(canonical(value)) <= LONGEST_PATH


def _too_large(value: Any) -> bytes | None:
    """The canonical bytes of a value that must not stay inside an event."""
    if value is None or isinstance(value, bool | float):
        return None
    content = canonical(value)
    return content if len(content) > THRESHOLD else None
