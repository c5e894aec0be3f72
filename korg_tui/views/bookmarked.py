"""Bookmarked: which rows a person has marked, and what became of an event that was marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from korg_tui.causal import Ledger, is_key
from korg_tui.event import Kind
from korg_tui.reading import Reading
from korg_tui.remembered import Bookmark, identity
from korg_tui.text import crop, visible

_WORDS_CELLS = 120

Fate = Literal["here", "replaced", "gone", "not loaded"]
"""What became of a marked event: it is there; another event has its number; no event has it any more; the
source has not given it yet."""


def ledger_identity(reading: Reading, ledger: Ledger) -> str:
    """What a ledger is remembered by."""
    return identity(reading.source.watched, ledger.name)


def bookmark(reading: Reading, ledger: Ledger, row: int, words: str, now_ms: int) -> Bookmark | None:
    """A bookmark for a row that says these words; None where there is no event to be found again: a malformed
    line, a gap. An event of a sub-agent with a ledger of its own is marked there."""
    seq = ledger.seq_at(row)
    if seq is None or ledger.kind[row] in (Kind.MALFORMED, Kind.GAP):
        return None
    where, number = ledger_identity(reading, ledger), seq
    if is_key(seq):
        name, number = ledger.address(seq)
        kin = reading.kin.get(name)
        where = identity(None, name) if kin is None else identity(kin.source.watched, name)
    return Bookmark(where, number, ledger.columns.digest[row], crop(words, _WORDS_CELLS), now_ms)


@dataclass(frozen=True, slots=True)
class Marked:
    """The bookmarks of a ledger, as it stands now."""

    rows: dict[int, Bookmark] = field(default_factory=dict)
    """By the row of the event that was marked."""
    lost: tuple[tuple[Bookmark, Fate], ...] = ()
    """Those whose event is not there, and why."""


def marked(reading: Reading, ledger: Ledger, bookmarks: Sequence[Bookmark]) -> Marked:
    """The bookmarks of a ledger, and of those of sub-agents that are lanes of it."""
    if not bookmarks:
        return Marked()
    names = dict(_names(reading, ledger))
    rows: dict[int, Bookmark] = {}
    lost: list[tuple[Bookmark, Fate]] = []
    for each in bookmarks:
        if each.ledger not in names:
            continue
        row = _row_of(ledger, names[each.ledger], each.seq)
        fate = _fate(ledger, row, each)
        if fate == "here" and row is not None:
            rows[row] = each
        else:
            lost.append((each, fate))
    return Marked(rows, tuple(lost))


def _names(reading: Reading, ledger: Ledger) -> Iterator[tuple[str, int | None]]:
    """What its own events and those of its guests are remembered by, and the index of the origin."""
    yield ledger_identity(reading, ledger), None
    for origin in ledger.origins:
        kin = None if origin is None else reading.kin.get(origin.name)
        if origin is not None and kin is not None:
            yield identity(kin.source.watched, origin.name), origin.index


def _row_of(ledger: Ledger, index: int | None, seq: int) -> int | None:
    origin = None if index is None else ledger.origins[index]
    return ledger.row_of(seq if origin is None else origin.key(seq))


def _fate(ledger: Ledger, row: int | None, mark: Bookmark) -> Fate:
    if row is not None:
        return "here" if ledger.columns.digest[row] == mark.digest else "replaced"
    not_loaded = any(hole.first <= mark.seq <= hole.last for hole in ledger.holes)
    before = bool(len(ledger)) and mark.seq < ledger.seq[0]
    return "not loaded" if not_loaded or before else "gone"


def lost_words(mark: Bookmark, fate: Fate) -> str:
    """What is said of a bookmark whose event is not there, safe."""
    was = f" (it was {visible(mark.words, 60)})" if mark.words else ""
    match fate:
        case "replaced":
            return f"{mark.seq} is another event now{was}: a rewind took away what you marked"
        case "gone":
            return f"{mark.seq} is gone from its ledger{was}: a rewind took it away"
        case "not loaded":
            return f"{mark.seq} is not loaded{was}: it lies before the window, or in a gap"
        case _:
            return ""
