"""The only door from ledger text to a screen or a terminal (DESIGN, "Untrusted text").

Whatever a ledger holds, what comes out of here is printable: it draws characters and nothing else.

- C0 controls and DEL become control pictures (`␛`, `␀`, `␊`, `␡`), C1 controls `\\x9b`;
- bidi controls, zero-width and other invisible characters, line separators, private-use and
  unassigned code points become escapes in plain sight (`\\u202e`, `\\U000e0041`);
- lone surrogates become U+FFFD; tabs become spaces;
- at most two combining marks follow one character; `⋯` stands for those that were left out.

`[` stays as it is: markup is a matter of the widgets, which take this text as `Content`, never as markup.
All functions are idempotent, so a string may pass twice, and their work and output are bounded.
"""

from __future__ import annotations

import unicodedata

from rich.cells import cell_len, get_character_cell_size

CUT = "…"
"""Stands where text was cut off."""

LINE_LIMIT = 8192
"""The longest line that `visible` returns, in characters."""

TAB = 4
"""Tab stops of `visible_lines`, in characters."""

_FLOOD = "⋯"
_BASE = "◌"
_MARKS_IN_A_ROW = 2
_REMEMBERED = 8192
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cn", "Zl", "Zp"})
# Printable by category, but nothing is seen of them: fillers, joiners, variation selectors.
_INVISIBLE = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
    | {*range(0x180B, 0x1810), *range(0xFE00, 0xFE0F), *range(0xE0100, 0xE01F0)}
)
_EMOJI_STYLE = 0xFE0F


class _Safe(dict[int, str]):
    """`str.translate` table that is filled as characters are met."""

    def __missing__(self, code: int) -> str:
        safe = _safe_character(code)
        if len(self) < _REMEMBERED:
            self[code] = safe
        return safe


def _safe_character(code: int) -> str:
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if 0xD800 <= code <= 0xDFFF:
        return "\N{REPLACEMENT CHARACTER}"
    # Terminals disagree on the width of what it turns into an emoji; without it they agree.
    if code == _EMOJI_STYLE:
        return ""
    character = chr(code)
    if code in _INVISIBLE or unicodedata.category(character) in _INVISIBLE_CATEGORIES:
        return _escape(code)
    return character


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_ONE_LINE = _Safe({0x09: " "})
_TABBED = _Safe({0x09: "\t"})


def visible(text: str, limit: int = LINE_LIMIT) -> str:
    """One safe line of at most `limit` characters; what did not fit is marked with `…`."""
    head = text[: limit + 1]
    if not (head.isascii() and head.isprintable()):
        head = head.translate(_ONE_LINE)
        if not head.isascii():
            head = _without_floods(head)
    if len(text) <= limit and len(head) <= limit:
        return head
    return head[: max(limit - 1, 0)] + CUT


def _without_floods(line: str) -> str:
    """Bound the marks on one character, and give marks at the start of a line a character to sit on."""
    out: list[str] = []
    marks = 0
    for character in line:
        if character.isascii() or get_character_cell_size(character):
            marks = 0
        elif not out:
            out.append(_BASE)
            marks = 1
        else:
            marks += 1
        if marks <= _MARKS_IN_A_ROW:
            out.append(character)
        elif marks == _MARKS_IN_A_ROW + 1:
            out.append(_FLOOD)
    return "".join(out)


def visible_lines(text: str, limit: int, line_limit: int = LINE_LIMIT) -> list[str]:
    """The first `limit` lines of `text`, each safe, tabs expanded; then, if there are more, one line says how
    many. Lines end at `\\n` only."""
    lines = text.split("\n", limit)
    rest = lines.pop() if len(lines) > limit else None
    shown = [_visible_tabbed(line, line_limit) for line in lines]
    if rest is not None:
        more = rest.count("\n") + 1
        shown.append(f"{CUT} {more:,} more {'line' if more == 1 else 'lines'}, not shown")
    return shown


def _visible_tabbed(line: str, limit: int) -> str:
    if "\t" not in line[: limit + 1]:
        return visible(line, limit)
    return visible(line[: limit + 1].translate(_TABBED).expandtabs(TAB), limit)


def width(text: str) -> int:
    """How many terminal cells safe text takes."""
    return cell_len(text)


def crop(text: str, cells: int) -> str:
    """Safe text of at most `cells` cells, with `…` in the last one when something was cut off."""
    if cells <= 0:
        return ""
    safe = visible(text, limit=4 * cells + 64)
    if cell_len(safe) <= cells:
        return safe
    return _fitting(safe, cells - 1) + CUT


def _fitting(safe: str, cells: int) -> str:
    if safe.isascii():
        return safe[:cells]
    used = 0
    for index, character in enumerate(safe):
        used += get_character_cell_size(character)
        if used > cells:
            return safe[:index]
    return safe


def pad(text: str, cells: int) -> str:
    """Safe text of exactly `cells` cells: cropped when it is longer, filled up with spaces when shorter."""
    cropped = crop(text, cells)
    return cropped + " " * (cells - cell_len(cropped))
