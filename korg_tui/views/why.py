"""Why: edges of the causal model as sentences, and chains of reasons (CAUSALITY §6, §7; EXPERIENCE, `w`)."""

from __future__ import annotations

from collections.abc import Iterator

from korg_tui.causal import Lane, Ledger, Link, Rewind, Weave, weave
from korg_tui.event import Kind
from korg_tui.views import marks, words
from korg_tui.views.sections import Line

BASIS = {
    "fork": "it forks at the call",
    "result": "the call's result names it",
    "prompt": "the prompts are equal",
    "round": "the same round made both",
    "declared": "the format says so",
}
"""What a link rests on, in words."""


_FIRST, _LAST = 30, 120
"""Steps of a chain that are told, at its beginning and at its end."""


def chain(ledger: Ledger, rewind: Rewind, seq: int) -> list[Line]:
    """Why a rewind drops an event: one sentence per edge, from the target outwards, each with its rule.

    The other rules by which it goes follow, an edge for each. Empty when the event is not dropped, or
    everything is."""
    source = ledger.row_of(rewind.target)
    lines = []
    steps = rewind.why(seq)
    for number, (rule, step) in enumerate(steps):
        target = ledger.row_of(step)
        if source is None or target is None:
            return []
        if number < _FIRST or number >= len(steps) - _LAST:
            lines.append(Line(sentence(ledger, rule, source, target), label=f"rule {rule}", seq=step))
        elif number == _FIRST:
            left = len(steps) - _FIRST - _LAST
            lines.append(Line(f"… {left:,} more steps, not shown", "note"))
        source = target
    return lines + _also(ledger, rewind, seq, lines)


def _also(ledger: Ledger, rewind: Rewind, seq: int, said: list[Line]) -> list[Line]:
    """The other rules by which the event goes, an edge for each."""
    target = ledger.row_of(seq)
    last = said[-1].label if said else ""
    lines = []
    for rule, before in rewind.reasons(seq):
        source = ledger.row_of(before)
        if source is not None and target is not None and last and last != f"rule {rule}":
            said_too = f"also: {sentence(ledger, rule, source, target)}"
            lines.append(Line(said_too, label=f"rule {rule}", seq=before))
    return lines


def sentence(ledger: Ledger, rule: int, source: int, target: int) -> str:
    """One edge in words: `7 read the result of 6, the Agent call that returned sub-agent 2, in which 5 ran`.

    `source` and `target` are rows; the rule is the one that the edge counts as in a chain."""
    s, t = _label(ledger, source), _label(ledger, target)
    match rule:
        case 1:
            return f"{t} followed from {s}, its parent"
        case 2:
            return _reading_or_return(ledger, source, target)
        case 3:
            return _launch(ledger, source, target)
        case _:
            return _reading_of_return(ledger, source, target)


def brief(ledger: Ledger, rule: int, source: int, target: int) -> str:
    """The same in a few words, about the target: `it read what 6 returned`."""
    s = _label(ledger, source)
    match rule:
        case 1:
            return f"caused by {s}"
        case 2:
            found = _return_of(ledger, source, target)
            return f"it read {s}" if found is None else f"result of {_short_sub(found[0])}"
        case 3:
            return f"started by {s}"
        case _:
            call = _call_between(ledger, source, target)
            return f"it read what {s if call is None else _label(ledger, call[0])} returned"


def _reading_or_return(ledger: Ledger, source: int, target: int) -> str:
    s, t = _label(ledger, source), _label(ledger, target)
    found = _return_of(ledger, source, target)
    if found is None:
        sure = _weave(ledger, target).surely_consumed(source, target)
        return f"{t} {'read' if sure else 'may have read'} the result of {_named(ledger, source)}"
    lane, link = found
    verb = "returned" if link.certain else "may have returned"
    return f"{t}, the {_call(ledger, target)}, {verb} {_sub(lane)}, in which {s} ran"


def _launch(ledger: Ledger, call: int, opener: int) -> str:
    lane = ledger.lane_at(opener)
    links = [] if lane is None else _weave(ledger, opener).lane_links(lane)
    started = "started" if any(link.certain for link in links if link.call == call) else "may have started"
    return f"{_label(ledger, opener)} began {_sub(lane)}, which {_named(ledger, call)} {started}"


def _reading_of_return(ledger: Ledger, source: int, target: int) -> str:
    s, t = _label(ledger, source), _label(ledger, target)
    found = _call_between(ledger, source, target)
    if found is None:
        return f"{t} read the result of {s}"
    call, lane, certain = found
    read = "read" if certain else "may have read"
    where = "" if call == source else f", in which {s} ran"
    name = f"{_label(ledger, call)}, the {_call(ledger, call)}"
    return f"{t} {read} the result of {name} that returned {_sub(lane)}{where}"


def _return_of(ledger: Ledger, source: int, call: int) -> tuple[Lane, Link] | None:
    """The lane with `source` in or below it that `call` returned, if it is one's return."""
    here = ledger.lane_at(source)
    above = [] if here is None else list(here.chain())
    return next(
        ((lane, link) for lane, link in _weave(ledger, call).linked_lanes(call) if lane in above), None
    )


def _call_between(ledger: Ledger, source: int, reader: int) -> tuple[int, Lane, bool] | None:
    """The call that the reader consumed and that returned the source, or is it; its lane; and whether both
    the consumption and the link are certain."""
    woven = _weave(ledger, reader)
    best = None
    for call, lane, link in _returns_read(woven, reader):
        here = ledger.lane_at(source)
        if call != source and (here is None or lane not in here.chain()):
            continue
        certain = woven.surely_consumed(call, reader) and (link.certain or call == source)
        if certain:
            return call, lane, True
        best = best or (call, lane, False)
    return best


def _returns_read(woven: Weave, reader: int) -> Iterator[tuple[int, Lane, Link]]:
    for call in woven.consumed_by(reader):
        for lane, link in woven.linked_lanes(call):
            yield call, lane, link


def _weave(ledger: Ledger, row: int) -> Weave:
    session = ledger.session_at(row)
    assert session is not None, "edges are between agent events"
    return weave(ledger, session)


def _call(ledger: Ledger, row: int) -> str:
    kind = Kind(ledger.kind[row])
    name = marks.tool(ledger, row)
    return f"{name} call" if kind in (Kind.TOOL, Kind.SPAWN) else name


def _named(ledger: Ledger, row: int) -> str:
    """`the Read call 3`, or `hook.post 4`."""
    call = _call(ledger, row)
    return f"{'the ' if call.endswith(' call') else ''}{call} {_label(ledger, row)}"


def _label(ledger: Ledger, row: int) -> str:
    return words.label(ledger, ledger.seq[row])


def _sub(lane: Lane | None) -> str:
    return "a lane" if lane is None else f"sub-agent {marks.lane_number(lane)}"


def _short_sub(lane: Lane) -> str:
    return f"sub {marks.lane_number(lane)}"
