"""ExplainingScreen: where an event comes from and what it carries away - the walk to what it all began with,
why it came, edge by edge, the list of its effects - and whether its ledger can be believed."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on

from korg_tui.screens.effects import EffectsScreen
from korg_tui.screens.findings import FindingsScreen
from korg_tui.screens.previewing import PreviewingScreen
from korg_tui.views import Preview, Section, cause_walk, reasons
from korg_tui.widgets.walk import WalkLine


class ExplainingScreen(PreviewingScreen):
    """Commands `why` in a session, `effects`, `origin`, `findings`; the line of causes below the crumbs."""

    def show_walk(self) -> None:
        """Bring the line of causes up to date."""
        line = self.query_one(WalkLine)
        steps = cause_walk(self.ledger, self.row, self.spine.argument, line.room) if self.row >= 0 else []
        line.show(steps)

    @on(WalkLine.Led)
    def _walked(self, event: WalkLine.Led) -> None:
        event.stop()
        self.go_to_seq(event.seq)

    def go_to_seq(self, seq: int) -> None:
        """Go to the event of this seq."""
        raise NotImplementedError

    def do_origin(self) -> None:
        row = self.spine.parent(self.row)
        head = -1 if row is None else self.ledger.head_at(row)
        self._step(head if head >= 0 else None, "its causes end in no session that is shown here")

    def do_effects(self) -> None:
        seq = self.ledger.seq[self.row]
        self.korg.push_screen(EffectsScreen(self.reading, self.ledger, seq))

    def do_findings(self) -> None:
        self.korg.push_screen(FindingsScreen(self.reading, self.ledger))

    # why

    def _event(self, row: int, preview: Preview | None) -> Sequence[Section]:
        event = super()._event(row, preview)
        explains = self.telling_why and preview is None and self.ledger.kind_at(row).agent
        return [reasons(self.ledger, row), *event] if explains else event

    def leave_why(self) -> bool:
        """Stop saying why events came. False when it was not said."""
        if self.previewing or not self.telling_why:
            return False
        self.telling_why = False
        self.settle()
        return True
