"""Ask: the line where a person is asked for words - with completion, with what was asked before, and with the
word marked that could not be understood."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input, Static
from textual.widgets.input import Selection

from korg_tui.text import crop, visible, width
from korg_tui.views import Candidate, Completion, Known, QueryError, complete, ghost, pointed

Piece = tuple[str, str, int | None]
"""Safe text, its component class, and which candidate a click takes."""


Typed = tuple[str, str]
"""A key that is a key also while letters are words, and what it does."""


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


class Ask(Vertical):
    """A line that asks for words: a search, a filter, a seq. Hidden until it asks.

    Where words are a query, a second line helps; a query that cannot be understood stays, and its bad word is
    marked."""

    class _Said(Message):
        def __init__(self, purpose: str, answer: str) -> None:
            super().__init__()
            self.purpose = purpose
            self.answer = answer

    class Answered(_Said):
        """The person gave an answer; it may be empty."""

    class Typing(_Said):
        """The answer as it stands while the person types."""

    class Turned(Message):
        """It has begun to ask, or ended."""

    class Ahead(Message):
        """A key that was typed behind the answer; it follows the answer."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self) -> None:
        super().__init__(id="ask")
        self.purpose = ""
        self.display = False
        self._label = ""
        self._completion = Completion(0, 0)
        self._before = ""
        """The query that the completion is of."""
        self._turn = -1
        """The candidate that stands in the query, -1 for none."""

    def compose(self) -> ComposeResult:
        with Horizontal(id="ask-line"):
            yield Static(id="ask-label")
            yield Field()
        yield Static(id="ask-marks")
        yield Hints()

    def ask(
        self, purpose: str, label: str, answer: str = "", *, goes_on: bool = False, aid: Aid | None = None
    ) -> None:
        """Ask for `purpose`, with the answer of before, which is selected, or with one that goes on: what was
        already typed, or what is in force and is made narrower."""
        self.purpose = purpose
        self._label = label
        self.query_one("#ask-label", Static).update(Content(label))
        self._field.begin(answer, goes_on=goes_on, aid=aid)
        self._hints.tell("")
        self._hints.display = aid is not None and aid.known is not None
        self._think_again()
        self.display = True
        self.screen.set_focus(self._field)
        self.post_message(self.Turned())

    @property
    def keys(self) -> tuple[Typed, ...]:
        """The keys that are left while it asks, most needed first; none while it does not. The one that
        leaves is the screen's."""
        if not self.asking:
            return ()
        aid = self._field.aid
        completes = [("tab", "complete")] if aid is not None and aid.known is not None else []
        earlier = [("up", "earlier")] if aid is not None and aid.earlier else []
        return (("enter", "done"), *completes, *earlier, ("ctrl+u", "empty it"))

    async def press(self, key: str) -> None:
        """Do what a key of `keys` does."""
        self.screen.set_focus(self._field)
        for binding in self._field._bindings.key_to_bindings.get(key, ())[:1]:
            await self._field.run_action(binding.action)

    @property
    def _field(self) -> Field:
        return self.query_one(Field)

    @property
    def _hints(self) -> Hints:
        return self.query_one(Hints)

    @property
    def asking(self) -> bool:
        """Whether the line is open."""
        return bool(self.display)

    def close(self) -> None:
        """Hide the line again."""
        self.display = False
        self.post_message(self.Turned())

    def tell(self, words: str) -> None:
        """Say something, which is safe, beside the hints: how many events fit."""
        self._hints.tell(words)

    def refuse(self, error: QueryError) -> None:
        """The answer cannot be understood: it stays, its bad word is marked, and one line says why."""
        field = self._field
        field.answered = False
        field.selection = Selection.cursor(min(error.end, len(field.value)))
        _, carets = pointed(field.value, error)
        indent = width(self._label) + 2 - field.scroll_offset.x
        self._mark(" " * indent + carets if indent >= 0 else carets[-indent:])
        self._hints.display = True
        self._hints.tell("")
        pieces: list[Piece] = [(visible(error.short), "hints--bad", None)]
        begin = error.begin + field.value[error.begin : error.end].startswith("-")
        self._before, self._turn = field.value, -1
        self._completion = Completion(begin, error.end)
        if error.nearest:
            self._completion = Completion(begin, error.end, (Candidate(error.nearest, error.nearest),))
            pieces.append((f"  tab: {visible(error.nearest, 40)}", "hints--other", 0))
        self._hints.show(pieces)
        self.screen.set_focus(field)

    def _mark(self, carets: str) -> None:
        marks = self.query_one("#ask-marks", Static)
        marks.display = bool(carets)
        marks.update(Content(carets))

    # helping

    def _think_again(self) -> None:
        """What was typed has changed: other candidates, and no error any more."""
        self._mark("")
        field = self._field
        known = None if field.aid is None else field.aid.known
        if known is None:
            self._hints.display = False
            return
        self._completion = complete(field.value, field.cursor_position, known())
        self._before, self._turn = field.value, -1
        self._show_hints()

    def _show_hints(self) -> None:
        aid, candidates = self._field.aid, self._completion.candidates
        if aid is None:
            return
        if not candidates:
            self._hints.show([(aid.syntax, "hints--quiet", None)])
            return
        first = max(self._turn, 0)
        around = range(len(candidates))[max(0, first - 3) :]
        pieces: list[Piece] = [("tab ", "hints--quiet", None)]
        for index in around:
            candidate = candidates[index]
            name = "hints--first" if index == first else "hints--other"
            sign = "›" if index == first else " "
            pieces.append((f"{sign}{visible(candidate.word, 60)} ", name, index))
            if candidate.note and (index == first or len(candidate.note) < 16):
                pieces.append((f"{visible(candidate.note, 60)} ", "hints--quiet", index))
        self._hints.show(pieces)

    @on(Field.Completing)
    def _completing(self, event: Field.Completing) -> None:
        event.stop()
        count = len(self._completion.candidates)
        if count:
            start = self._turn if self._turn >= 0 else (-1 if event.step > 0 else 0)
            self._take((start + event.step) % count)

    @on(Hints.Taken)
    def _taken(self, event: Hints.Taken) -> None:
        event.stop()
        if event.index < len(self._completion.candidates):
            self._take(event.index)
            self._think_again()

    def _take(self, index: int) -> None:
        """Write a candidate; the same key then takes the next one. Where there is only one, what follows is
        completed."""
        field = self._field
        words, cursor = self._completion.applied(self._before, index)
        with field.prevent(Input.Changed):
            field.put(words, cursor)
        self._turn = index
        if len(self._completion.candidates) == 1:
            self._think_again()
        else:
            self._mark("")
            self._show_hints()
        self.post_message(self.Typing(self.purpose, words))

    # what is typed

    @on(Input.Changed)
    def _typing(self, event: Input.Changed) -> None:
        event.stop()
        if self.asking:
            self._think_again()
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
