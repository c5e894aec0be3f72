"""Families: sub-agents that a producer keeps in ledgers of their own, beside that of whoever started them.

`agent-<id>.jsonl` holds the sub-agent of the spawn call whose result says `agentId: <id>`, in a ledger of the
same folder (LEDGERS.md, claude-code hook). Its events become guests in that ledger: a lane of the session,
with a declared link. Its own ledger is then no session of its own, and is kept up to date all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from korg_tui.causal import Appended, Change, Ledger, Origin, Rewound, Vanished, is_key, origin_of
from korg_tui.event import Event
from korg_tui.reading import Reading

_PREFIX, _SUFFIX = "agent-", ".jsonl"

Place = tuple[Path, str]
"""A folder, and the id of a sub-agent in it."""

Told = tuple[Reading, Sequence[Change]]
"""A reading, and what changed in its ledgers since others did."""


@dataclass(slots=True, eq=False)
class _Member:
    """The ledger of a sub-agent. With `host` and `origin`, its events are guests in the host's ledger."""

    reading: Reading
    host: Reading | None = None
    origin: Origin | None = None
    revision: int = -1
    """That of the ledger when it was last looked at: another one means that rows have moved."""


class Families:
    """Which of a program's readings belong together, kept by what changes in them."""

    def __init__(self) -> None:
        self._members: dict[Place, _Member] = {}
        self._named: dict[Place, Reading] = {}
        self._missing: list[Path] = []

    def gather(self, readings: Iterable[Reading]) -> Families:
        """Bring together readings that are complete."""
        for reading in readings:
            ledger = _ledger(reading)
            self.changed(reading, [Appended(ledger, 0, range(len(ledger)))])
        return self

    def changed(self, reading: Reading, changes: Sequence[Change]) -> list[Told]:
        """Take in what changed in a reading. Returns what that changed in the ledgers of others, or once more
        in this one."""
        place = _place_of(reading)
        if not changes or _folder_of(reading) is None:
            return []
        member = None if place is None else self._members.setdefault(place, _Member(reading))
        if member is not None and member.reading is not reading:
            return []
        if member is not None and member.host is not None:
            return self._member_changed(member, changes)
        if any(isinstance(change, Rewound | Vanished) or _was_read_anew(change) for change in changes):
            self._scatter(reading)
            return self._take_in(reading)
        host = None if place is None else self._named.get(place)
        if host is not None:
            return self._take_in(host)
        return self._take_in(reading) if any(_names_agents(change) for change in changes) else []

    def missing(self) -> list[Path]:
        """Where ledgers would lie that calls have named since this was asked last, and nobody has opened."""
        missing, self._missing = self._missing, []
        return [path for path in missing if _place_at(path) not in self._members]

    def _take_in(self, host: Reading) -> list[Told]:
        """Make guests of every sub-agent that the calls of a host name, and of theirs in turn."""
        told: list[Told] = []
        while (call := self._next_call(host)) is not None:
            place, seq = call
            member = self._members[place]
            told += self._part(member)
            told += self._adopt(host, member, seq)
        return told

    def _next_call(self, host: Reading) -> tuple[Place, int] | None:
        """A call of the host that names a sub-agent who is there and is not its guest yet."""
        folder, ledger = _folder_of(host), _ledger(host)
        for row, identity in ledger.columns.agents.items():
            place = (folder or Path(), identity)
            if place not in self._named:
                self._named[place] = host
                self._missing.append(place[0] / f"{_PREFIX}{identity}{_SUFFIX}")
            member = self._members.get(place)
            if member is None or self._named[place] is not host or not len(_ledger(member.reading)):
                continue
            if member.host is None and member.reading is not host:
                return place, ledger.seq[row]
            if member.origin is not None and member.host is host:
                _call_again(ledger, member.origin, ledger.seq[row])
        return None

    def _adopt(self, host: Reading, member: _Member, call: int) -> list[Told]:
        ledger, own = _ledger(host), _ledger(member.reading)
        member.host, member.revision = host, own.revision
        member.origin = ledger.adopt(own.name, call)
        if member.origin is None:
            return []
        own.host, host.kin[own.name] = ledger, member.reading
        return [*self._welcome(member, range(len(own))), (member.reading, ())]

    def _welcome(self, member: _Member, rows: Iterable[int]) -> list[Told]:
        own, host, origin = _ledger(member.reading), member.host, member.origin
        if host is None or origin is None:
            return []
        records = ((own.columns.record_at(row), row) for row in rows)
        events = [(each, own.pointer_at(row)) for each, row in records if isinstance(each, Event)]
        ledger = _ledger(host)
        first = ledger.welcome(origin, events)
        new = [row for row in range(first, len(ledger)) if ledger.address(ledger.seq[row])[0] == own.name]
        return [(host, [Appended(ledger, first, new)])]

    def _member_changed(self, member: _Member, changes: Sequence[Change]) -> list[Told]:
        own, host = _ledger(member.reading), member.host
        assert host is not None
        grown = [change for change in changes if isinstance(change, Appended) and change.ledger is own]
        if len(grown) < len(changes) or own.revision != member.revision:
            return [*self._part(member), *self._take_in(host)]
        told = self._welcome(member, [row for change in grown for row in change.rows])
        if any(_names_agents(change) for change in grown):
            told += self._take_in(host)
        return told

    def _part(self, member: _Member) -> list[Told]:
        """Let a member and those it brought go; they may be taken in again."""
        own, host, origin = _ledger(member.reading), member.host, member.origin
        told: list[Told] = []
        if host is not None and origin is not None:
            ledger = _ledger(host)
            leaving = self._brought_by(member)
            origins = [each.origin for each in leaving if each.origin is not None]
            told.append((host, [Appended(ledger, ledger.release(origins), ())]))
            for each in leaving:
                each.host = each.origin = _ledger(each.reading).host = None
                told.append((each.reading, ()))
        member.host = member.origin = own.host = None
        self._scatter(member.reading)
        own.release([each for each in own.origins if each is not None])
        return told

    def _brought_by(self, member: _Member) -> list[_Member]:
        """A member, and those that its calls, and theirs in turn, have brought to the same host."""
        brought = [member]
        for each in brought:
            brought += [
                other
                for other in self._members.values()
                if other not in brought and other.host is member.host and _calls(each, other)
            ]
        return brought

    def _scatter(self, host: Reading) -> None:
        """The guests of a host are gone from its ledger."""
        for member in self._members.values():
            if member.host is host:
                member.host = member.origin = _ledger(member.reading).host = None
        for place in [place for place, named in self._named.items() if named is host]:
            del self._named[place]


def lies_beside(path: Path) -> bool:
    """Whether a file that a ledger names is one, and lies in the folder where it seems to lie."""
    try:
        return path.is_file() and path.resolve().parent == path.parent.resolve()
    except OSError:
        return False


def _ledger(reading: Reading) -> Ledger:
    return reading.journal.ledgers[0]


def _folder_of(reading: Reading) -> Path | None:
    path = reading.source.watched
    return None if path is None else path.parent


def _place_of(reading: Reading) -> Place | None:
    return _place_at(reading.source.watched)


def _place_at(path: Path | None) -> Place | None:
    if path is None or not (path.name.startswith(_PREFIX) and path.name.endswith(_SUFFIX)):
        return None
    return path.parent, path.name[len(_PREFIX) : -len(_SUFFIX)]


def _was_read_anew(change: Change) -> bool:
    """Whether rows that were there were read anew, and none came: guests were let go for that."""
    return isinstance(change, Appended) and not change.rows


def _names_agents(change: Change) -> bool:
    agents = change.ledger.columns.agents
    return bool(agents) and isinstance(change, Appended) and any(row in agents for row in change.rows)


def _calls(member: _Member, other: _Member) -> bool:
    """Whether a call of `member`, a guest itself, is what brought `other`."""
    if member.origin is None or other.origin is None:
        return False
    called = other.origin.calls[0]
    return is_key(called) and origin_of(called) == member.origin.index


def _call_again(ledger: Ledger, origin: Origin, call: int) -> None:
    if call not in origin.calls:
        origin.calls.append(call)
        ledger.reshaped()
