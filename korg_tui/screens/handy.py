"""HandyScreen: what is at hand in a session besides its events: copies, exports, bookmarks, panes, a bell."""

from __future__ import annotations

from korg_tui.screens.copying import CopyingScreen
from korg_tui.screens.export import ExportScreen
from korg_tui.screens.exporting import session_scopes
from korg_tui.screens.labelling import LabellingScreen
from korg_tui.screens.marking import MarkingScreen
from korg_tui.screens.resizing import ResizingScreen
from korg_tui.screens.ringing import RingingScreen
from korg_tui.text import visible
from korg_tui.views import Predicate, QueryError, parse_query


class HandyScreen(CopyingScreen, MarkingScreen, RingingScreen, ResizingScreen, LabellingScreen):
    """The commands of all of them in a session, and `export`."""

    filtered_by: str

    def on_resize(self) -> None:
        self.call_after_refresh(self.fit_panes)

    def arrive(self, index: int) -> None:
        if self.lines is self.view:
            self.jump(self.spine.row(index))
        else:
            super().arrive(index)
            self.details.choose()

    def do_export(self) -> None:
        session, preview = self.spine.session, self.preview
        scopes = session_scopes(
            self.reading,
            self.ledger,
            None if session is None else session.index,
            meant=self._meant_now(),
            query=visible(self.filtered_by, 60),
            rewind=None if preview is None else preview.rewind,
        )
        self.korg.push_screen(ExportScreen(scopes))

    def _meant_now(self) -> Predicate | None:
        if not self.filtered_by:
            return None
        try:
            now, zone = self.korg.clock(), self.korg.zone
            read = self.reading.bodies(self.ledger)
            return parse_query(self.filtered_by, read, self.drops, now_ms=now, zone=zone)
        except QueryError:
            return None
