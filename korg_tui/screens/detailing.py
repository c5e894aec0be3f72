"""DetailingScreen: what commands do while the details have the keys: they search and fold there."""

from __future__ import annotations

from korg_tui.screens.stepping import SteppingScreen
from korg_tui.text import visible
from korg_tui.widgets.chrome import Ask
from korg_tui.widgets.details import Details

SEARCH = "search details"
"""What the line asks for when words are to be found in the details."""


class DetailingScreen(SteppingScreen):
    """Commands `search`, `hit-after`, `hit-before`, `fold`, `unfold` in the details; elsewhere they are those
    of the other screens it is mixed with."""

    details: Details
    searched: str

    @property
    def reading_details(self) -> bool:
        """Whether the details have the keys."""
        return self.focused is self.details

    @property
    def search_here(self) -> tuple[bool, int]:
        """Whether there is a search in the pane that has the keys, and how many hits it has."""
        if self.reading_details:
            return bool(self.details.searched), self.details.hits
        return bool(self.searched), len(self.hits)

    def do_search(self) -> None:
        if self.reading_details:
            self.query_one(Ask).ask(SEARCH, SEARCH, visible(self.details.searched))
        else:
            super().do_search()  # type: ignore[misc]

    def asked(self, purpose: str, words: str) -> bool:
        """What was asked for is done; False where it cannot be understood."""
        if purpose != SEARCH:
            return bool(super().asked(purpose, words))  # type: ignore[misc]
        self.say(self.details.search(words.strip()))
        return True

    def do_hit_after(self) -> None:
        if self.reading_details:
            self.remark = self.details.next_hit(1)
        else:
            super().do_hit_after()

    def do_hit_before(self) -> None:
        if self.reading_details:
            self.remark = self.details.next_hit(-1)
        else:
            super().do_hit_before()

    def do_fold(self) -> None:
        if not self.reading_details:
            super().do_fold()
        elif not self.details.fold():
            self.remark = "nothing folds here"

    def do_unfold(self) -> None:
        if not self.reading_details:
            super().do_unfold()
        elif not self.details.unfold():
            self.remark = "nothing is folded here"

    def leave_details(self) -> None:
        """One level back from the details: first out of their search, then out of them."""
        if self.details.searched:
            self.details.search("")
        else:
            self.set_focus(self.view)
