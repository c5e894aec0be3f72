"""Trust: what holds of a ledger that somebody else kept, what does not, where, and what nobody can know."""

from __future__ import annotations

from korg_tui.trust.found import Check, Fault, FaultKind, Finding, Signers, Standing, Status, Verdict
from korg_tui.trust.vigil import Turn, Vigil
from korg_tui.trust.watched import Watched

__all__ = [
    "Check",
    "Fault",
    "FaultKind",
    "Finding",
    "Signers",
    "Standing",
    "Status",
    "Turn",
    "Verdict",
    "Vigil",
    "Watched",
]
