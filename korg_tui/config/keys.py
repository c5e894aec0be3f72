"""Keys: from the section `[keys]` of a file to the keymap in force, or to what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from korg_tui.commands import DEFAULT, Command, Keymap, Place, shown
from korg_tui.config.key_names import key_name
from korg_tui.config.lines import KeyLines
from korg_tui.config.options import KEYS, Refused, written
from korg_tui.config.problems import Problem, nearest, quoted

KEPT = ("ctrl+c", "escape", "q", "enter")
"""Keys that stay with the commands that have them, so that there is always a way in and a way out."""

_BUILT_IN = {"ctrl+q": "quit"}

_ALWAYS = "there is always a way in and out"

_MOST = 16
"""Keys of one command."""


def read_keys(table: Mapping[str, object], lines: KeyLines) -> tuple[Keymap, list[Problem]]:
    """The keymap that the section makes of the table's own, and everything that is wrong with it."""
    keys: dict[str, tuple[str, ...]] = {}
    problems: list[Problem] = []
    known = [entry.id for entry in DEFAULT.table]
    for identity, value in table.items():
        line = lines.of(KEYS, identity)
        if identity not in known:
            near = nearest(identity, known) or "; korg-tui config show lists all"
            problems.append(Problem(line, f"unknown command {quoted(identity)}{near}"))
            continue
        try:
            keys[identity] = _keys(identity, value)
        except Refused as refused:
            problems.append(Problem(line, f"{identity}: {refused}"))
    keymap = DEFAULT.with_keys(keys)
    problems += _clashes(keymap, keys, lines)
    return keymap, problems


def _keys(identity: str, value: object) -> tuple[str, ...]:
    """The keys of one command. Raises Refused."""
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or len(words) > _MOST:
        raise Refused(f"a key or a list of up to {_MOST} keys is allowed, not {written(value)}")
    if value == "":
        words = []
    keys: list[str] = []
    for word in words:
        if not isinstance(word, str) or not word:
            raise Refused(f"a key is a text such as {quoted('x')}, not {written(word)}")
        key = key_name(word)
        owners = _owners(key)
        if owners and identity not in owners:
            raise Refused(f"{shown(key)} stays with {', '.join(owners)}: {_ALWAYS}")
        keys.append(key)
    lost = [key for key in KEPT if identity in _owners(key) and key not in keys]
    if lost:
        raise Refused(f"it keeps {shown(lost[0])}, others may be added: {_ALWAYS}")
    return tuple(dict.fromkeys(keys))


def _owners(key: str) -> list[str]:
    """The commands with which a key stays; none when it is free."""
    kept = [entry.id for entry in DEFAULT.table if key in KEPT and key in entry.keys]
    return [*kept, *([_BUILT_IN[key]] if key in _BUILT_IN else [])]


def _clashes(keymap: Keymap, changed: Mapping[str, object], lines: KeyLines) -> Iterator[Problem]:
    """Every key that would give two commands in one place."""
    told: set[tuple[str, str, str]] = set()
    for place in Place:
        for one, other in combinations(keymap.at(place), 2):
            for key in one.keys:
                if key in other.keys and (one.id, other.id, key) not in told:
                    told.add((one.id, other.id, key))
                    yield _clash(key, place, one, other, changed, lines)


def _clash(
    key: str, place: Place, one: Command, other: Command, changed: Mapping[str, object], lines: KeyLines
) -> Problem:
    asked, there = (one, other) if one.id in changed else (other, one)
    line, earlier = lines.of(KEYS, asked.id), lines.of(KEYS, there.id)
    if there.id in changed and earlier > line:
        asked, there, line, earlier = there, asked, earlier, line
    where = f"gives {there.id} in {place.value}"
    if there.id in changed:
        return Problem(line, f"{asked.id}: {shown(key)} already {where} (line {earlier})")
    return Problem(line, f'{asked.id}: {shown(key)} already {where}; free it with {there.id} = "…" or ""')
