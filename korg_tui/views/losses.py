"""Losses: what dropped events did that a rewind does not undo (EXPERIENCE, screen 3).

A rewind of a ledger changes nothing on a disk and nothing in the world: what was written, run and sent
stays. These lists name it, in raw text; whoever shows it sends it through `korg_tui.text`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from korg_tui.causal import Ledger, Rewind
from korg_tui.event import Kind
from korg_tui.formats import body
from korg_tui.sources import BodyGone
from korg_tui.views import calls
from korg_tui.views.usage import usage_of

Raw = Callable[[int], bytes]
"""The bytes of a row's record. Raises BodyGone or OSError."""


@dataclass(frozen=True, slots=True)
class FileTouched:
    """A file that dropped events wrote, and by which ones."""

    path: str
    seqs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CommandRun:
    """A command that a dropped event ran."""

    command: str
    seq: int


@dataclass(frozen=True, slots=True)
class OutsideEffect:
    """A dropped call that may have had effects: of a tool that reaches outside, or one that wrote or ran
    something its record does not name."""

    tool: str
    seq: int


@dataclass(frozen=True, slots=True)
class Losses:
    """The lists, each in the order of the ledger."""

    files: tuple[FileTouched, ...] = ()
    commands: tuple[CommandRun, ...] = ()
    effects: tuple[OutsideEffect, ...] = ()
    blobs: tuple[str, ...] = ()
    """Digests that only dropped events name."""
    tokens: int | None = None
    """None when no dropped event carries any."""
    duration_ms: float = 0
    unread: int = 0
    """Dropped events whose record could not be read."""


@dataclass(frozen=True, slots=True)
class _Deed:
    paths: tuple[str, ...] = ()
    command: str = ""
    effect: bool = False
    tokens: int | None = None
    unread: bool = False


class LossBook:
    """Remembers what each event did, so that a preview that moves decodes every record once."""

    def __init__(self, ledger: Ledger, raw: Raw) -> None:
        self._ledger = ledger
        self._raw = raw
        self._deeds: dict[int, _Deed] = {}
        self._revision = ledger.revision

    def of(self, seqs: Iterable[int]) -> Losses:
        """What the events of these seqs did."""
        if self._revision != self._ledger.revision:
            self._deeds.clear()
            self._revision = self._ledger.revision
        rows = [row for seq in seqs if (row := self._ledger.row_of(seq)) is not None]
        return _summed(self._ledger, [(row, self._deed(row)) for row in rows])

    def _deed(self, row: int) -> _Deed:
        deed = self._deeds.get(row)
        if deed is None:
            deed = self._deeds[row] = _look(self._ledger, row, self._raw)
        return deed


def losses(ledger: Ledger, rewind: Rewind, raw: Raw) -> Losses:
    """What the events did that a rewind drops (invalidated and possible ones)."""
    return LossBook(ledger, raw).of(rewind.dropped)


def _look(ledger: Ledger, row: int, raw: Raw) -> _Deed:
    tool, kind = ledger.tool_at(row), Kind(ledger.kind[row])
    if kind is Kind.PROMPT:
        return _Deed()
    effect = calls.reaches_outside(tool, kind)
    acts = kind is Kind.TOOL and (tool in calls.WRITERS or tool in calls.RUNNERS)
    try:
        record = raw(row)
    except (BodyGone, OSError):
        return _Deed(effect=effect or acts, unread=True)
    if not acts and b"tokens" not in record:
        return _Deed(effect=effect)
    found = body(record)
    if found is None:
        return _Deed(effect=effect or acts, unread=True)
    paths = tuple(calls.paths_written(tool, found.args)) if acts else ()
    command = calls.command(found.args) if acts and tool in calls.RUNNERS else ""
    return _Deed(paths, command, effect or (acts and not (paths or command)), usage_of(found).tokens)


def _summed(ledger: Ledger, deeds: list[tuple[int, _Deed]]) -> Losses:
    files: dict[str, list[int]] = defaultdict(list)
    for row, deed in deeds:
        for path in deed.paths:
            files[path].append(ledger.seq[row])
    used = [deed.tokens for _, deed in deeds if deed.tokens is not None]
    return Losses(
        files=tuple(FileTouched(path, tuple(seqs)) for path, seqs in files.items()),
        commands=tuple(CommandRun(deed.command, ledger.seq[row]) for row, deed in deeds if deed.command),
        effects=tuple(
            OutsideEffect(ledger.tool_at(row), ledger.seq[row]) for row, deed in deeds if deed.effect
        ),
        blobs=_only_here(ledger, {row for row, _ in deeds}),
        tokens=sum(used) if used else None,
        duration_ms=sum(ledger.duration_at(row) or 0 for row, _ in deeds),
        unread=sum(deed.unread for _, deed in deeds),
    )


def _only_here(ledger: Ledger, dropped: set[int]) -> tuple[str, ...]:
    named: dict[str, None] = {}
    elsewhere: set[str] = set()
    for row in range(len(ledger)):
        if row in dropped:
            named.update(dict.fromkeys(ledger.blobs_at(row)))
        else:
            elsewhere.update(ledger.blobs_at(row))
    return tuple(digest for digest in named if digest not in elsewhere)
