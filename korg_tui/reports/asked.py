"""What a person asked a command for: which sources, and which events in them."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from korg_tui.causal import Ledger, Rewind, nearest
from korg_tui.families import Families, lies_beside
from korg_tui.reading import Reading
from korg_tui.sources import EVERY, DemoSource, FileSource, Source, SourceError, discover, open_sources
from korg_tui.text import visible
from korg_tui.views import Named, NoRewind, Query, QueryError, named, nearby, parse_query, plural

_NUMBER = re.compile(r"-?[0-9]+")
_ADDRESS = re.compile(r"korg://local/(?:event|session)/([0-9]+)")
_NAMED = re.compile(r"(?P<ledger>.+):(?P<seq>-?[0-9]+)", re.DOTALL)
_ONE_OF = re.compile(r"(?P<file>.+)#(?P<number>[1-9][0-9]*)", re.DOTALL)
_LISTED = 8


class UsageError(Exception):
    """The person asked for something that cannot be; the text is one line, with what to do now. `below` are
    safe lines that show where, if it needs showing."""

    def __init__(self, text: str, below: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.below = tuple(below)


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
    file has that very name with a folder in front of it (`./42`). Raises `UsageError` for another address of
    that kind: it names no source."""
    picks, sources = [], []
    for word in words:
        pick = pick_of(word)
        if pick is None and word.startswith("korg://"):
            raise UsageError(f"{word} is no address of an event: those are korg://local/event/N")
        if pick is None:
            sources.append(word)
        else:
            picks.append(pick)
    return picks, sources


def pick_of(word: str) -> Pick | None:
    """The event that a word names; None when it names none."""
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
    nothing was named, and why, and in the place of what, is narrated."""
    if demo and sources:
        raise UsageError("--demo takes the place of a SOURCE; leave one of them out")
    if demo:
        return [DemoSource(whole=not growing)]
    if sources:
        return open_sources(sources, live=growing, every=every)
    found = discover()
    if not found.names:
        raise SourceError(f"no ledger found; looked in {'; '.join(found.looked)}; name one, or try --demo")
    narrate(found.said)
    return open_sources(found.names, live=growing, every=every)


def places(readings: Sequence[Reading]) -> list[Place]:
    """All ledgers of the readings that hold anything; one that holds nothing if there is no other. Those of
    sub-agents that are lanes of another ledger are found there."""
    ledgers = [(reading, ledger) for reading in readings for ledger in reading.journal.ledgers]
    every = [Place(reading, ledger) for reading, ledger in ledgers if ledger.host is None]
    return [place for place in every if len(place.ledger)] or every[:1]


def read_places(sources: Sequence[str], demo: bool) -> tuple[list[Reading], list[Place]]:
    """What is read, and the ledgers in it. `FILE#2` names one of the ledgers of a file whose numbers
    restart; `FILE#1` is the first, which is called FILE. Raises `UsageError` where there is no such one."""
    named = {word: one for word in sources if (one := one_of(word)) is not None}
    files = [named[word][0] if word in named else word for word in sources]
    readings = read(list(dict.fromkeys(files)), demo)
    every = places(readings)
    narrowed = {file for file, _ in named.values()} - set(sources)
    wanted = {ledger for _, ledger in named.values()}
    for word, (file, ledger) in named.items():
        if all(place.ledger.name != ledger for place in every):
            count = sum(place.reading.source.name == file for place in every)
            raise UsageError(f"{word} is not there: {file} holds {plural(count, 'ledger')}")
    kept = [
        place for place in every
        if place.reading.source.name not in narrowed or place.ledger.name in wanted
    ]  # fmt: skip
    return readings, kept


def one_of(word: str) -> tuple[str, str] | None:
    """A file, and the name of the ledger in it, where a word names both; a file of that very name is one."""
    found = _ONE_OF.fullmatch(word)
    if found is None or Path(word).exists() or not Path(found["file"]).is_file():
        return None
    return found["file"], found["file"] if found["number"] == "1" else word


class Meaning:
    """What a filter means in each ledger: arguments, results and, where it asks for them, blobs included.
    `now_ms`, since the epoch, is when `since:10m` is counted from."""

    def __init__(self, query: str, now_ms: int) -> None:
        self._query = query
        self._now_ms = now_ms
        self._asked: list[Query] = []

    def __call__(self, place: Place, rewind: Rewind | None = None) -> Query:
        """The predicate for the rows of this ledger; `is:dropped` are those that this rewind drops."""
        ledger = place.ledger

        def dropped(row: int) -> bool:
            fates = ("invalidated", "possible")
            return rewind is not None and ledger.kind_at(row).agent and rewind.state(ledger.seq[row]) in fates

        query = parse_query(
            self._query,
            place.reading.bodies(ledger),
            dropped,
            blobs=place.reading.source.blobs.find,
            now_ms=self._now_ms,
        )
        self._asked.append(query)
        return query

    def tell_unseen(self) -> None:
        """Say what could not be looked at, on standard error."""
        for words in dict.fromkeys(query.unseen.words for query in self._asked):
            if words:
                narrate(f"the filter did not see everything: {words}")


def filter_meaning(query: str, *, rewinds: bool = False) -> Meaning | None:
    """What `--filter` means; None for no filter. Times without a zone are UTC. `rewinds`: whether the command
    previews a rewind, of which `is:dropped` tells. Raises `UsageError`, which points at the word that cannot
    be understood."""
    if not query.strip():
        return None
    now_ms = time.time_ns() // 1_000_000
    try:
        parsed = parse_query(query, dropped=(lambda _: False) if rewinds else None, now_ms=now_ms)
    except NoRewind as wrong:
        raise _pointing(query, wrong, "is:dropped asks for a rewind; export takes one: --rewind N") from wrong
    except QueryError as wrong:
        raise _pointing(query, wrong, str(wrong)) from wrong
    for term in parsed.terms:
        if term.unclosed:
            raise _pointing(query, term.wrong(""), "this quote is never closed; close it, or leave it out")
    return Meaning(query, now_ms)


def _pointing(query: str, wrong: QueryError, text: str) -> UsageError:
    alone = query[wrong.begin : wrong.end] == query.strip() and str(wrong)
    return UsageError(f"--filter: {text}", () if alone else nearby(query, wrong))


def find(pick: Pick, among: Sequence[Place], *, agent: bool = False) -> Found:
    """The event that was meant. With `agent`, governance events do not count.

    Raises `UsageError` when no ledger has it, or when several have.
    """
    every = [(place, each) for place in among for each in named(place.ledger, pick.ledger, pick.seq)]
    best = max((each.rank for _, each in every), default=0)
    meant = [(place, each) for place, each in every if each.rank == best]
    if not meant:
        raise UsageError(f"no ledger is called {pick.ledger}; there are {_list(_names(among))}")
    found = [(place, each) for place, each in meant if _counts(place, each, agent)]
    if len(found) > 1:
        names = _list(f"{each.ledger}:{pick.seq}" for _, each in found)
        raise UsageError(f"several ledgers have an event {pick.seq}: say which one, {names}")
    if not found:
        raise UsageError(_not_there(pick, meant, agent))
    ((place, hit),) = found
    assert hit.row is not None
    return Found(place, hit.row)


def _names(among: Iterable[Place]) -> Iterator[str]:
    """The names of ledgers, and of those of sub-agents that are lanes of them."""
    for place in among:
        yield place.ledger.name
        yield from (origin.name for origin in place.ledger.origins if origin is not None)


def _counts(place: Place, each: Named, agent: bool) -> bool:
    return each.row is not None and (not agent or place.ledger.kind_at(each.row).agent)


def _not_there(pick: Pick, meant: Sequence[tuple[Place, Named]], agent: bool) -> str:
    if len(meant) != 1:
        return f"no event {pick.seq} in any of {len(meant)} ledgers; korg-tui sessions lists what there is"
    ((place, each),) = meant
    is_governance = agent and each.row is not None
    what = f"{pick.seq} is a governance event of" if is_governance else f"no event {pick.seq} in"
    if each.ledger != place.ledger.name:
        return f"{what} {each.ledger}; korg-tui lanes lists what it has"
    near = " and ".join(str(seq) for seq in nearest(place.ledger, pick.seq))
    return f"{what} {each.ledger}; {f'the nearest: {near}' if near else 'it has none at all'}"


def _list(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - _LISTED} more" if len(every) > _LISTED else ""
    return ", ".join(every[:_LISTED]) + more
