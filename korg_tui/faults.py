"""Faults of our own: one line for the person, and a report in the state folder."""

from __future__ import annotations

import os
import platform
import tempfile
import time
import traceback
from pathlib import Path

from korg_tui import __version__

INTERNAL = 70
"""Exit code of an internal fault."""


def state_folder() -> Path:
    """Where this program keeps its state: `$XDG_STATE_HOME/korg-tui`, by default below `~/.local/state`."""
    base = os.environ.get("XDG_STATE_HOME", "")
    home = Path(base) if Path(base).is_absolute() else Path.home() / ".local" / "state"
    return home / "korg-tui"


def report(fault: BaseException) -> str:
    """Write a report of a fault; return the line that tells the person about it."""
    text = "".join(traceback.format_exception(fault)).encode("utf-8", "backslashreplace")
    head = f"korg-tui {__version__}\nPython {platform.python_version()} on {platform.system()}\n\n"
    name = time.strftime("fault-%Y%m%d-%H%M%S-", time.gmtime()) + f"{os.getpid()}.txt"
    for folder in (state_folder() / "reports", Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / name
            path.write_bytes(head.encode() + text)
        except OSError:
            continue
        return f"an internal fault ({type(fault).__name__}); please report it with {path}"
    *_, frame = [None, *traceback.extract_tb(fault.__traceback__)]
    where = f" at {Path(frame.filename).name}:{frame.lineno}" if frame else ""
    return f"an internal fault ({type(fault).__name__}{where}); no folder could take its report"
