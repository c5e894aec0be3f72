"""Spine: the rows of one session as a person steps through them (EXPERIENCE, screen 2).

A view model: which rows are seen under folds and filter, and what each of them shows. Extending it after an
append costs O(new rows); everything else is done when it is looked at.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from korg_tui.causal import Lane, Ledger, Session, is_key
from korg_tui.event import Kind
from korg_tui.trust import Standing
from korg_tui.views import marks, walk, words
from korg_tui.views.arguments import Arguments, Read
from korg_tui.views.breaks import SPOKEN_AGAINST, Between, BreakLine, Evidence
from korg_tui.views.folds import CALLS, Folds, Level
from korg_tui.views.lines import SpineLine
from korg_tui.views.members import Members
from korg_tui.views.rails import COLUMNS, Node, Rails
from korg_tui.views.shown import Predicate, Shown
from korg_tui.views.spans import lay_out


class Spine:
    """The visible rows of a session, by index from the top. A row is a row of the ledger.

    `session` is the session's index; None, or -1, shows the whole ledger. `read(offset, length)` gives a
    record's bytes; without it there are no arguments.
    """

    def __init__(self, ledger: Ledger, session: int | None = None, read: Read | None = None) -> None:
        self.ledger = ledger
        self.version = 0
        """Counts every change to what a row might show."""
        self.folds = Folds(ledger)
        self._session = None if session is None or session < 0 else ledger.sessions[session]
        self._arguments = Arguments(ledger, read)
        self._predicate: Predicate | None = None
        self._columns = COLUMNS
        self.standing: Standing | None = None
        """Where the chain of the ledger stands; None when nobody knows."""
        self._between = Between()
        self._build()

    # keeping up with the ledger

    def extend(self) -> int:
        """Take in what the ledger has got since; return how many of the session's rows are new.

        When rows moved, lanes were renumbered, or the ledger was rewound, everything is built anew."""
        before = len(self._members.rows)
        if self._shape == _shape_of(self.ledger) and len(self.ledger) >= self._met:
            self._meet_new()
        else:
            self._arguments.forget()
            self._build()
        return max(0, len(self._members.rows) - before)

    @property
    def in_step(self) -> bool:
        """Whether the rows are those of the ledger as it is now."""
        return self._shape == _shape_of(self.ledger) and len(self.ledger) == self._met

    def _build(self) -> None:
        self._shape = _shape_of(self.ledger)
        self._members = Members(self.ledger, self._session)
        self._shown = Shown(self.ledger, self.folds, self._predicate)
        self._evidence = Evidence(self.ledger.row_of, self._is_member)
        self._met = 0
        self._meet_new()
        self._evidence.take(self.standing)

    def _meet_new(self) -> None:
        self.folds.lanes_came()
        for row in range(self._met, len(self.ledger)):
            if self._members.meet(row):
                self._shown.consider(row)
        self._met = len(self.ledger)
        self._evidence.rows_came()
        self._changed()

    def _changed(self) -> None:
        self.version += 1
        self._rails: Rails | None = None
        self._summaries: dict[int, str] = {}

    def _show_again(self) -> None:
        self._shown = Shown(self.ledger, self.folds, self._predicate)
        for row in self._members.rows:
            self._shown.consider(row)
        self._changed()

    # which rows there are

    def __len__(self) -> int:
        return len(self._shown.rows)

    def row(self, index: int) -> int:
        """The row at an index."""
        return self._shown.rows[index]

    @property
    def rows(self) -> Sequence[int]:
        """The visible rows, ascending."""
        return self._shown.rows

    @property
    def all_rows(self) -> Sequence[int]:
        """All rows of the session, hidden ones too, ascending."""
        return self._members.rows

    @property
    def last_seq(self) -> int:
        """The largest seq that is shown, 0 when there is none."""
        if not self.all_rows:
            return 0
        seq = self.ledger.seq[self.all_rows[-1]]
        guests = (origin.present for origin in self.ledger.origins if origin is not None)
        return max([self.ledger.columns.last_seq() if is_key(seq) else seq, *guests])

    @property
    def number_cells(self) -> int:
        """Cells that the longest number of a row may take."""
        guests = any(origin is not None for origin in self.ledger.origins)
        return len(str(self.last_seq)) + guests

    @property
    def session(self) -> Session | None:
        """The session, None for the whole ledger."""
        return self._members.session

    @property
    def failures(self) -> Sequence[int]:
        """The rows that failed, ascending."""
        return self._members.failed

    @property
    def dead_pointers(self) -> Sequence[int]:
        """The rows whose cause is missing, ascending."""
        return self._members.dead

    # what holds of the ledger

    def set_standing(self, standing: Standing | None) -> bool:
        """Where the chain of the ledger stands now. False when it makes no difference here."""
        self.standing = standing
        changed = self._evidence.take(standing)
        if changed:
            self.version += 1
            self._summaries.clear()
        return changed

    @property
    def breaks(self) -> Sequence[int]:
        """The indexes of rows above which a line says that the chain breaks, ascending; where it breaks only
        below all that are seen, how many these are."""
        if not len(self):
            return ()
        self._between.lie(self._evidence.breaks, self.rows)
        return self._between.indexes

    def break_above(self, index: int) -> BreakLine:
        """What the line above a row of `breaks` says."""
        first, count = self._between.breaks_at(index)
        below = self.rails.above(self.row(index)) if index < len(self) else ()
        return BreakLine(below, count, self._evidence.why(self._evidence.breaks[first]))

    @property
    def spoken_against(self) -> Sequence[int]:
        """The rows that evidence speaks against, those below a break of the chain included, ascending."""
        return self._evidence.rows

    def _is_member(self, row: int) -> bool | None:
        return row in self._members if row < self._met else None

    # filter and folds

    def set_filter(self, predicate: Predicate | None) -> None:
        """Show only what the predicate means, and, dimmed, its ancestors. Folds rest until it is lifted."""
        self._predicate = predicate
        self._show_again()

    @property
    def filtered(self) -> bool:
        """Whether a filter is set."""
        return self._predicate is not None

    @property
    def matching(self) -> int:
        """How many rows the filter means; without one, all of the session."""
        return len(self._shown.matching) if self.filtered else len(self.all_rows)

    def set_level(self, level: Level) -> None:
        """Fold everything to a level."""
        self.folds.set_level(level)
        self._show_again()

    def next_level(self) -> Level:
        """Fold a level further; after the last one unfold everything. Returns the level."""
        self.set_level(Level((self.folds.level + 1) % len(Level)))
        return self.folds.level

    def fold_bookkeeping(self, folded: bool) -> None:
        """Fold each run of bookkeeping to its first row, or show all of it."""
        self.folds.bookkeeping = folded
        self._show_again()

    def foldable(self, row: int) -> bool:
        """Whether this row stands, or can stand, for other ones."""
        return not self.filtered and (row in self._shown.runs or self.folds.foldable(row))

    def is_folded(self, row: int) -> bool:
        """Whether this row stands for hidden ones."""
        return not self.filtered and (row in self._shown.runs or self.folds.is_folded(row))

    def held(self, row: int) -> Sequence[int]:
        """The rows that a folded row stands for, in no order; none for a run of bookkeeping."""
        return () if row in self._shown.runs else self.folds.below(row)

    def fold(self, row: int) -> int:
        """Fold this row, or what it lies in; return the row that now stands for it."""
        holder = self.folds.fold(row)
        self._show_again()
        return holder

    def unfold(self, row: int) -> bool:
        """Show what a row stands for; False when it stands for itself only."""
        if row in self._shown.runs:
            self.folds.bookkeeping = False
        elif not self.folds.unfold(row):
            return False
        self._show_again()
        return True

    # finding a row

    def index_of(self, seq: int, *, unfold: bool = False) -> int | None:
        """Where an event is seen; None when it is hidden or not there. `unfold` makes it seen first."""
        row = self.ledger.row_of(seq)
        return None if row is None else self.index_of_row(row, unfold=unfold)

    def index_of_row(self, row: int, *, unfold: bool = False) -> int | None:
        """The same for a row, which may be a malformed line. A filter lets it through, dimmed."""
        index = self._shown.index(row)
        if index is not None or not unfold or row not in self._members:
            return index
        if self.filtered:
            self._shown.reveal(row)
            self._changed()
        else:
            self.folds.uncover(row)
            self._show_again()
        return self._shown.index(row)

    def standing_for(self, row: int) -> int:
        """The index of a row, of the fold that hides it, or else of the last visible one before it."""
        index = self._shown.index(row)
        if index is None and 0 <= row < len(self.ledger) and not self.filtered:
            holders = (self._shown.index(holder) for _, holder in self.folds.in_the_way(row))
            index = next((holder for holder in holders if holder is not None), None)
        return index if index is not None else max(0, bisect_left(self.rows, row) - 1)

    # steps from a row to a row, hidden ones too; None when there is none

    def parent(self, row: int) -> int | None:
        """The event that led to this one."""
        return walk.parent(self.ledger, row)

    def child(self, row: int) -> int | None:
        """The first event that this one led to."""
        return walk.first_child(self.ledger, row)

    def sibling(self, row: int, step: int) -> int | None:
        """The next (1) or previous (-1) event with the same parent."""
        return walk.sibling(self.ledger, row, step)

    def in_lane(self, row: int, step: int) -> int | None:
        """The next (1) or previous (-1) event of this lane."""
        return walk.in_lane(self.ledger, row, step)

    def failure(self, row: int, step: int) -> int | None:
        """The next (1) or previous (-1) event that failed."""
        return walk.neighbour(self.failures, row, step)

    def dead_pointer(self, row: int, step: int) -> int | None:
        """The next (1) or previous (-1) event whose cause is missing."""
        return walk.neighbour(self.dead_pointers, row, step)

    # what a row shows

    @property
    def rails(self) -> Rails:
        """The rails as they lie now."""
        if self._rails is None:
            folds = None if self.filtered else self.folds
            self._rails = lay_out(self.ledger, self._shown.extents, folds, self.rows, self._columns)
        return self._rails

    def set_columns(self, columns: int) -> None:
        """Lay the rails out in at most so many columns of two cells, and one more for what is beyond."""
        if columns != self._columns:
            self._columns = columns
            self._changed()

    def argument(self, row: int) -> str:
        """The argument that matters of a row of the ledger, shown or not: a safe line."""
        return self._arguments.of(row)

    def line(self, index: int) -> SpineLine:
        """What the row at an index shows."""
        row, ledger = self.row(index), self.ledger
        lane = ledger.lane_at(row)
        folded = self.is_folded(row)
        runs = self.rails.draw(row, None if lane is None else lane.id, _node(ledger, row, lane, folded))
        summary = self._summary(row) if folded else ""
        note = marks.note(ledger, row)
        against = self._evidence.words(row)
        is_gap = ledger.kind[row] == Kind.GAP
        return SpineLine(
            row=row,
            seq=ledger.seq_at(row),
            number=marks.number(ledger, row),
            kind=Kind(ledger.kind[row]),
            rails="".join(run.text for run in runs),
            runs=runs,
            lane=-1 if lane is None else lane.id,
            sign=SPOKEN_AGAINST if against else marks.sign(ledger, row),
            tool=marks.tool(ledger, row),
            argument=note if is_gap else self._arguments.of(row),
            duration_ms=ledger.duration_at(row),
            bar=words.bar(ledger.duration_at(row)),
            marks=(*against, *marks.marks(ledger, row, astray=self._members.astray.get(row, ""))),
            note="" if is_gap else " · ".join(filter(None, (note, summary))),
            folded=folded,
            dim=self.filtered and row not in self._shown.matching,
        )

    def _summary(self, row: int) -> str:
        """What a fold holds: `12 events · 1 failed · lane 3 sub`."""
        if row not in self._summaries:
            self._summaries[row] = " · ".join(self._sum_up(row))
        return self._summaries[row]

    def _sum_up(self, row: int) -> Iterator[str]:
        if row in self._shown.runs:
            yield words.plural(self._shown.runs[row], "bookkeeping event")
            return
        hidden = self.folds.below(row)
        failed = sum(marks.is_failed(self.ledger, each) for each in hidden)
        yield words.plural(len(hidden), "event")
        against = Counter(word for each in hidden for word in self._evidence.words(each))
        if failed:
            yield f"{failed:,} failed"
        yield from (f"{count:,} {word}" for word, count in against.items())
        lane = self.folds.opens(row)
        if lane is not None and self.folds.lane_folded(lane):
            yield marks.lane_title(lane)


def _node(ledger: Ledger, row: int, lane: Lane | None, folded: bool) -> Node:
    if lane is None:
        return Node.NONE
    if folded:
        return Node.FOLDED
    if marks.is_dead(ledger, row):
        return Node.BROKEN
    if ledger.kind[row] not in CALLS or lane.opener == row:
        return Node.SPINE
    return Node.NOTE if ledger.kind[row] == Kind.BOOKKEEPING else Node.CALL


def _shape_of(ledger: Ledger) -> tuple[int, int, int]:
    return ledger.generation, ledger.revision, ledger.merges
