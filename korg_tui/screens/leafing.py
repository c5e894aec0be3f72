"""LeafingScreen: moving in a document - rows, pages, lines by number, words that are looked for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial

from textual import on

from korg_tui.commands import DIGITS
from korg_tui.screens.base import KorgScreen
from korg_tui.sources import MadeContent
from korg_tui.text import visible
from korg_tui.views import Document, Form, HitCount, Seeker, needle, plural
from korg_tui.widgets.chrome import Ask
from korg_tui.widgets.reader import ReaderView

_SLICE_SECONDS = 0.012
"""A search works this long, then lets the screen answer keys."""


class LeafingScreen(KorgScreen):
    """The moving keys of the reader, `goto-line`, and `seek`."""

    document: Document | None
    form: Form

    def __init__(self) -> None:
        super().__init__()
        self.sought = ""
        self.seeker: Seeker | None = None
        """The search that runs."""
        self.end_at = -1
        """The top of the end that was gone to, which moves on while content grows."""
        self._found_at = 0
        self._count: HitCount | None = None
        """Of the last search."""
        self._round = ""
        """That the last hit was found around the end."""

    @property
    def view(self) -> ReaderView:
        """The rows."""
        return self.query_one(ReaderView)

    def settle(self) -> None:
        """Bring what is said around the rows up to date."""
        raise NotImplementedError

    def do_down(self) -> None:
        self.view.move(1)

    def do_up(self) -> None:
        self.view.move(-1)

    def do_page_down(self) -> None:
        self.view.move(self.view.page)

    def do_page_up(self) -> None:
        self.view.move(-self.view.page)

    def do_first(self) -> None:
        self.view.first()

    def do_last(self) -> None:
        self.view.last()
        shown = None if self.document is None else self.document.shown(self.form)
        if isinstance(shown, MadeContent) and not shown.complete:
            shown.want()
            self.end_at = self.view.top

    def look_again(self) -> None:
        """The content has grown; who went to its end stays there."""
        if self.view.top == self.end_at:
            self.view.last()
            self.end_at = self.view.top
        else:
            self.end_at = -1
            self.view.look()

    def do_shift_right(self) -> None:
        if not self.view.sideways(1):
            self.remark = "nothing that is seen here is cut off"

    def do_shift_left(self) -> None:
        if not self.view.sideways(-1):
            self.remark = "the rows stand at their beginning"

    # asking where to

    def do_goto_line(self) -> None:
        if self.view.lines is None:
            self.remark = "only text has lines"
            return
        typed = self.pressed if self.pressed in DIGITS else ""
        self.query_one(Ask).ask("line", "go to line", typed, goes_on=True)

    def do_seek(self) -> None:
        self.query_one(Ask).ask("seek", "find", self.sought)

    def do_seek_after(self) -> None:
        self._seek(forward=True)

    def do_seek_before(self) -> None:
        self._seek(forward=False)

    @on(Ask.Answered)
    def _answered(self, event: Ask.Answered) -> None:
        self.close_ask()
        if event.purpose == "line":
            self._go_to_line(event.answer.strip())
        else:
            self.sought = event.answer
            self.view.mark(self.sought)
            self.view.here, self._count = None, None
            self._seek(forward=True)

    def close_ask(self) -> None:
        """The line that asks is done."""
        self.query_one(Ask).close()
        self.set_focus(self.view)

    def _go_to_line(self, answer: str) -> None:
        lines = self.view.lines
        if lines is None or not answer:
            return
        if not (answer.isascii() and answer.isdecimal() and len(answer) < 19):
            self.say(f"“{visible(answer, 40)}” is no line: type a number")
            return
        offset = lines.offset_of(int(answer))
        if offset is None:
            self.say("the lines up to there are not counted yet")
            return
        self.view.go(offset)
        if lines.lines is not None and int(answer) > lines.lines:
            there = "there is" if lines.lines == 1 else "there are"
            self.say(f"{there} only {plural(lines.lines, 'line')}: this is the last one")

    # looking for words

    def _seek(self, *, forward: bool) -> None:
        if self.document is None or not self.sought:
            return
        content = self.document.shown(self.form)
        words = needle(self.sought, encoding=self.document.encoding(self.form), as_hex=self.form == "hex")
        here = self.view.here
        start = self.view.top if here is None else self._found_at + 1 if forward else self._found_at
        self.seeker = Seeker(content, words, start, forward=forward)
        if self._count is None or self._count.content is not content:
            self._count = HitCount(content, words)
        self._count.done = False
        self.work_beside(partial(self._look_on, self.seeker), "seek")

    async def _look_on(self, seeker: Seeker) -> None:
        count = self._count
        await self._step_on(seeker, lambda: self.seeker is seeker)
        if self.seeker is not seeker or count is None:
            return
        _steps(count)
        self.seeker = None
        self._found(seeker)
        await self._step_on(count, lambda: self._count is count)
        self.settle()

    async def _step_on(self, work: Seeker | HitCount, wanted: Callable[[], bool]) -> None:
        """Go on with this between the frames while it is wanted."""
        while wanted() and not _steps(work):
            self.settle()
            await asyncio.sleep(0)

    def stop_seeking(self) -> bool:
        """Stop the search. False when none runs."""
        running, self.seeker = self.seeker is not None, None
        if running:
            self.remark = "stopped looking"
        return running

    def _found(self, seeker: Seeker) -> None:
        if seeker.found is None:
            self.say(f"“{visible(self.sought, 40)}” is not in it")
            return
        self._found_at = seeker.found
        self.view.go(seeker.found)
        end = "beginning" if seeker.forward else "end"
        self._round = f", from the {end} again" if seeker.around else ""

    @property
    def hit_words(self) -> str:
        """Which of the hits one is at; empty when at none."""
        here, pages = self.view.here, self.view.pages
        if self._count is None or pages is None or here is None or here != pages.row_at(self._found_at):
            return ""
        return f"{self._count.words(self._found_at)}{self._round}"


def _steps(work: Seeker | HitCount) -> bool:
    """Work a slice of time, and say whether it is done."""
    until = time.monotonic() + _SLICE_SECONDS
    while not work.done and time.monotonic() < until:
        work.step()
    return work.done
