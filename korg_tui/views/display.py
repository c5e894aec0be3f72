"""Display: content as a person reads it - Markdown, JSON, source in colours, or plain text - bounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Any

from korg_tui.formats import Unreadable, loads
from korg_tui.text import CUT
from korg_tui.views.folding import Tree
from korg_tui.views.markdown import is_markdown, markdown
from korg_tui.views.sections import ENTER_OPENS, Line, Opens, Style
from korg_tui.views.syntax import highlight, waits
from korg_tui.views.terminal import terminal
from korg_tui.views.texts import CHARACTERS, LINES, bounded
from korg_tui.views.words import plural

_LARGE = 100_000
_JSON = 8_000_000
"""Characters of a text that is looked at as JSON."""
_MARKDOWN = (".md", ".markdown", ".mdx")


def shown_text(text: str, *, path: str = "", media: str = "", opens: Opens | None = None) -> list[Line]:
    """The lines of a text, by the name of its file or its media type as far as they are known. `opens` is
    what the last line opens when the text is too long."""
    if media == "text/markdown" or path.lower().endswith(_MARKDOWN):
        return bounded(text, opens=opens) if waits(text[:CHARACTERS]) else markdown(text, opens=opens)
    if "\x1b[" in text[:4096]:
        return terminal(text, opens=opens)
    if path:
        return coloured(bounded(text, "code", opens=opens), path)
    found = json_of(text)
    if found is None:
        return prose(text, opens=opens) if media in ("", "text/plain") else bounded(text, opens=opens)
    tree = Tree(found[0])
    lines = list(islice(tree.lines(tree.initial()), LINES + 1))
    said = f"{CUT} more than {plural(LINES, 'line')}{ENTER_OPENS}"
    more = [Line(said, "note", opens=opens)] if len(lines) > LINES and opens else []
    return [*(replace(line, opens=line.opens or opens) for line in lines[:LINES]), *more]


def coloured(lines: Sequence[Line], path: str = "", *, language: str = "") -> list[Line]:
    """The same lines with their syntax, except those that are notes."""
    plain = [line for line in lines if line.style != "note"]
    spans = highlight([line.text for line in plain], path, language=language)
    shown = [replace(line, spans=each) for line, each in zip(plain, spans, strict=True)]
    return [*shown, *lines[len(plain) :]]


def prose(text: str, style: Style = "", *, opens: Opens | None = None) -> list[Line]:
    """A text for people: Markdown where it has any."""
    is_plain = not is_markdown(text) or waits(text[:CHARACTERS])
    return bounded(text, style, opens=opens) if is_plain else markdown(text, style, opens=opens)


def json_of(text: str) -> tuple[Any] | None:
    """The JSON object or list that a text is, in a tuple; None when it is none."""
    head = text[:64].lstrip()
    if head[:1] not in ("{", "[") or len(text) > _JSON or text.rstrip()[-1:] not in ("}", "]"):
        return None
    found = _parsed(text) if len(text) > _LARGE else _parsed.__wrapped__(text)
    return (found,) if isinstance(found, (dict, list)) and found else None


@lru_cache(maxsize=1)
def _parsed(text: str) -> Any:
    """What a text is as JSON; None when it is none. The last large one is kept: it is shown again whenever a
    ledger grows."""
    try:
        return loads(text.encode("utf-8", "surrogatepass"))
    except Unreadable:
        return None
