"""One kept-alive connection to a ledger server: ask, and know what a failure means for what was asked.

Everything that the server sends is bounded and taken for hostile. Redirects are not followed, and proxies of
the environment not used: a recorder is near.
"""

from __future__ import annotations

import http.client
import os
import select
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

DEFAULT_URL = "http://127.0.0.1:8080"
VARIABLES = ("KORG_URL", "KORG_BASE_URL", "KORG_SERVER_ADDR")
"""Which name a server, the first that is set (LEDGERS.md, HTTP)."""

LARGEST_ANSWER = 32 << 20
"""Bytes of an answer that are read."""


class Unreachable(Exception):
    """Nobody answers there: nothing was sent."""


class Unanswered(Exception):
    """It was sent, in whole or in part, and no whole answer came: the server may have done it or not."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server said."""

    status: int
    body: bytes

    @property
    def fine(self) -> bool:
        """Whether the server did what it was asked for."""
        return 200 <= self.status < 300


def server_url(url: str | None, environment: Mapping[str, str] = os.environ) -> str:
    """The address of the server: as given, else the first variable that is set, else the default."""
    named = url or next((environment[name] for name in VARIABLES if environment.get(name)), DEFAULT_URL)
    named = named.strip()
    return (named if "://" in named else f"http://{named}").rstrip("/")


class Connection:
    """A connection to the server at `url` that is opened when it is needed, and again when it was lost.

    `timeout` is in seconds, for each wait for the server. For one thread at a time. Raises `ValueError` for
    an address that no server can have.
    """

    def __init__(self, url: str, *, token: str | None = None, timeout: float = 10.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is no http:// address of a server")
        if parts.username or parts.query or parts.fragment:
            raise ValueError(
                "an address of a server has no user, query, or fragment; give token= for a bearer token"
            )
        self.url = url
        self.opened = 0
        """How many connections there have been: another one may lead to another server."""
        self._path = parts.path.rstrip("/")
        self._headers = {"Accept-Encoding": "identity", "User-Agent": "korg-tui"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._http = _open(parts.scheme, parts.hostname, parts.port, timeout)

    def ask(
        self, method: str, path: str, body: bytes | None = None, kind: str = "application/json"
    ) -> Answer:
        """Send one request and read its answer. Raises `Unreachable` or `Unanswered`."""
        headers = self._headers if body is None else self._headers | {"Content-Type": kind}
        self._connect()
        try:
            self._http.request(method, self._path + path, body, headers)
            with self._http.getresponse() as response:
                content = response.read(LARGEST_ANSWER + 1)
                missing = response.length
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            raise Unanswered(_words(error)) from None
        if missing or len(content) > LARGEST_ANSWER:
            self.close()
        if missing and len(content) <= LARGEST_ANSWER:
            raise Unanswered("the answer broke off")
        return Answer(response.status, content[:LARGEST_ANSWER])

    def _connect(self) -> None:
        if self._http.sock is not None and _is_over(self._http.sock):
            self.close()
        if self._http.sock is not None:
            return
        try:
            self._http.connect()
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            raise Unreachable(_words(error)) from None
        self.opened += 1

    def close(self) -> None:
        """Hang up; the next `ask` connects again."""
        self._http.close()


def _open(scheme: str, host: str, port: int | None, timeout: float) -> http.client.HTTPConnection:
    if scheme == "https":
        return http.client.HTTPSConnection(host, port, timeout=timeout, context=ssl.create_default_context())
    return http.client.HTTPConnection(host, port, timeout=timeout)


def _is_over(sock: socket.socket) -> bool:
    """Between two requests a server has nothing to say, except that it hangs up."""
    waiting = select.poll()
    waiting.register(sock, select.POLLIN)
    return bool(waiting.poll(0))


def _words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
