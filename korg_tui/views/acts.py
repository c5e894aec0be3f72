"""Acts: the events of one side of a comparison, each with what it did and what came of it.

A side is a session, lane by lane - each sub-agent whole, where it began - so that work that ran at the same
time stands in one order however it was interleaved; or a session as it was before a rewind, by seq."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from korg_tui.causal import Gone, Lane, Ledger, Session
from korg_tui.event import Event, Kind
from korg_tui.formats import Body, body
from korg_tui.sources import BodyGone
from korg_tui.views import calls, marks, summary
from korg_tui.views.arguments import LARGE, Read

ReadGone = Callable[[Gone], bytes]
"""The bytes of a record that a rewind dropped. Raises BodyGone or OSError."""

_DEEP = 3
_UNREAD = "its record could not be read"
_TOO_LONG = "its record is too long to be compared"


class Key(NamedTuple):
    """Equal for the same action: how deep its lane lies (0 is the main one), what it is, and to what."""

    role: str
    kind: int
    tool: str
    argument: str


@dataclass(frozen=True, slots=True)
class Act:
    """One event. `row` is -1 for one that a rewind dropped; `place` says which of the side's events it is."""

    place: int
    row: int
    seq: int
    lane: str
    """The number of its lane as people read it, empty for one that is gone."""
    kind: Kind
    tool: str
    argument: str
    """Safe text."""
    key: Key
    success: bool | None
    duration_ms: float | None
    given: int
    """Equal for equal arguments."""
    returned: int
    """Equal for equal results."""
    trouble: str = ""
    """Why arguments and results are not known."""


class Side:
    """The events of one side, read a slice at a time by `work`."""

    def __init__(self, name: str, ledger: Ledger, session: Session | None, read: Read) -> None:
        self.name = name
        """As it is shown, safe."""
        self.ledger = ledger
        self.session = session
        self.acts: list[Act] = []
        self._read = read
        self._rows: Sequence[int | Gone] = self._order()
        self._revision = (ledger.revision, ledger.generation)

    def _order(self) -> Sequence[int | Gone]:
        if self.session is None:
            return lane_by_lane(self.ledger.lanes)
        return lane_by_lane(self.session.lane_objects()) if self.stands else ()

    @property
    def stands(self) -> bool:
        """Whether its session is still one of the ledger's; one that was dropped has rows of nobody."""
        session, standing = self.session, self.ledger.sessions
        return session is None or (session.index < len(standing) and standing[session.index] is session)

    @property
    def total(self) -> int:
        """How many events it has."""
        return len(self._rows)

    @property
    def done(self) -> bool:
        """Whether all of them were read."""
        return len(self.acts) >= self.total

    @property
    def moved(self) -> bool:
        """Whether its rows stand elsewhere now, so that it has to be read anew."""
        return self._revision != (self.ledger.revision, self.ledger.generation)

    def work(self, stop: Callable[[], bool]) -> None:
        """Read on until everything is read, or `stop` says so."""
        while not self.done and not self.moved:
            self.acts.append(self._act(len(self.acts)))
            if stop():
                return

    def body(self, act: Act) -> Body | None:
        """The record of an event. Raises BodyGone, also where rows have moved since, or OSError."""
        if self.moved:
            raise BodyGone("the ledger has changed since")
        raw = self._raw(self._rows[act.place])
        return None if raw is None else body(raw)

    def _raw(self, at: int | Gone) -> bytes | None:
        """The bytes of a record, None of one that is too long."""
        assert isinstance(at, int)
        if self.ledger.length[at] > LARGE:
            return None
        return self._read(self.ledger.offset[at], self.ledger.length[at])

    def _act(self, place: int) -> Act:
        at = self._rows[place]
        found, trouble = None, ""
        try:
            raw = self._raw(at)
            found, trouble = (None, _TOO_LONG) if raw is None else (body(raw), "")
        except (BodyGone, OSError):
            trouble = _UNREAD
        event, lane = self._event(at), "" if isinstance(at, Gone) else self._lane(at)
        argument = "" if found is None else summary.argument(event.tool, found, event.kind)
        return Act(
            place=place,
            row=-1 if isinstance(at, Gone) else at,
            seq=event.seq,
            lane=lane,
            kind=event.kind,
            tool=event.tool,
            argument=argument,
            key=Key(self._role(at), int(event.kind), event.tool, _matters(event, argument, found)),
            success=event.success,
            duration_ms=event.duration_ms,
            given=_digest(None if found is None else found.args),
            returned=_digest(None if found is None else found.result),
            trouble=trouble,
        )

    def _event(self, at: int | Gone) -> Event:
        if isinstance(at, Gone):
            return at.event
        record = self.ledger.columns.record_at(at)
        event = getattr(record, "event", record)
        assert isinstance(event, Event)
        return event

    def _lane(self, row: int) -> str:
        lane = self.ledger.lane_at(row)
        return "" if lane is None else str(marks.lane_number(lane))

    def _role(self, at: int | Gone) -> str:
        """How deep the lane lies; agents may be called otherwise on the other side."""
        assert isinstance(at, int)
        lane = self.ledger.lane_at(at)
        depth = 0 if lane is None else sum(1 for _ in _up_to(lane.chain(), _DEEP + 1)) - 1
        return str(depth)


class SideInOrder(Side):
    """A session by seq, so that it can stand beside what it was before a rewind."""

    def _order(self) -> Sequence[int | Gone]:
        if self.session is None:
            return range(len(self.ledger))
        return self.session.rows() if self.stands else ()

    def _role(self, at: int | Gone) -> str:
        """The agent: lanes may have other numbers since."""
        return marks.short_actor(self._event(at).actor)


class SideBefore(SideInOrder):
    """The session before the rewind that began `generation`: what was kept, then what was dropped."""

    def __init__(
        self, name: str, ledger: Ledger, session: Session, read: Read, gone: ReadGone, generation: int
    ) -> None:
        self._read_gone = gone
        self._generation = generation
        super().__init__(name, ledger, session, read)

    def _order(self) -> Sequence[int | Gone]:
        dropped = [each for each in self.ledger.gone if each.generation == self._generation]
        first = min((each.event.seq for each in dropped), default=0)
        kept = [row for row in super()._order() if isinstance(row, Gone) or self.ledger.seq[row] < first]
        seqs = {self.ledger.seq[row] for row in kept if isinstance(row, int)}
        for each in dropped:
            if each.event.kind.agent and (not seqs or each.event.parent in seqs):
                seqs.add(each.event.seq)
                kept.append(each)
        return kept

    def _raw(self, at: int | Gone) -> bytes | None:
        if isinstance(at, Gone):
            return None if at.event.length > LARGE else self._read_gone(at)
        return super()._raw(at)


def _up_to(lanes: Iterator[Lane], most: int) -> Iterator[Lane]:
    for _, lane in zip(range(most), lanes, strict=False):
        yield lane


def lane_by_lane(lanes: Sequence[Lane]) -> list[int | Gone]:
    """The rows of all lanes: each lane in its order, and each sub-lane whole, right after the row from which
    it was forked."""
    below: dict[int, list[Lane]] = {}
    tops = []
    for lane in sorted(lanes, key=lambda each: each.id):
        if lane.fork is None:
            tops.append(lane)
        else:
            below.setdefault(lane.fork, []).append(lane)
    out: list[int | Gone] = []
    waiting = [iter(lane.rows) for lane in reversed(tops)]
    while waiting:
        row = next(waiting[-1], None)
        if row is None:
            waiting.pop()
            continue
        out.append(row)
        waiting += [iter(lane.rows) for lane in reversed(below.get(row, []))]
    return out


def _matters(event: Event, argument: str, found: Body | None) -> str:
    """What makes an action the same: what it was given matters, what an inference says does not."""
    if event.kind in (Kind.INFERENCE, Kind.BOOKKEEPING):
        return ""
    if event.kind in (Kind.PROMPT, Kind.SPAWN) and event.prompt:
        return event.prompt
    paths = [] if found is None else calls.paths_written(event.tool, found.args)
    return "\n".join(paths) or argument


def _digest(value: Any) -> int:
    return hash(json.dumps(value, sort_keys=True, default=str))
