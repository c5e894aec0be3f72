"""AidingScreen: what helps to write a query - names that are known, and what was asked before."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from korg_tui.commands import Place
from korg_tui.screens.base import KorgScreen
from korg_tui.text import visible
from korg_tui.views import Vocabulary, Where
from korg_tui.widgets.chrome import Aid, Ask

SYNTAX = 'tool: agent: kind: is: has: path: lane: seq: ms: since: blob: "text" -not'
"""What a query is made of, where there is nothing to complete."""

_SLICE_SECONDS = 0.006
_LONGEST = 1_000
"""Characters of a query of before that is offered again."""


class AidingScreen(KorgScreen):
    """A screen that asks for queries."""

    def aid_for(self, purpose: str, where: Sequence[Where], rows: Sequence[int] | None = None) -> Aid:
        """What helps with a query over these ledgers. Paths are met while the person types."""
        known = Vocabulary(where, rows, in_preview=self.situation.place is Place.PREVIEW)
        self.work_beside(partial(self._meet, known), "vocabulary")
        return Aid(lambda: known.known, self._earlier(purpose), SYNTAX)

    def history_for(self, purpose: str) -> Aid:
        """What was asked before, for plain words, of which none is completed."""
        return Aid(None, self._earlier(purpose))

    def _earlier(self, purpose: str) -> tuple[str, ...]:
        return tuple(visible(words, _LONGEST) for words in self.korg.remembered.history(purpose))

    def keep_asked(self, purpose: str, words: str) -> None:
        """Remember what was asked."""
        self.korg.remembered.add_to_history(purpose, words)

    async def _meet(self, known: Vocabulary) -> None:
        clock = asyncio.get_running_loop().time
        while not known.done and self.query_one(Ask).asking:
            until = clock() + _SLICE_SECONDS
            known.meet(lambda: clock() > until)  # noqa: B023 - asked at once
            await asyncio.sleep(0.01)
