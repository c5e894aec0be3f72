"""Chain: whether events still are what was recorded, and stand where they were written (LEDGERS, Hash chain).

Events are taken one after the other, in the order of the file. Nothing is read here."""

from __future__ import annotations

import copy
import hashlib
import hmac
import re
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from korg_tui.formats import (
    NOT_PLAIN,
    PLAINLY,
    Preimage,
    Unreadable,
    decode_lines_plainly,
    outermost,
    preimage,
    with_signature,
)
from korg_tui.text import visible
from korg_tui.trust.found import Fault, Finding, Signers, Standing
from korg_tui.trust.tally import NO_KEY, Tally

ZEROS = "0" * 64
"""`prev_hash` of an event that has none before it."""

_HASH = re.compile(r"[0-9a-f]{64}")

_AT_ONCE = 32
"""Events that are decoded at once: of more, Python's collector of garbage would take notice."""

_UNKNOWN = object()
"""Stands for a hash that nobody knows."""

_PLAIN = f"its hash is plain SHA-256: {NO_KEY}"


class Chain:
    """A chain as far as it was looked at. `key`: that of a keyed ledger. `signers`: with them, every event
    must be signed. `since`: events with a smaller seq are passed over, but for the link from the last one.
    `further`: other events stand before in the same file, and these are a ledger of their own because their
    numbers came already; so they have to begin a chain."""

    def __init__(
        self,
        key: bytes | None = None,
        *,
        signers: Signers | None = None,
        since: int | None = None,
        further: bool = False,
    ) -> None:
        self._key = key
        self._signers = signers
        self._since = since
        self._further = further
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
        self, block: bytes, base: int, offsets: Sequence[int], lengths: Sequence[int], seqs: Sequence[int]
    ) -> None:
        """Events that lie in `block`, which begins at the offset `base`, in this order and not on top of each
        other. The same as `add` for each, and much faster where there is nothing to be said of them."""
        for first in range(0, len(seqs), _AT_ONCE):
            few = slice(first, first + _AT_ONCE)
            self._extend_by_few(block, base, offsets[few], lengths[few], seqs[few])

    def _extend_by_few(
        self, block: bytes, base: int, offsets: Sequence[int], lengths: Sequence[int], seqs: Sequence[int]
    ) -> None:
        few = block[offsets[0] - base : offsets[-1] + lengths[-1] - base]
        records = self._read_at_once(few, lengths) or [None] * len(seqs)
        done = 0
        while done < len(seqs):
            if records[done] is not None:
                done += self._take_fitting(records[done:], lengths[done:], seqs[done:])
            if done < len(seqs):
                begin = offsets[done] - base
                self.add(block[begin : begin + lengths[done]], seqs[done], offsets[done])
                done += 1

    def _read_at_once(self, block: bytes, lengths: Sequence[int]) -> Sequence[dict[str, Any] | None]:
        """The events of the block, when they are its lines, ASCII without DEL; nothing where not."""
        if self._signers is not None or self._since is not None or not block.isascii() or b"\x7f" in block:
            return ()
        between = len(lengths) - 1
        if block.count(b"\n") != between or sum(lengths) + between != len(block):
            return ()
        try:
            records = decode_lines_plainly(block)
        except NOT_PLAIN:
            return ()
        return records if len(records) == len(lengths) else ()

    def _take_fitting(
        self, records: Sequence[dict[str, Any] | None], lengths: Sequence[int], seqs: Sequence[int]
    ) -> int:
        """Take events as long as they fit and nothing is to be said of them; how many that are. See
        `formats.canonical` for why equal lengths say that these are the right bytes."""
        tip: Any = _UNKNOWN if self._unreadable else self._tip
        count, key = 0, self._key
        encode, sha256, around = orjson.dumps, hashlib.sha256, len('"entry_hash":"",')
        try:
            for record, length in zip(records, lengths, strict=True):
                stated = record.pop("entry_hash")  # type: ignore[union-attr]
                content = encode(record, None, PLAINLY)
                if not (
                    record["prev_hash"] == tip  # type: ignore[index]
                    and len(content) + len(stated) + around == length
                    and (sha256(content).hexdigest() if key is None else _hmac(key, content)) == stated
                    and "event_sig" not in record  # type: ignore[operator]
                ):
                    break
                tip = stated
                count += 1
        except NOT_PLAIN:
            pass
        if count:
            self._tip, self._before = tip, seqs[count - 1]
            self._tally.fit(count, seqs[count - 1], tip)
        return count

    def unreadable(self, offset: int, *, torn: bool = False) -> None:
        """A line that is no event. `torn`: the last one, of which the rest was not written."""
        self._tally.unreadable(offset, torn)
        self._unreadable = self._unreadable or not torn

    def deep(self, raw: bytes, offset: int) -> None:
        """A line that nests deeper than events are read: links are followed across it, where it has any."""
        self._tally.deep(offset)
        try:
            found = preimage(outermost(raw))
        except Unreadable:
            self._unreadable = True
            return
        tip = _stated(found)
        if tip and not self._unreadable and (self._tip is _UNKNOWN or found.prev_hash == self._tip):
            self._tip = tip
        else:
            self._unreadable = True

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
            self._tally.begin(seq, found.prev_hash == ZEROS or self._further)
            if self._further or (self._unreadable and self._tip is _UNKNOWN):
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
        if before is None and self._further:
            return (
                "its number came before in this file, and it begins no chain of its own: it was put in, "
                f"moved, or renumbered; its prev_hash is {_short(found.prev_hash)}"
            )
        if not found.prev_hash:
            return f"it has no prev_hash, and seq {before} stands before it"
        if found.prev_hash == ZEROS:
            return f"its prev_hash says that it is the first, and seq {before} stands before it"
        gone = ""
        if before is not None and seq > before + 1:
            gone = f"seq {before + 1} is" if seq == before + 2 else f"{seq - before - 1:,} seqs between are"
            gone = f", and {gone} not before it"
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
                end = "its hash does not fit, which may be the spelling of the number, or a change"
            tally.odd(Finding(seq, f"{'; '.join(found.odd)}; {end}", offset=offset), fits)
        if found.damaged:
            text = "it holds bytes that are no UTF-8, which other programs do not read as this one does"
            tally.fault(Fault(seq, "content", text, offset))
            return False
        if fits:
            tally.fitting += 1
        elif not _stated(found):
            text = f"its entry_hash is no hash of 64 lower-case hex digits: {_short(found.entry_hash)}"
            tally.fault(Fault(seq, "content", text, offset))
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


def _stated(found: Preimage) -> str:
    """The hash that it says it has; empty where what it says is none."""
    stated = found.entry_hash
    return stated if isinstance(stated, str) and _HASH.fullmatch(stated) else ""


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _hmac(key: bytes, content: bytes) -> str:
    return hmac.digest(key, content, "sha256").hex()


def _short(found: Any) -> str:
    """A hash as it is said; or what stands in its place."""
    if isinstance(found, str) and len(found) == 64 and found.isascii():
        return f"{visible(found[:12])}…"
    return visible(found if isinstance(found, str) else f"a {type(found).__name__}", 24)
