"""Trust: what holds of a ledger that somebody else kept, what does not, where, and what nobody can know."""

from __future__ import annotations

from korg_tui.trust.anchoring import Anchored, Anchoring, anchored, check_anchors
from korg_tui.trust.anchors import Anchor, Anchors, anchors_beside, anchors_named
from korg_tui.trust.chain import Chain
from korg_tui.trust.checklist import Checklist, ChecklistBatch, checklist
from korg_tui.trust.found import (
    About,
    Check,
    Fault,
    FaultKind,
    Finding,
    Signers,
    Standing,
    Status,
    Verdict,
)
from korg_tui.trust.keys import KeyFault, ledger_key
from korg_tui.trust.ledger_chain import Batch, LedgerChain
from korg_tui.trust.lost_parents import lost_parent
from korg_tui.trust.sealing import Sealed, Sealing, SealStatus, check_seal, keys_for_events, sealed
from korg_tui.trust.seals import Seal, seal_of
from korg_tui.trust.signatures import MissingLibrary, PublicKeys, public_keys
from korg_tui.trust.tally import CUT_TAIL
from korg_tui.trust.verification import NO_SECRET, TIP, Asked, Verification, verification
from korg_tui.trust.vigil import Turn, Vigil
from korg_tui.trust.watched import Watched

__all__ = [
    "CUT_TAIL",
    "NO_SECRET",
    "TIP",
    "About",
    "Anchor",
    "Anchored",
    "Anchoring",
    "Anchors",
    "Asked",
    "Batch",
    "Chain",
    "Check",
    "Checklist",
    "ChecklistBatch",
    "Fault",
    "FaultKind",
    "Finding",
    "KeyFault",
    "LedgerChain",
    "MissingLibrary",
    "PublicKeys",
    "Seal",
    "SealStatus",
    "Sealed",
    "Sealing",
    "Signers",
    "Standing",
    "Status",
    "Turn",
    "Verdict",
    "Verification",
    "Vigil",
    "Watched",
    "anchored",
    "anchors_beside",
    "anchors_named",
    "check_anchors",
    "check_seal",
    "checklist",
    "keys_for_events",
    "ledger_key",
    "lost_parent",
    "public_keys",
    "seal_of",
    "sealed",
    "verification",
]
