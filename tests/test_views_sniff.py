"""What content is, told from its first bytes: names as a person reads them, and nothing that can hurt."""

from __future__ import annotations

import gzip
import struct
import zlib

import pytest

from korg_tui.views import HEAD, sniff
from korg_tui.views.sniff import unpacked


def png(wide: int, high: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", wide, high) + b"\x08\x02\0\0\0"


def jpeg(wide: int, high: int) -> bytes:
    comment = b"\xff\xfe" + struct.pack(">H", 12) + b"0123456789"
    frame = b"\xff\xc2" + struct.pack(">HBHHB", 11, 8, high, wide, 1) + b"\x01\x11\0"
    return b"\xff\xd8" + b"\xff\xe0" + struct.pack(">H", 16) + b"JFIF\0".ljust(14) + comment + frame


def webp(form: bytes, rest: bytes) -> bytes:
    return b"RIFF\x40\0\0\0WEBP" + form + b"\x40\0\0\0" + rest


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"", "empty"),
        (b"plain words\nand more\n", "text, UTF-8"),
        ("naïve — 日本".encode(), "text, UTF-8"),
        (b"\xef\xbb\xbfwith a mark", "text, UTF-8 with a byte-order mark"),
        ("wide".encode("utf-16"), "text, UTF-16 with a byte-order mark"),
        ("wide words without a mark".encode("utf-16-le"), "text, UTF-16"),
        ("wide words without a mark".encode("utf-16-be"), "text, UTF-16, big-endian"),
        ("Gr\u00fc\u00dfe an alle, die es lesen".encode("latin-1"), "text, perhaps Latin-1"),
        (b'{"a": 1}', "JSON, UTF-8"),
        (b' [1, 2, {"b": null}]\n', "JSON, UTF-8"),
        (b'{"a": 1}\n{"b": 2}\n', "JSON lines, UTF-8"),
        ('{"a": "ö"}'.encode("utf-16"), "JSON, UTF-16 with a byte-order mark"),
        (b"{not json}", "text, UTF-8"),
        (b"[link](http://example.org)", "text, UTF-8"),
        (b"\x1b[31mred\x1b[0m output\n", "text, UTF-8"),
        (png(640, 480), "PNG image, 640 x 480"),
        (png(640, 480)[:14], "PNG image"),
        (jpeg(1024, 7), "JPEG image, 1024 x 7"),
        (b"\xff\xd8\xff\xe0", "JPEG image"),
        (b"GIF89a" + struct.pack("<HH", 12, 34), "GIF image, 12 x 34"),
        (b"BM" + bytes(16) + struct.pack("<ii", 5, -6), "BMP image, 5 x 6"),
        (webp(b"VP8X", bytes(4) + b"\x7f\x02\0\xdf\x01\0"), "WebP image, 640 x 480"),
        (webp(b"VP8L", b"\x2f" + (639 | 479 << 14).to_bytes(4, "little")), "WebP image, 640 x 480"),
        (webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 640, 480)), "WebP image, 640 x 480"),
        (b'<?xml version="1.0"?>\n<svg width="24px" height="12"></svg>', "SVG image, 24 x 12"),
        (b'<!-- drawn --><svg viewBox="0 0 300 200.5"/>', "SVG image, 300 x 200"),
        (b"<svg/>", "SVG image"),
        (gzip.compress(b'{"a": 1}', mtime=0), "gzip of JSON, UTF-8"),
        (b"\x1f\x8b\x08garbage", "gzip, damaged"),
        (b"%PDF-1.7\n%\xe2\xe3", "PDF document"),
        (b"PK\x03\x04\x14\0", "ZIP archive"),
        (b"\x7fELF\x02\x01", "ELF program"),
        (b"SQLite format 3\0\x10", "SQLite database"),
        (b"\0\x01\x02\x03\xff\xfe", "binary"),
        (bytes(range(256)), "binary"),
    ],
)
def test_content_is_told_by_its_first_bytes(content, name):
    assert sniff(content).name == name


def test_what_is_cut_off_counts_by_its_beginning():
    assert sniff(b'{"a": [1, 2, "thr', whole=False).name == "JSON, UTF-8"
    assert sniff(b'{"a": 1}\n{"b": "thr', whole=False).name == "JSON lines, UTF-8"
    assert sniff("日本".encode()[:-1], whole=False).name == "text, UTF-8"
    assert sniff("日本".encode()[:-1]).name == "binary"


def test_only_the_head_is_looked_at():
    long = b"a" * HEAD + b"\0\xff" * 100
    assert sniff(long).name == "text, UTF-8"
    assert sniff(b"[" + b"1," * HEAD).name == "JSON, UTF-8"


def test_where_text_begins_and_how_it_is_written():
    told = sniff(b"\xef\xbb\xbfx")
    assert (told.kind, told.encoding, told.begins) == ("text", "utf-8", 3)
    told = sniff(gzip.compress(png(3, 4)))
    assert (told.kind, told.inner.kind, told.inner.pixels) == ("gzip", "image", (3, 4))


@pytest.mark.parametrize(
    "content",
    [
        b"[" * HEAD,
        b"{" * HEAD,
        b'{"a":' * 10_000,
        b"<!---->" * 9_000,
        b"<svg " + b"width=" * 9_000,
        b"\xff\xd8" + b"\xff" * HEAD,
        b"\xff\xd8\xff\xe0\0\0" * 10_000,
        b"\x89PNG\r\n\x1a\n" + bytes(8),
        b"[" + b"1" * 6000 + b"]",
        b"\xd8\x00" * 2000,
        "\ud83d".encode("utf-16-le", "surrogatepass") * 50,
    ],
)
def test_hostile_beginnings_have_a_name_too(content):
    assert sniff(content).name
    assert sniff(content, whole=False).name


def test_a_bomb_is_unpacked_no_further_than_asked():
    bomb = gzip.compress(bytes(50_000_000))
    assert len(unpacked(bomb, 1000)) == 1000
    assert sniff(bomb).name == "gzip of binary"
    assert unpacked(zlib.compress(b"no gzip"), 10) == b""
