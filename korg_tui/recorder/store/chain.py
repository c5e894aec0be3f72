"""Chain: whether the events of a store still are what was recorded (LEDGERS.md, Hash chain).

Opening a store follows the links alone. The hashes take several times as long, and are looked at beside the
work of the store.
"""

from __future__ import annotations

import hashlib
from itertools import islice
from pathlib import Path

from korg_tui.formats import Unreadable, preimage, too_deep


def first_altered(ledger: Path, events: int) -> int | None:
    """The seq of the first of so many events whose content has another hash than it says; None when all of
    them fit. Raises `OSError`."""
    with ledger.open("rb") as file:
        for seq, line in enumerate(islice(file, events), 1):
            if not _fits(line):
                return seq
    return None


def _fits(line: bytes) -> bool:
    try:
        found = preimage(line.removesuffix(b"\n"))
    except Unreadable:
        # What is too deep cannot be looked at here, which says nothing of it.
        return too_deep(line)
    return bool(hashlib.sha256(found.content).hexdigest() == found.entry_hash)
