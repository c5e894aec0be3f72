"""A ledger server for tests of the client: the facts of LEDGERS.md, in memory, and every fault on demand."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from korg_tui.causal import Journal, Ledger
from korg_tui.event import Record
from korg_tui.formats import decode
from korg_tui.sources import Grew, Replaced

WINDOW = 100
"""Events of a journal answer."""

LONG = 20.0
"""Seconds that a test waits for what has to happen."""

START_MS = 1_772_460_000_000

Reply = tuple[int, Any]
"""Status and body."""


@dataclass
class Standin:
    """The ledger, what was asked, and what to do instead of answering. `url` while it is up."""

    events: list[dict[str, Any]] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, str, bytes]] = field(default_factory=list)
    """Method, path and body of each request, in order of arrival."""
    headers: list[dict[str, str]] = field(default_factory=list)
    most_at_once: int = 0
    """How many requests were being answered at the same time, at most."""
    takes_blobs: bool = True
    blob_answers: list[int] = field(default_factory=list)
    """For the next blobs, one each: a status instead of taking it."""
    has_journal: bool = True
    script: list[Callable[[str, str, bytes], Reply | None]] = field(default_factory=list)
    """For the next posts, one each: a reply instead of the ledger's, or None to hang up without one."""
    gate: threading.Event = field(default_factory=threading.Event)
    """No post is answered while it is not set."""
    arrived: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    """Released once for each request."""
    generations: list[list[dict[str, Any]]] = field(default_factory=list)
    """What the ledger was before each rewind."""
    port: int = 0
    clock_ms: int = START_MS
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _now: int = 0

    def __post_init__(self) -> None:
        self.gate.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    # --- what tests read

    def rows(self) -> list[tuple[int, str, int | None, str]]:
        """Seq, tool, parent and actor of the events."""
        return [_row(each, each["event"]) for each in self.events]

    def event(self, seq: int) -> dict[str, Any]:
        return next(each["event"] for each in self.events if each["seq_id"] == seq)

    def tools(self) -> list[str]:
        return [tool for _, tool, _, _ in self.rows()]

    def wait_for(self, requests: int) -> None:
        """Wait until so many more requests have arrived."""
        for _ in range(requests):
            assert self.arrived.acquire(timeout=LONG), "no request came"

    def wait_until(self, true: Callable[[], bool]) -> None:
        """Wait until something has happened that no request tells of."""
        deadline = time.monotonic() + LONG
        while not true():
            assert time.monotonic() < deadline
            time.sleep(0.005)

    # --- the ledger

    def answer(self, method: str, target: str, body: bytes) -> Reply | None:
        parts = urlsplit(target)
        if method == "POST" and parts.path == "/api/agent/tool-call":
            return self._post(method, target, body)
        if method == "POST" and parts.path == "/api/rewind":
            return self._rewind(json.loads(body))
        if method == "PUT" and parts.path == "/api/blob" and self.takes_blobs:
            if self.blob_answers:
                return self.blob_answers.pop(0), {"error": "not this one"}
            sha = hashlib.sha256(body).hexdigest()
            self.blobs[sha] = body
            return 200, {"sha256": sha}
        if method == "GET" and parts.path == "/api/journal" and self.has_journal:
            return self._journal(parse_qs(parts.query))
        return 404, {"error": "not found"}

    def _post(self, method: str, target: str, body: bytes) -> Reply | None:
        with self._lock:
            instead = self.script.pop(0) if self.script else None
        if instead is not None:
            return instead(method, target, body)
        return self.take(method, target, body)

    def take(self, method: str, target: str, body: bytes) -> Reply:
        """Append an event, as the server does."""
        sent = json.loads(body)
        with self._lock:
            for name, kind in (("source_agent", str), ("tool_name", str), ("args", dict), ("success", bool)):
                if not isinstance(sent.get(name), kind):
                    return 422, {"error": f"{name} is missing or of the wrong type"}
            parent = sent.get("triggered_by")
            if parent is not None and not any(each["seq_id"] == parent for each in self.events):
                return 422, {"error": f"triggered_by {parent} names no existing, strictly earlier seq_id"}
            event = {name: sent[name] for name in sent if name != "triggered_by"}
            return 200, {"seq_id": self._append(event, parent)}

    def _append(self, event: dict[str, Any], parent: int | None) -> int:
        seq = self.events[-1]["seq_id"] + 1 if self.events else 1
        metadata = {"triggered_by": parent, "emitted_at": {"physical": self.clock_ms + seq * 1000}}
        chain = {"prev_hash": "", "entry_hash": hashlib.sha256(json.dumps([seq, event]).encode()).hexdigest()}
        self.events.append(
            {"schema_version": "1.0", "seq_id": seq, "metadata": metadata, "event": event, **chain}
        )
        return seq

    def _rewind(self, sent: dict[str, Any]) -> Reply:
        target = sent["target_seq_id"]
        with self._lock:
            if not self.events or self.events[-1]["seq_id"] <= target:
                return 422, {"error": "nothing to rewind"}
            self.generations.append(list(self.events))
            self.events = [each for each in self.events if each["seq_id"] <= target]
            seal = {"event_type": "LedgerRewind", "target_seq_id": target, "rewound_by": sent["rewound_by"]}
            return 200, {"seq_id": self._append(seal, target)}

    def _journal(self, query: dict[str, list[str]]) -> Reply:
        chosen = self.events
        if "triggered_by" in query:
            parent = int(query["triggered_by"][0])
            chosen = [each for each in self.events if each["metadata"]["triggered_by"] == parent]
            if not chosen:
                return 404, {"error": "not found"}
        lines = [json.dumps(each) for each in chosen[-WINDOW:]]
        return 200, "\n".join([f"// total events: {len(self.events)}", *lines]).encode()

    @contextmanager
    def answering(self) -> Iterator[None]:
        with self._lock:
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            yield
        finally:
            with self._lock:
                self._now -= 1


def _row(record: dict[str, Any], event: dict[str, Any]) -> tuple[int, str, int | None, str]:
    tool = event.get("tool_name", event["event_type"])
    return record["seq_id"], tool, record["metadata"]["triggered_by"], event.get("source_agent", "")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    standin: Standin

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.standin.headers.append(dict(self.headers))
        with self.standin.answering():
            self.standin.asked.append((self.command, self.path, body))
            self.standin.arrived.release()
            if self.command == "POST":
                self.standin.gate.wait()
            reply = self.standin.answer(self.command, self.path, body)
        if reply is None:
            self.close_connection = True
            return
        status, said = reply
        content = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = _answer  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        """A client that hung up."""


@contextmanager
def serving(standin: Standin, port: int = 0) -> Iterator[Standin]:
    """The server, up while the block lasts; again at the same port when that is given."""
    handler = type("Handler", (_Handler,), {"standin": standin})
    server = _Server(("127.0.0.1", port), handler)
    standin.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield standin
    finally:
        standin.gate.set()
        server.shutdown()
        server.server_close()
        thread.join()


def read(standin: Standin) -> Ledger:
    """The ledger as somebody has it who followed it, rewinds and all."""
    journal = Journal("posted")
    before: list[dict[str, Any]] = []
    for epoch, now in enumerate((*standin.generations, standin.events)):
        same = sum(old == new for old, new in zip(before, now, strict=False))
        records = tuple(_record(each) for each in now[same:])
        journal.apply(Replaced(records[0].offset, records, epoch) if epoch else Grew(records))
        before = now
    (ledger,) = journal.ledgers
    return ledger


def _record(event: dict[str, Any]) -> Record:
    """Its offset is made of its seq: it only has to ascend."""
    return msgspec.structs.replace(decode(json.dumps(event).encode(), 0), offset=event["seq_id"] * 1_000_000)
