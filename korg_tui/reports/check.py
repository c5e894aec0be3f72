"""`check`: what the spec asks of a ledger, check by check (SPEC §6, §7.6, §2a)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from korg_tui.causal import Ledger
from korg_tui.export import to_json
from korg_tui.reading import Reading
from korg_tui.reports.asked import UsageError
from korg_tui.reports.junit import Case, Suite, spare_sources, write_junit
from korg_tui.reports.one_by_one import OneByOne, Watch
from korg_tui.reports.page import Line, folded, print_page
from korg_tui.sources import UNREADABLE
from korg_tui.text import visible
from korg_tui.trust import Check, Finding, checklist
from korg_tui.views import CHECK_TITLES

_FINDINGS = 1
_LISTED = 20
"""Findings of a check that are printed for a person; JSON has more."""
_SIGNS = {"pass": ("✓", "good"), "warn": ("!", "odd"), "fail": ("✗", "bad")}


@dataclass(frozen=True, slots=True)
class _Checked:
    """The checks of one ledger."""

    ledger: str
    checks: tuple[Check, ...]

    @property
    def events(self) -> int:
        """How many events were looked at."""
        return next(check.looked_at for check in self.checks if check.check == "6.6")

    @property
    def failed(self) -> bool:
        return any(check.status == "fail" for check in self.checks)


def check_options(command: argparse.ArgumentParser) -> None:
    """What `check` takes."""
    command.add_argument("--since", type=int, metavar="SEQ", help="look only at events from here on")
    command.add_argument("--junit", metavar="FILE", help="write the results as JUnit XML, too")


def check(arguments: argparse.Namespace) -> int:
    """Check each ledger, one after the other.

    The exit code is 0 when no check fails, warnings or not; 1 when one does; 3 when a ledger could not be
    read. Raises `UsageError`."""
    walk = OneByOne(arguments.words, partial(_check, arguments.since), "checking", demo=arguments.demo)
    if arguments.junit is not None:
        spare_sources(arguments.junit, walk.sources)
    found = []
    for each in walk:
        found.append(each)
        if not arguments.json:
            print_page(folded(_page(each)))
            sys.stdout.flush()
    if arguments.since is not None and found and not any(each.events for each in found):
        raise UsageError(f"--since {arguments.since}: no event has that seq or a later one")
    if arguments.json and not (walk.unread and not found):
        documents = [{"ledger": each.ledger, "checks": _document(each)} for each in found]
        print(to_json(_document(found[0]) if len(found) == 1 and not walk.unread else documents))
    if arguments.junit is not None:
        write_junit(arguments.junit, "check", [_suite(each) for each in found])
    if walk.unread:
        return UNREADABLE
    return _FINDINGS if any(each.failed for each in found) else 0


def _check(since: int | None, reading: Reading, ledger: Ledger, watch: Watch) -> _Checked:
    checks = checklist(ledger, reading.bodies(ledger), reading.source.blobs, since=since, watch=watch)
    return _Checked(ledger.name, checks)


def _document(found: _Checked) -> list[dict[str, Any]]:
    return [
        {
            "check": check.check,
            "status": check.status,
            "looked_at": check.looked_at,
            "findings": [{"seq": each.seq, "text": each.text} for each in check.findings],
        }
        for check in found.checks
    ]


def _page(found: _Checked) -> Iterator[Line]:
    fail, warn = (sum(check.status == status for check in found.checks) for status in ("fail", "warn"))
    yield [(visible(found.ledger), "bold"), (f": {_summary(fail, warn, len(found.checks))}", "")]
    for check in found.checks:
        sign, style = _SIGNS[check.status]
        yield [
            (f"  {sign} {check.status}  §{check.check:<4}", style),
            (f"{CHECK_TITLES[check.check]}  ", ""),
            (f"{check.looked_at:,} looked at", "dim"),
        ]
        for finding in check.findings[:_LISTED]:
            yield [("      ", ""), (_where(finding), style), (finding.text, "")]
        more = len(check.findings) - _LISTED
        if more > 0:
            yield [(f"      and {more:,} more; --json lists them", "dim")]


def _summary(fail: int, warn: int, count: int) -> str:
    if not fail and not warn:
        return f"all {count} checks pass"
    if not fail:
        return f"{warn} of {count} checks warn"
    return f"{fail} of {count} checks fail" + (f", {warn} warn" if warn else "")


def _where(finding: Finding) -> str:
    return "" if finding.seq is None else f"seq {finding.seq}  "


def _suite(found: _Checked) -> Suite:
    return Suite(found.ledger, tuple(_case(check) for check in found.checks))


def _case(check: Check) -> Case:
    """A warning passes, and says what it warns of."""
    lines = tuple(f"{_where(each)}{each.text}" for each in check.findings)
    name = f"§{check.check} {CHECK_TITLES[check.check]}"
    return Case(name, lines) if check.status == "fail" else Case(name, said=lines)
