"""Members: the rows of one session, and what is wrong with them, kept by one step per row."""

from __future__ import annotations

from array import array
from bisect import bisect_left

from korg_tui.causal import Ledger, Pointer, Rounds, Session
from korg_tui.event import Kind
from korg_tui.views import marks, walk


class Members:
    """The rows of a session, or of the whole ledger (None), ascending.

    Governance events belong to the session of the event they name, else to that of the agent event before
    them; malformed lines to that of the row before them; what comes before any session, to the first. A gap
    belongs to every session that may have lost events in it.
    """

    def __init__(self, ledger: Ledger, session: Session | None) -> None:
        self.session = None if session is None else session.standing()
        self.rows = array("q")
        self.failed = array("q")
        self.dead = array("q")
        self.astray: dict[int, str] = {}
        """`late` or `off-spine`, by row."""
        self._ledger = ledger
        self._rounds = Rounds(ledger)
        self._agent_before: Session | None = None
        self._owner_before: Session | None = None

    def meet(self, row: int) -> bool:
        """Look at the next row of the ledger; say whether it is a member."""
        if not self._is_mine(row):
            return False
        self.rows.append(row)
        if marks.is_failed(self._ledger, row):
            self.failed.append(row)
        if marks.is_dead(self._ledger, row):
            self.dead.append(row)
        astray = self._rounds.meet(row)
        if astray:
            self.astray[row] = astray
        return True

    def __contains__(self, row: int) -> bool:
        place = bisect_left(self.rows, row)
        return place < len(self.rows) and self.rows[place] == row

    def _is_mine(self, row: int) -> bool:
        if self.session is None:
            return True
        if self._ledger.kind[row] == Kind.GAP:
            return self._may_miss(self.session, row)
        owner = self._ledger.session_at(row)
        if owner is not None:
            self._agent_before = owner
        elif self._ledger.kind[row] == Kind.GOVERNANCE:
            named = walk.parent(self._ledger, row)
            owner = (None if named is None else self._ledger.session_at(named)) or self._agent_before
        else:
            owner = self._owner_before
        self._owner_before = owner
        return owner is self.session or (owner is None and self.session.index == 0)

    def _may_miss(self, session: Session, gap: int) -> bool:
        """Whether the session began before a gap, or hangs from an event in it."""
        if session.head < gap:
            return True
        parent, missing = self._ledger.parent_at(session.head), self._ledger.gap_at(gap)
        if parent is None or missing is None or session.root_state is not Pointer.UNLOADED:
            return False
        return parent <= missing.last
