"""The lines around a screen: crumbs on top, keys at the bottom, and the line where a person is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static
from textual.widgets.input import Selection

from korg_tui.commands import DEFAULT, FOOTER, Command, Keymap, Situation, shown
from korg_tui.text import crop, visible, width


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


def _that_fit(now: Situation, keymap: Keymap, room: int) -> list[Command]:
    """The footer's commands that fit into the room; help and quit always have their seat."""
    seats = FOOTER[now.place]
    if now.in_details:
        seats = ("leave", *(identity for identity in seats if identity not in ("leave", "details")))
    offered = [entry for identity in seats if (entry := keymap.command(identity)).keys]
    offered = [entry for entry in offered if entry.id not in _ONLY_WHEN_USEFUL or not entry.rule(now)]
    fixed = [entry for entry in offered if entry.id in ("help", "quit")]
    room -= sum(_cells(entry) for entry in fixed)
    fitting: list[Command] = []
    for entry in offered:
        if entry in fixed:
            continue
        room -= _cells(entry)
        if room < 0:
            break
        fitting.append(entry)
    return fitting + fixed


def _cells(entry: Command) -> int:
    return len(shown(entry.keys[0])) + len(entry.label) + 3


class Field(Input):
    """A field whose keys act in the order in which they were typed, also when they come all at once.

    What is typed behind the answer is handed on."""

    class Ahead(Message):
        """A key that was typed behind the answer."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self) -> None:
        super().__init__(compact=True, id="ask-input", select_on_focus=False)
        self.answered = False

    def begin(self, answer: str, *, typed: bool) -> None:
        """Begin to ask. An answer that was not typed now is one of before: typing takes its place."""
        self.answered = False
        with self.prevent(Input.Changed):
            self.value = answer
        self.selection = Selection(len(answer) if typed else 0, len(answer))

    async def _on_key(self, event: events.Key) -> None:
        edits = () if event.is_printable else self._bindings.key_to_bindings.get(event.key, ())
        if self.answered:
            event.stop()
            event.prevent_default()
            self.post_message(self.Ahead(_name(event)))
        elif edits:
            event.stop()
            event.prevent_default()
            await self.run_action(edits[0].action)

    async def action_submit(self) -> None:
        self.answered = True
        await super().action_submit()


def _name(event: events.Key) -> str:
    """A key as the command table names it."""
    typed = event.character or ""
    return typed if event.is_printable and typed.strip() else event.key


class Ask(Horizontal):
    """A line that asks for words: a search, a filter, a seq. Hidden until it asks."""

    class _Said(Message):
        def __init__(self, purpose: str, answer: str) -> None:
            super().__init__()
            self.purpose = purpose
            self.answer = answer

    class Answered(_Said):
        """The person gave an answer; it may be empty."""

    class Typing(_Said):
        """The answer as it stands while the person types."""

    class Ahead(Message):
        """A key that was typed behind the answer; it follows the answer."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self) -> None:
        super().__init__(id="ask")
        self.purpose = ""
        self.display = False

    def compose(self) -> ComposeResult:
        yield Static(id="ask-label")
        yield Field()

    def ask(self, purpose: str, label: str, answer: str = "", *, typed: bool = False) -> None:
        """Ask for `purpose`, with the answer of before, which is selected, or what was already typed."""
        self.purpose = purpose
        self.query_one("#ask-label", Static).update(Content(label))
        field = self.query_one(Field)
        field.begin(answer, typed=typed)
        self.display = True
        self.screen.set_focus(field)

    @property
    def asking(self) -> bool:
        """Whether the line is open."""
        return bool(self.display)

    def close(self) -> None:
        """Hide the line again."""
        self.display = False

    @on(Input.Changed)
    def _typing(self, event: Input.Changed) -> None:
        event.stop()
        if self.asking:
            self.post_message(self.Typing(self.purpose, event.value))

    @on(Input.Submitted)
    def _answered(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Answered(self.purpose, event.value))

    @on(Field.Ahead)
    def _ahead(self, event: Field.Ahead) -> None:
        event.stop()
        if self.asking:
            self.post_message(self.Ahead(event.key))
