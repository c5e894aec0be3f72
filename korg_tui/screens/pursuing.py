"""PursuingScreen: a query on its way through the rows of a spine, between the frames."""

from __future__ import annotations

import asyncio
from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, field

from korg_tui.screens.stepping import SteppingScreen
from korg_tui.views import Query, Sweep

_SLICE_SECONDS = 0.012
"""A search works this long, then lets the screen answer keys."""
_SHOWN_SECONDS = 0.1
"""What was found so far is shown so often."""


@dataclass(slots=True, eq=False)
class Pursuit:
    """A query on its way through the rows of a session."""

    words: str
    query: Query
    sweep: Sweep
    looked: int = 0
    found: list[int] = field(default_factory=list)
    running: bool = False
    """It goes on beside the keys, and can be stopped."""
    stopped: bool = False
    jumps: bool = False
    """The cursor goes to the first thing that it finds, if it still stands where it `began`."""
    began: int = -1


class PursuingScreen(SteppingScreen):
    """A screen that looks through its rows beside the keys."""

    async def pursue(self, pursuit: Pursuit, show: Callable[[], None]) -> None:
        """Look through the rows of the session that were not looked at, a slice at a time."""
        clock = asyncio.get_running_loop().time
        shown = clock()
        try:
            while pursuit.looked < len(self.spine.all_rows):
                until = clock() + _SLICE_SECONDS
                self._look(pursuit, lambda: clock() > until)  # noqa: B023 - asked at once
                if pursuit.sweep.costly is not None:
                    await asyncio.to_thread(pursuit.sweep.settle)
                if clock() > shown + _SHOWN_SECONDS:
                    show()
                    shown = clock()
                await asyncio.sleep(0)
        finally:
            pursuit.running = False

    def look_at_once(self, pursuit: Pursuit) -> bool:
        """Look at what a key press can wait for. Whether that was everything; else it has to go on beside."""
        clock = asyncio.get_running_loop().time
        until = clock() + _SLICE_SECONDS
        self._look(pursuit, lambda: clock() > until)
        pursuit.running = pursuit.looked < len(self.spine.all_rows)
        return not pursuit.running

    def _look(self, pursuit: Pursuit, enough: Callable[[], bool]) -> None:
        """Go on until it is enough, everything was looked at, or a record has to be settled first."""
        rows = self.spine.all_rows
        while pursuit.looked < len(rows) and not enough():
            row = rows[pursuit.looked]
            fits = pursuit.sweep.ask(row)
            if fits is None:
                return
            pursuit.looked += 1
            if fits:
                insort(pursuit.found, row)

    def share_looked_at(self, pursuit: Pursuit) -> str:
        return f"{100 * pursuit.looked // max(1, len(self.spine.all_rows))} %"
