"""Confirm: a bar that asks before something is done. Hidden until it asks."""

from __future__ import annotations

from textual import events
from textual.message import Message

from korg_tui.widgets.chrome import Bar


class Confirm(Bar, can_focus=True, inherit_bindings=False):
    """Asks for one key; what it means is the screen's."""

    class Pressed(Message):
        """A key was pressed that gives no command in this place."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self) -> None:
        super().__init__("confirm")
        self.display = False

    def ask(self, parts: list[tuple[str, str]]) -> None:
        """Ask."""
        self.show(parts)
        self.display = True
        self.screen.set_focus(self)

    @property
    def asking(self) -> bool:
        """Whether it asks."""
        return bool(self.display)

    def close(self) -> None:
        """Hide it again."""
        self.display = False

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        self.post_message(self.Pressed(event.key))
