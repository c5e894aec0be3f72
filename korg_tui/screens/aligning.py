"""AligningScreen: the sides of a comparison are read between the frames, and aligned beside the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from korg_tui.reading import Reading
from korg_tui.screens.choices import Offer, Subject
from korg_tui.screens.choosing import ChoosingScreen
from korg_tui.views import Comparison, Side

_SLICE_SECONDS = 0.012
_SHOWN_SECONDS = 0.15


class AligningScreen(ChoosingScreen):
    """A screen that compares a session with what was chosen."""

    def __init__(self, readings: Sequence[Reading], subject: Subject) -> None:
        super().__init__(readings, subject)
        self.comparison: Comparison | None = None
        self.since = 0
        """Events that came since both sides were read."""
        self._offer: Offer | None = None
        self._swapped = False
        self._sides: tuple[Side, Side] | None = None

    def compared(self, found: Comparison) -> None:
        """Both sides are aligned."""
        raise NotImplementedError

    def begin_comparing(self) -> None:
        """Read both sides, then align them."""
        assert self._offer is not None
        left, right = self._offer.sides()
        self._sides = (right, left) if self._swapped else (left, right)
        self.since = 0
        self.work_beside(partial(self._work, self._sides), "compare")

    def swap(self) -> None:
        """Let the sides change places. What is aligned stays so."""
        self._swapped = not self._swapped
        before, sides = self.comparison, self._sides
        is_read = before is not None and sides == (before.left, before.right)
        if before is None or sides is None or not is_read or any(side.moved for side in sides):
            self.begin_comparing()
            return
        found = before.mirrored
        self._sides = found.left, found.right
        self.compared(found)

    async def _work(self, sides: tuple[Side, Side]) -> None:
        clock = asyncio.get_running_loop().time
        shown = clock()
        for side in sides:
            while not side.done:
                until = clock() + _SLICE_SECONDS
                side.work(lambda: clock() > until)  # noqa: B023 - asked at once
                if side.moved:
                    self.begin_comparing()
                    return
                if clock() > shown + _SHOWN_SECONDS:
                    self.show_status()
                    shown = clock()
                await asyncio.sleep(0)
        found = await asyncio.to_thread(partial(Comparison, *sides))
        if self._sides is not sides or not self.ready:
            return
        if any(side.moved for side in sides):
            self.begin_comparing()
        else:
            self.compared(found)
