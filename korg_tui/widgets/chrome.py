"""The lines around a screen: crumbs on top, keys at the bottom, and the line where a person is asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from korg_tui.commands import DEFAULT, Keymap, Situation, offered
from korg_tui.text import crop, visible, width
from korg_tui.widgets.ask import Ask, Typed
from korg_tui.widgets.field import Aid, Field

__all__ = ["Aid", "Ask", "Bar", "Field", "KeyFooter", "Line", "Notice"]


class Line(Widget):
    """One line of safe parts, cropped to its width. Every part is (text, component class or "")."""

    ALLOW_SELECT = False
    GROWS: ClassVar[bool] = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line--strong", "line--quiet", "line--bad", "line--good", "line--mark",
    }  # fmt: skip

    def __init__(self, identity: str) -> None:
        super().__init__(id=identity)
        self.parts: tuple[tuple[str, str], ...] = ()

    def show(self, parts: Iterable[tuple[str, str]]) -> None:
        """Show these parts instead."""
        shown = tuple((visible(text), name) for text, name in parts)
        if shown != self.parts:
            self.parts = shown
            self.refresh(layout=self.GROWS)

    @property
    def plain(self) -> str:
        """The line as text."""
        return "".join(text for text, _ in self.parts)

    @property
    def room(self) -> int:
        """Cells for its parts."""
        return self.content_size.width

    def render(self) -> Content:
        room = self.size.width
        pieces: list[Content] = []
        for text, name in self.parts:
            piece = crop(text, room)
            pieces.append(self._piece(piece, name))
            room -= width(piece)
            if room <= 0:
                break
        return Content.assemble(*pieces)

    def _piece(self, text: str, name: str) -> Content:
        return Content.styled(text, self.get_visual_style(name, partial=True) if name else "")


class Bar(Line):
    """As many lines as its parts need."""

    GROWS = True

    def render(self) -> Content:
        return Content.assemble(*(self._piece(text, name) for text, name in self.parts))


class Notice(Bar):
    """A bar whose last part, what a key does, is not torn at the end of a line."""

    def render(self) -> Content:
        if not (self.parts and self.room):
            return super().render()
        *told, (hint, name) = self.parts
        text = Content.assemble(*(self._piece(*part) for part in told))
        if text.wrap(self.room)[-1].cell_length + width(hint) > self.room:
            return text + self._piece("\n" + hint.lstrip(), name)
        return text + self._piece(hint, name)


class KeyFooter(Widget):
    """The keys of this place, as many as fit; a click gives the command. While letters are words, and no
    keys, the few that are keys."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"footer--key", "footer--label", "footer--off"}

    class Pressed(Message):
        """A command of the footer was clicked."""

        def __init__(self, command: str) -> None:
            super().__init__()
            self.command = command

    class Clicked(Message):
        """A key of those that are left while words are typed was clicked."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self) -> None:
        super().__init__(id="keys")
        self.now = Situation()
        self.keymap = DEFAULT
        self.typed: Sequence[Typed] = ()
        self._areas: list[tuple[int, int, Message]] = []

    def show(self, now: Situation, keymap: Keymap, typed: Sequence[Typed] = ()) -> None:
        """Show the commands of this situation, with the keys in force; instead `typed`, if there are any."""
        if now != self.now or keymap is not self.keymap or typed != self.typed:
            self.now, self.keymap, self.typed = now, keymap, typed
            self.refresh()

    def render(self) -> Content:
        pieces: list[tuple[str, str]] = []
        self._areas = []
        x = 0
        for key, label, off, message in self._seats():
            cells = width(key) + width(label) + 2
            self._areas.append((x, x + cells, message))
            pieces.append((f" {key} ", "footer--off" if off else "footer--key"))
            pieces.append((f"{label} ", "footer--off" if off else "footer--label"))
            x += cells + 1
        return Content.assemble(
            *(Content.styled(text, self.get_visual_style(name, partial=True)) for text, name in pieces)
        )

    def _seats(self) -> list[_Seat]:
        keymap, room = self.keymap, self.size.width
        if self.typed:
            typed = [(keymap.shown(key), label, False, self.Clicked(key)) for key, label in self.typed]
            return _that_fit(typed, room)
        entries = offered(self.now, keymap)
        seats = [
            (keymap.shown(entry.keys[0]), entry.label, bool(entry.rule(self.now)), self.Pressed(entry.id))
            for entry in entries
        ]
        return _that_fit(seats, room, [entry.id in _ALWAYS for entry in entries])

    def on_click(self, event: events.Click) -> None:
        event.stop()
        for begin, end, message in self._areas:
            if begin <= event.x <= end:
                self.post_message(message)
                return


_Seat = tuple[str, str, bool, Message]
"""Key, label, whether it does nothing now, what a click says."""

_ALWAYS = ("leave", "help", "quit")


def _that_fit(seats: Sequence[_Seat], room: int, always: Sequence[bool] = ()) -> list[_Seat]:
    """The seats that fit into the room; the way back, help and quit always have theirs."""
    fixed = always or [False] * len(seats)
    room -= sum(_cells(seat) for seat, stays in zip(seats, fixed, strict=True) if stays)
    fitting: list[_Seat] = []
    full = False
    for seat, stays in zip(seats, fixed, strict=True):
        full = full or (not stays and _cells(seat) > room)
        if stays or not full:
            fitting.append(seat)
            room -= 0 if stays else _cells(seat)
    return fitting


def _cells(seat: _Seat) -> int:
    return width(seat[0]) + width(seat[1]) + 3
