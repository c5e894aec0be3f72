"""Chain: whether the events of a store still are what was recorded (LEDGERS.md, Hash chain).

Opening a store follows the links alone. The hashes take several times as long, and are looked at beside the
work of the store.
"""

from __future__ import annotations

import hashlib
from itertools import islice
from pathlib import Path

import msgspec

from korg_tui.formats import Unreadable, loads
from korg_tui.recorder.store.envelope import entry_hash_of

_decode = msgspec.json.Decoder(dict).decode
_canonical = msgspec.json.Encoder(order="sorted").encode


def first_altered(ledger: Path, events: int) -> int | None:
    """The seq of the first of so many events whose content has another hash than it says; None when all of
    them fit. Raises `OSError`."""
    with ledger.open("rb") as file:
        for seq, line in enumerate(islice(file, events), 1):
            if not (_fits_at_once(line) or _fits(line)):
                return seq
    return None


def _fits_at_once(line: bytes) -> bool:
    """Whether the hash is seen to fit; where text is not ASCII, or a number has two spellings, it is not."""
    try:
        record = _decode(line)
        stated = record.pop("entry_hash", None)
        record.pop("event_sig", None)
        return bool(hashlib.sha256(_canonical(record)).hexdigest() == stated)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False


def _fits(line: bytes) -> bool:
    try:
        record = loads(line)
        return isinstance(record, dict) and entry_hash_of(record) == record.get("entry_hash")
    except Unreadable:
        return False
    except RecursionError:
        # It is too deep to be looked at here, which says nothing of it.
        return True
