"""A ledger server for tests, real to the socket, with the facts of the public one (LEDGERS, HTTP): the last
100 events, children by `triggered_by`, 404s, the whole ledger under capabilities, no `since`, no ETag.
Everything that can be wrong with a server is a switch.

    with WireServer() as server:
        server.hold(book.nested())
        HttpSource(server.url)
"""

from __future__ import annotations

import gzip
import hashlib
import json
import socket
import threading
from contextlib import suppress
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

WINDOW = 100
PAGE = b"<!doctype html><html><title>Something else</title></html>"


class WireServer:
    """Serves `lines`, the NDJSON of a ledger, from its own thread. Switches may be turned at any time."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.blobs: dict[str, bytes] = {}
        self.wrong = ""
        """What is wrong with the journal: `html`, `garbage`, `torn` (a line cut off, well packed), `cut` (the
        body ends too early), `redirect`, `endless`, `slow`, `silent`, `lies` (a total that cannot be),
        `packed` (an encoding nobody asked for), `bomb`, `not http`, or a status."""
        self.capabilities: str = "whole"
        """`whole`, `none`, `garbage`, `old` (what there was when it was set), or `endless`."""
        self.gzip = False
        self.etag = False
        self.token = ""
        self.own = False
        """Speak as our own server does, header and all."""
        self.store, self.generation = "here", 0
        self.cookie = ""
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.connections = 0
        self.old: list[bytes] = []
        self.released = threading.Event()
        self._server: _Server | None = None
        self._port = 0

    # the ledger

    def hold(self, ledger: bytes) -> None:
        """Have this ledger from now on."""
        self.lines = [line for line in ledger.split(b"\n") if line]

    # running

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> WireServer:
        self.comes()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        if self._server is not None:
            self.goes()

    def comes(self) -> None:
        """Listen, at the port it had before if it had one."""
        self._server = _Server(("127.0.0.1", self._port), self)
        self._port = self._server.server_address[1]
        thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        thread.start()

    def hangs_up(self) -> None:
        """Close every connection, as a server does with idle ones."""
        assert self._server is not None
        for connection in list(self._server.open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def goes(self) -> None:
        """Be away: close the port, and every connection."""
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()
        self.hangs_up()
        self._server = None

    # answers

    def count(self, beginning: str) -> int:
        """How often a path that begins so was asked for."""
        return sum(path.startswith(beginning) for path in self.asked)

    def journal(self, asked: dict[str, list[str]]) -> bytes | None:
        """The wire form; None where the server answers 404."""
        lines = self.lines
        if self.own and "after" in asked:
            after, limit = int(asked["after"][0]), int(asked.get("limit", ["1000"])[0])
            lines = [line for line in lines if seq_of(line) > after][: min(limit, 5000)]
        elif "triggered_by" in asked:
            parent = int(asked["triggered_by"][0])
            lines = [line for line in lines if parent_of(line) == parent][-WINDOW:]
            if not lines:
                return None
        else:
            lines = lines[-WINDOW:]
        return b"// total events: %d\n" % len(self.lines) + b"\n".join(lines)

    def mark(self) -> str:
        last = json.loads(self.lines[-1]) if self.lines else {"seq_id": 0, "entry_hash": "0" * 64}
        parts = {
            "store": self.store,
            "generation": self.generation,
            "total": len(self.lines),
            "last": last["seq_id"],
            "tip": last["entry_hash"],
        }
        return "; ".join(f"{name}={value}" for name, value in parts.items())


@lru_cache(maxsize=10_000)
def seq_of(line: bytes) -> int:
    found: int = json.loads(line).get("seq_id", 0)
    return found


@lru_cache(maxsize=10_000)
def parent_of(line: bytes) -> Any:
    record = json.loads(line)
    return record.get("triggered_by", record.get("metadata", {}).get("triggered_by"))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, place: tuple[str, int], wire: WireServer) -> None:
        self.wire = wire
        self.open: set[socket.socket] = set()
        super().__init__(place, _Handler)

    def server_bind(self) -> None:
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "wire", self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients hang up; tests say when."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.server.open.add(self.connection)
        self.server.wire.connections += 1

    def finish(self) -> None:
        self.server.open.discard(self.connection)
        with suppress(OSError):
            super().finish()

    def log_message(self, *_: Any) -> None:
        """Tests are quiet."""

    def do_GET(self) -> None:
        wire = self.server.wire
        wire.asked.append(self.path)
        wire.headers.append({name.lower(): value for name, value in self.headers.items()})
        path, asked = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        if wire.token and self.headers.get("authorization") != f"Bearer {wire.token}":
            self.give(401, b"")
        elif path == "/api/journal":
            self.wrong_journal() if wire.wrong else self.good_journal(asked)
        elif path == "/api/capabilities":
            self.whole()
        elif path.startswith("/api/blob/"):
            blob = wire.blobs.get(path.removeprefix("/api/blob/"))
            self.give(404, b"{}") if blob is None else self.give(200, blob)
        else:
            self.give(404, b"{}")

    def good_journal(self, asked: dict[str, list[str]]) -> None:
        body = self.server.wire.journal(asked)
        if body is None:
            self.give(404, b'{"error":"not found in ledger index"}')
        else:
            self.give(200, body, tagged=True)

    def whole(self) -> None:
        wire = self.server.wire
        if wire.capabilities == "none":
            self.give(404, b"{}")
        elif wire.capabilities == "garbage":
            self.give(200, PAGE)
        elif wire.capabilities == "endless":
            self.endless(b'{"events":[')
        else:
            lines = wire.old if wire.capabilities == "old" else wire.lines
            events = b", ".join(json.dumps(json.loads(line), indent=1).encode() for line in lines)
            self.give(200, b'{"nodes": {}, "active_states": {}, "events": [' + events + b"]}")

    def wrong_journal(self) -> None:
        wire = self.server.wire
        body = wire.journal({}) or b""
        match wire.wrong:
            case "html":
                self.give(200, PAGE)
            case "garbage":
                self.give(200, b"\x00\xff\xfe\x01" * 64)
            case "torn":
                self.give(200, body[:-20])
            case "cut":
                self.give(200, body, length=len(body) + 10)
                self.close_connection = True
            case "lies":
                self.give(200, b"// total events: 1\n" + body.partition(b"\n")[2])
            case "redirect":
                self.give(302, b"", location=f"{wire.url}/elsewhere")
            case "packed":
                self.give(200, body, **{"content-encoding": "br"})
            case "bomb":
                self.give(200, gzip.compress(b" " * (8 << 20)), **{"content-encoding": "gzip"})
            case "endless":
                self.endless(b"// total events: 1\n")
            case "slow":
                self.drips(body)
            case "silent":
                wire.released.wait(60)
                self.close_connection = True
            case "not http":
                self.wfile.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")
                self.close_connection = True
            case status:
                self.give(int(status), b"{}")

    def give(
        self, status: int, body: bytes, *, tagged: bool = False, length: int | None = None, **headers: str
    ) -> None:
        wire = self.server.wire
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"' if wire.etag or wire.own else ""
        if tagged and tag and self.headers.get("if-none-match") == tag:
            status, body = 304, b""
        if wire.gzip and body and "content-encoding" not in headers:
            body, headers = gzip.compress(body), {**headers, "content-encoding": "gzip"}
        self.send_response(status)
        if status != 304:
            self.send_header("content-length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name, value)
        if tagged and tag:
            self.send_header("etag", tag)
        if tagged and wire.own:
            self.send_header("Korg-Tui-Journal", wire.mark())
        if wire.cookie:
            self.send_header("set-cookie", wire.cookie)
        self.end_headers()
        self.wfile.write(body)

    def endless(self, beginning: bytes) -> None:
        self.send_response(200)
        self.end_headers()
        self.close_connection = True
        self.wfile.write(beginning)
        while not self.server.wire.released.is_set():
            self.wfile.write(b" " * 65536)

    def drips(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        for position in range(len(body)):
            self.wfile.write(body[position : position + 1])
            if self.server.wire.released.wait(0.02):
                break
        self.close_connection = True
