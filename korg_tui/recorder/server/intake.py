"""What becomes of a post before it is written: secrets go, large values move to blobs, all is counted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass, field

from anyio.to_thread import run_sync

from korg_tui.recorder.redact import redact
from korg_tui.recorder.references import reference
from korg_tui.recorder.server.committer import Committer
from korg_tui.recorder.server.guard import Bodies
from korg_tui.recorder.store import Store
from korg_tui.recorder.store.calls import Call, Refused, read_call

_SMALL = 32 << 10
"""Bytes of a body that is decoded at once, without a thread."""

_FEW = 8

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
    trouble: str = ""
    """Why the last event could not be written, until one can; readers are told."""
    one_large: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    """Bodies that are large are decoded one after the other: decoded, they are many times as large."""
    bodies: Bodies = field(default_factory=Bodies)

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
        self.trouble = ""
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
        return [name for name in names if not self.store.blobs.has(name)]
