"""A recorder that is slow, away, back, or talks nonsense: the agent goes on, and what is lost is said."""

from __future__ import annotations

import json
import logging
import os
import socket
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from korg_tui.causal import links
from korg_tui.recorder.client import RecorderClient, outbox
from standin_server import LONG, Reply, Standin, read, serving

MAIN = "agent:mine/main@1.0"
ME = "human:me"


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KORG_BLOB_DIR", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(outbox, "LONGEST_PAUSE", 0.2)


@pytest.fixture
def server() -> Iterator[Standin]:
    with serving(Standin()) as standin:
        yield standin


def client_of(standin: Standin, **more: object) -> RecorderClient:
    return RecorderClient(standin.url, actor=MAIN, **{"timeout": LONG, "flush": LONG, **more})


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def take_and_hang_up(standin: Standin) -> object:
    """The event is in the ledger, its answer is not on the way."""

    def reply(method: str, target: str, body: bytes) -> Reply | None:
        standin.take(method, target, body)
        return None

    return reply


def hang_up(*_: object) -> None:
    """The event is lost on the way."""


# --- the queue


def test_one_request_at_a_time_in_the_order_of_the_calls(server: Standin) -> None:
    with client_of(server) as client:
        client.prompt("go", by=ME)
        client.inference()
        for number in range(60):
            client.tool("Bash", {"n": number, "content": "x" * 2000 if number % 9 == 0 else ""})
            if number % 20 == 0:
                client.inference()
        assert client.flush(LONG)
    posted = [json.loads(body) for method, _, body in server.asked if method == "POST"]
    assert [each["args"]["n"] for each in posted if each["tool_name"] == "Bash"] == list(range(60))
    assert server.most_at_once == 1


def test_a_full_queue_loses_its_oldest_event_and_names_it(
    server: Standin, caplog: pytest.LogCaptureFixture
) -> None:
    with client_of(server) as client:
        client.prompt("go", by=ME)
        client.inference()
        server.gate.clear()
        client.tool("first")
        server.wait_for(3)
        for number in range(256):
            client.tool(f"tool {number}")
        assert warnings(caplog) == []
        client.tool("one too many")
        lost = "lost tool 0 by agent:mine/main@1.0: 256 newer events wait, the server is away or slow"
        assert warnings(caplog) == [lost]
        client.tool("and another")
        assert [each.split(" by ")[0] for each in warnings(caplog)] == ["lost tool 0", "lost tool 1"]
        server.gate.set()
        assert client.flush(LONG)
    kept = [f"tool {number}" for number in range(2, 256)]
    assert server.tools()[2:] == ["first", *kept, "one too many", "and another"]
    assert {parent for _, _, parent, _ in server.rows()[2:]} == {2}


def test_what_hung_from_a_lost_inference_hangs_from_the_nearest_cause_that_was_taken(server: Standin) -> None:
    with client_of(server, capacity=3) as client:
        client.prompt("go", by=ME)
        client.inference()
        server.gate.clear()
        client.tool("in flight")
        server.wait_for(3)
        assert client.inference({"text": "lost"}, timeout=0) is None
        client.tool("Read")
        client.tool("Grep")
        client.tool("Bash")
        server.gate.set()
        assert client.flush(LONG)
        assert client.inference() == 7
    assert server.rows()[2:] == [
        (3, "in flight", 2, MAIN),
        (4, "Read", 2, MAIN),
        (5, "Grep", 2, MAIN),
        (6, "Bash", 2, MAIN),
        (7, "llm_inference", 2, MAIN),
    ]


def test_without_any_cause_that_was_taken_an_event_is_an_orphan(server: Standin) -> None:
    with client_of(server, capacity=1) as client:
        server.gate.clear()
        client.tool("in flight")
        server.wait_for(1)
        client.prompt("lost", by=ME, timeout=0)
        client.inference(timeout=0)
        server.gate.set()
        assert client.flush(LONG)
    assert server.rows() == [(1, "in flight", None, MAIN), (2, "llm_inference", None, MAIN)]


def test_a_sub_agent_without_its_prompt_is_linked_by_what_there_is_of_it(server: Standin) -> None:
    with client_of(server, capacity=2) as client:
        client.prompt("go", by=ME)
        client.inference()
        server.gate.clear()
        client.tool("in flight")
        server.wait_for(3)
        sub = client.sub_agent("x", "lost")
        nothing = client.sub_agent("y", "lost")
        client.tool("Read")
        client.tool("Grep")
        server.gate.set()
        assert client.flush(LONG)
        thought = sub.inference()
        sub.close("found")
        nothing.close("nothing")
        assert client.flush(LONG)
    assert server.rows()[3:] == [
        (4, "Read", 2, MAIN),
        (5, "Grep", 2, MAIN),
        (6, "llm_inference", 2, "agent:mine/sub-x@1.0"),
        (7, "Agent", 2, MAIN),
        (8, "Agent", 2, MAIN),
    ]
    assert server.event(7)["result"] == {"content": "found", "root_seq": thought}
    assert server.event(8)["result"] == "nothing"
    ledger = read(server)
    assert [lane.actor for lane in ledger.lanes] == [MAIN, "agent:mine/sub-x@1.0"]
    assert [each[0].basis for each in links(ledger, 0).values()] == ["result"]


def test_a_prompt_that_was_pushed_out_stops_waiting(
    server: Standin, caplog: pytest.LogCaptureFixture
) -> None:
    with client_of(server, capacity=1) as client:
        server.gate.clear()
        client.tool("in flight")
        server.wait_for(1)
        got: list[int | None] = []
        asking = threading.Thread(target=lambda: got.append(client.prompt("lost", by=ME)))
        asking.start()
        box = client.run.outbox
        with box.order:
            assert box.order.wait_for(lambda: box._waiting, LONG)
        client.tool("Bash")
        asking.join(LONG)
        assert got == [None]
        server.gate.set()
    assert warnings(caplog)[0].startswith(f"lost user_prompt by {ME}: 1 newer event")


# --- slow


def test_a_server_that_never_answers_keeps_nobody_waiting(
    server: Standin, caplog: pytest.LogCaptureFixture
) -> None:
    client = client_of(server)
    server.gate.clear()
    client.tool("Bash")
    server.wait_for(1)
    assert client.prompt("go", by=ME, timeout=0) is None
    assert client.inference(timeout=0) is None
    sub = client.sub_agent("x", "y")
    sub.close()
    assert not client.flush(0)
    client.close(0)
    assert [each.split(": ")[0] for each in warnings(caplog)] == [
        f"Bash by {MAIN} may be lost", f"lost user_prompt by {ME}", f"lost llm_inference by {MAIN}",
        "lost user_prompt by agent:mine/sub-x@1.0", f"lost Agent by {MAIN}",
    ]  # fmt: skip
    client.tool("Read")
    assert warnings(caplog)[-1] == f"lost Read by {MAIN}: the recorder client is closed"


def test_an_inference_that_did_not_wait_still_has_its_calls(server: Standin) -> None:
    with client_of(server) as client:
        server.gate.clear()
        assert client.prompt("go", by=ME, timeout=0) is None
        assert client.inference(timeout=0) is None
        client.tool("Bash")
        server.gate.set()
        assert client.inference() == 4
    assert [parent for _, _, parent, _ in server.rows()] == [None, 1, 2, 2]


# --- away


def test_a_server_that_is_not_there_yet_gets_everything_when_it_comes(
    caplog: pytest.LogCaptureFixture,
) -> None:
    standin = Standin(port=free_port())
    with client_of(standin) as client:
        assert client.prompt("go", by=ME) is None
        assert client.inference() is None
        client.tool("Bash", {"content": "x" * 2000})
        with serving(standin, standin.port):
            assert client.inference() == 4
            assert [parent for _, _, parent, _ in standin.rows()] == [None, 1, 2, 2]
            assert len(standin.blobs) == 1
    away, back = warnings(caplog)
    assert away.startswith(f"no recorder answers at {standin.url} (Connection refused); events wait")
    assert back == f"the recorder at {standin.url} is back"


def test_a_server_that_is_started_again_loses_nothing() -> None:
    standin = Standin()
    with serving(standin):
        client = client_of(standin)
        client.prompt("go", by=ME)
        client.inference()
    client.tool("while it was away")
    with serving(standin, standin.port):
        assert client.inference() == 4
        client.close()
    assert [parent for _, _, parent, _ in standin.rows()] == [None, 1, 2, 2]


def test_what_nobody_takes_for_a_quarter_of_an_hour_is_given_up(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from korg_tui.recorder.client.outbox import Attempt, Outbox
    from korg_tui.recorder.client.posting import Posting

    now = [0.0]

    def deliver(posting: Posting) -> Attempt:
        if posting.tool == "stuck":
            now[0] += 60
            return Attempt.AGAIN
        posting.taken(1)
        return Attempt.SETTLED

    monkeypatch.setattr(outbox, "FIRST_PAUSE", 0.0)
    box = Outbox(deliver, lambda: None, clock=lambda: now[0])
    stuck = box.put(lambda: Posting("stuck", MAIN))
    last = box.put(lambda: Posting("last", MAIN))
    with box.order:
        assert box.order.wait_for(lambda: last.seq == 1, LONG)
    box.close(0)
    assert stuck.state == "lost"
    assert warnings(caplog) == [f"lost stuck by {MAIN}: the server has not taken it for 900 s"]


def test_closing_does_not_wait_for_a_server_that_never_was(caplog: pytest.LogCaptureFixture) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    client = RecorderClient(url, actor=MAIN, flush=10_000)
    client.tool("Bash")
    client.tool("Read")
    client.close()
    assert warnings(caplog)[1:] == [
        f"lost Bash by {MAIN}: nobody answers at {url}",
        f"lost Read by {MAIN}: not delivered when the recorder client was closed",
    ]


def test_what_a_server_may_have_taken_before_it_went_may_be_lost(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from korg_tui.recorder.client.outbox import Attempt, Outbox
    from korg_tui.recorder.client.posting import Posting

    attempts = [Attempt.AGAIN]
    monkeypatch.setattr(outbox, "FIRST_PAUSE", 0.0)
    box = Outbox(lambda _: attempts.pop() if attempts else Attempt.UNREACHABLE, lambda: None)
    box.put(lambda: Posting("Bash", MAIN))
    with box.order:
        assert box.order.wait_for(lambda: box._unreachable, LONG)
    box.close(0)
    assert warnings(caplog) == [
        f"Bash by {MAIN} may be lost: its answer was not there when the recorder client was closed"
    ]


# --- answers that were lost


@pytest.mark.parametrize("parent", ["root", "child"])
def test_what_was_taken_before_the_answer_was_lost_is_not_posted_again(server: Standin, parent: str) -> None:
    with client_of(server) as client:
        if parent == "child":
            client.prompt("go", by=ME)
            client.inference()
        else:
            # An older one that looks the same, and a clock that says that it is older.
            server.take("POST", "", json.dumps(PROMPT).encode())
            server.clock_ms += 10**12
        before = len(server.events)
        server.script = [take_and_hang_up(server)]
        seq = client.prompt("go", by=ME) if parent == "root" else client.inference()
        assert seq == before + 1
        client.tool("Bash")
        assert client.flush(LONG)
    assert len(server.events) == before + 2
    assert server.rows()[-1][2] == before + 1


PROMPT = {
    "source_agent": ME, "tool_name": "user_prompt", "args": {"prompt": "go"}, "result": {}, "success": True,
    "duration_ms": 0, "event_type": "AgentToolCall", "payload_refs": [],
}  # fmt: skip


@pytest.mark.parametrize("before", [0, 1])
def test_what_was_lost_on_the_way_is_posted_again(server: Standin, before: int) -> None:
    with client_of(server) as client:
        for _ in range(before):
            client.prompt("go", by=ME)
        server.script = [hang_up, hang_up]
        assert client.prompt("go", by=ME) == before + 1
    assert len(server.events) == before + 1


def test_equal_calls_of_one_round_are_told_apart(server: Standin) -> None:
    with client_of(server) as client:
        client.prompt("go", by=ME)
        client.inference()
        client.tool("Bash", {"command": "make"})
        assert client.flush(LONG)
        server.script = [hang_up]
        client.tool("Bash", {"command": "make"})
        assert client.flush(LONG)
    assert server.tools() == ["user_prompt", "llm_inference", "Bash", "Bash"]


def test_a_journal_that_says_nothing_means_rather_twice_than_never(
    server: Standin, caplog: pytest.LogCaptureFixture
) -> None:
    server.has_journal = False
    with client_of(server) as client:
        server.script = [take_and_hang_up(server)]
        assert client.prompt("go", by=ME) == 2
    assert server.tools() == ["user_prompt", "user_prompt"]
    assert (
        f"user_prompt by {ME} is posted again, and may be in the ledger twice: its answer was lost"
        in warnings(caplog)
    )


def test_a_server_that_takes_an_event_after_all_when_its_time_is_over_has_it_twice(server: Standin) -> None:
    server.gate.clear()
    with client_of(server, request_timeout=0.3) as client:
        client.tool("Bash")
        server.wait_until(lambda: [method for method, _, _ in server.asked].count("POST") == 2)
        server.gate.set()
        assert client.flush(LONG)
        server.wait_until(lambda: len(server.events) == 2)
    assert [method for method, _, _ in server.asked][:2] == ["POST", "GET"]
    assert server.tools() == ["Bash", "Bash"]


# --- answers


def test_a_refusal_is_said_with_its_reason_and_not_tried_again(
    server: Standin, caplog: pytest.LogCaptureFixture
) -> None:
    with client_of(server) as client:
        server.script = [lambda *_: (422, {"error": "source_agent \x1b[31mis odd"})]
        assert client.prompt("go", by=ME) is None
        assert client.prompt("go again", by=ME) == 1
    assert warnings(caplog) == [
        f"lost user_prompt by {ME}: the recorder refused it with 422: source_agent ␛[31mis odd"
    ]


@pytest.mark.parametrize(
    ("status", "body"),
    [(404, b"<html>"), (401, b'{"error": "no token"}'), (413, b""), (302, b""), (400, b"[" * 100_000)],
)
def test_other_refusals(server: Standin, caplog: pytest.LogCaptureFixture, status: int, body: bytes) -> None:
    with client_of(server) as client:
        server.script = [lambda *_: (status, body)]
        assert client.prompt("go", by=ME) is None
    (warning,) = warnings(caplog)
    assert warning.startswith(f"lost user_prompt by {ME}: the recorder refused it with {status}: ")
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [429, 503, 507])
def test_not_now_is_tried_again_without_asking_the_journal(
    server: Standin, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    with client_of(server) as client:
        server.script = [lambda *_: (status, {"error": "the disk is full"})] * 2
        assert client.prompt("go", by=ME) == 1
    assert [method for method, _, _ in server.asked] == ["POST", "POST", "POST"]
    assert warnings(caplog)[0] == f"the recorder answers {status}: the disk is full; events wait"


def test_a_server_that_fails_on_one_event_does_not_stop_the_others(
    server: Standin, caplog: pytest.LogCaptureFixture
) -> None:
    with client_of(server) as client:
        server.script = [lambda *_: (500, {"error": "bug"})] * 3
        assert client.prompt("go", by=ME) is None
        assert client.prompt("on", by=ME) == 1
    assert f"lost user_prompt by {ME}: the recorder refused it with 500: bug" in warnings(caplog)


@pytest.mark.parametrize(
    "body", [b"", b"ok", b"[]", b'{"seq_id": "7"}', b'{"seq_id": true}', b'{"id": 7}', b"[" * 100_000]
)
def test_an_answer_without_a_seq_is_said_and_nothing_hangs_from_it(
    server: Standin, caplog: pytest.LogCaptureFixture, body: bytes
) -> None:
    with client_of(server) as client:
        client.prompt("go", by=ME)
        server.script = [lambda *_: (200, body)]
        assert client.inference() is None
        client.tool("Bash")
        assert client.flush(LONG)
    assert server.rows()[-1] == (2, "Bash", 1, MAIN)
    assert "the server did not say its seq" in warnings(caplog)[0]


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{",
        b"HTTP/1.1 99999 \xff\r\n\r\n",
    ],
)
def test_what_is_no_http_is_no_answer(answer: bytes, caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(LONG)

        def serve() -> None:
            with listening.accept()[0] as connection:
                connection.recv(65536)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        client = RecorderClient(f"http://127.0.0.1:{listening.getsockname()[1]}", actor=MAIN)
        client.tool("Bash")
        thread.join(LONG)
    client.close(0.2)
    assert "gives no answer" in warnings(caplog)[0]


def test_a_fault_of_our_own_loses_one_event_and_not_the_worker(
    server: Standin, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from korg_tui.recorder.client import delivery

    def broken(tool: str, *rest: object) -> object:
        if tool == "odd":
            raise KeyError("x")
        return real(tool, *rest)

    real = delivery.reference
    monkeypatch.setattr(delivery, "reference", broken)
    with client_of(server) as client:
        client.tool("odd")
        assert client.prompt("go", by=ME) == 1
    assert warnings(caplog) == [f"lost odd by {MAIN}: it could not be sent (KeyError: 'x')"]


# --- the end of the process


def run(code: str, url: str, **more: object) -> subprocess.CompletedProcess[str]:
    head = "from korg_tui.recorder.client import RecorderClient\n"
    head += f"client = RecorderClient({url!r}, actor={MAIN!r})\n"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", head + textwrap.dedent(code)],
        capture_output=True, text=True, timeout=60, check=False, **more,
    )  # fmt: skip


def test_the_end_of_the_process_delivers_what_waits(server: Standin) -> None:
    done = run("for n in range(50): client.tool('Bash', {'n': n, 'content': 'x' * 2000})", server.url)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert server.tools() == ["Bash"] * 50
    assert len(server.blobs) == 1


def test_an_exception_of_the_agent_delivers_what_waits_too(server: Standin) -> None:
    done = run("client.tool('Bash')\nclient.tool('Read')\nraise SystemExit(7)", server.url)
    assert (done.returncode, done.stderr) == (7, "")
    assert server.tools() == ["Bash", "Read"]


def test_a_server_that_never_answers_does_not_keep_a_process_for_ever(server: Standin) -> None:
    server.gate.clear()
    done = run("client.run.outbox._flush = 0.2\nfor n in range(3): client.tool('Bash')", server.url)
    assert done.returncode == 0
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == [
        "Bash by agent", "lost Bash by agent", "lost Bash by agent"
    ]  # fmt: skip


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_delivers_its_own_and_not_its_parents(server: Standin) -> None:
    done = run(
        """
        import os, warnings
        warnings.simplefilter("ignore")
        client.prompt("go", by="human:me")
        for n in range(20): client.tool("parent")
        child = os.fork()
        client.tool("child" if child == 0 else "parent")
        if child: os.waitpid(child, 0)
        """,
        server.url,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(server.tools()) == ["child", *["parent"] * 21, "user_prompt"]
    assert {parent for _, tool, parent, _ in server.rows() if tool != "user_prompt"} == {1}


def test_what_waits_takes_no_more_room_than_is_given(
    server: Standin, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "ROOM", 1 << 20)
    server.gate.clear()
    with client_of(server) as client:
        client.tool("first")
        assert server.arrived.acquire(timeout=LONG)
        for number in range(9):
            client.tool("Read", {"file_path": "a"}, f"{number}" * 200_000)
        server.gate.set()
        assert client.flush(LONG)
    assert server.tools() == ["first", *["Read"] * 5]
    assert sum("newer events wait" in each for each in warnings(caplog)) == 4
