"""The reader: one blob, or one long value of an event, whole, whatever its size (EXPERIENCE).

Nothing that is proportional to the size happens before the first page is seen: rows are laid out where they
are looked at; lines are counted, digests verified and words looked for between the frames or in threads.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static

from korg_tui.commands import Place, Situation
from korg_tui.screens import outside
from korg_tui.screens.giving import GivingScreen
from korg_tui.screens.leafing import LeafingScreen
from korg_tui.screens.matter import BlobMatter, Loaded, Matter, digest_of
from korg_tui.screens.picturing import PicturingScreen
from korg_tui.screens.reader_words import TEXTS, Parts, came, form_words, joined, percent, place
from korg_tui.screens.sending import SendingScreen
from korg_tui.sources import chunks
from korg_tui.text import crop, visible, visible_lines
from korg_tui.views import Copy, Document, Form, LineCount, Pages, size
from korg_tui.widgets.chrome import Ask, KeyFooter, Line
from korg_tui.widgets.confirm import Confirm
from korg_tui.widgets.reader import ReaderView

_COPIED_BYTES = 4_000_000
"""Longer text is not copied."""
_TICK_SECONDS = 0.1
_COUNTED_AT_ONCE = 64
_COUNTED_A_TICK = 256
"""Blocks whose lines are counted before the first page is seen, and then at each tick."""
_NOW = {
    "missing": "Put the blob into one of these places, or set KORG_BLOB_DIR.",
    "unreadable": "Make it readable, then press {ask-blob} to look again.",
    "not fetched": "Press {ask-blob} to fetch it.",
    "not a blob name": "The event names it so; there is nothing that could be looked for.",
}


class ReaderScreen(LeafingScreen, PicturingScreen, GivingScreen, SendingScreen):
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
        self.state = ("looking for it", False)
        """The state in words, and whether it is bad."""
        self._verified = 0
        self._verifying = False
        self._left = False
        self._grew = False

    def compose(self) -> ComposeResult:
        yield Line("crumbs")
        yield Line("reader-head")
        yield ReaderView()
        yield Static(id="nothing")
        yield Container(id="picture")
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
            self.work_beside(partial(self._load_beside, whole), "load")
            self.show_nothing()
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
                self.work_beside(partial(self._verify, self.document), "verify")
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
        if document is not None and self.form in TEXTS:
            lines = LineCount(document.shown(self.form))
            lines.work(_COUNTED_AT_ONCE)
        view.lines = lines
        pages = None if document is None else self._pages(document)
        view.show(pages, lines, self._path, top)
        view.mark(self.sought)
        self.show_nothing()
        self.draw_picture()
        self.settle()

    def _pages(self, document: Document) -> Pages:
        if self.wrap:
            return document.pages(self.form, cut=self.view.room, words=True)
        return document.pages(self.form)

    @property
    def _path(self) -> str:
        """The file name by which the text is coloured."""
        if self.document is None or self.form not in TEXTS:
            return ""
        return "blob.json" if self.document.inner.kind == "json" else self.document.path

    def show_nothing(self) -> None:
        nothing = self.query_one("#nothing", Static)
        pictured = self.document is not None and self.form == "picture"
        empty = self.document is None or not self.document.content.size
        self.view.display = not empty and not pictured
        nothing.display = empty or (pictured and bool(self.instead))
        self.query_one("#picture").display = pictured and not self.instead
        if pictured and self.instead and self.document is not None:
            told = [self.document.inner.name, self.instead, self.keymap.told("{view-as} shows its bytes")]
            nothing.update(Content("\n\n".join(told)))
        elif not empty:
            return
        elif self.loaded is None:
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
        document = self.document
        if self.loaded is None:
            words = came(words, self.matter.coming)
        elif self._verifying and document is not None:
            words = f"verifying, {percent(self._verified, document.content.size)}"
        parts = [(visible(words), "line--bad" if bad else "line--strong")] if words else []
        if document is not None:
            measure = size(document.content.size)
            parts += [(document.told.name, ""), *([] if measure in words else [(measure, "")])]
        return joined(parts)

    def _status(self) -> list[tuple[str, str]]:
        document = self.document
        if document is None:
            return [(self.keymap.told("{leave} goes back"), "line--quiet")]
        parts: list[tuple[str, str]] = []
        if self.seeker is not None:
            whole = document.shown(self.form).size
            share = percent(min(self.seeker.looked, whole), whole)
            stops = self.keymap.told("{leave} stops")
            parts.append((f"looking for “{crop(self.sought, 20)}”, {share}: {stops}", "line--strong"))
        if self.form != "picture":
            parts.append((place(document, self.form, self.view), "line--strong"))
        if self.seeker is None and self.hit_words:
            parts.append((self.hit_words, "line--mark"))
        parts.append((form_words(document, self.form, wrapped=self.wrap), ""))
        if document.failure:
            parts.append((visible(document.failure, 100), "line--mark"))
        elif not document.shown(self.form).complete:
            parts.append(("more is being made", "line--quiet"))
        if self.loaded is not None and self.loaded.asks:
            parts.append((self.keymap.told("{ask-blob} verifies it"), "line--quiet"))
        return joined(parts)

    def show_status(self) -> None:
        if not self.ready:
            return
        self.status.show([(self.remark, "line--mark")] if self.remark else self._status())
        self.show_keys()

    @on(ReaderView.Scrolled)
    def _scrolled(self) -> None:
        self.settle()

    def on_resize(self) -> None:
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        """The rows have another width now."""
        if self.document is not None and self.ready:
            lines, here = self.view.lines, self.view.here
            pages = self._pages(self.document)
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
        if grows or self._grew:
            self._grew = grows
            self.look_again()

    # commands

    def do_wrap(self) -> None:
        if self.form not in TEXTS:
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

    @property
    def key_of_copy(self) -> str:
        return self.keymap.name("copy-content")

    def do_copy_content(self) -> None:
        """Its text, where it is text and not very long, and what it is called."""
        name = Copy("name", self.matter.name)
        document = self.document
        text = None if document is None or "text" not in document.forms else document.shown("text")
        if text is None or not text.complete or text.size > _COPIED_BYTES:
            self.offer("content", [name])
            return
        content = text.read(0, text.size).decode("utf-8", "replace")
        lines = visible_lines(content, len(content) + 1, _COPIED_BYTES)
        self.offer("content", [Copy("text", "\n".join(lines)), name])

    def do_leave(self) -> None:
        if self.query_one(Ask).asking:
            self.close_ask()
        elif not self.stop_seeking():
            super().do_leave()

    # giving it to another program

    def offers(self) -> Sequence[Document]:
        return [] if self.document is None else [self.document]

    def proposed(self, offer: object) -> outside.Proposal:
        assert isinstance(offer, Document)
        return outside.copy_of(self.matter.title, lambda: chunks(offer.content), outside.pager(os.environ))
