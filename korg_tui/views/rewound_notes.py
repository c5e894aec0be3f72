"""Where rewinds under the reader stand in a ledger, and what the rows there say (CAUSALITY §8, §9)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from korg_tui.causal import Gone, Ledger
from korg_tui.event import Kind
from korg_tui.formats import Body
from korg_tui.views.words import plural

REWIND = "LedgerRewind"
"""The event with which a sealed rewind says what it did."""

_RECORDER = "korg-tui"
"""The tag `recorder` of what `korg-tui serve` writes."""

_GENERATION = re.compile(r"[0-9]{1,9}")

NOWHERE = -1
_KEPT_AS = "drops"
_SETTLED = -1
"""What is appended moves no drop; else they are placed anew when the ledger is longer."""


@dataclass(frozen=True, slots=True)
class Drop:
    """What one rewind dropped, in the order of the ledger. `row` is the first row after what was kept, which
    may be behind the end. Where the last kept event was dropped since, it stands where that was dropped;
    `NOWHERE` when nobody knows any more where that was."""

    generation: int
    row: int
    events: tuple[Gone, ...]


def drops(ledger: Ledger) -> tuple[Drop, ...]:
    """The rewinds under the reader, newest first."""
    if not ledger.gone:
        return ()
    mark = (ledger.generation, len(ledger.gone), ledger.revision)
    kept: tuple[object, int, tuple[Drop, ...]] | None = ledger.derived.get(_KEPT_AS)
    if kept is None or kept[0] != mark or kept[1] not in (_SETTLED, len(ledger)):
        found = _drops(ledger)
        settled = len(ledger) > 0 and all(_is_placed(ledger, each.generation) for each in found)
        kept = ledger.derived[_KEPT_AS] = (mark, _SETTLED if settled else len(ledger), found)
    return kept[2]


def _drops(ledger: Ledger) -> tuple[Drop, ...]:
    groups: dict[int, list[Gone]] = defaultdict(list)
    for each in ledger.gone:
        groups[each.generation].append(each)
    found: list[Drop] = []
    for generation, group in sorted(groups.items(), reverse=True):
        found.append(Drop(generation, _place(ledger, generation, group, found), tuple(group)))
    return tuple(found)


def _place(ledger: Ledger, generation: int, group: Sequence[Gone], later: Sequence[Drop]) -> int:
    """Where a drop stands; `later` ones have their places, the newest first."""
    if _is_placed(ledger, generation):
        return ledger.columns.first_from(min(each.event.seq for each in group))
    kept = ledger.kept.get(generation)
    for drop in reversed(later):
        if any((each.event.seq, each.event.digest) == kept for each in drop.events):
            return drop.row
    return NOWHERE


def _is_placed(ledger: Ledger, generation: int) -> bool:
    """Whether the place of what a generation dropped still is in the ledger: what was kept before it."""
    kept = ledger.kept.get(generation)
    return kept is None or _stands(ledger, *kept)


def _stands(ledger: Ledger, seq: int, digest: int) -> bool:
    row = ledger.row_of(seq)
    return row is not None and ledger.columns.digest[row] == digest


def is_back(ledger: Ledger, gone: Gone) -> bool:
    """Whether a dropped event stands in the ledger again: an old writer may put a tail back."""
    return _stands(ledger, gone.event.seq, gone.event.digest)


def changed_in_place(ledger: Ledger, dropped: Sequence[Gone]) -> bool:
    """Whether what was dropped together went by a change within the file: what stood behind stands as it was,
    and no `LedgerRewind` stands in its place."""
    if not any(each.amid for each in dropped):
        return False
    row = ledger.columns.first_from(dropped[0].event.seq)
    return row >= len(ledger) or not is_rewind(ledger, row)


def changed_words(ledger: Ledger, dropped: Sequence[Gone]) -> str:
    """`1 event is gone`, `2 events have other content`, or both."""
    other = sum(ledger.row_of(each.event.seq) is not None for each in dropped if not is_back(ledger, each))
    back = sum(is_back(ledger, each) for each in dropped)
    gone = len(dropped) - other - back
    parts = (
        f"{plural(gone, 'event')} {'is' if gone == 1 else 'are'} gone" if gone else "",
        f"{plural(other, 'event')} {'has' if other == 1 else 'have'} other content" if other else "",
        f"{plural(back, 'event')} {'is' if back == 1 else 'are'} as before again" if back else "",
    )
    return ", ".join(filter(None, parts))


def is_rewind(ledger: Ledger, row: int) -> bool:
    """Whether a row is the event that a sealed rewind leaves behind."""
    return ledger.kind[row] == Kind.GOVERNANCE and ledger.tool_at(row) == REWIND


def is_ours(found: Body | None) -> bool:
    """Whether our own recorder wrote a record."""
    tags = None if found is None else found.metadata.get("tags")
    return isinstance(tags, dict) and tags.get("recorder") == _RECORDER


def cut_tail(ledger: Path | None, found: Body | None) -> Path | None:
    """The file in which our own recorder kept what this `LedgerRewind` cut off, where it still lies beside
    its ledger. The event has the number of the generation that it began."""
    if ledger is None or found is None or not is_ours(found):
        return None
    generation = found.metadata["tags"].get("generation")
    if not (isinstance(generation, str) and _GENERATION.fullmatch(generation)):
        return None
    path = ledger.parent / ".cut" / f"generation-{int(generation) - 1}.jsonl"
    try:
        return path if path.is_file() else None
    except OSError:
        return None


def named_drop(ledger: Ledger, row: int) -> Drop | None:
    """What the rewind of this `LedgerRewind` dropped; None when nobody here saw it."""
    return next((drop for drop in drops(ledger) if drop.row == row), None)


def stands_at(ledger: Ledger, drop: Drop, row: int) -> bool:
    """Whether a drop is told of at this row: the last one that was kept, or the `LedgerRewind` after it; the
    first row where none was kept."""
    if row == drop.row:
        return row == 0 or is_rewind(ledger, row)
    return row == drop.row - 1


def rewound_note(ledger: Ledger, row: int) -> str:
    """What a row says of a rewind: of one under the reader how much it dropped, of one before the ledger was
    opened that it was."""
    if is_rewind(ledger, row):
        drop = named_drop(ledger, row)
        if drop is not None:
            return f"{len(drop.events):,} dropped: see the details"
        if ledger.dismissed_at(row):
            return "what it dropped was dismissed"
        return "rewound before it was opened: see the details"
    told = next((drop for drop in drops(ledger) if stands_at(ledger, drop, row)), None)
    if told is None or (told.row < len(ledger) and is_rewind(ledger, told.row)):
        return ""
    where = "before" if told.row == row else "after"
    if changed_in_place(ledger, told.events):
        return f"changed {where} this, {changed_words(ledger, told.events)}: see the details"
    return f"{len(told.events):,} dropped {where} this: see the details"
