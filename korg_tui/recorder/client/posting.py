"""Posting: one event on its way to the ledger, and what becomes of it."""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

from korg_tui.text import visible

_TURNS = frozenset({"user_prompt", "llm_inference"})
_numbers = itertools.count()


@dataclass(slots=True, eq=False)
class Posting:
    """An event that was handed to the recorder. `seq` is None until the server has taken it.

    A posting stands for its event wherever a cause is named (`triggered_by=`), also before it has a seq.
    """

    tool: str
    actor: str
    args: Any = None
    result: Any = None
    size: int = 0
    """Bytes that arguments and result take, about."""
    success: bool = True
    duration_ms: int = 0
    parent: Posting | int | None = None
    """What it hangs from."""
    named: bool = False
    """The agent named the parent itself: nothing else will do."""
    returns: tuple[Posting, ...] = ()
    """Events of the sub-agent that this spawn call returned from: the first that is in the ledger is named by
    `root_seq` in the result."""
    spine: array[int] = field(default_factory=lambda: array("q"), repr=False)
    """The seqs of the prompts and inferences of its agent, ascending, as far as they are in the ledger."""
    seq: int | None = None
    state: str = "waiting"
    """`waiting`, `taken`, or `lost` (pushed out, refused, or given up)."""
    number: int = field(default_factory=lambda: next(_numbers))
    """Ascending in the order of making."""

    def taken(self, seq: int | None) -> None:
        """The server has it. `seq` is None when the server did not say under which number."""
        if seq is not None and self.tool in _TURNS:
            self.spine.append(seq)
        self.seq, self.state = seq, "taken"
        self._let_go()

    def lost(self) -> None:
        """It will never be in the ledger."""
        self.state = "lost"
        self._let_go()

    def _let_go(self) -> None:
        self.args = self.result = None
        self.size = 0
        self.returns = ()
        # What has a seq needs no cause any more; what has none passes on its own.
        self.parent = None if self.seq is not None else _first_known(self.parent)

    def __str__(self) -> str:
        return f"{visible(self.tool, 80)} by {visible(self.actor, 120)}"


@dataclass(slots=True, eq=False)
class RewindPosting(Posting):
    """A rewind of the ledger, asked for in its place among the events. Its `seq` is that of the
    `LedgerRewind`."""

    target: int = 0
    """The last seq that is kept."""
    reason: str = ""
    spines: tuple[array[int], ...] = ()
    """Those of all agents of the run."""

    def taken(self, seq: int | None) -> None:
        """The ledger was rewound."""
        for spine in self.spines:
            del spine[bisect_right(spine, self.target) :]
        Posting.taken(self, seq)


def _first_known(cause: Posting | int | None) -> Posting | int | None:
    """The nearest cause that has a seq, or may still get one."""
    while isinstance(cause, Posting) and cause.seq is None and cause.state != "waiting":
        cause = cause.parent
    return cause


@dataclass(slots=True)
class Cuts:
    """What is known to have been cut off the ledger: seqs after a cut name other events now, or none."""

    _cuts: list[tuple[int, int | None]] = field(default_factory=list)

    def add(self, number: int, target: int | None) -> None:
        """The ledger was rewound to `target`, after the postings with smaller numbers, before the others.
        None: nobody knows how far, so none of those postings can be named any more."""
        self._cuts.append((number, target))

    def seq_of(self, cause: Posting | int | None) -> int | None:
        """The seq of the nearest cause that is in the ledger. For what was cut off that is the latest
        inference or prompt of its agent that was kept; when its agent has none, the target of the cut."""
        cause = _first_known(cause)
        return self._now(cause) if isinstance(cause, Posting) else cause

    def first_in(self, postings: tuple[Posting, ...]) -> int | None:
        """The seq of the first of these that is in the ledger."""
        return next(
            (each.seq for each in postings if each.seq is not None and self._now(each) == each.seq), None
        )

    def _now(self, posting: Posting) -> int | None:
        targets = [target for number, target in self._cuts if posting.number < number]
        known = [target for target in targets if target is not None]
        if posting.seq is None or len(known) < len(targets):
            return None
        last = min(known, default=posting.seq)
        if posting.seq <= last:
            return posting.seq
        kept = bisect_right(posting.spine, last)
        return posting.spine[kept - 1] if kept else last or None
