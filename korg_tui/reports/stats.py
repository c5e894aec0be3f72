"""`stats`: calls, failures, time, tokens and cost of ledgers in numbers, per tool, agent and lane."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from korg_tui.export import for_ledgers, timestamp, to_json
from korg_tui.reports.asked import Place, UsageError, narrate, places, read, sort_words
from korg_tui.reports.page import Line, Piece, print_page, table
from korg_tui.text import visible
from korg_tui.views import (
    STATS_ORDERS,
    At,
    Group,
    Scope,
    Stats,
    StatsLine,
    count_words,
    duration,
    failed_words,
    stats_lines,
)
from korg_tui.views import stats as count

_NUMBERS = ("calls", "failed", "time", "mean", "p50", "p90", "p99", "max", "tokens in", "out")
_NAME = 60


def stats_options(command: argparse.ArgumentParser) -> None:
    """The options of `stats`."""
    command.add_argument(
        "--sort", choices=tuple(STATS_ORDERS), default="time", help="sort tables by (default: time)"
    )


def stats(arguments: argparse.Namespace) -> int:
    """Print the numbers of each ledger."""
    picks, sources = sort_words(arguments.words)
    if picks:
        raise UsageError(f"stats takes no event number; korg-tui show {picks[0]} shows one")
    readings = read(sources, arguments.demo)
    every = places(readings)
    if arguments.json:
        documents = {place.ledger.name: stats_document(_count(place)) for place in every}
        print(to_json(for_ledgers([reading.journal for reading in readings], documents)))
        return 0
    for place in every:
        print_page(_page(place, arguments.sort))
    if not any(len(place.ledger) for place in every):
        narrate("no event has been written yet")
    return 0


def _count(place: Place) -> Stats:
    return count([Scope(place.ledger, None, place.reading.bodies(place.ledger))])


def stats_document(found: Stats) -> dict[str, Any]:
    """The numbers as JSON: durations in ms, cost in US dollars; what is unknown is null."""
    return {
        "sessions": found.sessions,
        "events": found.events,
        "prompts": found.prompts,
        "inferences": found.inferences,
        "tool_calls": found.tool_calls,
        "spawn_calls": found.spawn_calls,
        "failed": found.failed,
        "first_event_at": timestamp(found.first_ms),
        "last_event_at": timestamp(found.last_ms),
        "tokens": _tokens(
            found.usage.tokens_in, found.usage.tokens_out, found.usage.cached, found.usage.unsplit
        ),
        "cost_usd": found.cost,
        "unread": found.unread,
        "tools": [_group(each) for each in found.tools],
        "agents": [_group(each) for each in found.agents],
        "lanes": [_group(each) for each in found.lanes],
        "slowest": [
            {**_where(each.place), "tool": each.tool, "duration_ms": each.duration_ms}
            for each in found.slowest
        ],
        "files": [
            {"path": each.path, "writes": each.writes, "last": _where(each.last)} for each in found.files
        ],
        "not_listed": {"lanes": found.more_lanes, "files": found.more_files},
    }


def _group(group: Group) -> dict[str, Any]:
    used = group.usage
    return {
        "name": group.name,
        "calls": group.calls,
        "failed": group.failed,
        "timed": group.timed,
        "total_ms": group.total_ms if group.timed else None,
        "mean_ms": group.mean_ms,
        "p50_ms": group.p50_ms,
        "p90_ms": group.p90_ms,
        "p99_ms": group.p99_ms,
        "max_ms": group.max_ms,
        "slowest": None if group.slowest is None else _where(group.slowest),
        "tokens": _tokens(used.tokens_in, used.tokens_out, used.cached, used.unsplit),
        "cost_usd": used.dollars,
    }


def _where(place: At) -> dict[str, Any]:
    """The ledger and the seq there, which for a sub-agent's event are those of its own ledger."""
    ledger, seq = place.scope.ledger.address(place.seq)
    return {"ledger": ledger, "seq": seq}


def _tokens(
    went_in: int | None, came_out: int | None, cached: int | None, unsplit: int | None
) -> dict[str, Any]:
    return {"in": went_in, "out": came_out, "cached": cached, "not_split": unsplit}


def _page(place: Place, sort: str) -> Iterator[Line]:
    yield [(visible(place.ledger.name), "bold")]
    found = _count(place)
    rows = stats_lines(found, sort)
    tokens = found.usage.tokens is not None
    at = 0
    while at < len(rows):
        row = rows[at]
        if row.kind == "columns":
            groups = [each for each in rows[at + 1 :][: _groups_from(rows, at + 1)] if each.group is not None]
            yield []
            yield from table([_head(row, tokens), *(_cells(each, tokens) for each in groups)], _RIGHT)
            at += len(groups)
        elif row.kind == "title":
            yield []
            yield [(row.text, "bold")]
        else:
            yield [(f"  {row.told:>11}  " if row.told else "  ", "dim"), (row.text, "")]
        at += 1


_RIGHT = frozenset(range(1, len(_NUMBERS) + 1))


def _groups_from(rows: list[StatsLine], begin: int) -> int:
    end = begin
    while end < len(rows) and rows[end].kind == "group":
        end += 1
    return end - begin


def _numbers(tokens: bool) -> tuple[str, ...]:
    return _NUMBERS if tokens else _NUMBERS[:-2]


def _head(row: StatsLine, tokens: bool) -> list[Piece]:
    return [(row.text, "bold"), *((name, "dim") for name in _numbers(tokens))]


def _cells(row: StatsLine, tokens: bool) -> list[Piece]:
    group = row.group
    assert group is not None
    texts = [
        f"{group.calls:,}",
        failed_words(group),
        duration(group.total_ms) if group.timed else "-",
        *(_ms(ms) for ms in (group.mean_ms, group.p50_ms, group.p90_ms, group.p99_ms, group.max_ms)),
        count_words(group.usage.tokens_in),
        count_words(group.usage.tokens_out),
    ][: len(_numbers(tokens))]
    pieces: list[Piece] = [(text, "") for text in texts]
    if group.failed:
        pieces[1] = (texts[1], "bad")
    return [(f"  {visible(row.text, _NAME)}", ""), *pieces]


def _ms(ms: float | None) -> str:
    return "-" if ms is None else duration(ms)
