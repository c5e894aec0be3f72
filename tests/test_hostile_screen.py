"""The real program on a real terminal, over ledgers that attack: everything that it writes is read.

What may be written are the control sequences that an innocent ledger brings forth too, and characters that
can be seen. Nothing in a ledger ends the program, moves it, or writes to the clipboard."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest

from hostile import ATTACKS, got_through, more, rewound, write_hostile, write_hostile_names
from korg_tui.reading import Reading
from korg_tui.sources import FileSource
from korg_tui.views import Spine
from terminal import Terminal, Written, korg

ITS_OWN = {
    "C0 \\r", "C0 \\n",
    "CSI m", "CSI H",  # colours, and where to draw
    "CSI ?1049h", "CSI ?1049l", "CSI ?25h", "CSI ?25l", "CSI ?7h", "CSI ?7l",  # screen, cursor, wrap
    "CSI ?1000h", "CSI ?1000l", "CSI ?1003h", "CSI ?1003l", "CSI ?1006h", "CSI ?1006l", "CSI ?1015h",
    "CSI ?1015l",  # the mouse
    "CSI ?1004h", "CSI ?1004l", "CSI ?2004h", "CSI ?2004l", "CSI >25u", "CSI <u",  # focus, pasting, keys
    "CSI ?2026$p", "CSI ?2048$p",  # questions: whole frames, and sizes within the stream
    "OSC 22",  # the shape of the pointer
    "OSC 52",  # the clipboard
}  # fmt: skip
"""The forms of all that the program writes over an innocent ledger."""

QUIT = "[@click=app.quit]"
SESSION = 2
"""The session of the hostile ledger that has most events."""


def harmless(terminal: Terminal) -> Written:
    """Nothing was written but the program's own sequences and what can be seen."""
    raw = bytes(terminal.raw)
    written = Written(raw)
    assert written.forms.keys() <= ITS_OWN
    assert written.unseen == set()
    assert written.marks_in_a_row <= 2
    assert got_through(raw) == []
    places = (place.split(";") for place in written.forms["CSI H"] if place)
    assert all(int(y) <= terminal.screen.lines and int(x) <= terminal.screen.columns for y, x in places)
    assert len(written.forms["CSI ?1049h"]) == len(written.forms["CSI ?1049l"]) == 1
    assert "Traceback" not in terminal.text
    return written


def copied(written: Written) -> list[str]:
    """What was written to the clipboard: lines of what can be seen, and nothing else."""
    contents = written.forms.get("OSC 52", [])
    assert all(content.startswith("52;c;") for content in contents)
    raws = [base64.b64decode(content[5:], validate=True) for content in contents]
    for raw in raws:
        pasted = Written(raw)
        assert pasted.forms.keys() <= {"C0 \\n"}
        assert pasted.unseen == set()
        assert pasted.marks_in_a_row <= 2
        assert got_through(raw) == []
    return [raw.decode() for raw in raws]


def heading(terminal: Terminal) -> str:
    """The first line of the details. (Above the rows stand the crumbs and what is to be said of the row.)"""
    lines = terminal.lines
    if terminal.screen.columns >= 100:
        return re.split(r"[│●▪■◆▐≠] {2}", lines[2])[-1]
    rule = next((at for at, line in enumerate(lines) if re.fullmatch("─+|▀+", line)), -2)
    return lines[rule + 1].strip()


def read(path: Path) -> list[int]:
    """The seqs that the rows of the large session show, from above to below."""
    source = FileSource(path)
    try:
        (ledger,) = Reading.of(source).complete().journal.ledgers
        session = next(each for each in ledger.sessions if each.seq == SESSION)
        spine = Spine(ledger, session.index, source.read)
        return [spine.line(index).seq or 0 for index in range(len(spine))]
    finally:
        source.close()


class Walk:
    """A walk through the whole program, with a wait after every step."""

    def __init__(self, terminal: Terminal, ledger: Path) -> None:
        self.terminal = terminal
        self.ledger = ledger
        self.copied: list[str] = []

    def press(self, *keys: str, see: str = "", miss: str = "") -> None:
        self.terminal.press(*keys)
        if see:
            self.terminal.see(see)
        if miss:
            self.terminal.miss(miss)

    def at(self, seq: int) -> None:
        """Wait until the details tell of this event."""
        begin = f"{seq} "
        self.terminal.wait(lambda: heading(self.terminal).startswith(begin), f"the details of {seq}")

    def goto(self, seq: int) -> None:
        self.answer(":", "go to seq", str(seq))
        self.terminal.wait(lambda: f"› {seq} " in self.terminal.lines[0], f"{seq} in the crumbs")

    def settle(self) -> None:
        """Wait until every key before has done its work."""
        self.press("?", see="commands here")
        self.press("escape", miss="commands here")

    def counted(self, what: str) -> None:
        """Wait until everything was looked at: while it is not, `escape` stops that, and no more."""
        self.terminal.wait(lambda: re.search(rf"{what}: [\d,]+ of", self.terminal.text), f"all of {what}")

    def asks(self, label: str, words: str = "") -> bool:
        """Whether the line that asks for something is there, with these words in it."""
        return any(line.startswith(f" {label} {words}") for line in self.terminal.lines)

    def ask(self, key: str, label: str, words: str) -> None:
        self.press(key)
        self.terminal.wait(lambda: self.asks(label), f"the question {label}")
        self.terminal.send(words)
        self.terminal.wait(lambda: self.asks(label, words[:20]), f"{words} in the question {label}")

    def answer(self, key: str, label: str, words: str) -> None:
        self.ask(key, label, words)
        self.press("enter")
        self.terminal.wait(lambda: not self.asks(label), f"an end of the question {label}")

    # the walk

    def sessions(self) -> None:
        self.terminal.see("56 sessions", "sorted by activity")
        self.press("space", "space", "G", "k", "T", "g")
        self.answer("/", "show sessions with", "[/")
        self.terminal.see("only with “[/”")
        self.press("escape", miss="only with")
        self.press("s", see="sorted by size")
        self.press("g", "enter", see=f"› session {SESSION}")
        self.terminal.see("FOLLOW")

    def rows(self, seqs: list[int], stride: int) -> None:
        self.press("g", see="PAUSED")
        self.at(seqs[0])
        for seq in seqs[stride::stride]:
            self.terminal.press(*"j" * stride)
            self.at(seq)
        for key in ("pageup", "k", "g"):
            self.press(key)
        self.at(seqs[0])

    def steps(self) -> None:
        for key in "ccp[]{}eeEdDhlzzz<>><<TT":
            self.press(key)
        self.press("backspace", "backspace")
        self.goto(15)
        self.goto(17)

    def details(self, seq: int) -> None:
        self.goto(seq)
        self.press("tab")
        self.settle()
        self.press(*"GkgGjj", "pageup", "pagedown")
        self.press("tab")
        self.goto(seq)
        self.press("enter")
        self.settle()
        self.press("G", "escape")
        self.settle()
        self.goto(seq)

    def finding(self) -> None:
        self.press("g")
        self.answer("/", "search", "pwned")
        self.terminal.see("hits for “pwned”")
        self.press("n", "n", "N")
        self.settle()
        self.terminal.see("hits for “pwned” (")
        self.press("escape", miss="for “pwned”")
        self.answer("f", "filter", "is:failed")
        self.counted("filter “is:failed”")
        self.press("G", "k", "g")
        self.settle()
        self.counted("filter “is:failed”")
        self.press("escape", miss="filter “")
        self.ask("f", "filter", "is:[@click=app.quit]")
        self.press("enter", see="“is:[@click=…” is not known")
        self.press("escape")
        self.terminal.wait(lambda: not self.asks("filter"), "an end of the question filter")
        self.answer(":", "go to seq", "[/")
        self.terminal.see("is no seq")

    def examined(self) -> None:
        self.press("!", see="findings › of")
        self.terminal.see("looked at")
        self.press("n", "n", "n", "tab", "G", "g", "tab", "G", "N", see="enter: go to")
        self.press("enter", miss="findings › of")
        self.press("escape", see="findings › of")
        self.press("g", "n", see="enter: go to")
        self.press("enter", miss="findings › of")
        self.press("backspace", see="findings › of")
        self.press("escape", miss="findings › of")

    def preview(self) -> None:
        self.goto(15)
        self.press("r", see="Keep ≤ 15")
        self.press("j", "j", "w", "k", "s", "s", "down", see="Keep ≤ 16")
        self.press("tab")
        self.settle()
        self.press("G", "g", "escape")
        self.settle()
        self.press("escape", miss="Keep ≤")
        self.goto(40)
        self.press("R", see="Keep ≤ 28")
        self.press("w", "w", "escape", miss="Keep ≤")

    def asking(self) -> None:
        self.press("?", see="commands here")
        self.answer("/", "search the help", "rewind")
        self.press("escape", see="commands here")
        self.press("escape", miss="commands here")
        self.press("ctrl+p", see="Search for commands")
        self.press("escape", miss="Search for commands")

    def copying(self, seq: int) -> None:
        self.goto(seq)
        self.press("y", see=f"korg://local/event/{seq} sent")
        self.copied.append(f"korg://local/event/{seq}")

    def clicking(self, seq: int) -> None:
        """Click on what looks like a link that quits, in the row of this event."""
        row = re.compile(rf"\s*{seq} .*{re.escape(QUIT[:3])}")
        self.terminal.wait(
            lambda: any(map(row.match, self.terminal.lines)), f"such a link in the row of {seq}"
        )
        y, found = next(
            (y, found) for y, line in enumerate(self.terminal.lines) if (found := row.match(line))
        )
        self.terminal.click(found.end() - 2, y)
        self.terminal.wait(lambda: f"› {seq} " in self.terminal.lines[0], f"{seq} in the crumbs")

    def growing(self) -> None:
        self.press("F", see="FOLLOW")
        with self.ledger.open("ab") as file:
            file.write(more(1000, SESSION))
        self.at(1000 + len(ATTACKS) - 1)
        self.press("k", see="PAUSED")
        with self.ledger.open("ab") as file:
            file.write(more(2000, SESSION))
        self.terminal.see("PAUSED +")
        self.press("pageup", "pageup", "G", see="FOLLOW")

    def rewinding(self) -> None:
        """Somebody rewinds the ledger while it is open."""
        new = self.ledger.with_suffix(".tmp")
        new.write_bytes(rewound(self.ledger.read_bytes(), 300))
        new.replace(self.ledger)
        self.terminal.see("rewound to 300 by [@click=app.quit]")
        y, notice = next((y, line) for y, line in enumerate(self.terminal.lines) if "rewound to 300" in line)
        self.terminal.click(notice.index(QUIT) + 2, y)
        self.goto(300)
        self.press("tab")
        self.settle()
        self.press("G", "g", "escape")
        self.settle()

    def losing(self) -> None:
        self.ledger.unlink()
        self.terminal.see("gone since")
        self.ledger.write_bytes(b"")
        self.press("escape", see="ledgers and sessions")

    def leaving(self) -> None:
        self.press("q")
        assert self.terminal.end() == 0


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return write_hostile(tmp_path)


def test_a_walk_through_a_hostile_ledger(tmp_path: Path, ledger: Path) -> None:
    with Terminal(korg(ledger.name), home=tmp_path, size=(80, 24)) as terminal:
        walk = Walk(terminal, ledger)
        walk.sessions()
        walk.rows(read(ledger), stride=17)
        walk.steps()
        walk.details(43)
        walk.details(25)
        walk.finding()
        walk.examined()
        walk.preview()
        walk.asking()
        walk.copying(29)
        walk.goto(342)
        walk.clicking(343)
        walk.growing()
        walk.rewinding()
        walk.losing()
        walk.leaving()
        assert copied(harmless(terminal)) == walk.copied


def test_a_walk_on_a_wide_terminal(tmp_path: Path, ledger: Path) -> None:
    with Terminal(korg(ledger.name), home=tmp_path, size=(120, 40)) as terminal:
        walk = Walk(terminal, ledger)
        walk.sessions()
        walk.rows(read(ledger), stride=101)
        walk.rewinding()
        terminal.resize(130, 45)
        walk.copying(40)
        walk.leaving()
        assert copied(harmless(terminal)) == walk.copied


def innocent(raw: bytes) -> bytes:
    """A ledger of the same size and shape in which every byte that could act is an `x`."""
    plain = re.sub(rb"\\u[0-9a-f]{4}", b"xxxxxx", raw)
    return re.sub(rb"[^\n -~]", b"x", plain)


def test_what_may_be_written_is_what_an_innocent_ledger_brings_forth(tmp_path: Path, ledger: Path) -> None:
    ledger.write_bytes(innocent(ledger.read_bytes()))
    with Terminal(korg(ledger.name), home=tmp_path) as terminal:
        walk = Walk(terminal, ledger)
        walk.sessions()
        walk.finding()
        walk.copying(29)
        walk.leaving()
        assert Written(bytes(terminal.raw)).forms.keys() == ITS_OWN


NAME = "\x1b[2J\x1b]52;c;cHduZWQ=\x07\x9b66;6H\u202e[@click=app.quit][b +\u2028\x7f\n"
SEEN = "␛[2J␛]52;c;"


def test_hostile_names(tmp_path: Path) -> None:
    folder = tmp_path / NAME
    names = write_hostile_names(folder)
    with Terminal(korg(folder, tmp_path / f"{NAME} to come"), home=tmp_path, size=(120, 40)) as terminal:
        terminal.see(f"{len(names)} sessions in {len(names) + 1} ledgers", "waiting")
        terminal.press("G", "space", "g", "/")
        terminal.see("show sessions with")
        terminal.send("[@click")
        terminal.see("only with “[@click”")
        terminal.press("enter")
        terminal.miss("show sessions with")
        terminal.press("s", "s", "T", "G", "enter")
        terminal.see("› session 1")
        terminal.press("y")
        terminal.see("korg://local/event/3 sent")
        terminal.press("r", "y")
        terminal.see("the report rewind preview of ", " sent to the terminal's clipboard")
        terminal.press("escape", "escape")
        terminal.see("ledgers and sessions")
        terminal.press("q")
        assert terminal.end() == 0
        address, report = copied(harmless(terminal))
        assert address == "korg://local/event/3"
        assert report.startswith("rewind preview of ")
        assert SEEN in report.splitlines()[0]
        assert report.splitlines()[1].startswith("Keep ≤ 3 · 0 invalid · ")


def test_a_ledger_with_a_hostile_name_that_comes_goes_and_comes_back(tmp_path: Path, ledger: Path) -> None:
    there = tmp_path / NAME
    with Terminal(korg(NAME), home=tmp_path, size=(160, 24)) as terminal:
        terminal.see("waiting", SEEN)
        there.write_bytes(ledger.read_bytes())
        terminal.see("56 sessions")
        there.unlink()
        terminal.see("gone", SEEN)
        there.write_bytes(ledger.read_bytes())
        terminal.miss("gone")
        terminal.press("q")
        assert terminal.end() == 0
        harmless(terminal)


def test_places_with_hostile_names_in_which_nothing_was_found(tmp_path: Path) -> None:
    with Terminal(korg(), home=tmp_path, more={"KORG_HOME": str(tmp_path / NAME)}) as terminal:
        terminal.see("No ledger found")
        terminal.wait(lambda: SEEN in terminal.flat, "the name of the place")
        terminal.press("q")
        assert terminal.end() == 0
        harmless(terminal)


def test_what_is_no_ledger(tmp_path: Path) -> None:
    readme = tmp_path / NAME
    readme.write_text("no ledger: \x1b[2J \x9b66;6H [/\n")
    with Terminal(korg(readme), home=tmp_path) as terminal:
        assert terminal.end() == 3
        written = Written(bytes(terminal.raw))
        assert written.forms.keys() == {"C0 \\r", "C0 \\n"}
        assert written.unseen == set()
        assert SEEN in terminal.flat


def test_text_that_is_pasted(tmp_path: Path, ledger: Path) -> None:
    """A person copies text from elsewhere and searches for it. (Terminals let no C0 control through.)"""
    with Terminal(korg(ledger.name), home=tmp_path) as terminal:
        walk = Walk(terminal, ledger)
        terminal.see("56 sessions")
        text = "pasted " + NAME.replace("\x1b", "").replace("\x07", "")
        for key, label in (("/", "show sessions with"), ("f", "filter"), ("/", "search"), (":", "go to seq")):
            if label == "filter":
                terminal.press("escape", "enter")
                terminal.see("› session")
            terminal.press(key)
            terminal.wait(lambda label=label: walk.asks(label), label)
            terminal.send(f"\x1b[200~{text}\x1b[201~")
            terminal.wait(lambda label=label: walk.asks(label, "pasted"), label)
            terminal.press("escape")
            terminal.wait(lambda label=label: not walk.asks(label), label)
        terminal.press("ctrl+p")
        terminal.see("Search for commands")
        terminal.send(f"\x1b[200~{text}\x1b[201~")
        terminal.see("pasted")
        terminal.press("escape")
        terminal.miss("pasted")
        terminal.press("q")
        assert terminal.end() == 0
        harmless(terminal)
