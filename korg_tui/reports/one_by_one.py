"""One by one: ledgers that a command examines whole, one source after the other, so that no two are held."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

from korg_tui.causal import Ledger
from korg_tui.reading import Reading
from korg_tui.reports.asked import UsageError, narrate, one_of, open_named
from korg_tui.sources import Source, SourceError
from korg_tui.text import visible
from korg_tui.views import plural

_LONG = 0.5
"""Seconds after which a person at a terminal is told how far it is."""

_T = TypeVar("_T")
Watch = Callable[[int, int], None]
"""Is told how many rows were looked at, and how many there are."""


class OneByOne(Generic[_T]):
    """What `examine` finds of each ledger that words name. `doing`: what it does, in a word for a person.
    `alone`: the option that can be true of one ledger only, where one was given."""

    def __init__(
        self,
        words: Sequence[str],
        examine: Callable[[Reading, Ledger, Watch], _T],
        doing: str,
        *,
        demo: bool = False,
        alone: str = "",
    ) -> None:
        """Raises `UsageError`, and `SourceError` where nothing is named and nothing found."""
        self.unread = 0
        """Sources that could not be read."""
        self._examine = examine
        self._doing = doing
        self._alone = alone
        files, self._chosen = _files(words)
        self.sources: list[Source] = open_named(files, demo)

    def __iter__(self) -> Iterator[_T]:
        """What was found of one ledger after the other. Raises `SourceError` when the only source cannot be
        read."""
        sources = list(self.sources)
        several = len(sources) > 1
        if several and self._alone:
            raise self._too_many(len(sources))
        self.sources.clear()
        while sources:
            source = sources.pop(0)
            try:
                yield from self._of(source)
            except SourceError as error:
                if not several:
                    raise
                self.unread += 1
                narrate(error.text)
            finally:
                source.close()

    def _of(self, source: Source) -> Iterator[_T]:
        progress = _Progress(source.name)
        try:
            reading = Reading.of(source).complete(lambda now: progress.tell("reading", now.done, now.total))
            for ledger in self._ledgers(reading):
                found = self._examine(
                    reading, ledger, lambda done, total: progress.tell(self._doing, done, total)
                )
                progress.wipe()
                yield found
        finally:
            progress.wipe()

    def _ledgers(self, reading: Reading) -> list[Ledger]:
        every = reading.journal.ledgers
        names = self._chosen.get(reading.source.name)
        ledgers = every if names is None else [ledger for ledger in every if ledger.name in names]
        if names is not None and len(ledgers) < len(names):
            there = plural(len(every), "ledger")
            missing = min(names - {ledger.name for ledger in ledgers})
            raise UsageError(f"{missing} is not there: {reading.source.name} holds {there}")
        if self._alone and len(ledgers) > 1:
            raise self._too_many(len(ledgers))
        return list(ledgers)

    def _too_many(self, count: int) -> UsageError:
        return UsageError(
            f"{self._alone} speaks of one ledger, and here are {count}: name one (FILE, or FILE#2)"
        )


def _files(words: Sequence[str]) -> tuple[list[str], dict[str, set[str]]]:
    """The sources, and of which of them only some ledgers were named (`FILE#2`)."""
    files: dict[str, None] = {}
    chosen: dict[str, set[str]] = {}
    for word in words:
        one = one_of(word)
        files.setdefault(word if one is None else one[0])
        if one is not None and one[0] not in words:
            chosen.setdefault(one[0], set()).add(one[1])
    return list(files), chosen


class _Progress:
    """Tells a person at a terminal how far it is, once it takes long."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._shows = sys.stderr.isatty()
        self._began = time.monotonic()
        self._said = ""

    def tell(self, what: str, done: int, total: int) -> None:
        """So much of the total is done."""
        if self._shows and total and time.monotonic() - self._began > _LONG:
            said = f"korg-tui: {what} {visible(self._name, 40)}: {100 * done // total} %"
            if said != self._said:
                print(f"\r{said:{len(self._said)}}", end="", file=sys.stderr, flush=True)
                self._said = said

    def wipe(self) -> None:
        """Take away what was said."""
        if self._said:
            print(f"\r{' ' * len(self._said)}\r", end="", file=sys.stderr, flush=True)
            self._said = ""
