"""`compare`: two sessions event by event, aligned by action; as text what differs, as JSON all rows."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from korg_tui.causal import Session
from korg_tui.export import to_json
from korg_tui.reports.asked import Pick, Place, UsageError, find, places, read, sort_words
from korg_tui.reports.page import Line, print_page
from korg_tui.text import pad, visible
from korg_tui.views import COMPARE_SIGNS, COMPARE_WORDS, Act, Comparison, Side, outcome, plural
from korg_tui.views import compare as find_differences

_HOW = "compare takes two sessions: A and B, each a ledger with one session, or LEDGER:N, an event of it"
_LISTED = 6
_CELLS = 44
_STYLES = {"changed": "odd", "left": "bad", "right": "good", "same": "dim"}


def compare(arguments: argparse.Namespace) -> int:
    """Compare two sessions."""
    left, right = _two_sides(arguments.words, arguments.demo)
    found = find_differences(left, right)
    if arguments.json:
        print(to_json(_document(found)))
    else:
        print_page(_page(found))
    return 0


def _two_sides(words: Sequence[str], demo: bool) -> tuple[Side, Side]:
    picks, sources = sort_words(words)
    if len(picks) == 2:
        named = [pick.ledger for pick in picks if pick.ledger and Path(pick.ledger).exists()]
        every = places(read([*dict.fromkeys([*sources, *named])], demo))
        one, other = (_with_event(pick, every) for pick in picks)
        return one, other
    if len(picks) == 1 and len(sources) == 1:
        event, ledger = _one_of_each(picks[0], sources[0], demo)
        first_is_event = bool(sort_words(words[:1])[0])
        return (event, ledger) if first_is_event else (ledger, event)
    if len(sources) == 2 and not picks and not demo:
        one, other = (_only_session(places(read([source], False)), source) for source in sources)
        return one, other
    raise UsageError(_HOW)


def _one_of_each(pick: Pick, source: str, demo: bool) -> tuple[Side, Side]:
    """The session of an event of its own ledger, and the one session of another ledger."""
    if pick.ledger and not Path(pick.ledger).exists():
        raise UsageError(f"{pick}: no file is called {pick.ledger}; check the name")
    if not pick.ledger or demo:
        raise UsageError(_HOW)
    return _with_event(pick, places(read([pick.ledger], False))), _only_session(
        places(read([source], False)), source
    )


def _with_event(pick: Pick, every: Sequence[Place]) -> Side:
    hit = find(pick, every, agent=True)
    session = hit.place.ledger.session_at(hit.row)
    if session is None:
        raise UsageError(f"{pick} is in no session")
    return _side(hit.place, session)


def _only_session(every: Sequence[Place], source: str) -> Side:
    found = [(place, session) for place in every for session in place.ledger.sessions]
    if len(found) != 1:
        names = ", ".join(f"{place.ledger.name}:{session.seq}" for place, session in found[:_LISTED])
        more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
        said = f"has {len(found)} sessions: name one of {names}{more}" if found else "has no session"
        raise UsageError(f"{source} {said}")
    return _side(*found[0])


def _side(place: Place, session: Session) -> Side:
    name = visible(f"{place.ledger.name}:{session.seq}")
    return Side(name, place.ledger, session, place.reading.bodies(place.ledger))


def _document(found: Comparison) -> dict[str, Any]:
    counts = found.counts
    return {
        "left": _named(found.left),
        "right": _named(found.right),
        "same": counts["same"],
        "changed": counts["changed"],
        "only_left": counts["left"],
        "only_right": counts["right"],
        "rows": [
            {
                "state": COMPARE_WORDS[match.state],
                "what": list(match.what),
                **dict(
                    zip(
                        ("left", "right"), map(_event, (found.left, found.right), found.acts(at)), strict=True
                    )
                ),
            }
            for at, match in enumerate(found.matches)
        ],
    }


def _named(side: Side) -> dict[str, Any]:
    return {"ledger": side.ledger.name, "session": None if side.session is None else side.session.seq}


def _event(side: Side, act: Act | None) -> dict[str, Any] | None:
    if act is None:
        return None
    ledger, seq = side.ledger.address(act.seq)
    return {
        "ledger": ledger,
        "seq": seq,
        "kind": act.kind.word,
        "tool": act.tool,
        "success": act.success,
        "duration_ms": act.duration_ms,
    }


def _page(found: Comparison) -> Iterator[Line]:
    yield [("left   ", "dim"), (found.left.name, "bold")]
    yield [("right  ", "dim"), (found.right.name, "bold")]
    yield [(found.words, "")]
    yield []
    for same, rows in groupby(enumerate(found.matches), key=lambda row: row[1].state == "same"):
        if same:
            yield [(f"  = {plural(len(list(rows)), 'event')} the same", "dim")]
            continue
        for at, match in rows:
            left, right = (pad(_told(side, act), _CELLS) for side, act in _sides(found, at))
            state = f"  {COMPARE_SIGNS[match.state]} {COMPARE_WORDS[match.state]:<10}  "
            yield [(state, _STYLES[match.state]), (f"{left}  {right}  ", ""), (", ".join(match.what), "dim")]


def _sides(found: Comparison, at: int) -> Iterator[tuple[Side, Act | None]]:
    yield from zip((found.left, found.right), found.acts(at), strict=True)


def _told(side: Side, act: Act | None) -> str:
    if act is None:
        return ""
    failed = " failed" if outcome(act) == "failed" else ""
    return f"{side.ledger.address(act.seq)[1]} {visible(act.tool, 60)}{failed} {act.argument}"
