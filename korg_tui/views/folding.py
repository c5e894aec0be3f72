"""Folding: a JSON value as lines whose objects and lists fold. Everything is reachable; only what is open is
made into lines, so that a value of any size opens at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

from korg_tui.text import CUT, LINE_LIMIT, visible
from korg_tui.views.needle import Needle, steps
from korg_tui.views.sections import ENTER_OPENS, JsonKey, JsonNode, Line, Opens, Span
from korg_tui.views.words import plural, size

TOGETHER = 100
"""Members that stand together; longer lists and objects are divided into parts that fold."""
OPEN = 30
"""Lines that a part may have to be open at first."""
FIRST = 300
"""Lines after which everything is folded at first."""
STRING = 2_000
"""Characters of a string; the rest of a longer one is opened in the reader."""

SIGN_OPEN = "▾ "
SIGN_CLOSED = "▸ "

_EVENT = ("/args", "/result")
_KEY = 200
_INDENTED = 24
_GLANCED = 3
_GLANCE = 24


@dataclass(frozen=True, slots=True)
class Found:
    """A member that a search found, and what must be open for it to be seen, from the top down."""

    key: JsonKey
    around: tuple[JsonKey, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """A value, or some members of one, on the way to lines."""

    value: Any
    key: JsonKey
    depth: int
    inside: JsonKey | None
    name: str | None = None
    comma: str = ""
    state: Literal["", "end"] = ""

    @property
    def is_range(self) -> bool:
        return self.key[2] >= 0

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last place of its members."""
        return (self.key[1], self.key[2]) if self.is_range else (0, len(self.value) - 1)

    @property
    def folds(self) -> bool:
        return isinstance(self.value, (Mapping, list)) and bool(self.value)


@dataclass(frozen=True, slots=True)
class Tree:
    """A value of an event; `pointer` says which (RFC 6901, into `{"args": …, "result": …}`)."""

    value: Any
    pointer: str = ""

    def initial(self) -> frozenset[JsonKey]:
        """What is open at first: the top, and whatever is short, until there are many lines."""
        return _spread(self._top())

    def unfolded(self, key: JsonKey) -> frozenset[JsonKey]:
        """What opens when this node is opened: itself, and whatever in it is short."""
        part = self._at(key)
        return frozenset([key]) if part is None else _spread(part)

    def _at(self, key: JsonKey) -> _Part | None:
        value, inside = self.value, None
        for name in key[0].removeprefix(self.pointer).split("/")[1:]:
            inside = (self.pointer, 0, -1)
            plain = name.replace("~1", "/").replace("~0", "~")
            try:
                value = value[int(plain)] if isinstance(value, list) else value[plain]
            except (KeyError, ValueError, IndexError, TypeError):
                return None
        return _Part(value, key, 2, inside)

    def lines(self, opened: frozenset[JsonKey] | set[JsonKey]) -> Iterator[Line]:
        """The lines that are seen when these nodes are open."""
        stack = [self._top()]
        while stack:
            part = stack.pop()
            if part.state == "end":
                yield _end(part)
            elif not part.folds:
                yield _leaf(part)
            elif part.key in opened:
                yield _container(part, is_open=True)
                if not part.is_range:
                    stack.append(replace(part, name=None, state="end"))
                stack += reversed(list(_members(part)))
            else:
                yield _container(part, is_open=False)

    def _top(self) -> _Part:
        return _Part(self.value, (self.pointer, 0, -1), 0, None)

    def find(self, needle: str) -> Iterator[Found]:
        """The members whose name or simple value has these characters, whatever their case, in the order in
        which they stand; folded ones, too."""
        wanted = Needle(needle)
        if wanted.fits("", self.value):
            yield self._found([(self.value, 0, "")])
        path: list[tuple[Any, int, str]] = [(self.value, 0, "")]
        within = [wanted.members(self.value)]
        while within:
            for place, name, value in within[-1]:
                if wanted.fits(name, value):
                    yield self._found([*path, (value, place, name)])
                if type(value) in (dict, list) and value:
                    path.append((value, place, name))
                    within.append(wanted.members(value))
                    break
            else:
                within.pop()
                path.pop()

    def _found(self, path: list[tuple[Any, int, str]]) -> Found:
        """`path` has, from the top, each value with its place and name in the one around it."""
        pointer = self.pointer
        around: list[JsonKey] = []
        for number, (_, place, name) in enumerate(path):
            if number:
                above = path[number - 1][0]
                around.append((pointer, 0, -1))
                around += [(pointer, *each) for each in _ranges_to(place, len(above))]
                pointer += f"/{escaped(name) if isinstance(above, Mapping) else place}"
        return Found((pointer, 0, -1), tuple(around))


def _spread(top: _Part) -> frozenset[JsonKey]:
    """The part, the first part of a long top, and whatever is short."""
    opened: set[JsonKey] = set()
    lines, stack = 0, [top]
    while stack:
        part = stack.pop()
        lines += 1
        first = part.is_range and part.key[1] == 0 and part.depth == 1
        short = not part.is_range and lines < FIRST and _weight(part.value, OPEN) <= OPEN
        if part.folds and (part is top or first or short):
            opened.add(part.key)
            stack += reversed(list(_members(part)))
    return frozenset(opened)


def _weight(value: object, limit: int) -> int:
    """The lines of a value when all of it is open; counted no further than the limit."""
    lines, stack = 0, [value]
    while stack and lines <= limit:
        part = stack.pop()
        lines += 1
        if isinstance(part, (Mapping, list)) and part:
            lines += 1
            if len(part) > limit:
                return limit + 1
            stack += part.values() if isinstance(part, Mapping) else part
    return lines


def _step(count: int) -> int:
    """How many members a part of so many has: parts of parts, so that few stand together."""
    step = 1
    while -(-count // step) > TOGETHER:
        step *= TOGETHER
    return step


def _ranges(first: int, last: int) -> Iterator[tuple[int, int]]:
    step = _step(last - first + 1)
    return ((begin, min(begin + step - 1, last)) for begin in range(first, last + 1, step))


def _ranges_to(place: int, count: int) -> Iterator[tuple[int, int]]:
    """The parts around one member, the largest first."""
    first, last = 0, count - 1
    while (step := _step(last - first + 1)) > 1:
        begin = first + (place - first) // step * step
        first, last = begin, min(begin + step - 1, last)
        yield first, last


def _members(part: _Part) -> Iterator[_Part]:
    """What stands in an open part: members, or smaller parts."""
    first, last = part.span
    pointer = part.key[0]
    depth = part.depth + 1
    if _step(last - first + 1) > 1:
        for begin, end in _ranges(first, last):
            yield _Part(part.value, (pointer, begin, end), depth, part.key)
        return
    members = len(part.value)
    for place, name, value in islice(steps(part.value), first, last + 1):
        mapped = isinstance(part.value, Mapping)
        key = (f"{pointer}/{escaped(name) if mapped else place}", 0, -1)
        yield _Part(value, key, depth, part.key, name if mapped else None, "," if place < members - 1 else "")


def escaped(name: str) -> str:
    """A name as a part of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


# lines


def _indent(depth: int, sign: str = "") -> str:
    return " " * (2 * min(depth, _INDENTED) - len(sign)) + sign


def _container(part: _Part, *, is_open: bool) -> Line:
    sign = (SIGN_OPEN if is_open else SIGN_CLOSED) if part.depth else ""
    node = JsonNode(part.key, "open" if is_open else "closed", part.inside)
    mapped = isinstance(part.value, Mapping)
    first, last = part.span
    if part.is_range:
        words = f"{'members' if mapped else 'items'} {first:,} to {last:,}"
        return _said(part, sign, [(words, "note")], node)
    begin, end = ("{", "}") if mapped else ("[", "]")
    if is_open:
        return _said(part, sign, [(begin, "")], node)
    count = plural(len(part.value), "member" if mapped else "item")
    glance = _glance(part.value)
    pieces = [(f"{begin} ", ""), (f"{count}: {glance}" if glance else count, "note")]
    return _said(part, sign, [*pieces, (f" {end}{part.comma}", "")], node)


def _glance(value: Any) -> str:
    """The first simple members of what is folded."""
    said = []
    for _, name, each in islice(steps(value), _GLANCED):
        if isinstance(each, (Mapping, list)):
            continue
        cut = each[:_GLANCE] + CUT if isinstance(each, str) and len(each) > _GLANCE else each
        text = json.dumps(cut, ensure_ascii=False, default=str)[: 2 * _GLANCE]
        said.append(f"{json.dumps(name[:_GLANCE], ensure_ascii=False)}: {text}" if name else text)
    return f"{', '.join(said)}{', …' if len(said) < len(value) else ''}" if said else ""


def _end(part: _Part) -> Line:
    closing = "}" if isinstance(part.value, Mapping) else "]"
    return Line(f"{_indent(part.depth)}{closing}{part.comma}", node=JsonNode(part.key, "end", part.inside))


def _leaf(part: _Part) -> Line:
    node = JsonNode(part.key, "leaf", part.inside)
    value = part.value
    if not isinstance(value, str):
        empty = "" if isinstance(value, (Mapping, list)) else "number"
        return _said(part, "", [(json.dumps(value, default=str)[:STRING], empty), (part.comma, "")], node)
    rest = value[STRING:]
    text = json.dumps(value[:STRING], ensure_ascii=False)
    if rest:
        text = text[:-1] + CUT
        measure = size(len(rest.encode("utf-8", "surrogatepass")))
        opened = Opens("value", part.key[0]) if part.key[0].startswith(_EVENT) else None
        words = ENTER_OPENS if opened else ", not shown"
        return _said(part, "", [(text, "string"), (f" {measure} more{words}", "note")], node, opened)
    opens = Opens("blob", value.removeprefix("sha256:")) if part.name == "_ref" else None
    return _said(part, "", [(text, "string"), (part.comma, "")], node, opens)


def _said(
    part: _Part, sign: str, pieces: list[tuple[str, str]], node: JsonNode, opens: Opens | None = None
) -> Line:
    name = json.dumps((part.name or "")[:_KEY], ensure_ascii=False)
    named = [] if part.name is None else [(name, "key"), (": ", "")]
    text = _indent(part.depth, sign)
    spans = [Span(len(text) - len(sign), len(text) - 1, "fold")] if sign else []
    for raw, look in (*named, *pieces):
        piece = visible(raw)
        if look and piece:
            spans.append(Span(len(text), len(text) + len(piece), look))
        text += piece
    within = tuple(span for span in spans if span.end <= LINE_LIMIT)
    return Line(visible(text), spans=within, node=node, opens=opens)


def tree_lines(tree: Tree) -> tuple[Line, ...]:
    """What a tree shows at first."""
    return tuple(tree.lines(tree.initial()))
