"""A walk over every key of the command table: where, which key, and what is seen then at 80x24.

A row is (key, what is seen): a pattern that a line has to match which the key has changed, in text or in
looks. A key of several characters that is no name is typed into a question; `⏎` ends it, `⎋` leaves it, `⌫`
empties it. Each walk begins at the list of sessions over `ledger()`."""

from __future__ import annotations

from pathlib import Path

from builders import ref
from korg_tui.commands import Place
from stage import story

Walk = tuple[tuple[Place, tuple[tuple[str, str], ...]], ...]


def at(seq: int) -> str:
    """The crumbs end with this event."""
    return rf" › {seq} \w+"


TOP, STORY = "▸.* Fetch the disk", "▸.* The date parser"
FOOTER = "enter details .* r rewind"
LISTED = "enter open .* s sort"

_LISTS: Walk = (
    (Place.LEDGERS, (
        ("j", "▸.* Read the rep"), ("k", TOP), ("down", "▸.* Read the rep"), ("up", TOP), ("pagedown", STORY),
        ("pageup", TOP), ("space", STORY), ("g", TOP), ("G", STORY), ("home", TOP), ("end", STORY),
        (";", "type the letters of a row"), ("a", TOP), ("T", "UTC"), ("a", "there is no notice"),
        ("y", "sent to the terminal"), ("d", "a ledger is open"), ("s", "sorted by size"),
        ("/", "show sessions with"), ("clerk⏎", "No session has “clerk”"), ("/", "ctrl[+]u empty it"),
        ("⌫⏎", LISTED), ("?", "^ help › "),
    )),
    (Place.HELP, (
        ("j", "next row"), ("k", "^ Move"), ("down", "next row"), ("up", "^ Move"), ("pagedown", "G end"),
        ("pageup", "j ↓"), ("space", "G end"), ("G", "Configuration"), ("g", "^ Move"),
        ("end", "Configuration"), ("home", "^ Move"), ("/", "search the help"), ("fold⏎", "esc back"),
        ("escape", "commands here"), ("escape", LISTED),
    )),
    (Place.LEDGERS, (
        ("ctrl+p", "Search for commands"), ("⎋", "▸"), ("ctrl+c", "ctrl[+]c again quits"),
        ("f", "list the events that fit"), ("is:failed⏎", "2 events fit"),
    )),
    (Place.EVENTS, (
        ("j", "The date parser"), ("k", "Read the report"), ("f", "list the events"), ("⎋", "enter open  f"),
        ("x", "export › "), ("⎋", "2 events fit"), ("escape", LISTED),
    )),
    (Place.LEDGERS, (
        ("S", "› numbers"), ("⎋", LISTED), ("x", "export › "), ("⎋", LISTED), ("'", "bookmarks"),
        ("⎋", LISTED), ("C", "with what"), ("⏎", "left: session"),
    )),
    (Place.COMPARE, (
        ("n", "difference 2 of"), ("]", "difference 3 of"), ("N", "difference 2 of"),
        ("[", "difference 1 of"), ("n", "difference 2 of"),
        ("u", "= 0 · "), ("f", "f: all rows"), ("f", "› row"), ("h", "▸ left"),
        ("l", "▸ right"), ("left", "▸ left"), ("right", "▸ right"), ("s", "left: session"),
        ("tab", "tab rows"), ("tab", "n difference"), ("enter", FOOTER),
    )),
)  # fmt: skip

_SESSION: Walk = (
    (Place.LEDGERS, (("G", STORY), ("enter", at(20)))),
    (Place.SESSION, (
        ("g", at(1)), ("j", at(2)), ("k", at(1)), ("down", at(2)), ("up", at(1)), ("pagedown", at(13)),
        ("space", at(20)), ("pageup", at(8)), ("home", at(1)), ("end", at(20)), (":", "go to seq"),
        ("4⏎", at(4)), ("p", at(2)), ("c", at(3)), ("]", at(4)), ("[", at(3)), ("}", at(4)), ("{", at(3)),
        ("backspace", at(4)), ("P", "2 events fit"), ("⎋", at(4)), ("O", at(1)), ("e", at(3)), ("G", at(20)),
        ("E", at(3)), ("/", "search"), ("pytest⏎", "2 hits"), ("n", at(18)), ("N", at(3)),
        ("w", "3 followed from 2"), ("f", "tool: agent:"), ("is:failed⏎", "filter"), ("f", "empty it"),
        ("⌫⏎", "Which callers"), (":", "go to seq"), ("8⏎", at(8)), ("h", "1 event"), ("l", "Grep"),
        ("left", "1 event"), ("right", "Grep"), ("z", "sub-lanes folded"), ("z", "and rounds folded"),
        ("z", "nothing folded"), ("+", "the details have 45 %"), ("-", "the details have 40 %"),
        ("=", "their usual room"), (">", "scrolled 8"), ("<", "Which callers pass a"), ("b", "bell"),
        ("F", "FOLLOW"), ("T", "UTC"), ("a", "no notice"), ("y", "sent to the terminal"), ("x", "export › "),
    )),
    (Place.EXPORT, (
        ("j", "format"), ("k", "what"), ("right", "the whole ledger"), ("left", "this session"),
        ("l", "the whole ledger"), ("h", "this session"), ("space", "the whole ledger"),
        ("enter", "this session"), ("G", "write it"), ("g", "what"), ("end", "write it"), ("home", "what"),
        ("x", "story-session-1.json"), ("⎋", FOOTER),
    )),
    (Place.SESSION, (
        ("enter", "enter open  esc back"), ("⎋", FOOTER), ("tab", "enter open  esc back"), ("tab", FOOTER),
        (";", "type the letters"), ("⎋", FOOTER), ("g", at(1)), ("v", "effects › of 1 "),
    )),
    (Place.EFFECTS, (
        ("j", "why 3 Bash"), ("k", "why 2 llm"), ("tab", "tab rows"), ("tab", "tab next pane"),
        ("enter", at(2)),
    )),
    (Place.SESSION, (("!", "findings › of"),)),
    (Place.FINDINGS, (
        ("n", "› dead pointers › 22"), ("g", "› chain"), ("]", "› dead pointers › 22"), ("g", "› chain"),
        ("N", "› 7.6 › 22"), ("g", "› chain"), ("[", "› 7.6 › 22"), ("n", "› dead pointers › 22"),
        ("enter", at(22)),
    )),
    (Place.SESSION, (("backspace", "› dead pointers › 22"),)),
    (Place.FINDINGS, (("escape", at(2)),)),
    (Place.SESSION, (("m", "marked 2"), ("'", "1 bookmark"))),
    (Place.BOOKMARKS, (("m", "2 is not marked any more"), ("⎋", FOOTER))),
    (Place.SESSION, (("m", "marked 2"), ("'", "1 bookmark"))),
    (Place.BOOKMARKS, (("delete", "2 is not marked any more"), ("⎋", FOOTER))),
    (Place.SESSION, (("m", "marked 2"), ("g", at(1)), ("'", "1 bookmark"))),
    (Place.BOOKMARKS, (("enter", at(2)),)),
)  # fmt: skip

_REWIND: Walk = (
    (Place.LEDGERS, (("G", STORY), ("enter", at(20)))),
    (Place.SESSION, (
        (":", "go to seq"), ("16⏎", at(16)), ("R", "Keep ≤ 5"), ("⎋", FOOTER), ("r", "Keep ≤ 16"),
    )),
    (Place.PREVIEW, (
        ("j", at(17)), ("k", at(16)), ("down", "Keep ≤ 17"), ("up", "Keep ≤ 16"), ("G", at(20)),
        ("w", "it read 17|followed from"), ("s", "Truncate to"), ("s", "Keep ≤ 16"),
        ("escape", "commands|FOLLOW|PAUSED"), ("escape", FOOTER),
    )),
    (Place.SESSION, (("S", "› numbers"),)),
    (Place.STATS, (
        ("s", "sorted by calls"), ("w", "of this whole ledger"), ("tab", "numbers › tools"),
        ("g", "numbers › in all"), ("G", "numbers › files written"), ("escape", FOOTER),
    )),
    (Place.SESSION, (("t", "› timeline"),)),
    (Place.TIMELINE, (
        ("g", at(1)), ("j", at(2)), ("k", at(1)), ("+", "zoomed to 50 %"), ("=", "zoomed to 25 %"),
        ("-", "zoomed to 50 %"), ("l", "lanes in time"), ("h", "lanes in time"), ("right", "lanes in time"),
        ("left", "lanes in time"), (">", "lanes in time"), ("<", "lanes in time"), ("z", "lanes in time"),
        ("s", at(15)), ("e", at(3)), ("}", at(4)), ("{", at(3)), ("E", "this is the only failure"),
        ("F", "FOLLOW"), ("enter", FOOTER),
    )),
)  # fmt: skip

_READER: Walk = (
    (Place.LEDGERS, (("j", "▸.* Read the rep"), ("enter", at(28)))),
    (Place.SESSION, (
        ("k", at(27)), ("i", "no blob here is too big"), ("o", "run cat "), ("⎋", "^ {40,}│$"),
        ("B", " 1 line 1 of the report"),
    )),
    (Place.READER, (
        ("j", "lines 2 to"), ("k", "lines 1 to"), ("G", "line 199 of"), ("g", "lines 1 to"),
        ("pagedown", "lines 1[0-9] to"), ("pageup", "lines 1 to"), (":", "go to line"), ("9⏎", "esc back"),
        ("/", "^ find"), ("report⏎", "hit 1 of 199"), ("n", "hit 2 of 199"), ("N", "hit 1 of 199"),
        ("w", "go on to the right"), (">", "not wrapped"), ("<", " 2 line 2"), ("v", "· hex"),
        ("v", "· text"), ("y", "sent to the terminal"), ("o", "run cat "), ("⎋", "line 20 of"),
        ("i", "no blob here is too big"),
        ("escape", FOOTER),
    )),
    (Place.SESSION, (("escape", LISTED),)),
    (Place.LEDGERS, (("end", STORY), ("k", "▸.* begins with Write"), ("enter", at(22)))),
    (Place.SESSION, (("d", "the only dead pointer"), ("y", "sent to"), ("D", "the only dead pointer"))),
)  # fmt: skip

WALKS: dict[str, Walk] = {"lists": _LISTS, "session": _SESSION, "rewind": _REWIND, "reader": _READER}


def ledger(folder: Path) -> Path:
    """The story, and sessions with what it lacks: a blob of many lines, and a row too long for 80 columns."""
    book = story()
    report = "".join(f"line {n} of the report{', which goes on' * 8 * (n == 2)}\n" for n in range(1, 200))
    ask = book.prompt("Read the report.", by="human:dawn")
    book.tool("Read", ask, args={"file_path": "report.md"}, result=ref(report))
    run = {"command": "make all and " + "then some more and " * 8}
    book.tool("Bash", ask, args=run, success=False, result={"stdout": "no"})
    book.tool("Read", book.prompt("Fetch the disk.", by="human:dawn"), args={"file_path": "disk.img"})
    path = folder / "story.jsonl"
    path.write_bytes(book.nested())
    sha = ref(report)["_ref"].removeprefix("sha256:")
    blob = folder / "blobs" / sha[:2] / sha
    blob.parent.mkdir(parents=True)
    blob.write_text(report)
    return path
