"""Diffs: hunks as safe lines with numbers, signs, marked words and syntax, one below the other and side by
side. Bounded, whatever is compared."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from korg_tui.text import CUT, visible, visible_lines
from korg_tui.views.overlays import moved, overlaid
from korg_tui.views.patches import FilePatch, Hunk
from korg_tui.views.sections import ENTER_OPENS, Line, Opens, Section, Sides, Span, Style
from korg_tui.views.syntax import highlight
from korg_tui.views.texts import CHARACTERS, LINES
from korg_tui.views.words import plural

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_WORDED = 400
"""Characters of a line whose words are compared."""
_PAIRS = 120_000
"""Pairs of words that may be compared in one diff."""
_ALIKE = 0.4
"""Lines that have less in common are no two forms of one line."""
_STYLES: dict[str, Style] = {"-": "removed", "+": "added"}


@dataclass(slots=True)
class _Row:
    """One line of a diff: raw text becomes safe text; spans of its syntax and of its changed words."""

    sign: str
    text: str
    old: int | None
    new: int | None
    syntax: tuple[Span, ...] = ()
    words: tuple[Span, ...] = ()


class Diff:
    """The lines of some hunks, as they are asked for, up to a bound."""

    def __init__(self, opens: Opens | None = None) -> None:
        self.lines: list[Line] = []
        self.sides: list[Sides] = []
        self._opens = opens
        self._pairs = _PAIRS
        self._characters = CHARACTERS
        self._left_out = 0

    def file(self, patch: FilePatch) -> None:
        """A heading with the path and what happens to the file, then its hunks."""
        if patch.path:
            self._heading(Line(visible(f"{patch.path}  {patch.what}", 400), "hunk"))
        self.hunks(patch.hunks, patch.path)

    def hunks(self, hunks: Sequence[Hunk], path: str = "") -> None:
        """These hunks of a file. A line between them says where they are."""
        for number, hunk in enumerate(hunks):
            where = _where(hunk)
            if hunk.words or (number and hunk.rows):
                self._heading(Line(visible(" ".join(filter(None, ("@@", where, hunk.words))), 400), "hunk"))
            self._hunk(hunk, path)

    def section(self, title: str) -> Section:
        """All of it under a title."""
        if self._left_out:
            said = f"{CUT} {plural(self._left_out, 'line')} more"
            words = f"{said}{ENTER_OPENS}" if self._opens else f"{said}, not shown"
            self._heading(Line(words, "note", opens=self._opens))
            self._left_out = 0
        return Section(title, "diff", tuple(self.lines), sides=tuple(self.sides))

    def note(self, words: str) -> None:
        self._heading(Line(words, "note"))

    def _heading(self, line: Line) -> None:
        self.lines.append(line)
        self.sides.append((line, None))

    def _hunk(self, hunk: Hunk, path: str) -> None:
        rows = list(self._rows(hunk))
        digits = max((len(str(n)) for row in rows for n in (row.old, row.new) if n is not None), default=0)
        self._colour(rows, path)
        for run in _runs(rows):
            removed = [row for row in run if row.sign == "-"]
            added = [row for row in run if row.sign == "+"]
            for left, right in zip(removed, added, strict=False):
                self._mark_words(left, right)
            self.lines += [_line(row, digits) for row in run]
            if removed or added:
                self.sides += _beside(removed, added, digits)
            else:
                self.sides += [(_line(row, digits, "old"), _line(row, digits, "new")) for row in run]

    def _rows(self, hunk: Hunk) -> Iterator[_Row]:
        """The rows with their numbers, as far as there is room for them."""
        old, new = (1, 1) if hunk.old is None and hunk.new is None else (hunk.old, hunk.new)
        for number, (sign, text) in enumerate(hunk.rows):
            if len(self.lines) + number >= LINES or self._characters <= 0:
                self._left_out += len(hunk.rows) - number
                return
            safe = visible_lines(text.removesuffix("\r"), 1)[0]
            self._characters -= len(safe)
            is_old, is_new = sign in (" ", "-"), sign in (" ", "+")
            yield _Row(sign, safe, old if is_old else None, new if is_new else None)
            old = old + 1 if is_old and old is not None else old
            new = new + 1 if is_new and new is not None else new

    def _colour(self, rows: list[_Row], path: str) -> None:
        for signs in (" -", " +"):
            side = [row for row in rows if row.sign in signs]
            for row, spans in zip(side, highlight([row.text for row in side], path), strict=True):
                row.syntax = spans

    def _mark_words(self, left: _Row, right: _Row) -> None:
        """Mark the words in which two lines differ, if they are two forms of one."""
        if max(len(left.text), len(right.text)) > _WORDED:
            return
        before, after = _WORDS.findall(left.text), _WORDS.findall(right.text)
        self._pairs -= len(before) * len(after)
        if self._pairs < 0:
            return
        matcher = difflib.SequenceMatcher(None, before, after)
        if matcher.ratio() < _ALIKE:
            return
        changed = [codes for codes in matcher.get_opcodes() if codes[0] != "equal"]
        left.words = _marked(before, ((begin, end) for _, begin, end, _, _ in changed))
        right.words = _marked(after, ((begin, end) for _, _, _, begin, end in changed))


def _where(hunk: Hunk) -> str:
    at = hunk.new if hunk.new is not None else hunk.old
    return "" if at is None else f"line {at}"


def _marked(words: Sequence[str], places: Iterable[tuple[int, int]]) -> tuple[Span, ...]:
    ends = [0]
    for word in words:
        ends.append(ends[-1] + len(word))
    return tuple(Span(ends[begin], ends[end], "changed") for begin, end in places if end > begin)


def _runs(rows: Sequence[_Row]) -> Iterator[list[_Row]]:
    """Removed lines with the added ones that follow them; and what is the same, as it comes."""
    run: list[_Row] = []
    for row in rows:
        kind, before = row.sign in "-+", run[-1].sign if run else ""
        if run and (kind != (before in "-+") or (row.sign == "-" and before == "+")):
            yield run
            run = []
        run.append(row)
    if run:
        yield run


def _line(row: _Row, digits: int, side: str = "") -> Line:
    """`12 -text`: the number of the line where it stands, its sign, its text."""
    if row.sign == "\\":
        return Line(f"{' ' * digits} {row.text.strip()}", "note")
    number = row.old if side == "old" or row.sign == "-" else row.new if row.new is not None else row.old
    gutter = f"{'' if number is None else number:>{digits}} {row.sign}"
    spans = overlaid([Span(0, len(gutter) - 1, "gutter")], moved(row.syntax, len(gutter)))
    spans = overlaid(spans, moved(row.words, len(gutter)))
    style = _STYLES.get(row.sign, "")
    return Line(gutter + row.text, style, spans=spans, hang=" " * len(gutter))


def _beside(removed: Sequence[_Row], added: Sequence[_Row], digits: int) -> Iterator[Sides]:
    for index in range(max(len(removed), len(added))):
        left = _line(removed[index], digits) if index < len(removed) else None
        right = _line(added[index], digits) if index < len(added) else None
        yield left, right


def numbered(lines: Sequence[Line], first: int, path: str) -> list[Line]:
    """Lines of a file with their numbers and their syntax."""
    plain = [line for line in lines if line.style != "note"]
    digits = len(str(first + len(plain)))
    spans = highlight([line.text for line in plain], path)
    shown = []
    for number, (line, each) in enumerate(zip(plain, spans, strict=True), first):
        gutter = f"{number:>{digits}}  "
        kept = overlaid([Span(0, len(gutter), "gutter")], moved(each, len(gutter)))
        shown.append(replace(line, text=gutter + line.text, spans=kept, hang=" " * len(gutter)))
    return [*shown, *lines[len(plain) :]]
