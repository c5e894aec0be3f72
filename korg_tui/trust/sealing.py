"""Sealing: whether what a certificate or a receipt says of a ledger is so, and who stands for that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from korg_tui.causal import Ledger, is_key
from korg_tui.event import Kind
from korg_tui.formats import Unreadable, preimage
from korg_tui.sources import BodyGone
from korg_tui.trust.anchoring import Anchored, Anchoring, anchored, check_anchors
from korg_tui.trust.anchors import Anchors
from korg_tui.trust.census import Census
from korg_tui.trust.claims import false_claims, not_checked
from korg_tui.trust.found import Fault
from korg_tui.trust.seals import Seal
from korg_tui.trust.signatures import (
    ED25519,
    INSTALL,
    MissingLibrary,
    PublicKeys,
    is_for_anybody,
    is_key_name,
    is_signature,
    signed_by,
)

SealStatus = Literal["fits", "trusted", "wrong", "unsealed", "unchecked", "unknown"]
"""Of the seal itself: it fits the key that it brings along; that key is one of those given, too; it does not
fit, or is of another key; there is none; the library is missing; nobody knows how it is made."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """What a ledger has where a seal speaks of it, copied: any thread may work with it."""

    places: tuple[tuple[int, int], ...]
    """Offset and length (bytes) of its events, in file order."""
    anchored: Anchored
    others: int = 0
    """What stands among its events and is none."""


@dataclass(frozen=True, slots=True)
class Sealing:
    """What came out when a seal and its claims were checked."""

    status: SealStatus
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()
    anchoring: Anchoring | None = None
    """Of its own anchors; their faults and notes are among those here."""


def sealed(ledger: Ledger, seal: Seal) -> Sealed:
    """What `check_seal` needs to know of a ledger. In the thread that owns it."""
    rows = [row for row in range(len(ledger)) if ledger.kind[row] < Kind.MALFORMED]
    own = [row for row in rows if not is_key(ledger.seq[row])]
    places = sorted((ledger.offset[row], ledger.length[row]) for row in own)
    others = ledger.kind.count(Kind.MALFORMED)
    return Sealed(tuple(places), anchored(ledger, seal.anchors or Anchors("")), others)


def check_seal(
    seal: Seal, found: Sealed, read: Callable[[int, int], bytes], keys: PublicKeys | None = None
) -> Sealing:
    """Check each claim against the events, the anchors, and the seal against its key and those given. Reads
    every record by `read(offset, length)`. Any thread may. Raises nothing."""
    status, faults, notes = _authorship(seal, keys)
    faults = [*seal.troubles, *faults]
    if seal.kind == "unknown":
        if seal.schema:
            notes.append(f"its schema {seal.schema} is not known: nothing that it claims was checked")
        return Sealing(status, _as_faults(faults), tuple(notes))
    if found.others:
        text = f"among the events of the {seal.word} stands what is none: {found.others:,} of its values"
        faults.append(text)
    try:
        faults += false_claims(seal, Census.of(found.places, read))
    except BodyGone as gone:
        notes.append(f"what the {seal.word} claims was not checked: {gone}")
    notes += not_checked(seal)
    anchoring = None
    if seal.anchors is not None:
        anchoring = check_anchors(seal.anchors, found.anchored, read, alone=True)
        notes += anchoring.notes
    more = anchoring.faults if anchoring is not None else ()
    return Sealing(status, (*_as_faults(faults), *more), tuple(notes), anchoring)


def keys_for_events(
    keys: PublicKeys | None, seal: Seal | None, found: Sealed, read: Callable[[int, int], bytes]
) -> PublicKeys | None:
    """The keys that every event must be signed with, None when they need not be: who seals a ledger need not
    have signed each event. So where none is signed, the key of the seal around them does not count, if it
    fits and is over the tip that they have: without a tip it says nothing of them. Any thread may. Raises
    nothing."""
    if keys is None or seal is None or not _is_signed(seal):
        return keys
    if not _is_tip_here(seal, found, read) or _is_any_signed(found, read):
        return keys
    return keys.without(seal.pubkey) or None


def _is_tip_here(seal: Seal, found: Sealed, read: Callable[[int, int], bytes]) -> bool:
    """Whether the seal names a tip, and the last event states it."""
    if not seal.tip or not found.places:
        return False
    try:
        return bool(preimage(read(*found.places[-1])).entry_hash == seal.tip)
    except (BodyGone, Unreadable):
        return False


def _is_any_signed(found: Sealed, read: Callable[[int, int], bytes]) -> bool:
    try:
        return any(b'"event_sig"' in read(offset, length) for offset, length in found.places)
    except BodyGone:
        return True


def _is_signed(seal: Seal) -> bool:
    return bool(seal.message) and signed_by(seal.pubkey, seal.message, seal.signature)


def _as_faults(texts: list[str]) -> tuple[Fault, ...]:
    return tuple(Fault(None, "seal", text) for text in texts)


def _authorship(seal: Seal, keys: PublicKeys | None) -> tuple[SealStatus, list[str], list[str]]:
    """The state of the seal itself, its faults, and its notes."""
    if not seal.sealed:
        return "unsealed", [], [f"the {seal.word} is not sealed: nobody stands for what it claims"]
    if seal.kind == "unknown":
        return "unknown", [], ["its seal was not checked"]
    if seal.algorithm != ED25519:
        return "unknown", [f"it is sealed with {seal.algorithm}, and only {ED25519} is known"], []
    if not (is_key_name(seal.pubkey) and is_signature(seal.signature)):
        return "wrong", ["its seal is none: pubkey takes 64 hex digits, and sig 128 lower-case ones"], []
    if is_for_anybody(seal.pubkey):
        return "wrong", [f"its seal is of a key with which anybody can sign: {seal.pubkey}"], []
    try:
        fits = _is_signed(seal)
    except MissingLibrary:
        return "unchecked", [], [f"the seal was not checked: that needs {INSTALL}"]
    if not fits:
        return "wrong", [f"the seal does not fit: the {seal.word} was changed, or another key made it"], []
    return _trusted(seal, keys)


def _trusted(seal: Seal, keys: PublicKeys | None) -> tuple[SealStatus, list[str], list[str]]:
    """Whose seal it is, when it fits."""
    notes = [_ONLY_THE_TIP] if seal.kind == "receipt" else []
    key = seal.pubkey.lower()
    if keys is None:
        text = (
            f"the seal fits the key {key}, which the {seal.word} brings along: whoever has that key sealed "
            "it; --pubkey KEY says whose seal is asked for"
        )
        return "fits", [], [text, *notes]
    if seal.pubkey in keys:
        return "trusted", [], [f"the seal fits the key {key}, which is one of those given", *notes]
    return "wrong", [f"it is sealed with the key {key}, which is none of those given"], notes


_ONLY_THE_TIP = "the seal of a receipt is over its tip alone: it does not cover the claim, nor the summary"
