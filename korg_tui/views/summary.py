"""Summary: the argument that matters, in one safe line (EXPERIENCE, screen 2)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice

from korg_tui.event import Kind
from korg_tui.formats import Body
from korg_tui.text import visible
from korg_tui.views import calls
from korg_tui.views.usage import usage_of
from korg_tui.views.words import number, plural, size

LIMIT = 400
"""Characters of an argument; a row never shows more."""

_TELLING = ("pattern", "query", "url", "description", "prompt", "message", "text", "content", "name", "title",
            "skill", "reason", "session_id", "id", "code")  # fmt: skip
_FIELDS = 4
_NOT_TELLING = frozenset({
    "event_type", "timestamp", "source_agent", "tool_name", "args", "result", "payload_refs", "success",
    "duration_ms", "triggered_by", "schema_version", "seq_id", "seq", "prev_hash", "entry_hash", "event_sig",
    "metadata", "event",
})  # fmt: skip


def argument(tool: str, body: Body, kind: Kind = Kind.TOOL) -> str:
    """The argument that matters of one event: path, command, pattern, the prompt's first words, tokens."""
    return visible(_raw(tool, body, kind), LIMIT)


def _raw(tool: str, body: Body, kind: Kind) -> str:
    blob = calls.reference(body.args)
    if blob is not None:
        return named_blob(*blob)
    match kind:
        case Kind.PROMPT:
            return _prompt(body.args)
        case Kind.INFERENCE:
            return _inference(body)
        case Kind.GOVERNANCE:
            return _governance(body)
    if tool in calls.RUNNERS:
        return one_line(calls.command(body.args))
    if tool == "apply_patch":
        return ", ".join(calls.paths_written(tool, body.args)) or _telling(body.args)
    return _telling(body.args) or (_fields(body.result) if kind is Kind.BOOKKEEPING else "")


def _prompt(args: object) -> str:
    if not isinstance(args, Mapping):
        return one_line(args) if isinstance(args, str) else ""
    blob = calls.reference(args.get("prompt"))
    if blob is not None:
        return named_blob(*blob)
    return one_line(calls.text_at(args, ("prompt", "text", "content", "message"))) or _fields(args)


def _inference(body: Body) -> str:
    used = usage_of(body).tokens
    said = calls.text_at(body.result, ("text", "content", "output"))
    if isinstance(body.result, str) and body.result != "Success":
        said = body.result
    said = said or calls.text_at(body.args, ("thinking", "text"))
    parts = [f"{number(used)} tokens" if used is not None else "", one_line(said)]
    return " · ".join(filter(None, parts)) or calls.text_at(body.args, ("model",))


def _governance(body: Body) -> str:
    event = body.record.get("event")
    return _fields(event if isinstance(event, Mapping) else body.record)


def _telling(args: object) -> str:
    if isinstance(args, str):
        return one_line(args)
    if not isinstance(args, Mapping):
        return "" if args is None else compact(args)
    if isinstance(args.get("todos"), list):
        return plural(len(args["todos"]), "todo")
    path = calls.text_at(args, calls.PATH_KEYS)
    for key in _TELLING if not path else ("pattern",):
        if isinstance(args.get(key), str) and args[key]:
            where = f" in {path}" if path else ""
            return one_line(args[key]) + where
        blob = calls.reference(args.get(key))
        if blob is not None and not path:
            return named_blob(*blob)
    return path or one_line(calls.command(args)) or _fields(args)


def _fields(value: object) -> str:
    """The first few simple fields, `key=value`."""
    if not isinstance(value, Mapping):
        return one_line(value) if isinstance(value, str) else ""
    return " ".join(islice(_pairs(value), _FIELDS))


def _pairs(value: Mapping[str, object]) -> Iterator[str]:
    for key, found in value.items():
        if key in _NOT_TELLING or found in (None, "", [], {}):
            continue
        blob = calls.reference(found)
        if blob is not None:
            yield f"{key}={named_blob(*blob)}"
        elif isinstance(found, str):
            yield f"{key}={one_line(found[:LIMIT])}"
        elif isinstance(found, (bool, int, float)):
            yield f"{key}={compact(found)}"


def compact(value: object) -> str:
    """JSON without white space, bounded: of something large only its kind and length are named."""
    if isinstance(value, (list, Mapping)) and len(value) > 50:
        return plural(len(value), "item")
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)[:LIMIT]


def named_blob(digest: str, length: int | None) -> str:
    """A content reference as `blob 9fbd46cc (1.8 KB)`."""
    known = "" if length is None else f" ({size(length)})"
    return f"blob {digest[:8]}{known}"


def one_line(text: str) -> str:
    """The first line that is not blank; the lines after it are counted."""
    head = text[: 8 * LIMIT].lstrip()
    first, newline, rest = head.partition("\n")
    return f"{first.rstrip()} …" if newline and rest.strip() else first.rstrip()
