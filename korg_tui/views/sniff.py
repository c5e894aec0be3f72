"""Sniff: what content is, told from its first bytes alone. Nothing is decoded whole, nothing is believed.

Blobs have no media type (LEDGERS, Blobs: `application/octet-stream`, always).
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

HEAD = 65_536
"""Bytes from which content is told, and that a preview is made of."""

Kind = Literal["empty", "json", "text", "image", "gzip", "binary"]
Encoding = Literal["", "utf-8", "utf-16-le", "utf-16-be", "latin-1"]


@dataclass(frozen=True, slots=True)
class Sniffed:
    """What content is. `name` says it to a person: `PNG image, 640 x 480`."""

    kind: Kind
    name: str
    encoding: Encoding = ""
    """How the text of `json` and `text` is written."""
    begins: int = 0
    """Where the text begins: behind a byte-order mark, in bytes."""
    pixels: tuple[int, int] | None = None
    """Width and height of an image, as its header says."""
    media: str = ""
    """The media type, where others may want to know it: `text/markdown`, `image/png`."""
    inner: Sniffed | None = None
    """What is packed in `gzip`."""


EMPTY = Sniffed("empty", "empty")


def sniff(head: bytes, *, whole: bool = True) -> Sniffed:
    """What content is that begins with `head`; `whole` when that is all of it. Looks at `HEAD` bytes."""
    whole = whole and len(head) <= HEAD
    head = head[:HEAD]
    if not head:
        return EMPTY
    return _image(head) or _gzip(head) or _known(head) or _text(head, whole) or Sniffed("binary", "binary")


# images: the kinds, and their pixels from the header


def _image(head: bytes) -> Sniffed | None:
    for begin, name, media, measure in _IMAGES:
        if head.startswith(begin) and (name != "WebP" or head[8:12] == b"WEBP"):
            return _with_pixels(Sniffed("image", f"{name} image", media=media), measure(head))
    return None


def _with_pixels(image: Sniffed, pixels: tuple[int, int] | None) -> Sniffed:
    if pixels is None:
        return image
    return replace(image, name=f"{image.name}, {pixels[0]} x {pixels[1]}", pixels=pixels)


def _numbers(head: bytes, form: str, offset: int) -> tuple[Any, ...] | None:
    if len(head) < offset + struct.calcsize(form):
        return None
    return struct.unpack_from(form, head, offset)


def _png(head: bytes) -> tuple[int, int] | None:
    found = _numbers(head, ">4sII", 12)
    return (found[1], found[2]) if found and found[0] == b"IHDR" else None


def _gif(head: bytes) -> tuple[int, int] | None:
    found = _numbers(head, "<HH", 6)
    return (found[0], found[1]) if found else None


def _bmp(head: bytes) -> tuple[int, int] | None:
    found = _numbers(head, "<ii", 18)
    return (abs(found[0]), abs(found[1])) if found else None


def _webp(head: bytes) -> tuple[int, int] | None:
    form, at = head[12:16], head[20:]
    if form == b"VP8 " and at[3:6] == b"\x9d\x01\x2a" and len(at) >= 10:
        wide, high = struct.unpack_from("<HH", at, 6)
        return wide & 0x3FFF, high & 0x3FFF
    if form == b"VP8L" and at[:1] == b"\x2f" and len(at) >= 5:
        bits = int.from_bytes(at[1:5], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if form == b"VP8X" and len(at) >= 10:
        return int.from_bytes(at[4:7], "little") + 1, int.from_bytes(at[7:10], "little") + 1
    return None


_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""JPEG markers of segments that tell the size."""


def _jpeg(head: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker in _FRAMES:
            high, wide = struct.unpack_from(">HH", head, at + 5)
            return wide, high
        if marker == 0xFF:
            at += 1
            continue
        alone = marker == 0x01 or 0xD0 <= marker <= 0xD8
        at += 2 if alone else 2 + max(int.from_bytes(head[at + 2 : at + 4], "big"), 2)
    return None


_IMAGES: tuple[tuple[bytes, str, str, Callable[[bytes], tuple[int, int] | None]], ...] = (
    (b"\x89PNG\r\n\x1a\n", "PNG", "image/png", _png),
    (b"\xff\xd8\xff", "JPEG", "image/jpeg", _jpeg),
    (b"GIF87a", "GIF", "image/gif", _gif),
    (b"GIF89a", "GIF", "image/gif", _gif),
    (b"RIFF", "WebP", "image/webp", _webp),
    (b"BM", "BMP", "image/bmp", _bmp),
)

_SVG = re.compile(
    r"(?>\s+|<\?xml[^>]{0,400}>|<!DOCTYPE[^>]{0,400}>|<!--.{0,2000}?-->)*+<svg\b([^>]{0,2000})", re.DOTALL
)
_SIDE = r"""\b{}\s*=\s*["']\s*(\d{{1,6}})(?:\.\d+)?(?:px)?\s*["']"""
_BOX = re.compile(r"""\bviewBox\s*=\s*["']\s*\S+[ ,]+\S+[ ,]+(\d{1,6})(?:\.\d+)?[ ,]+(\d{1,6})""")


def _svg(text: str) -> tuple[int, int] | None:
    """Width and height of an SVG image; (0, 0) when it does not say."""
    begin = _SVG.match(text[:8192])
    if begin is None:
        return None
    sides = [re.search(_SIDE.format(side), begin[1]) for side in ("width", "height")]
    if sides[0] and sides[1]:
        return int(sides[0][1]), int(sides[1][1])
    box = _BOX.search(begin[1])
    return (int(box[1]), int(box[2])) if box else (0, 0)


# packed, and other kinds that have a mark


def _gzip(head: bytes) -> Sniffed | None:
    if not head.startswith(b"\x1f\x8b\x08"):
        return None
    begin = unpacked(head, HEAD)
    inner = sniff(begin, whole=False) if begin else None
    return Sniffed("gzip", f"gzip of {inner.name}" if inner else "gzip, damaged", inner=inner)


def unpacked(head: bytes, limit: int) -> bytes:
    """At most `limit` bytes of what is packed with gzip in content that begins so; empty when damaged."""
    try:
        return zlib.decompressobj(wbits=31).decompress(head, limit)
    except zlib.error:
        return b""


_KNOWN = (
    (0, b"%PDF-", "PDF document"),
    (0, b"PK\x03\x04", "ZIP archive"),
    (0, b"PK\x05\x06", "ZIP archive, empty"),
    (0, b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (0, b"Rar!\x1a\x07", "RAR archive"),
    (257, b"ustar", "tar archive"),
    (0, b"\xfd7zXZ\x00", "packed with xz"),
    (0, b"BZh", "packed with bzip2"),
    (0, b"\x28\xb5\x2f\xfd", "packed with zstd"),
    (0, b"\x7fELF", "ELF program"),
    (0, b"\xcf\xfa\xed\xfe", "Mach-O program"),
    (0, b"\xca\xfe\xba\xbe", "Java class or Mach-O program"),
    (0, b"\x00asm", "WebAssembly"),
    (0, b"SQLite format 3\x00", "SQLite database"),
    (0, b"PAR1", "Parquet file"),
    (0, b"II*\x00", "TIFF image"),
    (0, b"MM\x00*", "TIFF image"),
    (0, b"\x00\x00\x01\x00", "icon"),
    (4, b"ftypavif", "AVIF image"),
    (4, b"ftypheic", "HEIC image"),
    (4, b"ftyp", "MP4 video"),
    (0, b"\x1aE\xdf\xa3", "Matroska or WebM video"),
    (0, b"ID3", "MP3 sound"),
    (0, b"OggS", "Ogg sound"),
    (0, b"fLaC", "FLAC sound"),
    (0, b"RIFF", "RIFF sound or video"),
    (0, b"wOFF", "font"),
    (0, b"wOF2", "font"),
)


def _known(head: bytes) -> Sniffed | None:
    for offset, mark, name in _KNOWN:
        if head[offset : offset + len(mark)] == mark:
            return Sniffed("binary", name)
    return Sniffed("binary", "Windows program") if head[:2] == b"MZ" and b"\0" in head else None


# text


def _text(head: bytes, whole: bool) -> Sniffed | None:
    encoding, begins = _encoding(head, whole)
    if not encoding:
        return None
    text = head[begins:].decode(encoding, "replace")
    mark = " with a byte-order mark" if begins else ""
    svg = _svg(text)
    if svg is not None:
        image = Sniffed("text", "SVG image", encoding, begins, media="image/svg+xml")
        return _with_pixels(image, svg if all(svg) else None)
    name = _json(text, whole)
    kind: Kind = "json" if name else "text"
    return Sniffed(kind, f"{name or 'text'}, {_CALLED[encoding]}{mark}", encoding, begins)


_CALLED = {
    "utf-8": "UTF-8",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16, big-endian",
    "latin-1": "perhaps Latin-1",
}
_FEW = 40
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b")) + b"\x7f"
_MARKS: tuple[tuple[bytes, Encoding], ...] = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


def _encoding(head: bytes, whole: bool) -> tuple[Encoding, int]:
    """How it is written, and how long its byte-order mark is; ("", 0) for what is no text."""
    for mark, encoding in _MARKS:
        if head.startswith(mark) and _decodes(head[len(mark) :], encoding, whole):
            return encoding, len(mark)
    if _decodes(head, "utf-8", whole):
        controls = len(head) - len(head.translate(None, _CONTROLS))
        return ("utf-8", 0) if b"\0" not in head and controls * 20 <= len(head) + _FEW else _wide(head, whole)
    if b"\0" in head:
        return _wide(head, whole)
    controls = len(head) - len(head.translate(None, _CONTROLS + bytes(range(0x80, 0xA0))))
    letters = len(head.translate(None, bytes(range(0x80, 0x100))))
    return ("latin-1", 0) if not controls and letters * 10 >= len(head) * 7 else ("", 0)


def _wide(head: bytes, whole: bool) -> tuple[Encoding, int]:
    """UTF-16 without a mark: nearly every other byte is zero, and no character is."""
    sides: tuple[tuple[Encoding, int], ...] = (("utf-16-le", 1), ("utf-16-be", 0))
    for encoding, zero in sides:
        zeros, rest = head[zero::2], head[1 - zero :: 2]
        often = len(zeros) >= 2 and zeros.count(0) * 10 >= len(zeros) * 9
        if often and 0 not in rest and _decodes(head, encoding, whole):
            return encoding, 0
    return "", 0


def _decodes(head: bytes, encoding: str, whole: bool) -> bool:
    """Whether all of it decodes, but for a character that is cut off at the end."""
    try:
        head.decode(encoding)
    except UnicodeDecodeError as error:
        return not whole and error.start >= len(head) - 4
    return True


_OPENING = re.compile(r"""\s*(?:\{\s*(?:"|\}|$)|\[\s*(?:["{\[\]\d-]|true|false|null|$))""")


def _json(text: str, whole: bool) -> str:
    """`JSON`, `JSON lines`, or empty for other text. What is cut off counts by its beginning."""
    if not _OPENING.match(text):
        return ""
    if not whole:
        first, _, rest = text.partition("\n")
        return "JSON lines" if rest.strip() and _parses(first) else "JSON"
    if _parses(text):
        return "JSON"
    lines = [line for line in text.split("\n") if line.strip()]
    return "JSON lines" if len(lines) > 1 and all(map(_parses, lines)) else ""


def _parses(text: str) -> bool:
    try:
        json.loads(text, parse_int=float)
    except RecursionError:
        return True
    except ValueError:
        return False
    return True
