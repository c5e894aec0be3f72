"""Watching: the chains of all ledgers are checked beside the keys, and the screens learn what was found."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import monotonic

from textual.app import App
from textual.timer import Timer

from korg_tui.causal import Change
from korg_tui.reading import Reading
from korg_tui.screens.trusting import TrustingScreen
from korg_tui.trust import Turn, Vigil

FEW = 8
"""So few ledgers are checked at once where little of them is new."""

AT_ONCE, AT_ONCE_SIZE = 100, 1 << 16
"""Events and bytes that take less than a frame."""

HURRIED, HURRIED_SIZE = 500, 1 << 18
"""Events and bytes that are checked together while keys are pressed."""

LATELY_SECONDS = 0.5
"""Keys that were pressed so lately may be followed by others."""

REST_SECONDS, LONG_REST_SECONDS = 0.002, 0.05
"""Between two turns; and while keys are pressed."""

TELL_SECONDS = 0.25
"""The screens are told so seldom."""

LASTS_SECONDS = 0.5
"""After so long, also those that wait are told of."""


class Watching:
    """A vigil over the ledgers of an app. Those that a person sees come first."""

    def __init__(self, app: App[int], vigil: Vigil) -> None:
        self.vigil = vigil
        self._app = app
        self._running = False
        self._pressed = -LATELY_SECONDS
        self._told = -TELL_SECONDS
        self._telling: Timer | None = None

    def pressed(self) -> None:
        """A key was pressed."""
        self._pressed = monotonic()

    def changed(self, reading: Reading, changes: Sequence[Change], *, anew: bool = False) -> None:
        """A reading has changed; `anew`: the bytes of all its ledgers may be others."""
        self.vigil.changed(reading, changes, anew=anew)
        if not self._running and self.vigil.waiting:
            self._begin()

    def _begin(self) -> None:
        """Check what is little at once, so that it is said together with the events; all else beside."""
        if len(self.vigil) <= FEW and self.vigil.pending <= AT_ONCE:
            turn = self.vigil.turn(AT_ONCE, AT_ONCE_SIZE)
            if turn is not None and turn.size <= AT_ONCE_SIZE:
                turn.check()
                self.vigil.take(turn)
        self._tell_soon()
        if self.vigil.waiting:
            self._running = True
            self._app.run_worker(self._run, group="vigil")  # type: ignore[arg-type]

    async def _run(self) -> None:
        begun, all_wait = monotonic(), False
        try:
            while (turn := self._turn()) is not None:
                await asyncio.to_thread(turn.check)
                self.vigil.take(turn)
                if not all_wait and monotonic() - begun > LASTS_SECONDS:
                    all_wait = True
                    self.vigil.all_wait()
                self._tell_soon()
                await asyncio.sleep(LONG_REST_SECONDS if self._hurried else REST_SECONDS)
        finally:
            self._running = False
        self._tell_soon()

    @property
    def _hurried(self) -> bool:
        return monotonic() - self._pressed < LATELY_SECONDS

    def _turn(self) -> Turn | None:
        self.vigil.prefer(*(ledger for screen in reversed(self._screens) for ledger in screen.in_front()))
        return self.vigil.turn(HURRIED, HURRIED_SIZE) if self._hurried else self.vigil.turn()

    def _tell_soon(self) -> None:
        rest = self._told + TELL_SECONDS - monotonic()
        if not self.vigil.news or self._telling is not None:
            return
        if rest > 0:
            self._telling = self._app.set_timer(rest, self._tell_all)
        else:
            self._tell_all()

    def _tell_all(self) -> None:
        self._telling, self._told = None, monotonic()
        news = self.vigil.news
        self.vigil.news = {}
        for ledger, reading in news.items():
            for screen in self._screens:
                screen.standing_changed(reading, ledger)

    @property
    def _screens(self) -> Sequence[TrustingScreen]:
        return [screen for screen in self._app.screen_stack if isinstance(screen, TrustingScreen)]
