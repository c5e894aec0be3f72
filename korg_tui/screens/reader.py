"""The reader: one blob, or one long value of an event, whole, whatever its size (EXPERIENCE).

Nothing that is proportional to the size happens before the first page is seen: rows are laid out where they
are looked at; lines are counted, digests verified and words looked for between the frames or in threads.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from korg_tui.commands import DIGITS, Place, Situation
from korg_tui.screens import outside
from korg_tui.screens.giving import GivingScreen
from korg_tui.screens.matter import BlobMatter, Loaded, Matter, digest_of
from korg_tui.sources import chunks
from korg_tui.text import crop, visible
from korg_tui.views import Document, Form, LineCount, Seeker, needle, plural, size
from korg_tui.views.pages import ROW
from korg_tui.widgets.chrome import Ask, KeyFooter, Line
from korg_tui.widgets.confirm import Confirm
from korg_tui.widgets.reader import ReaderView

Parts = Sequence[tuple[str, str]]

_TICK_SECONDS = 0.1
_SLICE_SECONDS = 0.012
_COUNTED_AT_ONCE = 64
_COUNTED_A_TICK = 256
"""Blocks whose lines are counted before the first page is seen, and then at each tick."""
_NOW = {
    "missing": "Put the blob into one of these places, or set KORG_BLOB_DIR.",
    "unreadable": "Make it readable, then press {ask-blob} to look again.",
    "not fetched": "Press {ask-blob} to fetch it.",
    "not a blob name": "The event names it so; there is nothing that could be looked for.",
}


class ReaderScreen(GivingScreen):
    """One blob or value. `origin` are the crumbs that lead to it."""

    PLACES = (Place.READER,)

    def __init__(self, matter: Matter, origin: Parts = ()) -> None:
        super().__init__()
        self.matter = matter
        self.origin = tuple(origin)
        self.loaded: Loaded | None = None
        """What was found; None while it is looked for."""
        self.document: Document | None = None
        self.form: Form = "text"
        self.wrap = True
        self.sought = ""
        self.state = ("looking for it", False)
        """The state in words, and whether it is bad."""
        self._seeker: Seeker | None = None
        self._verified = 0
        self._verifying = False
        self._left = False

    def compose(self) -> ComposeResult:
        yield Line("crumbs")
        yield Line("reader-head")
        yield ReaderView()
        yield Static(id="nothing")
        yield Ask()
        yield Confirm()
        yield Line("status")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.set_focus(self.view)
        crumbs = [*self.origin, (" › ", "line--quiet")] if self.origin else []
        self.query_one("#crumbs", Line).show([*crumbs, (self.matter.title, "line--strong")])
        self.set_interval(_TICK_SECONDS, self._tick)
        self.call_after_refresh(self.load)

    def on_unmount(self) -> None:
        self._left = True
        if self.document is not None:
            self.document.close()

    @property
    def view(self) -> ReaderView:
        """The rows."""
        return self.query_one(ReaderView)

    @property
    def situation(self) -> Situation:
        return Situation(
            place=Place.READER,
            rows=1 if self.document is not None and self.document.content.size else 0,
            searched=bool(self.sought),
            hits=1 if self.sought else 0,
            forms=0 if self.document is None else len(self.document.forms),
            asks=self.loaded is not None and (self.loaded.asks or self.loaded.state == "unreadable"),
            openable=self.document is not None,
        )

    # what is shown

    def load(self, *, whole: bool = False) -> None:
        """Find what is to be shown: at once where that takes no time, else beside the screen."""
        if self.matter.slow:
            self.run_worker(self._load_beside(whole), group="load", exclusive=True)
            self._show_nothing()
            self.settle()
        else:
            self._take(self.matter.load(whole=whole))

    async def _load_beside(self, whole: bool) -> None:
        loaded = await asyncio.to_thread(self.matter.load, whole=whole)
        if self._left:
            if loaded.content is not None:
                loaded.content.close()
            return
        self._take(loaded)

    def _take(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self.state = loaded.state, loaded.bad
        before, self.document = self.document, None
        if before is not None:
            before.close()
        if loaded.content is not None:
            self.document = Document(loaded.content, path=loaded.path)
            self.form = self.document.forms[0]
            if loaded.verify:
                self.run_worker(self._verify(self.document), group="verify", exclusive=True)
        self.show_form(0)

    async def _verify(self, document: Document) -> None:
        self._verified, self._verifying = 0, True
        try:
            found = await asyncio.to_thread(digest_of, document.content, self._has_verified)
        except OSError as error:
            self.state = f"unreadable: {visible(str(error), 100)}", True
            return
        finally:
            self._verifying = False
        if found and isinstance(self.matter, BlobMatter) and document is self.document:
            self.state = self.matter.verified(found, document.content.size)
            self.settle()

    def _has_verified(self, count: int) -> bool:
        self._verified = count
        return not self._left

    def show_form(self, top: int) -> None:
        """Show the document in its present form, from byte `top` on."""
        document = self.document
        view = self.view
        lines = None
        if document is not None and self.form in ("JSON", "text"):
            lines = LineCount(document.shown(self.form))
            lines.work(_COUNTED_AT_ONCE)
        view.lines = lines
        pages = None if document is None else document.pages(self.form, cut=self._cut, words=self.wrap)
        view.show(pages, lines, self._path, top)
        view.mark(self.sought)
        self._show_nothing()
        self.settle()

    @property
    def _cut(self) -> int:
        return self.view.room if self.wrap else ROW

    @property
    def _path(self) -> str:
        """The file name by which the text is coloured."""
        if self.document is None or self.form not in ("JSON", "text"):
            return ""
        return "blob.json" if self.document.inner.kind == "json" else self.document.path

    def _show_nothing(self) -> None:
        nothing = self.query_one("#nothing", Static)
        empty = self.document is None or not self.document.content.size
        nothing.display, self.view.display = empty, not empty
        if not empty:
            return
        if self.loaded is None:
            nothing.update(Content("Looking for it …"))
        elif self.document is not None:
            nothing.update(Content("It is empty: 0 bytes."))
        else:
            now = _NOW.get(self.loaded.state.partition(",")[0], "")
            words = filter(None, [visible(self.loaded.text), self.keymap.told(now)])
            nothing.update(Content("\n\n".join(words)))

    # saying where one is

    def settle(self) -> None:
        """Bring head, status and keys up to date."""
        if self.ready:
            self.query_one("#reader-head", Line).show(self._head())
            self.show_status()

    def _head(self) -> list[tuple[str, str]]:
        words, bad = self.state
        parts: list[tuple[str, str]] = []
        if self.loaded is None:
            come, total = self.matter.coming
            words = f"{words}: {size(come)}{f' of {size(total)}' if total else ''} came" if come else words
        elif self._verifying and self.document is not None:
            words = f"verifying, {_percent(self._verified, self.document.content.size)}"
        if words:
            parts.append((visible(words), "line--bad" if bad else "line--strong"))
        if self.document is not None:
            parts.append((self.document.told.name, ""))
            if size(self.document.content.size) not in words:
                parts.append((size(self.document.content.size), ""))
        return _joined(parts)

    def show_status(self) -> None:
        if not self.ready:
            return
        self.status.show([(self.remark, "line--mark")] if self.remark else self._status())
        self.show_keys()

    def _status(self) -> list[tuple[str, str]]:
        document = self.document
        if document is None:
            return [(self.keymap.told("{leave} goes back"), "line--quiet")]
        parts: list[tuple[str, str]] = []
        if self._seeker is not None:
            total = max(document.shown(self.form).size, 1)
            share = _percent(min(self._seeker.looked, total), total)
            stops = self.keymap.name("leave")
            parts.append((f"looking for “{crop(self.sought, 20)}”, {share}: {stops} stops", "line--strong"))
        parts += [(self._place(document), "line--strong"), (self._form_words(document), "")]
        if document.failure:
            parts.append((visible(document.failure, 100), "line--mark"))
        elif not document.shown(self.form).complete:
            parts.append(("more is being made", "line--quiet"))
        if self.loaded is not None and self.loaded.asks:
            parts.append((self.keymap.told("{ask-blob} verifies it"), "line--quiet"))
        return _joined(parts)

    def _place(self, document: Document) -> str:
        begin, end = self.view.seen
        lines, whole = self.view.lines, document.shown(self.form).size
        if lines is None:
            return f"bytes {begin:,} to {end:,} of {whole:,}"
        first, last = lines.line_at(begin), lines.line_at(max(begin, end - 1))
        of = f" of {lines.lines:,}" if lines.lines is not None else ""
        share = "" if self.view.at_end and not begin else f", {_percent(end, whole)}"
        if first is None or last is None:
            return f"counting lines{share}"
        return f"line{'s' * (first != last)} {first:,}{f' to {last:,}' if first != last else ''}{of}{share}"

    def _form_words(self, document: Document) -> str:
        words: str = "JSON laid out" if self.form == "JSON" else self.form
        if document.told.kind == "gzip" and self.form in ("JSON", "text"):
            words += ", unpacked"
        return words + (", not wrapped" if self.form in ("JSON", "text") and not self.wrap else "")

    @on(ReaderView.Scrolled)
    def _scrolled(self) -> None:
        self.settle()

    def on_resize(self) -> None:
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        """The rows have another width now."""
        if self.document is not None and self.ready:
            lines, here = self.view.lines, self.view.here
            pages = self.document.pages(self.form, cut=self._cut, words=self.wrap)
            self.view.show(pages, lines, self._path, self.view.top)
            self.view.here = None if here is None else pages.row_at(here)
            self.settle()

    def _tick(self) -> None:
        """What goes on beside the screen: say so."""
        document, view = self.document, self.view
        if document is None or self._verifying:
            self.settle()
        if document is None:
            return
        grows = not document.shown(self.form).complete
        if view.lines is not None and view.lines.lines is None:
            room = view.room
            view.lines.work(_COUNTED_A_TICK)
            if view.room != room:
                self._fit()
            view.refresh()
            self.settle()
        if grows or (self._place_grew and not grows):
            self._place_grew = grows
            view.look()

    _place_grew = False

    # commands

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

    def do_shift_right(self) -> None:
        if not self.view.sideways(1):
            self.remark = "nothing that is seen here is cut off" if self.wrap else "no row is longer"

    def do_shift_left(self) -> None:
        if not self.view.sideways(-1):
            self.remark = "the rows stand at their beginning"

    def do_wrap(self) -> None:
        if self.form not in ("JSON", "text"):
            self.remark = "only text is wrapped"
            return
        self.wrap = not self.wrap
        self._fit()
        on = self.keymap.told("long lines go on to the right: {shift-right}")
        self.remark = "long lines are wrapped" if self.wrap else on

    def do_view_as(self) -> None:
        document = self.document
        if document is None:
            return
        forms = document.forms
        before, self.form = self.form, forms[(forms.index(self.form) + 1) % len(forms)]
        same = document.shown(before) is document.shown(self.form)
        self.show_form(self.view.top if same else 0)

    def do_ask_blob(self) -> None:
        self.loaded = None
        self.state = "fetching it" if self.matter.slow else "verifying", False
        self.load(whole=True)

    def do_copy_name(self) -> None:
        self.app.copy_to_clipboard(self.matter.name)
        self.remark = f"copied {crop(self.matter.name, 40)}, sent to the terminal"

    def do_goto(self) -> None:
        if self.view.lines is None:
            self.remark = "only text has lines"
            return
        typed = self.pressed if self.pressed in DIGITS else ""
        self.query_one(Ask).ask("line", "go to line", typed, typed=True)

    def do_seek(self) -> None:
        self.query_one(Ask).ask("seek", "find", self.sought)

    def do_seek_after(self) -> None:
        self._seek(forward=True)

    def do_seek_before(self) -> None:
        self._seek(forward=False)

    def do_leave(self) -> None:
        if self.query_one(Ask).asking:
            self._close_ask()
        elif self._seeker is not None:
            self._seeker = None
            self.remark = "stopped looking"
        else:
            super().do_leave()

    @on(Ask.Answered)
    def _answered(self, event: Ask.Answered) -> None:
        self._close_ask()
        if event.purpose == "line":
            self._go_to_line(event.answer.strip())
        elif event.purpose == "seek":
            self.sought = event.answer
            self.view.mark(self.sought)
            self.view.here = None
            self._seek(forward=True)

    def _close_ask(self) -> None:
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
            self.say(f"there are only {plural(lines.lines, 'line')}: this is the last one")

    # giving it to another program

    def offers(self) -> Sequence[Document]:
        return [] if self.document is None else [self.document]

    def proposed(self, offer: object) -> outside.Proposal:
        assert isinstance(offer, Document)
        return outside.copy_of(self.matter.title, lambda: chunks(offer.content), outside.pager(os.environ))

    # looking for words

    def _seek(self, *, forward: bool) -> None:
        if self.document is None or not self.sought:
            return
        content = self.document.shown(self.form)
        words = needle(self.sought, encoding=self.document.encoding(self.form), as_hex=self.form == "hex")
        here = self.view.here
        start = self.view.top if here is None else self._found_at + 1 if forward else self._found_at
        self._seeker = Seeker(content, words, start, forward=forward)
        self.run_worker(self._look_on(self._seeker), group="seek", exclusive=True)

    _found_at = 0

    async def _look_on(self, seeker: Seeker) -> None:
        clock = asyncio.get_running_loop().time
        while not seeker.done and self._seeker is seeker:
            until = clock() + _SLICE_SECONDS
            while not seeker.done and clock() < until:
                seeker.step()
            if not seeker.done:
                self.settle()
                await asyncio.sleep(0)
        if self._seeker is seeker:
            self._seeker = None
            self._found(seeker)

    def _found(self, seeker: Seeker) -> None:
        if seeker.found is None:
            self.say(f"“{visible(self.sought, 40)}” is not in it")
            return
        again = self.view.here is not None and seeker.found == self._found_at
        self._found_at = seeker.found
        self.view.go(seeker.found)
        if again:
            self.say("this is the only place")
        elif seeker.around:
            self.say("found again from the other end")


def _joined(parts: Parts) -> list[tuple[str, str]]:
    shown: list[tuple[str, str]] = []
    for part in parts:
        shown += [(" · ", "line--quiet")] * bool(shown) + [part]
    return shown


def _percent(part: int, whole: int) -> str:
    return f"{100 * part // max(whole, 1)} %"
