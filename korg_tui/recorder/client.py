"""RecorderClient: how an agent writes its events to a ledger server, and never waits long (SPEC §5, §7.5).

    from korg_tui.recorder.client import RecorderClient

    with RecorderClient(actor="agent:mine/main@1.0") as client:
        client.prompt("Find out why the tests fail.", by="human:me")
        client.inference({"text": "I run them."}, duration_ms=2310)
        failed = client.tool("Bash", {"command": "pytets"}, {"exit_code": 127}, success=False, duration_ms=4)
        client.tool("Bash", {"command": "pytest -q"}, "1 failed", duration_ms=4200, triggered_by=failed)
        with client.sub_agent("history", "Which commit broke them?") as history:
            history.inference({"text": "I bisect."})
            history.tool("Bash", {"command": "git bisect run pytest -q"}, "9f31c0a is the first bad commit")
            history.close("9f31c0a")
        client.inference({"text": "9f31c0a it is."})

What hangs from what is the client's business: a tool call hangs from the latest inference of its agent at the
time of the call (§2a: calls of one round are siblings), an inference from the one before it, a sub-agent's
prompt and its `Agent` call from the inference that decided on it, and the inference that follows the return
of a sub-agent in the same round from its `Agent` call (§2b). A second `prompt` is a follow-up: it hangs from
the latest inference, and the next inference hangs from it.

The recorder never breaks an agent. Every event goes into one ordered queue, and one thread posts them, one
at a time. `tool` returns at once. `prompt` and `inference` wait for their seq, at most `timeout` seconds
(say 0 in an event loop), and not at all when nobody answers at the server's address; they return None then,
and the event stays in the queue: what hangs from it is posted after it, and gets the right cause. The queue
has 256 places; when it is full, the oldest event is lost. What hangs from a lost event hangs from the
nearest cause that was taken; if there is none, it is an orphan. A WARNING of the logger
`korg_tui.recorder.client` names the tool and the actor of whatever is lost:

- pushed out of a full queue; not delivered for 15 minutes, or when the client was closed;
- refused by the server (422 and other refusals are not tried again; the warning has the reason). When the
  reason is `triggered_by`, the ledger no longer has what the client knew, and later events begin without a
  parent.

A post whose answer was lost is not: the journal is asked whether it arrived, before it is posted again. An
event may be in the ledger twice when the journal cannot say (a WARNING tells), or when the server was silent
for `request_timeout` seconds and took it after all.

Secrets are taken out (`korg_tui.recorder.redact`) before anything is hashed or sent. Values of more than
1,024 canonical bytes become blobs, kept before the event that names them is posted (§7.2, §7.3): in the
folder `blobs` or `$KORG_BLOB_DIR`, else on the server (`PUT /api/blob`), else, when the server does not take
any, in `./.korg/blobs`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from korg_tui.recorder.agents import AgentRecorder, Run, SubAgent, values_of
from korg_tui.recorder.connection import Connection, server_url
from korg_tui.recorder.delivery import Delivery
from korg_tui.recorder.outbox import CAPACITY, Outbox
from korg_tui.recorder.plain import plain
from korg_tui.recorder.posting import Posting, RewindPosting
from korg_tui.recorder.shelf import Shelf

__all__ = ["AgentRecorder", "Posting", "RecorderClient", "SubAgent"]

_OWNERS = ("agent:", "mcp:", "import:")
_PREFIXES = (*_OWNERS, "human:", "korg:")


class RecorderClient(AgentRecorder):
    """A client of the ledger server at `url` for the agent `actor` (§1.1: `agent:NAME/main@VERSION`).

    Without a `url`: `$KORG_URL`, `$KORG_BASE_URL`, `$KORG_SERVER_ADDR`, else `http://127.0.0.1:8080`.
    `blobs` is a folder, without it `$KORG_BLOB_DIR`; an empty one means the server. `token` is a bearer
    token, without it `$KORG_TOKEN`. Times are in seconds: `timeout` is how long `prompt` and `inference`
    wait for a seq, `request_timeout` how long the server may be silent in one request, and `flush` how long
    `close`, or the end of the process, may take for what waits. `capacity` is the number of places in the
    queue. Raises `ValueError` when the address or the actor cannot be one; nothing raises afterwards.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        actor: str,
        blobs: str | os.PathLike[str] | None = None,
        token: str | None = None,
        redact: bool = True,
        timeout: float = 5.0,
        request_timeout: float = 10.0,
        flush: float = 5.0,
        capacity: int = CAPACITY,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not actor.startswith(_OWNERS) or actor in _OWNERS:
            raise ValueError(f"{actor!r} names no agent: say agent:NAME/main@VERSION (§1.1)")
        self.url = server_url(url)
        """The address of the server."""
        token = os.environ.get("KORG_TOKEN", "").strip() if token is None else token
        connection = Connection(self.url, token=token, timeout=request_timeout)
        folder = os.environ.get("KORG_BLOB_DIR") if blobs is None else blobs
        shelf = Shelf(connection, Path(folder) if folder else None, Path.cwd() / ".korg" / "blobs")
        delivery = Delivery(connection, shelf, redact)
        outbox = Outbox(delivery, connection.close, capacity=capacity, flush=flush)
        super().__init__(Run(outbox, timeout, clock, {actor}), plain(actor))

    def prompt(
        self,
        text: str,
        *,
        by: str = "human:user",
        root: bool = False,
        args: Mapping[str, Any] | None = None,
        timeout: float | None = None,
    ) -> int | None:
        """Record what a person asked (`user_prompt`), and return its seq, or None as `inference` does. The
        first one is the root of a session; later ones are follow-ups in it, unless `root` begins a session of
        its own."""
        actor = plain(by if by.startswith(_PREFIXES) else f"human:{by}")
        values = values_of({**(args or {}), "prompt": text}, None)

        def make() -> Posting:
            made = Posting("user_prompt", actor, *values, parent=None if root else self.round)
            made.spine = self.spine
            self.round = self.next = made
            return made

        return self.run.post(make, timeout)

    def rewind(
        self, to: int, *, by: str = "human:user", reason: str = "", timeout: float | None = None
    ) -> int | None:
        """Rewind the ledger: `POST /api/rewind`, after everything that was recorded so far, tried once.
        Returns the seq of the `LedgerRewind` event, or None when the server did not do it. What came later
        than the seq `to` is no more: each agent goes on from its latest inference or prompt that was kept."""

        def make() -> Posting:
            spines = tuple(self.run.spines)
            return RewindPosting("LedgerRewind", plain(by), target=to, reason=plain(reason), spines=spines)

        return self.run.post(make, timeout)

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything that was recorded is taken or lost; whether it is, after `timeout`
        seconds."""
        return self.run.outbox.flush(self.run.timeout if timeout is None else timeout)

    def close(self, timeout: float | None = None) -> None:
        """Deliver what waits, within `timeout` seconds (by default `flush`), and end. What is recorded
        afterwards is lost, with a warning. The end of the process does the same."""
        self.run.outbox.close(timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
