"""What goes between the feeds, the app and its screens."""

from __future__ import annotations

from collections.abc import Callable

from textual.message import Message

from korg_tui.reading import Reading
from korg_tui.sources import Fact

Clock = Callable[[], int]
"""The time now, in milliseconds since the epoch, UTC."""


class FactArrived(Message):
    """A feed has a fact for a reading."""

    def __init__(self, reading: Reading, fact: Fact) -> None:
        super().__init__()
        self.reading = reading
        self.fact = fact


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
