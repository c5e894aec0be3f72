"""Reasons: why an event came, one sentence for each edge that leads into it, with what the edge rests on
(CAUSALITY §4, §6; EXPERIENCE, `w`)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice

from korg_tui.causal import Lane, Ledger, Pointer, Weave, weave
from korg_tui.event import Kind
from korg_tui.text import visible
from korg_tui.views import marks, why, words
from korg_tui.views.sections import Line, Section

_READ, _LANES = 12, 8
"""Results and lanes that are told one by one."""


def reasons(ledger: Ledger, row: int) -> Section:
    """Why this agent event came: its parent, what it read, what it returned, what started it; each line leads
    to where its edge begins, and says whether that is certain and why."""
    seq = ledger.seq[row]
    title = f"why {words.label(ledger, seq)} came: {marks.tool(ledger, row)}"
    return Section(title, "causes", tuple(_lines(ledger, row)))


def _lines(ledger: Ledger, row: int) -> Iterator[Line]:
    session = ledger.session_at(row)
    if session is None:
        return
    woven = weave(ledger, session)
    told = [*_parent(ledger, row), *_launched(woven, row), *_read(woven, row), *_returned(woven, row)]
    yield from told or [Line("nothing in the ledger led to it", "note")]
    yield from _origin(ledger, row)


def _parent(ledger: Ledger, row: int) -> Iterator[Line]:
    parent = ledger.parent_row(row)
    if parent >= 0:
        yield _edge(ledger, 1, parent, row, "certain: it names its parent")
        return
    missing = words.pointer(ledger, row)
    if missing:
        yield Line(missing, "error", "parent")
    elif ledger.pointer_at(row) is Pointer.ROOT:
        actor = visible(ledger.actor_at(row), 60)
        yield Line(f"it is a root: a prompt{f' of {actor}' if actor else ''} began this session")
    elif ledger.pointer_at(row) is Pointer.DETACHED:
        yield Line("it is bookkeeping on its own: nothing has to lead to it")


def _launched(woven: Weave, row: int) -> Iterator[Line]:
    ledger, lane = woven.ledger, woven.ledger.lane_at(row)
    if lane is None or lane.opener != row or lane.above is None:
        return
    links = woven.lane_links(lane)
    for link in links[:_LANES]:
        rests = _rests(link.certain, why.BASIS.get(link.basis, link.basis))
        if link.call < row:
            yield _edge(ledger, 3, link.call, row, rests)
        else:
            call = f"{words.label(ledger, ledger.seq[link.call])}, the {marks.tool(ledger, link.call)} call"
            text = f"it began sub-agent {marks.lane_number(lane)}, which {call}, returned later"
            yield Line(f"{text} ({rests})", label="link", seq=ledger.seq[link.call])
    if not links:
        yield Line("no recorded call started its lane", "note")


def _read(woven: Weave, row: int) -> Iterator[Line]:
    """What an inference read: the results of its round, and, behind a call that returned sub-agents, what
    these did."""
    ledger, consumed = woven.ledger, woven.consumed_by(row)
    for call in consumed[-_READ:]:
        sure = woven.surely_consumed(call, row)
        yield _edge(ledger, 2, call, row, _rests(sure, _read_basis(ledger, call, row, sure=sure)))
        for lane, link in islice(woven.linked_lanes(call), _LANES):
            last = _last_before(lane, min(call, row))
            if last is not None:
                basis = why.BASIS.get(link.basis, link.basis)
                yield _edge(ledger, 4, last, row, _rests(sure and link.certain, basis))
    if len(consumed) > _READ:
        yield Line(f"and {len(consumed) - _READ:,} earlier results of the same round", "note")


def _read_basis(ledger: Ledger, call: int, row: int, *, sure: bool) -> str:
    if sure:
        return "same round, written before it"
    if ledger.kind[call] == Kind.BOOKKEEPING:
        return "bookkeeping is not always read"
    return "written after it" if call > row else "what came before is not in the ledger"


def _returned(woven: Weave, row: int) -> Iterator[Line]:
    """The lanes that a call returned, each by its last event."""
    for lane, link in islice(woven.linked_lanes(row), _LANES):
        last = _last_before(lane, row)
        if last is not None:
            rests = _rests(link.certain, why.BASIS.get(link.basis, link.basis))
            yield _edge(woven.ledger, 2, last, row, rests)


def _last_before(lane: Lane, limit: int) -> int | None:
    place = bisect_left(lane.rows, limit) - 1
    return lane.rows[place] if place >= 0 else None


def _edge(ledger: Ledger, rule: int, source: int, target: int, rests: str) -> Line:
    text = why.sentence(ledger, rule, source, target)
    return Line(f"{text} ({rests})", label=f"rule {rule}", seq=ledger.seq[source])


def _rests(certain: bool, basis: str) -> str:
    return f"{'certain' if certain else 'possible'}: {basis}"


def _origin(ledger: Ledger, row: int) -> Iterator[Line]:
    """What it all began with (SPEC §4)."""
    head = ledger.head_at(row)
    if head < 0 or head == row:
        return
    seq, actor = ledger.seq[head], ledger.actor_at(head)
    begins = ledger.pointer_at(head).begins
    who = f", of {visible(actor, 60)}" if actor and begins else ""
    what = "it all began with" if begins else "the walk ends at"
    why_there = "" if begins else f": {words.pointer(ledger, head)}"
    text = f"{what} {words.label(ledger, seq)} {marks.tool(ledger, head)}{who}{why_there}"
    yield Line(text, "" if begins else "error", label="origin", seq=seq)
