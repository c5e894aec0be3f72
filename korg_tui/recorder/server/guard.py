"""Who may ask, how long they may take, and how much they may send: the doors in front of the endpoints."""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from korg_tui.faults import report
from korg_tui.recorder.store.calls import Refused
from korg_tui.recorder.store.disk import StoreChanged

LARGEST_BODY = 16 << 20
"""Bytes of a request's body that are taken."""

_DRAINED = 64 << 20
"""Bytes over that which are still read, so that whoever sends them hears why they are refused."""

MOST_HELD = 256 << 20
"""Bytes of bodies that are held at once."""

_OWN_SITE = frozenset({"same-origin", "none"})
_CLOSE = {"connection": "close"}
_log = logging.getLogger("korg_tui.recorder")


def refusal(refused: Refused, headers: dict[str, str] | None = None) -> JSONResponse:
    """The answer to a request that cannot be granted."""
    return JSONResponse({"error": refused.text}, refused.status, headers)


class Guard:
    """Refuses what a web page in a browser could send here: a `Host` that is not ours (DNS rebinding), an
    `Origin` that is not ours. With a token, refuses everybody who does not have it, and then any `Host` does.
    """

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str], token: str = "") -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        refused = self._refused(headers)
        if refused is None:
            await self._app(scope, receive, send)
            return
        more = {"www-authenticate": "Bearer"} if refused.status == 401 else {}
        await refusal(refused, _CLOSE | more)(scope, receive, send)

    def _refused(self, headers: Headers) -> Refused | None:
        host = headers.get("host", "").lower()
        if not self._token and host not in self._hosts:
            return Refused("the Host header names another server than this one", 403)
        if any(origin.lower() != f"http://{host}" for origin in headers.getlist("origin")):
            return Refused("requests from other web pages are refused (Origin)", 403)
        if any(site not in _OWN_SITE for site in headers.getlist("sec-fetch-site")):
            return Refused("requests from other web pages are refused (Sec-Fetch-Site)", 403)
        if self._token and not self._has_token(headers.get("authorization", "")):
            return Refused("a bearer token is needed: Authorization: Bearer TOKEN", 401)
        return None

    def _has_token(self, authorization: str) -> bool:
        scheme, _, given = authorization.partition(" ")
        right = hmac.compare_digest(given.strip().encode(), self._token)
        return right and scheme.lower() == "bearer"


class Patience:
    """Ends requests whose bodies do not come in time, and turns faults of ours into a 500."""

    def __init__(self, app: ASGIApp, *, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        deadline = asyncio.get_running_loop().time() + self._seconds
        started = received = False

        async def receive_in_time() -> Message:
            nonlocal received
            # Behind the body, this only waits for the client to hang up.
            async with asyncio.timeout_at(None if received else deadline):
                message = await receive()
            received = not message.get("more_body", False)
            return message

        async def send_and_note(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive_in_time, send_and_note)
        except TimeoutError:
            late = Refused(f"the request did not come within {self._seconds:g} seconds", 408)
            await refusal(late, _CLOSE)(scope, receive, send)
        except ClientDisconnect:
            pass
        except StoreChanged as changed:
            _log.error("%s", changed)
            if started:
                raise  # which ends the connection, so that the client sees that something lacks
            await refusal(Refused(str(changed), 503), _CLOSE)(scope, receive, send)
        except Exception as fault:
            _log.error("%s", report(fault))
            if started:
                raise
            await refusal(Refused("an internal fault", 500), _CLOSE)(scope, receive, send)


class Bodies:
    """The bodies of the requests that are at work, all together."""

    def __init__(self) -> None:
        self._held = 0

    @asynccontextmanager
    async def of(self, request: Request) -> AsyncIterator[bytes]:
        """The body of a request, which counts for as long as the block lasts. Raises `Refused`: 413 when it
        is too large, declared or not; 503 when there are too many at once."""
        declared = request.headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > LARGEST_BODY + _DRAINED:
            raise _too_large()
        body = bytearray()
        size = held = 0
        try:
            async for chunk in request.stream():
                size += len(chunk)
                if size > LARGEST_BODY + _DRAINED:
                    break
                if size > LARGEST_BODY:
                    body.clear()
                    continue
                held += len(chunk)
                self._held += len(chunk)
                if self._held > MOST_HELD:
                    raise Refused("too many large requests at once; try again", 503)
                body += chunk
            if size > LARGEST_BODY:
                raise _too_large()
            yield bytes(body)
        finally:
            self._held -= held


def _too_large() -> Refused:
    return Refused(f"the body is larger than {LARGEST_BODY >> 20} MB; put large content into blobs", 413)
