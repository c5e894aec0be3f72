"""Touched: the events of all ledgers that a query means - who touched this path, in all sessions.

The search works in slices, so that whoever asks can go on answering keys; it counts every event that fits
and keeps the newest ones. What it found is known by content, too: a rewind puts no other event in its place.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo

from korg_tui.causal import Ledger, Session
from korg_tui.event import Kind
from korg_tui.formats import Body
from korg_tui.text import visible
from korg_tui.views import calls, marks, sessions, walk
from korg_tui.views.arguments import Arguments, Read
from korg_tui.views.contents import FindBlob
from korg_tui.views.query import Query, parse_query
from korg_tui.views.sweep import Sweep
from korg_tui.views.terms import in_quotes

MOST = 5_000
"""Events that are kept; all that fit are counted."""

_PATH_CHARACTERS = 400
_NO_TIME = -(2**63)
_GONE = "╳"


@dataclass(frozen=True, slots=True)
class Where:
    """A ledger to look through, and how to read its records."""

    ledger: Ledger
    read: Read
    blobs: FindBlob | None = None
    """How to find the blobs that it names."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An event that fits."""

    where: Where
    row: int
    """Its row when it was found."""
    seq: int | None
    """None for a malformed line; for a guest from a sub-agent's own ledger, its key in the host."""
    digest: int
    time_ms: int | None

    @property
    def row_now(self) -> int | None:
        """Its row now; None when a rewind dropped it."""
        ledger = self.where.ledger
        if self._is_at(self.row):
            return self.row
        row = None if self.seq is None else ledger.row_of(self.seq)
        return row if row is not None and self._is_at(row) else None

    def _is_at(self, row: int) -> bool:
        ledger = self.where.ledger
        if row >= len(ledger) or ledger.seq_at(row) != self.seq:
            return False
        return self.seq is None or ledger.columns.digest[row] == self.digest


@dataclass(frozen=True, slots=True)
class EventRow:
    """What a list of events shows of one. All text is safe."""

    ledger: str
    """The name of the ledger that holds the record, raw."""
    session: int
    """The session's index in the ledger where it was found; -1 for an event that belongs to none."""
    prompt: str
    """The first words of its session."""
    lane: str
    """The number and the short name of its lane, empty off the lanes."""
    number: int | None
    """The seq in the ledger that holds the record; None for a malformed line."""
    time_ms: int | None
    sign: str
    tool: str
    argument: str
    marks: tuple[str, ...]
    gone: bool = False
    """A rewind dropped it since it was found."""


class EventSearch:
    """The events of `among` that `query` means, newest first; those without a time after all others, ledger
    by ledger, the last one first. Raises `QueryError`."""

    def __init__(
        self,
        query: str,
        among: Sequence[Where],
        most: int = MOST,
        *,
        now_ms: int | None = None,
        zone: tzinfo | None = UTC,
    ) -> None:
        parse_query(query, now_ms=now_ms, zone=zone)
        self.query = query
        self.found = 0
        """How many events fit, so far."""
        self.looked = 0
        """How many events were looked at, so far."""
        self.total = sum(len(where.ledger) for where in among)
        """Events to be looked at."""
        self.ledgers: set[str] = set()
        """Names of the ledgers that have events that fit, so far."""
        self._most = most
        self._kept: list[tuple[int, int, int, int, Hit]] = []
        self._ahead = [
            (where, Sweep(self._parsed(where, now_ms, zone), where.ledger), len(where.ledger))
            for where in among
        ]
        self._at = 0
        self._row = 0
        self._revision = -1
        self._before = 0
        """How many events fitted in the ledgers before this one."""

    def _parsed(self, where: Where, now_ms: int | None, zone: tzinfo | None) -> Query:
        return parse_query(self.query, where.read, blobs=where.blobs, now_ms=now_ms, zone=zone)

    @property
    def done(self) -> bool:
        """Whether everything was looked at."""
        return self._at >= len(self._ahead)

    @property
    def hits(self) -> list[Hit]:
        """The newest events that fit, so far."""
        return [kept[-1] for kept in self._kept]

    @property
    def cut(self) -> bool:
        """Whether more events fit than are kept."""
        return self.found > len(self._kept)

    @property
    def unseen(self) -> str:
        """What could not be looked at, in words; empty when that is nothing."""
        every = (sweep.query.unseen.words for _, sweep, _ in self._ahead)
        return "; ".join(dict.fromkeys(filter(None, every)))

    def work(self, enough: Callable[[], bool]) -> Sweep | None:
        """Look at one event after the other until it is `enough`, or all were looked at. Returns what has to
        `settle` first, beside the screen, where the next event is costly."""
        while not self.done:
            where, sweep, end = self._ahead[self._at]
            self._hold_on_to(where)
            while self._row < min(end, len(where.ledger)):
                fits = where.ledger.kind[self._row] != Kind.GAP and sweep.ask(self._row)
                if fits is None:
                    return sweep
                self._met(where, self._row, fits)
                self._row += 1
                if enough():
                    return None
            self._at, self._row, self._revision, self._before = self._at + 1, 0, -1, self.found
        return None

    def _hold_on_to(self, where: Where) -> None:
        """A ledger whose rows have moved since its first one was looked at is looked at again."""
        if self._revision != where.ledger.revision and self._row:
            self.looked -= self._row
            self._row, self.found = 0, self._before
            self._kept = [kept for kept in self._kept if kept[1] != self._at]
        self._revision = where.ledger.revision

    def _met(self, where: Where, row: int, fits: bool) -> None:
        self.looked += 1
        if not fits:
            return
        self.found += 1
        ledger, seq = where.ledger, where.ledger.seq_at(row)
        self.ledgers.add(_address(ledger, seq)[0])
        time_ms = ledger.time_at(row)
        hit = Hit(where, row, seq, ledger.columns.digest[row], time_ms)
        newest_first = -(_NO_TIME if time_ms is None else time_ms)
        insort(self._kept, (newest_first, self._at, -row, self.found, hit))
        if len(self._kept) > self._most:
            self._kept.pop()


class EventRows:
    """Rows for hits, made when they are looked at."""

    def __init__(self) -> None:
        self._arguments: dict[Where, tuple[int, Arguments]] = {}

    def of(self, hit: Hit) -> EventRow:
        """The row of a hit, as its ledger stands now."""
        ledger, row = hit.where.ledger, hit.row_now
        if row is None:
            return _gone(hit)
        session, lane = session_of(ledger, row), ledger.lane_at(row)
        name, number = _address(ledger, hit.seq)
        return EventRow(
            ledger=name,
            session=-1 if session is None else session.index,
            prompt="" if session is None else sessions.prompt_of(ledger, session.head),
            lane="" if lane is None else f"{marks.lane_number(lane)} {marks.lane_name(lane)}",
            number=number,
            time_ms=hit.time_ms,
            sign=marks.sign(ledger, row),
            tool=marks.tool(ledger, row),
            argument=self._argument(hit.where, row),
            marks=marks.marks(ledger, row),
        )

    def _argument(self, where: Where, row: int) -> str:
        revision, known = self._arguments.get(where, (-1, None))
        if known is None or revision != where.ledger.revision:
            known = Arguments(where.ledger, where.read)
            self._arguments[where] = where.ledger.revision, known
        return known.of(row)


def _address(ledger: Ledger, seq: int | None) -> tuple[str, int | None]:
    return (ledger.name, None) if seq is None else ledger.address(seq)


def _gone(hit: Hit) -> EventRow:
    name, number = _address(hit.where.ledger, hit.seq)
    return EventRow(
        ledger=name, session=-1, prompt="", lane="", number=number, time_ms=hit.time_ms,
        sign=_GONE, tool="gone", argument="a rewind dropped it since it was found", marks=(), gone=True,
    )  # fmt: skip


def session_of(ledger: Ledger, row: int) -> Session | None:
    """The session in which a row is shown: its own; for a governance event, that of the event it names."""
    session = ledger.session_at(row)
    if session is None and ledger.kind[row] == Kind.GOVERNANCE:
        named = walk.parent(ledger, row)
        session = None if named is None else ledger.session_at(named)
    return session


def paths_of(ledger: Ledger, row: int, found: Body | None) -> tuple[str, ...]:
    """The files and folders that an event names, as written; `found` is its record."""
    return () if found is None else tuple(calls.paths_named(ledger.tool_at(row), found.args))


def path_query(path: str) -> str:
    """The query that means every event that names this path; of a very long one, its beginning."""
    return f"path:{in_quotes(visible(path[:_PATH_CHARACTERS]))}"
