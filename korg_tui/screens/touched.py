"""Touched: the events of all sessions that fit a query; for a path, who touched it (EXPERIENCE, Filters).

The search runs between the frames, newest events first as they are found; `esc` stops it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, tzinfo

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from korg_tui.causal import Appended, Change
from korg_tui.commands import Place, Situation
from korg_tui.messages import OpenSession
from korg_tui.reading import Reading
from korg_tui.screens.aiding import AidingScreen
from korg_tui.screens.bookmarks import BookmarksScreen
from korg_tui.screens.export import ExportScreen
from korg_tui.screens.exporting import listed_scope
from korg_tui.screens.labelling import LabellingScreen
from korg_tui.screens.sending import SendingScreen
from korg_tui.screens.stepping import SteppingScreen
from korg_tui.sources import BodyGone
from korg_tui.text import crop, visible
from korg_tui.views import (
    EventSearch,
    QueryError,
    Where,
    copies,
    path_query,
    paths_of,
    plural,
)
from korg_tui.widgets.chrome import Ask, KeyFooter, Line
from korg_tui.widgets.events import EventList
from korg_tui.widgets.lines import LineList
from korg_tui.widgets.names import apart, ending

_SHORT = 16_000
"""Bytes of a record up to which it is looked at for paths whenever the cursor comes to it."""
_SLICE_SECONDS = 0.012
"""A search works this long, then lets the screen answer keys."""
_SHOWN_SECONDS = 0.15
"""What was found so far is shown so often."""
_QUERY_CELLS = 60


def places_of(readings: Sequence[Reading]) -> dict[Where, Reading]:
    """The ledgers to look through, but for those whose events are guests in another one."""
    return {
        Where(ledger, reading.bodies(ledger), reading.source.blobs.find): reading
        for reading in readings
        for ledger in reading.journal.ledgers
        if ledger.host is None
    }


class EventsScreen(SendingScreen, LabellingScreen, AidingScreen):
    """The events of all ledgers that fit a query; those of a sub-agent's own ledger in the session that has
    started it. Raises `QueryError` for a query that cannot be understood."""

    PLACES = (Place.EVENTS,)

    def __init__(
        self,
        readings: Sequence[Reading],
        query: str,
        *,
        origin: str = "",
        now_ms: int | None = None,
        zone: tzinfo | None = UTC,
    ) -> None:
        super().__init__()
        self.readings = readings
        self.origin = origin
        """The event from which it was asked, in words."""
        self.since = 0
        """Events that came since the search began."""
        self._places: dict[Where, Reading] = {}
        self._stopped = False
        self.search = self._begin(query, now_ms, zone)

    def _begin(self, query: str, now_ms: int | None, zone: tzinfo | None) -> EventSearch:
        """`since:` counts from `now_ms`, and times without a zone are those of `zone`."""
        places = places_of(self.readings)
        search = EventSearch(query, list(places), now_ms=now_ms, zone=zone)
        self._places, self.since, self._stopped = places, 0, False
        return search

    def compose(self) -> ComposeResult:
        yield Line("crumbs")
        yield Line("events-head")
        yield EventList()
        yield Static(id="nothing")
        yield Ask()
        yield Line("status")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.lines.ascii_only = self.korg.ascii_only
        self.set_focus(self.lines)
        self.show_hits()
        self.work_beside(self._search, "search")

    def on_screen_resume(self) -> None:
        self.show_hits()

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_hits)

    @property
    def lines(self) -> EventList:
        """The list of events."""
        return self.query_one(EventList)

    @property
    def situation(self) -> Situation:
        return Situation(place=Place.EVENTS, rows=self.lines.count, on_row=self.lines.count > 0)

    @property
    def searching(self) -> bool:
        """Whether there are events that were not looked at yet, and will be."""
        return not (self.search.done or self._stopped)

    async def _search(self) -> None:
        clock = asyncio.get_running_loop().time
        shown = clock()
        search = self.search
        while self.searching:
            until = clock() + _SLICE_SECONDS
            costly = search.work(lambda: clock() > until)  # noqa: B023 - asked at once
            if costly is not None:
                await asyncio.to_thread(costly.settle)
            if clock() > shown + _SHOWN_SECONDS or search.done:
                self.show_hits()
                shown = clock()
            await asyncio.sleep(0)

    # showing

    def changed(self, reading: Reading, changes: Sequence[Change]) -> None:
        del reading
        came = sum(change.count for change in changes if isinstance(change, Appended))
        self.since += came
        if changes and self.on_top and self.ready:
            self.lines.refresh()
            self.show_status()

    def times_changed(self) -> None:
        self.show_hits()

    def show_hits(self) -> None:
        """Bring the list up to date."""
        if not (self.on_top and self.ready):
            return
        names = list(dict.fromkeys([*(where.ledger.name for where in self._places), *self.search.ledgers]))
        self.lines.show(self.search.hits, apart(names), self.korg.zone)
        nothing = self.query_one("#nothing", Static)
        nothing.display = not self.lines.count
        self.lines.display = not nothing.display
        looking = "No event that fits was found yet." if self.searching else "No event fits."
        offer = self.keymap.told("Press {list-events} to ask for something else, {leave} to go back.")
        nothing.update(Content(f"{looking}\n\n{offer}"))
        self._show_head()
        self._show_crumbs()
        self.show_status()

    def _show_head(self) -> None:
        self.query_one("#events-head", Line).show([(self.lines.head(), "line--quiet")])

    def _show_crumbs(self) -> None:
        """What was asked, and the session of the event under the cursor."""
        line, row = self.query_one("#crumbs", Line), self.lines.row
        parts = [("events", "line--strong"), (f" › {self._query}", "line--quiet")]
        if row is not None:
            prompt = f" “{crop(row.prompt, 40)}”" if row.prompt else ""
            room = max(14, self.size.width // 3)
            parts += [(f" › {ending(row.ledger, room)}", ""), (prompt, "line--quiet")]
        line.show(parts)

    @property
    def _query(self) -> str:
        return crop(visible(self.search.query), _QUERY_CELLS)

    def show_status(self) -> None:
        if not self.ready:
            return
        self.status.show([(self.remark, "line--mark")] if self.remark else self._status())
        self.show_keys()

    def _status(self) -> list[tuple[str, str]]:
        search = self.search
        fit = f"{plural(search.found, 'event')} {'fits' if search.found == 1 else 'fit'}"
        parts = [(fit, "line--strong")]
        if search.cut:
            parts.append((f"the newest {len(search.hits):,} are listed", "line--mark"))
        if self.searching:
            stops = self.keymap.told("{leave} stops")
            parts.append((f"looking, {100 * search.looked // max(search.total, 1)} %: {stops}", ""))
        elif self._stopped:
            stopped = f"stopped after {search.looked:,} of {plural(search.total, 'row')}"
            parts.append((stopped, "line--mark"))
        if self.since:
            again = self.keymap.told("{list-events} enter looks again")
            parts.append((f"{plural(self.since, 'event')} came since: {again}", "line--mark"))
        ledgers = sum(len(reading.journal.ledgers) for reading in self.readings)
        parts.append((f"in {len(search.ledgers):,} of {plural(ledgers, 'ledger')}", "line--quiet"))
        if self.origin:
            parts.append((f"asked from {self.origin}", "line--quiet"))
        shown: list[tuple[str, str]] = []
        for part in parts:
            shown += [(" · ", "line--quiet")] * bool(shown) + [part]
        return shown

    # commands

    def do_open_event(self) -> None:
        hit, row = self.lines.hit, self.lines.row
        if hit is None or row is None:
            return
        if row.gone:
            self.remark = "this event is gone: a rewind dropped it since it was found"
            return
        reading = self._places[hit.where]
        self.post_message(OpenSession(reading, hit.where.ledger.name, row.session, hit.seq))

    def do_copy(self) -> None:
        hit = self.lines.hit
        row = None if hit is None else hit.row_now
        if hit is None or row is None:
            self.remark = "this event is gone: a rewind dropped it since it was found"
            return
        try:
            found = self._places[hit.where].body(hit.where.ledger, row)
        except (BodyGone, OSError):
            found = None
        self.offer(hit, copies(hit.where.ledger, row, found) if hit.seq is not None else [])

    def do_export(self) -> None:
        rows = ((hit, hit.row_now) for hit in self.lines.hits)
        hits = [(self._places[hit.where], hit.where.ledger, row) for hit, row in rows if row is not None]
        if hits:
            self.korg.push_screen(ExportScreen([listed_scope(hits, self._query)]))
        else:
            self.remark = "the events of this list are gone: a rewind dropped them"

    def do_bookmarks(self) -> None:
        self.korg.push_screen(BookmarksScreen())

    def do_list_events(self) -> None:
        aid = self.aid_for("events", list(self._places))
        query = visible(self.search.query)
        self.query_one(Ask).ask("events", "list the events that fit", query, goes_on=True, aid=aid)

    def do_leave(self) -> None:
        if self.query_one(Ask).asking:
            self._close_ask()
        elif self.searching:
            self._stopped = True
            self.show_hits()
        else:
            super().do_leave()

    @on(Ask.Answered)
    def _answered(self, event: Ask.Answered) -> None:
        if event.purpose != "events":
            self._close_ask()
            return
        query = event.answer.strip() or self.search.query
        try:
            self.search = self._begin(query, self.korg.clock(), self.korg.zone)
        except QueryError as error:
            self.query_one(Ask).refuse(error)
            return
        self._close_ask()
        self.keep_asked("events", query)
        self.origin = ""
        self.remark = ""
        self.lines.go(0)
        self.show_hits()
        self.work_beside(self._search, "search")

    def _close_ask(self) -> None:
        self.query_one(Ask).close()
        self.set_focus(self.lines)

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._show_crumbs()

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        self.give("open-event")


class TouchingScreen(SteppingScreen):
    """Command `touched`: who touched the path that the event under the cursor names."""

    reading: Reading

    def __init__(self) -> None:
        super().__init__()
        self._paths: tuple[tuple[int, int], tuple[str, ...]] = ((-1, -1), ())
        """The paths of a row, in a revision of the ledger."""

    @property
    def names_path(self) -> bool:
        """Whether the event under the cursor names a path; what is long is asked when it matters."""
        row = self.row
        if row < 0 or not self.ledger.kind_at(row).agent:
            return False
        return self.ledger.length[row] > _SHORT or bool(self._paths_at(row))

    def _paths_at(self, row: int) -> tuple[str, ...]:
        asked = (row, self.ledger.revision)
        if self._paths[0] != asked:
            self._paths = asked, self._look_for_paths(row)
        return self._paths[1]

    def _look_for_paths(self, row: int) -> tuple[str, ...]:
        try:
            found = self.reading.body(self.ledger, row)
        except (BodyGone, OSError):
            return ()
        return paths_of(self.ledger, row, found)

    def do_touched(self) -> None:
        row = self.row
        paths = self._paths_at(row)
        if not paths:
            self.remark = "this event names no path"
            return
        name, number = self.ledger.address(self.ledger.seq[row])
        origin = f"{ending(name, 24)}:{number}"
        if len(paths) > 1:
            origin += f", the first of its {len(paths)} paths"
        self.korg.push_screen(EventsScreen(self.korg.readings, path_query(paths[0]), origin=origin))
