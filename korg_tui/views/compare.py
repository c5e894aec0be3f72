"""Compare: two sides event by event, aligned by action, so that one inserted step does not shift all."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any, Literal

from korg_tui.event import Kind
from korg_tui.formats import Body
from korg_tui.sources import BodyGone
from korg_tui.text import visible
from korg_tui.views.acts import Act, Key, Side
from korg_tui.views.alignment import Pair, align, with_others
from korg_tui.views.diffs import Diff
from korg_tui.views.patches import compared
from korg_tui.views.sections import Line, Section
from korg_tui.views.words import duration, label, plural

State = Literal["same", "changed", "left", "right"]

SIGNS: dict[State, str] = {"same": "=", "changed": "≠", "left": "‹", "right": "›"}
WORDS: dict[State, str] = {"same": "same", "changed": "changed", "left": "only left", "right": "only right"}

_SLOWER_MS, _SLOWER_TIMES = 500, 2
"""Durations differ when one is twice as long, and by half a second."""


@dataclass(frozen=True, slots=True)
class Match:
    """One row of a comparison: an event of the left, of the right, or of both, by place."""

    left: int | None
    right: int | None
    state: State
    what: tuple[str, ...] = ()
    """In what they differ: `argument`, `input`, `outcome`, `result`, `duration`; of the same ones, what may
    differ without a difference in what was done: `other words`."""


class Comparison:
    """Two sides that were read whole."""

    def __init__(self, left: Side, right: Side, matches: Sequence[Match] | None = None) -> None:
        self.left = left
        self.right = right
        self.matches = list(_matches(left.acts, right.acts) if matches is None else matches)
        self.differences = [number for number, match in enumerate(self.matches) if match.state != "same"]
        """Rows that are not the same on both sides, ascending."""

    @property
    def mirrored(self) -> Comparison:
        """The same with its sides swapped, as if they had been aligned so, without aligning them again."""
        both = {(each.right, each.left): each for each in self.matches if None not in (each.left, each.right)}
        pairs = [(j, i) for j, i in both if j is not None and i is not None]
        mirror = [
            Match(i, j, "right" if i is None else "left")
            if i is None or j is None
            else Match(i, j, both[i, j].state, both[i, j].what)
            for i, j in with_others(pairs, len(self.right.acts), len(self.left.acts))
        ]
        return Comparison(self.right, self.left, mirror)

    @cached_property
    def counts(self) -> Counter[str]:
        """How many rows are in each state."""
        return Counter(match.state for match in self.matches)

    @cached_property
    def words(self) -> str:
        """`same 40 · changed 3 · only left 5 · only right 1 · changed: 2 result, 1 outcome`."""
        parts = [f"{WORDS[state]} {self.counts[state]:,}" for state in WORDS]
        if self._kinds:
            parts.append(f"changed: {', '.join(f'{count:,} {word}' for word, count in self._kinds)}")
        return " · ".join(parts)

    def counted(self, cells: int) -> str:
        """The same in at most so many cells, with signs for words where there is no room for these."""
        if len(self.words) <= cells:
            return self.words
        states: tuple[State, ...] = ("same", "left", "right", "changed")
        short = " · ".join(f"{SIGNS[state]} {self.counts[state]:,}" for state in states)
        kinds = ", ".join(f"{count:,} {word}" for word, count in self._kinds)
        return f"{short}: {kinds}" if kinds else short

    @cached_property
    def _kinds(self) -> list[tuple[str, int]]:
        """In what the changed ones differ, most often first."""
        changed = (match for match in self.matches if match.state == "changed")
        return Counter(word for match in changed for word in match.what).most_common()

    def acts(self, number: int) -> tuple[Act | None, Act | None]:
        """The events of a row, left and right."""
        match = self.matches[number]
        return (
            None if match.left is None else self.left.acts[match.left],
            None if match.right is None else self.right.acts[match.right],
        )

    def sections(self, number: int) -> list[Section]:
        """What a row's events have in common, and in what they differ."""
        left, right = self.acts(number)
        match = self.matches[number]
        facts = [Line(_state_words(match), label="compared")]
        facts += [
            Line(_event_words(side, act), label=name)
            for name, side, act in (("left", self.left, left), ("right", self.right, right))
            if act is not None
        ]
        sections = [Section("comparison", "fields", tuple(facts))]
        bodies = [self._body(self.left, left), self._body(self.right, right)]
        for title, of in (("arguments", "args"), ("result", "result")):
            sections.append(
                _differing(title, [None if each is None else getattr(each, of) for each in bodies])
            )
        return sections

    def _body(self, side: Side, act: Act | None) -> Body | None:
        try:
            return None if act is None else side.body(act)
        except (BodyGone, OSError):
            return None


def _matches(left: Sequence[Act], right: Sequence[Act]) -> Iterator[Match]:
    for i, j in _pairs(left, right):
        if i is None:
            yield Match(None, j, "right")
        elif j is None:
            yield Match(i, None, "left")
        else:
            yield _judged(i, j, left[i], right[j])


def _pairs(left: Sequence[Act], right: Sequence[Act]) -> Iterator[Pair]:
    """Which events stand for each other. Swapped sides give the mirror image: of several ways to align them
    the choice may not depend on which side is the left one, so that the same side always comes first."""
    on_left, on_right = _keys(left), _keys(right)
    if on_left <= on_right:
        found = list(_reconciled(align(on_left, on_right), left, right))
    else:
        found = [(i, j) for j, i in _reconciled(align(on_right, on_left), right, left)]
    matched = [(i, j) for i, j in found if i is not None and j is not None]
    return with_others(matched, len(left), len(right))


def _keys(acts: Sequence[Act]) -> list[Key]:
    """What each event did; an inference decided what came next."""
    keys = []
    for act, after in zip_longest(acts, acts[1:]):
        decides = act.kind is Kind.INFERENCE and after is not None and after.kind in (Kind.TOOL, Kind.SPAWN)
        key = act.key
        if decides and after is not None:
            key = key._replace(argument=f"{after.tool}\n{after.key.argument}")
        keys.append(key)
    return keys


def _reconciled(pairs: Sequence[Pair], left: Sequence[Act], right: Sequence[Act]) -> Iterator[Pair]:
    """Of what has no counterpart between two matches, calls of the same tool stand for each other."""
    lefts: list[int] = []
    rights: list[int] = []
    for i, j in [*pairs, (None, None)]:
        if i is not None and j is None:
            lefts.append(i)
        elif j is not None and i is None:
            rights.append(j)
        else:
            for a, b in align([left[at].key[:3] for at in lefts], [right[at].key[:3] for at in rights]):
                yield None if a is None else lefts[a], None if b is None else rights[b]
            lefts, rights = [], []
            if i is not None:
                yield i, j


def _judged(i: int, j: int, left: Act, right: Act) -> Match:
    what = []
    if left.key != right.key:
        what.append("argument")
    elif left.given != right.given and left.kind is not Kind.INFERENCE:
        what.append("input")
    if left.success != right.success:
        what.append("outcome")
    if left.returned != right.returned and left.kind is not Kind.INFERENCE:
        what.append("result")
    if _slower(left.duration_ms, right.duration_ms):
        what.append("duration")
    if what:
        return Match(i, j, "changed", tuple(what))
    said = left.kind is Kind.INFERENCE and (left.given, left.returned) != (right.given, right.returned)
    return Match(i, j, "same", ("other words",) if said else ())


def _slower(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return False
    short, long = sorted((one, other))
    return long - short >= _SLOWER_MS and long >= _SLOWER_TIMES * short


def _state_words(match: Match) -> str:
    how = f": {', '.join(match.what)}" if match.what else ""
    return f"{SIGNS[match.state]} {WORDS[match.state]}{how}"


def outcome(act: Act) -> str:
    """`failed`, `ok`, or empty where nothing is said."""
    return "" if act.success is None else "ok" if act.success else "failed"


def _event_words(side: Side, act: Act) -> str:
    number = label(side.ledger, act.seq) if act.row >= 0 else f"{act.seq} (gone)"
    took = "" if act.duration_ms is None else duration(act.duration_ms)
    parts = [f"{number} {visible(act.tool, 200)}", outcome(act), took, act.trouble]
    return " · ".join(part for part in parts if part)


def _differing(title: str, values: Sequence[Any]) -> Section:
    """Both values as text, and the lines in which they differ."""
    left, right = (_text(value) for value in values)
    if left == right:
        lines = left.split("\n") if left else []
        shown = tuple(Line(visible(line)) for line in lines[:_SAME_LINES])
        more = (
            (Line(f"… {plural(len(lines) - len(shown), 'line')} more", "note"),)
            if len(lines) > len(shown)
            else ()
        )
        same = f"{title}: the same" if left else f"{title}: none"
        return Section(same, "text", (*shown, *more) or (Line("nothing is said", "note"),))
    diff = Diff()
    diff.hunks(compared(left, right))
    return diff.section(f"{title}: - left, + right")


_SAME_LINES = 12
_CHARACTERS = 200_000


def _text(value: Any) -> str:
    """A value as lines: strings as they are, the rest as JSON whose strings keep their lines."""
    if value is None or value in ({}, []):
        return ""
    if isinstance(value, str):
        return value[:_CHARACTERS]
    if isinstance(value, dict) and all(isinstance(each, str | int | float | None) for each in value.values()):
        return "\n".join(f"{key}: {each}" for key, each in sorted(value.items()))[:_CHARACTERS]
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, default=str)[:_CHARACTERS]


def compare(left: Side, right: Side) -> Comparison:
    """Read both sides whole, and compare them."""
    for side in (left, right):
        side.work(lambda: False)
    return Comparison(left, right)
