"""Texts: the bounded beginning of a long text as safe lines, and what is said of the rest."""

from __future__ import annotations

from korg_tui.text import CUT, visible_lines
from korg_tui.views.sections import ENTER_OPENS, Line, Opens, Style
from korg_tui.views.words import size

LINES = 200
"""Lines of one value."""
CHARACTERS = 65_536
"""Characters of one value."""


def bounded(
    text: str, style: Style = "", *, limit: int = LINES, opens: Opens | None = None
) -> list[Line]:
    """The first lines of a text; then one that says how much more there is, and opens it."""
    head = beginning(text, limit, CHARACTERS)
    shown = lines_of(head, style)
    return [*shown, more(text[len(head) :], opens)] if len(head) < len(text) else shown


def lines_of(text: str, style: Style = "") -> list[Line]:
    """All lines of a text that is known to be short; the newline at its end begins none."""
    text = text.removesuffix("\n")
    return [Line(line, style) for line in visible_lines(text, text.count("\n") + 1)]


def beginning(text: str, lines: int, characters: int) -> str:
    """The first lines of a text, with the newline of the last one, of at most so many characters."""
    head = text[:characters]
    kept = head.split("\n", lines)[:lines]
    return text[: min(len(head), sum(map(len, kept)) + len(kept))]


def ending(text: str, lines: int, characters: int) -> str:
    """The last lines of a text, of at most so many characters."""
    tail = text[-characters:]
    return "\n".join(tail.removesuffix("\n").split("\n")[-lines:])


def more(rest: str, opens: Opens | None = None, words: str = "more") -> Line:
    """The line that ends a long value: how much more there is; chosen, it opens it."""
    measure = size(len(rest.encode("utf-8", "surrogatepass")))
    if opens is None:
        return Line(f"{CUT} {measure} {words}, not shown", "note")
    return Line(f"{CUT} {measure} {words}{ENTER_OPENS}", "note", opens=opens)
