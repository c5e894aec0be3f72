"""Korg events in their three shapes: nested, flat, and legacy (LEDGERS.md, Event shapes; CAUSALITY §1)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET

from korg_tui.event import DEFAULT_KINDS, SYNTHESIZED_PROMPT, Event, Kind, KindTable, Malformed
from korg_tui.formats.parse import Unreadable, loads, too_deep

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
_MASK63 = INT64_MAX
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_LAST_MS = int(datetime(9998, 12, 31, tzinfo=UTC).timestamp() * 1000)

_RETURN_KEYS = frozenset({"root_seq", "child_root_seq", "child_root_seqs"})
_RETURN_LEVELS = 4
_LONG_PROMPT = 1024
_HASH = re.compile(r"[0-9a-f]{64}")
_DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})")

_S = TypeVar("_S", bound=msgspec.Struct)


class Body(msgspec.Struct):
    """One record, decoded whole: what the skeleton leaves on disk. `record` is everything as found,
    unknown fields too; the other fields are views into it, empty where it has none."""

    args: Any
    result: Any
    payload_refs: list[Any]
    metadata: dict[str, Any]
    record: dict[str, Any]


class _Metadata(msgspec.Struct):
    triggered_by: Any = None
    root_event_id: Any = None
    event_id: Any = None
    causation_id: Any = None
    emitted_at: Any = None
    recorded_at: Any = None
    hlc_physical: Any = None
    payload_refs: Any = None


class _Args(msgspec.Struct):
    prompt: Any = None


class _Call(msgspec.Struct):
    event_type: Any = None
    source_agent: Any = None
    tool_name: Any = None
    args: _Args | None = None
    payload_refs: Any = None
    success: Any = None
    duration_ms: Any = None
    timestamp: Any = None


class _Line(_Call):
    schema_version: Any = None
    seq_id: Any = UNSET
    seq: Any = UNSET
    metadata: _Metadata | None = None
    event: _Call | None = None
    triggered_by: Any = UNSET
    entry_hash: Any = None


_decode_line = msgspec.json.Decoder(_Line).decode


def decode(raw: bytes, offset: int, kinds: KindTable = DEFAULT_KINDS) -> Event | Malformed:
    """The skeleton of the event in `raw`, the exact bytes of one record that begins at `offset`.

    Never raises: a record that is no Korg event in any shape is a `Malformed` that says why.
    """
    if too_deep(raw):
        return Malformed(offset=offset, length=len(raw), reason=_reason(raw))
    try:
        line = _decode_line(raw)
    except (msgspec.MsgspecError, RecursionError):
        patient = _line_of_any(raw)
        if patient is None:
            return Malformed(offset=offset, length=len(raw), reason=_reason(raw))
        line = patient
    return _event(line, raw, offset, kinds)


def body(raw: bytes) -> Body | None:
    """The whole record in `raw`; `None` when it is malformed (no JSON object)."""
    try:
        record = loads(raw)
    except Unreadable:
        return None
    if not isinstance(record, dict):
        return None
    event = record.get("event")
    inner = event if isinstance(event, dict) else record
    metadata = record.get("metadata")
    refs = inner.get("payload_refs")
    return Body(
        args=inner.get("args"),
        result=inner.get("result"),
        payload_refs=refs if isinstance(refs, list) else [],
        metadata=metadata if isinstance(metadata, dict) else {},
        record=record,
    )


def _reason(raw: bytes) -> str:
    try:
        value = loads(raw)
    except Unreadable as error:
        return str(error)
    return f"not an event: a JSON {_json_type(value)} where an object belongs"


def _json_type(value: object) -> str:
    for kind, name in ((bool, "boolean"), (int | float, "number"), (str, "string"), (list, "list")):
        if isinstance(value, kind):
            return name
    return "null"


def _line_of_any(raw: bytes) -> _Line | None:
    """The fields of a record that the typed decoder refuses, with values left as they are."""
    try:
        record = loads(raw)
    except Unreadable:
        return None
    if not isinstance(record, dict):
        return None
    line = _filled(_Line, record) or _Line()
    line.metadata = _filled(_Metadata, record.get("metadata"))
    line.args = _filled(_Args, record.get("args"))
    line.event = _filled(_Call, record.get("event"))
    if line.event is not None:
        line.event.args = _filled(_Args, record["event"].get("args"))
    return line


def _filled(struct: type[_S], found: object) -> _S | None:
    """The members of an object that `struct` knows; `None` when it is no object."""
    if not isinstance(found, dict):
        return None
    return struct(**{name: found[name] for name in struct.__struct_fields__ if name in found})


def _event(line: _Line, raw: bytes, offset: int, kinds: KindTable) -> Event | Malformed:
    call = line if line.event is None else line.event
    seq = line.seq if line.seq_id is UNSET else line.seq_id
    tool, event_type = call.tool_name, call.event_type
    fault = _fault(seq, tool, event_type, line)
    if fault:
        return Malformed(offset=offset, length=len(raw), reason=fault)
    if isinstance(tool, str) and (event_type is None or event_type == "AgentToolCall"):
        kind = kinds[tool]
    else:
        kind, tool = Kind.GOVERNANCE, _name(event_type) or _name(tool)
    metadata = line.metadata or _NO_METADATA
    named = line.triggered_by if line.triggered_by is not UNSET else metadata.triggered_by
    parent = max(INT64_MIN, min(named, INT64_MAX)) if type(named) is int else None
    prompt = call.args.prompt if call.args is not None and kind.agent else None
    whole = body(raw) if _needs_body(raw, call.payload_refs, metadata.payload_refs) else None
    return Event(
        seq=seq,
        kind=kind,
        tool=tool,
        actor=_name(call.source_agent),
        parent=parent,
        bad_parent=parent is None and named is not None,
        success=call.success if isinstance(call.success, bool) else None,
        duration_ms=_duration(call.duration_ms),
        time_ms=_time(call.timestamp, metadata),
        prompt="" if prompt is None else _prompt_key(prompt),
        returns=_returns(whole.result) if whole is not None and kind.agent else (),
        root_event_id=_name(metadata.root_event_id),
        event_id=_name(metadata.event_id),
        causation_id=_name(metadata.causation_id),
        synthesized=kind is Kind.PROMPT and prompt == SYNTHESIZED_PROMPT,
        blobs=() if whole is None else _blobs(whole),
        schema=_name(line.schema_version),
        digest=_digest(line.entry_hash, raw),
        offset=offset,
        length=len(raw),
    )


_NO_METADATA = _Metadata()


def _fault(seq: object, tool: object, event_type: object, line: _Line) -> str:
    """Why a record cannot be an event; empty when it can."""
    if type(seq) is int:
        if not INT64_MIN <= seq <= INT64_MAX:
            return "seq_id is larger than 64 bits hold"
        if line.event is None and tool is None and event_type is None:
            return "not an event: it names neither a tool nor an event type"
        return ""
    if seq is UNSET:
        return "not an event: seq_id is missing"
    return f"seq_id is not an integer but a JSON {_json_type(seq)}"


def _name(value: object) -> str:
    return value if isinstance(value, str) else ""


def _needs_body(raw: bytes, refs: object, more_refs: object) -> bool:
    """A cheap test whether a record can name seqs in its result, or blobs."""
    return bool(refs) or bool(more_refs) or b"root_seq" in raw or b"sha256" in raw or b'"_ref"' in raw


def _digest(entry_hash: object, raw: bytes) -> int:
    content = raw
    if isinstance(entry_hash, str) and entry_hash:
        if _HASH.fullmatch(entry_hash):
            return int(entry_hash[:16], 16) & _MASK63
        content = entry_hash.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big") & _MASK63


def _duration(found: object) -> float | None:
    if type(found) is not int and type(found) is not float:
        return None
    try:
        milliseconds = float(found)
    except OverflowError:
        return None
    return milliseconds if math.isfinite(milliseconds) and milliseconds >= 0 else None


def _time(timestamp: object, metadata: _Metadata) -> int | None:
    """Milliseconds since the epoch: the timestamp, else the clock of whoever emitted the event. Names that
    only the specification knows (SPEC §1.2.3) come last."""
    if timestamp is not None and (found := _instant(timestamp)) is not None:
        return found
    emitted_at = metadata.emitted_at
    physical = emitted_at.get("physical") if isinstance(emitted_at, dict) else None
    for clock in (physical, metadata.hlc_physical):
        if type(clock) is int and 0 < clock <= _LAST_MS:
            return clock
    return _instant(metadata.recorded_at)


def _instant(timestamp: object) -> int | None:
    if not isinstance(timestamp, str) or len(timestamp) >= 64:
        return None
    try:
        when = datetime.fromisoformat(timestamp)
        since = (when if when.tzinfo else when.replace(tzinfo=UTC)) - _EPOCH
    except (ValueError, OverflowError):
        return None
    milliseconds = since // _MILLISECOND
    return milliseconds if 0 <= milliseconds <= _LAST_MS else None


def _prompt_key(prompt: object) -> str:
    """See `Event.prompt`."""
    if isinstance(prompt, str):
        return f"text:{_shortened(prompt)}" if prompt else ""
    digest = _blob_name(prompt.get("_ref")) if isinstance(prompt, dict) else ""
    return f"ref:{digest}" if digest else ""


def _shortened(prompt: str) -> str:
    """A long prompt by its beginning and a digest: keys stay small, and equal for equal prompts only."""
    if len(prompt) <= _LONG_PROMPT:
        return prompt
    whole = blake2b(prompt.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{prompt[: _LONG_PROMPT // 2]}…{len(prompt)}:{whole}"


def _returns(result: object) -> tuple[int, ...]:
    """The seqs under the return keys of `result`, at most four levels down (CAUSALITY §5 step 2)."""
    seqs: list[int] = []
    level = [result]
    for _ in range(_RETURN_LEVELS):
        below: list[object] = []
        for value in level:
            if isinstance(value, dict):
                for key, member in value.items():
                    if key in _RETURN_KEYS:
                        seqs.extend(_integers(member))
                    below.append(member)
            elif isinstance(value, list):
                below.extend(value)
        level = [value for value in below if isinstance(value, dict | list)]
    return tuple(dict.fromkeys(seqs))


def _integers(found: object) -> Iterator[int]:
    for value in found if isinstance(found, list) else (found,):
        if type(value) is int and INT64_MIN <= value <= INT64_MAX:
            yield value


def _blobs(whole: Body) -> tuple[str, ...]:
    """The digests that a record names: where the key says so in args and result, anywhere in payload_refs."""
    named = [
        text
        for part in (whole.args, whole.result)
        for key, text in _texts(part)
        if key == "_ref" or key.endswith("sha256")
    ]
    for refs in (whole.payload_refs, whole.metadata.get("payload_refs")):
        named += [text for _, text in _texts(refs)]
    return tuple(dict.fromkeys(filter(None, map(_blob_name, named))))


def _texts(value: object) -> Iterator[tuple[str, str]]:
    """All strings in a JSON value with the key they stand under, in document order."""
    stack: list[tuple[str, object]] = [("", value)]
    while stack:
        key, found = stack.pop()
        if isinstance(found, str):
            yield key, found
        elif isinstance(found, dict):
            stack.extend(reversed(found.items()))
        elif isinstance(found, list):
            stack.extend((key, member) for member in reversed(found))


def _blob_name(text: object) -> str:
    """The 64 lower-case hex digits in `text`, with or without `sha256:` in front; empty without."""
    match = _DIGEST.fullmatch(text) if isinstance(text, str) else None
    return match[1] if match else ""
