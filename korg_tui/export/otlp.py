"""OTLP JSON: sessions as traces (ExportTraceServiceRequest in the JSON form of OTLP).

A session is a trace: a span for itself, one for each lane (below the lane it was forked from), and below a
lane one for each of its events. What an event read, what returned, and what started a lane are links, with
the rule of SPEC §3 and its certainty. Names and attributes follow OpenTelemetry's conventions for generative
AI; `korg.*` is ours. Arguments and results stay out, but for the one line that a row shows.

Ids come from the content, so that two exports of a ledger agree; copies in one export are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from korg_tui import __version__
from korg_tui.causal import Lane, Pointer, Session, Weave
from korg_tui.event import Kind
from korg_tui.export.documents import to_json
from korg_tui.export.spending import Spent, spent
from korg_tui.export.traces import Interval, Link, Trace, interval_of, links_into, trace_id
from korg_tui.export.wanted import ExportRefused, Sink, Wanted
from korg_tui.formats import body
from korg_tui.sources import BodyGone
from korg_tui.text import visible
from korg_tui.views import argument, label, lane_name, lane_number, lane_title, plural

SCHEMA = "https://opentelemetry.io/schemas/1.37.0"
"""The version of the conventions that are followed."""

LINKS_AT_MOST = 128
"""Links of one span, as OpenTelemetry limits them; how many more there were is said."""

_INTERNAL, _CLIENT = 1, 3
_ERROR = 2
_NAME = 200


def write_otlp(every: Sequence[Wanted], sink: Sink) -> None:
    """Write one request with all sessions that have times. Raises `ExportRefused` when none has."""
    timed = [
        (wanted, session) for wanted in every for session in wanted.sessions if _is_timed(wanted, session)
    ]
    if not timed:
        raise ExportRefused(_why_not(every))
    untimed = sum(len(wanted.sessions) for wanted in every) - len(timed)
    if untimed:
        sink.leave_out(f"{plural(untimed, 'session')} without any time")
    sink.write('{"resourceSpans": [')
    lost, twins = 0, Counter[str]()
    for number, (wanted, session) in enumerate(timed):
        sink.write(",\n" if number else "\n")
        plain = trace_id(wanted.ledger, session)
        trace = Trace(wanted, session, twins[plain])
        twins[plain] += 1
        lost += trace.untimed
        _write_trace(trace, sink)
    sink.write("]}\n")
    if lost:
        sink.leave_out(f"{plural(lost, 'event')} without a time")
    governance = sum(_governance(wanted) for wanted in every)
    if governance:
        sink.leave_out(f"{plural(governance, 'governance event')}, in no lane")


def _governance(wanted: Wanted) -> int:
    return sum(wanted.ledger.kind[row] == Kind.GOVERNANCE for row in wanted.all_rows)


def _why_not(every: Sequence[Wanted]) -> str:
    if len(every) == 1 and every[0].session is not None:
        what = f"session {every[0].session.seq} of {every[0].title} has no times"
    else:
        what = f"{every[0].title if len(every) == 1 else plural(len(every), 'ledger')}: no session has times"
    return f"{what}, and a trace is made of times; export it as json, html or graphml"


def _is_timed(wanted: Wanted, session: Session) -> bool:
    ledger = wanted.ledger
    return any(interval_of(ledger, row) is not None for lane in session.lane_objects() for row in lane.rows)


# writing


def _write_trace(trace: Trace, sink: Sink) -> None:
    resource = {"attributes": _attributes({"service.name": "korg", "korg.ledger": trace.wanted.title})}
    scope = {"name": "korg-tui", "version": __version__}
    sink.write(f'{{"resource": {to_json(resource)}, "schemaUrl": {to_json(SCHEMA)}, "scopeSpans": [')
    sink.write(f'{{"scope": {to_json(scope)}, "schemaUrl": {to_json(SCHEMA)}, "spans": [')
    for number, span in enumerate(_spans(trace, sink)):
        sink.write((",\n" if number else "\n") + to_json(span))
    sink.write("]}]}")


def _spans(trace: Trace, sink: Sink) -> Iterator[dict[str, Any]]:
    yield _session_span(trace)
    woven = trace.woven()
    for lane in trace.in_order:
        if lane.key in trace.lanes:
            yield _lane_span(trace, lane, woven)
    sink.expect(len(trace.events))
    for row in sorted(trace.events):
        sink.step()
        sink.events += 1
        yield _event_span(trace, row, woven)


def _span(
    trace: Trace, what: str, name: str, interval: Interval, attributes: dict[str, Any], kind: int = _INTERNAL
) -> dict[str, Any]:
    begun, ended = interval
    return {
        "traceId": trace.id,
        "spanId": what,
        "name": visible(name, _NAME),
        "kind": kind,
        "startTimeUnixNano": str(begun),
        "endTimeUnixNano": str(ended),
        "attributes": _attributes(attributes),
        "status": {},
    }


def _session_span(trace: Trace) -> dict[str, Any]:
    session, wanted = trace.session, trace.wanted
    attributes = {
        "gen_ai.conversation.id": trace.id,
        "korg.session": session.seq,
        "korg.session.status": session.status,
        "korg.session.events": session.total_events,
        "korg.session.failed": session.failed,
        "korg.session.dead_pointers": session.dead_pointers,
        "korg.session.agents": [wanted.safe(agent) for agent in session.agents[:LINKS_AT_MOST]],
    }
    return _span(trace, trace.span_id("session"), f"session {session.seq}", trace.interval, attributes)


def _lane_span(trace: Trace, lane: Lane, woven: Weave) -> dict[str, Any]:
    wanted, ledger = trace.wanted, trace.wanted.ledger
    name = wanted.safe(lane_name(lane))
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": name,
        "gen_ai.agent.id": wanted.safe(lane.actor) if lane.actor else None,
        "gen_ai.conversation.id": trace.id,
        "korg.lane": lane_number(lane),
        "korg.pointer": None if lane.above is not None else ledger.pointer_at(lane.opener).word,
    }
    span = _span(trace, trace.lane_span(lane), f"invoke_agent {name}", trace.lanes[lane.key], attributes)
    span["parentSpanId"] = trace.span_id("session") if lane.above is None else trace.lane_span(lane.above)
    started = [
        Link(link.call, None, 3, link.certain, link.basis)
        for link in woven.lane_links(lane)
        if link.call < lane.opener
    ]
    return _linked(trace, span, started)


def _event_span(trace: Trace, row: int, woven: Weave) -> dict[str, Any]:
    wanted, ledger = trace.wanted, trace.wanted.ledger
    kind = ledger.kind_at(row)
    lane = ledger.lane_at(row)
    assert lane is not None, "agent events are in lanes"
    found = _spent(wanted, row)
    tool = wanted.safe(ledger.tool_at(row))
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": _operation(kind),
        "gen_ai.agent.name": wanted.safe(lane_name(lane)),
        "korg.seq": label(ledger, ledger.seq[row]),
        "korg.kind": kind.word,
        "korg.lane": lane_number(lane),
        "korg.argument": wanted.redactor.text(found.argument) or None,
    }
    if kind is Kind.INFERENCE:
        attributes |= {
            "gen_ai.provider.name": found.provider,
            "gen_ai.request.model": wanted.safe(found.model) if found.model else None,
            "gen_ai.usage.input_tokens": found.tokens_in,
            "gen_ai.usage.output_tokens": found.tokens_out,
        }
    elif kind in (Kind.TOOL, Kind.SPAWN):
        call = wanted.safe(found.call) if found.call else None
        attributes |= {"gen_ai.tool.name": tool, "gen_ai.tool.type": "function", "gen_ai.tool.call.id": call}
    else:
        attributes["korg.tool"] = tool
    if ledger.pointer_at(row) is not Pointer.OK:
        attributes["korg.pointer"] = ledger.pointer_at(row).word
    failed = ledger.success_at(row) is False
    if failed:
        attributes["error.type"] = "_OTHER"
    name = " ".join(filter(None, (_operation(kind), _named(kind, tool, attributes))))
    of = _CLIENT if kind is Kind.INFERENCE else _INTERNAL
    span = _span(trace, trace.event_span(row), name, trace.events[row], attributes, kind=of)
    span["parentSpanId"] = trace.lane_span(lane)
    if failed:
        span["status"] = {"code": _ERROR, "message": "the ledger records a failure"}
    return _linked(trace, span, list(links_into(ledger, row, woven)))


def _operation(kind: Kind) -> str | None:
    if kind is Kind.INFERENCE:
        return "chat"
    return "execute_tool" if kind in (Kind.TOOL, Kind.SPAWN) else None


def _named(kind: Kind, tool: str, attributes: dict[str, Any]) -> str:
    return attributes["gen_ai.request.model"] or "" if kind is Kind.INFERENCE else tool


def _spent(wanted: Wanted, row: int) -> Spent:
    ledger = wanted.ledger
    try:
        found = body(wanted.raw(row))
    except (BodyGone, OSError):
        found = None
    if found is None:
        return Spent()
    return spent(found, argument(ledger.tool_at(row), found, ledger.kind_at(row)))


def _linked(trace: Trace, span: dict[str, Any], found: Sequence[Link]) -> dict[str, Any]:
    links = [made for each in found if (made := _link(trace, each)) is not None]
    if links:
        span["links"] = links[:LINKS_AT_MOST]
    if len(found) > len(span.get("links", ())):
        span["droppedLinksCount"] = len(found) - len(span.get("links", ()))
    return span


def _link(trace: Trace, link: Link) -> dict[str, Any] | None:
    """None where what it comes from is no span."""
    ledger = trace.wanted.ledger
    home = ledger.session_at(link.row)
    if home is not trace.session:
        return None
    if link.lane is None and link.row not in trace.events:
        return None
    if link.lane is not None and link.lane.key not in trace.lanes:
        return None
    attributes: dict[str, Any] = {
        "korg.rule": link.rule,
        "korg.certain": link.certain,
        "korg.basis": link.basis or None,
        "korg.from": trace.wanted.safe(
            label(ledger, ledger.seq[link.row]) if link.lane is None else lane_title(link.lane)
        ),
    }
    what = trace.event_span(link.row) if link.lane is None else trace.lane_span(link.lane)
    return {"traceId": trace.id, "spanId": what, "attributes": _attributes(attributes)}


# values


def _attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in values.items() if value is not None]


def _value(value: Any) -> dict[str, Any]:
    """64-bit integers are strings in the JSON form of protocol buffers."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(each) for each in value]}}
    return {"stringValue": str(value)}
