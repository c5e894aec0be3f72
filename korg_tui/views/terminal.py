"""Terminal: what a program wrote to one, as safe lines; colours become spans, everything else is inert.

- SGR sequences (`ESC [ … m`) of 16, 256 and 16 million colours, bold, dim, italic, underline, reverse and
  strike become the looks of spans; concealed text is shown.
- `\\r` and backspace write over what the line had, as a terminal does, so that of a progress bar its last
  state is left; erasing within a line does what it says.
- Other cursor and screen control is left out, and a note says how much of it.
- The address of a hyperlink stands behind its words. What else a terminal would obey (titles, the clipboard,
  device queries) is shown as it is written, with its controls made visible.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from korg_tui.text import CUT, LINE_LIMIT, TAB, visible
from korg_tui.views.sections import Line, Opens, Span, Style
from korg_tui.views.texts import CHARACTERS, LINES, beginning, ending, more
from korg_tui.views.words import plural

_LAST = 60
"""Of a long output, so many lines of its end are shown, too: what went wrong stands there."""

_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_CUBE = (0, 95, 135, 175, 215, 255)
_ESCAPES = re.compile(
    r"\x1b\[(?P<parameters>[0-?]{0,256})(?P<between>[ -/]{0,4})(?P<final>[@-~])"
    r"|\x1b\]8;[^;\x07\x1b]{0,256};(?P<address>[^\x07\x1b]{0,2048})(?:\x07|\x1b\\)"
    r"|(?P<charset>\x1b[()][0AB])"
)
_FLAGS = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "strike"}
_NO_FLAGS = {
    21: ("bold",), 22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("reverse",),
    29: ("strike",),
}  # fmt: skip
_PRIVATE = re.compile("[<=>?]")
_ERASERS = frozenset("KG")


class _Pen(NamedTuple):
    """How what follows is written."""

    letters: str = ""
    ground: str = ""
    flags: frozenset[str] = frozenset()
    linked: bool = False

    @property
    def look(self) -> str:
        link = "link" if self.linked else ""
        return " ".join(filter(None, (link, self.ground, self.letters, *sorted(self.flags))))


_PLAIN = _Pen()
_Cell = tuple[str, _Pen]
_BLANK: _Cell = (" ", _PLAIN)
_ERASED = 1_000_000
"""Characters that may be erased before what erases is left alone: it is no program that does so."""


@dataclass(slots=True)
class _Written:
    """What was left out or written over, to be told."""

    controls: int = 0
    rewritten: int = 0
    erased: int = 0


def terminal(text: str, style: Style = "output", *, opens: Opens | None = None) -> list[Line]:
    """What was written to a terminal, as the module says; of what is too long the beginning and the end, and
    between them a line that says how much is left out, which opens it."""
    told = _Written()
    if len(text) <= CHARACTERS and text.count("\n") <= LINES:
        return [*(_lines(text, style, told) if text else ()), *_notes(told)]
    head = beginning(text, LINES - _LAST, CHARACTERS * 3 // 4)
    tail = ending(text[len(head) :], _LAST, CHARACTERS // 4)
    between = text[len(head) : len(text) - len(tail)]
    return [
        *_lines(head, style, told),
        more(between, opens, "left out here" if tail else "more"),
        *(_lines(tail, style, told) if tail else ()),
        *_notes(told),
    ]


def _lines(text: str, style: Style, told: _Written) -> list[Line]:
    return [_line(row, style) for row in _rows(text.removesuffix("\n"), told)]


def _notes(told: _Written) -> Iterator[Line]:
    if told.rewritten:
        count = plural(told.rewritten, "time")
        yield Line(f"lines were written over {count}; their last state is shown", "note")
    if told.controls:
        yield Line(f"{plural(told.controls, 'cursor or screen control')} left out", "note")


def _rows(text: str, told: _Written) -> Iterator[list[_Cell]]:
    """The rows as runs of (text, pen), in which later text has taken the place of earlier text."""
    row = _Row(told)
    pen, at, address = _PLAIN, 0, ""
    for found in _ESCAPES.finditer(text):
        yield from _plain(row, text[at : found.start()], pen)
        at = found.end()
        if found["address"] is not None:
            if address:
                row.write(f" ‹{address}›", pen)
            address = found["address"]
            pen = pen._replace(linked=bool(address))
        elif found["final"] == "m" and not found["between"] and not _PRIVATE.match(found["parameters"]):
            pen = _sgr(pen, found["parameters"])
        elif found["final"] in _ERASERS and not found["between"]:
            row.control(found["final"], found["parameters"])
        elif found["charset"] is None:
            told.controls += 1
    yield from _plain(row, text[at:], pen)
    yield row.end()


def _plain(row: _Row, text: str, pen: _Pen) -> Iterator[list[_Cell]]:
    head, *others = text.replace("\r\n", "\n").split("\n")
    row.write(head, pen)
    for other in others:
        yield row.end()
        row.write(other, pen)


class _Row:
    """One row while it is written: runs, as long as nothing is written over; then characters."""

    def __init__(self, told: _Written) -> None:
        self._told = told
        self._runs: list[_Cell] = []
        self._cells: list[_Cell] | None = None
        self._at = 0
        self._returned = False

    def write(self, text: str, pen: _Pen) -> None:
        if self._cells is None and "\r" not in text and "\b" not in text:
            self._runs += [(text, pen)] if text else []
            return
        cells = self._as_cells()
        for character in text:
            if character == "\r":
                self._at, self._returned = 0, True
            elif character == "\b":
                self._at = max(0, self._at - 1)
            elif self._at <= LINE_LIMIT:
                self._told.rewritten += self._returned and self._at < len(cells)
                self._returned = False
                cells[self._at : self._at + 1] = [(character, pen)]
                self._at += 1

    def _as_cells(self) -> list[_Cell]:
        if self._cells is None:
            cells = [(character, pen) for text, pen in self._runs for character in text[: LINE_LIMIT + 1]]
            self._cells = cells[: LINE_LIMIT + 1]
            self._at = len(self._cells)
        return self._cells

    def control(self, final: str, parameters: str) -> None:
        """Erase in the line (K), or go to a column of it (G), as far as it was written."""
        if self._cells is None and final == "K" and parameters in ("", "0"):
            return
        cells = self._as_cells()
        if final == "G":
            column = int(parameters) - 1 if parameters.isdecimal() and len(parameters) < 6 else 0
            self._at = max(0, min(column, len(cells)))
        elif parameters in ("", "0"):
            del cells[self._at :]
        elif parameters in ("1", "2") and self._told.erased < _ERASED:
            self._told.erased += self._at
            end = self._at if parameters == "1" else len(cells)
            cells[:end] = [_BLANK] * min(self._at, len(cells))

    def end(self) -> list[_Cell]:
        """The row as it is left, in runs; the next one begins."""
        runs = self._runs if self._cells is None else self._cells
        while self._cells and self._cells[-1] == _BLANK:
            self._cells.pop()
        self._runs, self._cells, self._at, self._returned = [], None, 0, False
        return runs


def _line(runs: list[_Cell], style: Style) -> Line:
    """Runs of the same pen become a span each."""
    parts: list[str] = []
    spans: list[Span] = []
    at = 0
    for raw, look in _joined(runs):
        part = _safe(raw, at)
        part = part if at + len(part) <= LINE_LIMIT else part[: LINE_LIMIT - 1 - at] + CUT
        if look and part:
            spans.append(Span(at, at + len(part), look))
        parts.append(part)
        at += len(part)
        if at >= LINE_LIMIT:
            break
    return Line("".join(parts), style, spans=tuple(spans))


def _safe(raw: str, column: int) -> str:
    """A part of a line that begins at this column, its tabs as in the whole line."""
    if "\t" in raw:
        before = column % TAB
        raw = (" " * before + raw[: LINE_LIMIT + 1]).expandtabs(TAB)[before:]
    return visible(raw)


def _joined(runs: list[_Cell]) -> Iterator[tuple[str, str]]:
    together: list[str] = []
    before = _PLAIN
    for text, pen in runs:
        if pen != before and together:
            yield "".join(together), before.look
            together = []
        together.append(text)
        before = pen
    if together:
        yield "".join(together), before.look


def _sgr(pen: _Pen, parameters: str) -> _Pen:
    """The pen after `ESC [ parameters m`; parts that mean nothing change nothing."""
    parts = parameters.split(";")
    while parts:
        code, *details = [_number(each) for each in parts.pop(0).split(":")]
        if code not in (38, 48, 58):
            pen = _simple(pen, 24 if code == 4 and details[:1] == [0] else code)
            continue
        if not details:
            used = {5: 2, 2: 4}.get(_number(parts[0]) if parts else -1, 1)
            details, parts = [_number(each) for each in parts[:used]], parts[used:]
        colour = _colour(details)
        if colour and code != 58:
            pen = pen._replace(letters=colour) if code == 38 else pen._replace(ground=f"on-{colour}")
    return pen


def _number(digits: str) -> int:
    """-1 for what is no number here; nothing means 0."""
    if not digits:
        return 0
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 6 else -1


def _simple(pen: _Pen, code: int) -> _Pen:
    if code == 0:
        return _Pen(linked=pen.linked)
    if code in _FLAGS:
        return pen._replace(flags=pen.flags | {_FLAGS[code]})
    if code in _NO_FLAGS:
        return pen._replace(flags=pen.flags.difference(_NO_FLAGS[code]))
    if code in (39, 49):
        return pen._replace(letters="") if code == 39 else pen._replace(ground="")
    for first, prefix in ((30, "ansi-"), (90, "ansi-bright-")):
        if first <= code < first + 8:
            return pen._replace(letters=prefix + _COLOURS[code - first])
        if first + 10 <= code < first + 18:
            return pen._replace(ground=f"on-{prefix}{_COLOURS[code - first - 10]}")
    return pen


def _colour(details: list[int]) -> str:
    """The colour that follows 38 or 48: `5 N`, or `2 R G B`, before which ISO 8613-6 has a colour space."""
    if details[:1] == [5] and len(details) > 1:
        return _of_256(details[1])
    parts = details[-3:]
    if details[:1] == [2] and len(details) > 3 and all(0 <= part < 256 for part in parts):
        return "#{:02x}{:02x}{:02x}".format(*parts)
    return ""


def _of_256(number: int) -> str:
    if 0 <= number < 16:
        return f"ansi-{'bright-' if number > 7 else ''}{_COLOURS[number % 8]}"
    if 16 <= number < 232:
        cube = number - 16
        parts = (_CUBE[cube // 36], _CUBE[cube // 6 % 6], _CUBE[cube % 6])
        return "#{:02x}{:02x}{:02x}".format(*parts)
    if 232 <= number < 256:
        return "#{0:02x}{0:02x}{0:02x}".format(8 + 10 * (number - 232))
    return ""
