"""Laid out: sections as rows of a pane of so many cells - wrapped, in columns, side by side."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import chop_cells

from korg_tui.text import CUT, crop, pad, visible, width
from korg_tui.views import JsonNode, Line, Opens, Section, Shape, Sides, Span

SIDE_BY_SIDE = 84
"""Cells from which on a diff stands side by side."""

TITLE = "title"
"""The place of a title in its section."""

_LABEL_CELLS = 10
_PAIRED_CELLS = 72
_BETWEEN = " │ "
_PROSE = frozenset({"fields", "text", "causes", "effects", "blobs"})
_AS_IT_IS = frozenset({"code", "output", "stderr"})
_FILLED = frozenset({"added", "removed"})
_BASE = {"": "value", "note": "quiet", "error": "bad"}
"""Styles of lines that have a look of another name."""

Piece = tuple[str, str]
"""Safe text and its looks."""
Place = tuple[str, int, Hashable]
"""A line: the title of its section, which of that title, and its number or its node."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the pane: a piece of a line, or a title."""

    pieces: tuple[Piece, ...]
    title: bool = False
    fill: str = ""
    """The look of the rest of the row."""
    seq: int | None = None
    opens: Opens | None = None
    node: JsonNode | None = None
    place: Place | None = None

    @property
    def plain(self) -> str:
        return "".join(text for text, _ in self.pieces)


LinesOf = Callable[[Section, int], Iterable[Line]]
"""The lines that a section shows now; the number says which of its title it is."""


def laid_out(sections: Sequence[Section], cells: int, lines_of: LinesOf) -> list[Row]:
    """The rows of sections in a pane."""
    rows: list[Row] = []
    seen: dict[str, int] = {}
    for section in sections:
        number = seen[section.title] = seen.get(section.title, -1) + 1
        if section.title:
            look = f"title {_BASE.get(section.style, section.style)}" if section.style else "title"
            title = ((crop(section.title, cells), look),)
            rows.append(Row(title, title=True, place=(section.title, number, TITLE)))
        rows += _section(section, number, cells, lines_of)
    return rows


def _section(section: Section, number: int, cells: int, lines_of: LinesOf) -> Iterator[Row]:
    if is_sided(section, cells):
        for index, pair in enumerate(section.sides):
            yield from _beside(pair, section, cells, (section.title, number, index))
        return
    labels = _label_cells(section, cells)
    for index, line in _paired(section, lines_of(section, number), cells, labels):
        key = index if isinstance(line, Row) or line.node is None else place_in(line.node)
        place = (section.title, number, key)
        if isinstance(line, Row):
            yield Row(line.pieces, seq=line.seq, opens=line.opens, place=place)
        else:
            yield from _wrapped(line, section.kind, cells, labels, place)


def place_in(node: JsonNode) -> Hashable:
    """What a line of JSON is known by, folded or not."""
    return node.key, node.state == "end"


def is_sided(section: Section, cells: int) -> bool:
    """Whether a section stands side by side in so many cells."""
    return bool(section.sides) and cells >= SIDE_BY_SIDE


def _label_cells(section: Section, cells: int) -> int:
    """The column of labels of a section: as wide as they need, within reason."""
    longest = max((width(line.label) for line in section.lines), default=0)
    return min(max(_LABEL_CELLS, longest + 1), cells // 2) if longest else 0


def _paired(
    section: Section, lines: Iterable[Line], cells: int, labels: int
) -> Iterator[tuple[int, Line | Row]]:
    """In a wide and low pane, short fields stand side by side, at most one of them leading somewhere."""
    half = cells // 2
    waiting: tuple[int, Line] | None = None
    for index, line in enumerate(lines):
        fits = section.kind == "fields" and cells >= _PAIRED_CELLS and bool(line.label)
        fits = fits and width(line.text) < half - labels
        if waiting is not None and fits and not (_leads(line) and _leads(waiting[1])):
            leading = line if _leads(line) else waiting[1]
            pieces = (*_field(waiting[1], half, labels), *_field(line, half, labels))
            yield waiting[0], Row(pieces, seq=leading.seq, opens=leading.opens)
            waiting = None
            continue
        if waiting is not None:
            yield waiting
        waiting = (index, line) if fits else None
        if waiting is None:
            yield index, line
    if waiting is not None:
        yield waiting


def _leads(line: Line) -> bool:
    return line.seq is not None or line.opens is not None


def _field(line: Line, cells: int, labels: int) -> tuple[Piece, Piece]:
    return (pad(line.label, labels), "name"), (pad(line.text, cells - labels), _base(line))


def _base(line: Line) -> str:
    """The look of a line as a whole."""
    if not line.style:
        return "link" if line.seq is not None else "value"
    return _BASE.get(line.style, line.style)


def _wrapped(line: Line, kind: Shape, cells: int, labels: int, place: Place) -> Iterator[Row]:
    labelled = line.label or line.seq is not None
    label = pad(crop(line.label, labels - 1), labels) if labels and labelled else ""
    words = line.style == "note" or (kind in _PROSE and line.style not in _AS_IT_IS)
    room = max(cells - width(label), 4)
    fill = _base(line) if line.style in _FILLED else ""
    folded = line.node is not None and line.node.state == "closed"
    for number, pieces in enumerate(_first_row(line, room) if folded else _rows(line, room, words)):
        shown = label if not number else " " * width(label)
        before: tuple[Piece, ...] = ((shown, "name"),) if shown else ()
        yield Row((*before, *pieces), False, fill, line.seq, line.opens, line.node, place)


def _first_row(line: Line, cells: int) -> list[tuple[Piece, ...]]:
    """A line in one row: what is folded takes no more."""
    if width(line.text) <= cells:
        return list(_rows(line, cells, False))
    return [(*next(_rows(line, cells - 1, False)), (CUT, "quiet"))]


def _rows(line: Line, cells: int, words: bool) -> Iterator[tuple[Piece, ...]]:
    """The pieces of a line in rows of at most so many cells; at least one row."""
    text, base = visible(line.text), _base(line)
    hang = crop(line.hang, cells // 2)
    cut = _Cut(line.spans, base)
    for begin, end in _breaks(text, cells, cells - width(hang), words):
        pieces = cut.pieces(text, begin, end)
        yield (*(((hang, f"{base} bullet"),) if begin and hang else ()), *pieces)


class _Cut:
    """Cuts a line along its spans, from left to right."""

    def __init__(self, spans: Sequence[Span], base: str) -> None:
        self._spans = spans
        self._base = base
        self._next = 0

    def pieces(self, text: str, begin: int, end: int) -> list[Piece]:
        """The pieces of the text between two places; the next ones are asked for further to the right."""
        found: list[Piece] = []
        at = begin
        while self._next < len(self._spans) and self._spans[self._next].begin < end:
            span = self._spans[self._next]
            first, last = max(span.begin, at), min(span.end, end)
            if first > at:
                found.append((text[at:first], self._base))
            if last > first:
                found.append((text[first:last], f"{self._base} {span.name}"))
                at = last
            if span.end > end:
                break
            self._next += 1
        return [*found, (text[at:end], self._base)] if at < end or not found else found


def _breaks(text: str, cells: int, further: int, words: bool) -> Iterator[tuple[int, int]]:
    """Where the rows of a text begin and end: of so many cells, and of `further` ones after the first."""
    at, room = 0, cells
    while _is_longer(text, at, room):
        head = _head(text[at : at + _reach(room)], room)
        end = at + max(len(head), 1)
        if words and text[end] != " ":
            space = text.rfind(" ", at, end)
            end = space if space > at + len(head) // 3 else end
        yield at, end
        at = end + 1 if words and text[end] == " " else end
        room = max(further, 4)
    yield at, len(text)


def _is_longer(text: str, at: int, cells: int) -> bool:
    return len(text) - at > _reach(cells) or width(text[at:]) > cells


def _reach(cells: int) -> int:
    """Characters that so many cells can have, and more: safe text has at most two marks on a character."""
    return 4 * cells + 4


def _head(text: str, cells: int) -> str:
    """What the next row of so many cells takes; looks no further than that."""
    return text[:cells] if text.isascii() else str(next(iter(chop_cells(text, cells))))


def _beside(pair: Sides, section: Section, cells: int, place: Place) -> Iterator[Row]:
    """Two lines side by side, each wrapped in its half; a heading in both halves."""
    left, right = pair
    if left is not None and right is None and left.style in ("hunk", "note"):
        yield from _wrapped(left, section.kind, cells, 0, place)
        return
    half = (cells - len(_BETWEEN)) // 2
    halves = [[] if line is None else list(_rows(line, half, False)) for line in pair]
    fills = ["" if line is None or line.style not in _FILLED else _base(line) for line in pair]
    for index in range(max(map(len, halves))):
        one, other = (rows[index] if index < len(rows) else () for rows in halves)
        pieces = (*_filled(one, half, fills[0]), (_BETWEEN, "rule"), *other)
        yield Row(pieces, fill=fills[1] if other else "", place=place)


def _filled(pieces: tuple[Piece, ...], cells: int, fill: str) -> tuple[Piece, ...]:
    rest = cells - sum(width(text) for text, _ in pieces)
    return (*pieces, (" " * max(rest, 0), fill if pieces else ""))
