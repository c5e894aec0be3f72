"""A server that gives the last 100 events and, when asked, the whole ledger: what it has is put together from
both (LEDGERS.md, HTTP)."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from korg_tui.event import Event
from korg_tui.sources.facts import Fact, Holes, Progress
from korg_tui.sources.http import wire
from korg_tui.sources.http.holes import Children, Range, without
from korg_tui.sources.http.records import Difference, Records
from korg_tui.sources.http.web import Web
from korg_tui.sources.http.whole import Whole


class WindowReader:
    """Keeps `records` as the server has them. One window is one `take`; `complete` looks for what it left
    open, a few requests at a time."""

    def __init__(self, web: Web, records: Records, whole: Whole) -> None:
        self._web = web
        self._records = records
        self._whole = whole
        self._children = Children(web)
        self._total = 0
        self._unlisted = 0
        """Events that the total counts, and that the whole ledger did not list."""
        self._window: tuple[wire.Taken, ...] = ()
        self._holes: tuple[Range, ...] = ()
        self.told: tuple[Range, ...] | None = ()
        """The holes that were reported last; None when that is to be done anew."""
        self._doubt: int | None = None
        """The newest known seq of which nobody can tell whether it still stands, nor those before it."""
        self._sure_from = 0
        self._sure: set[int] = set()
        """Since there is a doubt, what is known anew: all from a seq on, and what was given as children."""

    def take(self, window: wire.Window) -> Iterator[Fact]:
        """Take in a window. Raises `NoWireForm` when it contradicts what it says itself."""
        self._check(window)
        connected = self._connected(window)
        difference = self._records.compared(window.taken, self._since(window))
        missing = self._missing(window, difference)
        wanting = missing or not connected or self._begins_late(window)
        self._window, self._total = window.taken, window.total
        if wanting and self._whole.due and (yield from self._whole_ledger(window)):
            return
        yield from self._changed(difference)
        if self._since(window) is None:
            self._unlisted, self._holes, self._doubt = 0, (), None
        elif not connected:
            self._disconnected(window)
        elif missing > 0 and not self._holes:
            self._missing_somewhere()
        self._narrow()

    def _check(self, window: wire.Window) -> None:
        """A window that ends before what is known, although nothing has become less, was cut off."""
        last = self._records.last
        few = len(window.taken) < min(window.total, wire.WINDOW)
        newest = _last_seq(window.taken)
        if few and last is not None and newest is not None and newest < last and window.total >= self._total:
            raise wire.NoWireForm("it ends before the last event")

    def _since(self, window: wire.Window) -> int | None:
        """From which seq on a window has all; None when it has the whole ledger."""
        return None if len(window.taken) >= window.total else _first_seq(window.taken)

    def _connected(self, window: wire.Window) -> bool:
        """Whether what is known before the window certainly stands, and goes on in it."""
        if self._since(window) is None:
            return True
        if not self._records.seqs:
            return False
        if any(self._records.has(each) for each in window.taken):
            return True
        first, last = window.taken[0], self._records.last
        if first.seq is None or last is None or first.seq <= last:
            return False
        return wire.chained_to(first.raw) == self._records.digests[-1]

    def _missing(self, window: wire.Window, difference: Difference) -> int:
        """How many events the server has that will not be known even then; fewer than 0 when too many are."""
        known = len(self._records) - len(difference.dropped) + len(difference.added)
        return window.total - self._unlisted - known

    def _begins_late(self, window: wire.Window) -> bool:
        """The first look, and numbers that do not begin with 1."""
        first = _first_seq(window.taken)
        return not self._records.seqs and first is not None and first > 1

    def _disconnected(self, window: wire.Window) -> None:
        """Between what is known and the window something lacks, and what is known need not stand."""
        first = _first_seq(window.taken)
        if first is None:
            return
        row = self._records.rows_before(first)
        before = self._records.seqs[row - 1] if row else min(0, first - 1)
        hole = (before + 1, first - 1)
        if hole[0] <= hole[1]:
            self._holes = (*self._holes, hole)
        self._doubt = self._records.seqs[row - 1] if row else None
        self._sure_from, self._sure = first, set()
        self._children.begin(hole, self._records, self._parents())

    def _missing_somewhere(self) -> None:
        """More was added than the window shows, but what it shows goes on from what is known."""
        last = (_first_seq(self._window) or 0) - 1
        self._holes = without([(1, last)], self._records)
        for hole in self._holes[-1:]:
            self._children.begin(hole, self._records, self._parents())

    def _parents(self) -> list[int]:
        """What the events of the window name as their parents."""
        events = (each.record for each in self._window if isinstance(each.record, Event))
        return [event.parent for event in events if event.parent is not None]

    # what a window leaves open

    def complete(self) -> Iterator[Fact]:
        """Look for what is missing, for as long as it is; say what cannot be had."""
        if self._wanting and self._whole.due:
            given = yield from self._whole_ledger(wire.Window(self._total, self._window))
            if given:
                return
        if self._wanting and not self._whole.works and not self._children.exhausted:
            yield from self._from_children()
        yield from self._tell()

    @property
    def filling(self) -> bool:
        """Whether the next `complete` can bring more at once."""
        return self._wanting and not self._whole.works and not self._children.exhausted

    @property
    def _wanting(self) -> bool:
        return bool(self._holes) or self._doubt is not None

    def _from_children(self) -> Iterator[Fact]:
        first = _first_seq(self._window) or 0
        found = self._children.ask(before=first)
        standing = {each.seq for each in found if self._records.has(each)}
        sure = self._sure.union(self._records.seqs[self._records.rows_before(self._sure_from) :])
        difference = self._records.contradicted(found, sure)
        self._sure.update(each.seq for each in found if each.seq is not None)
        if difference.dropped:
            self._doubt = difference.dropped[0]
        yield from self._changed(difference)
        if self._doubt in standing:
            self._doubt = None
        if difference.dropped:
            self._holes = (*self._holes, (difference.dropped[0], first - 1))
        self._narrow()

    def _narrow(self) -> None:
        """Holes without what is known by now; none when nothing is missing."""
        self._holes = without(self._holes, self._records)
        if self._total - self._unlisted <= len(self._records) and self._doubt is None:
            self._holes = ()
        if not self._wanting:
            self._children.forget()

    def _changed(self, difference: Difference) -> Iterator[Fact]:
        if difference.dropped:
            first = difference.dropped[0]
            self.told = None if self.told else ()
            self._holes = tuple(hole for hole in self._holes if hole[0] < first)
            if self._doubt is not None and self._doubt >= first:
                row = self._records.rows_before(first)
                self._doubt = self._records.seqs[row - 1] if row else None
        yield from self._records.change(difference)

    def _tell(self) -> Iterator[Fact]:
        if self._holes != self.told:
            self.told = self._holes
            yield Holes(self._holes)

    # the whole ledger

    def _whole_ledger(self, window: wire.Window) -> Generator[Fact, None, bool]:
        """Read the whole ledger and compare all of it. False when the server does not give it."""
        given = yield from _as_progress(self._whole)
        if given is None:
            return False
        together = _together(given, window.taken)
        if together is None:
            window = wire.journal(self._web.get(wire.PATH).body)
            together = _together(given, window.taken)
        if together is None:
            self._whole.distrust()
            return False
        yield from self._changed(self._records.compared(together, None))
        last = _last_seq(window.taken)
        ahead = sum(last is None or (each.seq or 0) > last for each in given)
        self._window, self._total = window.taken, window.total + ahead
        self._unlisted = self._total - len(self._records)
        self._holes, self._doubt = (), None
        self._children.forget()
        yield from self._tell()
        return True


def _as_progress(whole: Whole) -> Generator[Fact, None, tuple[wire.Taken, ...] | None]:
    asking = whole.ask()
    while True:
        try:
            done, size = next(asking)
        except StopIteration as given:
            found: tuple[wire.Taken, ...] | None = given.value
            return found
        yield Progress(done, size)


def _together(whole: tuple[wire.Taken, ...], window: tuple[wire.Taken, ...]) -> list[wire.Taken] | None:
    """The whole ledger, and a window that was read a moment before or after; None when they contradict each
    other, because something has happened in between, or one of them is old."""
    there = {each.seq: each.digest for each in whole if each.seq is not None}
    last = max(there, default=None)
    first = _first_seq(window)
    if first is not None and first not in there:
        return None
    newer: list[wire.Taken] = []
    for each in window:
        if each.seq is None or there.get(each.seq) == each.digest:
            continue
        if last is None or each.seq <= last:
            return None
        newer.append(each)
    return [*whole, *newer]


def _first_seq(taken: tuple[wire.Taken, ...] | list[wire.Taken]) -> int | None:
    return next((each.seq for each in taken if each.seq is not None), None)


def _last_seq(taken: tuple[wire.Taken, ...]) -> int | None:
    return next((each.seq for each in reversed(taken) if each.seq is not None), None)
