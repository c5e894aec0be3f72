"""The stats screen: calls, failures, time and tokens in numbers, per tool, agent and lane.

What is in the records is counted between the frames; keys do not wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal

from textual import on
from textual.app import ComposeResult

from korg_tui.causal import Appended, Change, Ledger, Session
from korg_tui.commands import Place, Situation
from korg_tui.messages import OpenSession
from korg_tui.reading import Reading
from korg_tui.screens.base import KorgScreen
from korg_tui.screens.touched import EventsScreen
from korg_tui.text import visible
from korg_tui.views import STATS_ORDERS, Scope, StatsBook, StatsLine, path_query, plural, stats_lines
from korg_tui.widgets.chrome import KeyFooter, Line, Notice
from korg_tui.widgets.lines import LineList
from korg_tui.widgets.names import ending
from korg_tui.widgets.stats import StatsList

_SLICE_SECONDS = 0.012
_SHOWN_SECONDS = 0.3
_SORTS = tuple(STATS_ORDERS)

Width = Literal["session", "ledger", "all"]


class StatsScreen(KorgScreen):
    """Numbers of a session, of its ledger, or of all ledgers. Without a session it begins with the ledger."""

    PLACES = (Place.STATS,)

    def __init__(
        self, readings: Sequence[Reading], reading: Reading, ledger: Ledger, session: Session | None
    ) -> None:
        super().__init__()
        self.readings = readings
        self.reading = reading
        self.ledger = ledger
        self.session = session
        self.width: Width = "ledger" if session is None else "session"
        self.sort = _SORTS[0]
        self._counting = False
        self.book = StatsBook(())
        self._owners: dict[Ledger, Reading] = {}

    def compose(self) -> ComposeResult:
        yield Line("crumbs")
        yield StatsList()
        yield Notice("notices")
        yield Line("status")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.set_focus(self.lines)
        self._count_anew()

    def on_screen_resume(self) -> None:
        self.show_numbers()

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_numbers)

    def times_changed(self) -> None:
        self.show_numbers()

    @property
    def lines(self) -> StatsList:
        """The rows of all tables."""
        return self.query_one(StatsList)

    @property
    def situation(self) -> Situation:
        row = self.lines.row if self.ready else None
        leads = row is not None and row.place is not None
        return Situation(
            place=Place.STATS,
            rows=self.lines.count if self.ready else 0,
            on_row=leads,
            notices=len(self.notices),
        )

    # counting

    def _count_anew(self) -> None:
        self._owners = {}
        if self.width == "all":
            wanted = [(each, ledger) for each in self.readings for ledger in each.journal.ledgers]
            wanted = [(each, ledger) for each, ledger in wanted if ledger.host is None]
        else:
            wanted = [(self.reading, self.ledger)]
        session = self.session if self.width == "session" else None
        self._owners = {ledger: reading for reading, ledger in wanted}
        self.book = StatsBook([Scope(ledger, session, reading.bodies(ledger)) for reading, ledger in wanted])
        self._go_on()

    def _go_on(self) -> None:
        self._counting = True
        self.work_beside(self._count, "stats")

    async def _count(self) -> None:
        clock = asyncio.get_running_loop().time
        shown, book = clock(), self.book
        while True:
            until = clock() + _SLICE_SECONDS
            book.work(lambda: clock() > until)  # noqa: B023 - asked at once
            if book.done:
                break
            if clock() > shown + _SHOWN_SECONDS:
                self.show_numbers()
                shown = clock()
            await asyncio.sleep(0)
        self._counting = False
        self.show_numbers()

    def changed(self, reading: Reading, changes: Sequence[Change]) -> None:
        del reading
        mine = [change for change in changes if change.ledger in self._owners]
        if not mine or not self.ready:
            return
        if not all(isinstance(change, Appended) for change in mine):
            self.session = None if self.session is None else self._standing(self.session)
            self._count_anew()
        elif not self._counting:
            self._go_on()

    def _standing(self, old: Session) -> Session | None:
        """The session of the same number, where it was written anew."""
        sessions = self.ledger.sessions
        if any(each is old.standing() for each in sessions):
            return old.standing()
        return next((each for each in sessions if each.seq == old.seq), sessions[0] if sessions else None)

    # showing

    def show_numbers(self) -> None:
        """Bring the tables up to date with what is counted."""
        if not (self.on_top and self.ready):
            return
        self.lines.show(stats_lines(self.book.stats(), self.sort, self.korg.zone), self.sort)
        self._show_crumbs()
        self.show_status()

    def _show_crumbs(self) -> None:
        row, lines = self.lines.row, self.lines
        parts = [
            (self._where(), "line--quiet" if self.width != "all" else ""),
            (" › numbers", "line--strong"),
        ]
        if row is not None:
            table = lines.table_of(lines.cursor)
            parts.append((f" › {table}", ""))
            if row.kind not in ("title", "columns", "note"):
                parts.append((f" › {row.text}", "line--strong"))
        self.query_one("#crumbs", Line).show(parts)

    def _where(self) -> str:
        if self.width == "all":
            return f"all {plural(len(self._owners), 'ledger')}" if len(self._owners) > 1 else "all ledgers"
        name = ending(self.ledger.name, max(14, self.size.width // 4))
        return f"{name} › session {self.session.seq}" if self.width == "session" and self.session else name

    def show_status(self) -> None:
        if self.ready:
            self.status.show([(self.remark, "line--mark")] if self.remark else self._status())
            self.show_keys()

    def _status(self) -> list[tuple[str, str]]:
        whose = {"session": "this session", "ledger": "this whole ledger", "all": "all ledgers"}[self.width]
        parts = [(f"numbers of {whose}", ""), (f" · sorted by {self.sort}", "line--quiet")]
        if self._counting and not self.book.done:
            share = 100 * self.book.looked // max(self.book.total, 1)
            parts.append((f" · counting, {share} %", "line--mark"))
        row = self.lines.row
        if row is not None and row.place is not None:
            leads = {"group": "its slowest call", "file": "all that touched it"}.get(row.kind, "the call")
            parts.append((self.keymap.told(f" · {{open-event}}: {leads}"), "line--quiet"))
        return parts

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._show_crumbs()
        self.show_status()

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        self.give("open-event")

    # commands

    def do_stats_sort(self) -> None:
        self.sort = _SORTS[(_SORTS.index(self.sort) + 1) % len(_SORTS)]
        self.show_numbers()

    def do_stats_scope(self) -> None:
        order: tuple[Width, ...] = ("session", "ledger", "all") if self.session else ("ledger", "all")
        self.width = order[(order.index(self.width) + 1) % len(order)]
        self._count_anew()
        self.show_numbers()

    def do_next_table(self) -> None:
        self.lines.next_table()

    def do_open_event(self) -> None:
        row = self.lines.row
        if row is None or row.place is None:
            self.remark = "this row leads to no event"
        elif row.kind == "file":
            self._open_file(row)
        else:
            scope, seq = row.place.scope, row.place.seq
            at = scope.ledger.row_of(seq)
            session = None if at is None else scope.ledger.session_at(at)
            owner = self._owners.get(scope.ledger)
            if session is None or owner is None:
                self.remark = "this event is gone from its ledger"
            else:
                self.post_message(OpenSession(owner, scope.ledger.name, session.index, seq))

    def _open_file(self, row: StatsLine) -> None:
        origin = f"the numbers of {visible(self._where(), 60)}"
        self.korg.push_screen(EventsScreen(self.readings, path_query(row.path), origin=origin))
