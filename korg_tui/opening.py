"""Opening the explorer: from what a person named, or what is found, to the app and its exit code."""

from __future__ import annotations

import os
import select
import sys
import termios
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from korg_tui.app import KorgApp
from korg_tui.colours import is_dumb
from korg_tui.config import Configuration
from korg_tui.messages import Choice, Looked
from korg_tui.remembered import Remembered
from korg_tui.sources import (
    EVERY,
    DemoSource,
    Source,
    SourceError,
    StdinSource,
    can_be_read,
    discover,
    open_sources,
)

NO_TERMINAL = 2
"""Exit code: the screen was asked for where there is none."""
_QUIET_SECONDS, _DROPPING_SECONDS = 0.2, 1.0


def run(
    names: Sequence[str],
    *,
    demo: bool = False,
    configuration: Configuration,
    key: bytes | None = None,
) -> int:
    """Open the explorer over these sources until the person leaves it. Returns the exit code. `key` is that
    of keyed ledgers.

    Without names it opens what `discover` finds, or says where it looked, offers the demo, and keeps looking.
    Raises SourceError when a name can never be a ledger,
    and whatever an internal fault raised."""
    settings = configuration.settings
    every = settings.every
    looked = Looked([])
    if demo:
        looked = Looked([DemoSource()])
    elif names:
        opened = open_sources(names, wait=True, every=every)
        looked = Looked([_with_keys(source) for source in opened])
    else:
        looked = look(every)
    if not (os.isatty(0) and os.isatty(2)):
        raise SourceError("the screen needs a terminal; korg-tui show LEDGER prints it", NO_TERMINAL)
    if is_dumb(os.environ):
        text = "the screen needs a terminal that can draw, and TERM says that this one cannot"
        raise SourceError(f"{text}; korg-tui --plain LEDGER tells it in lines", NO_TERMINAL)
    app = KorgApp(
        looked.sources,
        settings=settings,
        configured_in=str(configuration.where),
        looked=looked.where,
        look=lambda: look(every),
        choice=looked.choice,
        remembered=Remembered.at_home() if settings.remember else None,
        key=key,
    )
    terminal = attributes(0)
    code = app.run(mouse=settings.mouse)
    if app.fault is not None:
        drop_keys(0, terminal)
    for words in app.remembered.leave():
        print(f"korg-tui: {words}", file=sys.stderr)
    if app.fault is not None:
        raise app.fault
    return code if code is not None else app.return_code or 0


Attributes = list[Any]
"""Of a terminal, as `termios` has them."""


def attributes(descriptor: int) -> Attributes | None:
    """Those of a terminal; None of anything else."""
    try:
        return termios.tcgetattr(descriptor)
    except termios.error:
        return None


def drop_keys(descriptor: int, before: Attributes | None) -> None:
    """Take what is being typed at a screen that has just gone, until it is quiet for a moment: it is meant
    neither to be echoed nor for the shell. Then the terminal is as it was before."""
    if before is None:
        return
    try:
        silent = [*before[:3], before[3] & ~(termios.ECHO | termios.ICANON), *before[4:]]
        termios.tcsetattr(descriptor, termios.TCSANOW, silent)
    except termios.error:
        return
    until = time.monotonic() + _DROPPING_SECONDS
    with suppress(OSError):
        while time.monotonic() < until and select.select([descriptor], [], [], _QUIET_SECONDS)[0]:
            if not os.read(descriptor, 4096):
                break
    with suppress(termios.error):
        termios.tcflush(descriptor, termios.TCIFLUSH)
        termios.tcsetattr(descriptor, termios.TCSANOW, before)


def look(every: float = EVERY) -> Looked:
    """Whether there is something to open where nothing was named. Raises nothing: what cannot be opened is
    said, as a place where was looked."""
    found = discover()
    try:
        sources = open_sources(found.names, wait=True, every=every) if found.names else []
    except SourceError as error:
        return Looked([], "\n".join([*found.looked, error.text]))
    choice = Choice(found.said, instead=bool(found.missed)) if sources else None
    return Looked(sources, "\n".join(found.looked), choice)


def _with_keys(source: Source) -> Source:
    """When a ledger comes from standard input, keys come from the terminal: it takes the place of standard
    input, and the ledger is read from a copy of the descriptor."""
    if source.name != "-":
        return source
    if not can_be_read(0):
        raise SourceError("standard input is closed; give a ledger file, or open it")
    ledger = os.dup(0)
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        os.close(ledger)
        raise SourceError("standard input: no terminal to take keys from; give a ledger file") from None
    os.dup2(terminal, 0)
    os.close(terminal)
    return StdinSource(descriptor=ledger)
