"""Matched: what a tool read or found - files with the numbers of their lines, and lines that fit a pattern -
with syntax by path."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from korg_tui.views.diffs import numbered
from korg_tui.views.overlays import moved, overlaid
from korg_tui.views.sections import Line, Opens, Span
from korg_tui.views.syntax import highlight
from korg_tui.views.texts import bounded

READERS = frozenset({"Read", "read_file", "view", "read", "NotebookRead", "cat", "view_file", "open_file"})
"""Tools that return the content of a file."""
SEARCHERS = frozenset({"Grep", "grep", "search_files", "search", "ripgrep", "grep_search", "find_in_files"})
"""Tools that return lines that fit a pattern."""

_NUMBERED = re.compile(r" {0,12}\d{1,9}(?:→|\t|\||: )")
_PREFIX = re.compile(r"( {0,12}\d{1,9}(?:→|\||: | +))")
_PLACE = re.compile(r"((?:[A-Za-z]:)?[^:\s][^:]{0,400}?)([:-])(\d{1,9})\2")
_PATH_ALONE = re.compile(r"((?:[A-Za-z]:)?[^:\s][^:]{0,400}\.\w{1,10}):(?=\S|\s)")
_OWN_NUMBER = re.compile(r"(\d{1,9})([:-])")
_PATHS = 12
_MARKED = 300
"""Characters of a line in which matches are looked for."""
_PATTERN = 200
_RISKY = re.compile(r"\)[*+?{]|\\[1-9]|\(\?")
_QUANTIFIED = re.compile(r"[*+{]")


def read_lines(text: str, path: str, opens: Opens | None = None) -> list[Line]:
    """The content of a file; numbers that the tool wrote before the lines become a gutter."""
    shown = bounded(text, opens=opens)
    plain = [line for line in shown if line.style != "note"]
    gutters = _gutters(text, plain)
    code = [line.text[len(gutter) :] for line, gutter in zip(plain, gutters, strict=True)]
    spans = highlight(code, path)
    lines = [_guttered(*each) for each in zip(plain, gutters, spans, strict=True)]
    return [*lines, *shown[len(plain) :]]


def file_lines(text: str, path: str, first: int, opens: Opens | None = None) -> list[Line]:
    """The content of a file whose first line has this number."""
    return numbered(bounded(text, "code", opens=opens), first, path)


def _gutters(text: str, lines: Sequence[Line]) -> list[str]:
    """What stands before each line: its number, when nearly all lines have one."""
    numbered = sum(_NUMBERED.match(line) is not None for line in text.split("\n", 20)[: len(lines)][:20])
    if not numbered or numbered < min(len(lines), 20) - 2:
        return [""] * len(lines)
    return [found[0] if (found := _PREFIX.match(line.text)) else "" for line in lines]


def _guttered(line: Line, gutter: str, spans: Sequence[Span]) -> Line:
    if not gutter:
        return replace(line, style="code", spans=tuple(spans))
    kept = (Span(0, len(gutter), "gutter"), *moved(spans, len(gutter)))
    return replace(line, style="code", spans=kept, hang=" " * len(gutter))


def match_lines(text: str, pattern: str, path: str, opens: Opens | None = None) -> list[Line]:
    """Lines that a search found: their paths and numbers told apart, what fits the pattern marked."""
    shown = bounded(text, opens=opens)
    plain = [line for line in shown if line.style != "note"]
    placed = [_place(line.text, path) for line in plain]
    contents = [line.text[begin:] for line, (_, begin, _) in zip(plain, placed, strict=True)]
    syntax = _syntax([(where, content) for (where, _, _), content in zip(placed, contents, strict=True)])
    marks = _marks(contents, pattern)
    lines = [
        replace(line, style="code", spans=overlaid(heads, moved(each, begin), moved(found, begin)))
        for line, (_, begin, heads), each, found in zip(plain, placed, syntax, marks, strict=True)
    ]
    return [*lines, *shown[len(plain) :]]


def _place(line: str, path: str) -> tuple[str, int, tuple[Span, ...]]:
    """The path a line belongs to, where its content begins, and the spans before that."""
    if found := _PLACE.match(line):
        end = found.end(3)
        return found[1], found.end(), (Span(0, found.end(1), "path"), Span(found.end(1), end + 1, "gutter"))
    if found := _OWN_NUMBER.match(line):
        return path, found.end(), (Span(0, found.end(), "gutter"),)
    if found := _PATH_ALONE.match(line):
        heads = (Span(0, found.end(1), "path"), Span(found.end(1), found.end(), "gutter"))
        return found[1], found.end(), heads
    if "/" in line and " " not in line and len(line) < 400:
        return "", len(line), (Span(0, len(line), "path"),)
    return "", 0, ()


def _syntax(lines: Sequence[tuple[str, str]]) -> list[tuple[Span, ...]]:
    """Syntax by the path of each line; the lines of one path go together."""
    found: list[tuple[Span, ...]] = [()] * len(lines)
    paths = list(dict.fromkeys(path for path, _ in lines if path))[:_PATHS]
    for path in paths:
        places = [index for index, (each, _) in enumerate(lines) if each == path]
        for index, spans in zip(places, highlight([lines[i][1] for i in places], path), strict=True):
            found[index] = spans
    return found


def _marks(lines: Sequence[str], pattern: str) -> list[tuple[Span, ...]]:
    wanted = _understood(pattern)
    if wanted is None:
        return [()] * len(lines)
    return [tuple(_spans(wanted.finditer(line, 0, _MARKED))) for line in lines]


def _spans(found: Iterable[re.Match[str]]) -> Iterable[Span]:
    return (Span(each.start(), each.end(), "match") for each in found if each.end() > each.start())


def _understood(pattern: str) -> re.Pattern[str] | None:
    """The pattern, if Python has the same and it cannot take long: repetition of groups, references, and more
    than two repetitions are left alone."""
    if not pattern or len(pattern) > _PATTERN or _RISKY.search(pattern):
        return None
    if len(_QUANTIFIED.findall(pattern)) > 2:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return re.compile(pattern)
    except (re.error, Warning, OverflowError, RecursionError):
        return None


def joined_matches(value: Mapping[str, object]) -> tuple[str, str] | None:
    """The text of a list of matches or files in a result, and its key."""
    for key in ("matches", "filenames", "files", "lines", "results"):
        found = value.get(key)
        if isinstance(found, list) and found and all(isinstance(each, str) for each in found):
            return "\n".join(found), key
    return None
