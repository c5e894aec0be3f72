"""The help screen: every command with its keys, searchable; what cannot be done now says why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.strip import Strip

from korg_tui.commands import Command, Keymap, Place, Situation
from korg_tui.screens.base import KorgScreen
from korg_tui.screens.chapters import Entry, Note, chapters, found
from korg_tui.text import crop, pad
from korg_tui.widgets.chrome import Ask, KeyFooter, Line
from korg_tui.widgets.lines import LineList

_KEYS_CELLS = 14


@dataclass(frozen=True, slots=True)
class Reason:
    """Why the command above cannot be given, where it does not fit beside it."""

    text: str


class CommandList(LineList):
    """What the help says and the search finds, by chapter."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "help--group", "help--key", "help--text", "help--off", "help--why",
    }  # fmt: skip

    def __init__(self, now: Situation, keymap: Keymap, configured_in: str) -> None:
        super().__init__("commands")
        self.now = now
        self.keymap = keymap
        self.rows: list[Entry | Reason | str] = []
        self._chapters = list(chapters(now.place, keymap, configured_in))
        self._words = ""
        self.narrow("")

    @property
    def count(self) -> int:
        return len(self.rows)

    def narrow(self, words: str) -> int:
        """Show what has all these words. Returns how many entries there are."""
        self._words = words
        self.rows = []
        shown = 0
        for chapter in self._chapters:
            entries = found(chapter, words, self.keymap)
            self.rows += [chapter[0]] if entries else []
            for entry in entries:
                self.rows += self._rows_of(entry)
            shown += len(entries)
        return shown

    def _why_not(self, entry: Entry) -> str:
        """Why a command of here cannot be given; of one of elsewhere its chapter says where it can."""
        if isinstance(entry, Note) or self.now.place not in entry.places:
            return ""
        return self.keymap.reason(entry.id, self.now)

    def _rows_of(self, entry: Entry) -> list[Entry | Reason]:
        why_not = self._why_not(entry)
        if isinstance(entry, Note):
            return [entry]
        return [entry, Reason(f"({why_not})")] if why_not and not self._beside(entry, why_not) else [entry]

    def _beside(self, entry: Command, why_not: str) -> bool:
        """Whether a reason fits beside the help, and the scroll bar beside both; before there is a width, it
        does."""
        return not self.is_mounted or _KEYS_CELLS + len(entry.help) + len(why_not) + 5 <= self.size.width

    def on_resize(self) -> None:
        self.narrow(self._words)
        super().on_resize()

    def draw(self, index: int, width: int) -> Strip:
        row = self.rows[index]
        if isinstance(row, str):
            return Strip([Segment(pad(f" {row}", width), self._style("help--group"))])
        if isinstance(row, Reason):
            text = " " * _KEYS_CELLS + crop(row.text, width - _KEYS_CELLS)
            return Strip([Segment(text, self._style("help--why"))])
        if isinstance(row, Note):
            cells = max(_KEYS_CELLS, len(row.name) + 4)
            name = Segment(pad(f"   {row.name}", cells), self._style("help--key"))
            return Strip([name, Segment(crop(row.text, width - cells), self._style("help--text"))])
        why_not = self._why_not(row)
        keys = Segment(pad(f"   {self.keymap.keys_of(row.id)}", _KEYS_CELLS), self._style("help--key"))
        text = crop(row.help, width - _KEYS_CELLS)
        if not why_not:
            return Strip([keys, Segment(text, self._style("help--text"))])
        why = f"  ({why_not})" if self._beside(row, why_not) else ""
        return Strip([keys, Segment(text, self._style("help--off")), Segment(why, self._style("help--why"))])

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(name, partial=True)


class HelpScreen(KorgScreen):
    """All commands, as they stand in the situation from which the help was opened."""

    PLACES = (Place.HELP,)

    def __init__(self, now: Situation, configured_in: str) -> None:
        super().__init__()
        self.now = now
        self.configured_in = configured_in
        self.words = ""

    def compose(self) -> ComposeResult:
        yield Line("crumbs")
        yield CommandList(self.now, self.keymap, self.configured_in)
        yield Ask()
        yield Line("status")
        yield KeyFooter()

    def on_mount(self) -> None:
        crumbs = (("help", "line--strong"), (f" › {self.now.place.value}", "line--quiet"))
        self.query_one("#crumbs", Line).show(crumbs)
        self.set_focus(self.lines)
        self.show_status()

    @property
    def lines(self) -> CommandList:
        """The list of commands."""
        return self.query_one(CommandList)

    @property
    def situation(self) -> Situation:
        return replace(self.now, place=Place.HELP)

    def show_status(self) -> None:
        shown = [row for row in self.lines.rows if isinstance(row, Command)]
        here = sum(self.now.place in entry.places for entry in shown)
        hints = self.keymap.told("{leave} goes back · {narrow} searches them")
        text = self.remark or f"{here} commands here, {len(shown) - here} elsewhere · {hints}"
        self.status.show([(text, "line--quiet")])
        self.show_keys()

    def do_narrow(self) -> None:
        self.query_one(Ask).ask("help", "search the help", self.words)

    @on(Ask.Typing)
    def _typing(self, event: Ask.Typing) -> None:
        self._narrow(event.answer)

    @on(Ask.Answered)
    def _answered(self, event: Ask.Answered) -> None:
        self._narrow(event.answer)
        self._close_ask()

    def _narrow(self, words: str) -> None:
        self.words = words
        self.lines.narrow(words)
        self.lines.redraw()
        self.lines.go(0)
        self.show_status()

    def _close_ask(self) -> None:
        self.query_one(Ask).close()
        self.set_focus(self.lines)

    def do_leave(self) -> None:
        if self.query_one(Ask).asking:
            self._close_ask()
        elif self.words:
            self._narrow("")
        else:
            super().do_leave()
