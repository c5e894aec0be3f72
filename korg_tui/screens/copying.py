"""CopyingScreen: taking something away from an event, one thing after the other with the same key."""

from __future__ import annotations

from korg_tui.reading import Reading
from korg_tui.screens.stepping import SteppingScreen
from korg_tui.sources import BodyGone
from korg_tui.text import crop
from korg_tui.views import Copy, copies

_SHOWN_CELLS = 40


class CopyingScreen(SteppingScreen):
    """Command `copy`: the address of the event; given again, the next thing that the event has."""

    reading: Reading

    def __init__(self) -> None:
        super().__init__()
        self._copied: tuple[int, int] = (-1, -1)
        """The row and which of its copies was made last."""

    def give(self, identity: str) -> None:
        if identity != "copy":
            self._copied = (-1, -1)
        super().give(identity)

    def do_copy(self) -> None:
        row = self.row
        offered = self._offered(row)
        last_row, last = self._copied
        turn = (last + 1) % len(offered) if last_row == row else 0
        self._copied = (row, turn)
        this, following = offered[turn], offered[(turn + 1) % len(offered)]
        self.app.copy_to_clipboard(this.text)
        what = "" if this.name == "address" else f"the {this.name} "
        said = crop(this.text, _SHOWN_CELLS)
        again = f"{self.keymap.name('copy')}: the {following.name}"
        self.remark = f"copied {what}{said}, sent to the terminal · {again}"

    def _offered(self, row: int) -> list[Copy]:
        try:
            found = self.reading.body(self.ledger, row)
        except (BodyGone, OSError):
            found = None
        return copies(self.ledger, row, found)
