"""FindingScreen: search and filter in a spine. Both look through the rows between the frames, long records
beside the screen; what was found so far is said, and `esc` stops it."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from functools import partial

from textual import on

from korg_tui.commands import Place
from korg_tui.reading import Reading
from korg_tui.screens.aiding import AidingScreen
from korg_tui.screens.pursuing import PursuingScreen, Pursuit
from korg_tui.text import visible
from korg_tui.views import Patient, Query, QueryError, Sweep, Where, parse_query, plural
from korg_tui.widgets.chrome import Ask
from korg_tui.widgets.spine import NO_EVENTS

_COUNT_PAUSE_SECONDS = 0.15
"""How many events fit is counted when nothing was typed for so long."""


class FindingScreen(AidingScreen, PursuingScreen):
    """Commands `search`, `filter`, and what the status line says of them."""

    reading: Reading

    def __init__(self) -> None:
        super().__init__()
        self.searched = ""
        self.filtered_by = ""
        self._search: Pursuit | None = None
        self._filter: Pursuit | None = None
        """The filter that looks through the rows, until it is shown."""
        self._patient: Patient | None = None
        """The filter that is shown."""

    # asking

    def do_search(self) -> None:
        self._ask_for("search", self.searched)

    def do_filter(self) -> None:
        self._ask_for("filter", self.filtered_by, goes_on=True)

    def _ask_for(self, purpose: str, answer: str, *, goes_on: bool = False) -> None:
        where = Where(self.ledger, self.reading.bodies(self.ledger))
        aid = self.aid_for(purpose, [where], self.spine.all_rows)
        self.query_one(Ask).ask(purpose, purpose, visible(answer), goes_on=goes_on, aid=aid)

    def asked(self, purpose: str, words: str) -> bool:
        """Search or filter with what was answered. False where it cannot be understood: the line stays."""
        self.workers.cancel_group(self, "count")
        try:
            query = self.understood(words)
        except QueryError as error:
            self.query_one(Ask).refuse(error)
            return False
        self.keep_asked(purpose, words)
        if purpose == "search":
            self._search_for(words.strip(), query)
        else:
            self._filter_by(words.strip(), query)
        return True

    def understood(self, words: str) -> Query:
        """What words mean here. Raises `QueryError`."""
        return parse_query(
            words,
            self.reading.bodies(self.ledger),
            self.drops if self.situation.place is Place.PREVIEW else None,
            blobs=self.reading.source.blobs.find,
            now_ms=self.korg.clock(),
            zone=self.korg.zone,
        )

    @on(Ask.Typing)
    def _count_typed(self, event: Ask.Typing) -> None:
        """Count beside the answer how many rows fit what stands there now."""
        words = event.answer if event.purpose in ("search", "filter") else ""
        self.workers.cancel_group(self, "count")
        self.query_one(Ask).tell("")
        if words.strip():
            self.work_beside(partial(self._count, words), "count")

    async def _count(self, words: str) -> None:
        await asyncio.sleep(_COUNT_PAUSE_SECONDS)
        try:
            query = self.understood(words)
        except QueryError:
            return
        if query.asks_blobs:
            self.query_one(Ask).tell("blobs are looked at after enter")
            return
        pursuit = Pursuit(words, query, Sweep(query, self.ledger))
        await self.pursue(pursuit, lambda: self._tell_count(pursuit))
        self._tell_count(pursuit)

    def _tell_count(self, pursuit: Pursuit) -> None:
        ask, count = self.query_one(Ask), len(pursuit.found)
        if ask.asking:
            so_far = " so far" if pursuit.looked < len(self.spine.all_rows) else ""
            ask.tell(f"{count:,} of {len(self.spine.all_rows):,} {'fits' if count == 1 else 'fit'}{so_far}")

    # search

    def search(self, words: str) -> None:
        """Find these words; an empty search forgets the last one. Raises `QueryError`."""
        self._search_for(words.strip(), self.understood(words))

    def _search_for(self, words: str, query: Query, *, jumps: bool = True) -> None:
        self.workers.cancel_group(self, "search")
        self.searched = words
        sweep = Sweep(query, self.ledger)
        self._search = Pursuit(words, query, sweep, jumps=jumps, began=self.row) if words else None
        self.hits = [] if self._search is None else self._search.found
        if self._search is None:
            self._show_search()
        else:
            self._go_on_searching(self._search)

    def _go_on_searching(self, pursuit: Pursuit) -> None:
        """Look through the rows that were not looked at: as many as may be at once, and the rest beside."""
        if self.look_at_once(pursuit):
            self._searched(pursuit)
        else:
            self._show_search()
            self.work_beside(partial(self._run_search, pursuit), "search")

    async def _run_search(self, pursuit: Pursuit) -> None:
        await self.pursue(pursuit, self._show_search)
        self._searched(pursuit)

    def _searched(self, pursuit: Pursuit) -> None:
        """Show all that was found; nobody who went elsewhere meanwhile is taken away from there."""
        self._show_search()
        if self._may_jump(pursuit) and self.hits and self.row not in self.view.hits:
            self.do_hit_after()
            self.settle()
        pursuit.jumps = False

    def _may_jump(self, pursuit: Pursuit) -> bool:
        return pursuit.jumps and (self.view.following or self.row == pursuit.began)

    def _show_search(self) -> None:
        self._show_hits()
        self.settle()

    def _show_hits(self) -> None:
        self.view.hits = frozenset(self.hits)
        self.view.redraw()

    def do_hit_after(self) -> None:
        self._go_to_hit(1)

    def do_hit_before(self) -> None:
        self._go_to_hit(-1)

    def _go_to_hit(self, step: int) -> None:
        """Go to a hit, also where a fold or the filter hides it, and say so."""
        edge = -1 if step > 0 else len(self.ledger)
        places = (self._hit(self.row, step), self._hit(edge, step))
        target = next((row for row in places if row is not None), None)
        hidden = target is not None and self.spine.index_of_row(target) is None
        self._round(self._hit, "hit", step)
        if hidden:
            how = "the filter hides this hit: it is shown all the same" if self.spine.filtered else "unfolded"
            self.remark = " · ".join(filter(None, (self.remark, how)))

    # filter

    def filter(self, words: str) -> None:
        """Show only the rows that fit, and what led to them; no words show all. Raises `QueryError`."""
        self._filter_by(words.strip(), self.understood(words))

    def filter_again(self) -> None:
        """Another session is shown in the place of the one before: the same filter over its rows."""
        if self._patient is not None:
            self._filter_by(self.filtered_by, self._patient.query)

    def _filter_by(self, words: str, query: Query) -> None:
        self.workers.cancel_group(self, "filter")
        self._filter = None
        if not words:
            self._show_filter("", None)
            return
        self._filter = Pursuit(words, query, Sweep(query, self.ledger))
        if self.look_at_once(self._filter):
            self._filter = None
            self._show_filter(words, query)
        else:
            self.work_beside(partial(self._run_filter, self._filter), "filter")
            self.settle()

    async def _run_filter(self, pursuit: Pursuit) -> None:
        await self.pursue(pursuit, self.show_status)
        self._filter = None
        self._show_filter(pursuit.words, pursuit.query)

    def _show_filter(self, words: str, query: Query | None) -> None:
        self.filtered_by = words
        self._patient = None if query is None else Patient(query)
        leave = self.keymap.name("leave")
        unfit = f"No event fits “{visible(words, 40)}”{self._why_none(query)}: {leave} shows all."
        self.view.say_when_empty(unfit if words else NO_EVENTS)
        self.reshape_in_place(lambda: self.spine.set_filter(self._patient))

    def _why_none(self, query: Query | None) -> str:
        times = query is not None and query.asks_time
        known = times and any(self.ledger.time_at(row) is not None for row in self.spine.all_rows[:1000])
        return ", and the events have no times" if times and not known else ""

    # what comes in

    def search_on(self) -> None:
        """Look through rows that came since, too."""
        search = self._search
        if search is not None and not (search.running or search.stopped):
            self._go_on_searching(search)
        if self._patient is not None and self._patient.open:
            self.work_beside(partial(self._settle_filter, self._patient), "patient")

    async def _settle_filter(self, patient: Patient) -> None:
        """Look at long records that came while a filter is shown, beside the screen, and show what fits."""
        while patient.open:
            look = patient.open.popitem()[1]
            if await asyncio.to_thread(look.answer) and patient is self._patient:
                self.reshape_in_place(lambda: self.spine.set_filter(patient))

    def rows_moved(self) -> None:
        """Rows have other numbers now: what was found is looked for again, and what is looked for, too."""
        if self._search is not None:
            self._search_for(self._search.words, self._search.query, jumps=self._may_jump(self._search))
        if self._filter is not None:
            self._filter_by(self._filter.words, self._filter.query)

    # saying

    def finding_words(self) -> list[tuple[str, str]]:
        """What the status line says of search and filter."""
        parts = []
        if self._search is not None:
            parts.append((self._search_words(self._search), "line--mark"))
        if self._filter is not None:
            pursuit = self._filter
            fit = f"{len(pursuit.found):,} fit so far, {self.share_looked_at(pursuit)} looked at"
            stops = f"{self.keymap.name('leave')} stops"
            parts.append((f"filter “{visible(pursuit.words, 30)}”: {fit}: {stops}", "line--mark"))
        elif self.filtered_by:
            found = f"{self.spine.matching:,} of {len(self.spine.all_rows):,}"
            unseen = "" if self._patient is None else _but(self._patient.query)
            parts.append((f"filter “{visible(self.filtered_by, 30)}”: {found}{unseen}", "line--mark"))
        return parts

    def _search_words(self, pursuit: Pursuit) -> str:
        hits, words = plural(len(self.hits), "hit"), f"for “{visible(self.searched, 30)}”"
        if pursuit.stopped:
            return f"{hits} in the first {self.share_looked_at(pursuit)} {words}"
        if pursuit.running:
            stops = f"{self.keymap.name('leave')} stops"
            return f"{hits} so far {words}, {self.share_looked_at(pursuit)} looked at: {stops}"
        place = bisect_left(self.hits, self.row)
        if place < len(self.hits) and self.hits[place] == self.row:
            words += f" ({place + 1:,} of {len(self.hits):,})"
        return f"{hits} {words}{_but(pursuit.query)}"

    # leaving

    def leave_findings(self) -> bool:
        """Stop what looks through the rows; lift the filter; forget the search. False when there is none."""
        if self._filter is not None:
            self.workers.cancel_group(self, "filter")
            self._filter = None
            self.remark = "filter stopped: the rows are as they were"
            return True
        if self._search is not None and self._search.running:
            self.workers.cancel_group(self, "search")
            self._search.running, self._search.stopped, self._search.jumps = False, True, False
            self.remark = f"search stopped: {self._search_words(self._search)}"
            return True
        if self.filtered_by:
            self.filter("")
            return True
        if self.searched:
            self.search("")
            return True
        return False


def _but(query: Query) -> str:
    """What could not be looked at."""
    return f" ({query.unseen.words})" if query.unseen.words else ""
