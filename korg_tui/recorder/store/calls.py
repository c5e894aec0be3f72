"""The append shape: the body of `POST /api/agent/tool-call`, checked field by field (SPEC §1.2.1)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any

from korg_tui.formats import Unreadable, loads

_BLOB_NAME = re.compile(r"[0-9a-f]{64}")
_LARGEST_SEQ = 2**53 - 1
LONGEST_NAME = 4096
"""Characters of an actor, and of a tool."""

_MOST_REFS, _LONGEST_REF = 4096, 1024
_MOST_TOKENS = 300_000
_TOKENS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?+|[,\[{]', re.DOTALL)
_LARGEST_DURATION = 2**64 - 1
_MISSING = object()


class Refused(Exception):
    """A request that cannot be granted. `text` says why, in words; `status` is the HTTP answer's."""

    def __init__(self, text: str, status: int = 422) -> None:
        super().__init__(text)
        self.text = text
        self.status = status


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call as a client reports it; what the server assigns is not in it."""

    actor: str
    tool: str
    args: dict[str, Any]
    result: dict[str, Any] | str
    success: bool
    duration_ms: int
    triggered_by: int | None
    """A seq; None for a root."""
    payload_refs: tuple[dict[str, Any], ...] = ()

    def with_content(self, content: dict[str, Any]) -> Call:
        """The call with other values for the fields that `content` names."""
        return replace(self, **content)


def read_call(raw: bytes) -> Call:
    """The call in a request's body. Fields that only servers assign are passed over (§1.2.7). Raises
    `Refused`: 400 for what is no JSON, 422 for a field that is missing or of the wrong type."""
    body = read_object(raw)
    event_type = _field(body, "event_type", (str,), "AgentToolCall")
    if event_type != "AgentToolCall":
        raise Refused(f"event_type must be AgentToolCall, not {_quoted(event_type)}")
    call = Call(
        actor=_name(body, "source_agent"),
        tool=_name(body, "tool_name"),
        args=_field(body, "args", (dict,)),
        result=_field(body, "result", (dict, str)),
        success=_field(body, "success", (bool,)),
        duration_ms=whole(body, "duration_ms", _LARGEST_DURATION),
        triggered_by=whole(body, "triggered_by", _LARGEST_SEQ, None),
        payload_refs=_descriptors(_field(body, "payload_refs", (list,), None) or []),
    )
    _refuse_what_json_has_no_word_for(call)
    return call


def read_object(raw: bytes) -> dict[str, Any]:
    """The JSON object that a request's body is. Raises `Refused`."""
    if _has_too_many_tokens(raw):
        many = f"the body has more than {_MOST_TOKENS:,} strings, commas and brackets"
        raise Refused(f"{many}; put such content into a blob")
    try:
        raw.decode("utf-8")
        body = loads(raw)
    except UnicodeDecodeError as error:
        raise Refused(f"the body is not UTF-8: byte {error.start} of it", 400) from None
    except Unreadable as error:
        raise Refused(f"the body is {error}", 400) from None
    if not isinstance(body, dict):
        raise Refused(f"the body must be a JSON object, not {_a(body)}")
    return body


def _has_too_many_tokens(raw: bytes) -> bool:
    """Whether decoding it, and looking through it, would take long."""
    if sum(map(raw.count, (b",", b"[", b"{", b'"'))) <= _MOST_TOKENS:
        return False
    return any(count == _MOST_TOKENS for count, _ in enumerate(_TOKENS.finditer(raw)))


def text_field(body: dict[str, Any], name: str, default: str) -> str:
    """A string of a body, by default `default`. Raises `Refused`."""
    found: str = _field(body, name, (str,), default)
    return found


def whole(body: dict[str, Any], name: str, largest: int, default: Any = _MISSING) -> Any:
    """A whole number from 0 to `largest`. Raises `Refused`."""
    found = _field(body, name, (int,), default)
    if found is not None and not 0 <= found <= largest:
        raise Refused(f"{name} must be from 0 to {largest}")
    return found


_NAMES: dict[type, str] = {
    dict: "an object", list: "a list", str: "a string", bool: "a boolean", int: "an integer",
    float: "a number with a fraction",
}  # fmt: skip


def _field(body: dict[str, Any], name: str, kinds: tuple[type, ...], default: Any = _MISSING) -> Any:
    """A member of one of these types; with a default, it may be null or missing."""
    found = body.get(name, _MISSING)
    if default is not _MISSING and (found is _MISSING or found is None):
        return default
    if found is _MISSING:
        raise Refused(f"{name} is missing: it must be {' or '.join(_NAMES[kind] for kind in kinds)}")
    if type(found) not in kinds:
        raise Refused(f"{name} must be {' or '.join(_NAMES[kind] for kind in kinds)}, not {_a(found)}")
    return found


def _name(body: dict[str, Any], name: str) -> str:
    found: str = _field(body, name, (str,))
    if len(found) > LONGEST_NAME:
        raise Refused(f"{name} has {len(found):,} characters, and at most {LONGEST_NAME:,} are taken")
    return found


def _descriptors(refs: list[Any]) -> tuple[dict[str, Any], ...]:
    if len(refs) > _MOST_REFS:
        raise Refused(f"payload_refs holds {len(refs):,}, and at most {_MOST_REFS:,} are taken")
    return tuple(map(_descriptor, refs))


def _descriptor(ref: object) -> dict[str, Any]:
    """One of `payload_refs` (SPEC §7.3)."""
    if not isinstance(ref, dict):
        raise Refused(f"payload_refs must hold objects, not {_a(ref)}")
    name = ref.get("sha256")
    if not isinstance(name, str) or not _BLOB_NAME.fullmatch(name):
        raise Refused("payload_refs: sha256 must be 64 lower-case hex digits")
    if type(ref.get("size_bytes")) is not int or ref["size_bytes"] < 0:
        raise Refused("payload_refs: size_bytes must be an integer that is not negative")
    if not isinstance(ref.get("label", ""), str):
        raise Refused(f"payload_refs: label must be a string, not {_a(ref['label'])}")
    if len(json.dumps(ref)) > _LONGEST_REF:
        raise Refused(f"payload_refs: a descriptor has at most {_LONGEST_REF:,} characters")
    return ref


def _refuse_what_json_has_no_word_for(call: Call) -> None:
    for name, part in (("args", call.args), ("result", call.result), ("payload_refs", call.payload_refs)):
        try:
            json.dumps(part, allow_nan=False)
        except ValueError:
            raise Refused(
                f"{name} holds NaN or a number too large, which no JSON is; send a string"
            ) from None


def _a(value: object) -> str:
    return "null" if value is None else _NAMES[type(value)]


def _quoted(text: str) -> str:
    return json.dumps(text[:80])
