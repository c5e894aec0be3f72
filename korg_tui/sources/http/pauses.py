"""How long to wait before a server that fails is asked again."""

from __future__ import annotations

from collections.abc import Callable

LONGEST = 10.0
"""Seconds between two attempts, at most."""

_GROWTH = 1.6
_JITTER = 0.25


class Pauses:
    """Pauses that grow from failure to failure, up to `LONGEST` seconds, each a little different, so that
    many readers of one server do not come back at the same moment. `chance` gives numbers from 0 to 1."""

    def __init__(self, every: float, chance: Callable[[], float]) -> None:
        self.every = every
        self._chance = chance
        self._next = every

    def failed(self) -> float:
        """Seconds to wait after one more failure."""
        pause = self._next
        self._next = max(self.every, min(LONGEST, self._next * _GROWTH))
        return max(0.2, min(pause * (1 + _JITTER * (2 * self._chance() - 1)), max(LONGEST, self.every)))

    def worked(self) -> float:
        """Seconds to wait after a success; the next failure begins anew."""
        self._next = self.every
        return self.every
