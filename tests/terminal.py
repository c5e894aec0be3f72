"""A real pseudo-terminal with a program in it, and a strict reading of what the program writes to it.

with Terminal(korg("sessions", "ledger.jsonl"), home=tmp_path) as terminal:
    assert terminal.end() == 0
    assert Written(terminal.raw).forms.keys() <= {"CSI m", "C0 \\r", "C0 \\n"}

Nothing here sleeps: whoever waits, waits for bytes, until a condition holds or `DEADLINE` is over.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import pyte

DEADLINE = 30.0
"""Seconds after which waiting for anything is a failure."""

KEYS = {
    "enter": "\r", "tab": "\t", "backspace": "\x7f", "space": " ", "up": "\x1b[A", "down": "\x1b[B",
    "right": "\x1b[C", "left": "\x1b[D", "end": "\x1b[F", "home": "\x1b[H", "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~", "ctrl+c": "\x03", "ctrl+p": "\x10", "escape": "\x1b[27u",
}  # fmt: skip
"""What a terminal sends for a key that has a name. Escape is sent as the protocol has it that the screen asks
for, since a bare ESC is a key only when nothing comes after it for a while."""


def korg(*words: str | Path) -> list[str]:
    """The command that runs the program itself."""
    return [sys.executable, "-m", "korg_tui", *map(str, words)]


def environment(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment in which nothing but the arguments says which ledger to open, and a terminal that can
    show everything."""
    kept = ("PATH", "PYTHONPATH", "SYSTEMROOT", "TMPDIR")
    given = {name: os.environ[name] for name in kept if name in os.environ}
    state = {"HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "TZ": "UTC"}
    shown = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}
    return {**given, **state, **shown, **(more or {})}


# The first program of a session has to ask for the terminal, or it gets no signal from it.
_WITH_A_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""

# Most of what is written, and nothing of it is in `lines`: drawing it takes longer than all the rest.
_COLOURS = re.compile(rb"\x1b\[[0-9;]*m")


class Terminal:
    """A terminal of a fixed size. What is written to it is in `raw`, and on `lines` as it looks."""

    coloured = False
    """Whether the cells of `screen` have their colours, too, which takes twice as long."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        home: Path,
        size: tuple[int, int] = (80, 24),
        more: Mapping[str, str] | None = None,
    ) -> None:
        self.raw = bytearray()
        self.screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self.screen)
        self._drawn = 0
        self._home = home
        self._master, slave = pty.openpty()
        self._set_size(size)
        try:
            self.program = subprocess.Popen(
                [sys.executable, "-S", "-E", "-c", _WITH_A_TERMINAL, *command],
                stdin=slave,
                stdout=slave,
                stderr=slave,
                cwd=home,
                env=environment(home, more),
                start_new_session=True,
            )
        except BaseException:
            os.close(self._master)
            raise
        finally:
            os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.program.poll() is None:
            self.program.kill()
        self.program.wait(DEADLINE)
        os.close(self._master)

    def _set_size(self, size: tuple[int, int]) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))

    # what a person does

    def press(self, *keys: str) -> None:
        """Press keys, by their name or as characters."""
        self.send("".join(KEYS.get(key, key) for key in keys))

    def send(self, text: str) -> None:
        """Send this as it is."""
        os.write(self._master, text.encode())

    def click(self, x: int, y: int) -> None:
        """Click on a cell, counted from 0."""
        self.send(f"\x1b[<0;{x + 1};{y + 1}M\x1b[<0;{x + 1};{y + 1}m")

    def resize(self, columns: int, rows: int) -> None:
        """Make the window larger or smaller."""
        self.lines  # noqa: B018 - what came before was drawn in the old size
        self.screen.resize(rows, columns)
        self._set_size((columns, rows))

    # what a person sees

    @property
    def lines(self) -> list[str]:
        """The rows of the screen as they look now."""
        if self._drawn < len(self.raw):
            new = bytes(self.raw[self._drawn :])
            self._stream.feed(new if self.coloured else _COLOURS.sub(b"", new))
            self._drawn = len(self.raw)
        cells, columns = self.screen.buffer, range(self.screen.columns)
        return ["".join(cells[y][x].data for x in columns) for y in range(self.screen.lines)]

    @property
    def text(self) -> str:
        """The whole screen, row below row."""
        return "\n".join(self.lines)

    @property
    def flat(self) -> str:
        """The whole screen without the ends of its rows, for what is longer than one."""
        return "".join(line.strip() for line in self.lines)

    def read(self, until: float) -> bool:
        """Take in what the program writes next. False when it has ended and everything is read.

        Raises TimeoutError when it writes nothing until then (monotonic seconds)."""
        before = len(self.raw)
        while self._is_ready(0.0 if len(self.raw) > before else until - time.monotonic()):
            try:
                got = os.read(self._master, 1 << 16)
            except OSError:  # as Linux says that nobody has the other end open any more
                got = b""
            self.raw += got
            if not got:
                return False
        if len(self.raw) == before:
            raise TimeoutError
        return True

    def _is_ready(self, seconds: float) -> bool:
        return bool(select.select([self._master], [], [], max(0.0, seconds))[0])

    def wait(self, holds: Callable[[], object], what: str) -> None:
        """Read until a condition holds. Raises AssertionError when it does not within `DEADLINE` seconds, or
        when the program ends before."""
        until = time.monotonic() + DEADLINE
        while not holds():
            try:
                alive = self.read(until)
            except TimeoutError:
                raise AssertionError(f"waited {DEADLINE} s for {what}, and saw\n{self._seen()}") from None
            if not alive and not holds():
                code = self.program.wait(DEADLINE)
                raise AssertionError(f"ended with {code} before {what}, and left\n{self._seen()}")

    def see(self, *words: str) -> None:
        """Wait until all these words stand on the screen."""
        self.wait(lambda: all(word in self.text for word in words), f"{words} on the screen")

    def miss(self, *words: str) -> None:
        """Wait until none of these words stands on the screen any more."""
        self.wait(lambda: not any(word in self.text for word in words), f"no {words} on the screen")

    def end(self) -> int:
        """Read until the program ends; its exit code."""
        until = time.monotonic() + DEADLINE
        with suppress(TimeoutError):
            while self.read(until):
                pass
            return self.program.wait(max(0.1, until - time.monotonic()))
        raise AssertionError(f"did not end within {DEADLINE} s, and shows\n{self._seen()}")

    def _seen(self) -> str:
        return "\n".join(f"|{line}|" for line in self.lines)


# --- what was written, token by token

_TOKEN = re.compile(
    r"""
      (?P<text>[^\x00-\x1f\x7f-\x9f]+)
    | \x1b\[(?P<marker>[<-?]*)(?P<numbers>[0-9:;]*)(?P<between>[ -/]*)(?P<final>[@-~])
    | \x1b(?P<string>[\]PX^_])(?P<payload>[^\x00-\x06\x08-\x1f\x7f-\x9f]*)(?:\x07|\x1b\\)
    | \x1b(?P<escape>[ -/]*[0-OQ-WYZ\\`-~])
    | (?P<control>[\x00-\x1a\x1c-\x1f])
    | (?P<broken>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_STRINGS = {"]": "OSC", "P": "DCS", "X": "SOS", "^": "PM", "_": "APC"}
_MODES = frozenset("hlpu")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Printable by category, but nothing is seen of them: they join, fill, or choose between shapes.
_UNSEEN_ALTHOUGH_PRINTABLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | {
    chr(code) for code in (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
_FOREIGN = re.compile(r"[^\x00-\x7f]{2,}")


class Written:
    """What a terminal reads in these bytes, strictly.

    `forms` holds what each control sequence does, without how far or to what, and the contents that came with
    it: `CSI m`, `CSI ?25l`, `OSC 52`, `C0 \\n`, `ESC c`, `DCS …`, `APC …`. A C1 control, DEL, or a sequence
    without its end is `broken`, one character of it at a time."""

    def __init__(self, raw: bytes) -> None:
        self.text = raw.decode("utf-8", "surrogateescape")
        self.forms: dict[str, list[str]] = {}
        self._characters: set[str] = set()
        for token in _TOKEN.finditer(self.text):
            if token.lastgroup == "text":
                self._characters.update(token.group())
            else:
                form, content = _form(token)
                self.forms.setdefault(form, []).append(content)

    @property
    def unseen(self) -> set[str]:
        """The characters of the text that nobody can see, or that turn other text around: controls, bidi,
        zero-width, separators, surrogates (bytes that are no UTF-8), tags, and unassigned ones."""
        return {
            character
            for character in self._characters
            if unicodedata.category(character) in _UNSEEN or character in _UNSEEN_ALTHOUGH_PRINTABLE
        }

    @property
    def marks_in_a_row(self) -> int:
        """The most combining marks that stand on one character."""
        most = 0
        for foreign in set(_FOREIGN.findall(self.text)):
            run = 0
            for character in foreign:
                run = run + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
                most = max(most, run)
        return most


def _form(token: re.Match[str]) -> tuple[str, str]:
    if token["final"]:
        number = token["numbers"] if token["final"] in _MODES else ""
        return f"CSI {token['marker']}{number}{token['between']}{token['final']}", token["numbers"]
    if token["string"]:
        return f"{_STRINGS[token['string']]} {token['payload'].partition(';')[0]}", token["payload"]
    if token["escape"]:
        return f"ESC {token['escape']}", ""
    kind = "C0" if token["control"] else "broken"
    return f"{kind} {token.group()!r}".replace("'", ""), token.group()
