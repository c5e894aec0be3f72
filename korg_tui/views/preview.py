"""Preview: what a rewind would keep, drop, and leave standing (EXPERIENCE, screen 3). It writes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, cast

from korg_tui.causal import Ledger, Rewind, Session
from korg_tui.event import Kind
from korg_tui.text import visible
from korg_tui.views import marks, why
from korg_tui.views.losses import LossBook, Losses
from korg_tui.views.sections import Line, Section
from korg_tui.views.words import duration, label, number, plural

Fate = Literal["kept", "invalidated", "possible", "unknown", "independent"]
"""What becomes of an event (CAUSALITY §7)."""

_SIGNS = {"kept": " ", "invalidated": "╳", "possible": "~", "unknown": "?", "independent": "○"}
_LISTED = 200
_ITEM = 400


@dataclass(frozen=True, slots=True)
class RowState:
    """How the preview marks one row."""

    fate: Fate
    rules: tuple[int, ...]
    sign: str
    words: str
    """`rule 2    its result came from sub 2`, `rewind to here`, `no recorded dependence` …; safe text."""
    gone: bool
    """Whether the chosen scope drops it: the set of §3, or all that comes later (plain truncation)."""
    held: str = ""
    """What becomes of the rows that it stands for when it is folded: `╳ 7 of 11 go`; empty when it is not."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many events of one session, or one lane, meet each fate."""

    title: str
    index: int
    """The session's index, or the lane's id."""
    kept: int
    invalidated: int
    possible: int
    unknown: int
    independent: int

    @property
    def words(self) -> str:
        """`12 kept, 3 invalid, 1 possible`, without the zeros."""
        counts = (
            (self.kept, "kept"), (self.invalidated, "invalid"), (self.possible, "possible"),
            (self.unknown, "unknown"), (self.independent, "independent"),
        )  # fmt: skip
        return ", ".join(f"{count:,} {word}" for count, word in counts if count) or "nothing"


class Preview:
    """A rewind as a screen shows it. `truncation` asks what plain truncation drops: all that is later."""

    def __init__(
        self, ledger: Ledger, rewind: Rewind, book: LossBook | None = None, *, truncation: bool = False
    ) -> None:
        self.ledger = ledger
        self.rewind = rewind
        self.truncation = truncation
        self._book = book
        self._target = ledger.row_of(rewind.target)

    @property
    def target(self) -> int:
        """The last seq that is kept."""
        return self.rewind.target

    # rows

    def state(self, row: int) -> RowState:
        """How a row of the ledger is marked. Rows off the lanes are kept or truncated, never invalid."""
        if row == self._target:
            return RowState("kept", (), "↺", "rewind to here", False)
        if not Kind(self.ledger.kind[row]).agent:
            later = self._target is None or row > self._target
            gone = self.truncation and later
            return RowState("kept", (), " ", "truncated" if gone else "", gone)
        seq = self.ledger.seq[row]
        fate = cast(Fate, self.rewind.state(seq))
        rules = self.rewind.rules(seq)
        gone = fate in ("invalidated", "possible") or (self.truncation and fate != "kept")
        return RowState(fate, rules, _SIGNS[fate], self._words(fate, seq, rules, gone), gone)

    def _words(self, fate: Fate, seq: int, rules: tuple[int, ...], gone: bool) -> str:
        match fate:
            case "kept":
                return ""
            case "unknown":
                return "truncated, cause unknown" if gone else "cause unknown"
            case "independent":
                return "truncated, no recorded dependence" if gone else "no recorded dependence"
        said = f"{_rule_words(rules):<9} {self._brief(seq)}".strip()
        return f"possibly {said}" if fate == "possible" else said

    def _brief(self, seq: int) -> str:
        reason = self.rewind.reason(seq)
        if reason is None:
            return "nothing is kept"
        rule, seq_before = reason
        source, row = self.ledger.row_of(seq_before), self.ledger.row_of(seq)
        return "" if source is None or row is None else why.brief(self.ledger, rule, source, row)

    @cached_property
    def dropped(self) -> frozenset[int]:
        """The rows that the chosen scope drops; for truncation, agent events only."""
        seqs = (*self.rewind.dropped, *self._spared) if self.truncation else self.rewind.dropped
        return frozenset(row for seq in seqs if (row := self.ledger.row_of(seq)) is not None)

    @property
    def _governance_after(self) -> int:
        """Governance events that plain truncation drops with the rest."""
        first = 0 if self._target is None else self._target + 1
        return self.ledger.kind[first:].count(Kind.GOVERNANCE)

    @property
    def _governance(self) -> list[str]:
        count = self._governance_after if self.truncation else 0
        return [plural(count, "governance event")] if count else []

    @property
    def _spared(self) -> tuple[int, ...]:
        return self.rewind.unknown + self.rewind.independent

    def holding(self, row: int, hidden: Sequence[int]) -> RowState:
        """How a folded row is marked that stands for these rows."""
        possible = self._possible.intersection(hidden)
        certain = self.dropped.intersection(hidden) - possible
        parts = [f"↺ {label(self.ledger, self.target)} is in here"] if self._target in hidden else []
        if certain:
            parts.append(f"╳ {len(certain):,} of {len(hidden):,} {'goes' if len(certain) == 1 else 'go'}")
        if possible:
            parts.append(f"~ {len(possible):,} of {len(hidden):,} possibly")
        return replace(self.state(row), held=" · ".join(parts) or f"0 of {len(hidden):,} go")

    @cached_property
    def _possible(self) -> frozenset[int]:
        rows = map(self.ledger.row_of, self.rewind.possible)
        return frozenset(row for row in rows if row is not None)

    def why(self, row: int) -> list[Line]:
        """The chain of reasons for a dropped row, an edge per line; empty for others."""
        return why.chain(self.ledger, self.rewind, self.ledger.seq[row])

    # counts

    @property
    def bar(self) -> str:
        """The one line under the preview."""
        found = self.rewind
        gone = len(found.dropped) + len(self._spared) + self._governance_after
        target = label(self.ledger, self.target)
        parts = [
            f"Truncate to ≤ {target}: {gone:,} dropped" if self.truncation else f"Keep ≤ {target}",
            f"{len(found.invalidated):,} invalid{self._kinds(found.invalidated)}",
            f"{len(found.possible):,} possible",
            f"{len(found.unknown):,} unknown",
            f"{len(found.independent):,} independent{self._elsewhere(found.independent)}",
            *self._governance,
            "undoing nothing on disk",
        ]
        return " · ".join(parts)

    def _kinds(self, seqs: tuple[int, ...]) -> str:
        """What the invalid events are: tool calls, then the agents they started, or else inferences, and how
        many others."""
        rows = [row for seq in seqs if (row := self.ledger.row_of(seq)) is not None]
        openers = {lane.opener for lane in self.ledger.lanes if lane.above is not None}
        agents = len(openers.intersection(rows))
        kinds = Counter(self.ledger.kind[row] for row in rows if row not in openers)
        tools, inferences = kinds[Kind.TOOL] + kinds[Kind.SPAWN], 0 if agents else kinds[Kind.INFERENCE]
        counts = ((tools, "tool call"), (agents, "agent"), (inferences, "inference"))
        parts = [plural(count, what) for count, what in counts if count]
        others = len(seqs) - tools - agents - inferences
        if parts and others:
            parts.append(plural(others, "other"))
        return f" ({', '.join(parts)})" if parts else ""

    def _elsewhere(self, seqs: tuple[int, ...]) -> str:
        """How many of some events are in other sessions than the target's."""
        if len(self.ledger.sessions) == 1 or self._home is None:
            return ""
        others: Counter[int] = Counter()
        for seq in seqs:
            row = self.ledger.row_of(seq)
            session = None if row is None else self.ledger.session_at(row)
            if session is not None and session is not self._home:
                others[session.index] += 1
        if not others:
            return ""
        return f", {others.total():,} of them in {plural(len(others), 'other session')}"

    @cached_property
    def _home(self) -> Session | None:
        return None if self._target is None else self.ledger.session_at(self._target)

    @cached_property
    def _fates(self) -> dict[int, Fate]:
        """Row → fate, of all that is not kept."""
        found: dict[int, Fate] = {}
        for fate in ("invalidated", "possible", "unknown", "independent"):
            for seq in getattr(self.rewind, fate):
                row = self.ledger.row_of(seq)
                if row is not None:
                    found[row] = fate
        return found

    def sessions(self) -> list[Share]:
        """The share of every session that loses something or comes later, in the ledger's order."""
        lost: dict[int, Counter[str]] = {}
        for row, fate in self._fates.items():
            session = self.ledger.session_at(row)
            if session is not None:
                lost.setdefault(session.index, Counter())[fate] += 1
        sessions = self.ledger.sessions
        return [
            _share(f"session {sessions[n].seq}", n, sessions[n].total_events, lost[n]) for n in sorted(lost)
        ]

    def lanes(self) -> list[Share]:
        """The share of every lane of the target's session that loses something or comes later."""
        if self._home is None:
            return []
        shares = []
        for lane in sorted(self._home.lane_objects(), key=lambda each: each.id):
            counts: Counter[str] = Counter(self._fates[row] for row in lane.rows if row in self._fates)
            if counts:
                shares.append(_share(marks.lane_title(lane), lane.id, len(lane.rows), counts))
        return shares

    # lists

    @cached_property
    def losses(self) -> Losses:
        """What the dropped events did that a rewind does not undo."""
        if self._book is None:
            return Losses()
        return self._book.of(self._in_order(self._spared) if self.truncation else self.rewind.dropped)

    def _in_order(self, spared: tuple[int, ...]) -> list[int]:
        rows = (self.ledger.row_of(seq) for seq in (*self.rewind.dropped, *spared))
        return [self.ledger.seq[row] for row in sorted(row for row in rows if row is not None)]

    def sections(self) -> list[Section]:
        """Counts and lists for a pane, bounded."""
        lost = self.losses
        scope = "all that is later (truncation)" if self.truncation else "what depends on it"
        sections = [
            Section("rewind preview", "fields", (*_words_lines(self.bar), Line(scope, label="scope")))
        ]
        for title, shares in (("sessions", self.sessions()), ("lanes", self.lanes())):
            lines = [Line(share.words, label=share.title) for share in shares]
            sections.append(Section(title, "effects", tuple(_bounded(lines))))
        return [section for section in [*sections, *_loss_sections(self.ledger, lost)] if section.lines]


def _rule_words(rules: tuple[int, ...]) -> str:
    if not rules:
        return ""
    return f"{'rule' if len(rules) == 1 else 'rules'} {' '.join(map(str, rules))}"


def _share(title: str, index: int, total: int, lost: Counter[str]) -> Share:
    return Share(
        title, index, total - lost.total(), lost["invalidated"], lost["possible"], lost["unknown"],
        lost["independent"],
    )  # fmt: skip


def _words_lines(bar: str) -> list[Line]:
    return [Line(part) for part in bar.split(" · ")]


def _loss_sections(ledger: Ledger, lost: Losses) -> Iterator[Section]:
    files = [Line(visible(f.path, _ITEM), label=_seqs(ledger, f.seqs), seq=f.seqs[0]) for f in lost.files]
    yield Section("files they wrote: they stay as they are", "effects", tuple(_bounded(files)))
    ran = [Line(visible(c.command, _ITEM), label=label(ledger, c.seq), seq=c.seq) for c in lost.commands]
    yield Section("commands they ran", "effects", tuple(_bounded(ran)))
    reached = [Line(visible(e.tool, _ITEM), label=label(ledger, e.seq), seq=e.seq) for e in lost.effects]
    yield Section("other calls: may have had effects", "effects", tuple(_bounded(reached)))
    blobs = [Line(visible(digest, _ITEM)) for digest in lost.blobs]
    yield Section("blobs that nobody else names", "blobs", tuple(_bounded(blobs)))
    used = [Line(duration(lost.duration_ms), label="time")]
    if lost.tokens is not None:
        used.append(Line(f"{number(lost.tokens)} ({lost.tokens:,})", label="tokens"))
    if lost.unread:
        used.append(Line(f"{plural(lost.unread, 'record')} could not be read", style="error"))
    yield Section("what they took", "fields", tuple(used))


def _seqs(ledger: Ledger, seqs: tuple[int, ...]) -> str:
    return " ".join(label(ledger, seq) for seq in seqs[:3]) + (" …" if len(seqs) > 3 else "")


def _bounded(lines: list[Line]) -> list[Line]:
    if len(lines) <= _LISTED:
        return lines
    return [*lines[:_LISTED], Line(f"… {len(lines) - _LISTED:,} more, not shown", style="note")]
