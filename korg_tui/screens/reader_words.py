"""What the reader says of a document around its rows: what it is, where one is, how it is shown."""

from __future__ import annotations

from collections.abc import Sequence

from korg_tui.views import Document, Form, size
from korg_tui.widgets.reader import ReaderView

Parts = Sequence[tuple[str, str]]

TEXTS = ("JSON", "text")
"""The forms that have lines."""


def place(document: Document, form: Form, view: ReaderView) -> str:
    """Where one is: lines, or bytes, of how many."""
    begin, end = view.seen
    lines, shown = view.lines, document.shown(form)
    if lines is None:
        return f"bytes {begin:,} to {end:,} of {shown.size:,}"
    first, last = lines.line_at(begin), lines.line_at(max(begin, end - 1))
    share = "" if not shown.complete or (view.at_end and not begin) else f", {percent(end, shown.size)}"
    if first is None or last is None:
        return f"counting lines{share}"
    which = f"line {first:,}" if first == last else f"lines {first:,} to {last:,}"
    return f"{which}{f' of {lines.lines:,}' if lines.lines is not None else ''}{share}"


def form_words(document: Document, form: Form, *, wrapped: bool) -> str:
    """How it is shown."""
    words: str = "JSON laid out" if form == "JSON" else form
    if form not in TEXTS:
        return words
    unpacked = ", unpacked" if document.told.kind == "gzip" else ""
    return f"{words}{unpacked}{'' if wrapped else ', not wrapped'}"


def came(words: str, coming: tuple[int, int]) -> str:
    """`fetching it: 5.0 MB of 42.0 MB came`."""
    come, total = coming
    return f"{words}: {size(come)}{f' of {size(total)}' if total else ''} came" if come else words


def joined(parts: Parts) -> list[tuple[str, str]]:
    """The parts of a line with dots between them."""
    shown: list[tuple[str, str]] = []
    for part in parts:
        shown += [(" · ", "line--quiet")] * bool(shown) + [part]
    return shown


def percent(part: int, whole: int) -> str:
    """`34 %`."""
    return f"{100 * part // max(whole, 1)} %"
