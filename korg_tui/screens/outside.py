"""Outside: giving a blob, a value, or a file to another program, safely.

What a ledger names is hostile. A file is opened only when, symbolic links resolved, it is a regular file
inside the session's own folder: the folder of the ledger, or, where that is (in) a `.korg` folder, the
project that this lies in, unless that is a home. The program gets one absolute path, and no shell is asked.
"""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from korg_tui import faults
from korg_tui.screens import passing
from korg_tui.text import visible

_LESS = "less"
_HIDDEN = ("LESSOPEN", "LESSCLOSE")
"""Variables by which `less` starts other programs."""


class Refused(Exception):
    """It is not opened; the text says why, in one line."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What would be run on what. `command` is the program with the words that its variable gives it."""

    command: tuple[str, ...]
    path: Path
    what: str
    """What lies there, safe: `a copy of blob 0123456789ab`."""
    pieces: Callable[[], Iterable[bytes]] | None = None
    """Gives what is written to `path` first, which is passed and removed (`passing`); None for a file that is
    there. Getting it may raise `Refused`."""
    folder: Path | None = None
    """The session's own folder, in which a file must lie."""

    @property
    def line(self) -> str:
        """What will be run on what, safe."""
        return f"{visible(shlex.join(self.command), 200)} {visible(str(self.path), 1000)}"


def copy_of(
    title: str, pieces: Callable[[], Iterable[bytes]], command: tuple[str, ...], state: str = ""
) -> Proposal:
    """To run a program on a copy, in a new folder that only its owner can enter. `title` and `state`, what is
    wrong with it, are safe. Raises `Refused`."""
    try:
        folder = passing.new_folder()
    except OSError:
        raise Refused("no folder can take a copy: set TMPDIR to one that can") from None
    name = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in title)[:80]
    what = f"a copy of {title}" + (f", {state}" if state else "")
    return Proposal(command, folder / name, what, pieces)


def pager(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The program that shows a blob: `$PAGER`, else less, else `$EDITOR`. Raises `Refused`."""
    for name in ("PAGER", "", "EDITOR"):
        words = _words(name, environment) if name else (_LESS,) if shutil.which(_LESS) else ()
        if words:
            return words
    raise Refused("there is no less here: set PAGER to a program that shows files")


def editor(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The program that opens a file: `$VISUAL`, else `$EDITOR`. Raises `Refused`."""
    words = _words("VISUAL", environment) or _words("EDITOR", environment)
    if not words:
        raise Refused("set EDITOR to the program that opens files")
    return words


def _words(name: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """What a variable says, taken apart without a shell; empty when it says nothing."""
    try:
        words = tuple(shlex.split(environment.get(name, "")))
    except ValueError:
        raise Refused(f"{name} cannot be taken apart: a quote is not closed") from None
    if words and shutil.which(words[0]) is None:
        raise Refused(f"{name} names {visible(words[0], 100)}, which is no program here")
    return words


def own_folder(ledger: Path) -> Path:
    """The folder of a session, symbolic links resolved: see this module."""
    folder = Path(os.path.realpath(ledger)).parent
    for each in (folder, *folder.parents):
        if each.name == ".korg":
            project = each.parent
            homes = {Path(os.path.realpath(faults.home())), Path(project.anchor)}
            return folder if project in homes else project
    return folder


def inside(named: str, ledger: Path) -> tuple[Path, Path]:
    """The file that an event names, and the session's own folder. Raises `Refused`."""
    folder = own_folder(ledger)
    said = visible(named, 200)
    if "\0" in named or len(named) > 4096:
        raise Refused(f"{said} is no path")
    path = Path(os.path.realpath(folder / Path(named)))
    check(path, folder, said)
    return path, folder


def check(path: Path, folder: Path, said: str = "") -> None:
    """Raise `Refused` unless `path`, which holds no symbolic links, is a regular file below `folder`. Every
    folder on the way is opened by itself, so that none of them is a link by now."""
    said = said or visible(str(path), 200)
    if not path.is_relative_to(folder) or path == folder:
        raise Refused(f"{said} lies outside the session's folder {visible(str(folder), 200)}: not opened")
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
    descriptors: list[int] = []
    try:
        descriptors.append(os.open(folder, flags | os.O_DIRECTORY))
        *parents, name = path.relative_to(folder).parts
        for parent in parents:
            descriptors.append(os.open(parent, flags | os.O_DIRECTORY, dir_fd=descriptors[-1]))
        if not stat.S_ISREG(os.stat(name, dir_fd=descriptors[-1], follow_symlinks=False).st_mode):
            raise Refused(f"{said} is no regular file: not opened")
    except FileNotFoundError:
        raise Refused(f"{said} is not there (any more)") from None
    except OSError:
        raise Refused(f"{said} cannot be opened") from None
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def run(proposal: Proposal, environment: Mapping[str, str] = os.environ) -> str:
    """Run the program and wait for it. Returns what a person is told when something went wrong."""
    try:
        if proposal.pieces is not None:
            with passing.passed(proposal.path, proposal.pieces()):
                return _run((*proposal.command, str(proposal.path)), environment)
        if proposal.folder is not None:
            check(proposal.path, proposal.folder)
        return _run((*proposal.command, str(proposal.path)), environment)
    except Refused as refused:
        return str(refused)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        return f"{visible(proposal.command[0], 100)} could not be run: {visible(why, 200)}"


def _run(words: Sequence[str], environment: Mapping[str, str]) -> str:
    own = {name: value for name, value in environment.items() if name not in _HIDDEN}
    code = passing.run(words, own | {"LESSSECURE": "1"})
    name = visible(Path(words[0]).name, 60)
    if code < 0:
        return f"{name} was ended by signal {-code}"
    return f"{name} ended with {code}" if code else ""
