"""Web: one connection to one server, that asks with limits for everything: time, size, and trust."""

from __future__ import annotations

import socket
import ssl
import threading
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx
import msgspec

from korg_tui import __version__
from korg_tui.sources.errors import reason
from korg_tui.sources.http.address import Address

LARGEST = 256 << 20
"""Bytes of the largest answer that is taken, unpacked."""

CONNECT_SECONDS = 3.0
READ_SECONDS = 10.0
TOTAL_SECONDS = 60.0

_BUSY = (408, 425, 429)
_WANTS_TOKEN = (401, 403)


class Away(Exception):
    """The server cannot be reached, or says itself that it cannot answer now; the text says why."""


class Nonsense(Exception):
    """An answer that makes no sense; the text says why."""


class NotKorg(Nonsense):
    """An answer that a Korg server does not give; the text says why."""


class TooLarge(Nonsense):
    """An answer that is not taken whole. `size` is what the server says of it, None when it does not."""

    def __init__(self, largest: int, size: int | None) -> None:
        super().__init__(f"the answer is larger than {largest >> 20} MB")
        self.size = size


class Answer(msgspec.Struct, frozen=True):
    """What came back. `status` is 200, 304, or 404; header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


Received = Generator[tuple[int, int], None, Answer]
"""Gives how many bytes have come and how many there will be (0: unknown), and returns the answer."""


class Web:
    """Asks one server with one connection that is kept alive. One thread at a time asks; any may close.

    No cookies, no redirects; no proxies of the environment on the way to this machine. `token` is sent as
    a bearer token in the place of the credentials of the address. `seconds` are for a whole answer."""

    def __init__(
        self, address: Address, *, token: str = "", largest: int = LARGEST, seconds: float = TOTAL_SECONDS
    ) -> None:
        self.address = address
        self._token = token
        self._largest = largest
        self._seconds = seconds
        self._client: httpx.Client | None = None
        self._socket: socket.socket | None = None
        self._late = False
        self.closed = False

    def get(self, path: str, *, etag: str = "", largest: int | None = None) -> Answer:
        """Ask for a path. Raises `Away`, `Nonsense`."""
        receiving = self.receive(path, etag=etag, largest=largest)
        while True:
            try:
                next(receiving)
            except StopIteration as done:
                answer: Answer = done.value
                return answer

    def receive(self, path: str, *, etag: str = "", largest: int | None = None) -> Received:
        """`get`, step by step."""
        headers = {"if-none-match": etag} if etag.isascii() and etag.isprintable() and etag else {}
        with self._asked(path, headers) as response:
            _judge(response)
            body = yield from _body(response, largest or self._largest)
            return Answer(response.status_code, dict(response.headers), body)

    @contextmanager
    def _asked(self, path: str, headers: dict[str, str]) -> Iterator[httpx.Response]:
        self._late = False
        timer = threading.Timer(self._seconds, self._too_late)
        timer.daemon = True
        timer.start()
        try:
            with self._sent(path, headers) as response:
                yield response
        except httpx.HTTPError as error:
            if self.closed:
                raise Away("it is not asked any more") from None
            if self._late:
                raise Away(f"the answer takes longer than {self._seconds:g} s") from None
            raise _failure(error) from None
        except httpx.InvalidURL:
            raise NotKorg("the address cannot be asked") from None
        finally:
            timer.cancel()

    @contextmanager
    def _sent(self, path: str, headers: dict[str, str]) -> Iterator[httpx.Response]:
        client = self._opened()
        request = client.build_request(
            "GET", self.address.base + path, headers=headers, extensions={"trace": self._trace}
        )
        try:
            response = client.send(request, stream=True)
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError) as error:
            if self._late or self.closed or not _ended_while_idle(error):
                raise
            response = client.send(request, stream=True)
        try:
            yield response
        finally:
            response.close()

    def _opened(self) -> httpx.Client:
        if self.closed:
            raise Away("it is not asked any more")
        if self._client is None:
            address = self.address
            headers = {"accept-encoding": "gzip", "user-agent": f"korg-tui/{__version__}"}
            if self._token:
                headers["authorization"] = f"Bearer {self._token}"
            self._client = httpx.Client(
                headers=headers,
                auth=(address.user, address.password) if address.user and not self._token else None,
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
                timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
                limits=httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=75),
                trust_env=not address.loopback,
                verify=address.base.startswith("https:"),  # reading certificates takes time
            )
        return self._client

    def _trace(self, name: str, found: dict[str, Any]) -> None:
        if name in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._socket = found["return_value"].get_extra_info("socket")
            if self.closed:
                self._hang_up()

    def _too_late(self) -> None:
        self._late = True
        self._hang_up()

    def _hang_up(self) -> None:
        """End what waits for the server, in whatever thread it waits."""
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection; an answer that is awaited is `Away`."""
        self.closed = True
        self._hang_up()
        if self._client is not None:
            self._client.close()


def _ended_while_idle(error: Exception) -> bool:
    """A connection that was kept alive and that the server closed meanwhile, before it saw the question."""
    return not isinstance(error, httpx.RemoteProtocolError) or "disconnected" in str(error)


def _judge(response: httpx.Response) -> None:
    status = response.status_code
    if status in (200, 304, 404):
        return
    if status >= 500 or status in _BUSY:
        raise Away(f"it answers {status}")
    if status in _WANTS_TOKEN:
        raise NotKorg(f"it answers {status}: set KORG_TOKEN to a token that it knows")
    if 300 <= status < 400:
        raise NotKorg("it redirects to another address, which is not followed")
    raise NotKorg(f"it answers {status}")


def _body(response: httpx.Response, largest: int) -> Generator[tuple[int, int], None, bytes]:
    packed = response.headers.get("content-encoding", "identity").strip().lower()
    if packed not in ("identity", "gzip"):
        raise Nonsense("the answer is packed in a way that was not asked for")
    said = response.headers.get("content-length", "")
    size = int(said) if said.isascii() and said.isdecimal() and len(said) < 20 else 0
    if size > largest:
        raise TooLarge(largest, size)
    chunks: list[bytes] = []
    unpack = _Gzip() if packed == "gzip" else None
    done = came = 0
    for chunk in response.iter_raw():
        came += len(chunk)
        part = chunk if unpack is None else unpack(chunk, largest - done + 1)
        chunks.append(part)
        done += len(part)
        if done > largest:
            raise TooLarge(largest, None if unpack else size or None)
        yield came, size
    if unpack is not None and came and not unpack.complete:
        raise Nonsense("the answer is cut off")
    return b"".join(chunks)


class _Gzip:
    def __init__(self) -> None:
        self._unpack = zlib.decompressobj(wbits=31)

    def __call__(self, chunk: bytes, at_most: int) -> bytes:
        try:
            return self._unpack.decompress(chunk, at_most)
        except zlib.error:
            raise Nonsense("the answer is packed, and damaged") from None

    @property
    def complete(self) -> bool:
        return self._unpack.eof


def _failure(error: httpx.HTTPError) -> Away | Nonsense:
    match error:
        case httpx.ConnectTimeout():
            return Away(f"no connection within {CONNECT_SECONDS:g} s")
        case httpx.TimeoutException():
            return Away(f"no answer within {READ_SECONDS:g} s")
        case httpx.RemoteProtocolError() if "disconnected" in str(error):
            return Away("it closes the connection without an answer")
        case httpx.RemoteProtocolError() if "closed" in str(error):
            return Nonsense("the answer is cut off")
        case httpx.ProtocolError():
            return NotKorg("it does not speak HTTP")
    return Away(_why(error))


def _why(error: BaseException) -> str:
    """The refusal of the operating system at the bottom of an error."""
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, socket.gaierror):
            return "its name cannot be found"
        if isinstance(found, ssl.SSLError):
            return "no secure connection: its certificate or its protocol is not trusted"
        if isinstance(found, OSError):
            return reason(found)
        found = found.__cause__ or found.__context__
    return "the connection broke"
