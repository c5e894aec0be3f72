"""A reading: one source, and the journal that its facts have made so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from korg_tui.causal import Change, Journal, Ledger, is_key
from korg_tui.formats import Body, body
from korg_tui.sources import BodyGone, CaughtUp, Fact, Grew, Opened, Progress, Source, State


@dataclass(slots=True, eq=False)
class Reading:
    """One source, and what has been read from it. Belongs to one thread alone."""

    source: Source
    journal: Journal
    state: str = "reading"
    """`reading` until the first reading is complete; then as `State.state` says."""
    text: str = ""
    """The state in one line for a person, as the source wrote it."""
    at_ms: int = 0
    container: str = ""
    notes: tuple[tuple[str, str], ...] = ()
    done: int = 0
    total: int = 0
    caught_up: bool = False
    kin: dict[str, Reading] = field(default_factory=dict)
    """By the name of their ledger: the readings of sub-agents whose events are guests in one of ours."""
    _around: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, source: Source) -> Reading:
        """The reading of a source that nothing has been read from yet."""
        return cls(source, Journal(source.name))

    def apply(self, fact: Fact) -> Sequence[Change]:
        """Take a fact in. Returns what changed in the journal."""
        match fact:
            case Opened():
                self.container, self.notes, self._around = fact.container, fact.notes, fact.around
            case Progress():
                self.done, self.total = fact.done, fact.total
            case CaughtUp():
                self.caught_up = True
                if self.state == "reading":
                    self.state = "live"
            case State():
                self.state, self.text, self.at_ms = fact.state, fact.text, fact.at_ms
        return self.journal.apply(fact)

    @property
    def live(self) -> bool:
        """Whether something new can still come."""
        return self.state not in ("ended", "failed")

    @property
    def hosted(self) -> bool:
        """Whether its events are those of a sub-agent, and are shown in the ledger of who started it."""
        return any(ledger.host is not None for ledger in self.journal.ledgers)

    def raw(self, ledger: Ledger, row: int) -> bytes:
        """The bytes of a record. Raises `BodyGone` when the source can no longer give them."""
        return self._read(ledger, ledger.offset[row], ledger.length[row])

    def _read(self, ledger: Ledger, offset: int, length: int) -> bytes:
        if not is_key(offset):
            return self.source.read(offset, length, ledger.epoch)
        name, number = ledger.address(offset)
        kin = self.kin.get(name)
        own = kin.journal.ledgers[0] if kin else None
        row = own.row_of(number) if own else None
        if kin is None or own is None or row is None:
            raise BodyGone(f"this record is gone from {name}")
        return kin.source.read(own.offset[row], length, own.epoch)

    def wrapper(self) -> bytes:
        """The object that holds the events, as JSON in which `events` is empty; empty for other containers.
        Raises `BodyGone` like `raw`."""
        return b"".join(self.source.read(offset, length) for offset, length in self._around)

    def bodies(self, ledger: Ledger) -> Callable[[int, int], bytes]:
        """`read(offset, length)` for the records of a ledger as they stand now, whatever the source has
        become meanwhile. Raises `BodyGone` like `raw`."""
        return lambda offset, length: self._read(ledger, offset, length)

    def body(self, ledger: Ledger, row: int) -> Body | None:
        """A record decoded whole, `None` for a malformed line."""
        return body(self.raw(ledger, row))

    def complete(self, watch: Callable[[Reading], None] | None = None) -> Reading:
        """Read all that the source holds now. `watch` is told after each part of it. Raises `SourceError`
        when it cannot be read."""
        for fact in self.source.start():
            self.apply(fact)
            if watch is not None:
                watch(self)
        self.apply(Grew(tuple(self.source.finish())))
        return self
