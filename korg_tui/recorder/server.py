"""The endpoints of a ledger server over a store (LEDGERS.md, HTTP; SPEC §1.2, §7)."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field

from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from korg_tui.recorder.blobs import is_name
from korg_tui.recorder.calls import Call, Refused, read_call, read_object, text_field, whole
from korg_tui.recorder.committer import Committer
from korg_tui.recorder.disk import StoreChanged
from korg_tui.recorder.guard import Guard, Patience, body_of, refusal
from korg_tui.recorder.redact import redact
from korg_tui.recorder.references import digest, reference
from korg_tui.recorder.store import Head, Store, View

WINDOW = 100
"""Events that the journal gives when it is asked for no others."""

_LIMIT, _LARGEST_LIMIT = 1000, 5000
_PAGE = 8 << 20
_LARGEST_SEQ = 2**53 - 1
_SMALL = 32 << 10
_FEW = 8
_LONGEST_TEXT = 4096
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

_log = logging.getLogger("korg_tui.recorder")


@dataclass(slots=True)
class Counts:
    """What has happened since the start."""

    redacted: int = 0
    """Secrets that were replaced."""
    missing_blobs: int = 0
    """Blobs that events named and that were not in the store."""
    inline_moved: int = 0
    """Values that came inline and were moved to a blob."""
    dropped: int = 0
    """Events that rewinds cut away."""
    refused: int = 0
    """Requests that were answered with an error of theirs."""
    failed: int = 0
    """Requests that the disk failed: no room, or a fault of it."""


@dataclass(slots=True)
class Recorder:
    """A store, and what the server does with a post before it is written."""

    store: Store
    committer: Committer
    strict: bool = False
    redacting: bool = True
    counts: Counts = field(default_factory=Counts)
    one_large: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    """Bodies that are large are decoded one after the other: decoded, they are many times as large."""

    async def post(self, raw: bytes) -> int:
        """Append the call in a request's body; its seq. Raises `Refused`, or `OSError`."""
        if len(raw) <= _SMALL:
            prepared = self._prepared(raw)
        else:
            async with self.one_large:
                prepared = await run_sync(self._prepared, raw)
        call, content, redacted = prepared
        if content:
            await run_sync(self._keep, content)
        missing = (
            self._missing(call) if len(call.payload_refs) <= _FEW else await run_sync(self._missing, call)
        )
        if missing and self.strict:
            raise Refused(f"payload_refs names a blob that is not in the store: {missing[0]}")
        seq = await self.committer.append(call)
        self.counts.redacted += redacted
        self.counts.inline_moved += len(content)
        if missing:
            self.counts.missing_blobs += len(missing)
            blobs = "a blob that is" if len(missing) == 1 else f"{len(missing)} blobs that are"
            _log.warning("event %d names %s not in the store: %s", seq, blobs, missing[0])
        return seq

    def _prepared(self, raw: bytes) -> tuple[Call, list[tuple[str, bytes]], int]:
        """The call without secrets and large values, the blobs that it needs, and how many secrets it had."""
        call = read_call(raw)
        if refused := self.store.refusal(call.triggered_by):
            raise refused
        call, redacted = self._without_secrets(call)
        content: list[tuple[str, bytes]] = []
        args, result, refs = reference(call.tool, call.args, call.result, lambda *blob: content.append(blob))
        if refs and self.strict:
            raise Refused(f"{refs[0]['label']} is over 1,024 canonical bytes: put it into a blob (§7.3)")
        moved = {"args": args, "result": result, "payload_refs": (*call.payload_refs, *refs)}
        return call.with_content(moved), content, redacted

    def _without_secrets(self, call: Call) -> tuple[Call, int]:
        if not self.redacting:
            return call, 0
        fields = ("actor", "tool", "args", "result", "payload_refs")
        clean, count = redact({name: getattr(call, name) for name in fields})
        return call.with_content(clean | {"payload_refs": tuple(clean["payload_refs"])}), count

    def _keep(self, content: Iterable[tuple[str, bytes]]) -> None:
        for name, blob in content:
            self.store.blobs.keep(name, blob)

    def _missing(self, call: Call) -> list[str]:
        names = dict.fromkeys(ref["sha256"] for ref in call.payload_refs)
        return [name for name in names if self.store.blobs.path_of(name) is None]


# --- endpoints


async def post_call(request: Request, recorder: Recorder) -> Response:
    """`POST /api/agent/tool-call`: 200 `{"seq_id": n}` when the event is on the disk."""
    return JSONResponse({"seq_id": await recorder.post(await body_of(request))})


async def get_journal(request: Request, recorder: Recorder) -> Response:
    """`GET /api/journal`: the last 100 events; `?triggered_by=K`: the last 100 direct children, 404 when
    there are none; `?after=SEQ&limit=N`: what comes behind SEQ. First a line with the total."""
    cause = _number(request, "triggered_by")
    after = _number(request, "after")
    limit = _number(request, "limit")
    with recorder.store.view() as view:
        headers = _headers(view.head)
        if _is_known(request, headers["etag"]):
            return Response(status_code=304, headers=headers)
        lines = _asked_for(view, cause, after, limit)
    if cause is not None and not lines:
        return refusal(Refused(f"no event was triggered by {cause}", 404), headers)
    text = f"// total events: {view.head.total}\n".encode() + lines
    return Response(text.removesuffix(b"\n"), headers=headers, media_type="application/x-ndjson")


def _asked_for(view: View, cause: int | None, after: int | None, limit: int | None) -> bytes:
    total = view.head.total
    if cause is not None:
        return view.children(cause, WINDOW)
    if after is None:
        return view.lines(max(1, total - WINDOW + 1), total)
    most = min(_LIMIT if limit is None else limit, _LARGEST_LIMIT)
    last = min(total, after + most)
    return view.lines(after + 1, last, _PAGE) if last > after else b""


async def get_capabilities(request: Request, recorder: Recorder) -> Response:
    """`GET /api/capabilities`: the whole ledger, as it is when the answer begins."""
    with contextlib.ExitStack() as held:
        view = held.enter_context(recorder.store.view())
        headers = _headers(view.head)
        if _is_known(request, headers["etag"]):
            return Response(status_code=304, headers=headers)
        kept = held.pop_all()
    body = _capabilities(view, kept)
    return StreamingResponse(body, headers=headers, media_type="application/json")


async def _capabilities(view: View, kept: contextlib.ExitStack) -> AsyncIterator[bytes]:
    with kept:
        yield b'{"nodes":{},"active_states":{},"events":['
        held_back = b""
        for piece in view.pieces():
            yield held_back
            # No line has a line feed within; behind the last one comes no comma.
            held_back = piece.replace(b"\n", b",")
        yield held_back.removesuffix(b",")
        yield b"]}"


async def get_blob(request: Request, recorder: Recorder) -> Response:
    """`GET /api/blob/{sha}`: the content as it is; 400 for what is no name, 404 for what is not there."""
    name = request.path_params["sha"]
    if not is_name(name):
        raise Refused("a blob's name is 64 lower-case hex digits", 400)
    path = recorder.store.blobs.path_of(name)
    if path is None:
        raise Refused(f"there is no blob {name}", 404)
    return FileResponse(path, media_type="application/octet-stream")


async def put_blob(request: Request, recorder: Recorder) -> Response:
    """`PUT /api/blob`: keep the body under its digest; 201 when it is new. It is not looked into for secrets:
    its name would no longer be that of its content."""
    content = await body_of(request)
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
    body = read_object(await body_of(request))
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


def _headers(head: Head) -> dict[str, str]:
    """What every answer about the journal says: where the ledger stands."""
    return {
        "korg-tui-journal": f"store={head.store}; generation={head.generation}; total={head.total}; "
        f"last={head.total}; tip={head.tip}",
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

    return Starlette(
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
        failed = _failed(error, "read" if request.method in ("GET", "HEAD") else "written")
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
