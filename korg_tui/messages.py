"""What goes between the feeds, the app and its screens."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.message import Message

from korg_tui.reading import Reading
from korg_tui.sources import Source

Clock = Callable[[], int]
"""The time now, in milliseconds since the epoch, UTC."""


class Arrived(Message):
    """Feeds have brought something that nobody was told of yet."""


class Looked(Message):
    """It was looked for something to open: what was found and why it was chosen, and where was looked."""

    def __init__(self, sources: Sequence[Source], where: str = "", why: str = "") -> None:
        super().__init__()
        self.sources = sources
        self.where = where
        self.why = why


class OpenSession(Message):
    """Open the session of this index."""

    def __init__(self, reading: Reading, ledger: str, session: int, seq: int | None = None) -> None:
        super().__init__()
        self.reading = reading
        self.ledger = ledger
        self.session = session
        self.seq = seq
        """The event to begin at."""


class OpenDemo(Message):
    """Play the recorded demo session."""
