"""The endpoints of a ledger server over a store (LEDGERS.md, HTTP; SPEC §1.2, §7)."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from urllib.parse import quote

from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from korg_tui.recorder.redact import redact
from korg_tui.recorder.references import digest
from korg_tui.recorder.server.guard import Guard, Patience, refusal
from korg_tui.recorder.server.intake import Counts, Recorder
from korg_tui.recorder.store import Head, Span, View
from korg_tui.recorder.store.blobs import is_name
from korg_tui.recorder.store.calls import Refused, read_object, text_field, whole
from korg_tui.recorder.store.disk import StoreChanged, pieces

WINDOW = 100
"""Events that the journal gives when it is asked for no others."""

_LIMIT, _LARGEST_LIMIT = 1000, 5000
_PAGE = 8 << 20
_LARGEST_WINDOW = 16 << 20
_AT_ONCE = 1 << 20
"""Bytes of an answer that is not sent in pieces."""

_LARGEST_REWIND = 64 << 10
_LARGEST_SEQ = 2**53 - 1
_LONGEST_TEXT = 4096
_LONGEST_TROUBLE = 200
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

_LINES = "application/x-ndjson"

_log = logging.getLogger("korg_tui.recorder")


async def post_call(request: Request, recorder: Recorder) -> Response:
    """`POST /api/agent/tool-call`: 200 `{"seq_id": n}` when the event is on the disk."""
    async with recorder.bodies.of(request) as body:
        return JSONResponse({"seq_id": await recorder.post(body)})


async def get_journal(request: Request, recorder: Recorder) -> Response:
    """`GET /api/journal`: the last 100 events; `?triggered_by=K`: the last 100 direct children, 404 when
    there are none; `?after=SEQ&limit=N`: what comes behind SEQ. First a line with the total. Of many that are
    large, only as many as fit in 16 MB (8 MB behind SEQ), but one at least."""
    cause = _number(request, "triggered_by")
    after = _number(request, "after")
    limit = _number(request, "limit")
    with contextlib.ExitStack() as held:
        view = held.enter_context(recorder.store.view())
        headers = _headers(view.head, recorder.trouble)
        if _is_known(request, headers["etag"]):
            return Response(status_code=304, headers=headers)
        spans = _asked_for(view, cause, after, limit)
        if cause is not None and not spans:
            return refusal(Refused(f"no event was triggered by {cause}", 404), headers)
        size = sum(end - start for start, end in spans)
        lines = _journal(view, spans)
        if size <= _AT_ONCE:
            return Response(b"".join(lines), headers=headers, media_type=_LINES)
        return _Streamed(lines, held.pop_all(), headers, _LINES)


def _asked_for(view: View, cause: int | None, after: int | None, limit: int | None) -> list[Span]:
    total = view.head.total
    if cause is not None:
        return view.children(cause, WINDOW, _LARGEST_WINDOW)
    if after is None:
        return view.newest(WINDOW, _LARGEST_WINDOW)
    most = min(_LIMIT if limit is None else limit, _LARGEST_LIMIT)
    return view.lines(after + 1, min(total, after + most), _PAGE)


def _journal(view: View, spans: list[Span]) -> Iterator[bytes]:
    """The total, and the lines; no line feed behind the last one."""
    yield f"// total events: {view.head.total}".encode()
    before = b"\n"
    for piece in view.pieces(spans):
        whole = piece.endswith(b"\n")
        yield before
        yield piece.removesuffix(b"\n")
        before = b"\n" if whole else b""


async def get_capabilities(request: Request, recorder: Recorder) -> Response:
    """`GET /api/capabilities`: the whole ledger, as it is when the answer begins."""
    with contextlib.ExitStack() as held:
        view = held.enter_context(recorder.store.view())
        headers = _headers(view.head, recorder.trouble)
        if _is_known(request, headers["etag"]):
            return Response(status_code=304, headers=headers)
        return _Streamed(_capabilities(view), held.pop_all(), headers, "application/json")


def _capabilities(view: View) -> Iterator[bytes]:
    yield b'{"nodes":{},"active_states":{},"events":['
    held_back = b""
    for piece in view.pieces():
        yield held_back
        # No line has a line feed within; behind the last one comes no comma.
        held_back = piece.replace(b"\n", b",")
    yield held_back.removesuffix(b",")
    yield b"]}"


class _Streamed(StreamingResponse):
    """What is sent piece by piece; what that needs is let go of when the answer ends, however it ends."""

    def __init__(
        self, content: Iterator[bytes], kept: contextlib.ExitStack, headers: dict[str, str], kind: str
    ) -> None:
        super().__init__(_one_by_one(content), headers=headers, media_type=kind)
        self._kept = kept

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._kept:
            await super().__call__(scope, receive, send)


async def _one_by_one(content: Iterator[bytes]) -> AsyncIterator[bytes]:
    for piece in content:
        yield piece


async def get_blob(request: Request, recorder: Recorder) -> Response:
    """`GET /api/blob/{sha}`: the content as it is; 400 for what is no name, 404 for what is not there."""
    name = request.path_params["sha"]
    if not is_name(name):
        raise Refused("a blob's name is 64 lower-case hex digits", 400)
    with contextlib.ExitStack() as held:
        number = held.enter_context(recorder.store.blobs.read(name))
        if number is None:
            raise Refused(f"there is no blob {name}", 404)
        size = os.fstat(number).st_size
        headers = {"content-length": str(size), "etag": f'"{name}"'}
        content = iter(()) if request.method == "HEAD" else pieces(number, 0, size)
        return _Streamed(content, held.pop_all(), headers, "application/octet-stream")


async def put_blob(request: Request, recorder: Recorder) -> Response:
    """`PUT /api/blob`: keep the body under its digest; 201 when it is new. It is not looked into for secrets:
    its name would no longer be that of its content."""
    async with recorder.bodies.of(request) as content:
        name = await run_sync(digest, content)
        new = await run_sync(recorder.store.blobs.keep, name, content)
        return JSONResponse({"sha256": name, "size_bytes": len(content)}, 201 if new else 200)


async def get_metrics(_: Request, recorder: Recorder) -> Response:
    """`GET /api/metrics`: plain counts, those of `Counts` since the start."""
    head, counts = recorder.store.head, recorder.counts
    return JSONResponse(
        {
            "events": head.total,
            "generation": head.generation,
            "blobs": recorder.store.blobs.count,
            **{name: getattr(counts, name) for name in Counts.__slots__},
        }
    )


async def post_rewind(request: Request, recorder: Recorder) -> Response:
    """`POST /api/rewind`: `{"target_seq_id": N}` keeps the events up to N and seals that with a
    `LedgerRewind` at N + 1; `rewound_by` and `reason` are written into it."""
    async with recorder.bodies.of(request) as raw:
        if len(raw) > _LARGEST_REWIND:
            raise Refused(f"a rewind has at most {_LARGEST_REWIND:,} bytes", 413)
        body = read_object(raw)
    target = whole(body, "target_seq_id", _LARGEST_SEQ)
    texts = [text_field(body, "rewound_by", "korg:api"), text_field(body, "reason", "")]
    if recorder.redacting:
        texts, redacted = redact(texts)
        recorder.counts.redacted += redacted
    if max(map(len, texts)) > _LONGEST_TEXT:
        raise Refused(f"rewound_by and reason have at most {_LONGEST_TEXT} characters")
    done = await recorder.committer.rewind(target, *texts)
    recorder.counts.dropped += done.invalidated_through - done.target
    _log.warning("rewound to %d; what came behind it is in %s", target, done.tail)
    answer = {
        "seq_id": done.seq,
        "target_seq_id": done.target,
        "invalidated_through": done.invalidated_through,
        "generation": done.generation,
    }
    return JSONResponse(answer)


def _number(request: Request, name: str) -> int | None:
    found = request.query_params.get(name)
    if found is None:
        return None
    if not (found.isascii() and found.isdecimal()) or len(found) > 16:
        raise Refused(f"{name} must be a whole number", 400)
    return int(found)


def _headers(head: Head, trouble: str) -> dict[str, str]:
    """What every answer about the journal says: where the ledger stands, and why nothing can be written."""
    said = f"; trouble={quote(trouble[:_LONGEST_TROUBLE], safe=' ')}" if trouble else ""
    return {
        "korg-tui-journal": f"store={head.store}; generation={head.generation}; total={head.total}; "
        f"last={head.total}; tip={head.tip}{said}",
        "etag": f'"{head.store[:16]}.{head.generation}.{head.total}"',
        "cache-control": "no-cache",
    }


def _is_known(request: Request, etag: str) -> bool:
    known = request.headers.get("if-none-match", "")
    return any(each.strip().removeprefix("W/") in (etag, "*") for each in known.split(","))


# --- the application


Endpoint = Callable[[Request, Recorder], Awaitable[Response]]


def application(
    recorder: Recorder, *, hosts: Iterable[str], token: str = "", seconds: float = 30.0
) -> Starlette:
    """The application. `hosts` are the `Host` headers it answers to; with a `token`, any, for those who have
    it. `seconds` are what a client may take to send a request, and to take a piece of the answer."""
    squeezed = [Middleware(GZipMiddleware, minimum_size=1024, compresslevel=1)]

    def route(
        path: str, method: str, endpoint: Endpoint, middleware: list[Middleware] | None = None
    ) -> Route:
        async def answered(request: Request) -> Response:
            return await _answer(endpoint, request, recorder)

        return Route(path, answered, methods=[method], middleware=middleware)

    routed = Starlette(
        routes=[
            route("/api/agent/tool-call", "POST", post_call),
            route("/api/agent_tool_call", "POST", post_call),
            route("/api/journal", "GET", get_journal, squeezed),
            route("/api/capabilities", "GET", get_capabilities, squeezed),
            route("/api/blob/{sha}", "GET", get_blob),
            route("/api/blob", "PUT", put_blob),
            route("/api/metrics", "GET", get_metrics),
            route("/api/rewind", "POST", post_rewind),
        ],
        middleware=[
            Middleware(Patience, seconds=seconds),
            Middleware(Guard, hosts=frozenset(hosts), token=token),
        ],
        exception_handlers={HTTPException: _not_found},
    )
    # They would name the host that the client has named.
    routed.router.redirect_slashes = False
    return routed


async def _answer(endpoint: Endpoint, request: Request, recorder: Recorder) -> Response:
    try:
        return await endpoint(request, recorder)
    except Refused as refused:
        recorder.counts.refused += 1
        return refusal(refused, {"connection": "close"} if refused.status == 413 else None)
    except OSError as error:
        if isinstance(error, TimeoutError):
            raise
        recorder.counts.failed += 1
        writes = request.method not in ("GET", "HEAD")
        failed = _failed(error, "written" if writes else "read")
        if writes:
            recorder.trouble = failed.text
        _log.error("%s", failed.text)
        return refusal(failed)


def _failed(error: OSError, what: str) -> Refused:
    if isinstance(error, StoreChanged):
        return Refused(str(error), 503)
    why = (error.strerror or str(error)).lower()
    if error.errno in _FULL:
        return Refused(f"nothing was {what}: {why}; make room", 507)
    return Refused(f"nothing was {what}: {why}", 500)


async def _not_found(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    words = {404: "there is nothing here", 405: "this address takes another method"}
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
    return refusal(Refused(words.get(status, "refused"), status), headers)


def hosts_of(address: str, port: int) -> Iterator[str]:
    """The `Host` headers that a server at this address is asked with."""
    for name in {address, "127.0.0.1", "localhost"}:
        named = f"[{name}]" if ":" in name else name
        yield f"{named}:{port}"
        if port == 80:
            yield named
