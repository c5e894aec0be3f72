"""Checklist: what the spec asks of a ledger (SPEC §6, §7.6, §2a), checked a part at a time.

`batch`, `absorb` and `checks` belong to the thread that owns the ledger; what a batch does in `check` may be
done by any other."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import cast

from msgspec.structs import replace

from korg_tui.causal import Ledger, Session
from korg_tui.event import Kind
from korg_tui.sources import BlobFound, Blobs, BodyGone
from korg_tui.trust.checks_bodies import Bodies
from korg_tui.trust.checks_rows import Names, SpineCheck, Walks
from korg_tui.trust.checks_sessions import Lines, children_check, index_check, roots_check
from korg_tui.trust.found import Check

EVENTS, SIZE = 2_000, 1 << 20
"""Events, and bytes, of one batch, but for a record that is larger alone."""

Read = Callable[[int, int], bytes]
"""The bytes of a record, by offset and length. Raises `BodyGone`."""


@dataclass(frozen=True, slots=True)
class _Record:
    """Where the record of an agent event lies, and what the model knows of it."""

    seq: int
    offset: int
    length: int
    blobs: tuple[str, ...]


@dataclass(slots=True, eq=False)
class ChecklistBatch:
    """The next records of a ledger, and those who look at them."""

    records: list[_Record]
    last_line: tuple[int, int] | None
    """Where the line ends after which nothing stands (offset, length), when that is no event."""
    _bodies: Bodies
    _read: Read
    _find: Callable[[str], BlobFound]
    torn: bool = field(default=False, init=False)
    """Whether that line was not written to its end."""

    def check(self) -> None:
        """Read records and blobs. Any thread may, one at a time. What is gone is left out."""
        for record in self.records:
            try:
                raw = self._read(record.offset, record.length)
            except BodyGone:
                continue
            self._bodies.meet(record.seq, raw, record.blobs)
        self._bodies.references.look(self._find)
        self.torn = self.last_line is not None and not self._goes_on(sum(self.last_line))

    def _goes_on(self, end: int) -> bool:
        """Whether anything follows, a line feed at least: else the line was torn."""
        try:
            return bool(self._read(end, 1))
        except BodyGone:
            return False


class Checklist:
    """The checks of one ledger, as far as `batch`, `check` and `absorb` were carried out.

    `since`: only events from this seq on are looked at, and sessions that have one; walks go further back.
    `indexed`: whether who walks from parents to children has an index."""

    def __init__(
        self, ledger: Ledger, read: Read, blobs: Blobs, *, since: int | None = None, indexed: bool = True
    ) -> None:
        self._ledger = ledger
        self._read = read
        self._blobs = blobs
        self._since = since
        self._indexed = indexed
        self._found: dict[str, BlobFound] = {}
        self._begin()

    def _begin(self) -> None:
        ledger, since = self._ledger, self._since
        self._walks, self._names, self._spine = (
            Walks(ledger, since), Names(ledger, since), SpineCheck(ledger, since),
        )  # fmt: skip
        self._bodies = Bodies(self._fetch)
        self._lines = Lines()
        self._next = 0
        self._last_malformed = -1
        self._known = (ledger.epoch, ledger.revision)

    def _fetch(self, sha: str) -> BlobFound:
        """A blob, with its content."""
        return self._blobs.find(sha, whole=not self._blobs.remote)

    def _find(self, sha: str) -> BlobFound:
        """A blob, without its content. Each is looked for once, but for one that was not there: it may have
        come."""
        found = self._found.get(sha)
        if found is None or found.state == "missing":
            found = self._found[sha] = replace(self._fetch(sha), content=None)
        return found

    @property
    def pending(self) -> int:
        """Rows that were not looked at yet."""
        if self._known != (self._ledger.epoch, self._ledger.revision):
            return len(self._ledger)
        return max(0, len(self._ledger) - self._next)

    def batch(self, events: int = EVENTS, size: int = SIZE) -> ChecklistBatch | None:
        """The next rows, at most so many, and so many bytes, but one at least; None when there are none. All
        rows are looked at again when some of them moved."""
        ledger = self._ledger
        if self._known != (ledger.epoch, ledger.revision):
            self._begin()
        if self._next >= len(ledger):
            return None
        records, left = [], size
        end = min(len(ledger), self._next + max(1, events))
        while self._next < end and left > 0:
            record = self._meet(self._next)
            self._next += 1
            if record is not None:
                left -= record.length
                records.append(record)
        return ChecklistBatch(records, self._last_line(), self._bodies, self._read, self._find)

    def _meet(self, row: int) -> _Record | None:
        ledger = self._ledger
        for check in (self._walks, self._names, self._spine):
            check.meet(row)
        if ledger.kind[row] == Kind.MALFORMED:
            if self._since is None or ledger.seq[row] >= self._since:
                self._lines.meet(ledger.offset[row], ledger.reason_at(row))
                self._last_malformed = row
            return None
        seq = ledger.seq[row]
        too_early = self._since is not None and seq < self._since
        if ledger.kind[row] > Kind.BOOKKEEPING or row in ledger.columns.guests or too_early:
            return None
        return _Record(seq, ledger.offset[row], ledger.length[row], ledger.blobs_at(row))

    def _last_line(self) -> tuple[int, int] | None:
        row = self._last_malformed
        if row < 0 or row != self._next - 1 or self._next < len(self._ledger):
            return None
        return self._ledger.offset[row], self._ledger.length[row]

    def absorb(self, batch: ChecklistBatch) -> None:
        """Take in what was found."""
        self._lines.torn = batch.torn

    def checks(self) -> tuple[Check, ...]:
        """All checks, in the order of the list, of what was looked at so far."""
        steps = self.telling()
        while True:
            try:
                next(steps)
            except StopIteration as told:
                return cast("tuple[Check, ...]", told.value)

    def telling(self) -> Generator[None, None, tuple[Check, ...]]:
        """The same in small steps, for who must not wait: the checks are what it returns. It is no good any
        more when rows of the ledger moved or went in between; more rows do no harm."""
        ledger, own = self._ledger, self._sessions()
        newest = max((session.head for session in own), default=-1)
        sessions = own if self._since is None else [each for each in own if each.last_seq >= self._since]
        names = yield from self._names.check()
        return (
            self._walks.check(self._bodies.parents),
            (yield from children_check(ledger, sessions, newest, indexed=self._indexed)),
            self._bodies.values.check(),
            (yield from self._bodies.references.check()),
            names,
            index_check(ledger, names.looked_at, indexed=self._indexed),
            (yield from roots_check(ledger, sessions, self._lines)),
            self._spine.check(),
        )

    def _sessions(self) -> Sequence[Session]:
        """Sessions that begin with an event of this very ledger."""
        guests, sessions = self._ledger.columns.guests, self._ledger.sessions
        return [each for each in sessions if each.head not in guests] if guests else sessions


def checklist(
    ledger: Ledger,
    read: Read,
    blobs: Blobs,
    *,
    since: int | None = None,
    watch: Callable[[int, int], None] | None = None,
) -> tuple[Check, ...]:
    """Check a ledger whole. `watch` is told how many rows were looked at, and how many there are."""
    looking = Checklist(ledger, read, blobs, since=since)
    while (batch := looking.batch()) is not None:
        batch.check()
        looking.absorb(batch)
        if watch is not None:
            watch(len(ledger) - looking.pending, len(ledger))
    return looking.checks()
