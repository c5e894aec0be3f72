"""What goes between the feeds, the app and its screens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.message import Message

from korg_tui.reading import Reading
from korg_tui.sources import Source

Clock = Callable[[], int]
"""The time now, in milliseconds since the epoch, UTC."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen where nothing was named, and why. `instead`: of something that does not work."""

    words: str
    instead: bool = False


class Arrived(Message):
    """Feeds have brought something that nobody was told of yet."""


class Looked(Message):
    """It was looked for something to open: what was found, where was looked, and what a person is told of
    the choice."""

    def __init__(self, sources: Sequence[Source], where: str = "", choice: Choice | None = None) -> None:
        super().__init__()
        self.sources = sources
        self.where = where
        self.choice = choice


class OpenSession(Message):
    """Open the session of this index."""

    def __init__(
        self,
        reading: Reading,
        ledger: str,
        session: int,
        seq: int | None = None,
        choice: Choice | None = None,
        row: int = -1,
    ) -> None:
        super().__init__()
        self.reading = reading
        self.ledger = ledger
        self.session = session
        self.seq = seq
        """The event to begin at."""
        self.choice = choice
        """What is said of it for a while."""
        self.row = row
        """The row to begin at, of what has no seq; -1: none."""


class OpenDemo(Message):
    """Play the recorded demo session."""
