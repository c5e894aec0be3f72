"""Asking: calculations that are too long for a key press run beside the screen, the newest one wins.

While one runs, the app takes in no facts of that ledger: the calculation reads what nobody writes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from korg_tui.screens.base import KorgScreen

LONG = 3_000
"""Rows of a ledger from which on calculations run beside the screen; below, at once."""

_T = TypeVar("_T")
_Work = Callable[[], Any]
_Show = Callable[[Any], None]


class Asking:
    """The calculations of one screen. `rested` is called when none is left."""

    def __init__(self, screen: KorgScreen, rested: Callable[[], None]) -> None:
        self._screen = screen
        self._rested = rested
        self._wanted: dict[str, tuple[_Work, _Show]] = {}
        self._running = False
        self._current = ""
        """What is calculated now, until nobody waits for it any more."""

    @property
    def busy(self) -> bool:
        """Whether a calculation runs."""
        return self._running

    def waits_for(self, what: str) -> bool:
        """Whether this is calculated, or will be."""
        return what == self._current or what in self._wanted

    def forget(self, what: str) -> bool:
        """Nobody waits for this any more: what is found will not be shown. False when nobody did."""
        waited = self.waits_for(what)
        self._wanted.pop(what, None)
        if what == self._current:
            self._current = ""
        return waited

    def ask(self, what: str, work: Callable[[], _T], show: Callable[[_T], None], *, rows: int) -> None:
        """Show what `work` finds. A later request for the same thing takes the place of an earlier one."""
        if rows < LONG and not self._running:
            show(work())
            return
        self._wanted[what] = (work, show)
        if not self._running:
            self._running = True
            self._screen.work_beside(self._work, "asking", exclusive=False)

    async def _work(self) -> None:
        try:
            while self._wanted:
                what = next(iter(self._wanted))
                work, show = self._wanted.pop(what)
                self._current = what
                found = await asyncio.to_thread(work)
                wanted = self._current == what and what not in self._wanted
                self._current = ""
                if wanted and self._screen in self._screen.app.screen_stack:
                    show(found)
        finally:
            self._running, self._current = False, ""
            self._rested()
