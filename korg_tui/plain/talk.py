"""Talk: what a person types, and what is answered. No input and no output of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import tzinfo

from korg_tui.causal import Change, Ledger, Rewound, Vanished
from korg_tui.commands import DEFAULT, Keymap, Place
from korg_tui.plain.session import PlainSession
from korg_tui.plain.telling import session_sentence
from korg_tui.reading import Reading
from korg_tui.text import visible
from korg_tui.views import (
    SessionRow,
    TrustMarks,
    Watch,
    broken_guests,
    event_words,
    nobody_watches,
    plural,
    rewound_words,
    session_rows,
    sort_sessions,
)

Lines = Iterator[str]
Tell = Callable[[str], None]

MORE = 20
"""New events that are told one by one; further ones of the same moment are counted."""

_WORDS = {
    "next": "down", "previous": "up", "prev": "up", "first": "first", "last": "last", "page": "page-down",
    "parent": "parent", "child": "child", "sibling": "sibling-after", "lane": "lane-after",
    "details": "details", "here": "here", "where": "here", "rewind": "rewind", "before": "rewind-before",
    "why": "why", "search": "search", "filter": "filter", "failures": "failures",
    "failure": "error-after", "dead": "dead", "sessions": "sessions", "open": "open", "follow": "follow",
    "go": "goto", "hit": "hit-after", "raw": "raw", "findings": "findings", "help": "help",
    "quit": "quit", "exit": "quit", "back": "leave",
}  # fmt: skip
"""What can be typed → the command, by its id in the table where that has it."""

_HELP = (
    "sessions: list the sessions; open N: open one of them",
    "next, previous, first, last, page: step through the events",
    "parent, child, sibling, lane: step along causes and lanes",
    "a number, or go N: go to that event; here: tell it again",
    "details: all that is known of the event; raw: its record as it is",
    "failures, dead: list what failed, or whose cause is missing; failure: go to the next one",
    "search WORDS: find events, as in search tool:Bash is:failed; hit: the next one",
    "filter WORDS: only events that fit; filter alone: all of them",
    "rewind N, before N: what a rewind to N, or to before it, would carry away; nothing is rewound",
    "why N: why that rewind drops N; without a rewind, what led to N",
    "findings: what holds of this ledger, what does not, and where: its chain, its blobs, the checks",
    "follow: tell of new events as they come; again, or follow off: do not",
    "quit: quit",
)


class Talk:
    """The readings, the session that is open, and the answers to commands."""

    def __init__(
        self,
        readings: Sequence[Reading],
        clock: Callable[[], int],
        *,
        keymap: Keymap = DEFAULT,
        zone: tzinfo | None = None,
        watched: Watch = nobody_watches,
    ) -> None:
        self.readings = readings
        self.clock = clock
        self.keymap = keymap
        self.zone = zone
        self.watched = watched
        """What is known of the chains."""
        self.session: PlainSession | None = None
        self.following = True
        self.asked = False
        """Whether the person has said whether to follow: the first time, to follow is to go on."""
        self.over = False
        """Whether the person has quit."""
        self.wrong = 0
        """Commands that were not understood."""
        self._listed: list[tuple[Reading, SessionRow]] = []

    # answering

    def answer(self, line: str) -> Lines:
        """The answer to one line."""
        words = line.strip()
        identity, rest = self._meant(words)
        if identity is None:
            self.wrong += 1
            return iter([f"“{visible(words, 40)}” is no command: help lists them"])
        return self._give(identity, rest)

    def _meant(self, words: str) -> tuple[str | None, str]:
        """The command, and what follows it. A key of the screen does here what it does there."""
        if not words:
            return "details", ""
        head, _, rest = words.partition(" ")
        if head[0] in "/:" and len(head) > 1:
            head, rest = head[0], words[1:]
        elif event_words(words) is not None:
            return "goto", words
        elif head.lower() in _WORDS and len(head) > 1:
            return _WORDS[head.lower()], rest.strip()
        entry = self.keymap.for_key(head, Place.SESSION)
        return (None, "") if entry is None else (entry.id, rest.strip())

    def _give(self, identity: str, rest: str) -> Lines:
        match identity:
            case "quit":
                self.over = True
                return iter(())
            case "help":
                return iter(_HELP)
            case "sessions":
                return self.list_sessions()
            case "leave":
                self.session = None
                return self.list_sessions()
            case "open":
                return self.open(rest)
            case "follow":
                self.following = rest != "off" and (rest == "on" or not self.following or not self.asked)
                self.asked = True
                told = "new events are told as they come" if self.following else "new events are not told"
                return iter([told])
        if self.session is None:
            return iter(["no session is open: 'sessions' lists them, 'open 1' opens the first"])
        return self._in_session(self.session, identity, rest)

    def _in_session(self, here: PlainSession, identity: str, rest: str) -> Lines:
        plain: dict[str, Callable[[], Lines]] = {
            "down": lambda: here.step(1),
            "up": lambda: here.step(-1),
            "page-down": lambda: here.page(1),
            "page-up": lambda: here.page(-1),
            "first": lambda: here.edge(0),
            "last": lambda: here.edge(-1),
            "here": here.here,
            "parent": here.parent,
            "child": here.child,
            "sibling-after": lambda: here.sibling(1),
            "sibling-before": lambda: here.sibling(-1),
            "lane-after": lambda: here.lane(1),
            "lane-before": lambda: here.lane(-1),
            "error-after": lambda: here.failure(1),
            "error-before": lambda: here.failure(-1),
            "dead-after": lambda: here.dead_pointer(1),
            "dead-before": lambda: here.dead_pointer(-1),
            "hit-after": lambda: here.hit(1),
            "hit-before": lambda: here.hit(-1),
            "failures": here.failures,
            "dead": here.dead_pointers,
            "details": here.details,
            "raw": here.raw,
            "goto": lambda: here.goto(rest),
            "search": lambda: here.search(rest),
            "filter": lambda: here.filter(rest),
            "rewind": lambda: here.preview(rest, before=False),
            "rewind-before": lambda: here.preview(rest, before=True),
            "why": lambda: here.why(rest),
            "findings": here.findings,
        }
        if identity in plain:
            return plain[identity]()
        self.wrong += 1
        return iter([f"“{visible(self.keymap.command(identity).label, 40)}” is for the screen only"])

    # sessions

    def sessions(self) -> list[tuple[Reading, SessionRow]]:
        """All sessions, newest activity first."""
        owners: dict[str, Reading] = {}
        rows: list[SessionRow] = []
        for reading in self.readings:
            for ledger in reading.journal.ledgers:
                if ledger.host is None:
                    marks = TrustMarks(ledger, self.watched(ledger), broken_guests(reading, self.watched))
                    found = session_rows(ledger, trusted=marks)
                    rows += found
                    owners.update((row.ledger, reading) for row in found)
        return [(owners[row.ledger], row) for row in sort_sessions(rows, "activity")]

    def list_sessions(self) -> Lines:
        """The sessions with the numbers that `open` takes."""
        self._listed = self.sessions()
        yield plural(len(self._listed), "session")
        for number, (_, row) in enumerate(self._listed, 1):
            yield session_sentence(number, row, self.clock())

    def open(self, text: str) -> Lines:
        """Open a session by its number in the list."""
        listed = self._listed or self.sessions()
        if not text.isdigit() or not 1 <= int(text) <= len(listed):
            self.wrong += 1
            yield f"open takes the number of a session, 1 to {len(listed)}: 'sessions' lists them"
            return
        reading, row = listed[int(text) - 1]
        ledger = self._ledger(reading, row.ledger)
        if ledger is None:
            yield "this session is gone"
            return
        index = row.index if row.index >= 0 else None
        self.session = PlainSession(reading, ledger, index, self.zone, self.watched)
        yield from self.session.title()
        yield from self.session.here()

    def _ledger(self, reading: Reading, name: str) -> Ledger | None:
        return next((each for each in reading.journal.ledgers if each.name == name), None)

    def begin(self) -> Lines:
        """What is told first: the only session, or the list of all of them."""
        listed = self.sessions()
        if len(listed) == 1:
            yield from self.open("1")
        else:
            yield from self.list_sessions()
        yield "help lists the commands"

    # what comes in

    def looked(self, tell: Tell) -> None:
        """More is known of the chains: it is told, if it is of the session that is open, and other news than
        that so much more fits."""
        if self.session is not None and self.session.chain_is_news():
            tell(self.session.chain())

    def changed(self, reading: Reading, changes: Sequence[Change], tell: Tell) -> None:
        """Something came: it is told, if it is of the session that is open and is followed."""
        here = self.session
        if here is None or reading is not here.reading:
            return
        mine = [change for change in changes if change.ledger is here.ledger]
        for change in mine:
            if isinstance(change, Rewound):
                tell(visible(rewound_words(reading, change)))
            elif isinstance(change, Vanished):
                tell(f"{visible(here.ledger.name)} is no more in its source")
        if mine:
            here.grown(tell if self.following else _nothing, MORE)


def _nothing(_: str) -> None:
    """New events are not told."""
