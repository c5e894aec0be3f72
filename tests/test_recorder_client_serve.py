"""The client and the server of this project, as processes: nothing is lost, and nothing is there twice."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from korg_tui.recorder.client import RecorderClient
from korg_tui.recorder.references import digest
from standin_server import LONG

MAIN = "agent:mine/main@1.0"


class Server:
    """A server in a process of its own, at the same port and with the same store whenever it is started."""

    def __init__(self, store: Path) -> None:
        self.store = store
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "korg_tui.recorder.demo", str(self.port), str(self.store)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        assert "listening" in self.process.stderr.readline()

    def kill(self) -> None:
        """SIGKILL, with whatever it is doing."""
        self.process.kill()
        self.process.communicate(timeout=LONG)

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=LONG)

    def events(self) -> list[dict[str, Any]]:
        lines = (self.store / "korg-tui.jsonl").read_bytes().splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KORG_BLOB_DIR", raising=False)
    monkeypatch.chdir(tmp_path)


def test_a_server_that_is_killed_at_any_moment_has_every_event_once(tmp_path: Path) -> None:
    server = Server(tmp_path / "store")
    with RecorderClient(server.url, actor=MAIN, timeout=LONG, flush=LONG) as client:
        client.prompt("go", by="human:me")
        client.inference()
        calls = []
        for kill in range(3):
            for number in range(80):
                content = f"{kill} {number} " * (200 if number % 10 == 0 else 1)
                calls.append(client.tool("Bash", {"call": len(calls), "content": content}))
            with client.run.outbox.order:
                half = calls[len(calls) - 40]
                assert client.run.outbox.order.wait_for(lambda half=half: half.seq is not None, LONG)
            server.kill()
            server.start()
        assert client.flush(LONG)
    server.stop()
    events = server.events()
    assert [each["event"]["args"]["call"] for each in events[2:]] == list(range(240))
    assert [call.seq for call in calls] == [each["seq_id"] for each in events[2:]]
    assert {each["metadata"]["triggered_by"] for each in events[2:]} == {2}
    for each in events:
        for ref in each["event"]["payload_refs"]:
            path = server.store / "blobs" / ref["sha256"][:2] / ref["sha256"]
            assert digest(path.read_bytes()) == ref["sha256"]


def test_another_store_behind_the_same_address_begins_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server = Server(tmp_path / "store")
    with RecorderClient(server.url, actor=MAIN, timeout=LONG, flush=LONG) as client:
        client.prompt("go", by="human:me")
        client.inference()
        server.stop()
        server.store = tmp_path / "another"
        server.start()
        assert client.inference() is None
        assert client.inference() == 1
        client.tool("Bash")
        assert client.flush(LONG)
    server.stop()
    assert [each["metadata"]["triggered_by"] for each in server.events()] == [None, 1]
    assert "the recorder refused it with 422: triggered_by names 2" in caplog.text
