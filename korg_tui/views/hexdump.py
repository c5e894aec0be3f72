"""Hexdump: bytes as a person reads them where they are no text."""

from __future__ import annotations

from collections.abc import Iterator

COLUMNS = 16
"""Bytes of one line."""

_DOT = "·"
_PRINTABLE = {code: chr(code) if 0x20 <= code < 0x7F else _DOT for code in range(256)}


def hex_line(offset: int, content: bytes) -> str:
    """One safe line for at most `COLUMNS` bytes that lie at `offset`: 76 cells."""
    half = COLUMNS // 2
    left, right = content[:half].hex(" "), content[half:COLUMNS].hex(" ")
    cells = 3 * half - 1
    shown = "".join(_PRINTABLE[byte] for byte in content[:COLUMNS])
    return f"{offset:08x}  {left:<{cells}}  {right:<{cells}}  {shown}"


def hex_lines(content: bytes, limit: int) -> Iterator[str]:
    """The first `limit` lines."""
    for offset in range(0, min(len(content), limit * COLUMNS), COLUMNS):
        yield hex_line(offset, content[offset : offset + COLUMNS])
