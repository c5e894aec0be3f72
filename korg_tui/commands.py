"""The command table: what a person can do, with which key, where, and when not.

One table feeds the key bindings, the footer, the help, the command palette and the README. A screen
carries a command out in the method `do_<id>` (dashes become underscores).
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from textual.binding import Binding


class Place(enum.Enum):
    """Where a command can be given."""

    LEDGERS = "ledgers and sessions"
    SESSION = "session"
    PREVIEW = "rewind preview"
    EVENTS = "list of events"
    HELP = "help"


@dataclass(frozen=True, slots=True)
class Situation:
    """What the rules of the table may ask about the screen that is open."""

    place: Place = Place.SESSION
    rows: int = 0
    on_event: bool = False
    """The cursor stands on an agent event of the current generation."""
    on_row: bool = False
    has_parent: bool = False
    in_details: bool = False
    """The details have the keys."""
    names_path: bool = False
    """The event under the cursor names a file or folder, or is too long to be asked at once."""
    on_dropped: bool = False
    searched: bool = False
    hits: int = 0
    failures: int = 0
    dead_pointers: int = 0
    live: bool = False
    trail: int = 0
    nothing_found: bool = False
    notices: int = 0
    """What happened to a ledger, and was not marked as seen."""
    gone: int = 0
    """Events that rewinds under the reader dropped, and that are kept."""


Rule = Callable[[Situation], str]
"""Why a command cannot be given now, in words; empty when it can."""


@dataclass(frozen=True, slots=True)
class Command:
    """One row of the table. `keys` are key names as a person types them, the first one is shown."""

    id: str
    keys: tuple[str, ...]
    label: str
    help: str
    places: frozenset[Place]
    group: str
    rule: Rule

    @property
    def method(self) -> str:
        """The name of the screen's method that carries it out."""
        return "do_" + self.id.replace("-", "_")


def _always(_: Situation) -> str:
    return ""


def _rows(now: Situation) -> str:
    return "" if now.rows else "there are no rows"


def _row(now: Situation) -> str:
    return "" if now.on_row else "no row is selected"


def _event(now: Situation) -> str:
    return "" if now.on_event else "only an agent event has causes and effects"


def _parent(now: Situation) -> str:
    return "" if now.has_parent else "this row has no parent in the ledger"


def _rewindable(now: Situation) -> str:
    return "" if now.on_event else "a rewind goes to an agent event; this row is none"


def _before(now: Situation) -> str:
    return _rewindable(now) or (
        "" if now.has_parent else "nothing lies before it: it has no parent in the ledger"
    )


def _dropped(now: Situation) -> str:
    return "" if now.on_dropped else "the rewind does not drop this row"


def _path(now: Situation) -> str:
    return "" if now.names_path else "this event names no path"


def _hits(now: Situation) -> str:
    if not now.searched:
        return "nothing was searched for: / begins a search"
    return "" if now.hits else "the search found nothing"


def _failures(now: Situation) -> str:
    return "" if now.failures else "nothing failed in this session"


def _dead(now: Situation) -> str:
    return "" if now.dead_pointers else "this session has no dead pointers"


def _followable(now: Situation) -> str:
    return "" if now.live else "the source has ended: nothing new will come"


def _trail(now: Situation) -> str:
    return "" if now.trail else "there is no earlier place"


def _notices(now: Situation) -> str:
    if now.notices or now.gone:
        return ""
    return "there is no notice" if now.place is Place.LEDGERS else "there is no notice, and nothing dropped"


def _demo(now: Situation) -> str:
    return "" if now.nothing_found else "a ledger is open: korg-tui --demo plays it in another terminal"


_EVERYWHERE = frozenset(Place)
_LETTERS = {"L": Place.LEDGERS, "S": Place.SESSION, "P": Place.PREVIEW, "E": Place.EVENTS, "H": Place.HELP}


def _group(group: str, *rows: tuple[str, str, str, str, str, Rule]) -> tuple[Command, ...]:
    """Rows are (id, keys, places, label, help, rule)."""
    return tuple(
        Command(
            id=identity,
            keys=tuple(keys.split()),
            label=label,
            help=text,
            places=frozenset(_LETTERS[letter] for letter in places),
            group=group,
            rule=rule,
        )
        for identity, keys, places, label, text, rule in rows
    )


COMMANDS: tuple[Command, ...] = (
    *_group(
        "Move",
        ("down", "j down", "LSEH", "down", "next row", _always),
        ("up", "k up", "LSEH", "up", "previous row", _always),
        ("look-down", "j", "P", "look down", "look at the next row; the rewind stays", _always),
        ("look-up", "k", "P", "look up", "look at the previous row; the rewind stays", _always),
        ("page-down", "pagedown space", "LSPEH", "page", "a page down", _always),
        ("page-up", "pageup", "LSPEH", "page up", "a page up", _always),
        ("first", "g home", "LSPEH", "first", "first row", _always),
        ("last", "G end", "LSPEH", "last", "last row; on a live source, follow again", _always),
    ),
    *_group(
        "Causes",
        ("parent", "p", "SP", "parent", "the event that led to this one", _parent),
        ("child", "c", "SP", "child", "the first event that this one led to", _event),
        ("sibling-before", "[", "SP", "sibling up", "previous event with the same parent", _parent),
        ("sibling-after", "]", "SP", "sibling", "next event with the same parent", _parent),
        ("lane-before", "{", "SP", "lane up", "previous event in this lane", _event),
        ("lane-after", "}", "SP", "lane", "next event in this lane", _event),
    ),
    *_group(
        "Rewind",
        ("rewind", "r", "SP", "rewind to", "preview a rewind to this row", _rewindable),
        (
            "rewind-before",
            "R",
            "SP",
            "before it",
            "preview a rewind to before this row: to its parent",
            _before,
        ),
        ("keep-more", "down", "P", "move N", "rewind to the next event instead", _always),
        ("keep-less", "up", "P", "move N up", "rewind to the previous event instead", _always),
        ("why", "w", "P", "why", "why the rewind drops this row, edge by edge", _dropped),
        ("scope", "s", "P", "scope", "what depends on it (§3), or all that is later (truncation)", _always),
    ),
    *_group(
        "Find",
        ("error-after", "e", "SP", "failure", "next failed call", _failures),
        ("error-before", "E", "SP", "failure up", "previous failed call", _failures),
        ("dead-after", "d", "SP", "dead", "next dead pointer", _dead),
        ("dead-before", "D", "SP", "dead up", "previous dead pointer", _dead),
        ("search", "/", "SP", "search", "find words, mark every hit", _always),
        ("hit-after", "n", "SP", "hit", "next hit", _hits),
        ("hit-before", "N", "SP", "hit up", "previous hit", _hits),
        ("filter", "f", "S", "filter", "show only rows that fit, and dimmed what led to them", _always),
        ("touched", "P", "SP", "path", "who touched this path, in all sessions", _path),
        ("goto", ":", "SP", "go to", "go to a seq: type its number", _always),
        ("back", "backspace", "SP", "back", "back to where the last jump began", _trail),
    ),
    *_group(
        "Shape",
        ("details", "enter", "SP", "details", "read the details of this row", _row),
        ("pane", "tab", "SP", "next pane", "move the keys to the next pane", _always),
        ("fold", "h left", "SP", "fold", "fold this lane, or go to its opener", _rows),
        ("unfold", "l right", "SP", "unfold", "unfold this row", _rows),
        ("fold-level", "z", "SP", "fold level", "fold everything a level further, then unfold", _rows),
        ("shift-left", "<", "SP", "left", "scroll the rows back to the left", _always),
        ("shift-right", ">", "SP", "right", "scroll the rows to the right", _always),
    ),
    *_group(
        "Live",
        ("follow", "F", "SP", "follow", "go to the end and stay there while the ledger grows", _followable),
        ("time", "T", "LSPE", "time", "local time or UTC", _always),
        (
            "seen",
            "a",
            "LSP",
            "seen",
            "put the notice away; again: dismiss what a rewind has dropped",
            _notices,
        ),
        ("copy", "y", "SP", "copy", "copy the address; again: seq, path, command, blob, JSON", _event),
    ),
    *_group(
        "Ledgers",
        ("open", "enter", "L", "open", "open the session under the cursor", _rows),
        ("sort", "s", "L", "sort", "sort by activity, size, failures, start", _rows),
        ("narrow", "/", "LH", "filter", "show only what has these words", _always),
        ("list-events", "f", "LE", "events", "list the events that fit a filter, in all sessions", _always),
        ("open-event", "enter", "E", "open", "open the session at this event", _rows),
        ("demo", "d", "L", "demo", "play the recorded demo session", _demo),
    ),
    *_group(
        "Program",
        ("leave", "escape", "LSPEH", "back", "one level back", _always),
        ("help", "?", "LSPE", "help", "all keys, searchable", _always),
        ("palette", "ctrl+p", "LSPE", "palette", "all commands by name", _always),
        ("quit", "q", "LSPEH", "quit", "quit", _always),
        (
            "interrupt",
            "ctrl+c",
            "LSPEH",
            "copy or quit",
            "copy the selection; else ask once, then quit",
            _always,
        ),
        ("suspend", "ctrl+z", "LSPEH", "suspend", "put the program into the background", _always),
    ),
)
"""Every command, in the order in which help and README list them."""

FOOTER: dict[Place, tuple[str, ...]] = {
    Place.LEDGERS: ("open", "sort", "narrow", "list-events", "demo", "help", "quit"),
    Place.SESSION: (
        "details", "rewind", "rewind-before", "parent", "error-after", "search", "filter", "follow",
        "fold-level", "goto", "touched", "back", "help", "quit",
    ),
    Place.PREVIEW: (
        "keep-more", "look-down", "why", "scope", "leave", "rewind-before", "details", "parent",
        "error-after", "help", "quit",
    ),
    Place.EVENTS: ("open-event", "list-events", "leave", "time", "help", "quit"),
    Place.HELP: ("leave", "narrow", "quit"),
}  # fmt: skip
"""What the footer offers, most needed first; what does not fit is left to the help."""

_BY_ID = {command.id: command for command in COMMANDS}

DIGITS = "0123456789"
"""A digit begins `goto`, with itself already typed."""

_SHOWN = {
    "escape": "esc", "pagedown": "pgdn", "pageup": "pgup", "down": "↓", "up": "↑", "left": "←", "right": "→",
    "backspace": "bksp",
}  # fmt: skip


def command(identity: str) -> Command:
    """The command of this id. Raises KeyError when there is none."""
    return _BY_ID[identity]


def at(place: Place) -> Iterator[Command]:
    """The commands of a place, in table order."""
    return (entry for entry in COMMANDS if place in entry.places)


def reason(identity: str, now: Situation) -> str:
    """Why this command cannot be given in this situation; empty when it can."""
    entry = command(identity)
    if now.place not in entry.places:
        return f"only in {_where(entry)}"
    return entry.rule(now)


def _where(entry: Command) -> str:
    if Place.SESSION in entry.places:
        return "a session"
    if Place.PREVIEW in entry.places:
        return "the rewind preview"
    return "the list of sessions" if Place.LEDGERS in entry.places else "the list of events"


def shown(key: str) -> str:
    """A key as help, footer and README write it."""
    return _SHOWN.get(key, key)


def keys_of(entry: Command) -> str:
    """All keys of a command, as help writes them."""
    keys = " ".join(shown(key) for key in entry.keys)
    return f"{keys} 0-9" if entry.id == "goto" else keys


def for_key(key: str, place: Place) -> Command | None:
    """What a key of the table does in a place; None when it does nothing there."""
    if key in DIGITS:
        key = ":"
    return next((entry for entry in at(place) if key in entry.keys), None)


def bindings(*places: Place) -> list[Binding | tuple[str, str] | tuple[str, str, str]]:
    """Textual bindings of all keys of these places: each calls the action `press(key)`.

    They have priority: such a key acts before the next one is looked at, however fast keys come."""
    keys = dict.fromkeys(key for place in places for entry in at(place) for key in entry.keys)
    if ":" in keys:
        keys |= dict.fromkeys(DIGITS)
    return [Binding(key, f"press({key!r})", show=False, priority=True) for key in keys]


def key_table() -> str:
    """The keys as a Markdown table, for the README."""
    lines = ["| keys | what | where |", "|---|---|---|"]
    for entry in COMMANDS:
        keys = " ".join(f"`{part}`" for part in keys_of(entry).split(" "))
        where = (
            "everywhere"
            if entry.places == _EVERYWHERE
            else ", ".join(place.value for place in Place if place in entry.places)
        )
        lines.append(f"| {keys} | {entry.help} | {where} |")
    return "\n".join(lines)
