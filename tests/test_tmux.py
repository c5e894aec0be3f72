"""The README's first five minutes with real keys in a real terminal: tmux, at two sizes."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from builders import WORKED_EXAMPLE, table
from keywalk import WALKS, ledger
from korg_tui.commands import COMMANDS, DEFAULT

pytestmark = pytest.mark.slow

PATIENCE = 30
NAMES = {
    "pagedown": "NPage", "pageup": "PPage", "home": "Home", "end": "End", "up": "Up", "down": "Down",
    "left": "Left", "right": "Right", "space": "Space", "enter": "Enter", "escape": "Escape", "tab": "Tab",
    "backspace": "BSpace", "delete": "DC", "ctrl+c": "C-c", "ctrl+p": "C-p", "⏎": "Enter", "⎋": "Escape",
    "⌫": "C-u",
}  # fmt: skip
"""Keys of the command table, and those of a question, as tmux calls them."""
_STYLE = re.compile(r"\x1b\[[0-9;:]*m")


@dataclass
class Tmux:
    """One program in a tmux server of its own."""

    socket: str
    folder: Path
    """Where the program runs: what it writes unasked for a place lies there."""

    def run(self, *words: str) -> str:
        command = ["tmux", "-f", "/dev/null", "-L", self.socket, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout

    def start(self, columns: int, rows: int, *words: str, more: str = "") -> None:
        program = shlex.join([sys.executable, "-m", "korg_tui", *words])
        clean = f"env -u COLUMNS -u LINES TERM=xterm-256color {more}"
        shell = f"{clean} {program}; echo LEFT WITH $?; sleep 60"
        self.run("new-session", "-d", "-c", str(self.folder), "-x", str(columns), "-y", str(rows), shell)

    def keys(self, *keys: str) -> None:
        self.run("send-keys", *keys)

    def press(self, key: str) -> None:
        """A key of the command table, or what is typed into a question."""
        for part in [key] if key in NAMES else re.findall(r"[⏎⎋⌫]|[^⏎⎋⌫]+", key):
            if part in NAMES:
                self.keys(NAMES[part])
            else:
                # By number: tmux takes a semicolon for itself.
                self.keys("-H", *(f"{ord(character):x}" for character in part))

    def styled(self) -> list[str]:
        """The lines of the screen with their looks."""
        return self.run("capture-pane", "-e", "-p").split("\n")

    def at_rest(self) -> list[str]:
        """The screen once it stays as it is: a frame may be half drawn."""
        end, seen = time.monotonic() + PATIENCE, [self.styled()]
        while len(seen) < 3 or any(each != seen[-1] for each in seen[-3:]):
            assert time.monotonic() < end, f"never at rest:\n{self.screen()}"
            time.sleep(0.04)
            seen.append(self.styled())
        return seen[-1]

    def until_changed(self, before: list[str], pattern: str, pressed: str) -> None:
        """Wait until a line that has changed since shows this."""
        end = time.monotonic() + PATIENCE
        while True:
            lines = zip(before, self.styled(), strict=True)
            if any(was != now and re.search(pattern, _STYLE.sub("", now)) for was, now in lines):
                return
            assert time.monotonic() < end, f"{pressed}: never saw {pattern!r}:\n{self.screen()}"
            time.sleep(0.03)

    def screen(self) -> str:
        return self.run("capture-pane", "-p")

    def until_gone(self, words: str) -> None:
        """Wait until this does not stand on the screen any more."""
        end = time.monotonic() + PATIENCE
        while words in (screen := self.screen()):
            assert time.monotonic() < end, f"{words!r} stays:\n{screen}"
            time.sleep(0.05)

    def until(self, pattern: str) -> str:
        """The screen as soon as it shows this; fails with the last one if it never does."""
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, screen := self.screen(), re.MULTILINE):
            assert time.monotonic() < end, f"never saw {pattern!r}:\n{screen}"
            time.sleep(0.05)
        return screen


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    assert shutil.which("tmux"), "these tests need tmux"
    here = tmp_path / "here"
    here.mkdir()
    server = Tmux(f"korg-{os.getpid()}-{tmp_path.name}", here)
    yield server
    subprocess.run(["tmux", "-L", server.socket, "kill-server"], capture_output=True, check=False)


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40)])
def test_the_first_five_minutes(tmux: Tmux, columns: int, rows: int) -> None:
    tmux.start(columns, rows, "--demo")
    tmux.until("tests/test_invoice")
    tmux.keys("Enter")
    tmux.until("FOLLOW .* 1 failed")
    tmux.keys("e")
    tmux.until(r"› 44 Bash")
    tmux.keys("p")
    tmux.until(r"› 43 llm_inference")
    tmux.keys("BSpace")
    tmux.until(r"› 44 Bash")
    tmux.keys("R")
    screen = tmux.until(r"Keep ≤ 43 ")
    assert re.search(r"44 .*╳.*Bash", screen)
    assert "undoing nothing on disk" in re.sub(r"\s+", " ", screen)
    tmux.keys("w")
    tmux.until("44 followed from 43")
    tmux.keys("Escape")
    tmux.until_gone("44 followed from 43")
    tmux.keys("Escape")
    tmux.until_gone("Keep ≤")
    tmux.keys("q")
    tmux.until("LEFT WITH 0")


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40)])
def test_a_ledger_is_followed_through_growth_loss_and_return(
    tmux: Tmux, tmp_path: Path, columns: int, rows: int
) -> None:
    path = tmp_path / "live.jsonl"
    tmux.start(columns, rows, str(path))
    tmux.until("waiting")
    lines = table(WORKED_EXAMPLE).nested().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]))
    tmux.until("4 events")
    with path.open("ab") as ledger:
        ledger.write(b"".join(lines[4:]))
    tmux.until("7 events")
    path.rename(tmp_path / "away")
    tmux.until("gone since .*; waiting for it to come back")
    (tmp_path / "away").rename(path)
    tmux.until("back since .* 7 events")
    os.truncate(path, len(b"".join(lines[:5])))
    tmux.until("rewound to 5: 2 dropped")
    tmux.keys("a")
    tmux.until("back since .* 5 events")
    tmux.keys("q")
    tmux.until("LEFT WITH 0")


def test_every_key_of_the_command_table_is_walked_over() -> None:
    pressed = {
        (entry.id, key)
        for walk in WALKS.values()
        for place, rows in walk
        for key, _ in rows
        if (entry := DEFAULT.for_key(key, place)) is not None
    }
    every = {(entry.id, key) for entry in COMMANDS for key in entry.keys}
    assert every - pressed == {("quit", "q"), ("suspend", "ctrl+z")}


@pytest.mark.parametrize("walk", WALKS)
def test_every_key_does_what_is_said_of_it(tmux: Tmux, tmp_path: Path, walk: str) -> None:
    home = shlex.quote(str(tmp_path))
    more = f"HOME={home} XDG_STATE_HOME={home}/state XDG_CONFIG_HOME={home} TZ=UTC PAGER=cat EDITOR=cat"
    tmux.start(80, 24, str(ledger(tmp_path)), more=more)
    tmux.until("5 sessions in 1 ledger .* live")
    tmux.until("enter open .* s sort")
    for place, rows in WALKS[walk]:
        for key, seen in rows:
            before = tmux.at_rest()
            tmux.press(key)
            tmux.until_changed(before, seen, f"{key} in {place.value}")
