"""On a slow line every byte is waited for: a key costs one full repaint at most, and small steps cost little.

At 9600 baud a line carries 960 bytes a second. What a full repaint of 80x24 takes is measured: it is what the
screen writes when it is drawn anew as a whole."""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

import pytest
from pyte.screens import Char

from stage import story
from terminal import Terminal, korg

pytestmark = pytest.mark.slow

SIZE = (80, 24)
PIECES = 130
"""A row is written in pieces, of which some have the same style: so many hundredths of what is necessary."""
QUIET = 0.4
"""Seconds without a byte after which the screen is taken for drawn."""
SMALL = 0.5
"""What keys may cost of a full repaint, one with the other."""


class Line(Terminal):
    """A terminal that counts what comes over its line."""

    coloured = True

    def rest(self) -> int:
        """Read until nothing comes any more; the number of bytes since the last rest."""
        while True:
            try:
                if not self.read(time.monotonic() + QUIET):
                    break
            except TimeoutError:
                if not self._works():
                    break
        came, self._counted = len(self.raw) - getattr(self, "_counted", 0), len(self.raw)
        return came

    def _works(self) -> bool:
        """Whether the program is silent only because it waits for a core."""
        return Path(f"/proc/{self.program.pid}/stat").read_text().rpartition(") ")[2].startswith("R")

    def cost(self, *keys: str) -> int:
        """Bytes that these keys bring. Before, the line is at rest."""
        self.press(*keys)
        return self.rest()

    def repaint(self) -> int:
        """Bytes that it takes to draw what is on the screen now: each run of cells with its style."""
        self.lines  # noqa: B018 - what came is drawn
        return PIECES * sum(_row(self.screen.buffer[y], SIZE[0]) for y in range(SIZE[1])) // 100


def _row(cells: Mapping[int, Char], width: int) -> int:
    runs = [
        (style, "".join(cell.data for cell in run))
        for style, run in groupby((cells[x] for x in range(width)), key=lambda cell: cell._replace(data=""))
    ]
    return len("\x1b[24;1H") + sum(len(_style(style)) + len(text.encode()) for style, text in runs)


def _style(cell: Char) -> str:
    """A style as it is written, and its end."""
    flags = [number for name, number in _FLAGS.items() if getattr(cell, name)]
    colours = [(which, colour) for which, colour in ((38, cell.fg), (48, cell.bg)) if colour != "default"]
    grounds = [f"{which};2;{';'.join(map(str, bytes.fromhex(colour)))}" for which, colour in colours]
    return "\x1b[" + ";".join([*map(str, flags), *grounds]) + "m\x1b[0m"


_FLAGS = {"bold": 1, "italics": 3, "underscore": 4, "reverse": 7, "strikethrough": 9}


SITUATIONS: dict[str, tuple[str, str]] = {
    "a session": (
        "",
        "j j k down up pagedown pageup G g j p c p ] [ { } backspace e E d D h l z z z < > T T F g n N w "
        "tab j j tab enter k escape m m y y r escape",
    ),
    "a preview": ("g e r", "j j k down down up s s w j w e R tab j tab"),
    "the numbers": ("S", "j j k pagedown j j s tab j"),
    "a timeline": ("t", "g j j k + - s e"),
    "effects": ("g e v", "j j k tab j tab"),
    "findings": ("!", "j j k n tab j tab"),
    "the help": ("?", "j j k pagedown pageup G g"),
    "bookmarks": ("m '", "j k"),
    "an export": ("x", "j j k l l h"),
}
"""Where, the keys that lead there from a session, and keys that are pressed there."""


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "story.jsonl"
    path.write_bytes(story().nested())
    return path


@pytest.mark.parametrize("where", SITUATIONS)
def test_a_key_costs_one_full_repaint_at_most(tmp_path: Path, ledger: Path, where: str) -> None:
    lead, pressed = SITUATIONS[where]
    with Line(korg(ledger.name), home=tmp_path, size=SIZE, more={"COLORTERM": ""}) as line:
        line.see("3 sessions")
        line.press("G", "enter")
        line.see("FOLLOW")
        line.rest()
        for key in lead.split():
            line.press(key)
            line.rest()
        full = line.repaint()
        costs = [(key, line.cost(key)) for key in pressed.split()]
        assert full > SIZE[0] * SIZE[1] // 2
        assert [f"{key}: {cost:,} of {full:,} bytes" for key, cost in costs if cost > full] == []
        assert sum(cost for _, cost in costs) / len(costs) < full * SMALL
