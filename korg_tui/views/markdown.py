"""Markdown: as lines with spans. Links are dead: their words and their address are seen, nothing opens.

The parser is markdown-it-py, loaded when first needed. HTML is shown as it is written. Bounded in length and
in depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from korg_tui.text import LINE_LIMIT, pad, visible, visible_lines, width
from korg_tui.views.overlays import moved
from korg_tui.views.sections import Line, Opens, Span, Style
from korg_tui.views.syntax import highlight
from korg_tui.views.texts import LINES, beginning, bounded, more

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

CHARACTERS = 16_384
"""Characters that are parsed."""
DEPTH = 12
"""Lists and quotes inside one another."""

_COLUMN = 40
_COLUMNS = 12
_PIPES = 40
_NESTED = 100
_BRACKETS = 800
_MARKS = re.compile(
    r"^(#{1,6} \S|[-*+] \S|\d{1,3}[.)] \S|>|```|~~~|\|.*\|\s*$)"
    r"|\*\*\S|__\S|`[^`\n]+`|\[[^\]\n]{1,200}\]\([^)\n]{1,200}\)",
    re.MULTILINE,
)


def is_markdown(text: str) -> bool:
    """Whether a text has anything that Markdown would show in another way than as it is written."""
    return _MARKS.search(text, 0, CHARACTERS) is not None


def markdown(text: str, style: Style = "", *, opens: Opens | None = None) -> list[Line]:
    """The lines of a text, broken where the text is; `opens` is what the last line opens when the text is too
    long. What nests too deep, or would be parsed for too long, is shown as it is written."""
    head = beginning(text, 4 * LINES, CHARACTERS)
    if head.count("[") > _BRACKETS:
        return bounded(text, style, opens=opens)
    tables = max(line.count("|") for line in head.split("\n")) <= _PIPES
    tokens = _parser(tables).parse(head)
    if any(token.level >= _NESTED - 1 for token in tokens):
        return bounded(text, style, opens=opens)
    lines = list(_Page(style).lines(tokens))
    cut = lines[:LINES]
    if len(lines) > LINES or len(head) < len(text):
        rest = text[len(head) :] if len(lines) <= LINES else text[len(head) * LINES // len(lines) :]
        cut.append(more(rest, opens))
    return cut


@lru_cache(maxsize=2)
def _parser(tables: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _NESTED, "html": True})
    return parser.enable(["table", "strikethrough"] if tables else ["strikethrough"])


@dataclass(slots=True)
class _Words:
    """A line while it is put together: safe text and its spans."""

    text: str = ""
    spans: list[Span] = field(default_factory=list)

    def add(self, raw: str, looks: Sequence[str] = ()) -> None:
        safe = visible(raw.replace("\t", "    "))
        if looks and safe:
            self.spans.append(Span(len(self.text), len(self.text) + len(safe), " ".join(looks)))
        self.text += safe


class _Page:
    """The blocks of a text, in order, each as its lines."""

    def __init__(self, style: Style) -> None:
        self._style = style
        self._around: list[str] = []
        """What stands before the rows of a block, of every list and quote around it."""
        self._bullet = ""
        self._numbers: list[int | None] = []
        self._gap = False
        self._begun = False

    def lines(self, tokens: Sequence[Token]) -> Iterator[Line]:
        at = 0
        while at < len(tokens):
            token = tokens[at]
            at += 1
            match token.type:
                case "inline":
                    yield from self._inline(token, tokens[at - 2].tag if at > 1 else "")
                case "fence" | "code_block":
                    yield from self._code(token)
                case "html_block":
                    yield from self._plain(token.content)
                case "hr":
                    yield from self._block([Line("───", "note")])
                case "table_open":
                    end = next(i for i in range(at, len(tokens)) if tokens[i].type == "table_close")
                    yield from self._block(_table(tokens[at:end]))
                    at = end + 1
                case _:
                    self._nest(token)

    def _nest(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open":
                self._numbers.append(None)
            case "ordered_list_open":
                start = token.attrGet("start")
                self._numbers.append(start if isinstance(start, int) else 1)
            case "list_item_open":
                number = self._numbers[-1]
                self._bullet = "• " if number is None else f"{number}. "
                if number is not None:
                    self._numbers[-1] = number + 1
                self._around.append(" " * len(self._bullet))
            case "blockquote_open":
                self._around.append("▏ ")
            case "list_item_close" | "blockquote_close":
                self._around.pop()
                self._bullet = ""
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
                self._gap = self._gap or not self._numbers
            case "paragraph_close" | "heading_close":
                self._gap = self._gap or not token.hidden

    def _inline(self, token: Token, tag: str) -> Iterator[Line]:
        heading = tag if re.fullmatch("h[1-6]", tag) else ""
        looks = ["heading"] if heading else []
        lines = [Line(words.text, spans=tuple(words.spans)) for words in _inlined(token, looks)]
        if heading and lines:
            sign = "#" * int(heading[1]) + " "
            first = lines[0]
            spans = (Span(0, len(sign), "heading"), *moved(first.spans, len(sign)))
            lines[0] = replace(first, text=sign + first.text, spans=spans)
        yield from self._block(lines)

    def _code(self, token: Token) -> Iterator[Line]:
        shown = visible_lines(token.content.removesuffix("\n"), LINES)
        spans = highlight(shown, language=token.info.strip().partition(" ")[0])
        lines = [
            Line(f"  {line}", "code", spans=moved(each, 2)) for line, each in zip(shown, spans, strict=True)
        ]
        yield from self._block(lines)
        self._gap = True

    def _plain(self, text: str) -> Iterator[Line]:
        yield from self._block([Line(line) for line in visible_lines(text.removesuffix("\n"), LINES)])
        self._gap = True

    @property
    def _quotes(self) -> str:
        return "".join(self._around[:DEPTH])

    def _block(self, lines: Sequence[Line]) -> Iterator[Line]:
        """The lines of a block behind the bullet and the quotes that it stands in."""
        if self._gap and self._begun:
            yield Line(self._quotes.rstrip() if self._around and not self._bullet else "", self._style)
        self._gap, self._begun = False, True
        for line in lines:
            hang = self._quotes
            before = hang[: len(hang) - len(self._bullet)] + self._bullet if self._bullet else hang
            self._bullet = ""
            spans = moved(line.spans, len(before))
            if before.strip():
                spans = (Span(0, len(before), "bullet"), *spans)
            text = visible(before + line.text)
            spans = tuple(span for span in spans if span.end <= min(len(text), LINE_LIMIT - 1))
            yield replace(line, text=text, style=line.style or self._style, spans=spans, hang=hang)


_OPEN = {"strong_open": "strong", "em_open": "emphasis", "s_open": "strike", "link_open": "link"}
_CLOSE = {"strong_close": "strong", "em_close": "emphasis", "s_close": "strike", "link_close": "link"}


def _inlined(token: Token, looks: list[str]) -> list[_Words]:
    """The lines of a paragraph."""
    lines, addresses = [_Words()], []
    for child in token.children or ():
        if child.type in _OPEN:
            looks = [*looks, _OPEN[child.type]]
            if child.type == "link_open":
                addresses.append((str(child.attrGet("href") or ""), len(lines[-1].text)))
        elif child.type in _CLOSE:
            looks = looks[:-1]
            if child.type == "link_close" and addresses:
                address, begin = addresses.pop()
                _tell_address(lines[-1], address, begin)
        elif child.type in ("softbreak", "hardbreak"):
            lines.append(_Words())
        elif child.type == "image":
            lines[-1].add(f"image: {child.content} ‹{child.attrGet('src') or ''}›", [*looks, "quiet"])
        elif child.type == "code_inline":
            lines[-1].add(child.content, [*looks, "literal"])
        else:
            lines[-1].add(child.content, looks)
    return lines


def _tell_address(line: _Words, address: str, begin: int) -> None:
    """The address of a link behind its words, unless they are the address."""
    if address and line.text[begin:] not in (address, address.removeprefix("mailto:")):
        line.add(f" ‹{address}›", ["quiet"])


def _table(tokens: Sequence[Token]) -> list[Line]:
    """A table in columns that are as wide as they need, within reason."""
    rows: list[list[_Words]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows and len(rows[-1]) < _COLUMNS:
            rows[-1].append(_inlined(token, ["strong"] if len(rows) == 1 else [])[0])
    rows = rows[: LINES + 1]
    count = max((len(row) for row in rows), default=0)
    widths = [
        min(max((width(row[column].text) for row in rows if column < len(row)), default=0), _COLUMN)
        for column in range(count)
    ]
    lines = [_table_row(row, widths) for row in rows]
    rule = "─┼─".join("─" * cells for cells in widths)
    return [*lines[:1], Line(rule, "note"), *lines[1:]]


def _table_row(row: Sequence[_Words], widths: Sequence[int]) -> Line:
    words = _Words()
    for column, cell in enumerate(row):
        if column:
            words.add(" │ ", ["quiet"])
        shown = pad(cell.text, widths[column])
        at = len(words.text)
        words.spans += [
            Span(at + span.begin, at + min(span.end, len(shown)), span.name)
            for span in cell.spans
            if span.begin < len(shown)
        ]
        words.text += shown
    return Line(words.text.rstrip(), "code", spans=tuple(words.spans))
