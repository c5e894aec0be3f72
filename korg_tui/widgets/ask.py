"""Ask: the line where a person is asked for words - with completion, with what was asked before, and with the
word marked that could not be understood."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static
from textual.widgets.input import Selection

from korg_tui.text import visible, width
from korg_tui.views import Candidate, Completion, QueryError, complete, pointed
from korg_tui.widgets.field import Aid, Field
from korg_tui.widgets.hints import Hints, Piece

Typed = tuple[str, str]
"""A key that is a key also while letters are words, and what it does."""


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
