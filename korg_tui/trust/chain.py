"""Chain: whether events still are what was recorded, and stand where they were written (LEDGERS, Hash chain).

Events are taken one after the other, in the order of the file. Nothing is read here."""

from __future__ import annotations

import copy
import hashlib
import hmac
from collections.abc import Callable, Iterable
from typing import Any

from korg_tui.formats import (
    NOT_PLAIN,
    Preimage,
    Unreadable,
    decode_plainly,
    encode_plainly,
    preimage,
    with_signature,
)
from korg_tui.text import visible
from korg_tui.trust.found import Fault, Finding, Signers, Standing
from korg_tui.trust.tally import NO_KEY, Tally

ZEROS = "0" * 64
"""`prev_hash` of an event that has none before it."""

_UNKNOWN = object()
"""Stands for a hash that nobody knows."""

_PLAIN = f"its hash is plain SHA-256: {NO_KEY}"


class Chain:
    """A chain as far as it was looked at. `key`: that of a keyed ledger. `signers`: with them, every event
    must be signed. `since`: events with a smaller seq are passed over, but for the link from the last one."""

    def __init__(
        self, key: bytes | None = None, *, signers: Signers | None = None, since: int | None = None
    ) -> None:
        self._key = key
        self._signers = signers
        self._since = since
        self._hash: Callable[[bytes], str] = _sha256 if key is None else lambda text: _hmac(key, text)
        self._tip: Any = _UNKNOWN
        """The hash that the event before states."""
        self._before: int | None = None
        """The seq of the event before, None where no event is known to stand there."""
        self._unreadable = False
        """Whether a line since the event before could not be read."""
        self._tally = Tally(key is not None, signers is not None)

    @property
    def standing(self) -> Standing:
        """Where it stands now. Cheap, however much was looked at."""
        return self._tally.standing

    def fork(self) -> Chain:
        """A chain that goes on from here; this one stays as it is."""
        other = copy.copy(self)
        other._tally = self._tally.fork()
        return other

    # what comes next in the file

    def add(self, raw: bytes, seq: int, offset: int) -> None:
        """An event, as it lies at this offset (bytes)."""
        try:
            found = preimage(raw)
        except Unreadable:
            self.unreadable(offset)
            return
        expected = self._expected(found, seq)
        if self._since is not None and seq < self._since:
            self._tally.pass_over()
        else:
            self._look_at(found, raw, seq, offset, expected)
        self._tip = found.entry_hash or _UNKNOWN
        self._before = seq
        self._unreadable = False

    def extend(
        self, block: bytes, base: int, offsets: Iterable[int], lengths: Iterable[int], seqs: Iterable[int]
    ) -> None:
        """Events that lie in `block`, which begins at the offset `base`. The same as `add` for each, and
        much faster where there is nothing to be said of them."""
        places = zip(offsets, lengths, seqs, strict=True)
        if self._signers is None and self._since is None and block.isascii() and b"\x7f" not in block:
            self._extend_at_once(block, base, places)
            return
        for offset, length, seq in places:
            self.add(block[offset - base : offset - base + length], seq, offset)

    def _extend_at_once(self, block: bytes, base: int, places: Iterable[tuple[int, int, int]]) -> None:
        """The block is ASCII without DEL. See `formats.canonical` for why these bytes are the right ones, and
        why equal lengths say that nothing was lost."""
        digest, decode, encode = self._hash, decode_plainly, encode_plainly
        around = len('"entry_hash":"",')
        tip, count, last = self._tip, 0, 0
        for offset, length, seq in places:
            begin = offset - base
            raw = block[begin : begin + length]
            try:
                record = decode(raw)
                stated = record.pop("entry_hash")
                content = encode(record)
                if (
                    record["prev_hash"] == tip
                    and len(content) + len(stated) + around == length
                    and digest(content) == stated
                    and "event_sig" not in record
                    and not self._unreadable
                ):
                    tip, last = stated, seq
                    count += 1
                    continue
            except NOT_PLAIN:
                pass
            self._fit(count, last, tip)
            self.add(raw, seq, offset)
            tip, count = self._tip, 0
        self._fit(count, last, tip)

    def _fit(self, count: int, last: int, tip: str) -> None:
        """So many events fit, and nothing is to be said of them; of the last one the seq, and the hash."""
        if count:
            self._tip, self._before = tip, last
            self._tally.fit(count, last, tip)

    def unreadable(self, offset: int, *, torn: bool = False) -> None:
        """A line that is no event. `torn`: the last one, of which the rest was not written."""
        self._tally.unreadable(offset, torn)
        self._unreadable = self._unreadable or not torn

    def hole(self) -> None:
        """Events that are not loaded: the link across them is unknown."""
        self._tally.hole()
        self._unknown()

    def unread(self, count: int = 1) -> None:
        """Events of which the bytes are gone: nothing is known of them, or of the link across them."""
        self._tally.unread(count)
        self._unknown()

    def _unknown(self) -> None:
        self._tip, self._before = _UNKNOWN, None
        self._unreadable = False

    # one event

    def _expected(self, found: Preimage, seq: int) -> Any:
        """What its prev_hash must be."""
        if self._tally.first is None:
            self._tally.begin(seq, found.prev_hash == ZEROS)
            if self._unreadable and self._tip is _UNKNOWN:
                return ZEROS
        return self._tip

    def _look_at(self, found: Preimage, raw: bytes, seq: int, offset: int, expected: Any) -> None:
        tally = self._tally
        tally.event(found.entry_hash)
        linked = expected is _UNKNOWN or found.prev_hash == expected
        for path in found.duplicates:
            tally.twice(Finding(seq, f"a key stands twice, and the last one counts: {path}", True, offset))
        if not found.entry_hash:
            tally.unchained(Fault(seq, "unchained", "it has no hash, and other events here have one", offset))
        else:
            if not linked:
                tally.fault(Fault(seq, "link", self._missed(found, seq), offset))
            fits = self._check_hash(found, raw, seq, offset)
            tally.looked(seq, linked and fits)
        if found.event_sig:
            tally.signed += 1
        if self._signers is not None:
            self._check_signature(self._signers, found, seq, offset)

    def _missed(self, found: Preimage, seq: int) -> str:
        if self._unreadable:
            return "the line before it could not be read, and it follows on something else than is here"
        before = self._before
        if not found.prev_hash:
            return f"it has no prev_hash, and seq {before} stands before it"
        if found.prev_hash == ZEROS:
            return f"its prev_hash says that it is the first, and seq {before} stands before it"
        gone = ""
        if before is not None and seq > before + 1:
            gone = f"seq {before + 1} is" if seq == before + 2 else f"{seq - before - 1:,} seqs between are"
            gone = f", and {gone} not here"
        hashes = f"its prev_hash is {_short(found.prev_hash)}, not {_short(self._tip)}"
        return f"it names another event before it than seq {before}{gone}: {hashes}"

    def _check_hash(self, found: Preimage, raw: bytes, seq: int, offset: int) -> bool:
        tally = self._tally
        has = self._hash(found.content)
        fits: bool = has == found.entry_hash
        if not fits and found.event_sig is not None and self._hash(with_signature(raw)) == found.entry_hash:
            fits = True
            tally.with_signature += 1
        if found.odd:
            end = "its hash fits as this program writes it"
            if not fits:
                end = "its hash does not fit, which may be the spelling of the number"
            tally.odd(Finding(seq, f"{'; '.join(found.odd)}; {end}", offset=offset), fits)
        if found.damaged:
            text = "it holds bytes that are no UTF-8, which other programs do not read as this one does"
            tally.fault(Fault(seq, "content", text, offset))
            return False
        if fits:
            tally.fitting += 1
        elif not found.odd:
            self._misfits(found, has, seq, offset)
        return fits

    def _misfits(self, found: Preimage, has: str, seq: int, offset: int) -> None:
        if self._key is not None and _sha256(found.content) == found.entry_hash:
            self._tally.plain(Fault(seq, "content", _PLAIN, offset))
            return
        text = f"what stands here has the hash {_short(has)}, not {_short(found.entry_hash)} as it says"
        self._tally.misfit(Fault(seq, "content", text, offset))

    def _check_signature(self, signers: Signers, found: Preimage, seq: int, offset: int) -> None:
        signature = found.event_sig
        if not signature:
            self._tally.fault(Fault(seq, "signature", "it is not signed", offset))
        elif not isinstance(signature, str):
            self._tally.fault(Fault(seq, "signature", "its event_sig is no text", offset))
        elif not signers.fits(found.content, signature):
            if found.odd:
                text = f"{found.odd[0]}; its signature does not fit, which may be the spelling of the number"
                self._tally.odd(Finding(seq, text, offset=offset), False)
            else:
                text = "its signature does not fit: by another key, or of something else"
                self._tally.fault(Fault(seq, "signature", text, offset))


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _hmac(key: bytes, content: bytes) -> str:
    return hmac.digest(key, content, "sha256").hex()


def _short(found: Any) -> str:
    """A hash as it is said; or what stands in its place."""
    if isinstance(found, str) and len(found) == 64 and found.isascii():
        return f"{visible(found[:12])}…"
    return visible(found if isinstance(found, str) else f"a {type(found).__name__}", 24)
