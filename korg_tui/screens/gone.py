"""Gone: what a rewind under the reader dropped, to be read on, and who it was (CAUSALITY §8)."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict

from korg_tui.causal import Gone, Ledger, Rewound
from korg_tui.event import Kind
from korg_tui.formats import body
from korg_tui.reading import Reading
from korg_tui.sources import BodyGone
from korg_tui.text import visible
from korg_tui.views import Line, Section, argument, plural

_LISTED = 200
_REWIND = "LedgerRewind"


def rewound_words(reading: Reading, change: Rewound) -> str:
    """`rewound to 41 by human:dusk: 17 dropped; §3 would have kept 3 of them`."""
    kept = len(change.dropped) - len(change.invalid)
    who = _who(reading, change)
    by = f" by {visible(who, 80)}" if who else ""
    return f"rewound to {change.to}{by}: {len(change.dropped)} dropped; §3 would have kept {kept} of them"


def _who(reading: Reading, change: Rewound) -> str:
    """The actor that the `LedgerRewind` event after the kept ones names."""
    ledger = change.ledger
    row = ledger.row_of(change.to)
    after = 0 if row is None else row + 1
    if after >= len(ledger) or ledger.kind[after] != Kind.GOVERNANCE or ledger.tool_at(after) != _REWIND:
        return ""
    try:
        found = reading.body(ledger, after)
    except (BodyGone, OSError):
        return ""
    event = {} if found is None else found.record.get("event", found.record)
    who = event.get("rewound_by") if isinstance(event, dict) else None
    return who if isinstance(who, str) else ""


def gone_sections(reading: Reading, ledger: Ledger, row: int) -> list[Section]:
    """What rewinds dropped right after this row, or at this `LedgerRewind`; newest rewind first."""
    groups: dict[int, list[Gone]] = defaultdict(list)
    for each in ledger.gone:
        groups[each.generation].append(each)
    return [
        _section(reading, group)
        for _, group in sorted(groups.items(), reverse=True)
        if _stands_at(ledger, group, row)
    ]


def _stands_at(ledger: Ledger, group: list[Gone], row: int) -> bool:
    anchor = bisect_left(ledger.seq, min(each.event.seq for each in group)) - 1
    return row == anchor or (row == anchor + 1 and ledger.tool_at(row) == _REWIND)


def _section(reading: Reading, group: list[Gone]) -> Section:
    lines = [_line(reading, each) for each in group[:_LISTED]]
    if len(group) > _LISTED:
        lines.append(Line(f"… {len(group) - _LISTED:,} more, not shown", style="note"))
    return Section(f"gone: {plural(len(group), 'event')} that a rewind dropped", "effects", tuple(lines))


def _line(reading: Reading, gone: Gone) -> Line:
    event = gone.event
    kept = "" if gone.invalid else " · §3 would have kept it"
    text = f"{visible(event.tool, 60)}  {_argument(reading, gone)}".rstrip()
    return Line(f"{text}{kept}", style="removed", label=str(event.seq))


def _argument(reading: Reading, gone: Gone) -> str:
    event = gone.event
    try:
        found = body(reading.source.read(event.offset, event.length, gone.epoch))
    except (BodyGone, OSError) as error:
        return f"({visible(str(error), 80)})"
    return "" if found is None else argument(event.tool, found, event.kind)
