"""What a person asked a command for: which sources, and which events in them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from korg_tui.causal import Ledger, nearest
from korg_tui.families import Families, lies_beside
from korg_tui.reading import Reading
from korg_tui.sources import EVERY, DemoSource, FileSource, Source, SourceError, discover, open_sources
from korg_tui.text import visible

_NUMBER = re.compile(r"-?[0-9]+")
_ADDRESS = re.compile(r"korg://local/(?:event|session)/([0-9]+)")
_NAMED = re.compile(r"(?P<ledger>.+):(?P<seq>-?[0-9]+)", re.DOTALL)
_LISTED = 8


class UsageError(Exception):
    """The person asked for something that cannot be; the text is one line, with what to do now."""


@dataclass(frozen=True, slots=True)
class Pick:
    """An event as it was named: a seq, and the ledger if that was named too."""

    seq: int
    ledger: str = ""

    def __str__(self) -> str:
        return f"{self.ledger}:{self.seq}" if self.ledger else str(self.seq)


@dataclass(frozen=True, slots=True)
class Place:
    """A ledger in a reading."""

    reading: Reading
    ledger: Ledger


@dataclass(frozen=True, slots=True)
class Found:
    """An event that is there, by row."""

    place: Place
    row: int


def sort_words(words: Iterable[str]) -> tuple[list[Pick], list[str]]:
    """Events and sources, told apart: a number, `korg://local/event/N`, or `LEDGER:N` is an event, unless a
    file has that very name with a folder in front of it (`./42`)."""
    picks, sources = [], []
    for word in words:
        pick = _pick(word)
        if pick is None:
            sources.append(word)
        else:
            picks.append(pick)
    return picks, sources


def _pick(word: str) -> Pick | None:
    if _NUMBER.fullmatch(word):
        return Pick(int(word))
    address = _ADDRESS.fullmatch(word)
    if address:
        return Pick(int(address[1]))
    named = _NAMED.fullmatch(word)
    if named is None or "://" in word or Path(word).exists():
        return None
    return Pick(int(named["seq"]), named["ledger"])


def read(sources: Sequence[str], demo: bool) -> list[Reading]:
    """Read the sources whole: those named, the recorded demo if asked for, or else what is found."""
    readings = [Reading.of(source).complete() for source in open_named(sources, demo)]
    return readings + _with_sub_agents(readings)


def _with_sub_agents(readings: list[Reading]) -> list[Reading]:
    """Bring families together, with the ledgers of sub-agents that lie beside the ones that were named."""
    families, more = Families().gather(readings), []
    while found := [path for path in families.missing() if lies_beside(path)]:
        for path in found:
            reading = Reading.of(FileSource(path))
            with suppress(SourceError):
                reading.complete()
            families.gather([reading])
            more.append(reading)
    return more


def narrate(text: str) -> None:
    """One line for the person, on standard error."""
    print(f"korg-tui: {visible(text)}", file=sys.stderr, flush=True)


def open_named(
    sources: Sequence[str], demo: bool, *, growing: bool = False, every: float = EVERY
) -> list[Source]:
    """The sources themselves; the demo whole, or growing. With `growing`, a folder is a source that finds its
    ledgers as they come, and `every` is how often an address is asked, in seconds. What was found where
    nothing was named, and why, is narrated."""
    if demo and sources:
        raise UsageError("--demo takes the place of a SOURCE; leave one of them out")
    if demo:
        return [DemoSource(whole=not growing)]
    if sources:
        return open_sources(sources, live=growing, every=every)
    found = discover()
    if not found.names:
        raise SourceError(f"no ledger found; looked in {'; '.join(found.looked)}; name one, or try --demo")
    narrate(f"reading {found.why}")
    return open_sources(found.names, live=growing, every=every)


def places(readings: Sequence[Reading]) -> list[Place]:
    """All ledgers of the readings that hold anything; one that holds nothing if there is no other. Those of
    sub-agents that are lanes of another ledger are found there."""
    ledgers = [(reading, ledger) for reading in readings for ledger in reading.journal.ledgers]
    every = [Place(reading, ledger) for reading, ledger in ledgers if ledger.host is None]
    return [place for place in every if len(place.ledger)] or every[:1]


def find(pick: Pick, among: Sequence[Place], *, agent: bool = False) -> Found:
    """The event that was meant. With `agent`, governance events do not count.

    Raises `UsageError` when no ledger has it, or when several have.
    """
    guests = [hit for place in among if (hit := _find_guest(place, pick, agent)) is not None]
    if guests:
        return guests[0]
    named = [place for place in among if _is_named(place.ledger.name, pick.ledger)]
    if not named:
        names = _list(each.ledger.name for each in among)
        raise UsageError(f"no ledger is called {pick.ledger}; there are {names}")
    found = [hit for place in named if (hit := _find_in(place, pick.seq, agent)) is not None]
    if len(found) > 1:
        names = _list(f"{hit.place.ledger.name}:{pick.seq}" for hit in found)
        raise UsageError(f"several ledgers have an event {pick.seq}: say which one, {names}")
    if not found:
        raise UsageError(_not_there(pick, named, agent))
    return found[0]


def _is_named(ledger: str, name: str) -> bool:
    return not name or ledger == name or ledger.endswith(f"/{name}")


def _find_guest(place: Place, pick: Pick, agent: bool) -> Found | None:
    """An event of a sub-agent's own ledger, where it is a guest."""
    for origin in place.ledger.origins:
        if origin is not None and pick.ledger and _is_named(origin.name, pick.ledger):
            return _find_in(place, origin.key(pick.seq), agent)
    return None


def _find_in(place: Place, seq: int, agent: bool) -> Found | None:
    row = place.ledger.row_of(seq)
    if row is None or (agent and not place.ledger.kind_at(row).agent):
        return None
    return Found(place, row)


def _not_there(pick: Pick, named: Sequence[Place], agent: bool) -> str:
    if len(named) != 1:
        return f"no event {pick.seq} in any of {len(named)} ledgers; korg-tui sessions lists what there is"
    ledger = named[0].ledger
    is_governance = agent and ledger.row_of(pick.seq) is not None
    what = f"{pick.seq} is a governance event of" if is_governance else f"no event {pick.seq} in"
    near = " and ".join(str(seq) for seq in nearest(ledger, pick.seq))
    return f"{what} {ledger.name}; {f'the nearest: {near}' if near else 'it has none at all'}"


def _list(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - _LISTED} more" if len(every) > _LISTED else ""
    return ", ".join(every[:_LISTED]) + more
