"""Remembered: what a person finds again next time - bookmarks, places, searches, sizes of panes.

It lies in the state folder (`faults.state_folder()`), never beside a ledger: one JSON file of each kind,
0600, bounded, replaced whole. Programs that run at once take turns with a lock and read again before they
write, so that none loses what the other has written; no key waits for the lock, what it changes is written
when it is free. A file that cannot be read as what it should be is set aside, and a folder that cannot be
written is told once; then everything lasts as long as the program runs.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from korg_tui.faults import state_folder
from korg_tui.shelf import Shelf
from korg_tui.text import visible

BOOKMARKS, SPOTS, PHRASES, PURPOSES = 5_000, 1_000, 100, 32
"""The most that is kept of each kind; what is oldest goes first."""
_WORDS, _PHRASE, _NAME = 200, 1_000, 4_096
"""Characters of what a bookmark says, of a search, of the name of a ledger."""
_LEAVING_SECONDS = 0.5

_T = TypeVar("_T")


class Bookmark(msgspec.Struct, frozen=True):
    """An event that a person marked. `ledger`: what `identity` says; `digest`: that of `Event`, by which an
    event that a rewind has replaced is told from the one that was marked."""

    ledger: str
    seq: int
    digest: int = 0
    words: str = ""
    """What the event is, as its row says, safe."""
    at_ms: int = 0
    """When it was marked, milliseconds since the epoch."""


class Spot(msgspec.Struct, frozen=True):
    """Where a person was in a session, when it was left."""

    ledger: str
    session: int
    """The seq of the session's head; -1 for a whole ledger."""
    seq: int
    """-1 at the end, wherever that is next time."""
    digest: int = 0
    at_end: bool = False
    last: int = -1
    """The last seq of the session then."""
    at_ms: int = 0


def identity(watched: Path | None, name: str) -> str:
    """What a ledger is called here: its resolved path, or the address of its server; else `-:name`, which is
    remembered only while the program runs. `name` is that of the ledger."""
    if watched is not None:
        path = os.path.realpath(watched)
        number = name.rpartition("#")[2]
        return _clean(f"{path}#{number}" if "#" in name and number.isdigit() else path)
    lasts = name.lower().startswith(("http://", "https://"))
    return _clean(name if lasts else f"-:{name}")


def _clean(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()[:_NAME]


class Remembered:
    """What is remembered in a folder; without one, for as long as this object lives."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._troubles: list[str] = []
        self._told: set[str] = set()
        no_bookmarks: tuple[Bookmark, ...] = ()
        no_spots: tuple[Spot, ...] = ()
        no_history: dict[str, tuple[str, ...]] = {}
        no_panes: dict[str, int] = {}
        self._bookmarks = self._pair("bookmarks", tuple[Bookmark, ...], no_bookmarks)
        self._spots = self._pair("places", tuple[Spot, ...], no_spots)
        self._history = Shelf(folder, "history", dict[str, tuple[str, ...]], no_history, self._tell)
        self._panes = Shelf(folder, "panes", dict[str, int], no_panes, self._tell)
        self._lasting: tuple[Shelf[Any], ...] = (
            self._bookmarks[0], self._spots[0], self._history, self._panes
        )  # fmt: skip

    @classmethod
    def at_home(cls) -> Remembered:
        """What is remembered in the state folder of this person."""
        return cls(state_folder())

    def _pair(self, name: str, kind: Any, empty: _T) -> tuple[Shelf[_T], Shelf[_T]]:
        """The shelf of what lasts, and of what lasts as long as the program."""
        return (
            Shelf(self._folder, name, kind, empty, self._tell),
            Shelf(None, name, kind, empty, self._tell),
        )

    def _tell(self, trouble: str) -> None:
        if trouble not in self._told:
            self._told.add(trouble)
            self._troubles.append(trouble)

    def settle(self, seconds: float = 0.0) -> bool:
        """Write what could not be written while another program held the lock. False when something is left
        after so many seconds."""
        until = time.monotonic() + seconds
        return all(each.settle(max(0.0, until - time.monotonic())) for each in self._lasting)

    def leave(self) -> list[str]:
        """The end of the program: write what is left, waiting a little, and return the troubles."""
        if not self.settle(_LEAVING_SECONDS):
            for each in self._lasting:
                if not each.settle(0.0):
                    each.lost()
        return self.troubles()

    def troubles(self) -> list[str]:
        """What went wrong since this was last asked, a safe line each; each is told once."""
        told, self._troubles = self._troubles, []
        return told

    # bookmarks

    def bookmarks(self) -> tuple[Bookmark, ...]:
        """All bookmarks, oldest first."""
        lasting, passing = self._bookmarks
        return (*lasting.get(), *passing.get())

    def toggle(self, bookmark: Bookmark) -> bool:
        """Mark an event, or take its mark away, also that of an event it replaced. True when it is marked."""
        bookmark = msgspec.structs.replace(bookmark, words=visible(bookmark.words, _WORDS))
        place = bookmark.ledger, bookmark.seq
        marked = False

        def alter(every: tuple[Bookmark, ...]) -> tuple[Bookmark, ...]:
            nonlocal marked
            others = tuple(each for each in every if (each.ledger, each.seq) != place)
            same = any(each.digest == bookmark.digest for each in every if each not in others)
            marked = not same
            return others if same else (*others, bookmark)[-BOOKMARKS:]

        self._shelf(self._bookmarks, bookmark.ledger).change(alter)
        return marked

    def forget(self, bookmark: Bookmark) -> None:
        """Take a bookmark away, wherever its event has gone."""
        place = bookmark.ledger, bookmark.seq
        self._shelf(self._bookmarks, bookmark.ledger).change(
            lambda every: tuple(each for each in every if (each.ledger, each.seq) != place)
        )

    # places

    def spot(self, ledger: str, session: int | None = None) -> Spot | None:
        """Where a person was last in this ledger, or in this session of it."""
        every = self._shelf(self._spots, ledger).get()
        found = (each for each in reversed(every) if each.ledger == ledger)
        return next((each for each in found if session is None or each.session == session), None)

    def keep_spot(self, spot: Spot) -> None:
        """Remember a place, instead of the one before in its session."""
        place = spot.ledger, spot.session
        self._shelf(self._spots, spot.ledger).change(
            lambda every: (*(each for each in every if (each.ledger, each.session) != place), spot)[-SPOTS:]
        )

    # what was asked, and panes

    def history(self, purpose: str) -> tuple[str, ...]:
        """What was asked before for this purpose (`search`, `filter`, …), oldest first: foreign text."""
        return self._history.get().get(purpose, ())

    def add_to_history(self, purpose: str, words: str) -> None:
        """Remember what was asked; asked again, it becomes the newest. Empty words are not remembered."""
        words = _clean(words.strip())[:_PHRASE]
        if not words:
            return

        def alter(every: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
            phrases = (*(each for each in every.get(purpose, ()) if each != words), words)[-PHRASES:]
            others = {name: said for name, said in every.items() if name != purpose}
            return dict([*list(others.items())[1 - PURPOSES :], (purpose, phrases)])

        self._history.change(alter)

    def panes(self) -> dict[str, int]:
        """The sizes of panes, by name, in percent of the screen."""
        return dict(self._panes.get())

    def keep_pane(self, name: str, percent: int | None) -> None:
        """Remember the size of a pane, or forget it."""
        kept = {} if percent is None else {name: percent}
        self._panes.change(lambda every: {each: size for each, size in every.items() if each != name} | kept)

    def _shelf(self, pair: tuple[Shelf[_T], Shelf[_T]], ledger: str) -> Shelf[_T]:
        return pair[ledger.startswith("-:")]
