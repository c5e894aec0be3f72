"""`verify`: whether ledgers can be believed, by chain, signatures, seal and anchors; what nobody can know."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from korg_tui.causal import Ledger
from korg_tui.export import to_json
from korg_tui.reading import Reading
from korg_tui.reports.asked import UsageError, narrate, one_of, open_named
from korg_tui.reports.junit import spare_sources, write_junit
from korg_tui.reports.page import print_page
from korg_tui.reports.verified import folded, verified_document, verified_page, verified_suite
from korg_tui.sources import UNREADABLE, DemoSource, Source, SourceError
from korg_tui.text import visible
from korg_tui.trust import (
    TIP,
    Asked,
    KeyFault,
    Verification,
    anchors_named,
    ledger_key,
    public_keys,
    verification,
)
from korg_tui.views import plural

_FINDINGS = 1
_LONG = 0.5
"""Seconds after which a person at a terminal is told how far it is."""


def verify_options(command: argparse.ArgumentParser) -> None:
    """What `verify` takes. The key of keyed ledgers is never taken from here, where others could see it."""
    option = command.add_argument
    option("--since", type=int, metavar="SEQ", help="look only at events from here on, and at the link to it")
    option("--key-file", metavar="FILE", help="the key of keyed ledgers (else $KORG_LEDGER_HMAC_KEY)")
    help_text = "every event must be signed by this key: 64 hex digits, or a file; may be repeated"
    option("--pubkey", action="append", default=[], metavar="KEY", help=help_text)
    option("--expect-tip", metavar="HASH", help="the hash that the last event must have; of one ledger")
    option("--anchors", metavar="FILE", help="anchors of this one ledger (else anchors.jsonl beside it)")
    option("--junit", metavar="FILE", help="write the results as JUnit XML, too")


def verify(arguments: argparse.Namespace) -> int:
    """Verify each ledger, one after the other.

    The exit code is 0 when nothing speaks against any of them, 1 when something does, 3 when one could not be
    read. Raises `UsageError`."""
    asked = _asked(arguments)
    files, chosen = _files(arguments.words)
    sources = open_named(files, arguments.demo)
    if arguments.junit is not None:
        spare_sources(arguments.junit, sources)
    walk = _Walk(asked, chosen, alone=bool(asked.expect_tip or asked.anchors))
    found = []
    for each in walk.all(sources):
        found.append(each)
        if not arguments.json:
            print_page(folded(verified_page(each)))
            sys.stdout.flush()
    if arguments.json and not (walk.unread and not found):
        documents = [{"ledger": each.ledger, **verified_document(each)} for each in found]
        print(to_json(verified_document(found[0]) if len(documents) == 1 and not walk.unread else documents))
    if arguments.junit is not None:
        write_junit(arguments.junit, "verify", [verified_suite(each) for each in found])
    if walk.unread:
        return UNREADABLE
    return 0 if all(each.believed for each in found) else _FINDINGS


def _asked(arguments: argparse.Namespace) -> Asked:
    """What the options say. Raises `UsageError`, and `SourceError` for anchors that cannot be read."""
    tip = (arguments.expect_tip or "").lower()
    if arguments.expect_tip is not None and not TIP.fullmatch(tip):
        raise UsageError("--expect-tip takes 64 hex digits: the entry_hash of the last event")
    try:
        key = ledger_key(arguments.key_file)
        keys = public_keys(arguments.pubkey) if arguments.pubkey else None
    except KeyFault as fault:
        raise UsageError(str(fault)) from None
    anchors = None if arguments.anchors is None else anchors_named(arguments.anchors)
    return Asked(key, keys, tip, anchors, arguments.since)


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


class _Walk:
    """Sources that are read and verified one after the other, so that no two are held at once. `chosen`: of
    which files only some ledgers count; `alone`: what was asked can be true of one ledger only."""

    def __init__(self, asked: Asked, chosen: dict[str, set[str]], *, alone: bool) -> None:
        self.unread = 0
        """Sources that could not be read."""
        self._asked = asked
        self._chosen = chosen
        self._alone = alone

    def all(self, sources: list[Source]) -> Iterator[Verification]:
        """One verification after the other. Raises `SourceError` when the only source cannot be read."""
        several = len(sources) > 1
        if several and self._alone:
            raise self._too_many(len(sources))
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

    def _of(self, source: Source) -> Iterator[Verification]:
        progress = _Progress(source.name)
        try:
            reading = Reading.of(source).complete(lambda now: progress.tell("reading", now.done, now.total))
            ledgers = self._ledgers(reading)
            asked = replace(self._asked, key=None) if isinstance(source, DemoSource) else self._asked
            for ledger in ledgers:
                found = verification(reading, ledger, asked, partial(progress.tell, "verifying"))
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
        option = "--expect-tip" if self._asked.expect_tip else "--anchors"
        return UsageError(f"{option} speaks of one ledger, and here are {count}: name one (FILE, or FILE#2)")


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
