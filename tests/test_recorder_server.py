"""The server, asked over plain HTTP with nothing but what LEDGERS.md and SPEC §1.2 say of the wire."""

from __future__ import annotations

import contextlib
import errno
import gzip
import hashlib
import json
import logging
import os
import queue
import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders import canonical
from korg_tui.causal import Journal
from korg_tui.event import Event
from korg_tui.recorder.server import guard, listening
from korg_tui.recorder.store import Store
from korg_tui.recorder.store.calls import Call
from korg_tui.recorder.store.disk import DiskFile
from korg_tui.recorder.store.opening import look_through
from korg_tui.sources import FileSource, Grew
from korg_tui.sources.http.source import HttpSource
from recording import DEADLINE, Answer, Recording, ask, call, recording

LONG = "x" * 3000
SECRET = "ghp_" + "a1B2" * 9


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def grown(folder: Path, events: int, **more: Any) -> Store:
    """A store with a root, 1, and everything else below it."""
    store = Store(folder)
    fields: dict[str, Any] = {"args": {}, "result": {}, "success": True, "duration_ms": 1, **more}
    root = Call(actor="human:dusk", tool="user_prompt", triggered_by=None, **fields)
    below = Call(actor="agent:test@1", tool="Read", triggered_by=1, **fields)
    store.append([root, *[below] * (events - 1)])
    return store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".korg"


@pytest.fixture
def server(folder: Path) -> Iterator[Recording]:
    with recording(folder) as server:
        yield server


# --- posting


@pytest.mark.parametrize("path", ["/api/agent/tool-call", "/api/agent_tool_call"])
def test_a_post_is_answered_with_its_seq(server: Recording, path: str) -> None:
    first = server.ask("POST", path, call("user_prompt", args={"prompt": "go"}))
    assert (first.status, first.json()) == (200, {"seq_id": 1})
    body = call("Read", 1)
    del body["event_type"], body["payload_refs"]
    assert server.ask("POST", path, body).json() == {"seq_id": 2}
    root, read = server.get("/api/journal").lines()
    assert root["event"]["args"] == {"prompt": "go"}
    assert "triggered_by" in root["metadata"]
    assert read["metadata"]["triggered_by"] == 1
    assert read["metadata"]["causation_id"] == root["metadata"]["event_id"]


def test_what_may_be_left_out_and_what_may_be_null(server: Recording) -> None:
    body = call("user_prompt")
    del body["triggered_by"], body["payload_refs"], body["event_type"]
    assert server.post(body).status == 200
    assert server.post(body | {"triggered_by": None, "payload_refs": None, "event_type": None}).status == 200
    assert server.post(body | {"result": "Success"}).status == 200
    assert [each["event"]["result"] for each in server.ledger()] == [{}, {}, "Success"]


def test_fields_that_the_server_assigns_are_passed_over(server: Recording) -> None:
    assigned = {
        "schema_version": "9", "seq_id": 77, "metadata": {"event_id": "x"}, "event_id": "x", "actor_id": "me",
        "causation_id": "x", "ledger_hash": "x", "parent_hash": "x", "prev_hash": "x", "entry_hash": "x",
        "emitted_at": 1, "recorded_at": "x", "timestamp": "1970-01-01T00:00:00Z", "surprise": [1],
    }  # fmt: skip
    assert server.post(call() | assigned).json() == {"seq_id": 1}
    (event,) = server.ledger()
    assert event["metadata"]["actor_id"] == "korg:api"
    assert event["event"]["timestamp"] > "2020"
    assert not {"surprise", "recorded_at"} & {*event, *event["metadata"], *event["event"]}


WRONG = [
    *[
        (name, None, f"{name} is missing")
        for name in ("source_agent", "tool_name", "args", "result", "success")
    ],
    ("duration_ms", None, "duration_ms is missing"),
    ("source_agent", 7, "source_agent must be a string, not an integer"),
    ("tool_name", ["Read"], "tool_name must be a string, not a list"),
    ("args", "text", "args must be an object, not a string"),
    ("args", [1], "args must be an object, not a list"),
    ("result", 1.5, "result must be an object or a string, not a number"),
    ("result", False, "result must be an object or a string, not a boolean"),
    ("success", 1, "success must be a boolean, not an integer"),
    ("success", "true", "success must be a boolean, not a string"),
    ("duration_ms", 1.5, "duration_ms must be an integer, not a number"),
    ("duration_ms", True, "duration_ms must be an integer, not a boolean"),
    ("duration_ms", -1, "duration_ms must be from 0"),
    ("duration_ms", 2**64, "duration_ms must be from 0"),
    ("triggered_by", "1", "triggered_by must be an integer, not a string"),
    ("triggered_by", True, "triggered_by must be an integer, not a boolean"),
    ("triggered_by", 9, "triggered_by names 9, which is no earlier event: the last one is 1"),
    ("triggered_by", 2, "triggered_by names 2"),
    ("triggered_by", 0, "triggered_by names 0"),
    ("triggered_by", -1, "triggered_by must be from 0"),
    ("triggered_by", 10**30, "triggered_by must be from 0"),
    ("payload_refs", {}, "payload_refs must be a list, not an object"),
    ("payload_refs", ["x"], "payload_refs must hold objects"),
    ("payload_refs", [{"sha256": "ABC", "size_bytes": 1}], "sha256 must be 64"),
    ("payload_refs", [{"sha256": "a" * 64, "size_bytes": -1}], "size_bytes"),
    ("payload_refs", [{"sha256": "a" * 64, "size_bytes": 1, "label": 3}], "label"),
    ("payload_refs", [{"sha256": "a" * 64, "size_bytes": 1, "x": "y" * 1024}], "at most 1,024 characters"),
    ("payload_refs", [{"sha256": "a" * 64, "size_bytes": 1}] * 4097, "at most 4,096 are taken"),
    ("source_agent", "a" * 4097, "source_agent has 4,097 characters, and at most 4,096 are taken"),
    ("tool_name", "a" * 4097, "tool_name has 4,097 characters"),
    ("args", {"a": [[]] * 150_001}, "more than 300,000 strings, commas and brackets"),
    ("args", {"a": {f"{n}": "" for n in range(100_001)}}, "more than 300,000 strings, commas and brackets"),
    ("event_type", "LedgerRewind", 'event_type must be AgentToolCall, not "LedgerRewind"'),
    ("event_type", 3, "event_type must be a string"),
]


def test_422_says_what_is_wrong_in_words(server: Recording) -> None:
    server.post(call("user_prompt"))
    for name, value, words in WRONG:
        body = call() | {name: value}
        if value is None:
            del body[name]
        answer = server.post(body)
        assert (answer.status, words in answer.json()["error"]) == (422, True), (name, value, answer)
    assert server.get("/api/metrics").json()["refused"] == len(WRONG)
    assert server.get("/api/journal").total == 1


@pytest.mark.parametrize(
    ("raw", "status", "words"),
    [
        (b"", 400, "not JSON"),
        (b"{", 400, "not JSON"),
        (b'{"tool_name": "\xff"}', 400, "not UTF-8"),
        (b"[" * 100_000, 400, "nested too deep"),
        (b'{"args":' * 300 + b"1" + b"}" * 300, 400, "nested too deep"),
        (b"[]", 422, "must be a JSON object, not a list"),
        (b"7", 422, "must be a JSON object, not an integer"),
        (json.dumps(call(args={"x": float("nan")})).encode(), 422, "NaN"),
        (json.dumps(call()).encode().replace(b'"args": {}', b'"args": {"x": 1e400}'), 422, "args holds"),
        (
            json.dumps(call()).encode().replace(b'"result": {}', b'"result": {"x": -1e999}'),
            422,
            "result holds",
        ),
    ],
)
def test_what_is_no_json_is_refused(server: Recording, raw: bytes, status: int, words: str) -> None:
    answer = server.post(raw)
    assert (answer.status, words in answer.json()["error"]) == (status, True), answer


def test_as_many_values_as_may_be_and_as_much_text_as_fits(server: Recording) -> None:
    for args in ({"a": [[]] * 149_000}, {"a": '[{"x": 1, "y": ""}], ' * 100_000}, {"a": "," * 300_000}):
        assert server.post(call(args=args)).status == 200


def test_values_come_back_as_they_were(server: Recording) -> None:
    args = {
        "big": 2**80,
        "float": 0.1,
        "tiny": 5e-324,
        "surrogate": "\ud800",
        "é\u2028\0": ["😀", None, -0.0],
    }
    assert server.post(call(args=args)).status == 200
    (event,) = server.get("/api/journal").lines()
    assert event["event"]["args"] == args
    with server.store.path.open("rb") as file:
        assert look_through(file.fileno(), server.store.path).index.total == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(width=32) | st.text(max_size=9),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=9), inside, max_size=3),
    max_leaves=9,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_whatever_is_posted_is_taken_or_refused(server: Recording, data: st.DataObject) -> None:
    body: dict[str, Any] = call()
    for name in data.draw(st.sets(st.sampled_from(sorted(body)), max_size=2)):
        body[name] = data.draw(JSON)
    total = server.store.head.total
    answer = server.post(data.draw(st.just(json.dumps(body).encode()) | st.binary(max_size=50)))
    assert answer.status in (200, 400, 422)
    assert server.store.head.total == total + (answer.status == 200)


# --- reading


def test_the_journal_is_the_last_hundred(folder: Path) -> None:
    with recording(grown(folder, 250)) as server:
        answer = server.get("/api/journal")
        assert answer.body.startswith(b"// total events: 250\n{")
        assert not answer.body.endswith(b"\n")
        assert [event["seq_id"] for event in answer.lines()] == list(range(151, 251))
        assert [event["seq_id"] for event in server.get("/api/journal?limit=5").lines()] == list(
            range(151, 251)
        )


def test_an_empty_journal(server: Recording) -> None:
    answer = server.get("/api/journal")
    assert answer.body == b"// total events: 0"
    assert f"total=0; last=0; tip={'0' * 64}" in answer.headers["korg-tui-journal"]
    assert server.get("/api/capabilities").json() == {"nodes": {}, "active_states": {}, "events": []}
    assert server.get("/api/journal?after=0").body == b"// total events: 0"


def test_the_children_of_an_event(folder: Path) -> None:
    with recording(grown(folder, 250)) as server:
        server.post(call("Bash", 250))
        answer = server.get("/api/journal?triggered_by=1")
        assert answer.total == 251
        assert [event["seq_id"] for event in answer.lines()] == list(range(151, 251))
        assert [event["seq_id"] for event in server.get("/api/journal?triggered_by=250").lines()] == [251]
        for leaf_or_unknown in (0, 2, 251, 252, 10**15):
            answer = server.get(f"/api/journal?triggered_by={leaf_or_unknown}")
            assert answer.status == 404
            assert "total=251" in answer.headers["korg-tui-journal"]


@pytest.mark.parametrize(
    "query", ["triggered_by=x", "after=-1", "after=1.5", "limit=", f"after={'9' * 40}", "after=²"]
)
def test_a_number_that_is_none_is_400(server: Recording, query: str) -> None:
    server.post(call())
    answer = server.get("/api/journal?" + quote(query, safe="=&"))
    assert answer.status == 400
    assert "must be a whole number" in answer.json()["error"]


def test_what_comes_behind_an_event(folder: Path) -> None:
    with recording(grown(folder, 6000)) as server:
        assert len(server.get("/api/journal?after=0").lines()) == 1000
        assert len(server.get("/api/journal?after=0&limit=99999").lines()) == 5000
        assert server.get("/api/journal?after=6000").body == b"// total events: 6000"
        assert server.get("/api/journal?after=9999&limit=10").body == b"// total events: 6000"
        seen: list[int] = []
        while page := [
            event["seq_id"] for event in server.get(f"/api/journal?after={len(seen)}&limit=2500").lines()
        ]:
            seen += page
        assert seen == list(range(1, 6001))


def test_a_page_ends_at_eight_megabytes(folder: Path) -> None:
    args = {f"{n}": "x" * 1000 for n in range(1000)}
    with recording(grown(folder, 20, args=args)) as server:
        page = server.get("/api/journal?after=0")
        assert 7 << 20 < len(page.body) <= (8 << 20) + 100
        rest = server.get(f"/api/journal?after={len(page.lines())}").lines()
        assert rest[0]["seq_id"] == len(page.lines()) + 1


def test_a_window_ends_at_sixteen_megabytes(folder: Path) -> None:
    args = {f"{n}": "x" * 1000 for n in range(1000)}
    with recording(grown(folder, 20, args=args)) as server:
        for path in ("/api/journal", "/api/journal?triggered_by=1"):
            window = server.get(path)
            assert 15 << 20 < len(window.body) <= (16 << 20) + 100
            seqs = [event["seq_id"] for event in window.lines()]
            assert seqs == list(range(21 - len(seqs), 21))
            assert gzip.decompress(server.get(path, accept_encoding="gzip").body) == window.body
        source = HttpSource(server.url, every=1)
        events = [record for fact in source.start() if isinstance(fact, Grew) for record in fact.records]
        source.close()
        assert [event.seq for event in events] == list(range(1, 21))


def test_an_event_that_is_larger_than_a_window_is_given(folder: Path) -> None:
    args = {f"{n}": "x" * 1000 for n in range(17_000)}
    with recording(grown(folder, 2, args=args)) as server:
        for path in ("/api/journal", "/api/journal?triggered_by=1", "/api/journal?after=1"):
            (event,) = server.get(path).lines()
            assert event["seq_id"] == 2


def _said(text: str) -> dict[str, str]:
    return dict(part.split("=") for part in text.split("; "))


def test_every_journal_answer_says_where_the_ledger_stands(server: Recording) -> None:
    server.post(call("user_prompt"))
    server.post(call("Read", 1))
    (_, last) = server.get("/api/journal").lines()
    first = _said(server.get("/api/journal").headers["korg-tui-journal"])
    stands = {"generation": "1", "total": "2", "last": "2", "tip": last["entry_hash"]}
    assert first == {"store": server.store.head.store, **stands}
    for path in ("/api/journal?after=1", "/api/journal?triggered_by=1", "/api/capabilities"):
        assert _said(server.get(path).headers["korg-tui-journal"]) == first
    server.rewind(1)
    after = _said(server.get("/api/journal").headers["korg-tui-journal"])
    assert (after["store"], after["generation"], after["total"]) == (first["store"], "2", "2")
    assert after["tip"] != first["tip"]


@pytest.mark.parametrize("path", ["/api/journal", "/api/journal?after=0&limit=5", "/api/capabilities"])
def test_what_is_known_is_not_sent_again(server: Recording, path: str) -> None:
    server.post(call("user_prompt"))
    server.post(call())
    known = server.get(path).headers["etag"]
    for etag in (known, f"W/{known}", f'"other", {known}'):
        again = server.get(path, if_none_match=etag)
        assert (again.status, again.body) == (304, b"")
        assert again.headers["etag"] == known
        assert "total=2" in again.headers["korg-tui-journal"]
    server.rewind(1)
    assert server.get(path, if_none_match=known).status == 200, "as many events, but others"


@pytest.mark.parametrize("path", ["/api/journal", "/api/journal?after=0", "/api/capabilities"])
def test_gzip_for_those_who_take_it(folder: Path, path: str) -> None:
    with recording(grown(folder, 3000)) as server:
        plain = server.get(path)
        squeezed = server.get(path, accept_encoding="gzip")
        assert "content-encoding" not in plain.headers
        assert squeezed.headers["content-encoding"] == "gzip"
        assert gzip.decompress(squeezed.body) == plain.body
        assert squeezed.headers["korg-tui-journal"] == plain.headers["korg-tui-journal"]
        assert squeezed.headers["etag"] == plain.headers["etag"]


def test_capabilities_are_the_whole_ledger(folder: Path) -> None:
    with recording(grown(folder, 4000)) as server:
        answer = server.get("/api/capabilities").json()
        assert answer == {"nodes": {}, "active_states": {}, "events": server.ledger()}
        assert server.store.path.stat().st_size > 2 << 20


# --- blobs


def test_large_inline_values_move_to_blobs(server: Recording, tmp_path: Path) -> None:
    body = call("Write", args={"file_path": "/tmp/" + LONG, "content": LONG}, result="y" + LONG)
    assert server.post(body).status == 200
    (event,) = server.ledger()
    content, result = (LONG.encode(), b"y" + LONG.encode())
    assert event["event"]["args"] == {
        "file_path": "/tmp/" + LONG,
        "content": {"_ref": f"sha256:{sha(content)}", "size_bytes": len(content)},
    }
    assert event["event"]["result"] == {"_ref": f"sha256:{sha(result)}", "size_bytes": len(result)}
    assert event["event"]["payload_refs"] == [
        {"sha256": sha(content), "size_bytes": len(content), "label": "Write.content"},
        {"sha256": sha(result), "size_bytes": len(result), "label": "Write.result"},
    ]
    for blob in (content, result):
        answer = server.get(f"/api/blob/{sha(blob)}")
        assert (answer.status, answer.body) == (200, blob)
        assert answer.headers["content-type"] == "application/octet-stream"
        assert (server.store.folder / "blobs" / sha(blob)[:2] / sha(blob)).read_bytes() == blob
    assert (
        server.get("/api/metrics").json() | {"inline_moved": 2, "blobs": 2}
        == server.get("/api/metrics").json()
    )


def test_what_is_no_path_moves_too(server: Recording) -> None:
    path = "/" + "x" * 4095
    server.post(call(args={"file_path": path, "path": path + "y"}))
    (event,) = server.ledger()
    assert event["event"]["args"]["file_path"] == path
    assert event["event"]["args"]["path"]["size_bytes"] == 4097


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_what_is_no_file_is_no_blob(server: Recording, tmp_path: Path, kind: str) -> None:
    (tmp_path / "secret").write_text("precious")
    place = server.store.folder / "blobs" / sha(b"")[:2] / sha(b"")
    place.parent.mkdir(parents=True)
    if kind == "link":
        place.symlink_to(tmp_path / "secret")
    else:
        os.mkfifo(place)
    assert server.get(f"/api/blob/{sha(b'')}").status == 404
    for _ in range(45):
        answer = server.ask("PUT", "/api/blob", b"")
        assert (answer.status, f"is a {kind}" in answer.json()["error"]) == (503, True)
    assert server.post(call(args={f"{n}": "x" * 900 for n in range(50)})).status == 200
    assert (tmp_path / "secret").read_text() == "precious"


def test_structures_move_as_canonical_json(server: Recording) -> None:
    value = {"b": [LONG], "a": "é"}
    server.post(call(result={"all": value}))
    (event,) = server.ledger()
    name = event["event"]["result"]["all"]["_ref"].removeprefix("sha256:")
    assert server.get(f"/api/blob/{name}").body == canonical(value)


def test_blobs_are_put_asked_for_and_fetched(server: Recording) -> None:
    content = bytes(range(256)) * 50
    put = server.ask("PUT", "/api/blob", content)
    assert (put.status, put.json()) == (201, {"sha256": sha(content), "size_bytes": len(content)})
    assert server.ask("PUT", "/api/blob", content).status == 200
    head = server.ask("HEAD", f"/api/blob/{sha(content)}")
    assert (head.status, head.headers["content-length"], head.body) == (200, str(len(content)), b"")
    assert server.get(f"/api/blob/{sha(content)}", accept_encoding="gzip").body == content
    assert server.ask("PUT", "/api/blob", b"").json()["sha256"] == sha(b"")
    assert server.get(f"/api/blob/{sha(b'')}").body == b""


@pytest.mark.parametrize("name", ["xyz", "A" * 64, "a" * 63, "..%2f..%2fkorg-tui.jsonl", "%00"])
def test_what_is_no_name_of_a_blob(server: Recording, name: str) -> None:
    server.post(call())
    assert server.get(f"/api/blob/{name}").status in (400, 404)
    assert server.get(f"/api/blob/{'a' * 64}").status == 404
    assert server.get("/api/blob/xyz").status == 400


def test_a_blob_that_is_missing_is_counted_and_logged(
    server: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    ref = {"sha256": "a" * 64, "size_bytes": 5000, "label": "Read.text"}
    with caplog.at_level(logging.WARNING):
        assert server.post(call(payload_refs=[ref])).status == 200
    assert f"event 1 names a blob that is not in the store: {'a' * 64}" in caplog.text
    assert server.get("/api/metrics").json()["missing_blobs"] == 1
    server.ask("PUT", "/api/blob", b"there")
    assert server.post(call(payload_refs=[{"sha256": sha(b"there"), "size_bytes": 5}])).status == 200
    assert server.get("/api/metrics").json()["missing_blobs"] == 1


def test_strict_refuses_both(folder: Path) -> None:
    with recording(folder, strict=True) as server:
        inline = server.post(call("Write", args={"content": LONG}))
        assert inline.status == 422
        assert "Write.content is over 1,024 canonical bytes" in inline.json()["error"]
        ref = {"sha256": sha(LONG.encode()), "size_bytes": len(LONG), "label": "Write.content"}
        sentinel = {"content": {"_ref": f"sha256:{ref['sha256']}", "size_bytes": len(LONG)}}
        missing = server.post(call("Write", args=sentinel, payload_refs=[ref]))
        assert missing.status == 422
        assert "not in the store" in missing.json()["error"]
        server.ask("PUT", "/api/blob", LONG.encode())
        assert server.post(call("Write", args=sentinel, payload_refs=[ref])).status == 200
        assert server.post(call("Read", 1, args={"file_path": LONG})).status == 200


# --- secrets


def test_secrets_are_replaced_before_anything_is_stored(server: Recording) -> None:
    body = call(
        "Bash",
        args={"command": f"curl -H 'Authorization: Bearer {SECRET}'", "env": {"API_KEY": "swordfish"}},
        result={"text": LONG + SECRET, "token": 7},
        source_agent=f"agent:{SECRET}@1",
    )
    assert server.post(body).status == 200
    stored = b"".join(path.read_bytes() for path in server.store.folder.rglob("*") if path.is_file())
    assert SECRET.encode() not in stored
    assert b"swordfish" not in stored
    (event,) = server.ledger()
    assert event["event"]["result"]["token"] == 7
    name = event["event"]["payload_refs"][0]["sha256"]
    assert server.get(f"/api/blob/{name}").body == (LONG + "[REDACTED]").encode()
    assert server.get("/api/metrics").json()["redacted"] == 4


def test_secrets_stay_when_that_is_asked_for(folder: Path) -> None:
    with recording(folder, redacting=False) as server:
        server.post(call(args={"password": "swordfish", "text": SECRET}))
        (event,) = server.ledger()
        assert event["event"]["args"] == {"password": "swordfish", "text": SECRET}
        assert server.get("/api/metrics").json()["redacted"] == 0


# --- rewinding


def test_a_rewind_over_http(server: Recording) -> None:
    for cause in (None, 1, 2, 3):
        server.post(call("llm_inference", cause))
    answer = server.rewind(2, rewound_by="human:dusk", reason=f"it wrote {SECRET}")
    assert answer.json() == {"seq_id": 3, "target_seq_id": 2, "invalidated_through": 4, "generation": 2}
    sealed = server.get("/api/journal").lines()[-1]["event"]
    assert (sealed["rewound_by"], sealed["reason"]) == ("human:dusk", "it wrote [REDACTED]")
    assert server.get("/api/journal").total == 3
    assert server.get("/api/journal?triggered_by=3").status == 404
    assert server.post(call("Read", 4)).status == 422
    assert server.post(call("Read", 2)).json() == {"seq_id": 4}
    assert [each["seq_id"] for each in server.get("/api/journal?triggered_by=2").lines()] == [3, 4]
    assert server.get("/api/metrics").json()["dropped"] == 2


@pytest.mark.parametrize(
    "body",
    [
        *({"target_seq_id": target} for target in ("1", None, 1.0, -1, 2, 9)),
        *({"target_seq_id": 1, "reason": reason} for reason in (5, "x" * 5000)),
        {},
        [],
    ],
)
def test_a_rewind_that_cannot_be(server: Recording, body: Any) -> None:
    server.post(call())
    server.post(call())
    before = server.store.path.read_bytes()
    answer = server.ask("POST", "/api/rewind", body)
    assert answer.status == 422
    assert answer.json()["error"]
    assert server.store.path.read_bytes() == before


# --- who may ask


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:{port}"}, 200),
        ({"Host": "LOCALHOST:{port}", "Origin": "http://localhost:{port}"}, 200),
        ({"Host": "evil.example:{port}"}, 403),
        ({"Host": "127.0.0.1:1"}, 403),
        ({"Host": "127.0.0.1.evil.example:{port}"}, 403),
        ({"Host": ""}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:1"}, 403),
        ({"Origin": "https://127.0.0.1:{port}"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
def test_web_pages_may_not(server: Recording, headers: dict[str, str], status: int) -> None:
    server.post(call())
    filled = {name: text.format(port=server.port) for name, text in headers.items()}
    for method, path in (("GET", "/api/journal"), ("POST", "/api/agent/tool-call")):
        body = call() if method == "POST" else None
        assert server.ask(method, path, body, filled).status == status
    assert server.store.head.total == (2 if status == 200 else 1)


@pytest.mark.parametrize(
    ("name", "own", "foreign"),
    [("Origin", "http://127.0.0.1:{port}", "http://evil.example"), ("Sec-Fetch-Site", "none", "cross-site")],
)
def test_a_second_header_is_heard_too(server: Recording, name: str, own: str, foreign: str) -> None:
    for texts in ((own, foreign), (foreign, own)):
        lines = "".join(f"{name}: {text.format(port=server.port)}\r\n" for text in texts)
        head = f"GET /api/journal HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n{lines}\r\n"
        assert server.raw(head.encode()).startswith(b"HTTP/1.1 403 ")


def test_no_address_leads_to_another(server: Recording) -> None:
    for path in ("/api/blob/", "/api/journal/"):
        answer = server.ask("GET", path)
        assert (answer.status, "location" in answer.headers) == (404, False)


def test_with_a_token_only_those_who_have_it_may(folder: Path) -> None:
    with recording(folder, token="correct-horse-battery") as server:
        for authorization in (
            None,
            "Bearer wrong",
            "Bearer ",
            "correct-horse-battery",
            "Basic correct-horse-battery",
        ):
            headers = {"Authorization": authorization} if authorization else {}
            answer = server.ask("POST", "/api/agent/tool-call", call(), headers)
            assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
        right = {"Authorization": "bearer correct-horse-battery", "Host": "box.example"}
        assert server.ask("POST", "/api/agent/tool-call", call(), right).status == 200
        assert server.ask("GET", "/api/journal", headers=right | {"Origin": "http://evil"}).status == 403


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/api/events", 404),
        ("GET", "/api/agent/tool-call", 405),
        ("DELETE", "/api/journal", 405),
    ],
)
def test_other_addresses(server: Recording, method: str, path: str, status: int) -> None:
    answer = server.ask(method, path)
    assert answer.status == status
    assert answer.json()["error"]


# --- how much, how slowly, how many


def test_sixteen_megabytes_are_taken_and_no_more(server: Recording) -> None:
    body = json.dumps(call(args={"content": ""})).encode()
    room = (16 << 20) - len(body)
    fits = body.replace(b'"content": ""', b'"content": "' + b"x" * room + b'"')
    assert len(fits) == 16 << 20
    assert server.post(fits).status == 200
    assert server.post(fits + b" ").status == 413
    assert server.ask("PUT", "/api/blob", fits + b" ").status == 413
    connection = server.connect()
    with contextlib.closing(connection):
        chunks = iter([fits, b" "])
        connection.request("POST", "/api/agent/tool-call", chunks, encode_chunked=True,
                           headers={"Transfer-Encoding": "chunked"})  # fmt: skip
        answer = connection.getresponse()
        assert answer.status == 413
        assert b"16 MB" in answer.read()
    assert server.store.head.total == 1


def _post_of(server: Recording, size: int) -> bytes:
    """The head of a post that announces so many bytes."""
    where = f"POST /api/agent/tool-call HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
    return f"{where}Content-Length: {size}\r\n\r\n".encode()


def test_bodies_have_a_limit_all_together(server: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MOST_HELD", 5000)
    with socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE) as first:
        first.sendall(_post_of(server, 4001) + b"x" * 4000)
        answer = None
        while answer is None or answer.status != 503:
            # As soon as the first one's bytes have come.
            answer = server.ask("PUT", "/api/blob", b"y" * 1500)
        assert "at once" in answer.json()["error"]
        first.sendall(b"x")
        assert first.recv(1000).startswith(b"HTTP/1.1 400 ")
    assert server.ask("PUT", "/api/blob", b"y" * 4500).status == 201


def test_a_body_that_is_announced_as_huge_is_not_waited_for(server: Recording) -> None:
    assert server.raw(_post_of(server, 99_999_999_999)).startswith(b"HTTP/1.1 413 ")


def test_a_body_that_does_not_come_is_not_waited_for(folder: Path) -> None:
    with recording(folder, seconds=0.2) as server:
        assert server.raw(_post_of(server, 10) + b"12").startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("start", [b"", b"GET /api/jour", b"GET /api/journal HTTP/1.1\r\nHost: "])
def test_a_request_that_does_not_come_is_not_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch, start: bytes
) -> None:
    monkeypatch.setattr(listening, "HEAD_SECONDS", 0.2)
    with recording(folder) as server:
        assert server.raw(start) == b""
        whole = f"GET /api/journal HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
        assert server.raw(whole + (start or b"G")).count(b"HTTP/1.1 200") == 1


def test_what_is_no_http(server: Recording) -> None:
    assert server.raw(b"\x16\x03\x01 hello\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    with contextlib.suppress(ConnectionError):
        assert server.raw(b"GET / HTTP/1.1\r\nX: " + b"x" * 200_000).startswith(b"HTTP/1.1 400 ")
    assert server.post(call()).status == 200


def test_a_flood_of_connections_is_refused_and_passes(
    server: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "MOST_CONNECTIONS", 8)
    with contextlib.ExitStack() as flood:
        clients = [
            flood.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE))
            for _ in range(40)
        ]
        turned_away = [client.recv(1000) for client in clients[8:]]
        assert all(answer.startswith(b"HTTP/1.1 503 ") and answer.endswith(b"}") for answer in turned_away)
        clients[0].close()
        assert once_there_is_room(server).status == 200
    assert server.store.head.total == 1


def test_an_answer_that_is_not_taken_is_not_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "MOST_CONNECTIONS", 1)
    monkeypatch.setattr(listening, "STALLED_SECONDS", 0.2)
    with (
        recording(grown(folder, 2000, args={f"{n}": "x" * 1000 for n in range(9)})) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE) as stalled,
    ):
        stalled.sendall(b"GET /api/capabilities HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % server.port)
        assert once_there_is_room(server).status == 200


def times_open(path: Path) -> int:
    """How often this process has a file open."""
    wanted, found = path.stat(), 0
    for number in Path("/dev/fd").iterdir():
        with contextlib.suppress(OSError):
            found += os.path.samestat(os.fstat(int(number.name)), wanted)
    return found


def test_who_hangs_up_leaves_nothing_open(folder: Path) -> None:
    with recording(grown(folder, 2000, args={f"{n}": "x" * 1000 for n in range(9)})) as server:
        ask_for_all = b"GET /api/capabilities HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % server.port
        before = times_open(server.store.path)
        for taken in (0, 0, 1, 100_000, 0, 1, 0):
            with socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE) as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.sendall(ask_for_all)
                if taken:
                    client.recv(taken)
        waited = time.monotonic() + DEADLINE
        while times_open(server.store.path) > before and time.monotonic() < waited:
            time.sleep(0.01)
        assert times_open(server.store.path) == before


def once_there_is_room(server: Recording) -> Answer:
    """The answer to a post, as soon as the server has seen the connections leave that leave."""
    while True:
        with contextlib.suppress(OSError):
            answer = server.post(call())
            if answer.status != 503:
                return answer


def test_two_hundred_clients_at_once_lose_nothing(server: Recording) -> None:
    acknowledged: queue.SimpleQueue[tuple[int, str]] = queue.SimpleQueue()
    server.post(call("user_prompt"))

    def client(number: int) -> None:
        connection = server.connect()
        with contextlib.closing(connection):
            cause = 1
            for n in range(5):
                body = call("Read", cause, args={"who": f"{number}.{n}"})
                answer = ask(connection, "POST", "/api/agent/tool-call", body)
                cause = answer.json()["seq_id"]
                acknowledged.put((cause, f"{number}.{n}"))

    threads = [threading.Thread(target=client, args=(number,)) for number in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = dict(acknowledged.get() for _ in range(1000))
    assert sorted(told) == list(range(2, 1002))
    events = {event["seq_id"]: event for event in server.ledger()}
    assert {seq: events[seq]["event"]["args"]["who"] for seq in told} == told
    for seq, who in told.items():
        number, n = map(int, who.split("."))
        cause = events[seq]["metadata"]["triggered_by"]
        assert cause == 1 if n == 0 else told[cause] == f"{number}.{n - 1}"
    _reader_agrees(server)


def _reader_agrees(server: Recording) -> None:
    source = FileSource(server.store.path)
    journal = Journal("korg-tui.jsonl")
    found: list[object] = []
    for fact in source.start():
        journal.apply(fact)
        found += fact.records if isinstance(fact, Grew) else ()
    source.close()
    assert len(found) == server.store.head.total
    assert all(isinstance(record, Event) for record in found)
    assert len(journal.ledgers) == 1


# --- the disk


class Watched(DiskFile):
    """A file whose syncs can be held back, or fail; the same for every file of a test."""

    syncs = 0
    error: OSError | None = None
    held = threading.Event()
    reached = threading.Event()

    def sync(self) -> None:
        Watched.syncs += 1
        self.reached.set()
        assert self.held.wait(DEADLINE)
        if Watched.error is not None:
            raise Watched.error
        super().sync()


@pytest.fixture
def watched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Recording]:
    monkeypatch.setattr(Watched, "held", threading.Event())
    monkeypatch.setattr(Watched, "reached", threading.Event())
    Watched.held.set()
    store = Store(folder, Watched)
    with recording(store) as server:
        try:
            server.post(call("user_prompt"))
            monkeypatch.setattr(Watched, "syncs", 0)
            yield server
        finally:
            Watched.held.set()


def in_thread(work: Any) -> tuple[threading.Thread, list[Any]]:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    return thread, results


def test_an_answer_comes_after_the_sync(watched: Recording) -> None:
    Watched.held.clear()
    Watched.reached.clear()
    thread, results = in_thread(lambda: watched.post(call("Read", 1)))
    assert Watched.reached.wait(DEADLINE)
    assert watched.store.path.read_bytes().count(b"\n") == 2, "it is written"
    assert watched.get("/api/journal").total == 1, "and nobody is told"
    assert watched.get("/api/journal?triggered_by=1").status == 404
    assert results == []
    Watched.held.set()
    thread.join()
    assert results[0].json() == {"seq_id": 2}
    assert watched.get("/api/journal").total == 2


def test_posts_that_wait_together_share_a_sync(watched: Recording) -> None:
    Watched.held.clear()
    Watched.reached.clear()
    first, _ = in_thread(lambda: watched.post(call("Read", 1)))
    assert Watched.reached.wait(DEADLINE)
    waiting = [in_thread(lambda: watched.post(call("Read", 1))) for _ in range(20)]
    orders = watched.recorder.committer._orders
    while orders.qsize() < 20:
        time.sleep(0.01)
    Watched.held.set()
    for thread, _ in [(first, None), *waiting]:
        thread.join()
    assert sorted(results[0].json()["seq_id"] for _, results in waiting) == list(range(3, 23))
    assert Watched.syncs == 2


@pytest.mark.parametrize(
    ("number", "status"), [(errno.ENOSPC, 507), (errno.EDQUOT, 507), (errno.EFBIG, 507), (errno.EIO, 500)]
)
def test_what_cannot_be_written_is_not_acknowledged(
    watched: Recording, monkeypatch: pytest.MonkeyPatch, number: int, status: int
) -> None:
    monkeypatch.setattr(Watched, "error", OSError(number, "it says no"))
    before = watched.store.path.read_bytes()
    for answer in (watched.post(call("Read", 1)), watched.post(call("Read", 1))):
        assert (answer.status, "nothing was written" in answer.json()["error"]) == (status, True)
    journal = watched.get("/api/journal")
    assert (journal.total, "trouble=nothing was written" in journal.headers["korg-tui-journal"]) == (1, True)
    monkeypatch.setattr(Watched, "error", None)
    assert watched.post(call("Read", 1)).json() == {"seq_id": 2}
    assert "trouble" not in watched.get("/api/journal").headers["korg-tui-journal"]
    assert watched.store.path.read_bytes().startswith(before)
    assert watched.get("/api/metrics").json()["failed"] == 2
    _reader_agrees(watched)


def test_a_blob_that_cannot_be_kept_is_507_and_no_event(
    server: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(name: str, content: bytes) -> bool:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(server.store.blobs, "keep", full)
    assert server.post(call(args={"content": LONG})).status == 507
    assert server.ask("PUT", "/api/blob", b"x").status == 507
    assert server.get("/api/journal").total == 0


def test_a_file_that_was_replaced_is_503(server: Recording, tmp_path: Path) -> None:
    server.post(call())
    (tmp_path / "other").write_bytes(b"something\n")
    (tmp_path / "other").rename(server.store.path)
    answer = server.post(call())
    assert answer.status == 503
    assert "replaced by another file" in answer.json()["error"]


def test_a_ledger_that_was_emptied_is_503_to_readers_too(server: Recording) -> None:
    server.post(call())
    server.store.path.write_bytes(b"")
    for answer in (server.get("/api/journal"), server.get("/api/journal?after=0"), server.post(call())):
        assert answer.status == 503
        assert "stop the recorder and look at it" in answer.json()["error"]


def test_a_ledger_that_is_cut_while_it_is_read_ends_the_answer(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    args = {f"{n}": "x" * 1000 for n in range(1000)}
    with recording(grown(folder, 40, args=args)) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE) as reader:
            reader.sendall(b"GET /api/capabilities HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % server.port)
            taken = reader.recv(1000)
            os.truncate(server.store.path, 1000)
            taken += b"".join(iter(lambda: reader.recv(1 << 20), b""))
        assert taken.startswith(b"HTTP/1.1 200 ")
        assert not taken.endswith(b"0\r\n\r\n"), "the client must see that something lacks"
        assert server.get("/api/metrics").status == 200
    assert "the ledger is shorter than it was; stop the recorder and look at it" in caplog.messages
    assert "internal fault" not in caplog.text


def test_a_fault_of_ours_is_500_and_the_next_one_is_served(
    server: Recording, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with monkeypatch.context() as broken:
        broken.setattr(server.store.blobs, "read", lambda name: 1 / 0)
        answer = server.get(f"/api/blob/{'a' * 64}")
        assert (answer.status, answer.json()) == (500, {"error": "an internal fault"})
    assert len(list((tmp_path / "korg-tui" / "reports").iterdir())) == 1
    assert server.get(f"/api/blob/{'a' * 64}").status == 404
