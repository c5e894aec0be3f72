"""What every source can do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from korg_tui.event import Record
from korg_tui.sources.blobs import Blobs
from korg_tui.sources.facts import Fact


class Source(Protocol):
    """Where one ledger comes from. `start` and `poll` are never called by two threads at once; `read` by any.

    A source with neither `watched` nor `poll_after` ends with its first reading."""

    name: str
    """As the person gave it; hostile text, like everything in a ledger."""

    @property
    def watched(self) -> Path | None:
        """The path whose changes call for a `poll`; `None` when nobody can tell of changes."""

    @property
    def poll_after(self) -> float | None:
        """Seconds after which a `poll` is wanted even though nobody told of a change; `None`: only when
        told. Asked anew after each reading and poll."""

    @property
    def blocking(self) -> bool:
        """A reading or a poll may wait long for somebody else: the source gets a thread of its own, and
        `close`, called in another, ends what waits."""

    @property
    def blobs(self) -> Blobs:
        """Where the blobs that this ledger names are looked for."""

    def start(self) -> Iterator[Fact]:
        """The first reading, in batches. Raises `SourceError`."""

    def poll(self) -> list[Fact]:
        """What changed since, in order. Raises nothing."""

    def finish(self) -> list[Record]:
        """What an unfinished end amounts to, for whoever reads once and does not wait for the rest."""

    def read(self, offset: int, length: int, epoch: int | None = None) -> bytes:
        """The bytes of a record as reported in `epoch`. Raises `BodyGone`."""

    def close(self) -> None:
        """Give back what is open. A reading that waits for input ends."""
