"""Looking: the states of blobs, each looked up once - a small file at once; a large one, and what lies on a
server, beside the screen."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from korg_tui.messages import Clock
from korg_tui.screens.base import KorgScreen
from korg_tui.sources import BlobFound, Blobs, BlobStore
from korg_tui.views import HEAD

LOOKING = "looking"
"""The state of a blob that a server was not asked for yet, or has not answered."""

_REMEMBERED = 512
_AGAIN_MS = 10_000
_UNASKED = frozenset({"not fetched", "too big"})
_FINAL = frozenset({"present", "wrong", "not fetched", "not a blob name"})
"""What a server says once and for all: content does not change its digest."""


class BlobLook:
    """What is known about blobs. `found` is called on the screen when a server has answered."""

    def __init__(self, screen: KorgScreen, blobs: Blobs, clock: Clock, found: Callable[[], None]) -> None:
        self._screen = screen
        self._blobs = blobs
        self._clock = clock
        self._found = found
        self._known: OrderedDict[str, tuple[BlobFound, int]] = OrderedDict()
        self._wanted: dict[str, bool] = {}
        """What is to be looked for; whether that may take its time, because a person asked."""
        self._running = False

    def of(self, digest: str) -> BlobFound:
        """The state of a blob as far as it is known. Any thread may ask, one at a time."""
        found, at = self._known.get(digest, (None, 0))
        if isinstance(self._blobs, BlobStore):
            if found is None:
                found = self._remember(self._blobs.glance(digest))
            if found.state == "verifying":
                self._wanted.setdefault(digest, False)
        elif found is None or (self._blobs.remote and self._is_old(found, at)):
            self._wanted.setdefault(digest, False)
        return found or BlobFound(digest, LOOKING, "looking for it on the server")

    def ask(self, digest: str) -> None:
        """A person asked for a blob that is too big to be verified, or to be fetched, by itself."""
        found, _ = self._known.get(digest, (None, 0))
        remote = self._blobs.remote
        state, text = (LOOKING, "fetching it from the server") if remote else ("verifying", "verifying")
        before = found or BlobFound(digest, state, text)
        self._remember(replace(before, state=state, text=text))
        self._wanted[digest] = True
        self.look_on()

    def waiting(self, digests: Iterable[str]) -> list[str]:
        """Those of these blobs that are too big to be looked at unasked, as far as is known."""
        known = ((digest, self._known.get(digest)) for digest in digests)
        return [digest for digest, found in known if found and found[0].state in _UNASKED]

    def _is_old(self, found: BlobFound, at: int) -> bool:
        return found.state not in _FINAL and self._clock() - at >= _AGAIN_MS

    def _remember(self, found: BlobFound) -> BlobFound:
        """Without most of the content, which would take much room."""
        if found.content is not None:
            found = replace(found, content=found.content[:HEAD])
        self._known[found.sha] = found, self._clock()
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return found

    def ledger_changed(self) -> None:
        """What lies near a file may have come with the event that names it; a server is not asked again for
        every event."""
        if not self._blobs.remote:
            for digest in [each for each in self._known if self._wanted.get(each) is not True]:
                del self._known[digest]

    def begin(self) -> None:
        """Other blobs are looked at now: those before need not be looked for any more, unless a person asked
        for them."""
        self._wanted = {digest: asked for digest, asked in self._wanted.items() if asked}

    def look_on(self) -> None:
        """Ask for what is wanted, one blob after the other."""
        if self._wanted and not self._running:
            self._running = True
            self._screen.work_beside(self._look, "blobs", exclusive=False)

    async def _look(self) -> None:
        try:
            while (digest := next(iter(self._wanted), None)) is not None:
                whole = {"whole": True} if self._wanted.pop(digest, False) else {}
                self._remember(await asyncio.to_thread(self._blobs.find, digest, **whole))
                self._found()
        finally:
            self._running = False
