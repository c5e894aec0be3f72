"""Hints: the line below what is typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from korg_tui.text import crop, width

Piece = tuple[str, str, int | None]
"""Safe text, its component class, and which candidate a click takes."""


class Hints(Widget):
    """One line below the answer: candidates, of which a click takes one; the syntax; why a word is wrong."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"hints--first", "hints--other", "hints--quiet", "hints--bad"}

    class Taken(Message):
        """A candidate was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self) -> None:
        super().__init__(id="ask-hints")
        self.pieces: Sequence[Piece] = ()
        self.told = ""
        self._areas: list[tuple[int, int, int]] = []

    def show(self, pieces: Sequence[Piece]) -> None:
        """Show these pieces instead."""
        if pieces != self.pieces:
            self.pieces = pieces
            self.refresh()

    def tell(self, words: str) -> None:
        """Say this, which is safe, at the end of the line."""
        if words != self.told:
            self.told = words
            self.refresh()

    @property
    def plain(self) -> str:
        """The line as text."""
        return "".join(text for text, _, _ in self.pieces) + (f"  {self.told}" if self.told else "")

    def render(self) -> Content:
        room = self.size.width - (width(self.told) + 2 if self.told else 0)
        shown: list[Content] = []
        self._areas = []
        x = 0
        for text, name, index in self.pieces:
            piece = crop(text, room - x)
            shown.append(self._styled(piece, name))
            if index is not None and piece:
                self._areas.append((x, x + width(piece), index))
            x += width(piece)
        if self.told:
            shown.append(self._styled(" " * (room - x) + f"  {self.told}", "hints--quiet"))
        return Content.assemble(*shown)

    def _styled(self, text: str, name: str) -> Content:
        return Content.styled(text, self.get_visual_style(name, partial=True))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        for begin, end, index in self._areas:
            if begin <= event.x - self.styles.padding.left < end:
                self.post_message(self.Taken(index))
