"""Document: content of any size, and the forms in which a person can read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from korg_tui.sources import Content, MadeContent
from korg_tui.views.pages import ROW, HexPages, Pages, TextPages
from korg_tui.views.recoding import as_utf8, laid_out, unpacked_pieces
from korg_tui.views.sniff import HEAD, Sniffed, sniff

Form = Literal["picture", "JSON", "text", "hex"]
"""How content is shown. `JSON` is laid out, one member on a line."""

_SOON_SECONDS = 0.2
_Make = Callable[[Iterator[bytes]], Iterator[bytes]]


class Document:
    """Content and what is made of it, each when it is first looked at. `path` is the file that it comes from
    or goes to, as far as an event says: it decides how the text is coloured."""

    def __init__(self, content: Content, *, path: str = "") -> None:
        self.content = content
        self.told = sniff(content.read(0, HEAD), whole=content.size <= HEAD)
        self.path = path
        self._made: list[MadeContent] = []
        self._texts: dict[Form, Content] = {}
        self._unpacked: Content | None = None

    @property
    def inner(self) -> Sniffed:
        """What it is, unpacked."""
        return self.told.inner or self.told

    @property
    def forms(self) -> tuple[Form, ...]:
        """The forms in which it can be shown, the best one first."""
        kind = self.inner.kind
        if kind == "image":
            return ("picture", "hex")
        if kind == "json":
            return ("JSON", "text", "hex")
        return ("text", "hex") if kind in ("text", "empty") else ("hex", "text")

    def unpacked(self) -> Content:
        """The content itself, or what is packed in it."""
        if self._unpacked is None:
            gzip = self.told.inner is not None
            self._unpacked = self._make(unpacked_pieces, self.content) if gzip else self.content
        return self._unpacked

    def shown(self, form: Form) -> Content:
        """The content that a form shows; it may still grow. Bytes are shown as they lie there."""
        if form not in ("JSON", "text"):
            return self.content
        if form not in self._texts:
            self._texts[form] = self._laid_out() if form == "JSON" else self._text()
        return self._texts[form]

    def _text(self) -> Content:
        if not self.inner.encoding.startswith("utf-16"):
            return self.unpacked()
        return self._utf8()

    def _laid_out(self) -> Content:
        plain = self.inner.encoding == "utf-8" and not self.inner.begins
        return self._make(laid_out, self.unpacked() if plain else self._utf8())

    def _utf8(self) -> Content:
        encoding, begins = self.inner.encoding, self.inner.begins
        return self._make(lambda parts: as_utf8(parts, encoding, begins), self.unpacked())

    def _make(self, make: _Make, of: Content) -> Content:
        made = MadeContent(make, of)
        made.wait(_SOON_SECONDS if of.size <= HEAD else _SOON_SECONDS / 10)
        self._made.append(made)
        return made

    def pages(self, form: Form, *, cut: int = ROW, words: bool = False) -> Pages:
        """The rows of a form; `cut` and `words` as `TextPages` says."""
        content = self.shown(form)
        if form not in ("JSON", "text"):
            return HexPages(content)
        encoding = self.inner.encoding
        own = form == "text" and not encoding.startswith("utf-16")
        begins = self.inner.begins if own else 0
        written: Literal["utf-8", "latin-1"] = "latin-1" if own and encoding == "latin-1" else "utf-8"
        return TextPages(content, written, begins=begins, cut=cut, words=words)

    def encoding(self, form: Form) -> str:
        """How the text of a form is written."""
        return "latin-1" if form == "text" and self.inner.encoding == "latin-1" else "utf-8"

    @property
    def failure(self) -> str:
        """Why not all of it is shown, in words for a person; empty when it is."""
        return next((each.failure for each in (*self._made, self.content) if each.failure), "")

    def close(self) -> None:
        """Give back what is open, and end what is being made."""
        for made in reversed(self._made):
            made.close()
        self.content.close()
