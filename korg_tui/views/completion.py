"""Completion: what the word under the cursor of a query can become. Pure; `vocabulary.py` knows the names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from korg_tui.views.meanings import ALIASES, HAS, KEYS, KINDS, STATES
from korg_tui.views.moments import WRITTEN
from korg_tui.views.terms import QueryError, Term, quoted, terms

MOST = 60
"""Candidates that are offered."""

_LONGEST = 200
"""Characters of a value that is offered."""


@dataclass(frozen=True, slots=True)
class Known:
    """Names that a ledger has, the most used first: what `tool:`, `agent:`, `lane:`, `session:` and `path:`
    can be completed with. A lane or session is its number and what it is called."""

    tools: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    lanes: tuple[tuple[str, str], ...] = ()
    sessions: tuple[tuple[str, str], ...] = ()
    paths: tuple[str, ...] = ()
    in_preview: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the word can become: `text` takes its place; a list shows `word` of it, and the note."""

    text: str
    word: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """The candidates for characters `begin` to `end` of a query, the best first."""

    begin: int
    end: int
    candidates: tuple[Candidate, ...] = ()

    def applied(self, query: str, index: int) -> tuple[str, int]:
        """The query with a candidate in it, and where the cursor stands then."""
        text = self.candidates[index].text
        return query[: self.begin] + text + query[self.end :], self.begin + len(text)


def complete(query: str, cursor: int, known: Known) -> Completion:
    """How the word that ends at the cursor, or goes on behind it, can be completed; no candidates between
    words."""
    term = _term_at(query, cursor)
    if term is None:
        return Completion(cursor, cursor)
    begin = term.begin + term.negated
    if not term.key:
        typed = query[begin:cursor]
        keys = () if typed.startswith('"') or not typed else tuple(_keys(typed.casefold()))
        return Completion(begin, term.end, keys[:MOST])
    key = ALIASES.get(term.key, term.key)
    if cursor < term.value_at:
        return Completion(cursor, cursor)
    typed = query[term.value_at : cursor].strip('"').casefold()
    found = list(_values(key, typed, known))
    return Completion(begin, term.end, tuple(_written(term.key, value, note) for value, note in found[:MOST]))


def ghost(query: str, known: Known) -> str:
    """The query as its last word would go on; empty where nothing begins like it."""
    found = complete(query, len(query), known)
    for index in range(len(found.candidates)):
        whole, _ = found.applied(query, index)
        if len(whole) > len(query) and whole.casefold().startswith(query.casefold()):
            return query + whole[len(query) :]
    return ""


def _term_at(query: str, cursor: int) -> Term | None:
    try:
        return next((term for term in terms(query) if term.begin < cursor <= term.end), None)
    except QueryError:
        return None


def _keys(typed: str) -> Iterator[Candidate]:
    for key, note in KEYS.items():
        if key.startswith(typed):
            yield Candidate(f"{key}:", f"{key}:", note)


def _written(key: str, value: str, note: str) -> Candidate:
    return Candidate(f"{key}:{quoted(value, after_key=True)}", value, note)


def _values(key: str, typed: str, known: Known) -> Iterator[tuple[str, str]]:
    """What a key can be followed by: first what begins as typed, then what has it."""
    offered = list(_offered(key, known))
    begins = [each for each in offered if each[0].casefold().startswith(typed)]
    yield from begins
    if typed:
        yield from (each for each in offered if typed in each[0].casefold() and each not in begins)


_NUMBERS = {
    "seq": (">100", "3..9"),
    "ms": (">500", ">1000", ">10000"),
    "since": WRITTEN[:4],
    "until": WRITTEN[:4],
}
"""Values that show how one can go on."""


def _offered(key: str, known: Known) -> Iterator[tuple[str, str]]:
    match key:
        case "tool":
            yield from _plain(known.tools)
        case "agent":
            yield from _plain(known.agents)
        case "path":
            yield from _plain(known.paths)
        case "lane":
            yield from known.lanes
        case "session":
            yield from known.sessions
        case "kind":
            yield from _plain(KINDS)
        case "is":
            yield from _plain([*STATES, *(["dropped"] if known.in_preview else [])])
        case "has":
            yield from _plain(HAS)
        case _:
            yield from _plain(_NUMBERS.get(key, ()))


def _plain(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((name, "") for name in names if 0 < len(name) <= _LONGEST and name.isprintable())


Complete = Callable[[str, int], Completion]
"""`complete` with the names that are known."""
