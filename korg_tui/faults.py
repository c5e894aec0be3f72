"""Faults of our own: one line for the person, and a report in the state folder."""

from __future__ import annotations

import os
import platform
import secrets
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from korg_tui import __version__

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_WRAPPED = 8
INTERNAL = 70
"""Exit code of an internal fault."""


def home() -> Path:
    """The home folder of this person; `/` where nobody knows of one, as for a number without a name in a
    container."""
    try:
        return Path.home().absolute()
    except RuntimeError:
        return Path("/")


def state_folder() -> Path:
    """Where this program keeps its state: `$XDG_STATE_HOME/korg-tui`, by default below `~/.local/state`."""
    base = os.environ.get("XDG_STATE_HOME", "")
    return (Path(base) if Path(base).is_absolute() else home() / ".local" / "state") / "korg-tui"


def report(fault: BaseException) -> str:
    """Write a report of a fault, and of what it only tells of; return the line that tells the person about
    it."""
    wrapped = "\n\nbecause of this fault:\n\n".join(
        "".join(traceback.format_exception(each)) for each in _unwrapped(fault)
    )
    text = wrapped.encode("utf-8", "backslashreplace")
    *_, fault = _unwrapped(fault)
    head = f"korg-tui {__version__}\nPython {platform.python_version()} on {platform.system()}\n\n"
    name = time.strftime("fault-%Y%m%d-%H%M%S-", time.gmtime()) + f"{os.getpid()}-{secrets.token_hex(2)}.txt"
    for folder in (state_folder() / "reports", Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / name
            with os.fdopen(os.open(path, _NEW, 0o600), "wb") as file:
                file.write(head.encode() + text)
        except OSError:
            continue
        return f"an internal fault ({type(fault).__name__}); please report it with {path}"
    *_, frame = [None, *traceback.extract_tb(fault.__traceback__)]
    where = f" at {Path(frame.filename).name}:{frame.lineno}" if frame else ""
    return f"an internal fault ({type(fault).__name__}{where}); no folder could take its report"


def _unwrapped(fault: BaseException) -> Iterator[BaseException]:
    """The fault; then the one that it wraps as its `error`, as that of a Textual worker does, and so on, as
    far as its own traceback does not tell of it."""
    yield fault
    for _ in range(_WRAPPED):
        inner = getattr(fault, "error", None)
        if not isinstance(inner, BaseException) or inner in (fault, fault.__cause__, fault.__context__):
            return
        yield inner
        fault = inner
