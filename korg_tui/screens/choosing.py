"""ChoosingScreen: what a session is compared with - the list of choices, and the words that narrow it."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on

from korg_tui.reading import Reading
from korg_tui.screens.base import KorgScreen
from korg_tui.screens.choices import Offer, Subject, offers
from korg_tui.text import visible
from korg_tui.views import plural
from korg_tui.widgets.chrome import Ask
from korg_tui.widgets.compare import ChoiceList

_NOTHING = "No other session is open, and no rewind was seen: open more ledgers."
_SAID = 40


class ChoosingScreen(KorgScreen):
    """A screen that first asks which other session is meant."""

    def __init__(self, readings: Sequence[Reading], subject: Subject) -> None:
        super().__init__()
        self.readings = readings
        self.subject = subject
        self.words = ""
        """The list shows only choices that have all of these."""
        self._all: list[Offer] = []
        self._offers: list[Offer] = []
        """The choices that are shown."""

    @property
    def choices(self) -> ChoiceList:
        """What there is to compare with."""
        return self.query_one(ChoiceList)

    def offer_all(self) -> None:
        """Bring the list of choices up to date."""
        self._all = offers(self.subject, self.readings, self.korg.clock())
        wanted = self.words.casefold().split()
        self._offers = [each for each in self._all if all(word in each.choice.words for word in wanted)]
        none = f"No choice has “{visible(self.words, _SAID)}”" + self.keymap.told(": {leave} shows all.")
        self.choices.say_when_empty(none if self._all else _NOTHING)
        self.choices.show([offer.choice for offer in self._offers])
        self.show_status()

    @property
    def offered(self) -> list[tuple[str, str]]:
        """How many choices there are, and how one is taken: parts of the status line."""
        count = plural(len(self._all), "choice")
        if self.words:
            count = f"{len(self._offers):,} of {count} with “{visible(self.words, _SAID)}”"
        told = self.keymap.told(" · {open-event} compares it with the one under the cursor")
        return [(count, ""), (told if self._offers else "", "line--quiet")]

    def leave_narrowing(self) -> bool:
        """End asking for words, or show all choices again. False when all are shown."""
        if self.query_one(Ask).asking:
            self.close_ask()
        elif self.words:
            self._narrow("")
        else:
            return False
        return True

    def do_narrow(self) -> None:
        self.query_one(Ask).ask("choices", "show choices with", self.words, goes_on=True)

    @on(Ask.Typing)
    def _typing(self, event: Ask.Typing) -> None:
        self._narrow(event.answer)

    @on(Ask.Answered)
    def _answered(self, event: Ask.Answered) -> None:
        self._narrow(event.answer)
        self.close_ask()

    def _narrow(self, words: str) -> None:
        self.words = words.strip()
        self.offer_all()
        self.choices.go(0)

    def close_ask(self) -> None:
        """No words are asked for any more."""
        self.query_one(Ask).close()
        self.set_focus(self.choices)
