"""Problems: what is wrong with a configuration, each with its file and line."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import dataclass

from korg_tui.text import visible


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong. `line` counts from 1; 0 when it is the file as a whole."""

    line: int
    text: str

    def at(self, path: str) -> str:
        """The problem in one line, as compilers write it."""
        return f"{path}:{self.line}: {self.text}" if self.line else f"{path}: {self.text}"


class ConfigError(Exception):
    """A configuration that is not right; none of it is in force."""

    def __init__(self, path: str, problems: list[Problem]) -> None:
        self.path = path
        self.problems = sorted(problems)
        super().__init__(str(self))

    def __str__(self) -> str:
        first, *more = [problem.at(self.path) for problem in self.problems]
        if not more:
            return first
        return f"{first} (and {len(more):,} more: korg-tui config check lists all)"


def quoted(value: str) -> str:
    """A word of the file in quotes, safe and short."""
    return f"“{visible(value, 60)}”"


def nearest(word: str, known: Collection[str]) -> str:
    """`; did you mean X?` where a known word is near, else nothing."""
    near = difflib.get_close_matches(word[:100], known, n=1)
    return f"; did you mean {near[0]}?" if near else ""
