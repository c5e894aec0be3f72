"""TrustingScreen: a screen that shows where the chains of ledgers stand, and learns when that is another."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from korg_tui.causal import Ledger
from korg_tui.formats import Body
from korg_tui.reading import Reading
from korg_tui.screens.base import KorgScreen
from korg_tui.views import Line, Section, event_chain, event_fits


class TrustingScreen(KorgScreen):
    """Told by the app, a few times a second at most, while it is open."""

    def in_front(self) -> Iterable[Ledger]:
        """The ledgers whose standing a person sees: their chains are checked before all others."""
        return ()

    def standing_changed(self, reading: Reading, ledger: Ledger) -> None:
        """Something else can be said of a chain now: see `KorgApp.standing` and `KorgApp.watched`."""
        del reading, ledger


class ChainScreen(TrustingScreen):
    """A screen of one ledger, which says where its chain stands, and of the event under the cursor whether it
    fits."""

    reading: Reading
    _fits: tuple[Line, ...] = ()
    """What was said last of the event under the cursor."""

    @property
    def ledger(self) -> Ledger:
        """The ledger."""
        raise NotImplementedError

    @property
    def row(self) -> int:
        """The row under the cursor."""
        raise NotImplementedError

    @property
    def previewing(self) -> bool:
        """Whether other things are told than the event under the cursor."""
        raise NotImplementedError

    def show_details(self) -> None:
        """Bring the details up to date."""
        raise NotImplementedError

    def in_front(self) -> Iterable[Ledger]:
        return (self.ledger,)

    def standing_changed(self, reading: Reading, ledger: Ledger) -> None:
        del reading
        if not self.ready:
            return
        if self.ledger in (ledger, ledger.host):
            self.show_status()
        if not self.previewing and self.row >= 0 and self._fits != self._fits_at(self.row):
            self.show_details()

    def chain_at(self, row: int) -> Callable[[Body], Section] | None:
        """What is told of the chain at an event; None for what is no event."""
        self._fits = self._fits_at(row)
        return event_chain(self.reading, self.ledger, row, self.korg.watched)

    def _fits_at(self, row: int) -> tuple[Line, ...]:
        return event_fits(self.reading, self.ledger, row, self.korg.watched)
