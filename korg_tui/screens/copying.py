"""CopyingScreen: taking something away from an event, one thing after the other with the same key."""

from __future__ import annotations

from korg_tui.export import rewind_report
from korg_tui.reading import Reading
from korg_tui.screens.previewing import PreviewingScreen
from korg_tui.screens.sending import SendingScreen
from korg_tui.sources import BodyGone
from korg_tui.views import Copy, Preview, copies
from korg_tui.widgets.details import Details


class CopyingScreen(PreviewingScreen, SendingScreen):
    """Command `copy`: in the preview its report, in the details their line, else the address of the event;
    given again, the next thing."""

    reading: Reading
    details: Details

    def do_copy(self) -> None:
        preview = self.preview
        if self.lines is self.details:
            self._copy_line()
        elif preview is not None:
            self._copy_report(preview)
        else:
            self.offer(("row", self.row), self._of_row())

    def _copy_line(self) -> None:
        selected = self._selected_text()
        if selected:
            self.send(Copy("selection", selected))
            return
        plain, cursor = self.details.plain, self.details.cursor
        if plain:
            line = Copy("line", plain[cursor].strip())
            self.offer(("line", self.row, cursor), [line, Copy("details", "\n".join(plain))])

    def _copy_report(self, preview: Preview) -> None:
        """The report of a long ledger is written beside the screen."""
        read = self.reading.bodies(self.ledger)
        place = ("report", preview.target, preview.truncation, self.row)

        def report() -> str:
            return rewind_report(self.ledger, preview.rewind, read, truncation=preview.truncation)

        def show(text: str) -> None:
            self.offer(place, [Copy("report", text), *self._of_row()])
            self.show_status()

        self.asking.ask("report", report, show, rows=len(self.ledger))

    def _of_row(self) -> list[Copy]:
        row = self.row
        if row < 0 or not self.ledger.kind_at(row).agent:
            return []
        try:
            found = self.reading.body(self.ledger, row)
        except (BodyGone, OSError):
            found = None
        return copies(self.ledger, row, found)
