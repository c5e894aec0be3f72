"""OTLP: a session as a trace that OpenTelemetry's own definitions read."""

from __future__ import annotations

import base64
import copy
import io
import json
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from builders import START_MS, Book
from exporting import SECRET, exported, ledger_of, reading_of, told_book
from korg_tui.export import ExportRefused, Wanted, write_several
from korg_tui.reading import Reading
from korg_tui.views import parse_query

SHARED = Path(__file__).parents[2] / "shared" / "ledgers"


@pytest.fixture
def told(tmp_path: Path) -> Reading:
    return reading_of(tmp_path / "told.jsonl", told_book())


def spans_of(document: Any) -> list[dict[str, Any]]:
    return [span for resource in document["resourceSpans"] for span in resource["scopeSpans"][0]["spans"]]


def with_base64_ids(document: Any) -> Any:
    """OTLP writes ids as hex, where the JSON form of protocol buffers has base64."""
    document = copy.deepcopy(document)
    for span in spans_of(document):
        for each in (span, *span.get("links", ())):
            for name in {"traceId", "spanId", "parentSpanId"} & each.keys():
                each[name] = base64.b64encode(bytes.fromhex(each[name])).decode()
    return document


def parsed(document: Any) -> ExportTraceServiceRequest:
    """The request, once everything that must hold of it was seen to hold."""
    request = ParseDict(with_base64_ids(document), ExportTraceServiceRequest())
    for resource in request.resource_spans:
        spans = {span.span_id: span for scope in resource.scope_spans for span in scope.spans}
        assert len(spans) == sum(len(scope.spans) for scope in resource.scope_spans), "two spans with one id"
        assert sum(not span.parent_span_id for span in spans.values()) == 1, "a trace has one root"
        for span in spans.values():
            assert (len(span.trace_id), len(span.span_id)) == (16, 8)
            assert any(span.trace_id)
            assert span.start_time_unix_nano <= span.end_time_unix_nano
            if span.parent_span_id:
                parent = spans[span.parent_span_id]
                assert parent.start_time_unix_nano <= span.start_time_unix_nano
                assert span.end_time_unix_nano <= parent.end_time_unix_nano
            for link in span.links:
                assert (len(link.trace_id), link.span_id in spans) == (16, True)
    return request


def attributes(span: dict[str, Any]) -> dict[str, Any]:
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


def named(document: Any, name: str) -> dict[str, Any]:
    return next(span for span in spans_of(document) if span["name"] == name)


def test_it_is_a_request_that_opentelemetry_reads(told: Reading) -> None:
    out = exported(told, "otlp")
    assert out.raw.isascii()
    request = parsed(out.json)
    (resource,) = request.resource_spans
    assert len(resource.scope_spans[0].spans) == 1 + 2 + 8
    assert out.said.left_out == ("1 governance event, in no lane",)


def test_lanes_are_agents_and_events_lie_below_their_lane(told: Reading) -> None:
    found = exported(told, "otlp").json
    session, main = named(found, "session 1"), named(found, "invoke_agent main")
    sub = named(found, "invoke_agent sub")
    assert (main["parentSpanId"], sub["parentSpanId"]) == (session["spanId"], main["spanId"])
    assert attributes(sub)["gen_ai.operation.name"] == "invoke_agent"
    read = named(found, "execute_tool Read")
    assert read["parentSpanId"] == sub["spanId"]
    assert (read["startTimeUnixNano"], read["endTimeUnixNano"]) == (
        f"{START_MS + 3_800}000000", f"{START_MS + 4_000}000000",
    )  # fmt: skip


def test_calls_and_inferences_carry_the_conventions_of_generative_ai(told: Reading) -> None:
    found = exported(told, "otlp").json
    chat = attributes(named(found, "chat claude-x"))
    assert chat["gen_ai.operation.name"] == "chat"
    assert (chat["gen_ai.provider.name"], chat["gen_ai.request.model"]) == ("anthropic", "claude-x")
    assert (chat["gen_ai.usage.input_tokens"], chat["gen_ai.usage.output_tokens"]) == ("12", "3")
    bash = named(found, "execute_tool Bash")
    assert attributes(bash)["gen_ai.tool.name"] == "Bash"
    assert attributes(bash)["error.type"] == "_OTHER"
    assert bash["status"]["code"] == 2
    assert named(found, "execute_tool Read")["status"] == {}


def test_what_was_read_and_what_returned_are_links_with_their_certainty(told: Reading) -> None:
    found = exported(told, "otlp").json
    sub, agent = named(found, "invoke_agent sub"), named(found, "execute_tool Agent")
    returned = [attributes(link) | {"span": link["spanId"]} for link in agent["links"]]
    assert {"korg.rule": "2", "korg.certain": True, "korg.basis": "prompt", "korg.from": "lane 2 sub",
            "span": sub["spanId"]} in returned  # fmt: skip
    reader = spans_of(found)[-2]
    assert [attributes(link)["korg.rule"] for link in reader["links"]] == ["1", "2", "4"]


def test_ids_are_the_same_every_time_and_differ_between_sessions(told: Reading, tmp_path: Path) -> None:
    again = reading_of(tmp_path / "told.jsonl")
    assert exported(told, "otlp").raw == exported(again, "otlp").raw
    book = told_book()
    book.infer(book.prompt("another"))
    two = exported(reading_of(tmp_path / "two.jsonl", book), "otlp").json
    assert len({span["traceId"] for span in spans_of(two)}) == 2


def test_a_ledger_without_times_is_refused_with_the_reason(tmp_path: Path) -> None:
    reading = reading_of(tmp_path / "flat.jsonl", told_book().flat())
    with pytest.raises(ExportRefused, match="no session has times, and a trace is made of times; export it"):
        exported(reading, "otlp")
    with pytest.raises(ExportRefused, match=r"session 1 of .* has no times"):
        exported(reading, "otlp", session=0)


def test_what_has_no_time_is_left_out_and_said(tmp_path: Path) -> None:
    book = told_book()
    for record in (book.records[3], book.records[4]):
        del record["event"]["timestamp"]
        del record["metadata"]["emitted_at"]
    out = exported(reading_of(tmp_path / "partly.jsonl", book), "otlp")
    parsed(out.json)
    assert "2 events without a time" in out.said.left_out
    bash = named(out.json, "execute_tool Bash")
    assert bash["links"]


def test_strange_times_and_durations_are_no_trouble(tmp_path: Path) -> None:
    book = Book()
    ask = book.prompt()
    for took in (1e308, -5, 0.25, 2**70):
        book.tool("Bash", ask, duration_ms=took)
    for physical in (-1, 2**62, 0):
        book.tool("Read", ask)
        book.records[-1]["event"]["timestamp"] = None
        book.records[-1]["metadata"]["emitted_at"]["physical"] = physical
    parsed(exported(reading_of(tmp_path / "strange.jsonl", book), "otlp").json)


def test_a_filter_leaves_the_lanes(told: Reading) -> None:
    found = exported(told, "otlp", meant=parse_query("is:failed")).json
    parsed(found)
    assert [span["name"] for span in spans_of(found)][3:] == ["execute_tool Bash"]
    assert spans_of(found)[3]["droppedLinksCount"] == 1


if SHARED.is_dir():

    def test_a_ledger_of_a_real_producer() -> None:
        reading = reading_of(SHARED / "stream-json_parallel" / ".korg" / "capability_journal.json")
        request = parsed(exported(reading, "otlp").json)
        assert len(request.resource_spans) == 2


def test_links_are_redacted_too(tmp_path: Path) -> None:
    book = Book()
    think = book.infer(book.prompt("go"))
    book.infer(book.prompt("look", think, by=f"agent:{SECRET}@1"), by=f"agent:{SECRET}@1")
    agent = book.spawn(think, "look", result={"content": "done"})
    book.infer(agent)
    out = exported(reading_of(tmp_path / "x.jsonl", book), "otlp", redact=True)
    assert SECRET not in out.text
    links = [link for span in spans_of(out.json) for link in span.get("links", ())]
    assert any("[REDACTED]" in str(link["attributes"]) for link in links)


def test_copies_of_a_ledger_are_traces_of_their_own(tmp_path: Path) -> None:
    every = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        reading = reading_of(tmp_path / name / "told.jsonl", told_book())
        every.append(Wanted(reading, ledger_of(reading)))
    ids = []
    for _ in range(2):
        out = io.BytesIO()
        write_several("otlp", every, out)
        ids.append([span["traceId"] for span in spans_of(json.loads(out.getvalue()))])
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 2
    assert ids[0][0] == spans_of(exported(every[1].reading, "otlp").json)[0]["traceId"]
