"""What can go wrong with a source, in words that stand on one line: what, where, and what to do now."""

from __future__ import annotations

import errno
from pathlib import Path

UNREADABLE = 3
"""Exit code: no such file, no ledger in the folder, not a ledger, no permission, unreachable."""


class SourceError(Exception):
    """A source that can never be read as it was named. `text` is one line; `exit_code` is the command's."""

    def __init__(self, text: str, exit_code: int = UNREADABLE) -> None:
        super().__init__(text)
        self.text = text
        self.exit_code = exit_code


class NotThere(Exception):
    """No Korg server answers at an address; the text says what does, or why nothing does."""


class BodyGone(Exception):
    """The bytes of a record can no longer be read; the text says why."""


def reason(error: OSError) -> str:
    """An operating system's refusal in plain words."""
    words = {
        errno.ENOENT: "no such file",
        errno.ENOTDIR: "no such file",
        errno.EACCES: "no permission to read it",
        errno.EPERM: "no permission to read it",
        errno.EISDIR: "it is a folder",
        errno.ELOOP: "its symbolic links go in a circle",
        errno.ENAMETOOLONG: "the name is too long",
        errno.EMFILE: "too many files are open",
        errno.ENFILE: "too many files are open",
        errno.EIO: "the device reports an error",
    }
    return words.get(error.errno or 0, (error.strerror or str(error) or "it cannot be read").lower())


def cannot_read(path: Path | str, error: OSError) -> SourceError:
    """The `SourceError` for a file that cannot be opened or read."""
    hints = {
        "no such file": "check the name, or give a folder",
        "no permission to read it": "change its permissions, or run as its owner",
        "it is a folder": "give a file in it",
    }
    why = reason(error)
    return SourceError(f"{path}: {why}; {hints.get(why, 'try again, or give another ledger')}")


def not_a_ledger(path: Path | str, looks: str) -> SourceError:
    """The `SourceError` for a file without a Korg event."""
    return SourceError(f"{path}: not a ledger: {looks}; give a file or a folder with Korg events")


def no_ledger_in(folder: str, others: int, unreadable: int) -> SourceError:
    """The `SourceError` for a folder without a ledger: so many other files, so many that cannot be read."""
    looked = f"none of its {others} files holds Korg events" if others else "it is empty"
    if unreadable:
        looked = f"{unreadable} of its files cannot be read" + (", " + looked) * bool(others)
    return SourceError(f"{folder}: no ledger in this folder: {looked}; give a file, or another folder")
