"""What every source can do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from korg_tui.event import Record
from korg_tui.sources.facts import Fact


class Source(Protocol):
    """Where one ledger comes from. `start` and `poll` belong to one thread; `read` to any."""

    name: str
    """As the person gave it; hostile text, like everything in a ledger."""

    @property
    def watched(self) -> Path | None:
        """The path whose changes call for a `poll`; `None` when nothing follows the first reading."""

    @property
    def unsettled(self) -> bool:
        """A change was seen that may not be all: poll again soon, notified or not."""

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
