"""WalkLine: the walk from an event to what it all began with; a click on a step leads there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from korg_tui.text import crop, visible, width
from korg_tui.views import Step


class WalkLine(Widget):
    """One line of steps."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"walk--step", "walk--strong", "walk--quiet", "walk--bad"}

    class Led(Message):
        """A step was clicked."""

        def __init__(self, seq: int) -> None:
            super().__init__()
            self.seq = seq

    def __init__(self) -> None:
        super().__init__(id="walk")
        self.steps: Sequence[Step] = ()
        self._areas: list[tuple[int, int, int]] = []

    @property
    def room(self) -> int:
        """Cells for the steps."""
        return self.content_size.width

    @property
    def plain(self) -> str:
        """The line as text."""
        return "".join(step.text for step in self.steps)

    def show(self, steps: Sequence[Step]) -> None:
        """Show these steps instead."""
        if steps != self.steps:
            self.steps = steps
            self.refresh()

    def render(self) -> Content:
        pieces: list[Content] = []
        self._areas = []
        x, room = 0, self.content_size.width
        for step in self.steps:
            text = crop(visible(step.text), room - x)
            look = self.get_visual_style(f"walk--{step.style or 'step'}", partial=True)
            pieces.append(Content.styled(text, look))
            if step.seq is not None and text:
                self._areas.append((x, x + width(text), step.seq))
            x += width(text)
        return Content.assemble(*pieces)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        at = event.x - self.styles.padding.left
        for begin, end, seq in self._areas:
            if begin <= at < end:
                self.post_message(self.Led(seq))
                return
