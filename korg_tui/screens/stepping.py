"""SteppingScreen: stepping through a spine - along causes, lanes, failures, hits, folds - and back again."""

from __future__ import annotations

from collections.abc import Callable

from korg_tui.causal import Ledger
from korg_tui.commands import DIGITS
from korg_tui.screens.base import KorgScreen
from korg_tui.views import Spine, in_turn, neighbour
from korg_tui.widgets.chrome import Ask
from korg_tui.widgets.spine import SpineView

TRAIL = 200
"""Places that `back` remembers."""


class SteppingScreen(KorgScreen):
    """A screen with a spine that the keys step through."""

    spine: Spine
    view: SpineView

    def __init__(self) -> None:
        super().__init__()
        self.trail: list[tuple[int | None, int]] = []
        """Where jumps began: (seq, row)."""
        self.led_here = False
        """Whether a line of another screen, the one below, led to the first place here."""
        self.hits: list[int] = []
        """The rows that the search found, ascending."""

    @property
    def ledger(self) -> Ledger:
        """The ledger that is open."""
        return self.spine.ledger

    @property
    def row(self) -> int:
        """The ledger's row under the cursor, -1 when there is none. A ledger that was replaced by a shorter
        one leaves the cursor, and rows of the spine, behind its end until the view is shaped anew."""
        last = len(self.spine) - 1
        row = self.spine.row(min(self.view.cursor, last)) if last >= 0 else -1
        return row if row < len(self.ledger) else -1

    def drops(self, row: int) -> bool:
        """Whether a previewed rewind drops this row; without a preview nothing is dropped."""
        del row
        return False

    def settle(self) -> None:
        """The cursor or the rows have changed: bring everything around the spine up to date."""
        raise NotImplementedError

    # jumping

    def jump(self, row: int | None) -> bool:
        """Go to a row of this session, wherever it is hidden. False when it is not in the session."""
        if row is None:
            return False
        before = self.row
        if self.spine.index_of_row(row) is None:
            self.view.reshape(
                lambda: self.spine.index_of_row(row, unfold=True), lambda: self.spine.standing_for(before)
            )
        index = self.spine.index_of_row(row)
        if index is None:
            return False
        if row != before:
            self._remember(before)
        self.view.go(index, jump=True)
        return True

    def _remember(self, row: int) -> None:
        if row >= 0:
            self.trail = [*self.trail[1 - TRAIL :], (self.ledger.seq_at(row), row)]

    def do_back(self) -> None:
        if self.led_here and not self.trail:
            self.app.pop_screen()
        while self.trail:
            seq, row = self.trail.pop()
            found = row if seq is None else self.ledger.row_of(seq)
            kept = list(self.trail)
            if found is not None and found < len(self.ledger) and self.jump(found):
                self.trail = kept
                return

    def _step(self, row: int | None, otherwise: str) -> None:
        if not self.jump(row):
            self.remark = otherwise

    # along causes and lanes

    def do_parent(self) -> None:
        self._step(self.spine.parent(self.row), "its parent is in no session that is shown here")

    def do_child(self) -> None:
        self._step(self.spine.child(self.row), "nothing names this event as its parent")

    def do_sibling_before(self) -> None:
        self._step(self.spine.sibling(self.row, -1), "no earlier event has the same parent")

    def do_sibling_after(self) -> None:
        self._step(self.spine.sibling(self.row, 1), "no later event has the same parent")

    def do_lane_before(self) -> None:
        self._step(self.spine.in_lane(self.row, -1), "this is the first event of its lane")

    def do_lane_after(self) -> None:
        self._step(self.spine.in_lane(self.row, 1), "this is the last event of its lane")

    # along what was found

    def do_error_after(self) -> None:
        self._round(self.spine.failure, "failure")

    def do_error_before(self) -> None:
        self._round(self.spine.failure, "failure", -1)

    def do_dead_after(self) -> None:
        self._round(self.spine.dead_pointer, "dead pointer")

    def do_dead_before(self) -> None:
        self._round(self.spine.dead_pointer, "dead pointer", -1)

    def do_hit_after(self) -> None:
        self._round(self._hit, "hit")

    def do_hit_before(self) -> None:
        self._round(self._hit, "hit", -1)

    def _hit(self, row: int, step: int) -> int | None:
        return neighbour(self.hits, row, step)

    def _round(self, find: Callable[[int, int], int | None], what: str, step: int = 1) -> None:
        """Go to the next one, and after the last to the first, saying so."""
        found, said = in_turn(find, self.row, len(self.ledger), what, step)
        self.remark = said or self.remark
        self.jump(found)

    # folding

    def do_fold(self) -> None:
        self._fold(self.row)

    def reshape(self, change: Callable[[], object], stands: Callable[[], int]) -> None:
        """Change which rows are shown; then the cursor stands on row `stands()`, or what stands for it."""
        self.view.reshape(change, lambda: self.spine.standing_for(stands()))
        self.view.leave_the_end()
        self.settle()

    def reshape_in_place(self, change: Callable[[], object]) -> None:
        """The same; one who is at the end and follows stays there."""
        rows = self.spine.all_rows
        row = rows[-1] if self.view.following and rows else self.row
        self.reshape(change, lambda: row)

    def do_unfold(self) -> None:
        row = self.row
        opened: list[bool] = []
        self.reshape(lambda: opened.append(self.spine.unfold(row)), lambda: row)
        if not opened[0]:
            self.remark = "nothing is folded here"

    def _fold(self, row: int) -> None:
        stands = [row]
        self.reshape(lambda: stands.append(self.spine.fold(row)), lambda: stands[-1])

    def toggle_fold(self, row: int) -> None:
        """Fold a row that is not folded, unfold one that is."""
        if self.spine.is_folded(row):
            here = self.row
            self.reshape(lambda: self.spine.unfold(row), lambda: here)
        else:
            self._fold(row)

    def do_fold_level(self) -> None:
        self.reshape_in_place(self.spine.next_level)
        self.remark = self.spine.folds.level.words

    def do_shift_left(self) -> None:
        if not self.view.sideways(-1):
            self.remark = "the rows stand at their beginning"

    def do_shift_right(self) -> None:
        if not self.view.sideways(1):
            self.remark = "nothing that is seen here is cut off any more"

    # asking for a seq

    def do_goto(self) -> None:
        typed = self.pressed if self.pressed in DIGITS else ""
        self.query_one(Ask).ask("goto", "go to seq", typed, goes_on=True)
