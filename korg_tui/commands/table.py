"""The command table: what a person can do, with which key, where, and when not.

One table feeds the key bindings, the footer, the help, the command palette and the README. A screen
carries a command out in the method `do_<id>` (dashes become underscores).
"""

from __future__ import annotations

from dataclasses import dataclass

from korg_tui.commands import rules
from korg_tui.commands.place import Place
from korg_tui.commands.rules import Rule


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


_LETTERS = {"L": Place.LEDGERS, "S": Place.SESSION, "P": Place.PREVIEW, "E": Place.EVENTS, "H": Place.HELP,
            "B": Place.BOOKMARKS, "X": Place.EXPORT, "R": Place.READER,
            "V": Place.EFFECTS, "T": Place.TIMELINE, "A": Place.STATS, "C": Place.COMPARE,
            "F": Place.FINDINGS}  # fmt: skip


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
        ("down", "j down", "LSEHBXRTVACF", "down", "next row", rules.always),
        ("up", "k up", "LSEHBXRTVACF", "up", "previous row", rules.always),
        ("look-down", "j", "P", "look down", "look at the next row; the rewind stays", rules.always),
        ("look-up", "k", "P", "look up", "look at the previous row; the rewind stays", rules.always),
        ("page-down", "pagedown space", "LSPEHBRTVACF", "page", "a page down", rules.always),
        ("page-up", "pageup", "LSPEHBRTVACF", "page up", "a page up", rules.always),
        ("first", "g home", "LSPEHBRTVXACF", "first", "first row", rules.always),
        ("last", "G end", "LSPEHBRTVXACF", "last", "last row; on a live source, follow again", rules.always),
        ("labels", ";", "LSPEB", "labels", "a letter beside each row: type it to go there", rules.rows),
    ),
    *_group(
        "Causes",
        ("parent", "p", "SP", "parent", "the event that led to this one", rules.parent),
        ("child", "c", "SP", "child", "the first event that this one led to", rules.event),
        ("sibling-before", "[", "SP", "sibling up", "previous event with the same parent", rules.parent),
        ("sibling-after", "]", "SP", "sibling", "next event with the same parent", rules.parent),
        ("lane-before", "{", "SPT", "lane up", "previous event in this lane", rules.event),
        ("lane-after", "}", "SPT", "lane", "next event in this lane", rules.event),
        ("origin", "O", "SP", "origin", "what it all began with: where its causes end", rules.parent),
        ("effects", "v", "SP", "effects", "effects: all that this event carries away", rules.event),
    ),
    *_group(
        "Rewind",
        ("rewind", "r", "SP", "rewind to", "preview a rewind to this row", rules.rewindable),
        (
            "rewind-before",
            "R",
            "SP",
            "before it",
            "preview a rewind to before this row: to its parent",
            rules.before,
        ),
        ("keep-more", "down", "P", "keep more", "rewind to the next event instead", rules.always),
        ("keep-less", "up", "P", "keep less", "rewind to the previous event instead", rules.always),
        ("why", "w", "SP", "why", "why it came, edge by edge; in a preview, why it is dropped", rules.why),
        ("scope", "s", "P", "scope", "drop what depends on it, or all that is later", rules.always),
    ),
    *_group(
        "Find",
        ("error-after", "e", "SPT", "failure", "next failed call", rules.failures),
        ("error-before", "E", "SPT", "failure up", "previous failed call", rules.failures),
        ("dead-after", "d", "SP", "dead", "next dead pointer", rules.dead),
        ("dead-before", "D", "SP", "dead up", "previous dead pointer", rules.dead),
        ("search", "/", "SP", "search", "find words, mark every hit", rules.always),
        ("hit-after", "n", "SP", "hit", "next hit", rules.hits),
        ("hit-before", "N", "SP", "hit up", "previous hit", rules.hits),
        ("filter", "f", "S", "filter", "show only rows that fit, and dimmed what led to them", rules.always),
        ("touched", "P", "SP", "path", "who touched this path, in all sessions", rules.path),
        ("goto", ":", "SP", "go to", "go to a seq: type it", rules.always),
        ("back", "backspace", "SP", "jump back", "back to where the last jump began", rules.trail),
    ),
    *_group(
        "Shape",
        ("details", "enter", "SP", "details", "read the details; there: follow or open the line", rules.row),
        ("pane", "tab", "SPVCF", "next pane", "move the keys to the next pane", rules.always),
        ("fold", "h left", "SP", "fold", "fold this lane, or go to its opener", rules.rows),
        ("unfold", "l right", "SP", "unfold", "unfold this row", rules.rows),
        ("fold-level", "z", "SP", "fold level", "fold everything a level further, then unfold", rules.rows),
        ("shift-left", "<", "SPR", "left", "scroll the rows back to the left", rules.always),
        ("shift-right", ">", "SPR", "right", "scroll the rows to the right", rules.always),
        ("larger", "+", "SP", "larger", "more room for the details", rules.always),
        ("smaller", "-", "SP", "smaller", "less room for the details", rules.always),
        ("even", "=", "SP", "even", "the details have their usual room again", rules.always),
    ),
    *_group(
        "Read",
        ("read-whole", "B", "SP", "reader", "reader: the blob or long value of this event, whole", rules.row),
        ("outside", "o", "SPR", "open", "open the blob in $PAGER, a file in $EDITOR; asks", rules.openable),
        ("ask-blob", "i", "SPR", "fetch", "fetch or verify what is too big to do so unasked", rules.asks),
        ("goto-line", ":", "R", "go to", "go to a line: type its number", rules.always),
        ("view-as", "v", "R", "view", "text, JSON laid out, picture, or hex", rules.forms),
        ("wrap", "w", "R", "wrap", "wrap long lines, or let them go on to the right", rules.rows),
        ("seek", "/", "R", "find", "find words; bytes in hex", rules.rows),
        ("seek-after", "n", "R", "next", "next place that has the words", rules.hits),
        ("seek-before", "N", "R", "previous", "previous place that has the words", rules.hits),
        ("copy-content", "y", "R", "copy", "copy the text; again: its digest, or its place", rules.always),
    ),
    *_group(
        "Live",
        ("follow", "F", "SPT", "follow", "go to the end, and stay there while it grows", rules.followable),
        ("time", "T", "LSPETA", "time", "local time or UTC", rules.always),
        ("bell", "b", "SP", "bell", "a bell when a call fails while you follow: on or off", rules.always),
        (
            "seen",
            "a",
            "LSPTAC",
            "seen",
            "put the notice away; again: dismiss what a rewind has dropped",
            rules.notices,
        ),
    ),
    *_group(
        "Keep",
        ("copy", "y", "LSPEF", "copy", "copy the address; again: what else it has", rules.copyable),
        ("export", "x", "LSPE", "export", "export: write it into a file, in many formats", rules.exportable),
        ("bookmark", "m", "SP", "bookmark", "bookmark: mark this row, or take its mark away", rules.row),
        ("bookmarks", "'", "LSPE", "bookmarks", "bookmarks: list them, and go to one", rules.always),
        ("open-bookmark", "enter", "B", "go there", "open the session at this bookmark", rules.rows),
        ("forget-bookmark", "m delete", "B", "forget", "take this bookmark away", rules.rows),
        ("export-write", "x", "X", "write", "write the file", rules.idle),
        ("export-choose", "enter", "X", "choose", "the next choice; on the last line: write", rules.idle),
        ("export-next", "right l space", "X", "other", "the next choice of this line", rules.idle),
        ("export-before", "left h", "X", "before", "the choice before", rules.idle),
    ),
    *_group(
        "Time",
        ("timeline", "t", "S", "timeline", "timeline: lanes, rows, slowest calls against time", rules.rows),
        ("zoom-in", "+ =", "T", "nearer", "show less of the time, larger", rules.rows),
        ("zoom-out", "-", "T", "farther", "show more of the time", rules.zoomed),
        ("zoom-whole", "z", "T", "all", "show all of the time", rules.zoomed),
        ("earlier", "h left <", "T", "earlier", "move what is seen to earlier times", rules.zoomed),
        ("later", "l right >", "T", "later", "move what is seen to later times", rules.zoomed),
        ("slow-after", "s", "T", "slowest", "the slowest call, then the next slower ones", rules.slow),
    ),
    *_group(
        "Numbers",
        ("stats", "S", "LS", "numbers", "numbers: calls, failures, time and tokens, counted", rules.rows),
        ("stats-sort", "s", "A", "sort", "sort by time, calls, failed, mean … tokens, name", rules.rows),
        ("stats-scope", "w", "A", "of what", "of this session, its ledger, or all ledgers", rules.always),
        ("next-table", "tab", "A", "next table", "the next table", rules.rows),
    ),
    *_group(
        "Compare",
        ("compare", "C", "LS", "compare", "compare: another session, or before a rewind", rules.comparable),
        ("difference-after", "n ]", "C", "difference", "next difference", rules.differences),
        ("difference-before", "N [", "C", "difference up", "previous difference", rules.differences),
        ("compare-only", "f", "C", "only these", "only the differences, or all rows", rules.compared),
        ("compare-side", "h l left right", "C", "other side", "open those of the other side", rules.compared),
        ("compare-swap", "s", "C", "swap", "swap left and right", rules.compared),
        ("compare-again", "u", "C", "again", "compare again, with what came since", rules.compared),
    ),
    *_group(
        "Trust",
        ("findings", "!", "LSP", "findings", "findings: what holds of this ledger, what not", rules.always),
        ("open-finding", "enter", "F", "open", "go to its event or line; list more; fold", rules.rows),
        ("finding-after", "n ]", "F", "finding", "next finding", rules.findings),
        ("finding-before", "N [", "F", "finding up", "previous finding", rules.findings),
    ),
    *_group(
        "Ledgers",
        ("open", "enter", "L", "open", "open the session under the cursor", rules.rows),
        ("sort", "s", "L", "sort", "sort by activity, size, failures, start", rules.rows),
        ("demo", "d", "L", "demo", "play the recorded demo session", rules.demo),
    ),
    *_group(
        "Lists",
        ("narrow", "/", "LHC", "filter", "show only what has these words", rules.listed),
        ("list-events", "f", "LE", "events", "events: what fits a filter, in all sessions", rules.always),
        ("open-event", "enter", "ETVAC", "open", "open the session at this event", rules.rows),
    ),
    *_group(
        "Program",
        ("leave", "escape", "LSPEHBXRTVACF", "back", "one level back", rules.always),
        ("help", "?", "LSPEBXRTVACF", "help", "all keys, searchable", rules.always),
        ("palette", "ctrl+p", "LSPEBXRTVACF", "palette", "all commands by name", rules.always),
        ("quit", "q", "LSPEHBXRTVACF", "quit", "quit", rules.always),
        (
            "interrupt",
            "ctrl+c",
            "LSPEHBXRTVACF",
            "copy or quit",
            "copy the selection; else ask once, then quit",
            rules.always,
        ),
        (
            "suspend",
            "ctrl+z",
            "LSPEHBXRTVACF",
            "suspend",
            "put the program into the background",
            rules.always,
        ),
    ),
)
"""Every command, in the order in which help and README list them."""

FOOTER: dict[Place, tuple[str, ...]] = {
    Place.LEDGERS: (
        "open", "sort", "narrow", "list-events", "demo", "stats", "compare", "findings", "help", "quit",
    ),
    Place.SESSION: (
        "details", "rewind", "rewind-before", "parent", "error-after", "search", "filter", "why", "effects",
        "follow",
        "fold-level", "goto", "touched", "timeline", "findings", "stats", "compare", "back", "bookmark",
        "copy", "export", "leave", "help", "quit",
    ),
    Place.PREVIEW: (
        "keep-more", "look-down", "why", "scope", "leave", "rewind-before", "details", "parent",
        "error-after", "help", "quit",
    ),
    Place.EVENTS: ("open-event", "list-events", "leave", "time", "help", "quit"),
    Place.EFFECTS: ("open-event", "pane", "leave", "help", "quit"),
    Place.FINDINGS: ("open-finding", "finding-after", "pane", "leave", "copy", "help", "quit"),
    Place.HELP: ("leave", "narrow", "quit"),
    Place.TIMELINE: (
        "open-event", "zoom-in", "zoom-out", "slow-after", "error-after", "later", "lane-after", "leave",
        "follow", "time", "help", "quit",
    ),
    Place.STATS: ("open-event", "stats-sort", "stats-scope", "next-table", "leave", "help", "quit"),
    Place.COMPARE: (
        "open-event", "difference-after", "compare-only", "compare-side", "pane", "compare-swap", "leave",
        "compare-again", "help", "quit",
    ),
    Place.BOOKMARKS: ("open-bookmark", "forget-bookmark", "leave", "help", "quit"),
    Place.EXPORT: ("export-write", "export-choose", "export-next", "leave", "help", "quit"),
    Place.READER: (
        "seek", "view-as", "leave", "wrap", "ask-blob", "outside", "seek-after", "goto-line", "help", "quit",
    ),
}  # fmt: skip
"""What the footer offers, most needed first; what does not fit is left to the help."""
