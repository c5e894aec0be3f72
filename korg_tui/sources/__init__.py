"""Sources: where records come from, and how they change while somebody looks. All that happens is a fact."""

from __future__ import annotations

from korg_tui.sources.errors import BodyGone, SourceError
from korg_tui.sources.facts import CaughtUp, Fact, Grew, Opened, Progress, Replaced, State
from korg_tui.sources.file import FileSource

__all__ = [
    "BodyGone",
    "CaughtUp",
    "Fact",
    "FileSource",
    "Grew",
    "Opened",
    "Progress",
    "Replaced",
    "SourceError",
    "State",
]
