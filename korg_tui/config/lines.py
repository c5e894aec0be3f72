"""Lines: on which line of a TOML text a key stands. The parser of the standard library does not say."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator

Path = tuple[str, ...]

_TOKEN = re.compile(
    r'''
      (?P<string> """(?:\\.|[^\\])*?"{3,5} | \'\'\'.*?\'{3,5} | "(?:\\.|[^"\\\n])*" | '[^'\n]*' )
    | (?P<comment> \#[^\n]* )
    | (?P<newline> \n )
    | (?P<opens> [\[{] )
    | (?P<closes> [\]}] )
    | (?P<equals> = )
    | (?P<other> [^\s"'\#\[\]{}=]+ )
    ''',
    re.VERBOSE | re.DOTALL,
)


class KeyLines:
    """Where the keys and tables of a valid TOML text stand, counted from 1. What stands inside an inline
    table or an array is found where that begins."""

    def __init__(self, text: str) -> None:
        self._ends = [found.start() for found in re.finditer("\n", text)]
        self._lines: dict[Path, int] = {}
        table: Path = ()
        for begin, end, header in _statements(text):
            path = _path(text[begin:end])
            if header:
                table = path
            else:
                path = table + path
            for length in range(1, len(path) + 1):
                self._lines.setdefault(path[:length], self._line(begin))

    def _line(self, offset: int) -> int:
        return bisect_right(self._ends, offset - 1) + 1

    def of(self, *path: str) -> int:
        """The line of this key, or of the nearest thing around it; 1 when there is none."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)


def _statements(text: str) -> Iterator[tuple[int, int, bool]]:
    """Begin and end of every dotted key, and whether it is the header of a table."""
    depth, begin, header, named = 0, -1, False, False
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "comment":
            continue
        if kind == "newline":
            if depth == 0:
                begin, header, named = -1, False, False
            continue
        if begin < 0:
            header = kind == "opens"
            begin = token.end() if header else token.start()
        if kind == "opens":
            depth += 1
            begin = token.end() if header and not named else begin
        elif kind == "closes":
            depth -= 1
            if header and not named:
                yield begin, token.start(), True
                named = True
        elif kind == "equals" and not header and not named:
            yield begin, token.start(), False
            named = True


def _path(dotted: str) -> Path:
    """The parts of a dotted key, quoted or not."""
    parts: list[str] = []
    value: object = tomllib.loads(f"{dotted.strip()} = 0")
    while isinstance(value, dict):
        ((name, value),) = value.items()
        parts.append(name)
    return tuple(parts)
