"""Checks of what the model knows of each event: its walk to the root, its actor, its place on the spine."""

from __future__ import annotations

import re
from array import array
from collections.abc import Generator

from korg_tui.causal import Lane, Ledger, Pointer, Rounds
from korg_tui.event import Kind
from korg_tui.text import visible
from korg_tui.trust.collected import Collected
from korg_tui.trust.found import Check
from korg_tui.trust.lost_parents import lost_parent

HOPS = 200
"""Steps in which a walk to the root has to end (SPEC §6.1)."""

SCHEMA = "1.0"
"""The frozen version (SPEC §6.5)."""

_FORBIDDEN = (Pointer.FORWARD, Pointer.MALFORMED)
"""States of pointers that no drop of events explains."""
_ACTOR = re.compile(r"(agent|human|korg|mcp|import):(.+)", re.DOTALL)
_VERSIONED = re.compile(r".*[^@]@[^@].*", re.DOTALL)
_CELLS = 80
"""Characters of a name that a ledger chose."""


class Walks:
    """§6.1: from every event, the walk along its parents ends at a root. The length of each walk is that of
    its parent's, and one."""

    def __init__(self, ledger: Ledger, since: int | None) -> None:
        self._ledger = ledger
        self._since = since
        self._hops = array("i")
        self._longest: dict[int, tuple[int, int, int]] = {}
        """By the row of a head: the longest walk to it of more than `HOPS` steps: how many, and the seqs of
        the event and of the head."""
        self._lost = Collected("6.1")

    def meet(self, row: int) -> None:
        """Look at the next row of the ledger."""
        ledger = self._ledger
        parent = ledger.parent_row(row)
        hops = self._hops[parent] + 1 if parent >= 0 else 0
        self._hops.append(hops)
        if not _counts(ledger, row, self._since):
            return
        self._lost.looked_at += 1
        if hops > HOPS:
            head = ledger.head_at(row)
            if head not in self._longest or hops > self._longest[head][0]:
                self._longest[head] = (hops, ledger.seq[row], ledger.seq[head])
        words = "" if parent >= 0 else lost_parent(ledger, row)
        if words:
            state = ledger.pointer_at(row)
            tell = self._lost.fail if state in _FORBIDDEN else self._lost.warn
            tell(ledger.seq[row], f"{words} ({state.word})", about="pointer")

    def check(self, bodies: Collected) -> Check:
        """The check, with what the records themselves have shown."""
        long = Collected("6.1")
        for hops, seq, head in self._longest.values():
            text = f"its walk to {head} takes {hops:,} steps, more than {HOPS}: it ends, as long spines do"
            long.warn(seq, text)
        return self._lost.check(bodies, long)


class Names:
    """§6.5: who is said to have acted, and by which version of the spec. A name that many events have is one
    finding."""

    def __init__(self, ledger: Ledger, since: int | None) -> None:
        self._ledger = ledger
        self._since = since
        self._looked_at = 0
        self._actors: dict[int, list[int]] = {}
        """By the number of a name: the seq of the first event that has it, and how many have it."""
        self._schemas: dict[int, list[int]] = {}
        self._good: dict[int, bool] = {}

    def meet(self, row: int) -> None:
        """Look at the next row of the ledger."""
        ledger = self._ledger
        if ledger.kind[row] >= Kind.MALFORMED or row in ledger.columns.guests:
            return
        seq, columns = ledger.seq[row], ledger.columns
        if self._since is not None and seq < self._since:
            return
        self._looked_at += 1
        self._schemas.setdefault(columns.schema[row], [seq, 0])[1] += 1
        if ledger.kind[row] <= Kind.BOOKKEEPING:
            self._actors.setdefault(columns.actor[row], [seq, 0])[1] += 1

    def check(self) -> Generator[None, None, Check]:
        """What is to be said of the names. Pauses after every name; the check is what it returns."""
        found = Collected("6.5")
        found.looked_at = self._looked_at
        names = self._ledger.columns.names
        actors, schemas = self._actors.items(), self._schemas.items()
        seen: list[tuple[int, str, int, bool]] = []
        for number, (seq, count) in actors:
            yield
            if not self._conforms(number):
                seen.append((seq, names[number], count, True))
        seen += [(seq, names[number], count, False) for number, (seq, count) in schemas]
        for seq, name, count, is_actor in sorted(seen, key=lambda each: each[0]):
            yield
            more = "" if count == 1 else f"; so in {count:,} events"
            if is_actor:
                _judge_actor(found, seq, name, more)
            elif name != SCHEMA:
                what = f"schema_version is {visible(name, _CELLS)}" if name else "there is no schema_version"
                found.fail(seq, f"{what}, and the frozen one is {SCHEMA}{more}")
        return found.check()

    def _conforms(self, number: int) -> bool:
        """Whether nothing is to be said of an actor. Each name is looked at once."""
        good = self._good.get(number)
        if good is None:
            one = Collected("6.5")
            _judge_actor(one, 0, self._ledger.columns.names[number], "")
            good = self._good[number] = one.check().status == "pass"
        return good


def _judge_actor(found: Collected, seq: int, actor: str, more: str) -> None:
    named = _ACTOR.fullmatch(actor)
    if not actor:
        found.fail(seq, f"it has no source_agent{more}")
    elif named is None:
        prefixes = "agent:, human:, korg:, mcp: or import:"
        found.fail(seq, f"its actor {visible(actor, _CELLS)} does not begin with {prefixes}{more}")
    elif named[1] in ("agent", "import") and not _VERSIONED.fullmatch(named[2]):
        form = f"{named[1]}:<name>@<version>"
        found.warn(seq, f"its actor {visible(actor, _CELLS)} has no @version: the form is {form}{more}")


class SpineCheck:
    """§2a: the inferences of a lane are a linked list; tool calls hang from it, and are never within it."""

    def __init__(self, ledger: Ledger, since: int | None) -> None:
        self._ledger = ledger
        self._since = since
        self._rounds = Rounds(ledger)
        self._found = Collected("2a")

    def meet(self, row: int) -> None:
        """Look at the next row of the ledger."""
        ledger = self._ledger
        lane = ledger.lane_at(row)
        before = None if lane is None else self._rounds.newest(lane.key)
        astray = self._rounds.meet(row)
        if ledger.kind[row] != Kind.INFERENCE or not _counts(ledger, row, self._since):
            return
        self._found.looked_at += 1
        parent = ledger.parent_row(row)
        if parent < 0 or (before is None and not self._is_call_of(lane, parent)):
            return
        caused = f"{ledger.seq[parent]} ({visible(ledger.tool_at(parent), _CELLS)})"
        follows = "" if before is None else f", not from the inference {ledger.seq[before]}"
        if ledger.kind[parent] in (Kind.TOOL, Kind.BOOKKEEPING):
            text = f"it hangs from the call {caused}{follows}: calls are never on the spine"
            self._found.fail(ledger.seq[row], text)
        elif astray:
            self._found.fail(ledger.seq[row], f"it goes on from {caused}{follows}, the newest of its lane")

    def _is_call_of(self, lane: Lane | None, row: int) -> bool:
        """Whether the first inference of a lane goes on from a tool call of that very lane. What another
        lane, or bookkeeping, has started has no inference before it."""
        return self._ledger.kind[row] == Kind.TOOL and self._ledger.lane_at(row) is lane

    def check(self) -> Check:
        """What is to be said of the spines."""
        return self._found.check()


def _counts(ledger: Ledger, row: int, since: int | None) -> bool:
    """Whether a row is an agent event of this very ledger, and one that is to be looked at."""
    if ledger.kind[row] > Kind.BOOKKEEPING or row in ledger.columns.guests:
        return False
    return since is None or ledger.seq[row] >= since
