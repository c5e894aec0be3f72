"""Stats lines: the numbers as rows of a list, table by table. All text is safe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import tzinfo
from typing import Literal

from korg_tui.text import visible
from korg_tui.views.groups import ORDERS, At, Group
from korg_tui.views.stats import Stats
from korg_tui.views.words import clock, duration, label, number, plural

_NAME = 200


@dataclass(frozen=True, slots=True)
class StatsLine:
    """One row. `share` is that of the longest total of its table, 0 to 1."""

    kind: Literal["title", "columns", "group", "call", "file", "note"]
    text: str
    group: Group | None = None
    share: float = 0.0
    place: At | None = None
    """The event it leads to."""
    path: str = ""
    """Of a file, as written."""
    told: str = ""
    """What stands before the text: a duration, a count."""


def stats_lines(stats: Stats, sort: str, zone: tzinfo | None = None) -> list[StatsLine]:
    """All tables, the groups sorted by one of `ORDERS`."""
    lines = [StatsLine("title", "in all"), *(StatsLine("note", text) for text in summary_words(stats, zone))]
    for title, groups in (("tools", stats.tools), ("agents", stats.agents), ("lanes", stats.lanes)):
        lines += _table(title, groups, sort)
    if stats.more_lanes:
        lines.append(StatsLine("note", f"and {plural(stats.more_lanes, 'lane')} that took less time"))
    return [*lines, *_slowest(stats), *_files(stats)]


def _table(title: str, groups: tuple[Group, ...], sort: str) -> list[StatsLine]:
    longest = max((each.total_ms for each in groups), default=0) or 1
    lines = [StatsLine("columns", f"{title} ({len(groups)})")]
    for each in sorted(groups, key=ORDERS[sort]):
        name = visible(each.name, _NAME) or "(no name)"
        lines.append(StatsLine("group", name, each, each.total_ms / longest, each.slowest))
    return lines if groups else [*lines, StatsLine("note", "no calls")]


def _slowest(stats: Stats) -> Iterator[StatsLine]:
    yield StatsLine("title", "slowest calls")
    for call in stats.slowest:
        where = label(call.place.scope.ledger, call.place.seq)
        ledger = f" in {visible(call.place.scope.ledger.name, _NAME)}" if len(stats.ledgers) > 1 else ""
        text = f"{where} {visible(call.tool, _NAME)}{ledger}"
        yield StatsLine("call", text, place=call.place, told=duration(call.duration_ms))
    if not stats.slowest:
        yield StatsLine("note", "no call says how long it took")


def _files(stats: Stats) -> Iterator[StatsLine]:
    yield StatsLine("title", "files written most")
    for file in stats.files:
        told = plural(file.writes, "write")
        yield StatsLine("file", visible(file.path, _NAME), place=file.last, path=file.path, told=told)
    if stats.more_files:
        yield StatsLine("note", f"and {plural(stats.more_files, 'file')} more")
    if not stats.files:
        yield StatsLine("note", "no call names a file that it wrote")


def summary_words(stats: Stats, zone: tzinfo | None) -> list[str]:
    """The totals, a sentence each."""
    kinds = (
        (stats.prompts, "prompt"), (stats.inferences, "inference"), (stats.tool_calls, "tool call"),
        (stats.spawn_calls, "sub-agent call"),
    )  # fmt: skip
    counts = ", ".join(plural(count, name) for count, name in kinds if count)
    sessions = f"{plural(stats.sessions, 'session')} in {plural(len(stats.ledgers), 'ledger')}"
    words = [
        f"{sessions} · {plural(stats.events, 'event')} · {stats.failed:,} failed",
        *([counts] if counts else []),
    ]
    words.append(usage_words(stats))
    if stats.first_ms is None or stats.last_ms is None:
        words.append("no times")
    else:
        begun, ended = (clock(ms, zone, date=True)[:19] for ms in (stats.first_ms, stats.last_ms))
        words.append(f"from {begun} to {ended}: {duration(stats.last_ms - stats.first_ms)}")
    if stats.unread:
        words.append(
            f"{plural(stats.unread, 'record')} could not be read, or are too long to be read for tokens"
        )
    return words


def usage_words(stats: Stats) -> str:
    """Tokens and cost, as far as the ledger says."""
    used = stats.usage
    parts = [
        f"{number(count)} {name}"
        for count, name in ((used.tokens_in, "in"), (used.tokens_out, "out"), (used.unsplit, "not split"))
        if count is not None
    ]
    tokens = f"tokens: {', '.join(parts)}" if parts else "tokens: not said"
    cached = f" ({number(used.cached)} from a cache)" if used.cached else ""
    cost = "cost: not said" if stats.cost is None else f"cost: {dollars(stats.cost)}"
    return f"{tokens}{cached} · {cost}"


def dollars(cost: float) -> str:
    """`$0.42`, `$0.0031`."""
    return f"${cost:,.2f}" if cost >= 0.1 or cost == 0 else f"${cost:.2g}"


def failed_words(group: Group) -> str:
    """`3 (12 %)`; empty where nothing failed."""
    if not group.failed:
        return "0"
    share = 100 * group.failed / group.calls
    return f"{group.failed:,} ({share:.0f} %)" if share >= 1 else f"{group.failed:,} (< 1 %)"


def count_words(count: int | None) -> str:
    """A count of tokens, `-` where nothing is said."""
    return "-" if count is None else number(count)
