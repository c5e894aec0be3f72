"""Query: the words of filter and search, in their first form (EXPERIENCE, "Filters and search").

    tool:Bash agent:sub is:failed has:blob lane:2 seq:>100 ms:>500 path:src/ "two words" word -not

All words must fit; `-` before one turns it round. Letters' case never matters.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Iterator

from korg_tui.causal import Ledger
from korg_tui.event import Kind
from korg_tui.formats import Body, body
from korg_tui.sources import BodyGone
from korg_tui.text import visible
from korg_tui.views import calls, marks
from korg_tui.views.arguments import Read
from korg_tui.views.shown import Predicate

_WORD = re.compile(r'(?P<no>-?)(?:(?P<key>[A-Za-z_]+):)?(?:"(?P<quoted>[^"]*)"?|(?P<bare>\S*))(?:\s+|$)')
_NUMBER = re.compile(r"(?P<sign>>=|<=|>|<|=|)(?P<low>\d+(?:\.\d+)?)(?:(?:\.\.|-)(?P<high>\d+(?:\.\d+)?))?")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le,
    "=": operator.eq, "": operator.eq,
}  # fmt: skip


_KEYS = "tool: agent: path: is: has:blob lane: seq: ms:"
_SHORT_STATES = "failed dead dropped late gap call spawn prompt …"
_SHORT = 12


class QueryError(ValueError):
    """A query that cannot be understood; the text names the word and says what is known. `short` says the
    same where there is room for one line."""

    def __init__(self, text: str, short: str = "") -> None:
        super().__init__(text)
        self.short = short or text


def parse_query(
    text: str, read: Read | None = None, dropped: Callable[[int], bool] | None = None
) -> Predicate:
    """What a query means. `read` lets it look into arguments and results; `dropped` says which rows a
    rewind preview drops. An empty query means every row. Raises `QueryError`."""
    predicates = list(_parse(text, read, dropped))

    def fits(ledger: Ledger, row: int) -> bool:
        return all(predicate(ledger, row) for predicate in predicates)

    return fits


def _parse(text: str, read: Read | None, dropped: Callable[[int], bool] | None) -> Iterator[Predicate]:
    text, at = text.strip(), 0
    while at < len(text):
        word = _WORD.match(text, at)
        if word is None or word.end() == at:
            raise QueryError(f"{_quoted(text[at:])} cannot be read: put text in double quotes")
        at = word.end()
        key, value = word["key"] or "", word["bare"] if word["quoted"] is None else word["quoted"]
        predicate = _predicate(key.lower(), value, read, dropped, word[0].strip())
        yield _turned_round(predicate) if word["no"] else predicate


def _turned_round(predicate: Predicate) -> Predicate:
    return lambda ledger, row: not predicate(ledger, row)


def _predicate(
    key: str, value: str, read: Read | None, dropped: Callable[[int], bool] | None, word: str
) -> Predicate:
    if not value:
        raise _unknown(word, "names nothing", key)
    needle = value.casefold()
    match key:
        case "":
            return _text(needle, read)
        case "tool":
            return lambda ledger, row: needle in ledger.tool_at(row).casefold()
        case "agent":
            return lambda ledger, row: needle in ledger.actor_at(row).casefold()
        case "path":
            return _path(needle, read)
        case "is":
            return _state(needle, dropped, word)
        case "has" if needle == "blob":
            return lambda ledger, row: bool(ledger.blobs_at(row))
        case "lane" | "seq" | "ms":
            return _numbers(key, needle, word)
        case "has":
            raise QueryError(f"{_quoted(word)} is not known: only has:blob is")
    raise _unknown(word, "is not known", "", "; text with a colon goes in double quotes")


def _unknown(word: str, what: str, key: str, more: str = "") -> QueryError:
    if key == "is":
        known, short = "is: takes " + ", ".join([*_STATES, "dropped"]), _SHORT_STATES
    else:
        known, short = f"known are {_KEYS} and plain text", _KEYS
    return QueryError(
        f"{_quoted(word)} {what}: {known}{more}", f"“{visible(word, _SHORT)}” {what}: {short}"
    )


def _quoted(word: str) -> str:
    return f"“{visible(word, 60)}”"


_STATES: dict[str, Predicate] = {
    "failed": marks.is_failed,
    "dead": marks.is_dead,
    "late": lambda ledger, row: ledger.is_late(row),
    "synthesized": lambda ledger, row: ledger.synthesized_at(row),
    "malformed": lambda ledger, row: ledger.kind[row] == Kind.MALFORMED,
    "gap": lambda ledger, row: ledger.kind[row] == Kind.GAP,
    "governance": lambda ledger, row: ledger.kind[row] == Kind.GOVERNANCE,
    "bookkeeping": lambda ledger, row: ledger.kind[row] == Kind.BOOKKEEPING,
    "prompt": lambda ledger, row: ledger.kind[row] == Kind.PROMPT,
    "inference": lambda ledger, row: ledger.kind[row] == Kind.INFERENCE,
    "call": lambda ledger, row: ledger.kind[row] in (Kind.TOOL, Kind.SPAWN),
    "spawn": lambda ledger, row: ledger.kind[row] == Kind.SPAWN,
}


def _state(name: str, dropped: Callable[[int], bool] | None, word: str) -> Predicate:
    if name == "dropped":
        if dropped is None:
            raise QueryError(f"{_quoted(word)} asks for a rewind: it works in the preview, after r")
        return lambda _, row: dropped(row)
    if name not in _STATES:
        raise _unknown(word, "is not known", "is")
    return _STATES[name]


def _numbers(key: str, value: str, word: str) -> Predicate:
    found = _NUMBER.fullmatch(value)
    if found is None or (found["sign"] and found["high"]):
        raise QueryError(f"{_quoted(word)} is no number: write {key}:7, {key}:>7 or {key}:7..9")
    low, high = float(found["low"]), float(found["high"] or "inf")
    compare = _COMPARE[found["sign"]]

    def fits(ledger: Ledger, row: int) -> bool:
        number = _number(key, ledger, row)
        if number is None:
            return False
        return low <= number <= high if found["high"] else compare(number, low)

    return fits


def _number(key: str, ledger: Ledger, row: int) -> float | None:
    if key == "seq":
        return ledger.number_at(row)
    if key == "ms":
        return ledger.duration_at(row)
    lane = ledger.lane_at(row)
    return None if lane is None else marks.lane_number(lane)


def _text(needle: str, read: Read | None) -> Predicate:
    def fits(ledger: Ledger, row: int) -> bool:
        if needle in ledger.tool_at(row).casefold() or needle in ledger.actor_at(row).casefold():
            return True
        raw = _raw(ledger, row, read)
        if not raw or not _may_hold(raw, needle):
            return False
        found = body(raw)
        return needle in (raw.decode("utf-8", "replace") if found is None else _content(found)).casefold()

    return fits


def _path(needle: str, read: Read | None) -> Predicate:
    def fits(ledger: Ledger, row: int) -> bool:
        raw = _raw(ledger, row, read)
        if not raw or ("\\" not in needle and not _may_hold(raw, needle)):
            return False
        found = body(raw)
        if found is None:
            return False
        paths = calls.paths_named(ledger.tool_at(row), found.args)
        return any(needle in path.casefold() or needle in visible(path).casefold() for path in paths)

    return fits


def _raw(ledger: Ledger, row: int, read: Read | None) -> bytes:
    if read is None:
        return b""
    try:
        return read(ledger.offset[row], ledger.length[row])
    except (BodyGone, OSError):
        return b""


def _may_hold(raw: bytes, needle: str) -> bool:
    """A quick look that spares most records from being decoded."""
    if not needle.isascii() or b"\\" in raw:
        return True
    return needle.encode() in raw.lower()


def _content(found: Body) -> str:
    """What a person calls the content of a record: arguments and result, or a governance event's fields."""
    event = found.record.get("event")
    parts = [found.args, found.result]
    if found.args is None and found.result is None:
        parts = [event if event is not None else found.record]
    return "\n".join(text for part in parts for text in _texts(part))


def _texts(value: object) -> Iterator[str]:
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            yield from part
            stack += part.values()
        elif isinstance(part, list):
            stack += part
        elif part is not None:
            yield json.dumps(part)
