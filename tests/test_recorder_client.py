"""What an agent records, and what hangs from what in the ledger that it makes (SPEC §2, §2a, §2b, §5, §7)."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from korg_tui.causal import Pointer, links, rewind
from korg_tui.recorder import client as documentation
from korg_tui.recorder.client import RecorderClient
from korg_tui.recorder.client.connection import server_url
from korg_tui.recorder.client.plain import Budget, plain
from standin_server import LONG, Standin, read, serving

MAIN = "agent:mine/main@1.0"
ME = "human:me"


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable of this machine counts, and nothing is written into the folder of the tests."""
    for name in ("KORG_URL", "KORG_BASE_URL", "KORG_SERVER_ADDR", "KORG_BLOB_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server() -> Iterator[Standin]:
    with serving(Standin()) as standin:
        yield standin


@pytest.fixture
def client(server: Standin) -> Iterator[RecorderClient]:
    with RecorderClient(server.url, actor=MAIN, timeout=LONG, flush=LONG) as client:
        yield client


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]


# --- one agent


def test_prompt_and_inference_return_their_seq_and_calls_of_a_round_are_siblings(
    server: Standin, client: RecorderClient
) -> None:
    assert client.prompt("Find out why the tests fail.", by=ME) == 1
    assert client.inference({"text": "I look."}, duration_ms=2310.4) == 2
    client.tool("Read", {"file_path": "a.py"}, "def f(): ...")
    client.tool("Grep", {"pattern": "f"}, {"matches": []})
    assert client.inference({"text": "So that is it."}) == 5
    client.tool("Edit", {"file_path": "a.py"}, success=False)
    assert client.flush(LONG)
    assert server.rows() == [
        (1, "user_prompt", None, ME),
        (2, "llm_inference", 1, MAIN),
        (3, "Read", 2, MAIN),
        (4, "Grep", 2, MAIN),
        (5, "llm_inference", 2, MAIN),
        (6, "Edit", 5, MAIN),
    ]
    assert server.event(1)["args"] == {"prompt": "Find out why the tests fail."}
    assert server.event(2) == {
        "event_type": "AgentToolCall", "source_agent": MAIN, "tool_name": "llm_inference", "args": {},
        "result": {"text": "I look."}, "success": True, "duration_ms": 2310, "payload_refs": [],
    }  # fmt: skip
    assert server.event(3)["result"] == "def f(): ..."
    assert server.event(6)["success"] is False


def test_a_later_prompt_is_a_follow_up_in_the_lane_unless_it_begins_a_session(
    server: Standin, client: RecorderClient
) -> None:
    client.prompt("one", by="me")
    client.inference()
    client.prompt("two", by=ME)
    client.inference()
    client.prompt("three", by=ME, root=True)
    client.inference()
    assert server.rows() == [
        (1, "user_prompt", None, ME),
        (2, "llm_inference", 1, MAIN),
        (3, "user_prompt", 2, ME),
        (4, "llm_inference", 3, MAIN),
        (5, "user_prompt", None, ME),
        (6, "llm_inference", 5, MAIN),
    ]
    assert [len(session.lanes) for session in read(server).sessions] == [1, 1]


def test_a_retry_hangs_from_the_call_that_failed_also_before_that_has_a_seq(
    server: Standin, client: RecorderClient
) -> None:
    client.prompt("go", by=ME)
    client.inference()
    server.gate.clear()
    failed = client.tool("Bash", {"command": "pytets"}, {"exit_code": 127}, success=False)
    assert failed.seq is None
    client.tool("Bash", {"command": "pytest"}, {"exit_code": 0}, triggered_by=failed)
    client.tool("Bash", {"command": "ls"}, triggered_by=2)
    server.gate.set()
    assert client.flush(LONG)
    assert failed.seq == 3
    assert server.rows()[2:] == [(3, "Bash", 2, MAIN), (4, "Bash", 3, MAIN), (5, "Bash", 2, MAIN)]


def test_the_example_in_the_documentation(server: Standin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KORG_URL", server.url)
    lines = (documentation.__doc__ or "").splitlines()
    example = "\n".join(line[4:] for line in lines if line.startswith("    "))
    exec(example, {})
    assert [(tool, parent) for _, tool, parent, _ in server.rows()] == [
        ("user_prompt", None), ("llm_inference", 1), ("Bash", 2), ("Bash", 3), ("user_prompt", 2),
        ("llm_inference", 5), ("Bash", 6), ("Agent", 2), ("llm_inference", 8),
    ]  # fmt: skip


# --- sub-agents


def test_the_worked_example_of_2b(server: Standin, client: RecorderClient) -> None:
    client.prompt("fix the bug", by="human:dusk")
    client.inference()
    with client.sub_agent("look at the parser", "Look at the parser.") as sub:
        sub.inference()
        sub.tool("Read", {"file_path": "src/parser.py"})
        sub.close("It is in line 12.", duration_ms=2100)
    client.inference()
    actor = "agent:mine/sub-look-at-the-parser@1.0"
    assert server.rows() == [
        (1, "user_prompt", None, "human:dusk"),
        (2, "llm_inference", 1, MAIN),
        (3, "user_prompt", 2, actor),
        (4, "llm_inference", 3, actor),
        (5, "Read", 4, actor),
        (6, "Agent", 2, MAIN),
        (7, "llm_inference", 6, MAIN),
    ]
    call = server.event(6)
    assert call["args"] == {"description": "look at the parser", "prompt": "Look at the parser."}
    assert call["result"] == {"root_seq": 3, "content": "It is in line 12."}
    assert (call["success"], call["duration_ms"]) == (True, 2100)

    ledger = read(server)
    assert [lane.actor for lane in ledger.lanes] == [MAIN, actor]
    ((link,),) = links(ledger, 0).values()
    assert (link.certain, link.basis, ledger.seq[link.call]) == (True, "result", 6)
    carried = {seq: rewind(ledger, seq).invalidated for seq in range(1, 8)}
    assert carried == {1: (2, 3, 4, 5, 6, 7), 2: (3, 4, 5, 6, 7), 3: (4, 5, 6, 7), 4: (5, 6, 7), 5: (6, 7),
                       6: (7,), 7: ()}  # fmt: skip


def test_parallel_sub_agents_from_several_threads_each_have_their_lane(
    server: Standin, client: RecorderClient
) -> None:
    client.prompt("survey", by=ME)
    client.inference()
    subs = [client.sub_agent("survey", "Survey the repo.") for _ in range(4)]
    together = threading.Barrier(4, timeout=LONG)

    def work(number: int) -> None:
        together.wait()
        for _ in range(5):
            subs[number].inference({"text": f"I am {number}."})
            subs[number].tool("Bash", {"command": f"find {number}"})
        subs[number].close(f"{number} files")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    client.inference()
    client.tool("Write", {"file_path": "survey.md"})
    assert client.flush(LONG)

    ledger = read(server)
    assert len(ledger.sessions) == 1
    actors = [f"agent:mine/sub-survey{number}@1.0" for number in ("", "-2", "-3", "-4")]
    assert [lane.actor for lane in ledger.lanes] == [MAIN, *actors]
    assert [len(lane.rows) for lane in ledger.lanes] == [8, 11, 11, 11, 11]
    assert all(ledger.pointer_at(row) in (Pointer.OK, Pointer.ROOT) for row in range(len(ledger)))
    found = links(ledger, 0)
    assert [(len(each), each[0].certain, each[0].basis) for each in found.values()] == [
        (1, True, "result")
    ] * 4
    calls = [seq for seq, tool, _, _ in server.rows() if tool == "Agent"]
    last_inference = server.rows()[-2]
    assert last_inference[1:3] == ("llm_inference", calls[-1])
    for call in calls:
        assert rewind(ledger, call).invalidated[-2:] == (last_inference[0], last_inference[0] + 1)
    assert server.most_at_once == 1


def test_nested_sub_agents_have_names_of_their_own_and_link_to_the_agent_that_started_them(
    server: Standin, client: RecorderClient
) -> None:
    client.prompt("go", by=ME)
    client.inference()
    with client.sub_agent("build", "Read the log.") as outer:
        outer.inference()
        with outer.sub_agent("build", "Read the changelog.") as inner:
            inner.inference()
            with inner.sub_agent("main", "") as innermost:
                innermost.inference()
        outer.inference()
    client.inference()
    actors = [outer.actor, inner.actor, innermost.actor]
    assert actors == [f"agent:mine/sub-{name}@1.0" for name in ("build", "build-2", "main")]
    ledger = read(server)
    lanes = ledger.lanes
    assert [lane.actor for lane in lanes] == [MAIN, *actors]
    assert [None if lane.above is None else lane.above.actor for lane in lanes] == [None, MAIN, *actors[:2]]
    assert all(each[0].basis == "result" for each in links(ledger, 0).values())
    # What the innermost one did is read by everybody above it (§3 rule 4).
    deepest = next(
        seq for seq, tool, _, actor in server.rows() if (tool, actor) == ("llm_inference", actors[2])
    )
    assert rewind(ledger, deepest).invalidated == tuple(range(deepest + 1, len(ledger) + 1))


def test_an_agent_that_went_on_meanwhile_does_not_go_on_from_a_sub_agent_that_returns_late(
    server: Standin, client: RecorderClient
) -> None:
    client.prompt("go", by=ME)
    client.inference()
    background = client.sub_agent("types", "Watch the types.")
    client.inference()
    background.inference()
    background.close("2 errors")
    client.inference()
    assert [(tool, parent) for _, tool, parent, actor in server.rows() if actor == MAIN] == [
        ("llm_inference", 1), ("llm_inference", 2), ("Agent", 2), ("llm_inference", 4),
    ]  # fmt: skip


def test_a_sub_agent_that_fails_returns_the_error_and_lets_it_pass(
    server: Standin, client: RecorderClient
) -> None:
    client.prompt("go", by=ME)
    client.inference()
    with pytest.raises(RuntimeError, match="no tokens left"), client.sub_agent("x", "Do it."):
        raise RuntimeError("no tokens left")
    assert client.flush(LONG)
    call = server.event(4)
    assert (call["success"], call["result"]) == (
        False,
        {"root_seq": 3, "error": "RuntimeError: no tokens left"},
    )


@pytest.mark.parametrize(
    ("actor", "name", "expected"),
    [
        ("agent:mine@1.0", "a", "agent:mine/sub-a@1.0"),
        ("agent:mine/main", "a", "agent:mine/sub-a"),
        ("mcp:github", "a b/c@d", "mcp:github/sub-a-b-c-d"),
        ("agent:mine/main@1", "…", "agent:mine/sub-agent@1"),
    ],
)
def test_names_of_sub_agents(server: Standin, actor: str, name: str, expected: str) -> None:
    with RecorderClient(server.url, actor=actor) as client:
        assert client.sub_agent(name, "x").actor == expected


# --- rewinds


def test_after_a_rewind_what_was_cut_off_is_named_no_more(server: Standin, client: RecorderClient) -> None:
    client.prompt("go", by=ME)
    first = client.inference()
    client.tool("Edit", {"file_path": "a.py"})
    client.inference()
    failed = client.tool("Bash", success=False)
    assert first is not None
    assert client.rewind(first, by=ME, reason="the edit was wrong") == 3
    client.tool("Edit", {"file_path": "b.py"}, triggered_by=failed)
    client.inference()
    assert client.flush(LONG)
    assert server.rows() == [
        (1, "user_prompt", None, ME),
        (2, "llm_inference", 1, MAIN),
        (3, "LedgerRewind", 2, ""),
        (4, "Edit", 2, MAIN),
        (5, "llm_inference", 2, MAIN),
    ]
    ledger = read(server)
    assert ledger.generation == 1
    assert [each.event.seq for each in ledger.gone] == [3, 4, 5]


def test_after_a_rewind_each_agent_goes_on_from_the_latest_that_it_still_has(
    server: Standin, client: RecorderClient
) -> None:
    client.prompt("go", by=ME)
    client.inference()
    early = client.sub_agent("early", "Look.")
    kept = early.inference()
    middle = client.inference()
    call = client.tool("Edit")
    early.inference()
    late = client.sub_agent("late", "Look, too.")
    late.inference()
    client.inference()
    assert (kept, middle, call.seq) == (4, 5, 6)
    assert client.rewind(6) == 7
    early.tool("Read")
    late.tool("Grep")
    client.tool("Bash")
    early.inference()
    early.close("seen")
    late.close("cut off")
    client.inference()
    assert [(tool, parent, actor.split("/")[1][:9]) for _, tool, parent, actor in server.rows()[7:]] == [
        ("Read", 4, "sub-early"),
        ("Grep", 6, "sub-late@"),
        ("Bash", 5, "main@1.0"),
        ("llm_inference", 4, "sub-early"),
        ("Agent", 2, "main@1.0"),
        ("Agent", 5, "main@1.0"),
        ("llm_inference", 5, "main@1.0"),
    ]
    assert server.event(12)["result"] == {"content": "seen", "root_seq": 3}
    assert server.event(13)["result"] == "cut off"


def test_after_a_rewind_to_nothing_everything_begins_anew(server: Standin, client: RecorderClient) -> None:
    client.prompt("go", by=ME)
    client.inference()
    assert client.rewind(0) == 1
    client.tool("Bash")
    client.inference()
    client.tool("Read")
    assert client.flush(LONG)
    assert [row[1:3] for row in server.rows()[1:]] == [("Bash", None), ("llm_inference", None), ("Read", 3)]


def test_a_rewind_that_the_server_refuses_changes_nothing(
    server: Standin, client: RecorderClient, caplog: pytest.LogCaptureFixture
) -> None:
    client.prompt("go", by=ME)
    client.inference()
    assert client.rewind(7) is None
    assert "nothing to rewind" in warnings(caplog)[0]
    assert client.inference() == 3
    assert server.rows()[2] == (3, "llm_inference", 2, MAIN)


def test_a_ledger_that_others_rewound_costs_one_event_and_then_begins_anew(
    server: Standin, client: RecorderClient, caplog: pytest.LogCaptureFixture
) -> None:
    client.prompt("go", by=ME)
    client.inference()
    del server.events[:]
    assert client.inference({"text": "lost"}) is None
    (warning,) = warnings(caplog)
    assert warning == (
        f"lost llm_inference by {MAIN}: the recorder refused it with 422: "
        "triggered_by 2 names no existing, strictly earlier seq_id"
    )
    client.tool("Bash")
    assert client.inference() == 2
    client.tool("Read")
    assert client.flush(LONG)
    assert server.rows() == [(1, "Bash", None, MAIN), (2, "llm_inference", None, MAIN), (3, "Read", 2, MAIN)]


# --- values

TEXT = "zwölf Boxkämpfer\n" * 100
OBJECT = {"b": [1, 2.5, None, True], "a": {"ü": "x" * 1100}}
BINARY = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 5

VECTORS = [
    (TEXT, TEXT.encode()),
    (OBJECT, ('{"a":{"\\u00fc":"' + "x" * 1100 + '"},"b":[1,2.5,null,true]}').encode()),
    (BINARY, BINARY),
    (tuple(range(400)), ("[" + ",".join(str(n) for n in range(400)) + "]").encode()),
    (TEXT.encode(), TEXT.encode()),
]
"""Values and the bytes that stand for them (§7.2)."""


@pytest.mark.parametrize(
    ("value", "content"), VECTORS, ids=["text", "object", "binary", "tuple", "utf-8 bytes"]
)
@pytest.mark.parametrize("place", ["server", "folder", "variable"])
def test_a_large_value_is_a_blob_with_the_digest_of_its_canonical_bytes(
    server: Standin,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    value: object,
    content: bytes,
    place: str,
) -> None:
    folder = tmp_path / "blobs here"
    if place == "variable":
        monkeypatch.setenv("KORG_BLOB_DIR", str(folder))
    with RecorderClient(server.url, actor=MAIN, blobs=folder if place == "folder" else None) as client:
        client.tool("Write", {"file_path": "a", "content": value}, {"echo": value})
        assert client.flush(LONG)
    sha = hashlib.sha256(content).hexdigest()
    event = server.event(1)
    reference = {"_ref": f"sha256:{sha}", "size_bytes": len(content)}
    assert event["args"] == {"file_path": "a", "content": reference}
    assert event["result"] == {"echo": reference}
    assert event["payload_refs"] == [
        {"sha256": sha, "size_bytes": len(content), "label": label}
        for label in ("Write.content", "Write.echo")
    ]
    if place == "server":
        assert server.blobs == {sha: content}
        assert [method for method, _, _ in server.asked] == ["PUT", "POST"]
    else:
        assert (folder / sha[:2] / sha).read_bytes() == content
        assert [method for method, _, _ in server.asked] == ["POST"]


def test_a_server_that_takes_no_blobs_is_asked_once_and_they_lie_in_the_folder_of_73(
    server: Standin, client: RecorderClient, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server.takes_blobs = False
    client.tool("Write", {"content": TEXT})
    client.tool("Write", {"content": TEXT + "2"})
    assert client.flush(LONG)
    for text in (TEXT, TEXT + "2"):
        sha = hashlib.sha256(text.encode()).hexdigest()
        assert (tmp_path / ".korg" / "blobs" / sha[:2] / sha).read_text() == text
    assert [method for method, _, _ in server.asked] == ["PUT", "POST", "POST"]
    assert warnings(caplog) == [f"the server takes no blobs: they are in {tmp_path}/.korg/blobs"]


def test_a_blob_that_the_server_refuses_lies_here_and_the_next_one_is_offered_again(
    server: Standin, client: RecorderClient, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server.blob_answers = [413]
    client.tool("Write", {"content": TEXT})
    client.tool("Write", {"content": TEXT + "2"})
    assert client.flush(LONG)
    sha = hashlib.sha256(TEXT.encode()).hexdigest()
    assert (tmp_path / ".korg" / "blobs" / sha[:2] / sha).read_text() == TEXT
    assert list(server.blobs.values()) == [(TEXT + "2").encode()]
    assert warnings(caplog) == [f"the server refused a blob with 413: it is in {tmp_path}/.korg/blobs"]


def test_an_event_waits_for_its_blob(server: Standin, client: RecorderClient) -> None:
    server.blob_answers = [503, 500]
    client.tool("Write", {"content": TEXT})
    assert client.flush(LONG)
    assert [method for method, _, _ in server.asked] == ["PUT", "PUT", "PUT", "POST"]
    assert len(server.blobs) == 1


def test_a_long_prompt_is_the_same_blob_for_the_sub_agent_and_for_the_call(
    server: Standin, client: RecorderClient
) -> None:
    client.prompt("go", by=ME)
    client.inference()
    with client.sub_agent("reader", TEXT) as sub:
        sub.inference()
    assert client.flush(LONG)
    asked, call = server.event(3)["args"], server.event(5)["args"]
    assert asked["prompt"] == call["prompt"] == {
        "_ref": f"sha256:{hashlib.sha256(TEXT.encode()).hexdigest()}", "size_bytes": len(TEXT.encode()),
    }  # fmt: skip
    assert call["description"] == "reader"
    assert len(server.blobs) == 1


def test_a_blob_that_can_lie_nowhere_goes_inside_its_event(
    server: Standin, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("no folder")
    with RecorderClient(server.url, actor=MAIN, blobs=tmp_path / "file") as client:
        client.tool("Write", {"content": TEXT})
        assert client.flush(LONG)
    assert server.event(1)["args"] == {"content": TEXT}
    assert server.event(1)["payload_refs"] == []
    assert "blobs of Write by agent:mine/main@1.0 cannot be kept" in warnings(caplog)[0]


def test_secrets_are_gone_before_anything_is_hashed_or_sent(server: Standin, client: RecorderClient) -> None:
    key = "ghp_" + "a1B2" * 9
    client.prompt(f"Use {key}.", by=ME)
    client.tool("Bash", {"command": "env", "password": "hunter2"}, f"TOKEN={key}\n{TEXT}")
    with client.sub_agent("x", f"Say {key}") as sub:
        sub.close({"token": key})
    assert client.flush(LONG)
    (content,) = server.blobs.values()
    assert content.decode() == f"TOKEN=[REDACTED]\n{TEXT}"
    assert server.event(2)["args"] == {"command": "env", "password": "[REDACTED]"}
    sent = b"".join(body for _, _, body in server.asked)
    assert key.encode() not in sent
    assert b"hunter2" not in sent


def test_redaction_can_be_switched_off(server: Standin) -> None:
    with RecorderClient(server.url, actor=MAIN, redact=False) as client:
        client.tool("Bash", {"password": "hunter2"})
        assert client.flush(LONG)
    assert server.event(1)["args"] == {"password": "hunter2"}


@dataclass
class Point:
    x: int
    y: Path


class Rude:
    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ([1, (2, 3)], {"content": [1, [2, 3]]}),
        ({"set": {1}, 2: "two", None: 1.5}, {"set": [1], "2": "two", "None": 1.5}),
        ({"nan": float("nan"), "inf": float("-inf")}, {"nan": "nan", "inf": "-inf"}),
        ({"big": 2**70, "top": 2**64 - 1}, {"big": str(2**70), "top": 2**64 - 1}),
        ("half \udc80 a pair", "half \ufffd a pair"),
        (Point(1, Path("a/b")), {"x": 1, "y": "a/b"}),
        ({"object": Rude()}, {"object": "<Rude>"}),
        (
            {"bytes": b"\xff\x00", "deep": [b"\xff"]},
            {"bytes": {"base64": "/wA="}, "deep": [{"base64": "/w=="}]},
        ),
        (None, {}),
        (7, {"content": 7}),
    ],
)
def test_whatever_a_tool_returned_is_sent_as_json(
    server: Standin, client: RecorderClient, given: object, sent: object
) -> None:
    client.tool("x", None, given)
    assert client.flush(LONG)
    assert server.event(1)["result"] == sent


def test_a_circle_ends_somewhere(server: Standin, client: RecorderClient) -> None:
    circle: list[object] = []
    circle.append(circle)
    client.tool("x", {"circle": circle})
    assert client.flush(LONG)
    assert server.tools() == ["x"]


def test_what_the_agent_changes_afterwards_is_not_recorded(server: Standin, client: RecorderClient) -> None:
    server.gate.clear()
    args = {"todo": ["one"]}
    client.tool("TodoWrite", args)
    args["todo"].append("two")
    server.gate.set()
    assert client.flush(LONG)
    assert server.event(1)["args"] == {"todo": ["one"]}


# --- addresses


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "http://127.0.0.1:8080"),
        ({"KORG_SERVER_ADDR": "127.0.0.1:9000"}, "http://127.0.0.1:9000"),
        ({"KORG_BASE_URL": "http://b/", "KORG_SERVER_ADDR": "c"}, "http://b"),
        ({"KORG_URL": "https://a/korg/", "KORG_BASE_URL": "http://b"}, "https://a/korg"),
    ],
)
def test_without_an_address_the_variables_name_the_server(variables: dict[str, str], expected: str) -> None:
    assert server_url(None, variables) == expected
    assert server_url("http://given", variables) == "http://given"


@pytest.mark.parametrize("url", ["ftp://x", "http://", "http://u:p@x", "http://x?a=b", "http://x:notaport"])
def test_what_is_no_address_is_said_at_once(url: str) -> None:
    with pytest.raises(ValueError):
        RecorderClient(url, actor=MAIN)


@pytest.mark.parametrize("actor", ["mine", "human:me", "agent:", ""])
def test_what_is_no_agent_is_said_at_once(actor: str) -> None:
    with pytest.raises(ValueError, match="names no agent"):
        RecorderClient(actor=actor)


def test_a_token_is_sent_as_bearer(server: Standin) -> None:
    with RecorderClient(server.url, actor=MAIN, token="abc") as client:
        client.prompt("x")
    assert server.headers[0]["Authorization"] == "Bearer abc"


def test_a_token_of_the_environment_is_sent(server: Standin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KORG_TOKEN", "def\n")
    with RecorderClient(server.url, actor=MAIN) as client:
        client.prompt("x")
    assert server.headers[0]["Authorization"] == "Bearer def"


def test_the_environment_of_a_proxy_is_not_used(server: Standin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with RecorderClient(server.url, actor=MAIN) as client:
        assert client.prompt("x", timeout=LONG) == 1


def test_the_body_is_ascii_json_of_the_append_shape(server: Standin, client: RecorderClient) -> None:
    client.prompt("ü", by=ME)
    (_, path, body), *_ = server.asked
    assert path == "/api/agent/tool-call"
    assert body.isascii()
    assert list(json.loads(body)) == [
        "event_type", "source_agent", "tool_name", "args", "result", "success", "duration_ms", "triggered_by",
        "payload_refs",
    ]  # fmt: skip


# --- what an agent may hand over


@dataclass
class Node:
    name: str
    parent: Node | None = None
    kids: list[Node] = field(default_factory=list)


def test_a_graph_with_two_ways_back_to_itself_is_copied_at_once() -> None:
    root = Node("r")
    root.kids = [Node("a", root), Node("b", root)]
    again = "[left out: the same again, it holds itself]"
    assert plain(root)["kids"][1] == {"name": "b", "parent": again, "kids": []}
    shared: list[object] = ["lol"]
    for _ in range(70):
        shared = [shared] * 10
    budget = Budget()
    copy = plain({"deep": shared, "last": 1}, budget)
    assert budget.values > -100
    assert "more than 200,000 values" in copy["…"]


def test_what_is_larger_than_an_event_may_be_is_told_by_its_size(
    server: Standin, client: RecorderClient
) -> None:
    client.tool("Read", {"a": "y" * (17 << 20), "b": b"\xff" * (17 << 20)}, {"c": "z"})
    assert client.flush(LONG)
    assert server.event(1)["args"] == {
        "a": "[left out: 17,825,792 characters, an event has at most 16 MB]",
        "b": "[left out: 17,825,792 bytes, an event has at most 16 MB]",
    }
    assert server.event(1)["result"] == {"c": "z"}


def test_numbers_of_an_enumeration_are_numbers(server: Standin, client: RecorderClient) -> None:
    client.tool("Fetch", {}, {"status": HTTPStatus.OK})
    assert client.flush(LONG)
    assert server.event(1)["result"] == {"status": 200}


class Rough(Exception):
    """Cannot even be told."""

    def __str__(self) -> str:
        raise RuntimeError("in str")

    def __bool__(self) -> bool:
        raise RuntimeError("in bool")


def test_the_exception_of_the_agent_comes_through_whatever_it_is(
    server: Standin, client: RecorderClient
) -> None:
    with pytest.raises(Rough), client.sub_agent("x", "y"):
        raise Rough
    assert client.flush(LONG)
    assert server.event(2)["result"]["error"] == "Rough: <Rough>"


@pytest.mark.parametrize("duration", [None, "5s", 10**400, float("nan"), -3, Rough()])
def test_what_is_no_duration_is_none(server: Standin, client: RecorderClient, duration: object) -> None:
    client.tool("x", {}, {}, duration_ms=duration)  # type: ignore[arg-type]
    assert client.flush(LONG)
    assert server.event(1)["duration_ms"] == 0


def test_nothing_that_an_agent_hands_over_raises(
    server: Standin, client: RecorderClient, caplog: pytest.LogCaptureFixture
) -> None:
    recorder: Any = client
    assert recorder.prompt("x", by=None) == 1
    assert recorder.prompt("x", args=[1], timeout=float("inf")) == 2
    recorder.inference("x", args="abc", timeout="soon")
    recorder.inference("x", timeout=float("nan"))
    recorder.tool(Rough(), Rough(), Rough(), success=Rough(), triggered_by="5")
    recorder.sub_agent(None, None, args=[1]).close()
    recorder.rewind("5")
    recorder.rewind(1, by=None, reason=None)
    assert recorder.flush("x") in (True, False)
    assert client.flush(LONG)
    assert "a timeout is a number of seconds, not a str" in warnings(caplog)
    assert "lost LedgerRewind: it goes to a seq, not to a str" in warnings(caplog)
    assert any(each.startswith("triggered_by takes") for each in warnings(caplog))
