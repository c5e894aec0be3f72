"""Whole: the whole ledger through `/api/capabilities`, seldom enough not to be a burden."""

from __future__ import annotations

from collections.abc import Callable, Generator

from korg_tui.sources.http import wire
from korg_tui.sources.http.web import Away, Nonsense, Web

LEAST_SECONDS = 10.0
"""Between two readings of the whole ledger, at least."""

TIMES_AS_LONG = 5.0
"""And at least so many times what the last one took."""

LONGEST_SECONDS = 60.0
"""Before a server that did not give it is asked for it again, at most: the pause doubles each time."""

Given = Generator[tuple[int, int], None, "tuple[wire.Taken, ...] | None"]


class Whole:
    """Asks for the whole ledger, when that is due. `clock` gives seconds."""

    def __init__(self, web: Web, clock: Callable[[], float]) -> None:
        self._web = web
        self._clock = clock
        self._due = 0.0
        self._asked = False
        self._refused = 0
        self.works = True
        """The last answer was one, or none has been asked for yet."""

    @property
    def due(self) -> bool:
        """Whether it may be asked for now."""
        return not self._asked or self._clock() >= self._due

    def distrust(self) -> None:
        """The last answer contradicts the journal."""
        self.works = False

    def ask(self) -> Given:
        """All events of the ledger, None when the server does not give them."""
        began = self._clock()
        self._asked = True
        found: tuple[wire.Taken, ...] | None = None
        try:
            answer = yield from self._web.receive("/api/capabilities")
            if answer.status == 200:
                found = wire.capabilities(answer.body)
        except (Away, Nonsense, wire.NoWireForm):
            found = None
        finally:
            took = self._clock() - began
            self.works = found is not None
            pause = min(LEAST_SECONDS * 2**self._refused, LONGEST_SECONDS)
            self._refused = 0 if self.works else self._refused + 1
            self._due = self._clock() + max(LEAST_SECONDS if self.works else pause, TIMES_AS_LONG * took)
        return found
