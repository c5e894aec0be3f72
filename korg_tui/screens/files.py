"""Files that a person asks for: where they lie, and what they are called."""

from __future__ import annotations

import re
from pathlib import Path

from korg_tui.text import visible

_STEM = 60
_UNFIT = re.compile(r"[^\w.-]+")


def file_stem(*parts: str) -> str:
    """A name for a file from what is foreign: letters, digits, `-`, `_` and dots, at most 60."""
    words = (_UNFIT.sub("-", part.encode("utf-8", "replace").decode()).strip("-.") for part in parts)
    return "-".join(word for word in words if word)[:_STEM].strip("-.") or "korg"


def free_name(stem: str, suffix: str) -> str:
    """A name that no file of the current folder has: `stem.json`, `stem-2.json`, …"""
    name, number = f"{stem}{suffix}", 1
    while Path(name).exists() and number < 1000:
        number += 1
        name = f"{stem}-{number}{suffix}"
    return name


def target_of(text: str) -> Path:
    """The file that was named; `~` is the home folder. Raises `OSError` with a reason for a person."""
    if not text.strip() or "\0" in text:
        raise OSError("no file was named")
    if not text.isprintable():
        raise OSError("the name has signs that cannot be seen: name it without them")
    try:
        path = Path(text.strip()).expanduser()
    except RuntimeError:
        raise OSError("there is no such home folder") from None
    if path.is_dir():
        raise OSError(f"{visible(str(path), 200)} is a folder: name a file in it")
    if not path.parent.is_dir():
        raise OSError(f"there is no folder {visible(str(path.parent), 200)}")
    if path.exists() and not path.is_file():
        raise OSError(f"{visible(str(path), 200)} is no ordinary file")
    return path


def why_not(error: OSError) -> str:
    """What is said of a file that cannot be written, safe."""
    return visible(error.strerror or str(error), 300)
