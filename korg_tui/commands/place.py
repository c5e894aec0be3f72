"""Where a command can be given, and what the rules of the table may ask about the screen that is open."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Place(enum.Enum):
    """Where a command can be given."""

    LEDGERS = "ledgers and sessions"
    SESSION = "session"
    PREVIEW = "rewind preview"
    EVENTS = "list of events"
    HELP = "help"
    BOOKMARKS = "list of bookmarks"
    EXPORT = "export"
    TIMELINE = "timeline"
    STATS = "numbers"
    COMPARE = "compare"
    READER = "reader"
    EFFECTS = "effects of an event"
    FINDINGS = "findings"


@dataclass(frozen=True, slots=True)
class Situation:
    """What the rules of the table may ask about the screen that is open."""

    place: Place = Place.SESSION
    rows: int = 0
    on_event: bool = False
    """The cursor stands on an agent event of the current generation."""
    on_row: bool = False
    has_parent: bool = False
    in_details: bool = False
    """The details have the keys."""
    names_path: bool = False
    """The event under the cursor names a file or folder, or is too long to be asked at once."""
    on_dropped: bool = False
    searched: bool = False
    hits: int = 0
    failures: int = 0
    dead_pointers: int = 0
    live: bool = False
    trail: int = 0
    nothing_found: bool = False
    notices: int = 0
    """What happened to a ledger, and was not marked as seen."""
    gone: int = 0
    """Events that rewinds under the reader dropped, and that are kept."""
    writing: bool = False
    """An export is being written."""
    chooses: str = ""
    """What the line under the cursor does when it is chosen, where that is not what most lines do."""
    forms: int = 0
    """Ways in which the reader can show what it shows."""
    asks: bool = False
    """A blob is too big to be fetched or verified unasked."""
    openable: bool = False
    """There is a blob, or a file, that another program can be given."""
    slow: int = 0
    """Calls that are named as the slowest."""
    zoomed: bool = False
    """Only a part of the timeline is seen."""
    differences: int = 0
    """Rows of a comparison that are not the same on both sides."""
    findings: int = 0
    """What was found in a ledger, and is listed."""
    choosing: bool = False
    """It is chosen what to compare with."""
