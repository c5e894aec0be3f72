"""Ancestry: the walk from an event to what it all began with, as one line (SPEC §4: the originator is the
root prompt that the walk along `triggered_by` reaches)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from korg_tui.causal import Ledger
from korg_tui.event import Kind
from korg_tui.text import crop, visible, width
from korg_tui.views import marks, walk, words

NEAREST = 40
"""Ancestors that are looked at; a line has no room for more."""

_BETWEEN, _DOTS = " ‹ ", "…"
_TOOL, _LEAST_PROMPT, _MOST_PROMPT = 24, 8, 60

Style = str
"""`strong`, `quiet`, `bad`, or empty."""


@dataclass(frozen=True, slots=True)
class Step:
    """A piece of the line, and the event that it leads to."""

    text: str
    style: Style = ""
    seq: int | None = None


def cause_walk(ledger: Ledger, row: int, argument: Callable[[int], str], cells: int) -> list[Step]:
    """`10 Grep ‹ 8 llm_inference ‹ … ‹ 1 user_prompt by human:dusk “fix the bug”` in so many cells: the event
    and the end of the walk are always there, what lies nearest to the event as far as it fits. `argument`
    gives the argument of a row, safe."""
    chain, end, hidden = _chain(ledger, row)
    if end is None:
        return []
    here, alone = _name(ledger, row), end == row
    last, why = _end(ledger, end)
    room = cells - width(here) - (0 if alone else width(_BETWEEN) + width(last))
    dots = width(_BETWEEN) + width(_DOTS) if chain or hidden else 0
    why = crop(why, max(0, room - dots))
    room -= width(why)
    steps = [Step(here, "strong", ledger.seq_at(row))]
    if not alone:
        between = _between(ledger, chain, room, hidden=hidden)
        room -= sum(width(step.text) for step in between)
        steps += [*between, Step(_BETWEEN, "quiet"), Step(last, "", ledger.seq[end])]
    steps.append(Step(why, "quiet" if ledger.pointer_at(end).begins else "bad", ledger.seq[end]))
    return steps + _prompt(ledger, end, argument, room)


def _between(ledger: Ledger, chain: list[int], room: int, *, hidden: bool) -> list[Step]:
    """What lies between an event and the end of its walk: the nearest as far as they fit, and the prompt of a
    person that began this turn."""
    turn = next((each for each in chain if _is_turn(ledger, each)), None)
    needed = 0 if turn is None else width(_BETWEEN) + width(_name(ledger, turn))
    fitting = _fitting(ledger, chain, room - needed, hidden=hidden)
    if len(fitting) < len(chain) and turn is not None and turn not in fitting:
        place = chain.index(turn)
        fitting = _fitting(ledger, chain[:place], room - needed - width(_BETWEEN) - width(_DOTS), hidden=True)
        spent = sum(width(step.text) for step in _steps(ledger, fitting)) + needed
        if spent + 2 * (width(_BETWEEN) + width(_DOTS)) <= room:
            skipped = len(fitting) < place
            before = [*_steps(ledger, fitting), *(_more(0) if skipped else [])]
            beyond = place + 1 < len(chain) or hidden
            return [*before, *_steps(ledger, [turn]), *(_more(0) if beyond else [])]
    fitting = _fitting(ledger, chain, room, hidden=hidden)
    missing, steps = len(chain) - len(fitting), _steps(ledger, fitting)
    left = room - sum(width(step.text) for step in steps)
    counted = not hidden and width(_BETWEEN) + width(_dots(missing)) <= left
    return [*steps, *(_more(missing if counted else 0) if missing or hidden else [])]


def _is_turn(ledger: Ledger, row: int) -> bool:
    return ledger.kind[row] == Kind.PROMPT and ledger.actor_at(row).startswith("human:")


def _steps(ledger: Ledger, rows: list[int]) -> list[Step]:
    steps: list[Step] = []
    for row in rows:
        steps += [Step(_BETWEEN, "quiet"), Step(_name(ledger, row), "", ledger.seq[row])]
    return steps


def _more(missing: int) -> list[Step]:
    return [Step(_BETWEEN, "quiet"), Step(_dots(missing), "quiet")]


def _chain(ledger: Ledger, row: int) -> tuple[list[int], int | None, bool]:
    """The ancestors between the row and the end of its walk, nearest first; the end; whether there are more
    between them. The end of a row that is off the lanes and names nothing is None."""
    start = row
    if not ledger.kind_at(row).agent:
        named = walk.parent(ledger, row)
        if named is None or ledger.head_at(named) < 0:
            return [], None, False
        start = named
    end = ledger.head_at(start)
    above, more = walk.to_root(ledger, start, NEAREST)
    chain = [*([start] if start != row else []), *above]
    return [each for each in chain if each != end], end, more and end not in above


def _fitting(ledger: Ledger, chain: list[int], room: int, *, hidden: bool) -> list[int]:
    """The nearest ancestors that fit; where not all do, with room for the dots."""
    needed = [width(_BETWEEN) + width(_name(ledger, each)) for each in chain]
    if not hidden and sum(needed) <= room:
        return chain
    room -= width(_BETWEEN) + width(_dots(len(chain)))
    for count, cells in enumerate(needed):
        room -= cells
        if room < 0:
            return chain[:count]
    return chain


def _dots(missing: int) -> str:
    return f"{_DOTS} {missing} more" if missing else _DOTS


def _name(ledger: Ledger, row: int) -> str:
    seq = ledger.seq_at(row)
    tool = crop(marks.tool(ledger, row), _TOOL)
    return tool if seq is None else f"{words.label(ledger, seq)} {tool}"


def _end(ledger: Ledger, end: int) -> tuple[str, str]:
    """The event where the walk ends, and why it ends there: who began it, or what is missing."""
    if not ledger.pointer_at(end).begins:
        return _name(ledger, end), f"  ? {words.pointer(ledger, end)}"
    actor = visible(ledger.actor_at(end), 40)
    return _name(ledger, end), f" by {actor}" if actor else ""


def _prompt(ledger: Ledger, end: int, argument: Callable[[int], str], room: int) -> list[Step]:
    """The first words of the prompt that began it, in the room that is left."""
    if ledger.kind[end] != Kind.PROMPT or room - 3 < _LEAST_PROMPT:
        return []
    text = crop(argument(end), min(room - 3, _MOST_PROMPT))
    return [Step(f" “{text}”", "quiet", ledger.seq[end])] if text else []
