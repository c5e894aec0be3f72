"""Choices: what a session can be compared with - itself before a rewind, and every other session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from korg_tui.causal import Gone, Ledger, Session
from korg_tui.reading import Reading
from korg_tui.text import visible
from korg_tui.views import (
    SessionRow,
    Side,
    SideBefore,
    SideInOrder,
    ago,
    plural,
    session_rows,
    sort_sessions,
)
from korg_tui.widgets.compare import Choice
from korg_tui.widgets.names import ending

_NAME_CELLS = 40


@dataclass(frozen=True, slots=True)
class Offer:
    """One choice: how it is shown, and the two sides that it makes."""

    choice: Choice
    sides: Callable[[], tuple[Side, Side]]
    readings: tuple[Reading, Reading]
    """Of the left and of the right side."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The session that is compared."""

    reading: Reading
    ledger: Ledger
    session: Session

    @property
    def now(self) -> Session:
        """The session as it stands; one that was written anew has the number of the old one."""
        standing, sessions = self.session.standing(), self.ledger.sessions
        if any(each is standing for each in sessions):
            return standing
        return next((each for each in sessions if each.seq == standing.seq), standing)

    @property
    def name(self) -> str:
        """As a side is called, safe."""
        return f"{ending(self.ledger.name, _NAME_CELLS)} › session {self.session.seq}"


def offers(subject: Subject, readings: Sequence[Reading], now_ms: int) -> list[Offer]:
    """Itself before each rewind that was seen, the newest first; then all other sessions, newest first."""
    return [*_before(subject), *_others(subject, readings, now_ms)]


def _before(subject: Subject) -> list[Offer]:
    ledger = subject.ledger
    counts: dict[int, list[int]] = {}
    amid: set[int] = set()
    for gone in ledger.gone:
        counts.setdefault(gone.generation, []).append(gone.event.seq)
        if gone.amid:
            amid.add(gone.generation)
    found = []
    for generation, seqs in sorted(counts.items(), reverse=True):
        if generation in amid:
            continue  # no rewind: what stood behind what was changed stands
        told = f"a rewind dropped {plural(len(seqs), 'event')}, {min(seqs)} to {max(seqs)}"
        choice = Choice("", f"this session before the rewind at {min(seqs)}", told, "seen here")
        found.append(Offer(choice, _sides_before(subject, generation), (subject.reading, subject.reading)))
    return found


def _sides_before(subject: Subject, generation: int) -> Callable[[], tuple[Side, Side]]:
    def sides() -> tuple[Side, Side]:
        reading, ledger, session = subject.reading, subject.ledger, subject.now
        read = reading.bodies(ledger)

        def gone(each: Gone) -> bytes:
            return reading.source.read(each.event.offset, each.event.length, each.epoch)

        before = SideBefore("before the rewind", ledger, session, read, gone, generation)
        return before, SideInOrder("now", ledger, session, read)

    return sides


def _others(subject: Subject, readings: Sequence[Reading], now_ms: int) -> list[Offer]:
    owners = {ledger.name: (each, ledger) for each in readings for ledger in each.journal.ledgers}
    rows = [row for _, ledger in owners.values() for row in session_rows(ledger)]
    found = []
    for row in sort_sessions(rows, "activity"):
        reading, ledger = owners[row.ledger]
        if row.index < 0 or (ledger is subject.ledger and row.index == subject.now.index):
            continue
        other = Subject(reading, ledger, ledger.sessions[row.index])
        name = visible(ledger.name)
        choice = Choice(name, f"session {other.session.seq}", _told(row), ago(row.last_ms, now_ms))
        found.append(Offer(choice, _sides(subject, other), (subject.reading, reading)))
    return found


def _told(row: SessionRow) -> str:
    return f"{plural(row.events, 'event')}, {row.failed:,} failed · {row.prompt}"


def _sides(left: Subject, right: Subject) -> Callable[[], tuple[Side, Side]]:
    def side(of: Subject) -> Side:
        return Side(of.name, of.ledger, of.now, of.reading.bodies(of.ledger))

    return lambda: (side(left), side(right))
