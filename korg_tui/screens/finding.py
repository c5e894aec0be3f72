"""FindingScreen: search and filter in a spine. A search runs between the frames and can be stopped."""

from __future__ import annotations

import asyncio
from bisect import insort

from korg_tui.reading import Reading
from korg_tui.screens.stepping import SteppingScreen
from korg_tui.text import visible
from korg_tui.views import Predicate, QueryError, parse_query, plural
from korg_tui.widgets.chrome import Ask
from korg_tui.widgets.spine import NO_EVENTS

_SLICE_SECONDS = 0.012
"""A search works this long, then lets the screen answer keys."""


class FindingScreen(SteppingScreen):
    """Commands `search`, `filter`, and what the status line says of them."""

    reading: Reading

    def __init__(self) -> None:
        super().__init__()
        self.searched = ""
        self.filtered_by = ""
        self._predicate: Predicate | None = None
        self._searched_to = 0
        self._searching = False

    # search

    def do_search(self) -> None:
        self.query_one(Ask).ask("search", "search", self.searched)

    def search(self, words: str) -> None:
        """Find these words; an empty search forgets the last one."""
        predicate = self._understand(words)
        if predicate is None and words.strip():
            return
        self.searched, self._predicate = words.strip(), predicate
        self._search_again()
        if predicate is not None:
            self.run_worker(self._search(), group="search", exclusive=True)
        self.settle()

    def _search_again(self) -> None:
        self.workers.cancel_group(self, "search")
        self.hits, self._searched_to, self._searching = [], 0, False
        self._show_hits()

    def _understand(self, words: str) -> Predicate | None:
        if not words.strip():
            return None
        try:
            return parse_query(words, self.reading.bodies(self.ledger), self.drops)
        except QueryError as error:
            self.say(visible(error.short))
            return None

    async def _search(self) -> None:
        """Look through the rows of the session, a slice at a time."""
        clock = asyncio.get_running_loop().time
        first = not self.hits
        self._searching = True
        until = clock() + _SLICE_SECONDS
        while self._searched_to < len(self.spine.all_rows) and self._predicate is not None:
            row = self.spine.all_rows[self._searched_to]
            self._searched_to += 1
            if self._predicate(self.ledger, row):
                insort(self.hits, row)
            if clock() > until:
                self._show_hits()
                self.settle()
                await asyncio.sleep(0)
                until = clock() + _SLICE_SECONDS
        self._searching = False
        self._show_hits()
        if first and self.hits and self.row not in self.hits:
            self.do_hit_after()
        self.settle()

    def search_on(self) -> None:
        """Look through rows that came since, too."""
        if self._predicate is not None and not self._searching:
            self.run_worker(self._search(), group="search", exclusive=True)

    def rows_moved(self) -> None:
        """Rows have other numbers now: what was found is looked for again."""
        if self._predicate is not None:
            self._search_again()
            self.run_worker(self._search(), group="search", exclusive=True)

    def _show_hits(self) -> None:
        self.view.hits = frozenset(self.hits)
        self.view.redraw()

    # filter

    def do_filter(self) -> None:
        self.query_one(Ask).ask("filter", "filter", self.filtered_by)

    def filter(self, words: str) -> None:
        """Show only the rows that fit, and what led to them; no words show all."""
        predicate = self._understand(words)
        if predicate is None and words.strip():
            return
        self.filtered_by = words.strip()
        unfit = f"No event fits “{visible(self.filtered_by, 40)}”: {self.keymap.name('leave')} shows all."
        self.view.say_when_empty(unfit if self.filtered_by else NO_EVENTS)
        self.reshape_in_place(lambda: self.spine.set_filter(predicate))

    def finding_words(self) -> list[tuple[str, str]]:
        """What the status line says of search and filter."""
        parts = []
        if self.searched:
            hits = plural(len(self.hits), "hit") + (" so far" if self._searching else "")
            parts.append((f"{hits} for “{visible(self.searched, 30)}”", "line--mark"))
        if self.filtered_by:
            found = f"{self.spine.matching:,} of {len(self.spine.all_rows):,}"
            parts.append((f"filter “{visible(self.filtered_by, 30)}”: {found}", "line--mark"))
        return parts

    def leave_findings(self) -> bool:
        """Lift the filter, then forget the search. False when there is neither."""
        if self._searching:
            self.workers.cancel_group(self, "search")
            self._searching = False
            self.remark = "search stopped"
            return True
        if self.filtered_by:
            self.filter("")
            return True
        if self.searched:
            self.search("")
            return True
        return False
