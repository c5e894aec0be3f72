"""Syntax: which parts of source text look different, by the name of its file. Bounded in size and time.

Lexers are pygments', loaded when first needed, and chosen by file name only, never by content.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from korg_tui.views.sections import Span

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LINES = 1_000
"""Lines that are looked at."""
LINE = 400
"""Characters of a line that are looked at: what is longer is data, not source."""
SECONDS = 0.5
"""A lexer works so long at most; what it has not reached stays plain."""

_NAME = 120
_LOOKS = (
    ("Comment", "comment"),
    ("Keyword", "keyword"),
    ("Operator.Word", "keyword"),
    ("Literal.String", "string"),
    ("Literal.Number", "number"),
    ("Name.Function", "defined"),
    ("Name.Class", "defined"),
    ("Name.Decorator", "defined"),
    ("Name.Namespace", "defined"),
    ("Name.Tag", "key"),
    ("Name.Attribute", "key"),
    ("Name.Property", "key"),
    ("Name.Variable", "key"),
    ("Name.Builtin", "builtin"),
    ("Name.Exception", "builtin"),
    ("Generic.Inserted", "added"),
    ("Generic.Deleted", "removed"),
    ("Generic.Subheading", "hunk"),
    ("Generic.Heading", "heading"),
    ("Generic.Strong", "strong"),
    ("Generic.Emph", "emphasis"),
)

Spans = tuple[Span, ...]


def highlight(lines: Sequence[str], path: str = "", *, language: str = "") -> list[Spans]:
    """The spans of each of these safe lines, which go together: of the file `path`, or in a language as
    Markdown names it. Lines that are not understood have none."""
    lexer = _lexer_named(language) if language else _lexer_for(path) if path else None
    if lexer is None or not lines:
        return [()] * len(lines)
    looked = [line[:LINE] for line in lines[:LINES]]
    spans: list[list[Span]] = [[] for _ in lines]
    number, start = 0, 0
    for offset, look, value in _tokens(lexer, "\n".join(looked)):
        while offset > start + len(looked[number]):
            start += len(looked[number]) + 1
            number += 1
        begin = offset - start
        for further, part in enumerate(value.split("\n")):
            if part and number + further < len(looked):
                spans[number + further].append(Span(begin, begin + len(part), look))
            begin = 0
    return [tuple(each) for each in spans]


def is_known(path: str) -> bool:
    """Whether there is a lexer for files of this name."""
    return bool(path) and _lexer_for(path) is not None


def _lexer_for(path: str) -> Lexer | None:
    return _by_file_name(path.replace("\\", "/").rstrip("/").rpartition("/")[2][-_NAME:])


@lru_cache(maxsize=256)
def _by_file_name(name: str) -> Lexer | None:
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        found = get_lexer_for_filename(name, stripnl=False, ensurenl=False)
    except (ClassNotFound, ValueError):
        return None
    return found if found.name != "Text only" else None


@lru_cache(maxsize=64)
def _lexer_named(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language.lower()[:_NAME], stripnl=False, ensurenl=False)
    except (ClassNotFound, ValueError):
        return None


def _tokens(lexer: Lexer, text: str) -> Iterator[tuple[int, str, str]]:
    """(offset, look, characters) of what has a look, in the order of the text."""
    until, at = time.monotonic() + SECONDS, 0
    try:
        for offset, kind, value in lexer.get_tokens_unprocessed(text):
            look = _look(kind)
            if look and offset >= at:
                yield offset, look, value
                at = offset + len(value)
            if time.monotonic() > until:
                return
    except (RecursionError, ValueError, IndexError, KeyError, AttributeError, TypeError):
        return  # a lexer may fail on what is no source of its language


@lru_cache(maxsize=512)
def _look(kind: Any) -> str:
    name = str(kind).removeprefix("Token.")
    return next((look for prefix, look in _LOOKS if name.startswith(prefix)), "")

