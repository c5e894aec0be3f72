"""Folds: which rows of a spine stand for others (EXPERIENCE, keys `h l z`).

A sub-lane folds to its opener, a round to its inference. The level folds all of a kind at once; what a
person folds or unfolds is kept as an exception to it, by seq, so that rows that move take it along.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field

from korg_tui.causal import Lane, Ledger
from korg_tui.event import Kind

CALLS = frozenset({Kind.SPAWN, Kind.TOOL, Kind.BOOKKEEPING})
"""What a folded round hides."""


class Level(enum.IntEnum):
    """What is folded to begin with."""

    NOTHING = 0
    LANES = 1
    ROUNDS = 2

    @property
    def words(self) -> str:
        """What a status line says of it."""
        return ("nothing folded", "sub-lanes folded", "sub-lanes and rounds folded")[self]


@dataclass(slots=True)
class Folds:
    """The folds of one spine. Answers are remembered until a fold or the shape of the lanes changes."""

    ledger: Ledger
    level: Level = Level.NOTHING
    bookkeeping: bool = False
    """Whether runs of bookkeeping are folded to their first row."""
    _exceptions: set[tuple[str, int]] = field(default_factory=set)
    _buried: dict[int, bool] = field(default_factory=dict)
    _lanes_under: dict[int, list[Lane]] = field(default_factory=dict)

    def set_level(self, level: Level) -> None:
        """Fold everything to this level; exceptions are forgotten."""
        self.level = level
        self._exceptions.clear()
        self.forget()

    def forget(self) -> None:
        """Lanes or folds have changed."""
        self._buried.clear()
        self._lanes_under.clear()

    def lanes_came(self) -> None:
        """Lanes were opened below others; those that were there are as they were."""
        self._lanes_under.clear()

    def lane_folded(self, lane: Lane) -> bool:
        """Whether a lane shows only its opener. Lanes that a head opened never do."""
        if lane.above is None:
            return False
        return (self.level >= Level.LANES) != (("lane", self.ledger.seq[lane.opener]) in self._exceptions)

    def round_folded(self, inference: int) -> bool:
        """Whether the calls of this inference, and the lanes forked among them, are hidden."""
        return (self.level >= Level.ROUNDS) != (("round", self.ledger.seq[inference]) in self._exceptions)

    def opens(self, row: int) -> Lane | None:
        """The sub-lane that this row opened, if there is more of it."""
        lane = self.ledger.lane_at(row)
        if lane is None or lane.above is None or lane.opener != row:
            return None
        return lane if len(lane.rows) > 1 or self._under(lane) else None

    def has_round(self, row: int) -> bool:
        """Whether this is an inference that called something."""
        if self.ledger.kind[row] != Kind.INFERENCE:
            return False
        lane = self.ledger.lane_at(row)
        return any(
            self.ledger.kind[child] in CALLS or self.ledger.lane_at(child) is not lane
            for child in self.ledger.children(row)
        )

    def foldable(self, row: int) -> bool:
        """Whether this row can stand for rows below it."""
        return self.has_round(row) or self.opens(row) is not None

    def is_folded(self, row: int) -> bool:
        """Whether this row stands for rows below it."""
        lane = self.opens(row)
        if lane is not None and self.lane_folded(lane):
            return True
        return self.has_round(row) and self.round_folded(row)

    def fold(self, row: int) -> int:
        """Fold this row, or what it lies in; return the row that now stands for it."""
        lane = self.opens(row)
        if self.has_round(row) and not self.round_folded(row):
            self.flip_round(row)
            return row
        if lane is not None and not self.lane_folded(lane):
            self.flip_lane(lane)
            return row
        inference = self.round_of(row) if self.ledger.kind[row] in CALLS and lane is None else None
        if inference is not None:
            self.flip_round(inference)
            return inference
        return self._fold_around(row)

    def _fold_around(self, row: int) -> int:
        around = self.ledger.lane_at(row)
        if around is not None and around.opener == row:
            around = around.above
        if around is None:
            return row
        if around.above is not None and not self.lane_folded(around):
            self.flip_lane(around)
        return around.opener

    def unfold(self, row: int) -> bool:
        """Show what a row stands for; False when it stands for itself only."""
        lane = self.opens(row)
        if lane is not None and self.lane_folded(lane):
            self.flip_lane(lane)
        elif self.has_round(row) and self.round_folded(row):
            self.flip_round(row)
        else:
            return False
        return True

    def uncover(self, row: int) -> None:
        """Open every fold that hides a row."""
        for what, holder in list(self.in_the_way(row)):
            lane = self.ledger.lane_at(holder)
            if what == "round":
                self.flip_round(holder)
            elif lane is not None:
                self.flip_lane(lane)
        if self.ledger.kind[row] == Kind.BOOKKEEPING:
            self.bookkeeping = False

    def below(self, row: int) -> list[int]:
        """The rows that a folded row stands for, in no order: those of its lane, or of its round, and of the
        lanes below."""
        opened = self.opens(row)
        if opened is not None and self.lane_folded(opened):
            return [each for each in self._subtree(opened) if each != row]
        home, found, stack = self.ledger.lane_at(row), [], self.ledger.children(row)
        while stack:
            each = stack.pop()
            lane = self.ledger.lane_at(each)
            if lane is home and self.ledger.kind[each] not in CALLS:
                continue
            if lane is home:
                found.append(each)
            elif lane is not None and lane.above is home and lane.opener == each:
                found += self._subtree(lane)
            stack += self.ledger.children(each)
        return found

    def _subtree(self, lane: Lane) -> list[int]:
        """The rows of a lane and of the lanes below it."""
        rows: list[int] = []
        stack = [lane]
        while stack:
            part = stack.pop()
            rows += part.rows
            stack += self._under(part)
        return rows

    def _under(self, lane: Lane) -> list[Lane]:
        """The lanes that were forked from a lane."""
        if not self._lanes_under:
            for each in self.ledger.lanes:
                if each.above is not None:
                    self._lanes_under.setdefault(each.above.key, []).append(each)
        return self._lanes_under.get(lane.key, [])

    def flip_lane(self, lane: Lane) -> None:
        """Fold an unfolded lane, and the other way."""
        self._flip("lane", lane.opener)

    def flip_round(self, inference: int) -> None:
        """Fold an unfolded round, and the other way."""
        self._flip("round", inference)

    def _flip(self, what: str, row: int) -> None:
        self._exceptions ^= {(what, self.ledger.seq[row])}
        self.forget()

    def buried(self, lane: Lane) -> bool:
        """Whether no row of the lane is shown: a lane above it is folded, or the round it was forked in."""
        unknown, each = [], lane
        while each.above is not None and each.key not in self._buried:
            unknown.append(each)
            each = each.above
        hidden = self._buried.get(each.key, False)
        for below in reversed(unknown):
            hidden = hidden or self._is_buried(below)
            self._buried[below.key] = hidden
        return hidden

    def _is_buried(self, lane: Lane) -> bool:
        """Whether the lane just above, or the round of the fork, hides a lane."""
        above = lane.above is not None and self.lane_folded(lane.above)
        return above or any(self.round_folded(inference) for inference in self._fork_round(lane))

    def _fork_round(self, lane: Lane) -> Iterator[int]:
        """The inference whose round a lane was forked in, if it was one's."""
        if lane.fork is None:
            return
        if self.ledger.kind[lane.fork] == Kind.INFERENCE:
            yield lane.fork
        elif (inference := self.round_of(lane.fork)) is not None:
            yield inference

    def round_of(self, row: int) -> int | None:
        """The inference whose round this event is in; None when it is in the opener's."""
        inference = self.ledger.round_at(row)
        if inference >= 0 and self.ledger.kind[inference] == Kind.INFERENCE:
            return inference
        return None

    def hides(self, row: int) -> bool:
        """Whether a fold hides this row. Runs of bookkeeping are the spine's matter."""
        lane = self.ledger.lane_at(row)
        if lane is None:
            return False
        if self.buried(lane) or (lane.opener != row and self.lane_folded(lane)):
            return True
        if self.ledger.kind[row] not in CALLS or row == lane.opener:
            return False
        inference = self.round_of(row)
        return inference is not None and self.round_folded(inference)

    def in_the_way(self, row: int) -> Iterator[tuple[str, int]]:
        """The folds that hide a row, as (`lane` or `round`, row), the outermost first."""
        lane = self.ledger.lane_at(row)
        if lane is None:
            return
        for each in reversed(list(lane.chain())):
            for inference in self._fork_round(each):
                if self.round_folded(inference):
                    yield "round", inference
            if self.lane_folded(each) and row != each.opener:
                yield "lane", each.opener
        if self.ledger.kind[row] in CALLS and row != lane.opener:
            inference_of_row = self.round_of(row)
            if inference_of_row is not None and self.round_folded(inference_of_row):
                yield "round", inference_of_row
