"""RecorderClient: the client of one agent's run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from korg_tui.recorder.client.agents import AgentRecorder, Run, members_of, values_of
from korg_tui.recorder.client.connection import Connection, server_url
from korg_tui.recorder.client.delivery import Delivery
from korg_tui.recorder.client.outbox import CAPACITY, LOG, Outbox
from korg_tui.recorder.client.plain import name_of
from korg_tui.recorder.client.posting import Posting, RewindPosting
from korg_tui.recorder.client.shelf import Shelf

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
        if not isinstance(actor, str) or not actor.startswith(_OWNERS) or actor in _OWNERS:
            raise ValueError(f"{actor!r} names no agent: say agent:NAME/main@VERSION (§1.1)")
        self.url = server_url(url)
        """The address of the server."""
        token = os.environ.get("KORG_TOKEN", "").strip() if token is None else token
        connection = Connection(self.url, token=token, timeout=request_timeout)
        folder = os.environ.get("KORG_BLOB_DIR") if blobs is None else blobs
        shelf = Shelf(connection, Path(folder) if folder else None, Path.cwd() / ".korg" / "blobs")
        delivery = Delivery(connection, shelf, redact)
        outbox = Outbox(delivery, connection.close, capacity=capacity, flush=flush, url=self.url)
        super().__init__(Run(outbox, timeout, clock, {actor}), name_of(actor))

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
        actor = person(by)
        values = values_of({**members_of(args), "prompt": text}, None)

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
        if not is_seq(to):
            LOG.warning("lost LedgerRewind: it goes to a seq, not to a %s", type(to).__name__)
            return None
        actor, why = person(by), name_of(reason)

        def make() -> Posting:
            spines = tuple(self.run.spines)
            return RewindPosting("LedgerRewind", actor, target=int(to), reason=why, spines=spines)

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


def person(by: object) -> str:
    """Who asked, as an actor (§1.1)."""
    called = name_of("user" if by is None else by)
    return called if called.startswith(_PREFIXES) else f"human:{called}"


def is_seq(found: object) -> bool:
    """Whether it can be one."""
    return isinstance(found, int) and not isinstance(found, bool)
