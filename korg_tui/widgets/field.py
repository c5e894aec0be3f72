"""Field: where words are typed, with what helps to write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input
from textual.widgets.input import Selection

from korg_tui.views import Known, ghost


@dataclass(frozen=True, slots=True)
class Aid:
    """What helps to write a query: the names that are known now, None where nothing is completed, and what
    was asked before, the oldest first, as safe text. `syntax` is shown while there is nothing to complete."""

    known: Callable[[], Known] | None
    earlier: Sequence[str] = ()
    syntax: str = ""


class Field(Input):
    """A field whose keys act in the order in which they were typed, also when they come all at once.

    What is typed behind the answer is handed on."""

    COMPLETING: ClassVar[frozenset[str]] = frozenset({"tab", "shift+tab"})
    HELPED: ClassVar[frozenset[str]] = COMPLETING | {"up", "down"}
    """Keys that it needs for itself where it is helped."""

    BINDINGS: ClassVar = [
        Binding("tab", "complete(1)", show=False),
        Binding("shift+tab", "complete(-1)", show=False),
        Binding("up", "earlier(-1)", show=False),
        Binding("down", "earlier(1)", show=False),
    ]

    class Ahead(Message):
        """A key that was typed behind the answer."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Completing(Message):
        """The word under the cursor is to become the next candidate (1), or the one before (-1)."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self) -> None:
        super().__init__(compact=True, id="ask-input", select_on_focus=False)
        self.answered = False
        self.aid: Aid | None = None
        self._draft = ""
        self._at = 0
        """Where the answer stands among those of before; their number is what is typed now."""

    def begin(self, answer: str, *, goes_on: bool, aid: Aid | None) -> None:
        """Begin to ask. An answer of before that does not go on is selected: typing takes its place."""
        self.answered = False
        self.aid = aid
        self._at = 0 if aid is None else len(aid.earlier)
        self._draft = ""
        self.suggester = None if aid is None or aid.known is None else _Ghost(aid.known)
        with self.prevent(Input.Changed):
            self.value = answer
        self.selection = Selection(len(answer) if goes_on else 0, len(answer))

    def takes(self, key: str) -> bool:
        """Whether it needs a key that the screen could use as well."""
        if self.aid is None:
            return False
        return key in self.HELPED and not (self.aid.known is None and key in self.COMPLETING)

    def put(self, words: str, cursor: int) -> None:
        """Write these words instead."""
        self.value = words
        self.selection = Selection.cursor(cursor)

    async def _on_key(self, event: events.Key) -> None:
        edits = () if event.is_printable else self._bindings.key_to_bindings.get(event.key, ())
        if event.key in self.HELPED and not self.takes(event.key):
            edits = ()
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

    def action_complete(self, step: int) -> None:
        """Ask for a candidate."""
        self.post_message(self.Completing(step))

    def action_earlier(self, step: int) -> None:
        """What was asked before (-1) or after (1) what stands here."""
        earlier = () if self.aid is None else self.aid.earlier
        at = max(0, min(self._at + step, len(earlier)))
        if at == self._at:
            return
        if self._at == len(earlier):
            self._draft = self.value
        self._at = at
        words = self._draft if at == len(earlier) else earlier[at]
        self.put(words, len(words))


class _Ghost(Suggester):
    """How the last word of a query goes on, shown behind it; `→` at the end takes it."""

    def __init__(self, known: Callable[[], Known]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._known = known

    async def get_suggestion(self, value: str) -> str | None:
        return ghost(value, self._known()) or None


def _name(event: events.Key) -> str:
    """A key as the command table names it."""
    typed = event.character or ""
    return typed if event.is_printable and typed.strip() else event.key
