"""Details: sections of safe lines, wrapped to the pane; lines that name an event lead to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import chop_cells
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from korg_tui.text import crop, pad, visible, width
from korg_tui.views import Line, Opens, Section, Shape
from korg_tui.widgets.lines import LineList

_LABEL_CELLS = 10
_PAIRED_CELLS = 72
_PROSE = frozenset({"fields", "text", "causes", "effects", "blobs"})
_TOKENS = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?P<string>"(?:[^"\\]|\\.)*"?)'
    r"|(?P<number>-?\d[\d.eE+-]*|\btrue\b|\bfalse\b|\bnull\b)"
)
_STYLES = {
    "": "details--value",
    "key": "details--key",
    "note": "details--quiet",
    "error": "details--bad",
    "added": "details--added",
    "removed": "details--removed",
    "hunk": "details--hunk",
    "output": "details--value",
    "link": "details--link",
    "good": "details--value",
    "stderr": "details--value",
    "code": "details--value",
}


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of the pane: a piece of a line, or a title."""

    pieces: tuple[tuple[str, str], ...]
    """(text, component class)."""
    title: bool = False
    seq: int | None = None
    opens: Opens | None = None

    @property
    def plain(self) -> str:
        return "".join(text for text, _ in self.pieces)


class Details(LineList):
    """The sections of one event, or of a preview."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "details--title", "details--rule", "details--name", "details--value", "details--quiet",
        "details--link", "details--added", "details--removed", "details--hunk", "details--key",
        "details--string", "details--number", "details--bad",
    }  # fmt: skip

    class Led(Message):
        """A line that names an event was chosen."""

        def __init__(self, seq: int) -> None:
            super().__init__()
            self.seq = seq

    class Opened(Message):
        """A line that opens a blob or a long value was chosen."""

        def __init__(self, opens: Opens) -> None:
            super().__init__()
            self.opens = opens

    def __init__(self) -> None:
        super().__init__("details")
        self.sections: tuple[Section, ...] = ()
        self._rows: list[_Row] = []

    @property
    def count(self) -> int:
        return len(self._rows)

    @property
    def shows_cursor(self) -> bool:
        return self.has_focus

    @property
    def plain(self) -> list[str]:
        """What the pane shows, as text."""
        return [row.plain for row in self._rows]

    def show(self, sections: Sequence[Section]) -> None:
        """Show these sections: from their beginning, unless they are about what was shown before."""
        before, self.sections = self.sections, tuple(sections)
        if self.sections == before:
            return
        if not (before and self.sections and before[0].title == self.sections[0].title):
            self.cursor = 0
            self.scroll_to(y=0, animate=False, force=True)
        self.redraw()

    def measure(self) -> None:
        self._rows = _laid_out(self.sections, max(self.row_width, 8))
        super().measure()

    def draw(self, index: int, width: int) -> Strip:
        row = self._rows[index]
        strip = Strip([Segment(text, self._style(name)) for text, name in row.pieces])
        if row.title:
            rule = "─" * max(0, width - strip.cell_length - 1)
            return Strip.join([strip, Strip([Segment(f" {rule}", self._style("details--rule"))])])
        return self._with_selection(strip, index)

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(name, partial=True)

    # choosing

    def on_click(self, event: events.Click) -> None:
        index = self.row_at(event)
        if index is None:
            return
        event.stop()
        self.go(index)
        if not self.text_selection:
            self.choose()

    def choose(self) -> bool:
        """Go where the line under the cursor leads, or open what it opens; False when it does neither."""
        row = self._rows[self.cursor] if self._rows else None
        if row is not None and row.opens is not None:
            self.post_message(self.Opened(row.opens))
        elif row is not None and row.seq is not None:
            self.post_message(self.Led(row.seq))
        else:
            return False
        return True

    # selecting text with the mouse

    def render_line(self, y: int) -> Strip:
        return super().render_line(y).apply_offsets(0, self.scroll_offset.y + y)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selection.extract("\n".join(self.plain)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        del selection
        self._strips.clear()
        self.refresh()

    def _with_selection(self, strip: Strip, index: int) -> Strip:
        selection = self.text_selection
        span = selection.get_span(index) if selection else None
        if span is None:
            return strip
        begin, end = span
        end = strip.cell_length if end == -1 else end
        chosen = self.screen.get_component_rich_style("screen--selection")
        parts = [strip.crop(0, begin), strip.crop(begin, end).apply_style(chosen), strip.crop(end)]
        return Strip.join(parts)


def _label_cells(section: Section, cells: int) -> int:
    """The column of labels of a section: as wide as they need, within reason."""
    longest = max((width(line.label) for line in section.lines), default=0)
    return min(max(_LABEL_CELLS, longest + 1), cells // 2) if longest else 0


def _laid_out(sections: Sequence[Section], cells: int) -> list[_Row]:
    rows: list[_Row] = []
    for section in sections:
        if section.title:
            rows.append(_Row(((crop(section.title, cells), "details--title"),), title=True))
        labels = _label_cells(section, cells)
        for line in _paired(section, cells, labels):
            rows += line if isinstance(line, list) else _wrapped(line, section.kind, cells, labels)
    return rows


def _paired(section: Section, cells: int, labels: int) -> Iterator[Line | list[_Row]]:
    """In a wide and low pane, short fields stand side by side, at most one of them leading somewhere."""
    half = cells // 2
    waiting: Line | None = None
    for line in section.lines:
        fits = section.kind == "fields" and cells >= _PAIRED_CELLS and bool(line.label)
        fits = fits and width(line.text) < half - labels
        if waiting is not None and fits and None in (line.seq, waiting.seq):
            seq = line.seq if waiting.seq is None else waiting.seq
            yield [_Row((*_field(waiting, half, labels), *_field(line, half, labels)), seq=seq)]
            waiting = None
            continue
        if waiting is not None:
            yield waiting
        waiting = line if fits else None
        if waiting is None:
            yield line
    if waiting is not None:
        yield waiting


def _field(line: Line, cells: int, labels: int) -> tuple[tuple[str, str], tuple[str, str]]:
    return (
        (pad(line.label, labels), "details--name"),
        (pad(line.text, cells - labels), _STYLES[_style_name(line)]),
    )


def _style_name(line: Line) -> str:
    return "link" if line.seq is not None and not line.style else line.style


def _wrapped(line: Line, kind: Shape, cells: int, labels: int) -> list[_Row]:
    labelled = line.label or line.seq is not None
    label = pad(crop(line.label, labels - 1), labels) if labels and labelled else ""
    text = visible(line.text)
    name = _STYLES[_style_name(line)]
    room = max(cells - width(label), 4)
    if kind in _PROSE:
        chunks = [[(piece, name)] for piece in _filled(text, room)]
    else:
        chunks = _chopped(_highlighted(text) if kind == "json" and not line.style else [(text, name)], room)
    rows = []
    for number, chunk in enumerate(chunks):
        shown = label if not number else " " * width(label)
        rows.append(_Row(((shown, "details--name"), *chunk), seq=line.seq, opens=line.opens))
    return rows


def _reach(cells: int) -> int:
    """Characters that so many cells can have, and more: safe text has at most two marks on a character."""
    return 4 * cells + 4


def _head(text: str, cells: int) -> str:
    """What the next row of so many cells takes; looks no further than that."""
    return str(next(iter(chop_cells(text[: _reach(cells)], cells))))


def _filled(text: str, cells: int) -> Iterator[str]:
    """The text in rows, broken between words where a row has any."""
    while width(text[: _reach(cells)]) > cells:
        head = _head(text, cells)
        space = head.rfind(" ") if text[len(head)] != " " else len(head)
        end = space if space > len(head) // 3 else len(head)
        yield text[:end]
        text = text[end:].removeprefix(" ")
    yield text


def _highlighted(text: str) -> list[tuple[str, str]]:
    pieces, at = [], 0
    for token in _TOKENS.finditer(text):
        pieces.append((text[at : token.start()], "details--value"))
        pieces.append((token.group(), f"details--{token.lastgroup}"))
        at = token.end()
    return [piece for piece in (*pieces, (text[at:], "details--value")) if piece[0]]


def _chopped(pieces: Sequence[tuple[str, str]], cells: int) -> list[list[tuple[str, str]]]:
    """The pieces in rows of at most so many cells; at least one row."""
    rows: list[list[tuple[str, str]]] = [[]]
    room = cells
    for text, name in pieces:
        while text:
            part = text[:room] if text.isascii() else _head(text, max(room, 1))
            if width(part) > room:
                part = ""
            rows[-1].append((part, name))
            text, room = text[len(part) :], room - width(part)
            if text:
                rows.append([])
                room = cells
    return rows
