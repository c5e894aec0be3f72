"""Our own server: it says with every answer what its store has, and gives what comes after a seq."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from korg_tui.sources.facts import Fact, Progress
from korg_tui.sources.http import wire
from korg_tui.sources.http.records import ROW, Records
from korg_tui.sources.http.web import Answer, Nonsense, Web

PAGE = 5_000
"""Events that are asked for at once."""

PAGES_AT_ONCE = 50
"""Pages that one look takes in, at most."""

LARGEST = 1 << 30
"""Bytes that are compared after a rewind, at most."""

_BACK = (100, 1_000, 10_000)
"""Events that are read again to find where a rewind has cut, before all are."""

_CHECK_SECONDS = 10.0
"""Between two readings of the whole ledger for the reason that it contradicts what the server says of it."""


class OtherServer(Exception):
    """The answer is not from our own server any more."""


class PageReader:
    """Keeps `records` as our own server has them. `clock` gives seconds."""

    def __init__(self, web: Web, records: Records, clock: Callable[[], float]) -> None:
        self._web = web
        self._records = records
        self._clock = clock
        self._store: tuple[str, int] | None = None
        self._etag = ("", "")
        self._checked = float("-inf")
        self._shorter = False
        self.behind = False
        """There is more than one look takes in: look again at once."""
        self.last = 0
        """The seq of the last event that the server had at the latest look."""
        self.trouble = ""
        """Why the server cannot write, in its words; empty when it can."""

    def look(self) -> Iterator[Fact]:
        """Ask for what is new, and take it in. Raises `OtherServer`, `Away`, `Nonsense`, `NoWireForm`."""
        after = max(0, self._records.last or 0)
        path = _path(after)
        answer = self._web.get(path, etag=self._etag[1] if self._etag[0] == path else "")
        mark = _mark(answer)
        self.last, self.trouble = mark.last, mark.trouble
        another = self._store is not None and (mark.store, mark.generation) != self._store
        if self._lost_its_end(mark) or another:
            yield from self._again(mark)
        elif answer.status != 304:
            yield from self._pages(after, answer, mark)
            self._etag = (path, answer.headers.get("etag", ""))
        self._store = (mark.store, mark.generation)
        if not self.behind and not self._agrees(mark) and self._clock() - self._checked >= _CHECK_SECONDS:
            self._checked = self._clock()
            yield from self._again(mark, whole=True)

    def _lost_its_end(self, mark: wire.Mark) -> bool:
        """Whether the store has said twice that it ends before what is known: it was cut without a word."""
        before, self._shorter = self._shorter, (self._records.last or 0) > mark.last
        return before and self._shorter

    def _agrees(self, mark: wire.Mark) -> bool:
        """Whether what is known is what the server said that it has; more may have come since."""
        last = self._records.last or 0
        if last > mark.last:
            row = self._records.row(mark.last)
            return mark.last == 0 or (row >= 0 and self._records.digests[row] == mark.tip)
        tip = self._records.digests[-1] if self._records.seqs else mark.tip
        return (len(self._records), last, tip) == (mark.total, mark.last, mark.tip)

    def _pages(self, after: int, answer: Answer, mark: wire.Mark) -> Iterator[Fact]:
        """An answer with what comes after a seq, and the pages that follow."""
        self.behind = False
        done = 0
        for _ in range(PAGES_AT_ONCE):
            found = _page(answer, after)
            if not self._goes_on(found):
                yield from self._again(mark)
                return
            yield from self._records.change(self._records.compared(found, after + 1))
            before, after, done = after, _last(found, after), done + len(answer.body)
            now = _mark(answer)
            if after in (before, now.last) or after > now.last or now.generation != mark.generation:
                return
            yield Progress(done, 0)
            answer = self._web.get(_path(after))
        self.behind = True

    def _goes_on(self, page: tuple[wire.Taken, ...]) -> bool:
        """Whether a page begins behind the last known event, as far as its chain tells."""
        if not page or page[0].seq is None or not self._records.seqs:
            return True
        return wire.chained_to(page[0].raw) in (None, self._records.digests[-1])

    def _again(self, mark: wire.Mark, *, whole: bool = False) -> Iterator[Fact]:
        """Read again as much as is needed to find where the server's store and what is known part."""
        known = self._records.seqs
        for back in () if whole else _BACK:
            if back >= len(known):
                break
            since = known[-back]
            answer = self._web.get(_path(since - 1))
            page = _page(answer, since - 1)
            if page and page[0].seq == since and self._records.has(page[0]):
                yield from self._from(since, answer, mark)
                return
        yield from self._from(None, self._web.get(_path(0)), mark)

    def _from(self, since: int | None, answer: Answer, mark: wire.Mark) -> Iterator[Fact]:
        """Compare all from seq `since` on (None: all). What changes meanwhile is seen by the next look."""
        found: list[wire.Taken] = []
        after, size = 0 if since is None else since - 1, 0
        while page := _page(answer, after):
            found += page
            before, after = after, _last(page, after)
            size += len(answer.body) + ROW * len(page)
            now = _mark(answer)
            if size > LARGEST:
                raise Nonsense(f"it was rewound, and has more than {LARGEST >> 20} MB to compare")
            if now.generation != mark.generation:
                return
            if after == before or after >= now.last:
                break
            answer = self._web.get(_path(after))
        yield from self._records.change(self._records.compared(found, since))


def _path(after: int) -> str:
    return f"{wire.PATH}?after={after}&limit={PAGE}"


def _mark(answer: Answer) -> wire.Mark:
    found = wire.mark(answer.headers.get(wire.HEADER))
    if found is None:
        raise OtherServer
    return found


def _page(answer: Answer, after: int) -> tuple[wire.Taken, ...]:
    """The events of a page. Raises `NoWireForm` when they are not what was asked for."""
    found = wire.page(answer.body)
    if any(each.seq is not None and each.seq <= after for each in found):
        raise wire.NoWireForm(f"it gives events up to {after} when asked for those after it")
    return found


def _last(page: tuple[wire.Taken, ...], after: int) -> int:
    return max((each.seq for each in page if each.seq is not None), default=after)
