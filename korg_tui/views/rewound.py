"""Rewound: what rewinds under the reader dropped, beside what §3 had called invalid (CAUSALITY §8, §9)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from korg_tui.causal import Gone, Ledger, Rewound
from korg_tui.event import Kind
from korg_tui.formats import Body, body
from korg_tui.reading import Reading
from korg_tui.sources import BodyGone
from korg_tui.text import visible
from korg_tui.views import summary, values
from korg_tui.views.rewound_notes import (
    Drop,
    changed_in_place,
    changed_words,
    cut_tail,
    drops,
    is_back,
    is_ours,
    is_rewind,
    named_drop,
    stands_at,
)
from korg_tui.views.sections import Line, Section
from korg_tui.views.words import plural

LISTED = 200
"""Dropped events that a list has; how many more there are is said."""
READ = 30
"""Dropped events whose arguments and results are shown."""

_BY_RULE = {
    1: "its cause goes",
    2: "it read a result that goes",
    3: "a call that goes started it",
    4: "it read what such a sub-agent returned",
}
_SPARED = {
    "independent": "no recorded dependence",
    "unknown": "its own cause is not in the ledger",
    "governance": "a governance event",
    "kept": "it is not later",
}


def rewound_words(reading: Reading, change: Rewound) -> str:
    """`rewound to 41 by human:dusk: 17 dropped; the rules would have kept 3 of them`; and what an old writer
    has put back. Where nothing of the old ledger stands, it can be another one. `the file was changed at 5:
    1 event is gone`: what stood behind it stands as it was, so that was no rewind."""
    if changed_in_place(change.ledger, change.dropped):
        seqs = [gone.event.seq for gone in change.dropped]
        where = f"at {seqs[0]}" if len(seqs) == 1 else f"between {min(seqs)} and {max(seqs)}"
        return f"the file was changed {where}: {changed_words(change.ledger, change.dropped)}"
    if _is_another(reading, change):
        count = _count(len(change.dropped))
        return f"another ledger is there now: none of the {count} of the old one is in it"
    who = _who(reading, change)
    by = f" by {visible(who, 80)}" if who else ""
    open_ = sum(each.fate == "possible" for each in change.dropped)
    kept = len(change.dropped) - len(change.invalid) - open_
    perhaps = f", and perhaps {open_} more" if open_ else ""
    dropped = len(change.dropped)
    spared = f"the rules would have kept {kept} of them{perhaps}"
    words = f"rewound to {change.to}{by}: {dropped} dropped; {spared}"
    earlier = (gone for gone in change.ledger.gone if gone.generation < change.generation)
    back = sum(is_back(change.ledger, gone) for gone in earlier)
    return f"{words}; {back} dropped earlier are back" if back else words


def _is_another(reading: Reading, change: Rewound) -> bool:
    """Whether there is another ledger now: nothing of the old one was kept, and no rewind says so. One that
    is empty can be the old one, unless our own recorder wrote that: it seals every rewind."""
    ledger, dropped = change.ledger, change.dropped
    if change.to or any(is_back(ledger, gone) for gone in dropped):
        return False
    if not len(ledger):
        return is_ours(_look(reading, ledger, dropped[0]).found)
    # An event numbered 0 can have been kept.
    first = ledger.seq_at(0)
    kept = first is not None and first <= 0 and all(gone.event.seq != first for gone in dropped)
    return not kept and not is_rewind(ledger, 0)


def _who(reading: Reading, change: Rewound) -> str:
    """The actor that the `LedgerRewind` event after the kept ones names."""
    ledger = change.ledger
    row = ledger.row_of(change.to)
    after = 0 if row is None else row + 1
    if after >= len(ledger) or not is_rewind(ledger, after):
        return ""
    who = _event_of(_read(reading, ledger, after)).get("rewound_by")
    return who if isinstance(who, str) else ""


def _read(reading: Reading, ledger: Ledger, row: int) -> Body | None:
    try:
        return reading.body(ledger, row)
    except (BodyGone, OSError):
        return None


def _event_of(found: Body | None) -> dict[str, object]:
    event = {} if found is None else found.record.get("event", found.record)
    return event if isinstance(event, dict) else {}


@dataclass(frozen=True, slots=True)
class _Read:
    """A dropped event, and its record where the source can still give it; else why not, safe."""

    gone: Gone
    found: Body | None
    lost: str
    back: bool
    """It stands in the ledger again."""


def rewound_sections(reading: Reading, ledger: Ledger, row: int, dismiss: str = "a") -> list[Section]:
    """What rewinds dropped right after this row, or at this `LedgerRewind`: the newest rewind first, each
    with what §3 had called invalid beside what it would have kept, and with what the events were.

    `dismiss`: the key that puts it away."""
    sections: list[Section] = []
    for drop in drops(ledger):
        if stands_at(ledger, drop, row):
            sections += _told(reading, ledger, drop, dismiss)
    if is_rewind(ledger, row) and named_drop(ledger, row) is None:
        sections.append(_unknown(reading, ledger, row))
    return sections


def _unknown(reading: Reading, ledger: Ledger, row: int) -> Section:
    """A rewind that nobody here saw."""
    found = _read(reading, ledger, row)
    event = _event_of(found)
    to, through = event.get("target_seq_id"), event.get("invalidated_through")
    if ledger.dismissed_at(row):
        return Section("what it dropped was dismissed", "fields", (Line("it is kept no more", "note"),))
    lines = [Line("the ledger was rewound before it was opened here", "note")]
    if isinstance(to, int) and isinstance(through, int) and to < through:
        lines.append(Line(f"it says that it went back from {through} to {to}", "note"))
    tail = cut_tail(reading.source.watched, found)
    if tail is None:
        return Section("what it dropped cannot be known", "fields", tuple(lines))
    lines.append(Line(visible(str(tail)), label="kept in"))
    return Section("what it dropped was put aside", "fields", tuple(lines))


def _told(reading: Reading, ledger: Ledger, drop: Drop, dismiss: str) -> Iterator[Section]:
    read = [_look(reading, ledger, gone) for gone in drop.events[:LISTED]]
    invalid = [each for each in read if each.gone.fate == "invalidated"]
    perhaps = [each for each in read if each.gone.fate == "possible"]
    spared = [each for each in read if each.gone.fate not in ("invalidated", "possible")]
    if changed_in_place(ledger, drop.events):
        yield _changed(ledger, drop, dismiss)
        yield Section("as they were before", "effects", tuple(_line(each, why=False) for each in read))
        yield from _contents(read, len(drop.events))
        return
    title = f"gone: {_count(len(drop.events))} that a rewind dropped"
    away = Line(f"{dismiss} dismisses what rewinds have dropped", "note")
    yield Section(title, "fields", (*_counts(ledger, drop), away))
    for title, each in (
        ("dropped, and invalid by the rules", invalid),
        ("dropped, and the rules leave it open", perhaps),
        ("dropped, though the rules would have kept it", spared),
    ):
        if each:
            yield Section(title, "effects", tuple(map(_line, each)))
    yield from _contents(read, len(drop.events))


def _changed(ledger: Ledger, drop: Drop, dismiss: str) -> Section:
    """What was done to a file that was not rewound."""
    lines = [
        Line("the events behind stand as they were: this was no rewind", "error"),
        Line(_numbers([each.event.seq for each in drop.events]), label="changed"),
        Line(f"{dismiss} dismisses what was there before", "note"),
    ]
    if len(drop.events) > LISTED:
        lines.append(Line(f"the first {LISTED} are listed below", "note", "listed"))
    return Section(f"changed in the file: {changed_words(ledger, drop.events)}", "fields", tuple(lines))


def _numbers(seqs: list[int]) -> str:
    return str(seqs[0]) if len(seqs) == 1 else f"{min(seqs)}–{max(seqs)}"


def _contents(read: list[_Read], count: int) -> Iterator[Section]:
    for one in read[:READ]:
        yield from _content(one)
    if count > READ:
        more = plural(count - READ, "dropped event")
        yield Section(f"{more} more, not shown in full", "fields", (Line("the first are", "note"),))


def _counts(ledger: Ledger, drop: Drop) -> Iterator[Line]:
    fates: dict[str, int] = defaultdict(int)
    for each in drop.events:
        fates[each.fate] += 1
    seqs = [each.event.seq for each in drop.events]
    yield Line(f"{_numbers(seqs)}, {_count(len(seqs))}", label="dropped")
    invalid, perhaps = fates.pop("invalidated", 0), fates.pop("possible", 0)
    yield Line(f"{_count(invalid)}, by the rules of a rewind", label="invalid")
    if perhaps:
        yield Line(f"{_count(perhaps)}: the ledger leaves it open", label="perhaps")
    yield Line(f"{_count(sum(fates.values()))} that the rules would not have dropped", label="kept")
    back = sum(is_back(ledger, each) for each in drop.events)
    if back:
        yield Line(f"{_count(back)}, in the ledger again", label="back")
    if len(seqs) > LISTED:
        yield Line(f"the first {LISTED} are listed below", "note", "listed")


def _count(events: int) -> str:
    return plural(events, "event")


def _look(reading: Reading, ledger: Ledger, gone: Gone) -> _Read:
    event, back = gone.event, is_back(ledger, gone)
    try:
        return _Read(gone, body(reading.source.read(event.offset, event.length, gone.epoch)), "", back)
    except (BodyGone, OSError) as error:
        return _Read(gone, None, visible(str(error), 80), back)


def _line(one: _Read, *, why: bool = True) -> Line:
    event = one.gone.event
    argument = f"({one.lost})" if one.lost else ""
    if one.found is not None:
        argument = summary.argument(event.tool, one.found, event.kind)
    text = f"{visible(event.tool, 60)}  {argument}".rstrip()
    said = filter(None, (text, _why(one.gone) if why else "", "in the ledger again" if one.back else ""))
    return Line(" · ".join(said), "" if one.back else "removed", str(event.seq))


def _why(gone: Gone) -> str:
    if gone.fate not in ("invalidated", "possible"):
        return _SPARED.get(gone.fate, "")
    if not gone.rules:
        return ""
    because = ", and ".join(_BY_RULE[rule] for rule in gone.rules if rule in _BY_RULE)
    numbers = " ".join(map(str, gone.rules))
    return f"rule{'s' if len(gone.rules) > 1 else ''} {numbers}: {because}"


def _content(one: _Read) -> Iterator[Section]:
    """What a dropped event was given and what it returned."""
    found, event = one.found, one.gone.event
    if found is None:
        return
    if event.kind is Kind.GOVERNANCE:
        parts = [values.json_section("event", _event_of(found), "")]
    else:
        failed = event.success is False
        parts = values.content(values.Call(event.tool, found.args, found.result, failed, event.kind))
    for part in parts:
        title = f"gone {event.seq} {visible(event.tool, 60)}: {part.title}"
        lines = tuple(replace(line, opens=None) for line in part.lines)  # it is no row that can be opened
        yield Section(title, part.kind, lines)
