"""GivingScreen: command `outside` - what is shown is given to another program, after a person agreed."""

from __future__ import annotations

import os
from collections.abc import Sequence

from textual import on
from textual.app import SuspendNotSupported
from textual.widget import Widget

from korg_tui.screens import outside
from korg_tui.screens.base import KorgScreen
from korg_tui.screens.outside import Proposal, Refused
from korg_tui.widgets.confirm import Confirm

_YES = ("y", "enter")
_NO = ("n", "escape")
_ALWAYS = ("ctrl+c", "ctrl+z")
_REASONS = 3


class GivingScreen(KorgScreen):
    """A screen with a `Confirm` bar. Subclasses say what can be given away."""

    def __init__(self) -> None:
        super().__init__()
        self._proposal: Proposal | None = None
        self._turn = 0
        self._focused_before: Widget | None = None

    def offers(self) -> Sequence[object]:
        """What can be opened, the most wanted first."""
        raise NotImplementedError

    def proposed(self, offer: object) -> Proposal:
        """What would be run for an offer. Raises `Refused`."""
        raise NotImplementedError

    def action_press(self, key: str) -> None:
        """While it asks, keys are answers."""
        if self._proposal is None or key in _ALWAYS:
            super().action_press(key)
        else:
            self._answer(key)

    def do_outside(self) -> None:
        self._turn = 0
        self._propose()

    def _propose(self) -> None:
        """Ask about the offer whose turn it is; those that are refused are passed over, if another is not."""
        offers = self.offers()
        why: dict[str, None] = {}
        for step in range(len(offers)):
            turn = (self._turn + step) % len(offers)
            try:
                self._proposal = self.proposed(offers[turn])
            except Refused as refused:
                why[str(refused)] = None
                continue
            self._turn = turn
            self._ask(self._proposal, others=len(offers) - 1)
            return
        self.remark = " · ".join(list(why)[:_REASONS]) or "nothing is there to be opened"

    def _ask(self, proposal: Proposal, others: int) -> None:
        if not self.query_one(Confirm).asking:
            self._focused_before = self.focused
        more = self.keymap.told(" · {outside}: something else") if others else ""
        self.query_one(Confirm).ask([
            ("run ", ""), (proposal.line, "line--strong"), (f" ({proposal.what})? ", ""),
            (f"y or enter: yes · esc: no{more}", "line--quiet"),
        ])  # fmt: skip

    @on(Confirm.Pressed)
    def _pressed(self, event: Confirm.Pressed) -> None:
        event.stop()
        self._answer(event.key)

    def _answer(self, key: str) -> None:
        proposal, another = self._proposal, self.keymap.command("outside").keys
        if proposal is None or key not in (*_YES, *_NO, *another):
            return
        self._stop_asking()
        if key in _YES:
            self._run(proposal)
        elif key in another:
            self._turn += 1
            self._propose()
        self.show_status()

    def _stop_asking(self) -> None:
        self.query_one(Confirm).close()
        self.set_focus(self._focused_before)
        self.drop_proposal()

    def drop_proposal(self) -> None:
        """Nothing is asked any more."""
        self._proposal = None

    def _run(self, proposal: Proposal) -> None:
        try:
            with self.app.suspend():
                self.remark = outside.run(proposal, os.environ)
        except SuspendNotSupported:
            self.remark = "this terminal cannot be given to another program"
