"""Sources: where records come from, and how they change while somebody looks. All that happens is a fact."""

from __future__ import annotations

from korg_tui.sources.blobs import ASKED_ABOUT, LARGEST_BLOB, BlobFound, Blobs, BlobStore, open_blob
from korg_tui.sources.content import (
    Content,
    FileContent,
    MadeContent,
    MemoryContent,
    chunks,
    open_regular,
)
from korg_tui.sources.demo import DemoSource
from korg_tui.sources.discover import Discovery, discover
from korg_tui.sources.errors import UNREADABLE, BodyGone, SourceError, reason
from korg_tui.sources.facts import CaughtUp, Fact, Filled, Grew, Holes, Opened, Progress, Replaced, State
from korg_tui.sources.feed import Feed
from korg_tui.sources.file import FileSource
from korg_tui.sources.folder import ANCHORS, Found, holds_events, ledgers_in
from korg_tui.sources.live import FolderSource
from korg_tui.sources.open import EVERY, open_sources
from korg_tui.sources.pool import Pool
from korg_tui.sources.source import Source
from korg_tui.sources.stdin import StdinSource, can_be_read

__all__ = [
    "ANCHORS",
    "ASKED_ABOUT",
    "EVERY",
    "LARGEST_BLOB",
    "UNREADABLE",
    "BlobFound",
    "BlobStore",
    "Blobs",
    "BodyGone",
    "CaughtUp",
    "Content",
    "DemoSource",
    "Discovery",
    "Fact",
    "Feed",
    "FileContent",
    "FileSource",
    "Filled",
    "FolderSource",
    "Found",
    "Grew",
    "Holes",
    "MadeContent",
    "MemoryContent",
    "Opened",
    "Pool",
    "Progress",
    "Replaced",
    "Source",
    "SourceError",
    "State",
    "StdinSource",
    "can_be_read",
    "chunks",
    "discover",
    "holds_events",
    "ledgers_in",
    "open_blob",
    "open_regular",
    "open_sources",
    "reason",
]
