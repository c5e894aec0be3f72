"""Recoding: content made readable piece by piece - unpacked, as UTF-8, JSON laid out. Pure and bounded: what
is held at a time does not depend on how much there is."""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Iterable, Iterator

PIECE = 64 << 10
"""Bytes of one piece, about."""

DEEPEST = 40
"""Levels of JSON that are indented; what lies deeper is not indented further."""


def unpacked_pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """What is packed with gzip, all members of it. Raises `ValueError` where it is damaged or cut off."""
    unpack = zlib.decompressobj(wbits=31)
    begun = False
    for chunk in chunks:
        rest = chunk
        while rest:
            if unpack.eof:
                if not rest.startswith(b"\x1f"):
                    return
                unpack, begun = zlib.decompressobj(wbits=31), False
            try:
                piece = unpack.decompress(rest, PIECE)
            except zlib.error:
                raise ValueError("what is packed in it is damaged from here on") from None
            begun = True
            rest = unpack.unused_data if unpack.eof else unpack.unconsumed_tail
            if piece:
                yield piece
    if begun and not unpack.eof:
        raise ValueError("what is packed in it is cut off here")


def as_utf8(chunks: Iterable[bytes], encoding: str, begins: int = 0) -> Iterator[bytes]:
    """Text in another encoding as UTF-8, from byte `begins` on; what does not decode becomes U+FFFD."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for chunk in chunks:
        text = decoder.decode(chunk[begins:])
        begins = max(0, begins - len(chunk))
        if text:
            yield text.encode("utf-8", "replace")
    rest = decoder.decode(b"", final=True)
    if rest:
        yield rest.encode("utf-8", "replace")


_TOKEN = re.compile(rb"""\s*+(?:([\[{])|([\]}])|([,:])|(")|([^\s"\[\]{},:]++))?""")
_WITHIN = re.compile(rb"""[^"\\]*+(?:\\.[^"\\]*+)*+""", re.DOTALL)


def laid_out(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """JSON, or JSON lines, with one member on a line, indented by two. Tokens stay as they were written and
    nothing is decoded: numbers, keys that come twice, and errors are seen as they are. UTF-8 only."""
    layout = _Layout()
    for chunk in chunks:
        for at in range(0, len(chunk), PIECE):
            yield layout.take(chunk[at : at + PIECE])
    yield layout.end()


class _Layout:
    """Where the layout stands between two pieces of text."""

    def __init__(self) -> None:
        self._depth = 0
        self._last = ""
        """What came last: `open`, `close`, `,`, `:`, `string`, `scalar`, or nothing yet."""
        self._within = False
        """Within a string."""
        self._rest = b""
        self._out: list[bytes] = []

    def take(self, text: bytes) -> bytes:
        """What these bytes become."""
        text, self._rest, self._out = self._rest + text, b"", []
        at = 0
        while at < len(text):
            at = self._string(text, at) if self._within else self._token(text, at)
        return b"".join(self._out)

    def end(self) -> bytes:
        """What is left when nothing more comes."""
        return self._rest + b"\n" * bool(self._last)

    def _string(self, text: bytes, at: int) -> int:
        end = _WITHIN.match(text, at).end()  # type: ignore[union-attr]
        self._within = end == len(text) or text[end] != 0x22
        if self._within and end < len(text):
            self._rest = text[end:]  # a backslash whose character comes with the next piece
            self._out.append(text[at:end])
            return len(text)
        end += not self._within
        self._out.append(text[at:end])
        return end

    def _token(self, text: bytes, at: int) -> int:
        found = _TOKEN.match(text, at)
        assert found is not None
        opening, closing, mark, quote, scalar = found.groups()
        if opening:
            self._begin(opening, "open")
            self._depth += 1
        elif closing:
            self._depth = max(0, self._depth - 1)
            self._out.append(closing if self._last == "open" else self._new_line() + closing)
            self._last = "close"
        elif mark:
            self._out.append(mark)
            self._last = mark.decode()
        elif quote:
            self._begin(quote, "string")
            self._within = True
        elif scalar:
            goes_on = self._last == "scalar" and at == 0 and found.start(5) == 0
            self._out.append(scalar) if goes_on else self._begin(scalar, "scalar")
        return found.end()

    def _begin(self, token: bytes, what: str) -> None:
        before = b" "
        if self._last in ("open", ",") or (self._depth == 0 and self._last not in ("", ":")):
            before = self._new_line()
        self._out.append(before + token if self._last else token)
        self._last = what

    def _new_line(self) -> bytes:
        return b"\n" + b"  " * min(self._depth, DEEPEST)
