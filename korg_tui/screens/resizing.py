"""ResizingScreen: how much room the details have, by keys or by dragging their border; remembered."""

from __future__ import annotations

from textual import events
from textual.css.scalar import Scalar

from korg_tui.screens.stepping import SteppingScreen
from korg_tui.widgets.details import Details

STEP = 5
"""Percent that a key gives or takes."""
LEAST = {"wide": (24, 40), "narrow": (4, 5)}
"""The least cells (columns, or lines) that the details and the spine keep."""


class ResizingScreen(SteppingScreen):
    """Commands `larger`, `smaller`, `even`."""

    details: Details

    def __init__(self) -> None:
        super().__init__()
        self._dragging = False
        self._dragged_to = 0
        """Percent."""

    @property
    def _shape(self) -> str:
        return "wide" if self.has_class("-wide") else "narrow"

    def do_larger(self) -> None:
        self._by(STEP)

    def do_smaller(self) -> None:
        self._by(-STEP)

    def do_even(self) -> None:
        self.korg.remembered.keep_pane(self._shape, None)
        self.fit_panes()
        self.remark = "the details have their usual room again"
        self.korg.tell_troubles()

    def _by(self, step: int) -> None:
        before = self._percent
        percent = self._within(before + step)
        if percent == before or (percent - before) * step < 0:
            self.remark = "the spine needs what is left" if step > 0 else "the details need what is left"
            return
        self._keep(percent)
        self.remark = self.keymap.told(f"the details have {percent} % · {{even}}: as it was")

    def _keep(self, percent: int) -> None:
        self.korg.remembered.keep_pane(self._shape, percent)
        self.fit_panes()
        self.korg.tell_troubles()

    @property
    def _room(self) -> int:
        """Columns, or lines, that both panes share."""
        body = self.query_one("#body").size
        return max(1, body.width if self._shape == "wide" else body.height)

    @property
    def _percent(self) -> int:
        own = self.details.outer_size
        return round(100 * (own.width if self._shape == "wide" else own.height) / self._room)

    def _within(self, percent: int) -> int:
        """A share that leaves both panes what they need, as far as there is room for both."""
        details, spine = LEAST[self._shape]
        room = self._room
        least = -(-100 * details // room)
        most = 100 * (room - spine) // room
        return max(min(percent, most), min(least, 50))

    def fit_panes(self) -> None:
        """Give the details the room that a person has given them in this shape of the screen."""
        if not self.ready:
            return
        percent = self.korg.remembered.panes().get(self._shape)
        size = None if percent is None else Scalar.parse(f"{self._within(percent)}%")
        styles = self.details.styles
        styles.width, styles.height = (size, None) if self._shape == "wide" else (None, size)

    # by the mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """The border of the details is taken."""
        border = self.details.region
        on_border = (
            event.screen_x == border.x and border.y <= event.screen_y < border.bottom
            if self._shape == "wide"
            else event.screen_y == border.y
        )
        if on_border:
            event.stop()
            self._dragging, self._dragged_to = True, 0
            self.details.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if not self._dragging:
            return
        body = self.query_one("#body").region
        cells = body.right - event.screen_x if self._shape == "wide" else body.bottom - event.screen_y
        percent = self._within(round(100 * cells / self._room))
        if percent != self._dragged_to:
            self._dragged_to = percent
            size = Scalar.parse(f"{percent}%")
            styles = self.details.styles
            styles.width, styles.height = (size, None) if self._shape == "wide" else (None, size)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._dragging:
            event.stop()
            self._dragging = False
            self.details.release_mouse()
            self.set_focus(self.view)
            if self._dragged_to:
                self._keep(self._dragged_to)
                self.say(self.keymap.told(f"the details have {self._dragged_to} % · {{even}}: as it was"))
