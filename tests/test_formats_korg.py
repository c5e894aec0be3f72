"""Records of every shape become the same skeleton (CAUSALITY §1, LEDGERS Event shapes)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import builders
from korg_tui.event import SYNTHESIZED_PROMPT, Event, Kind, Malformed
from korg_tui.formats import body, decode

SHA = "ab" * 32
OTHER_SHA = "cd" * 32


def flat(**fields: Any) -> dict[str, Any]:
    return {"seq_id": 4, "source_agent": "agent:a@1", "tool_name": "Read", "args": {}, "result": {}, **fields}


def nested(metadata: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    return {
        "schema_version": "1.0",
        "seq_id": 4,
        "metadata": metadata or {},
        "event": {"event_type": "AgentToolCall", "tool_name": "Read", "args": {}, "result": {}, **fields},
    }


def read(record: Any, offset: int = 0) -> Event:
    event = decode(raw(record), offset)
    assert isinstance(event, Event), event
    return event


def refused(record: Any) -> str:
    found = decode(raw(record), 70)
    assert isinstance(found, Malformed)
    assert (found.offset, found.length) == (70, len(raw(record)))
    return found.reason


def raw(record: Any) -> bytes:
    return record if isinstance(record, bytes) else json.dumps(record).encode()


def test_every_shape_of_an_event_gives_the_same_skeleton():
    book = builders.Book()
    ask = book.prompt("fix it", by="human:dusk")
    book.tool("Bash", ask, success=False, duration_ms=12.5)
    for dialect in (book.nested(), book.flat()):
        first, second = (read(line) for line in dialect.split(b"\n")[:-1])
        assert (first.seq, first.kind, first.actor, first.parent) == (1, Kind.PROMPT, "human:dusk", None)
        assert first.prompt == "text:fix it"
        assert (second.seq, second.kind, second.tool, second.parent) == (2, Kind.TOOL, "Bash", 1)
        assert (second.success, second.duration_ms, second.schema) == (False, 12.5, "1.0")


def test_the_nested_shape_carries_time_and_the_root_of_its_window():
    found = nested(
        {"event_id": "e", "root_event_id": "r", "triggered_by": 2},
        timestamp="2026-03-02T14:00:00.123456789Z",
    )
    event = read(found)
    assert (event.root_event_id, event.parent) == ("r", 2)
    assert event.time_ms == 1_772_460_000_123


def test_the_legacy_shape_has_seq():
    event = read(
        {"seq": 9, "source_agent": "agent:x", "tool_name": "llm_inference", "args": {}, "triggered_by": 8}
    )
    assert (event.seq, event.kind, event.parent) == (9, Kind.INFERENCE, 8)


def test_offset_and_length_are_those_of_the_record():
    event = read(flat(), offset=1234)
    assert (event.offset, event.length) == (1234, len(raw(flat())))


@pytest.mark.parametrize(
    ("record", "kind", "tool"),
    [
        (flat(tool_name="user_prompt"), Kind.PROMPT, "user_prompt"),
        (flat(tool_name="Task"), Kind.SPAWN, "Task"),
        (flat(tool_name="stall.verdict"), Kind.BOOKKEEPING, "stall.verdict"),
        (nested(event_type="LeaseAcquired", tool_name=None), Kind.GOVERNANCE, "LeaseAcquired"),
        (nested(event_type="LeaseAcquired", tool_name="Read"), Kind.GOVERNANCE, "LeaseAcquired"),
        ({"seq_id": 1, "event_type": "NeverHeardOf", "x": 1}, Kind.GOVERNANCE, "NeverHeardOf"),
        ({"seq_id": 1, "event": {}}, Kind.GOVERNANCE, ""),
        (flat(tool_name=7), Kind.GOVERNANCE, ""),
        (flat(event_type=None), Kind.TOOL, "Read"),
    ],
)
def test_an_agent_event_has_a_tool_and_anything_else_is_governance(record, kind, tool):
    event = read(record)
    assert (event.kind, event.tool) == (kind, tool)


@pytest.mark.parametrize(
    ("pointer", "parent", "bad"),
    [
        ({"triggered_by": 3}, 3, False),
        ({"triggered_by": None}, None, False),
        ({}, None, False),
        ({"triggered_by": True}, None, True),
        ({"triggered_by": 3.0}, None, True),
        ({"triggered_by": "2"}, None, True),
        ({"triggered_by": [2]}, None, True),
        ({"triggered_by": {"seq": 2}}, None, True),
        ({"triggered_by": 2**64}, 2**63 - 1, False),
        ({"triggered_by": -(2**70)}, -(2**63), False),
    ],
)
def test_a_parent_is_an_integer_or_nothing_or_bad(pointer, parent, bad):
    for record in (flat(**pointer), nested(pointer)):
        event = read(record)
        assert (event.parent, event.bad_parent) == (parent, bad)


def test_the_top_level_pointer_wins_even_when_it_is_null():
    assert read({**nested({"triggered_by": 2}), "triggered_by": 3}).parent == 3
    assert read({**nested({"triggered_by": 2}), "triggered_by": None}).parent is None


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"tool_name": "Read"}, "seq_id is missing"),
        (flat(seq_id="4"), "not an integer but a JSON string"),
        (flat(seq_id=True), "not an integer but a JSON boolean"),
        (flat(seq_id=4.0), "not an integer but a JSON number"),
        (flat(seq_id=None), "not an integer but a JSON null"),
        (flat(seq_id=2**63), "larger than 64 bits"),
        ({"seq_id": 7, "entry_hash": "0" * 64}, "neither a tool nor an event type"),
        (b"[1, 2]", "a JSON list"),
        (b'"text"', "a JSON string"),
        (b'{"seq_id": 1, "tool', "not JSON"),
        (b"\x00\x01", "not JSON"),
        (b'{"seq_id": 1, "tool_name": "x", "args": ' + b"[" * 5000 + b"]" * 5000 + b"}", "nested too deep"),
        (b"[" * 100_000, "nested too deep"),
    ],
)
def test_what_is_no_event_says_why(record, words):
    assert words in refused(record)


def test_the_largest_seqs_are_events():
    assert read(flat(seq_id=2**63 - 1)).seq == 2**63 - 1
    assert read(flat(seq_id=0)).seq == 0


@pytest.mark.parametrize(
    "odd",
    [
        b"NaN",
        b"1e400",
        b"-Infinity",
        b"18446744073709551616",
        b'"\\ud800"',
        b"9" * 5000,
        b'"caf\xe9"',
        b"0.1e-999",
    ],
)
def test_what_only_patient_parsers_take_is_an_event_with_a_body(odd):
    line = b'{"seq_id": 3, "tool_name": "Read", "duration_ms": 5, "args": {"odd": ' + odd + b', "k": 1}}'
    assert read(line).duration_ms == 5
    found = body(line)
    assert found is not None
    assert found.args["k"] == 1


def test_integers_of_any_size_stay_exact():
    assert body(b'{"args": {"n": 18446744073709551617}}').args["n"] == 18446744073709551617


def test_invalid_utf_8_is_visible():
    event = read(b'{"seq_id": 3, "tool_name": "Re\xffad"}')
    assert event.tool == "Re\ufffdad"


def test_values_of_the_wrong_type_are_unknown_not_fatal():
    event = read(
        {
            "seq_id": 3,
            "schema_version": 1,
            "metadata": [1],
            "event": {"tool_name": "Read", "source_agent": 5, "args": "text", "success": "yes",
                      "duration_ms": "12", "payload_refs": 7, "timestamp": 12, "result": [[]]},
            "entry_hash": 5,
        }
    )  # fmt: skip
    assert (event.tool, event.actor, event.success, event.duration_ms) == ("Read", "", None, None)
    assert (event.time_ms, event.schema, event.prompt) == (None, "", "")


@pytest.mark.parametrize(
    ("found", "expected"),
    [(0, 0.0), (1.5, 1.5), (-1, None), (True, None), (None, None), (10**400, None)],
)
def test_a_duration_is_a_number_of_milliseconds_that_is_not_negative(found, expected):
    assert read(flat(duration_ms=found)).duration_ms == expected


@pytest.mark.parametrize(
    ("timestamp", "emitted_at", "expected"),
    [
        ("2026-03-02T14:00:00Z", None, 1_772_460_000_000),
        ("2026-03-02T16:00:00+02:00", None, 1_772_460_000_000),
        ("2026-03-02T14:00:00", None, 1_772_460_000_000),
        ("yesterday", {"physical": 77, "logical": 0}, 77),
        (None, {"physical": 1_772_460_000_000}, 1_772_460_000_000),
        (None, {"physical": True}, None),
        (None, {"physical": 10**30}, None),
        (None, {"physical": -5}, None),
        (None, [1], None),
        ("0001-01-01T00:00:00+23:00", None, None),
        ("9999-12-31T23:59:59-23:00", None, None),
        ("2026-03-02T14:00:00Z" + " " * 100, None, None),
    ],
)
def test_time_is_the_timestamp_else_the_clock_else_unknown(timestamp, emitted_at, expected):
    metadata = {} if emitted_at is None else {"emitted_at": emitted_at}
    fields = {} if timestamp is None else {"timestamp": timestamp}
    assert read(nested(metadata, **fields)).time_ms == expected


def test_the_times_that_only_the_specification_names():
    assert read(nested({"recorded_at": "1970-01-01T00:00:01Z"})).time_ms == 1000
    assert read(nested({"hlc_physical": 77})).time_ms == 77


def test_prompts_have_keys_that_are_equal_for_equal_prompts_only():
    long = "word " * 1000
    assert read(flat(args={"prompt": "look"})).prompt == "text:look"
    assert read(flat(args={"prompt": {"_ref": f"sha256:{SHA}"}})).prompt == f"ref:{SHA}"
    assert read(flat(args={"prompt": {"_ref": SHA}})).prompt == f"ref:{SHA}"
    assert read(flat(args={"prompt": f"sha256:{SHA}"})).prompt == f"text:sha256:{SHA}"
    for nothing in ("", None, 5, [], {}, {"_ref": "sha256:nothing"}, {"_ref": 5}):
        assert read(flat(args={"prompt": nothing})).prompt == ""
    assert read(flat(args={"_ref": f"sha256:{SHA}"})).prompt == ""
    assert read(flat(args={"prompt": long})).prompt == read(nested(args={"prompt": long})).prompt
    assert read(flat(args={"prompt": long})).prompt != read(flat(args={"prompt": long + "x"})).prompt
    assert len(read(flat(args={"prompt": long})).prompt) < 1100
    assert read(nested(event_type="LeaseAcquired", args={"prompt": "look"})).prompt == ""


def test_a_synthesized_root_is_known_by_its_text():
    assert read(flat(tool_name="user_prompt", args={"prompt": SYNTHESIZED_PROMPT})).synthesized
    assert not read(flat(tool_name="Agent", args={"prompt": SYNTHESIZED_PROMPT})).synthesized
    assert not read(flat(tool_name="user_prompt", args={"prompt": "x"})).synthesized


@pytest.mark.parametrize(
    ("result", "seqs"),
    [
        ({"root_seq": 5}, (5,)),
        ({"child_root_seq": 5, "root_seq": 6}, (5, 6)),
        ({"child_root_seqs": [5, 6, 5]}, (5, 6)),
        ({"a": {"b": {"c": {"root_seq": 5}}}}, (5,)),
        ({"a": {"b": {"c": {"d": {"root_seq": 5}}}}}, ()),
        ({"a": [{"root_seq": 5}]}, (5,)),
        ({"a": [[{"root_seq": 5}]]}, (5,)),
        ({"a": [[[{"root_seq": 5}]]]}, ()),
        ([{"root_seq": 5}], (5,)),
        ({"root_seq": True}, ()),
        ({"root_seq": 5.0}, ()),
        ({"root_seq": "5"}, ()),
        ({"child_root_seqs": [True, "5", 2**64, 7]}, (7,)),
        ("root_seq", ()),
    ],
)
def test_a_result_names_the_seqs_of_what_it_returns_from(result, seqs):
    assert read(flat(result=result)).returns == seqs
    assert read(flat(args=result)).returns == ()


def test_blobs_are_named_in_refs_at_any_depth_and_under_digest_keys():
    event = read(
        flat(
            args={"deep": [{"x": {"_ref": f"sha256:{OTHER_SHA}", "size_bytes": 1}}], "note": "ef" * 32},
            result={"original_sha256": SHA, "_ref": "sha256:UPPER", "sha256": "12"},
            payload_refs=[
                {"sha256": SHA, "size_bytes": 3},
                {"sha256": "01" * 32},
                "sha256:" + "02" * 32,
                "03" * 32,
            ],
        )
    )
    assert event.blobs == (OTHER_SHA, SHA, "01" * 32, "02" * 32, "03" * 32)


def test_a_blob_can_stand_for_the_whole_of_args():
    assert read(flat(args={"_ref": SHA})).blobs == (SHA,)
    assert read(nested({"payload_refs": [{"sha256": SHA}]})).blobs == (SHA,)


def test_refs_deeper_than_python_recurses_do_no_harm():
    deep: Any = {"_ref": f"sha256:{SHA}"}
    for _ in range(150):
        deep = [deep]
    assert read(flat(args={"x": deep})).blobs == (SHA,)


def test_the_digest_is_that_of_the_entry_hash_else_of_the_bytes():
    hashed = flat(entry_hash="12" * 32)
    assert read(hashed).digest == read({**hashed, "note": "other bytes"}).digest
    assert read(hashed).digest != read(flat(entry_hash="13" * 32)).digest
    assert read(flat()).digest == read(flat()).digest
    assert read(flat()).digest != read(flat(note=1)).digest
    assert read(flat(entry_hash="")).digest != read(flat(entry_hash="", note=1)).digest
    for record in (hashed, flat(), flat(entry_hash="short"), flat(entry_hash="\ud800")):
        assert 0 <= read(record).digest < 2**63


def test_a_body_has_everything_as_found():
    record = {
        **nested({"tier": "Telemetry"}, args={"a": 1}, result="Success", payload_refs=[{"sha256": SHA}]),
        "new": [1],
    }
    found = body(raw(record))
    assert found is not None
    assert (found.args, found.result, found.payload_refs) == ({"a": 1}, "Success", [{"sha256": SHA}])
    assert found.metadata == {"tier": "Telemetry"}
    assert found.record == record


def test_a_body_of_the_flat_shape_has_no_metadata():
    found = body(raw(flat(args={"_ref": SHA}, payload_refs="none")))
    assert found is not None
    assert (found.args, found.payload_refs, found.metadata) == ({"_ref": SHA}, [], {})


@pytest.mark.parametrize("line", [b"", b"[1]", b"{", b"\xff", b"[" * 10_000])
def test_what_is_malformed_has_no_body(line):
    assert body(line) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
NAMES = """schema_version seq_id seq metadata event source_agent tool_name args result payload_refs
    success duration_ms triggered_by entry_hash event_type timestamp prompt
    root_seq _ref sha256 emitted_at physical"""
KEYS = st.sampled_from(NAMES.split())
RECORDS = st.recursive(JSON, lambda inner: st.dictionaries(KEYS, inner, max_size=6), max_leaves=10)


@settings(deadline=None)
@given(RECORDS)
def test_no_json_raises(record):
    found = decode(json.dumps(record).encode("utf-8", "surrogatepass"), 0)
    assert isinstance(found, Event | Malformed)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_raise(line):
    assert isinstance(decode(line, 0), Event | Malformed)
    body(line)


@settings(deadline=None)
@given(RECORDS.filter(lambda record: isinstance(record, dict)))
def test_the_patient_way_agrees_with_the_fast_one(record):
    """A NaN in a field that no skeleton looks at sends the same record down the other way."""
    fast = decode(json.dumps({"seq_id": 1, "tool_name": "x", **record, "zz": 0}).encode(), 0)
    slow = decode(json.dumps({"seq_id": 1, "tool_name": "x", **record, "zz": float("nan")}).encode(), 0)
    if isinstance(fast, Event) and isinstance(slow, Event):
        without = {"length", "digest"}
        for name in set(Event.__struct_fields__) - without:
            assert repr(getattr(fast, name)) == repr(getattr(slow, name))
    else:
        assert isinstance(fast, Malformed)
        assert isinstance(slow, Malformed)


@pytest.mark.parametrize(
    ("tool", "result", "agent"),
    [
        ("Agent", {"output": "Done.\nagentId: a1-b_2 (send a message)"}, "a1-b_2"),
        ("Agent", "Done.\nagentId: one\nagentId: two", "two"),
        ("Task", {"deep": [{"text": "agentId: one"}]}, "one"),
        ("Agent", {"output": "subagentId: one"}, ""),
        ("Agent", {"output": "agentId: ../../etc/passwd"}, ""),
        ("Agent", {"output": "agentId: " + "x" * 200}, ""),
        ("Read", {"output": "agentId: one"}, ""),
        ("Agent", None, ""),
    ],
)
def test_a_spawn_call_may_name_the_ledger_of_its_sub_agent(tool: str, result: object, agent: str):
    record = {"seq_id": 1, "tool_name": tool, "source_agent": "a", "args": {}, "result": result}
    event = decode(json.dumps(record).encode(), 0)
    assert isinstance(event, Event) and event.agent == agent
