"""Meanings: what each word of a query asks of an event. What the columns of a ledger know is answered at
once; for the rest the record is looked at."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from korg_tui.causal import Ledger, Pointer
from korg_tui.event import Kind
from korg_tui.text import visible
from korg_tui.views import calls, marks, walk
from korg_tui.views.contents import Content
from korg_tui.views.moments import WRITTEN, moment
from korg_tui.views.shown import Predicate
from korg_tui.views.terms import NoRewind, QueryError, Term, nearest_name

KEYS = {
    "tool": "tools whose name has this: tool:Bash",
    "agent": "who did it: agent:sub",
    "kind": "what it is: kind:inference",
    "is": "how it stands: is:failed",
    "has": "what it carries: has:blob",
    "lane": "in this lane: lane:2",
    "session": "in the session of this seq: session:1",
    "seq": "by number: seq:>100, seq:3..9",
    "ms": "how long it took: ms:>500",
    "since": "from then on: since:10m, since:2026-03-02",
    "until": "before then: until:1h",
    "path": "calls that name this path: path:src/",
    "blob": "blobs that have this text: blob:text",
}
"""The keys of the query language, and what each asks, for a person."""

ALIASES = {"after": "since", "before": "until", "actor": "agent"}
"""Other names of keys."""

_WORD_CELLS, _SHORT_CELLS = 60, 12
_HEX = re.compile(r"[0-9a-f]{4,64}")
_NUMBER = re.compile(r"(?P<sign>>=|<=|>|<|=|)(?P<low>\d+(?:\.\d+)?)(?:(?:\.\.|-)(?P<high>\d+(?:\.\d+)?))?")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le,
    "=": operator.eq, "": operator.eq,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a term asks: `quick` of the ledger's columns, None when the record must tell; then `look`."""

    quick: Callable[[Ledger, int], bool | None]
    look: Callable[[Content], bool] | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """Where a query is asked. `now_ms` in ms since the epoch; `zone` of times without one, None is that of
    this machine; `dropped` says which rows a rewind preview drops, None outside of one."""

    now_ms: int
    zone: tzinfo | None
    dropped: Callable[[int], bool] | None = None


def meaning(term: Term, asked: Asked) -> Meaning:
    """What one term means, without its `-`. Raises `QueryError`, which points at the term."""
    key = ALIASES.get(term.key, term.key)
    needle = term.value.casefold()
    if key and key not in KEYS:
        raise _unknown_key(term)
    if not term.value:
        raise _nothing_named(term, key)
    match key:
        case "":
            return Meaning(
                lambda ledger, row: _named(ledger, row, needle) or None, lambda content: content.says(needle)
            )
        case "tool":
            return Meaning(lambda ledger, row: needle in ledger.tool_at(row).casefold())
        case "agent":
            return Meaning(lambda ledger, row: needle in ledger.actor_at(row).casefold())
        case "path":
            return Meaning(_by_its_record, lambda content: content.names_path(needle))
        case "kind":
            return _one_of(term, KINDS)
        case "is":
            return _state(term, asked)
        case "has":
            return _has(term)
        case "blob":
            return _blob(needle)
        case "since" | "until":
            return _time(term, key, asked)
        case _:
            return _numbers(term, key)


def _named(ledger: Ledger, row: int, needle: str) -> bool:
    return needle in ledger.tool_at(row).casefold() or needle in ledger.actor_at(row).casefold()


def _by_its_record(_: Ledger, __: int) -> None:
    return None


# errors

_KEYS_TOLD = " ".join(f"{key}:" for key in KEYS)


def _unknown_key(term: Term) -> QueryError:
    near = nearest_name(term.key, [*KEYS, *ALIASES])
    meant = f"did you mean {near}:? " if near else ""
    return term.wrong(
        f"{_quoted(term)} is not known: {meant}known are {_KEYS_TOLD} and plain text;"
        " text with a colon goes in double quotes",
        f"{_short(term)} is not known: " + (meant.strip() or 'put text with a colon in "quotes"'),
        f"{near}:" if near else "",
    )


def _nothing_named(term: Term, key: str) -> QueryError:
    if key:
        what = f"is not finished: say what, as in {KEYS[key].partition(': ')[2]}"
        return term.wrong(f"{_quoted(term)} {what}", f"{_short(term)} {what}"[:78])
    what = f"known are {_KEYS_TOLD} and plain text"
    return term.wrong(f"{_quoted(term)} names nothing: {what}", f"{_short(term)} names nothing: {what}"[:78])


def _unknown_value(term: Term, names: Sequence[str]) -> QueryError:
    near = nearest_name(term.value, names)
    meant = f"did you mean {near}? " if near else ""
    key = ALIASES.get(term.key, term.key)
    listed = f"{key}: takes {', '.join(names)}"
    short = meant.strip() or f"{key}: takes {', '.join(names[:4])}, …"
    return term.wrong(
        f"{_quoted(term)} is not known: {meant}{listed}",
        f"{_short(term)} is not known: {short}",
        f"{key}:{near}" if near else "",
    )


def _quoted(term: Term) -> str:
    return f"“{visible(_as_typed(term), _WORD_CELLS)}”"


def _short(term: Term) -> str:
    return f"“{visible(_as_typed(term), _SHORT_CELLS)}”"


def _as_typed(term: Term) -> str:
    return term.written if term.value else term.written.removesuffix('""')


# kinds, states, what an event has

KINDS: dict[str, Predicate] = {
    "prompt": lambda ledger, row: ledger.kind[row] == Kind.PROMPT,
    "inference": lambda ledger, row: ledger.kind[row] == Kind.INFERENCE,
    "call": lambda ledger, row: ledger.kind[row] in (Kind.TOOL, Kind.SPAWN),
    "tool": lambda ledger, row: ledger.kind[row] == Kind.TOOL,
    "spawn": lambda ledger, row: ledger.kind[row] == Kind.SPAWN,
    "bookkeeping": lambda ledger, row: ledger.kind[row] == Kind.BOOKKEEPING,
    "governance": lambda ledger, row: ledger.kind[row] == Kind.GOVERNANCE,
    "malformed": lambda ledger, row: ledger.kind[row] == Kind.MALFORMED,
    "gap": lambda ledger, row: ledger.kind[row] == Kind.GAP,
}
"""What `kind:` takes; `is:` takes them too, but for `tool`."""


def _at(pointer: Pointer) -> Predicate:
    return lambda ledger, row: ledger.kind_at(row).agent and ledger.pointer_at(row) is pointer


def _in_sub_lane(ledger: Ledger, row: int) -> bool:
    lane = ledger.lane_at(row)
    return lane is not None and lane.above is not None


STATES: dict[str, Predicate] = {
    "failed": marks.is_failed,
    "ok": lambda ledger, row: ledger.success_at(row) is True,
    "dead": marks.is_dead,
    "late": lambda ledger, row: ledger.is_late(row),
    "synthesized": lambda ledger, row: ledger.synthesized_at(row),
    "sub": _in_sub_lane,
    "root": _at(Pointer.ROOT),
    "orphan": _at(Pointer.ORPHAN),
    "unloaded": _at(Pointer.UNLOADED),
    "rewound": _at(Pointer.REWOUND),
    **{name: fits for name, fits in KINDS.items() if name != "tool"},
}
"""What `is:` takes, besides `dropped` in a preview."""

PLAINLY: dict[str, Predicate] = {
    "blob": lambda ledger, row: bool(ledger.blobs_at(row)),
    "diff": lambda ledger, row: ledger.tool_at(row) in calls.WRITERS,
    "time": lambda ledger, row: ledger.time_at(row) is not None,
    "duration": lambda ledger, row: bool(ledger.duration_at(row)),
    "parent": lambda ledger, row: ledger.parent_row(row) >= 0,
    "child": lambda ledger, row: walk.first_child(ledger, row) is not None,
    "agent": lambda ledger, row: bool(ledger.actor_at(row)),
}
_IN_THE_RECORD = ("path", "command", "error", "tokens")

HAS = (*PLAINLY, *_IN_THE_RECORD)
"""What `has:` takes."""


def _one_of(term: Term, known: dict[str, Predicate]) -> Meaning:
    fits = known.get(term.value.casefold())
    if fits is None:
        raise _unknown_value(term, list(known))
    return Meaning(fits)


def _state(term: Term, asked: Asked) -> Meaning:
    if term.value.casefold() != "dropped":
        return _one_of(term, STATES) if term.value.casefold() in STATES else _no_state(term)
    dropped = asked.dropped
    if dropped is None:
        text = f"{_quoted(term)} asks for a rewind: it works in the preview, after r"
        raise NoRewind(text, begin=term.begin, end=term.end)
    return Meaning(lambda _, row: dropped(row))


def _no_state(term: Term) -> Meaning:
    raise _unknown_value(term, [*STATES, "dropped"])


def _has(term: Term) -> Meaning:
    what = term.value.casefold()
    if what in PLAINLY:
        return Meaning(PLAINLY[what])
    if what not in _IN_THE_RECORD:
        raise _unknown_value(term, HAS)
    return Meaning(_by_its_record, lambda content: content.has(what))


def _blob(needle: str) -> Meaning:
    """By the beginning of its digest, or by its content."""
    is_hex = _HEX.fullmatch(needle) is not None

    def quick(ledger: Ledger, row: int) -> bool | None:
        digests = ledger.blobs_at(row)
        if is_hex and any(digest.startswith(needle) for digest in digests):
            return True
        return None if digests else False

    return Meaning(quick, lambda content: content.blob_says(needle))


# times and numbers


def _time(term: Term, key: str, asked: Asked) -> Meaning:
    at_ms = moment(term.value, asked.now_ms, asked.zone)
    if at_ms is None:
        raise term.wrong(
            f"{_quoted(term)} is no time: write {', '.join(f'{key}:{each}' for each in WRITTEN)}",
            f"{_short(term)} is no time: write {', '.join(f'{key}:{each}' for each in WRITTEN[:3])}, …",
        )

    def fits(ledger: Ledger, row: int) -> bool:
        when = ledger.time_at(row)
        return when is not None and (when >= at_ms if key == "since" else when < at_ms)

    return Meaning(fits)


def _numbers(term: Term, key: str) -> Meaning:
    found = _NUMBER.fullmatch(term.value)
    if found is None or (found["sign"] and found["high"]):
        how = f"is no number: write {key}:7, {key}:>7 or {key}:7..9"
        raise term.wrong(f"{_quoted(term)} {how}", f"{_short(term)} {how}")
    low, high = float(found["low"]), float(found["high"] or "inf")
    if high < low:
        how = f"fits nothing: write {key}:{found['high']}..{found['low']}"
        raise term.wrong(f"{_quoted(term)} {how}", visible(f"{_short(term)} {how}", 78))
    compare = _COMPARE[found["sign"]]

    def fits(ledger: Ledger, row: int) -> bool:
        number = _number(key, ledger, row)
        if number is None:
            return False
        return low <= number <= high if found["high"] else compare(number, low)

    return Meaning(fits)


def _number(key: str, ledger: Ledger, row: int) -> float | None:
    match key:
        case "seq":
            return ledger.number_at(row)
        case "ms":
            return ledger.duration_at(row)
        case "session":
            session = ledger.session_at(row)
            return None if session is None else session.seq
    lane = ledger.lane_at(row)
    return None if lane is None else marks.lane_number(lane)
