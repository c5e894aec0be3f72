"""Vigil: the chains of all open ledgers, checked as they grow, a little at a time (LEDGERS, Hash chain).

It belongs to the thread that owns the ledgers, but for `Turn.check`, which any thread may carry out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from korg_tui.causal import Change, Ledger, Vanished
from korg_tui.reading import Reading
from korg_tui.sources import DemoSource
from korg_tui.trust.found import Standing
from korg_tui.trust.ledger_chain import EVENTS, SIZE, Batch, LedgerChain
from korg_tui.trust.verification import is_further
from korg_tui.trust.watched import Watched

TOGETHER = 64
"""Small ledgers that are looked at in one turn."""

MOMENT_SECONDS = 0.5
"""What takes longer is told while it lasts."""


@dataclass(slots=True, eq=False)
class _Kept:
    """One ledger under watch."""

    reading: Reading
    ledger: Ledger
    since: float
    """When there was something to look at, and nobody had looked yet; seconds."""
    standing: Standing | None = None
    """As of the last turn."""
    whole: Standing | None = None
    """When all had been looked at for the last time."""
    epoch: int = 0
    """Of the ledger, when its last rows were taken to be looked at."""
    chain: LedgerChain = field(init=False)

    def read(self, offset: int, length: int) -> bytes:
        """The bytes of a record as they were when its row was taken. Raises `BodyGone`."""
        return self.reading.source.read(offset, length, self.epoch)


class Turn:
    """What is looked at next: a part of one ledger, or of several small ones."""

    def __init__(self) -> None:
        self.parts: list[tuple[_Kept, Batch]] = []
        self.events = 0
        self.size = 0

    def check(self) -> None:
        """Read and hash. Any thread may, one at a time."""
        for _, part in self.parts:
            part.check()

    def add(self, kept: _Kept, part: Batch) -> None:
        """One more part."""
        self.parts.append((kept, part))
        self.events += len(part)
        self.size += sum(part.places.lengths)


class Vigil:
    """Who waits to be looked at, and what is known of all others. `key` is that of keyed ledgers, of which
    the demo is none; `clock` gives seconds."""

    def __init__(self, key: bytes | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.news: dict[Ledger, Reading] = {}
        """The ledgers of which something else can be said than when they were last taken from here."""
        self._key = key
        self._clock = clock
        self._kept: dict[Ledger, _Kept] = {}
        self._waiting: dict[Ledger, None] = {}
        self._first: tuple[Ledger, ...] = ()

    def __len__(self) -> int:
        return len(self._kept)

    def changed(self, reading: Reading, changes: Sequence[Change], *, anew: bool = False) -> None:
        """A reading has changed; `anew`: the bytes of all its ledgers may be others."""
        gone = {change.ledger for change in changes if isinstance(change, Vanished)}
        for ledger in gone:
            self.forget(ledger)
        touched = reading.journal.ledgers if anew else [change.ledger for change in changes]
        for ledger in dict.fromkeys(touched):
            if ledger not in gone:
                self.look(reading, ledger)

    def look(self, reading: Reading, ledger: Ledger) -> None:
        """A ledger is new, or has changed."""
        kept = self._kept.get(ledger)
        if kept is None:
            self._kept[ledger] = self._new(reading, ledger)
        elif ledger not in self._waiting:
            kept.since = self._clock()
        self._waiting.setdefault(ledger)

    def _new(self, reading: Reading, ledger: Ledger) -> _Kept:
        key = None if isinstance(reading.source, DemoSource) else self._key
        kept = _Kept(reading, ledger, self._clock())
        kept.chain = LedgerChain(ledger, kept.read, key=key, further=is_further(reading, ledger))
        return kept

    def forget(self, ledger: Ledger) -> None:
        """A ledger is no more."""
        for known in (self._kept, self._waiting, self.news):
            known.pop(ledger, None)

    def forget_all(self) -> None:
        """There are other ledgers now."""
        for known in (self._kept, self._waiting, self.news):
            known.clear()

    def prefer(self, *ledgers: Ledger) -> None:
        """These come before all others, in this order."""
        self._first = ledgers

    @property
    def waiting(self) -> bool:
        """Whether something may be left to look at."""
        return bool(self._waiting)

    @property
    def pending(self) -> int:
        """How many events nobody has looked at, of the ledgers that wait."""
        return sum(self._kept[ledger].chain.pending for ledger in self._waiting)

    def turn(self, events: int = EVENTS, size: int = SIZE) -> Turn | None:
        """What is looked at next, at most so many events and bytes; None when nothing is left."""
        turn = Turn()
        for kept in self._in_order():
            kept.epoch = kept.ledger.epoch
            part = kept.chain.batch(events - turn.events, size - turn.size)
            if part is None:
                del self._waiting[kept.ledger]
                self._settle(kept)
                continue
            turn.add(kept, part)
            if turn.events >= events or turn.size >= size or len(turn.parts) >= TOGETHER:
                break
        return turn if turn.parts else None

    def _in_order(self) -> Iterator[_Kept]:
        first = [ledger for ledger in self._first if ledger in self._waiting]
        others = (ledger for ledger in list(self._waiting) if ledger not in first)
        yield from (self._kept[ledger] for ledger in (*first, *others))

    def take(self, turn: Turn) -> None:
        """Take in what was found."""
        for kept, part in turn.parts:
            if self._kept.get(kept.ledger) is kept:
                kept.chain.absorb(part)
                self._settle(kept)

    def _settle(self, kept: _Kept) -> None:
        before, kept.standing = kept.standing, kept.chain.standing
        if not kept.chain.pending:
            self._waiting.pop(kept.ledger, None)
            kept.whole = kept.standing
        if kept.standing != before or kept.chain.pending:
            self.news[kept.ledger] = kept.reading

    def all_wait(self) -> None:
        """It takes long: of all that wait to be looked at, that can be said."""
        self.news.update((ledger, self._kept[ledger].reading) for ledger in self._waiting)

    def standing(self, ledger: Ledger) -> Standing | None:
        """Where a chain stands, as far as it was looked at; None when nobody has looked yet."""
        kept = self._kept.get(ledger)
        return None if kept is None else kept.standing

    def of(self, ledger: Ledger) -> Watched | None:
        """What can be said of a ledger now; None when that is nothing yet."""
        kept = self._kept.get(ledger)
        if kept is None or kept.standing is None:
            return self._unseen(kept)
        pending = kept.chain.pending
        if not pending or kept.standing.verdict == "broken":
            return Watched(kept.standing, done=not pending)
        if self._lasts(kept):
            looked = kept.standing.events
            return Watched(kept.standing, done=False, share=100 * looked // (looked + pending))
        return None if kept.whole is None else Watched(kept.whole, done=False)

    def _unseen(self, kept: _Kept | None) -> Watched | None:
        if kept is None or not len(kept.ledger) or not self._lasts(kept):
            return None
        return Watched(Standing("empty", 0, "", None), done=False, share=0)

    def _lasts(self, kept: _Kept) -> bool:
        return kept.ledger in self._waiting and self._clock() - kept.since > MOMENT_SECONDS
