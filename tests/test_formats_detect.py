"""A container is known by its content, never by its name (LEDGERS, Containers and Detection)."""

from __future__ import annotations

import json

import pytest

import builders
from korg_tui.formats import HEAD, NotALedger, behind, detect, elements, enclosed, is_ledger


def example() -> builders.Book:
    book = builders.Book()
    ask = book.prompt("fix it")
    book.infer(ask)
    return book


LINES = example().nested()
ARRAY = example().array()
EVENTS = json.loads(ARRAY)
ANCHOR = b'{"seq_id": 7, "entry_hash": "00", "anchor_kind": "git-tip", "anchor_proof": {"commit": "00"}}'


@pytest.mark.parametrize(
    ("data", "kind", "start"),
    [
        (LINES, "lines", 0),
        (example().flat(), "lines", 0),
        (LINES.rstrip(b"\n"), "lines", 0),
        (LINES.replace(b"\n", b"\r\n"), "lines", 0),
        (b"\xef\xbb\xbf" + LINES, "lines", 3),
        (b"\n\n  \n" + LINES, "lines", 0),
        (b"// a note\n" + LINES, "lines", 0),
        (b"// total events: 2\n" + LINES, "wire", 0),
        (b"// total events: 0\n", "wire", 0),
        (b'{"seq": 1, "source_agent": "a", "tool_name": "Read"}\n', "lines", 0),
        (b"not JSON\n" + LINES, "lines", 0),
        (b'{"schema_version":"1.0","seq_id":1,"metad', "lines", 0),
        (b'{"schema_version":"1.0","seq_id":1,"metad\n' + LINES, "lines", 0),
        (ARRAY, "array", 1),
        (b"\n  [" + LINES.replace(b"\n", b",") + b"]", "array", 4),
        (b"\xef\xbb\xbf" + ARRAY, "array", 4),
        (b"[]", "array", 1),
        (b"[\n]\n", "array", 1),
        (ARRAY[: len(ARRAY) // 2], "array", 1),
        (b'[{"seq_id": 1, "tool_n', "array", 1),
        (b"[7, " + ARRAY[1:], "array", 1),
        (b"", "empty", 0),
        (b"\xef\xbb\xbf", "empty", 3),
        (b" \n\r\n", "empty", 0),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_containers(data, kind, start):
    container = detect(data)
    assert (container.kind, container.start) == (kind, start)


@pytest.mark.parametrize(
    ("data", "looks"),
    [
        (b"# A README\n\nSome words.\n", "text"),
        (
            b"# A README\n\nAn event looks like this:\n\n" + LINES.split(b"\n")[0] + b"\n\nand so on.\n",
            "text",
        ),
        (b"-----BEGIN PRIVATE KEY-----\nabc\n", "text"),
        (b"\x7fELF\x00\x01\x02" * 30, "binary"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "binary"),
        (b"{}", "JSON"),
        (b"[1, 2, 3]", "JSON"),
        (b'{"type": "LoopStarted", "v": 1}\n' * 3, "JSON"),
        (b'{"events": [{"journal_seq": 3, "event": {"type": "TurnDone"}}], "done": false}', "JSON"),
        (b'{"seq_id": 7, "entry_hash": "00", "anchor_kind": "git-tip"}\n', "JSON"),
        (ANCHOR, "anchors of the ledger beside it"),
        (ANCHOR + b"\n" + ANCHOR, "anchors of the ledger beside it"),
        (ANCHOR + b"\n" + ANCHOR[:30], "anchors of the ledger beside it"),
        (b"[" + ANCHOR + b", " + ANCHOR[:-4], "JSON"),
        (b'{"name": "x", "version": "1.0", "scripts": {"test": "y"}}', "JSON"),
        (b"// a comment in another language\nint main;\n", "text"),
        (b"ab" * 32 + b"\n", "text"),
    ],
)
def test_what_holds_no_event_is_no_ledger(data, looks):
    with pytest.raises(NotALedger, match=looks):
        detect(data)


@pytest.mark.parametrize(
    "wrapper",
    [
        {"schema": "korgcert@v1", "events": EVENTS},
        {"schema": "korgex-receipt@v1", "events": EVENTS, "signature": {"alg": "ed25519"}},
        {"nodes": [1], "active_states": {}, "events": EVENTS},
        {"nodes": [{"events": [5]}], "active_states": {}, "events": []},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_one_object_with_events_is_a_wrapper(wrapper, indent):
    data = json.dumps(wrapper, indent=indent).encode()
    container = detect(data)
    assert container.kind == "wrapper"
    found = elements(data, container.start)
    assert [json.loads(data[at : at + length]) for at, length in found.spans] == wrapper["events"]


def test_a_wrapper_says_what_it_claims():
    wrapper = {
        "schema": "korgcert@v1",
        "claim": "it works",
        "issuer": {"agent": "agent:x", "host": "h"},
        "events": EVENTS,
        "seal": {"alg": "ed25519"},
    }
    assert dict(detect(json.dumps(wrapper, indent=1).encode()).notes) == {
        "schema": "korgcert@v1",
        "claim": "it works",
        "issuer": "agent agent:x, host h",
        "seal": "alg ed25519",
    }


@pytest.mark.parametrize("indent", [None, 2])
def test_what_stands_around_the_events_of_a_wrapper_is_the_wrapper_without_them(indent):
    wrapper = {"claim": "it works", "events": EVENTS, "anchors": [{"events": [1]}], "seal": {"alg": "x"}}
    data = json.dumps(wrapper, indent=indent).encode()
    begun = detect(data[:-200], whole=False)
    container = enclosed(begun, data, elements(data, begun.start).end)
    assert dict(container.notes) == {"claim": "it works", "seal": "alg x"}
    around = b"".join(data[offset : offset + length] for offset, length in container.around)
    assert json.loads(around) == wrapper | {"events": []}


def test_nothing_stands_around_an_array():
    assert enclosed(detect(ARRAY), ARRAY, len(ARRAY)) == detect(ARRAY)


def test_an_event_that_speaks_of_anchors_is_an_event():
    event = {"seq_id": 1, "tool_name": "x", "anchor_kind": "y", "args": {"anchor_proof": {}}}
    data = json.dumps(event).encode()
    assert all(is_ledger(data[:length]) for length in range(40, len(data)))


def test_anchors_longer_than_the_head_are_no_ledger():
    lines = (ANCHOR + b"\n") * (HEAD // len(ANCHOR))
    for length in (64 * 1024, HEAD):
        assert not is_ledger(lines[:length])


def test_a_wire_form_says_how_many_events_there_are_in_all():
    assert ("total", "182") in detect(b"// total events: 182\n" + LINES).notes


def test_a_byte_order_mark_is_noted():
    assert detect(b"\xef\xbb\xbf" + LINES).notes == (("byte-order mark", "present, skipped"),)


def test_an_event_whose_arguments_have_events_is_no_wrapper():
    line = json.dumps({"seq_id": 1, "tool_name": "x", "events": EVENTS}).encode()
    assert detect(line).kind == "lines"


@pytest.mark.parametrize("data", [LINES, ARRAY, b"// total events: 2\n" + LINES])
def test_the_beginning_is_enough(data):
    for length in range(60, len(data), 97):
        assert is_ledger(data[:length])


def test_a_first_record_longer_than_the_head_is_no_hindrance():
    line = json.dumps({"seq_id": 1, "tool_name": "x", "args": {"text": "y" * 2 * HEAD}}).encode()
    assert is_ledger(line[:HEAD])
    assert is_ledger(b"[" + line[:HEAD])
    assert not is_ledger(b"y" * HEAD)


def test_the_last_events_of_a_wrapper_count_however_they_are_written():
    data = b'{"events": [7], "\\u0065vents": ' + ARRAY + b', "events\\u0073": 1}'
    container = detect(data)
    assert container.start == data.index(ARRAY) + 1
    found = enclosed(container, data, elements(data, container.start).end)
    assert [data[at : at + length] for at, length in found.passed] == [b"[7]"]
    assert "2 times" in dict(found.notes)["events"]


def test_events_that_follow_the_events_are_to_be_read_in_their_place():
    data = b'{"events": ' + ARRAY + b', "events": ' + ARRAY + b"}"
    first = detect(data[: len(ARRAY) // 2])
    found = enclosed(first, data, elements(data, first.start).end)
    assert found.start == data.rindex(ARRAY) + 1


@pytest.mark.parametrize(
    ("data", "rest"),
    [
        (ARRAY + b"\n \r\n", None),
        (ARRAY.rstrip(b" \n]"), None),
        (ARRAY + b"\n" + LINES, LINES),
        (b'{"events": ' + ARRAY + b"}\n", None),
        (b'{"events": ' + ARRAY + b"\n", None),
        (b'{"events": ' + ARRAY + b', "seal": {"alg": "ed', None),
        (b'{"events": ' + ARRAY + b', "seal": {' + LINES, b"{" + LINES),
        (b'{"events": ' + ARRAY + b', "done": [{"}": "]"}]}\n}', b"}"),
        (b'{"events": ' + ARRAY + b"}\n" + LINES, LINES),
        (b'{"events": ' + ARRAY + b"\n" + LINES, LINES),
    ],
)
def test_what_stands_behind_the_end(data, rest):
    container = detect(data)
    start = behind(container, data, elements(data, container.start).end)
    assert (None if start < 0 else data[start:]) == rest
