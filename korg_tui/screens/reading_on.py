"""ReadingOnScreen: from an event to its blobs and long values, whole, and out to other programs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial

from textual import on

from korg_tui.reading import Reading
from korg_tui.screens import outside
from korg_tui.screens.giving import GivingScreen
from korg_tui.screens.looking import BlobLook
from korg_tui.screens.matter import BlobMatter, Matter, ValueMatter, where
from korg_tui.screens.outside import Proposal, Refused
from korg_tui.screens.reader import ReaderScreen
from korg_tui.screens.stepping import SteppingScreen
from korg_tui.sources import BodyGone, chunks
from korg_tui.text import visible
from korg_tui.views import HUGE, Opens, declared_sizes, paths_named
from korg_tui.widgets.details import Details
from korg_tui.widgets.names import ending

_LONG = 1_000_000
_NAME_CELLS = 30
_FILES = 8


class ReadingOnScreen(GivingScreen, SteppingScreen):
    """Commands `ask-blob` and `outside`, and lines of the details that open something."""

    reading: Reading
    details: Details

    @property
    def blobs(self) -> BlobLook:
        """What is known about the blobs that the ledger names."""
        raise NotImplementedError

    @on(Details.Opened)
    def _opened(self, event: Details.Opened) -> None:
        event.stop()
        self.open_reader(event.opens)

    def open_reader(self, opens: Opens) -> None:
        """Show a blob or a long value of the event under the cursor whole."""
        row = self.row
        if row < 0:
            return
        name = self.ledger.address(self.ledger.seq[row])[0] if self.ledger.seq_at(row) is not None else ""
        origin = [
            (ending(name or self.ledger.name, _NAME_CELLS), "line--quiet"),
            (" › ", "line--quiet"),
            (where(self.ledger, row), ""),
        ]
        self.app.push_screen(ReaderScreen(self._matter(opens, row), origin))

    def _matter(self, opens: Opens, row: int) -> Matter:
        if opens.what == "value":
            return ValueMatter(self.reading, self.ledger, row, opens.name)
        sizes, path = self._said_of_blobs(row)
        return BlobMatter(opens.name, self.reading.source.blobs, sizes.get(opens.name), path)

    def _said_of_blobs(self, row: int) -> tuple[dict[str, int], str]:
        """The sizes that an event declares of its blobs, and the only file that it names."""
        if self.ledger.length[row] > HUGE:
            return {}, ""
        try:
            found = self.reading.body(self.ledger, row)
        except (BodyGone, OSError):
            found = None
        if found is None:
            return {}, ""
        paths = paths_named(self.ledger.tool_at(row), found.args)
        return declared_sizes(found), paths[0] if len(paths) == 1 else ""

    def do_read_whole(self) -> None:
        opens = self._whole()
        if opens is None:
            self.remark = "the details show all of this event: there is nothing more to read"
        else:
            self.open_reader(opens)

    def _whole(self) -> Opens | None:
        """What the reader can show of the event under the cursor: what its line in the details opens, else
        its first blob, else its first long value."""
        if self.focused is self.details and self.details.opens is not None:
            return self.details.opens
        blobs = self.ledger.blobs_at(self.row) if self.row >= 0 else ()
        if blobs:
            return Opens("blob", blobs[0])
        self.bring_details()
        return self.details.first_opens

    def bring_details(self) -> None:
        """Let the details be those of the row under the cursor, now."""
        raise NotImplementedError

    def line_words(self) -> str:
        """What the line of the details under the cursor leads to, and with which key; empty when they have
        not the keys."""
        if self.focused is not self.details:
            return ""
        opens, seq = self.details.opens, self.details.leads
        if opens is not None:
            what = "the blob" if opens.what == "blob" else "the whole value"
            return self.keymap.told(f"{{details}}: {what} in the reader")
        return "" if seq is None else self.keymap.told(f"{{details}}: go to {seq}")

    # asking for what is too big

    @property
    def unasked(self) -> list[str]:
        """The blobs of the event under the cursor that a person must ask for."""
        row = self.row
        return [] if row < 0 else self.blobs.waiting(self.ledger.blobs_at(row))

    def do_ask_blob(self) -> None:
        waiting = self.unasked
        for digest in waiting:
            self.blobs.ask(digest)
        self.remark = f"asked for {len(waiting)} blobs" if len(waiting) > 1 else "asked for it"
        self.settle()

    # giving it to other programs

    @property
    def openable(self) -> bool:
        """Whether the event under the cursor may have something that another program can be given."""
        row = self.row
        return row >= 0 and bool(self.ledger.blobs_at(row) or self.names_path)

    @property
    def names_path(self) -> bool:
        """Whether the event under the cursor names a path."""
        raise NotImplementedError

    def offers(self) -> Sequence[Opens | str]:
        row = self.row
        chosen = [self.details.opens] if self.focused is self.details and self.details.opens else []
        blobs = [Opens("blob", digest) for digest in self.ledger.blobs_at(row)[:_FILES]]
        return list(dict.fromkeys([*chosen, *self._files(row), *blobs]))

    def _files(self, row: int) -> list[str]:
        if self.ledger.length[row] > _LONG:
            return []
        try:
            found = self.reading.body(self.ledger, row)
        except (BodyGone, OSError):
            return []
        return [] if found is None else paths_named(self.ledger.tool_at(row), found.args)[:_FILES]

    def proposed(self, offer: object) -> Proposal:
        if isinstance(offer, Opens):
            matter = self._matter(offer, self.row)
            if matter.slow:
                raise Refused(self.keymap.told("{details} on it shows it, then {outside} gives it away"))
            loaded = matter.load()
            if loaded.content is None:
                raise Refused(visible(loaded.text, 300))
            loaded.content.close()
            state = visible(loaded.state, 60) if loaded.bad else ""
            return outside.copy_of(matter.title, partial(_pieces, matter), outside.pager(os.environ), state)
        ledger = self.reading.source.watched
        if ledger is None:
            raise Refused(f"{visible(str(offer), 100)}: this ledger has no folder, so no file is opened")
        path, folder = outside.inside(str(offer), ledger)
        return Proposal(outside.editor(os.environ), path, "the file itself", folder=folder)


def _pieces(matter: Matter) -> Iterator[bytes]:
    loaded = matter.load()
    if loaded.content is None:
        raise Refused(visible(loaded.text, 300))
    try:
        yield from chunks(loaded.content)
    finally:
        loaded.content.close()
