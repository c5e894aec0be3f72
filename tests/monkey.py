"""A monkey at the keyboard: random keys, clicks, words, sizes, and ledgers that change, from a seed.

    python tests/monkey.py --inputs 10000             # a long run, by hand; --seed N for another one
    python tests/monkey.py --seed 7 --inputs 400 --shrink

It says which inputs led to a failure, as a list that `replay` takes, and `--shrink` drops those that the
failure does not need. Between bursts the screen settles and has to be whole: no exception, each cursor on a
row that exists, on the same event where the ledger only grew, and escape, often enough, leads to the list of
ledgers.
Nothing is started, and nothing is written outside of a temporary folder.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from unittest import mock

from textual import events
from textual.geometry import Offset, Size
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input

from builders import START_MS, Book, FixedClock, lines
from hostile import ATTACKS, hostile, more, rewound
from korg_tui import commands
from korg_tui.app import KorgApp
from korg_tui.screens import LedgersScreen, SessionScreen
from korg_tui.widgets.chrome import Ask
from korg_tui.widgets.lines import LineList
from stage import MemorySource, app_over, story

Given = tuple[Any, ...]
"""One input: what it is, and its values. Its `repr` is a line of the report."""

SIZES = ((80, 24), (120, 40), (200, 50), (40, 12), (20, 6), (99, 30), (100, 24), (300, 80), (1, 1))
WORDS = (
    "dates", "is:failed", "tool:Bash -x", "seq:>3", "14", "0", "is:nonsense", "(", "",
    "journal:5", "wide 日本",
)  # fmt: skip
ENDING = frozenset({"q", "ctrl+c", "ctrl+z", "ctrl+q"})
"""Keys that end the program or leave the terminal: what they do is tested elsewhere."""

KEYS = tuple(
    dict.fromkeys(
        [key for entry in commands.COMMANDS for key in entry.keys if key not in ENDING]
        + ["tab", "shift+tab", "space", "enter", "escape", "left", "right", "up", "down", "home", "end"]
        + ["delete", "backspace", "x", "y", "o", "ctrl+a", "ctrl+u", "f1", "insert", *commands.DIGITS]
    )
)
MOVING = (*"jkgGrRwp", "down", "up", "pagedown", "pageup", "enter", "tab", "escape")
ESCAPES = 12
"""So many times escape leads from wherever one is to the list of ledgers."""


class Lost(AssertionError):
    """The screen is not whole any more."""


# --- what a monkey does


def inputs(seed: int, count: int) -> Iterator[Given]:
    """So many inputs, always the same ones for a seed."""
    chance = random.Random(seed)
    for number in range(count):
        yield _one(chance, number)


def _one(chance: random.Random, number: int) -> Given:
    dice = chance.random()
    if dice < 0.62:
        return ("key", chance.choice(MOVING if chance.random() < 0.4 else KEYS))
    if dice < 0.78:
        times = 2 if chance.random() < 0.3 else 1
        return ("click", round(chance.random(), 3), round(chance.random(), 3), times)
    if dice < 0.83:
        return ("wheel", round(chance.random(), 3), round(chance.random(), 3), chance.choice((-1, 1)))
    if dice < 0.88:
        return ("type", chance.choice([*WORDS, *ATTACKS.values()][: len(WORDS) * 2]))
    if dice < 0.90:
        return ("resize", *chance.choice(SIZES))
    if dice < 0.97:
        return ("grow", chance.choice(("story", "hostile", "malformed")), chance.randrange(4), number)
    if dice < 0.98:
        return ("rewind", chance.randrange(3, 12))
    return ("state", chance.choice(("offline", "gone", "live")))


# --- a stage for it


@dataclass
class Cage:
    """The app under test, with its sources."""

    app: KorgApp
    sources: list[MemorySource]
    clock: FixedClock
    pilot: Pilot[int] = field(init=False)
    done: list[Given] = field(default_factory=list)
    started: list[str] = field(default_factory=list)
    """What would have been started outside."""
    ended: list[object] = field(default_factory=list)
    """Exit codes with which the program would have ended: a click on `quit` ends it, too."""

    @property
    def size(self) -> Size:
        return self.app.size


def cage() -> Cage:
    """A story whose chain breaks, and a ledger that attacks, in one app."""
    clock = FixedClock(START_MS + 60_000)
    sources = [
        MemorySource(_broken_story(), "/home/dusk/story.jsonl"),
        MemorySource(_hostile_piece(), "/home/dusk/[/]hostile\x1b[2J.jsonl"),
    ]
    the = Cage(app_over(*sources, clock=clock), sources, clock)
    the.app.exit = the.ended.append  # type: ignore[assignment]
    return the


def _broken_story() -> bytes:
    """The story; one event is another than was recorded, and some name others before them."""
    told = story().nested().splitlines(keepends=True)
    for at in (2, 6, 7, 11, 16, 22):
        told[at] = told[at].replace(b'"prev_hash":"', b'"prev_hash":"0')
    told[3] = told[3].replace(b"src/dates.py", b"src/dates.rs")
    return b"".join(told)


def _hostile_piece() -> bytes:
    """Every seventh event of the hostile ledger, and its damaged lines."""
    whole = hostile().splitlines(keepends=True)
    events_, damaged = whole[: len(ATTACKS) * 13], whole[len(ATTACKS) * 13 :]
    return b"".join([*events_[:14], *events_[14::7], *damaged[::5]])


@contextmanager
def nothing_outside(folder: Path, started: list[str]) -> Iterator[None]:
    """No program is started, no browser opened, and all files go to this folder."""

    def refuse(*words: Any, **named: Any) -> NoReturn:
        del named
        started.append(repr(words[:1]))
        raise FileNotFoundError(2, "not in a cage")

    places = {"HOME": "", "XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config", "TMPDIR": ""}
    home = {name: str(folder / place) for name, place in places.items()}
    before = Path.cwd()
    os.chdir(folder)
    try:
        with (
            mock.patch.dict(os.environ, home),
            mock.patch.object(subprocess.Popen, "__init__", refuse),
            mock.patch("os.execvp", refuse),
            mock.patch("os.system", refuse),
            mock.patch("webbrowser.open", refuse),
        ):
            yield
    finally:
        os.chdir(before)


# --- giving inputs


async def give(cage: Cage, given: Given) -> None:
    """One input, without waiting for what it does."""
    kind, *values = given
    cage.done.append(given)
    match kind:
        case "key":
            await _press(cage, values[0])
        case "type":
            if isinstance(cage.app.focused, Input):
                for character in values[0][:12]:
                    await _press(cage, character)
                await _press(cage, "enter")
        case "click":
            _click(cage, values)
        case "wheel":
            where = _place(cage, values)
            kind_of = events.MouseScrollDown if values[2] > 0 else events.MouseScrollUp
            cage.app.screen._forward_event(kind_of(None, *where, 0, 0, 0, False, False, False, *where))
        case "resize":
            size = Size(*values)
            cage.app._driver._size = size  # type: ignore[union-attr]
            cage.app.post_message(events.Resize(size, size))
        case "grow":
            _grow(cage, *values)
        case "rewind":
            _rewind(cage, values[0])
        case "state":
            cage.sources[0].says(values[0], f"story.jsonl: {values[0]}", at_ms=START_MS)


async def _press(cage: Cage, key: str) -> None:
    character = key if len(key) == 1 else {"space": " "}.get(key)
    if len(key) == 1 and not key.isalnum():
        from textual.keys import _character_to_key

        key = _character_to_key(key)
    event = events.Key(key, character)
    event.set_sender(cage.app)
    cage.app._driver.send_message(event)  # type: ignore[union-attr]
    await asyncio.sleep(0)


def _place(cage: Cage, values: Sequence[float]) -> Offset:
    width, height = cage.size
    return Offset(min(int(values[0] * width), width - 1), min(int(values[1] * height), height - 1))


def _click(cage: Cage, values: Sequence[Any]) -> None:
    where = _place(cage, values)
    screen = cage.app.screen
    if where not in screen.size.region:
        return
    cage.app.mouse_position = where
    for chain in range(1, values[2] + 1):
        for each in (events.MouseDown, events.MouseUp, events.Click):
            more_ = {"chain": chain} if each is events.Click else {}
            screen._forward_event(each(None, *where, 0, 0, 1, False, False, False, *where, **more_))


def _grow(cage: Cage, what: str, which: int, number: int) -> None:
    source = cage.sources[which % 2]
    first = 10_000 + number * 100
    if what == "hostile":
        source.append(more(first, 2)[: 40_000 + which].rpartition(b"\n")[0] + b"\n")
    elif what == "malformed":
        source.append(b'{"seq_id": 1, "event": \x1b[2J\n' * (which + 1))
    else:
        book = Book(first=first, now_ms=START_MS + number)
        think = book.infer(2, duration_ms=12)
        book.tool("Bash", think, args={"command": "pytest -q"}, success=bool(which))
        book.tool("Read", 9_999_999 if which == 3 else think, args={"file_path": "src/dates.py"})
        source.append(lines(book.records))


def _rewind(cage: Cage, to: int) -> None:
    source = cage.sources[to % 2]
    try:
        source.becomes(rewound(source.epochs[-1], to))
    except ValueError:  # that event is not there (any more)
        source.becomes(_broken_story() if source is cage.sources[0] else _hostile_piece())


# --- looking whether all is well


async def settle(cage: Cage) -> None:
    """Wait until everything that was given has been worked off."""
    await cage.pilot.pause()


def whole(cage: Cage) -> None:
    """Raises Lost when something is not as it has to be, whatever was pressed."""
    fault = cage.app.fault
    if fault is not None:
        raise fault
    for screen in cage.app.screen_stack:
        for rows in screen.query(LineList):
            if rows.count and not 0 <= rows.cursor < rows.count:
                raise Lost(f"{rows!r} of {screen!r}: the cursor is on {rows.cursor} of {rows.count} rows")
            if rows.count and rows.is_attached and not 0 <= round(rows.scroll_y) <= rows.extent:
                raise Lost(f"{rows!r} of {screen!r}: scrolled to {rows.scroll_y} of {rows.extent} lines")
    _draw(cage.app)


def _draw(app: KorgApp) -> None:
    """What is seen is drawn as a shot of it would be."""
    size = app.size
    if size.width and size.height:
        app.screen._compositor.render_update(full=True)


def under_the_cursor(cage: Cage) -> object:
    """The event on which the cursor stands, on the screens where it must not move by itself."""
    screen = cage.app.screen
    if isinstance(screen, SessionScreen):
        if screen.reading.live and screen.view.following:
            return None
        row = screen.row
        return (screen.ledger.name, screen.ledger.seq_at(row), row) if row >= 0 else None
    return None


async def leave(cage: Cage) -> None:
    """Escape, often enough, leads to the list of ledgers from everywhere."""
    for _ in range(ESCAPES):
        if _at_home(cage.app):
            return
        await _press(cage, "escape")
        await settle(cage)
    if not _at_home(cage.app):
        focused: Widget | None = cage.app.focused
        raise Lost(f"{ESCAPES} times escape, and still at {cage.app.screen!r}, the keys at {focused!r}")


def _at_home(app: KorgApp) -> bool:
    return isinstance(app.screen, LedgersScreen) and not app.screen.query_one(Ask).asking


# --- running


async def run(given: Sequence[Given], *, burst: int = 4, home_every: int = 60) -> Cage:
    """Give these inputs, in bursts. Raises what went wrong."""
    the = cage()
    with tempfile.TemporaryDirectory() as folder, nothing_outside(Path(folder), the.started):
        async with the.app.run_test(size=(80, 24)) as the.pilot:
            await settle(the)
            await _run(the, given, burst, home_every)
    return the


async def _run(the: Cage, given: Sequence[Given], burst: int, home_every: int) -> None:
    for number, each in enumerate(given):
        grows = each[0] == "grow"
        if grows:
            await settle(the)
            before = under_the_cursor(the)
        await give(the, each)
        if grows or number % burst == burst - 1:
            await settle(the)
            whole(the)
        if grows and before is not None and under_the_cursor(the) != before:
            raise Lost(f"the ledger grew, and the cursor went from {before} to {under_the_cursor(the)}")
        if number % home_every == home_every - 1:
            await settle(the)
            await leave(the)
            whole(the)
            await _press(the, "enter")
            await settle(the)
            await settle(the)  # the session goes to its first place
    await settle(the)
    await leave(the)
    whole(the)


def failure(given: Sequence[Given]) -> BaseException | None:
    """What goes wrong with these inputs; None when nothing does."""
    try:
        asyncio.run(run(given))
    except (Exception, SystemExit) as error:
        return error
    return None


def told(seed: int, given: Sequence[Given], error: BaseException) -> str:
    """A failure, with what it takes to see it again."""
    sequence = "\n".join(f"    {each!r}," for each in given)
    return f"seed {seed}: {type(error).__name__}: {error}\nreplay(\n{sequence}\n)"


def replay(*given: Given) -> None:
    """Give these inputs again. Raises what goes wrong."""
    asyncio.run(run(given))


def shrunk(given: Sequence[Given], fails: Callable[[Sequence[Given]], BaseException | None]) -> list[Given]:
    """Fewer of these inputs, which still fail in the same way."""
    kept, kind, size = list(given), type(fails(given)), max(len(given) // 2, 1)
    while size:
        at = 0
        while at < len(kept):
            fewer = kept[:at] + kept[at + size :]
            if isinstance(fails(fewer), kind):
                kept = fewer
            else:
                at += size
        size //= 2
    return kept


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--inputs", type=int, default=10_000)
    words.add_argument("--round", type=int, default=500, help="inputs that one app gets")
    words.add_argument("--shrink", action="store_true")
    asked = words.parse_args()
    failed = 0
    for seed in range(asked.seed, asked.seed + max(asked.inputs // asked.round, 1)):
        given = list(inputs(seed, min(asked.round, asked.inputs)))
        error = failure(given)
        if error is not None:
            failed += 1
            print(told(seed, shrunk(given, failure) if asked.shrink else given, error))
        else:
            print(f"seed {seed}: {len(given)} inputs, all well", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
