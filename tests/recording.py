"""Recorders for tests: a server in a thread, or as a process of its own, and plain HTTP to ask it.

with recording(tmp_path / ".korg") as server:
    answer = server.post(call("Read", triggered_by=1))
    answer.status, answer.json()
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from korg_tui.recorder.server.application import application, hosts_of
from korg_tui.recorder.server.committer import Committer
from korg_tui.recorder.server.intake import Recorder
from korg_tui.recorder.server.listening import server
from korg_tui.recorder.store import Store

DEADLINE = 60.0
"""Seconds after which something that should happen has failed."""


def call(tool: str = "Read", triggered_by: int | None = None, **more: Any) -> dict[str, Any]:
    """The body of a post, as the specification has it."""
    body = {
        "event_type": "AgentToolCall",
        "source_agent": "agent:test@1",
        "tool_name": tool,
        "args": {},
        "result": {},
        "success": True,
        "duration_ms": 1,
        "triggered_by": triggered_by,
        "payload_refs": [],
    }
    return {**body, **more}


@dataclass
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    def lines(self) -> list[dict[str, Any]]:
        """The events of a journal in the wire form."""
        first, *events = self.body.split(b"\n")
        assert re.fullmatch(rb"// total events: \d+", first)
        return [json.loads(event) for event in events]

    @property
    def total(self) -> int:
        return int(self.body.split(b"\n")[0].removeprefix(b"// total events: "))


@dataclass
class Asked:
    """A server at a port of this machine, asked over plain HTTP."""

    port: int
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
        connection = self.connect()
        try:
            return ask(connection, method, path, body, self.headers | (headers or {}))
        finally:
            connection.close()

    def post(self, body: Any) -> Answer:
        return self.ask("POST", "/api/agent/tool-call", body)

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, headers={name.replace("_", "-"): text for name, text in headers.items()})

    def rewind(self, target: int, **more: Any) -> Answer:
        return self.ask("POST", "/api/rewind", {"target_seq_id": target, **more})

    def raw(self, data: bytes) -> bytes:
        """Whatever comes back for these bytes until the server hangs up."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE) as client:
            client.sendall(data)
            return b"".join(iter(lambda: client.recv(65536), b""))


def ask(
    connection: http.client.HTTPConnection, method: str, path: str, body: Any = None, headers: Any = None
) -> Answer:
    """One request on a connection that stays open. A body that is no bytes is sent as JSON."""
    content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    kind = {} if content is None else {"Content-Type": "application/json"}
    connection.request(method, path, content, {**kind, **(headers or {})})
    response = connection.getresponse()
    names = {name.lower(): text for name, text in response.getheaders()}
    return Answer(response.status, names, response.read())


@dataclass
class Recording(Asked):
    """A server of this process."""

    store: Store = field(kw_only=True)
    recorder: Recorder = field(kw_only=True)

    def ledger(self) -> list[dict[str, Any]]:
        """The events that the file holds."""
        return [json.loads(line) for line in self.store.path.read_bytes().splitlines()]


@contextlib.contextmanager
def recording(
    where: Path | Store, *, token: str = "", seconds: float = DEADLINE, **options: Any
) -> Iterator[Recording]:
    """A server over a store, until the block ends."""
    store = where if isinstance(where, Store) else Store(where)
    committer = Committer(store)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    recorder = Recorder(store, committer, **options)
    running = server(application(recorder, hosts=hosts_of("127.0.0.1", port), token=token, seconds=seconds))
    thread = threading.Thread(target=lambda: asyncio.run(running.serve(sockets=[listener])))
    thread.start()
    try:
        yield Recording(port, store=store, recorder=recorder)
    finally:
        running.should_exit = True
        thread.join()
        committer.stop()
        store.close()


SERVE = "import sys; from korg_tui.cli import main; sys.exit(main(['serve', *sys.argv[1:]]))"


@dataclass
class Process(Asked):
    """A server as a process of its own."""

    popen: subprocess.Popen[str] = field(kw_only=True)
    said: str = field(kw_only=True)
    """What it said on standard error when it began."""

    def kill(self) -> None:
        self.popen.kill()
        self.popen.wait(DEADLINE)

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Its exit code, and what else it said."""
        self.popen.send_signal(number)
        _, said = self.popen.communicate(timeout=DEADLINE)
        return self.popen.returncode, said


@contextlib.contextmanager
def process(
    store: Path, *options: str, code: str = SERVE, environment: dict[str, str] | None = None
) -> Iterator[Process]:
    """`korg-tui serve` on a free port; killed when the block ends before it does."""
    popen = subprocess.Popen(
        [sys.executable, "-c", code, "--port", "0", "--store", str(store), *options],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, cwd=store.parent, env=os.environ | {"KORG_TOKEN": ""} | (environment or {}),
    )  # fmt: skip
    try:
        assert popen.stderr is not None
        said = ""
        while "in another terminal" not in said:
            line = popen.stderr.readline()
            assert line, said or f"it ended with {popen.wait()}"
            said += line
        found = re.search(r"listening at http://127\.0\.0\.1:(\d+)", said)
        assert found, said
        yield Process(int(found[1]), popen=popen, said=said)
    finally:
        with contextlib.suppress(OSError):
            popen.kill()
        popen.communicate()
