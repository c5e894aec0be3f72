"""Vouching: what others say of a ledger, compared with its events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from korg_tui.causal import Ledger
from korg_tui.reading import Reading
from korg_tui.sources import BodyGone
from korg_tui.trust import (
    Anchors,
    Fault,
    Finding,
    Seal,
    anchored,
    anchors_beside,
    check_anchors,
    check_seal,
    seal_of,
    sealed,
)


@dataclass(frozen=True, slots=True)
class Vouched:
    """What came of it."""

    faults: tuple[Fault, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


async def vouched(reading: Reading, ledger: Ledger, read: Callable[[int, int], bytes]) -> Vouched:
    """Compare seal and anchors with the events; files are read, and bytes hashed, beside the keys."""
    seal, anchors = await asyncio.to_thread(_look, reading)
    faults: list[Fault] = []
    findings: list[Finding] = []
    notes: list[str] = []
    if seal is not None:
        there = sealed(ledger, seal)
        sealing = await asyncio.to_thread(check_seal, seal, there, read)
        faults += sealing.faults
        notes += sealing.notes
        findings += sealing.anchoring.findings if sealing.anchoring is not None else ()
    if anchors is not None:
        anchoring = await asyncio.to_thread(
            check_anchors, anchors, anchored(ledger, anchors, reading.journal.ledgers), read
        )
        faults += anchoring.faults
        notes += anchoring.notes
        findings += anchoring.findings
    return Vouched(tuple(faults), tuple(findings), tuple(notes))


def _look(reading: Reading) -> tuple[Seal | None, Anchors | None]:
    path = reading.source.watched
    try:
        seal = seal_of(reading.wrapper())
    except (BodyGone, OSError):
        seal = None
    return seal, None if path is None else anchors_beside(path)
