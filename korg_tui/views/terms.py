"""Terms: the words of a query, each with where it stands, so that an error can point at it (EXPERIENCE,
"Filters and search").

    query = term { space term }
    term  = ["-"] [key ":"] ( '"' text '"' | text without spaces )

Between quotes `\\"` is a quote and `\\\\` a backslash; every other backslash stands for itself. The last
quote may be missing, as it is while one types."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from korg_tui.text import CUT, visible, width

MOST_TERMS = 200
"""Words of a query; nobody types more, and each costs something for every event."""

_AROUND = 200
"""Characters of a query that are shown before a bad word, of it, and after it."""

_TERM = re.compile(
    r"(?P<no>-?)(?:(?P<key>[A-Za-z_]+):)?"
    r'(?P<value>"(?P<quoted>(?:[^"\\]|\\.)*\\?)(?:"(?=\s|\Z)|\Z)|(?P<bare>\S*))',
    re.DOTALL,
)
_SPACE = re.compile(r"\s*")
_ESCAPED = re.compile(r'\\(["\\])')
_AMBIGUOUS = re.compile(r'\\(?=["\\]|\Z)')
_PLAIN = re.compile(r'[^\s"]+')
_LIKE_A_KEY = re.compile(r"-|[A-Za-z_]+:")


class QueryError(ValueError):
    """A query that cannot be understood. The text names the word, says why, and what is known; `short` says
    it where there is room for one line; `begin` and `end` are where the word stands in the query; `nearest`
    is the known name that was probably meant, or empty."""

    def __init__(
        self, text: str, short: str = "", *, begin: int = 0, end: int | None = None, nearest: str = ""
    ) -> None:
        super().__init__(text)
        self.short = short or text
        self.begin = begin
        self.end = begin if end is None else end
        self.nearest = nearest


class NoRewind(QueryError):
    """A query that asks what a rewind drops, where none is previewed."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a query: characters `begin` to `end`, its value from `value_at` on, a quote included."""

    begin: int
    end: int
    negated: bool
    key: str
    """In small letters; empty for plain text."""
    value: str
    value_at: int = 0
    unclosed: bool = False
    """Whether its last quote is missing."""

    @property
    def written(self) -> str:
        """The term as one types it, quoted where it has to be."""
        sign = "-" if self.negated else ""
        key = f"{self.key}:" if self.key else ""
        return f"{sign}{key}{quoted(self.value, after_key=bool(self.key))}"

    def wrong(self, text: str, short: str = "", nearest: str = "") -> QueryError:
        """The error that points at this term."""
        return QueryError(text, short, begin=self.begin, end=self.end, nearest=nearest)


def terms(text: str) -> list[Term]:
    """The terms of a query, in order. Raises `QueryError` when there are too many."""
    found: list[Term] = []
    at = _after_space(text, 0)
    while at < len(text):
        match = _TERM.match(text, at)
        assert match is not None, "every text has a term"
        value = match["bare"] if match["quoted"] is None else _ESCAPED.sub(r"\1", match["quoted"])
        key = (match["key"] or "").lower()
        unclosed = match["quoted"] is not None and match.end("quoted") == match.end()
        found.append(Term(at, match.end(), bool(match["no"]), key, value, match.start("value"), unclosed))
        if len(found) > MOST_TERMS:
            raise found[-1].wrong(f"a filter has at most {MOST_TERMS} words")
        at = _after_space(text, match.end())
    return found


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def written(each: Iterable[Term]) -> str:
    """Terms as one query, which parses to the same terms."""
    return " ".join(term.written for term in each)


def quoted(value: str, *, after_key: bool) -> str:
    """A value as it is typed, in quotes where it would not be taken whole, or as something else."""
    bare = _PLAIN.fullmatch(value) is not None and (after_key or not _LIKE_A_KEY.match(value))
    if bare:
        return value
    return in_quotes(value)


def in_quotes(value: str) -> str:
    """A value in quotes, with as few backslashes as it needs."""
    escaped = _AMBIGUOUS.sub(r"\\\\", value).replace('"', '\\"')
    return f'"{escaped}"'


def nearest_name(word: str, names: Iterable[str]) -> str:
    """The name that was probably meant; empty when none is near."""
    return next(iter(get_close_matches(word.casefold()[:60], list(names), 1, 0.6)), "")


def pointed(query: str, error: QueryError) -> tuple[str, str]:
    """The query as one safe line, and the line below it that marks the bad word with carets."""
    before, word = visible(query[: error.begin]), visible(query[error.begin : error.end])
    return visible(query), " " * width(before) + "^" * max(1, width(word))


def nearby(query: str, error: QueryError) -> tuple[str, str]:
    """The same, and what is far from the bad word is left out: a query may have any length."""
    begin, end = max(0, error.begin - _AROUND), min(error.end, error.begin + _AROUND)
    left, right = CUT * (begin > 0), CUT * (len(query) > end + _AROUND)
    shift = len(left) - begin
    short = QueryError("", begin=error.begin + shift, end=end + shift)
    return pointed(f"{left}{query[begin : end + _AROUND]}{right}", short)
