"""Tally: what was found of a chain so far, counted, and what that makes of it (LEDGERS, Hash chain).

However many faults there are, only the first of each kind are kept, so that a snapshot is cheap."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any

from korg_tui.text import visible
from korg_tui.trust.found import Fault, Finding, Standing, Verdict

KEPT = 1_000
"""Faults, and findings, of each kind that are kept; of more, the first."""

UNREAD = "could not be read: what it was is not known"
"""What is said of a line of which nothing else is known."""
CUT_TAIL = (
    "nothing here can show that events were cut off the end: only an anchor or a known tip "
    "(--expect-tip HASH) can"
)
"""What holds of every chain that holds."""

NO_KEY = "whoever wrote it did not use the key"

_MORE = {
    "link": "more links that do not hold",
    "content": "more events that are no UTF-8, or whose hash is none",
    "misfit": "more events whose hash does not fit",
    "plain": "more events with a plain SHA-256",
    "unchained": "more events without a hash",
    "signature": "more signatures that do not fit, or are missing",
    "odd": "more events with numbers that cannot be verified",
    "twice": "more keys that stand twice",
    "unreadable": "more lines that could not be read",
}


class Tally:
    """Counts and evidence. `keyed`: hashes are made with a key; `signers`: signatures are checked."""

    def __init__(self, keyed: bool, signers: bool) -> None:
        self._keyed = keyed
        self._signers = signers
        self.first: int | None = None
        """The first seq, be it looked at or passed over."""
        self.signed = 0
        self.fitting = 0
        """Events with a hash that fits."""
        self.with_signature = 0
        """Of these, hashed with their signature in."""
        self._begins = True
        self._events = self._hashed = self._passed = 0
        self._odd_misfits = self._holes = self._unread = 0
        self._torn = False
        self._tip: Any = ""
        self._verified: int | None = None
        self._holds = True
        self._counts: Counter[str] = Counter()
        self._faults: list[tuple[str, Fault]] = []
        self._findings: list[Finding] = []
        self._told: tuple[tuple[Any, ...], tuple[Fault, ...], tuple[Finding, ...]] = ((), (), ())

    def fork(self) -> Tally:
        """A tally that goes on from here; this one stays as it is."""
        other = copy.copy(self)
        other._counts = Counter(self._counts)
        other._faults, other._findings = self._faults[:], self._findings[:]
        return other

    # counting

    def begin(self, seq: int, begins: bool) -> None:
        """The first event; whether it says that there is none before it."""
        self.first, self._begins = seq, begins

    def pass_over(self) -> None:
        """An event that is not asked about."""
        self._passed += 1

    def event(self, entry_hash: Any) -> None:
        """An event that is looked at."""
        self._events += 1
        self._tip = entry_hash or ""
        if entry_hash:
            self._hashed += 1

    def fit(self, count: int, seq: int, tip: str) -> None:
        """So many events fit; the last one is `seq`."""
        self._events += count
        self._hashed += count
        self.fitting += count
        self._tip = tip
        if self._holds:
            self._verified = seq

    def looked(self, seq: int, holds: bool) -> None:
        """An event was looked at; whether its link and its hash hold."""
        self._holds = self._holds and holds
        if self._holds:
            self._verified = seq

    def hole(self) -> None:
        """Events that are not loaded."""
        self._holes += 1
        self._holds = self._holds and not self._events

    def unread(self, count: int) -> None:
        """Events of which the bytes are gone."""
        self._unread += count
        self._holds = False

    def unreadable(self, offset: int, torn: bool) -> None:
        """A line that is no event."""
        if torn:
            self._torn = True
        else:
            text = f"the line at byte {offset:,} {UNREAD}"
            self._find("unreadable", Finding(None, text, True, offset))

    def deep(self, offset: int) -> None:
        """A line that nests deeper than events are read."""
        text = f"the line at byte {offset:,} is nested too deep to be read: its hash was not checked"
        self._find("unreadable", Finding(None, text, True, offset))

    # evidence

    def fault(self, fault: Fault) -> None:
        """Certain evidence."""
        self._keep(fault.kind, fault)

    def misfit(self, fault: Fault) -> None:
        """A hash that does not fit, which may be for want of the key."""
        self._keep("misfit", fault)

    def plain(self, fault: Fault) -> None:
        """A hash that was made without the key."""
        self._keep("plain", fault)

    def unchained(self, fault: Fault) -> None:
        """An event without a hash, which is evidence where others have one."""
        self._holds = False
        self._keep("unchained", fault)

    def odd(self, finding: Finding, fits: bool) -> None:
        """An event that cannot be verified, and whether it fits all the same."""
        self._odd_misfits += not fits
        self._find("odd", finding)

    def twice(self, finding: Finding) -> None:
        """A key that stands twice."""
        self._find("twice", finding)

    def _keep(self, kind: str, fault: Fault) -> None:
        self._counts[kind] += 1
        if self._counts[kind] <= KEPT:
            self._faults.append((kind, fault))

    def _find(self, kind: str, finding: Finding) -> None:
        self._counts[kind] += 1
        if self._counts[kind] <= KEPT:
            self._findings.append(finding)

    # what it makes

    @property
    def standing(self) -> Standing:
        """Where the chain stands."""
        verdict = self._verdict()
        faults, findings = self._evidence(verdict)
        misfits = self._odd_misfits + (self._counts["misfit"] if verdict == "needs_key" else 0)
        return Standing(
            verdict,
            self._events,
            visible(str(self._tip), 80),
            self._verified,
            faults,
            findings,
            tuple(self._notes(verdict)),
            self.signed,
            misfits,
        )

    def _verdict(self) -> Verdict:
        counts = self._counts
        if not self._events:
            return "empty"
        if not self._hashed:
            return "unchained"
        certain = sum(counts[kind] for kind in ("link", "content", "plain", "unchained", "signature"))
        if counts["misfit"] and not certain and not self.fitting and not self._keyed:
            return "needs_key"
        if certain or counts["misfit"]:
            return "broken"
        if counts["odd"]:
            return "unverifiable"
        return "intact" if self._begins else "window"

    def _evidence(self, verdict: Verdict) -> tuple[tuple[Fault, ...], tuple[Finding, ...]]:
        """The faults and findings as they are told; the same objects as long as nothing changed."""
        all_plain = self._counts["plain"] if self._counts["plain"] == self._hashed else 0
        unchained = 0 if self._hashed else self._events
        key = (verdict, all_plain, unchained, len(self._faults), len(self._findings))
        if key != self._told[0]:
            faults = tuple(self._faults_told(verdict, all_plain, unchained))
            self._told = key, faults, tuple(self._findings)
        return self._told[1:]

    def _faults_told(self, verdict: Verdict, all_plain: int, unchained: int) -> Iterator[Fault]:
        together = {
            "plain": all_plain and f"all {all_plain:,} hashes are plain SHA-256: {NO_KEY}",
            "unchained": unchained and f"none of {unchained:,} events has a hash that could show a change",
        }
        told: set[str] = set()
        for kind, fault in self._faults:
            text = together.get(kind)
            if kind in told or (kind == "misfit" and verdict == "needs_key"):
                continue
            if text:
                told.add(kind)
                yield Fault(fault.seq, fault.kind, text, fault.offset)
            else:
                yield fault

    def _notes(self, verdict: Verdict) -> Iterator[str]:
        counts = self._counts
        if verdict == "needs_key":
            yield (
                "all links hold and every hash differs: they were made with a key, which "
                "KORG_LEDGER_HMAC_KEY or --key-file gives"
            )
        if self._keyed and self._hashed and not self.fitting and counts["misfit"] == self._hashed:
            yield "no hash fits with this key: it may be another one"
        if self.first is not None and self._hashed and not self._begins:
            yield f"begins at seq {self.first}: what came before is not here"
        if self._passed:
            yield f"{_many(self._passed, 'event')} before were passed over"
        if self.with_signature:
            yield f"{self.with_signature:,} events are hashed with their event_sig, as korgex up to 0.37 did"
        if self._holes:
            yield f"{_many(self._holes, 'hole')}: events that are not loaded; links across are unknown"
        if self._unread:
            yield f"{_many(self._unread, 'event')} could not be read again: links across are unknown"
        if self._torn:
            yield "the last line is torn: it is no event"
        if self.signed and not self._signers:
            yield f"{self.signed:,} events are signed; --pubkey KEY checks them"
        yield from self._rest(verdict)
        if verdict in ("intact", "window", "unverifiable"):
            yield CUT_TAIL

    def _rest(self, verdict: Verdict) -> Iterator[str]:
        """What was counted only."""
        for kind, count in self._counts.items():
            together = (
                (kind == "misfit" and verdict == "needs_key")
                or (kind == "unchained" and not self._hashed)
                or (kind == "plain" and count == self._hashed)
            )
            if count > KEPT and not together:
                yield f"and {count - KEPT:,} {_MORE[kind]}"


def _many(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"
