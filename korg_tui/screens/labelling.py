"""LabellingScreen: letters beside the rows that are seen; typing those of a row goes there."""

from __future__ import annotations

from textual import events

from korg_tui.screens.base import KorgScreen
from korg_tui.widgets.ask import Typed
from korg_tui.widgets.lines import LineList

LETTERS = "asdfghjklqwertyuiopzxcvbnm"
"""Those that fingers rest on first."""


def labels_for(count: int) -> list[str]:
    """So many labels, none of which begins another: a letter each, or two where there are too many rows."""
    if count <= len(LETTERS):
        return list(LETTERS[:count])
    pairs = (first + second for first in LETTERS for second in LETTERS)
    return [pair for pair, _ in zip(pairs, range(count), strict=False)]


class LabellingScreen(KorgScreen):
    """Command `labels`."""

    def __init__(self) -> None:
        super().__init__()
        self._labelled: LineList | None = None
        """The list whose rows have letters now."""
        self._typed = ""

    @property
    def labelling(self) -> bool:
        """Whether the next key is the letter of a row."""
        return self._labelled is not None

    @property
    def typed(self) -> tuple[Typed, ...]:
        if self.labelling:
            return ((self.keymap.command("leave").keys[0], "stay here"),)
        return super().typed

    def do_labels(self) -> None:
        lines = self.lines
        seen = lines.seen
        self._labelled, self._typed = lines, ""
        lines.show_labels(dict(zip(seen, labels_for(len(seen)), strict=True)))
        self.remark = self.keymap.told("type the letters of a row to go there · {leave}: stay here")

    def arrive(self, index: int) -> None:
        """Go to the row that was chosen."""
        self.lines.go(index)

    def action_press(self, key: str) -> None:
        if self.labelling:
            self._take_letter(key)
        else:
            super().action_press(key)

    def on_key(self, event: events.Key) -> None:
        """Letters that are no keys of this place."""
        if self.labelling:
            event.stop()
            event.prevent_default()
            self._take_letter(event.character or event.key)

    def give(self, identity: str) -> None:
        if self.labelling:
            self._end_labels()
        super().give(identity)

    def _take_letter(self, key: str) -> None:
        lines, self._typed = self._labelled, self._typed + key
        assert lines is not None
        fitting = {label: index for index, label in lines.labels.items() if label.startswith(self._typed)}
        if fitting and self._typed not in fitting:
            lines.show_labels({index: label for label, index in fitting.items()})
            return
        self._end_labels()
        if self._typed in fitting:
            self.remark = ""
            self.arrive(fitting[self._typed])
        else:
            self.remark = "" if key == "escape" else "no row has these letters"
        self.show_status()

    def _end_labels(self) -> None:
        if self._labelled is not None:
            self._labelled.show_labels({})
        self._labelled = None
