"""The lines around a screen: crumbs on top, keys at the bottom, and the line where a person is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from korg_tui.commands import DEFAULT, FOOTER, Command, Keymap, Situation, shown
from korg_tui.text import crop, visible, width
from korg_tui.widgets.ask import Aid, Ask, Field

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
    """The keys of this place, as many as fit; a click gives the command."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"footer--key", "footer--label", "footer--off"}

    class Pressed(Message):
        """A command of the footer was clicked."""

        def __init__(self, command: str) -> None:
            super().__init__()
            self.command = command

    def __init__(self) -> None:
        super().__init__(id="keys")
        self.now = Situation()
        self.keymap = DEFAULT
        self._areas: list[tuple[int, int, str]] = []

    def show(self, now: Situation, keymap: Keymap) -> None:
        """Show the commands of this situation, with the keys in force."""
        if now != self.now or keymap is not self.keymap:
            self.now, self.keymap = now, keymap
            self.refresh()

    def render(self) -> Content:
        pieces: list[tuple[str, str]] = []
        self._areas = []
        x = 0
        for entry in _that_fit(self.now, self.keymap, self.size.width):
            key = shown(entry.keys[0])
            off = bool(entry.rule(self.now))
            cells = len(key) + len(entry.label) + 2
            self._areas.append((x, x + cells, entry.id))
            pieces.append((f" {key} ", "footer--off" if off else "footer--key"))
            pieces.append((f"{entry.label} ", "footer--off" if off else "footer--label"))
            x += cells + 1
        return Content.assemble(
            *(Content.styled(text, self.get_visual_style(name, partial=True)) for text, name in pieces)
        )

    def on_click(self, event: events.Click) -> None:
        event.stop()
        for begin, end, identity in self._areas:
            if begin <= event.x <= end:
                self.post_message(self.Pressed(identity))
                return


_ONLY_WHEN_USEFUL = ("demo", "back", "follow")
_ALWAYS = ("leave", "help", "quit")


def _that_fit(now: Situation, keymap: Keymap, room: int) -> list[Command]:
    """The footer's commands that fit into the room; the way back, help and quit always have their seat."""
    seats = FOOTER[now.place]
    if now.in_details:
        seats = ("leave", *(identity for identity in seats if identity not in ("leave", "details")))
    offered = [entry for identity in seats if (entry := keymap.command(identity)).keys]
    offered = [entry for entry in offered if entry.id not in _ONLY_WHEN_USEFUL or not entry.rule(now)]
    fixed = [entry for entry in offered if entry.id in _ALWAYS]
    room -= sum(_cells(entry) for entry in fixed)
    fitting: list[Command] = []
    for entry in offered:
        if entry in fixed:
            continue
        room -= _cells(entry)
        if room < 0:
            break
        fitting.append(entry)
    return [entry for entry in offered if entry in fitting or entry in fixed]


def _cells(entry: Command) -> int:
    return len(shown(entry.keys[0])) + len(entry.label) + 3
