"""Syntax: which parts of source text look different, by the name of its file. Bounded in size and time.

Lexers are pygments', loaded when first needed, and chosen by file name only, never by content. To load one
takes longer than a key may wait, and so does much text: within `at_once` it stays plain, which is told.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
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

AT_ONCE = 6_000
"""Characters that are looked at within one `at_once`."""

_DEAR = 2
"""So many times the work of source is that of Markdown."""
_NAME = 120
_READY = 256
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


@dataclass(slots=True)
class Room:
    """What may be looked at while a key waits."""

    characters: int
    left: bool = False
    """Whether text was left plain that is understood, or may be."""

    def takes(self, count: int, named: str) -> bool:
        """Whether so many characters are looked at now."""
        if named in _ready and count <= self.characters:
            self.characters -= count
            return True
        self.left = self.left or _ready.get(named, True)
        return False


_room: ContextVar[Room | None] = ContextVar("room", default=None)
_ready: dict[str, bool] = {}
"""What lexers were asked for, and whether there are such: file names by what they end with, languages."""


@contextmanager
def at_once(characters: int | None = None) -> Iterator[Room]:
    """Within it only what needs no time is looked at: little text, with lexers that are loaded."""
    room = Room(AT_ONCE if characters is None else characters)
    token = _room.set(room)
    try:
        yield room
    finally:
        _room.reset(token)


def waits(text: str, named: str = "markdown") -> bool:
    """Whether a text that is understood by other means stays plain for now."""
    room = _room.get()
    if room is None:
        _is_ready(named, True)
    return room is not None and not room.takes(_DEAR * len(text), named)


def _is_ready(named: str, known: bool) -> None:
    if named not in _ready:
        if len(_ready) >= _READY:
            _ready.clear()
        _ready[named] = known


def _called(path: str, language: str) -> str:
    """What readiness is known by."""
    if language:
        return f"language {language.lower()[:_NAME]}"
    name = _file_name(path)
    return name[name.rfind(".") :] if "." in name[1:] else name


def highlight(lines: Sequence[str], path: str = "", *, language: str = "") -> list[Spans]:
    """The spans of each of these safe lines, which go together: of the file `path`, or in a language as
    Markdown names it. Lines that are not understood have none."""
    plain: list[Spans] = [()] * len(lines)
    if not lines or not (path or language):
        return plain
    room, called = _room.get(), _called(path, language)
    if room is not None and not room.takes(sum(min(len(each), LINE) + 1 for each in lines[:LINES]), called):
        return plain
    lexer = _lexer_named(language) if language else _lexer_for(path)
    _is_ready(called, lexer is not None)
    if lexer is None:
        return plain
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
    return _by_file_name(_file_name(path))


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2][-_NAME:]


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

