"""SendingScreen: what is copied goes to the terminal (OSC 52), or into a file where terminals cut it off."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from textual import on

from korg_tui.export import written_whole
from korg_tui.screens.base import KorgScreen
from korg_tui.screens.files import file_stem, free_name, target_of, why_not
from korg_tui.text import crop, visible, width
from korg_tui.views import Copy, size
from korg_tui.widgets.chrome import Ask

TERMINAL_BYTES = 75_000
"""More than that many a terminal cuts off, or does not take at all."""
SAVE, OVERWRITE = "save", "overwrite"
_SHOWN_CELLS, _LEAST_CELLS = 40, 8
"""Of what was sent so much is shown, and at least so much where there is little room."""


class SendingScreen(KorgScreen):
    """Offers one thing after the other with the same key, and says what was sent to the terminal: nobody can
    know whether it took it."""

    def __init__(self) -> None:
        super().__init__()
        self._sent: tuple[Hashable, int] = (None, -1)
        """The place, and which of its copies was sent last."""
        self._unsent = Copy("", "")
        """What waits for the name of a file."""

    @property
    def key_of_copy(self) -> str:
        """The key that copies here."""
        return self.keymap.name("copy")

    def give(self, identity: str) -> None:
        if not identity.startswith("copy"):
            self._sent = (None, -1)
        super().give(identity)

    def offer(self, place: Hashable, offered: Sequence[Copy]) -> None:
        """Send the first thing of a place; the next one when it is asked for again."""
        if not offered:
            self.remark = "there is nothing to copy here"
            return
        last_place, last = self._sent
        turn = (last + 1) % len(offered) if last_place == place else 0
        self._sent = (place, turn)
        following = offered[(turn + 1) % len(offered)] if len(offered) > 1 else None
        self.send(offered[turn], following)

    def send(self, copy: Copy, following: Copy | None = None) -> None:
        """Send this to the terminal, or ask for a file; say so, and what the key sends next."""
        weight = len(copy.text.encode("utf-8", "replace"))
        then = "" if following is None else f" · {self.key_of_copy}: the {following.name}"
        if weight > TERMINAL_BYTES:
            self._ask_for_file(copy, weight)
            return
        self.app.copy_to_clipboard(copy.text)
        what = "" if copy.name == "address" else f"the {copy.name} "
        sent = f" sent to the terminal's clipboard{then}"
        room = max(self.status.room - width(what + sent), _LEAST_CELLS)
        self.remark = f"{what}{crop(copy.text, min(room, _SHOWN_CELLS))}{sent}"

    def _ask_for_file(self, copy: Copy, weight: int) -> None:
        self._unsent = copy
        question = f"{size(weight)} is more than terminals take: write it to"
        suffix = ".json" if copy.name == "event" else ".txt"
        self.query_one(Ask).ask(SAVE, question, free_name(file_stem("korg", copy.name), suffix))

    @on(Ask.Answered)
    def _file_named(self, event: Ask.Answered) -> None:
        if event.purpose not in (SAVE, OVERWRITE):
            return
        name, asked_twice = event.answer, event.purpose == OVERWRITE
        try:
            path = target_of(name)
            if path.exists() and not asked_twice:
                question = "it is there: enter overwrites it, or another name"
                self.query_one(Ask).ask(OVERWRITE, question, name)
                return
            text = self._unsent.text.encode("utf-8", "replace")
            with written_whole(path) as file:
                file.write(text)
        except OSError as error:
            self.say(f"not written: {why_not(error)}")
        else:
            self.say(f"the {self._unsent.name}, {size(len(text))}, is in {visible(str(path), 200)}")
        self._unsent = Copy("", "")
