"""`verify`: whether ledgers can be believed, by chain, signatures, seal and anchors; what nobody can know."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from functools import partial

from korg_tui.causal import Ledger
from korg_tui.export import to_json
from korg_tui.reading import Reading
from korg_tui.reports.asked import UsageError
from korg_tui.reports.junit import spare_sources, write_junit
from korg_tui.reports.one_by_one import OneByOne, Watch
from korg_tui.reports.page import folded, print_page
from korg_tui.reports.verified import verified_document, verified_page, verified_suite
from korg_tui.sources import UNREADABLE, DemoSource
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

_FINDINGS = 1


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
    alone = "--expect-tip" if asked.expect_tip else "--anchors" if asked.anchors is not None else ""
    walk = OneByOne(
        arguments.words, partial(_verify, asked), "verifying", demo=arguments.demo, alone=alone
    )
    if arguments.junit is not None:
        spare_sources(arguments.junit, walk.sources)
    found = []
    for each in walk:
        found.append(each)
        if not arguments.json:
            print_page(folded(verified_page(each)))
            sys.stdout.flush()
    if asked.since is not None and found and not any(each.standing.events for each in found):
        raise UsageError(f"--since {asked.since}: no event has that seq or a later one")
    if arguments.json and not (walk.unread and not found):
        documents = [{"ledger": each.ledger, **verified_document(each)} for each in found]
        print(to_json(verified_document(found[0]) if len(documents) == 1 and not walk.unread else documents))
    if arguments.junit is not None:
        write_junit(arguments.junit, "verify", [verified_suite(each) for each in found])
    if walk.unread:
        return UNREADABLE
    return 0 if all(each.believed for each in found) else _FINDINGS


def _verify(asked: Asked, reading: Reading, ledger: Ledger, watch: Watch) -> Verification:
    """The demo is not written with a person's key."""
    if isinstance(reading.source, DemoSource):
        asked = replace(asked, key=None)
    return verification(reading, ledger, asked, watch)


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
