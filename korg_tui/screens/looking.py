"""Looking: the states of blobs, each looked up once - at once near a file, beside the screen on a server."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable

from msgspec.structs import replace
from textual.screen import Screen

from korg_tui.messages import Clock
from korg_tui.sources import BlobFound, Blobs

LOOKING = "looking"
"""The state of a blob that a server was not asked for yet, or has not answered."""

_REMEMBERED = 512
_AGAIN_MS = 10_000
_FINAL = frozenset({"present", "wrong", "not fetched", "not a blob name"})
"""What a server says once and for all: content does not change its digest."""


class BlobLook:
    """What is known about blobs. `found` is called on the screen when a server has answered."""

    def __init__(self, screen: Screen[None], blobs: Blobs, clock: Clock, found: Callable[[], None]) -> None:
        self._screen = screen
        self._blobs = blobs
        self._clock = clock
        self._found = found
        self._known: OrderedDict[str, tuple[BlobFound, int]] = OrderedDict()
        self._wanted: dict[str, None] = {}
        self._running = False

    def of(self, digest: str) -> BlobFound:
        """The state of a blob as far as it is known. Any thread may ask, one at a time."""
        found, at = self._known.get(digest, (None, 0))
        if found is None and not self._blobs.remote:
            found = self._remember(self._blobs.find(digest))
        elif found is None or (self._blobs.remote and self._is_old(found, at)):
            self._wanted[digest] = None
        return found or BlobFound(digest, LOOKING, "looking for it on the server")

    def _is_old(self, found: BlobFound, at: int) -> bool:
        return found.state not in _FINAL and self._clock() - at >= _AGAIN_MS

    def _remember(self, found: BlobFound) -> BlobFound:
        """Without the content, which would take much room."""
        found = replace(found, content=None)
        self._known[found.sha] = found, self._clock()
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return found

    def ledger_changed(self) -> None:
        """What lies near a file may have come with the event that names it; a server is not asked again for
        every event."""
        if not self._blobs.remote:
            self._known.clear()

    def begin(self) -> None:
        """Other blobs are looked at now: those before need not be looked for any more."""
        self._wanted.clear()

    def look_on(self) -> None:
        """Ask for what is wanted, one blob after the other."""
        if self._wanted and not self._running:
            self._running = True
            self._screen.run_worker(self._look(), group="blobs")

    async def _look(self) -> None:
        try:
            while (digest := next(iter(self._wanted), None)) is not None:
                self._wanted.pop(digest, None)
                self._remember(await asyncio.to_thread(self._blobs.find, digest))
                self._found()
        finally:
            self._running = False
