"""Korg events in their three shapes: nested, flat, and legacy (LEDGERS.md, Event shapes; CAUSALITY §1)."""

from __future__ import annotations

from itertools import chain
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Raw

from korg_tui.event import DEFAULT_KINDS, SYNTHESIZED_PROMPT, Event, Kind, KindTable, Malformed
from korg_tui.formats.fields import (
    INT64_MAX,
    INT64_MIN,
    clock,
    digest,
    duration,
    instant,
    named_blobs,
    prompt_key,
    returned_seqs,
    sub_agent,
)
from korg_tui.formats.parse import Unreadable, loads, too_deep

_S = TypeVar("_S", bound=msgspec.Struct)


class Body(msgspec.Struct):
    """One record, decoded whole: what the skeleton leaves on disk. `record` is everything as found,
    unknown fields too; the other fields are views into it, empty where it has none."""

    args: Any
    result: Any
    payload_refs: list[Any]
    metadata: dict[str, Any]
    record: dict[str, Any]


_NOTHING = Raw(b"null")


class _Metadata(msgspec.Struct):
    triggered_by: Any = None
    root_event_id: Any = None
    emitted_at: Any = None
    recorded_at: Any = None
    hlc_physical: Any = None
    payload_refs: Any = None


class _Call(msgspec.Struct):
    event_type: Any = None
    source_agent: Any = None
    tool_name: Any = None
    args: Raw = _NOTHING
    result: Raw = _NOTHING
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
        try:
            record = loads(raw)
        except Unreadable as error:
            return Malformed(offset=offset, length=len(raw), reason=str(error))
        if not isinstance(record, dict):
            return Malformed(offset=offset, length=len(raw), reason=_no_object(record))
        line = _line_of_any(record)
    return _event(line, raw, offset, kinds)


def may_hold_event(raw: bytes) -> bool:
    """A quick look whether there can be an event anywhere in `raw`: each names its seq."""
    return b'"seq' in raw or b"\\u" in raw


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
    return _no_object(value)


def _no_object(value: object) -> str:
    return f"not an event: a JSON {_json_type(value)} where an object belongs"


def _json_type(value: object) -> str:
    for kind, name in ((bool, "boolean"), (int | float, "number"), (str, "string"), (list, "list")):
        if isinstance(value, kind):
            return name
    return "null"


def _line_of_any(record: dict[str, Any]) -> _Line:
    """The fields of a record that the typed decoder refuses, with values left as they are."""
    line = _filled(_Line, record) or _Line()
    line.metadata = _filled(_Metadata, record.get("metadata"))
    line.event = _filled(_Call, record.get("event"))
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
    agent = isinstance(tool, str) and (event_type is None or event_type == "AgentToolCall")
    if agent:
        kind = kinds[tool]
    else:
        kind, tool = Kind.GOVERNANCE, _name(event_type) or _name(tool)
    metadata = line.metadata or _NO_METADATA
    named = line.triggered_by if line.triggered_by is not UNSET else metadata.triggered_by
    parent = _clamped(named) if type(named) is int else None
    prompt = _prompt(call.args) if agent else None
    whole = body(raw) if _needs_body(call, metadata) else None
    return Event(
        seq=seq,
        kind=kind,
        tool=tool,
        actor=_name(call.source_agent),
        parent=parent,
        bad_parent=parent is None and named is not None,
        success=call.success if isinstance(call.success, bool) else None,
        duration_ms=duration(call.duration_ms),
        time_ms=_time(call.timestamp, metadata),
        prompt="" if prompt is None else prompt_key(prompt),
        returns=returned_seqs(whole.result) if whole is not None and agent else (),
        agent=sub_agent(_bytes(call.result)) if kind is Kind.SPAWN else "",
        root_event_id=_name(metadata.root_event_id),
        synthesized=kind is Kind.PROMPT and prompt == SYNTHESIZED_PROMPT,
        blobs=() if whole is None else _blobs(whole),
        schema=_name(line.schema_version),
        digest=digest(line.entry_hash, raw),
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


def _clamped(seq: int) -> int:
    return seq if INT64_MIN <= seq <= INT64_MAX else INT64_MAX if seq > 0 else INT64_MIN


def _bytes(part: object) -> bytes:
    """A member as it stands in the record; empty when a patient reading has decoded it."""
    return bytes(part) if isinstance(part, Raw) else b""


def _needs_body(call: _Call, metadata: _Metadata) -> bool:
    """A cheap test whether a record can name seqs in its result, or blobs."""
    if call.payload_refs or metadata.payload_refs or not (type(call.args) is type(call.result) is Raw):
        return True
    parts = bytes(call.args) + bytes(call.result)
    return b"root_seq" in parts or b"sha256" in parts or b'"_ref"' in parts


def _prompt(args: object) -> object:
    """`args.prompt`; the typed decoder leaves args as they are, and few have one."""
    if isinstance(args, Raw):
        part = bytes(args)
        if b'"prompt"' not in part:
            return None
        try:
            args = loads(part)
        except Unreadable:
            return None
    return args.get("prompt") if isinstance(args, dict) else None


def _time(timestamp: object, metadata: _Metadata) -> int | None:
    """Milliseconds since the epoch: the timestamp, else the clock of whoever emitted the event. Names that
    only the specification knows (SPEC §1.2.3) come last."""
    if timestamp is not None and (found := instant(timestamp)) is not None:
        return found
    emitted_at = metadata.emitted_at
    physical = emitted_at.get("physical") if isinstance(emitted_at, dict) else None
    return clock(physical) or clock(metadata.hlc_physical) or instant(metadata.recorded_at)


def _blobs(whole: Body) -> tuple[str, ...]:
    """The digests that a record names, in order of first mention."""
    parts = (whole.args, whole.result)
    refs = (whole.payload_refs, whole.metadata.get("payload_refs"))
    named = [named_blobs(part, anywhere=False) for part in parts]
    named += [named_blobs(part, anywhere=True) for part in refs]
    return tuple(dict.fromkeys(chain.from_iterable(named)))
