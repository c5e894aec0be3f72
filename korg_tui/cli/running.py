"""Running: one command from its words to its exit code; whatever goes wrong is one line."""

from __future__ import annotations

import argparse
import errno
import io
import os
import re
import sys
from collections.abc import Callable, Collection, Container, Sequence
from typing import TextIO

from korg_tui.cli.parser import command_parser
from korg_tui.cli.standing import stand
from korg_tui.config import OPTIONS, ConfigError, nearest
from korg_tui.faults import INTERNAL, report
from korg_tui.reports import UsageError
from korg_tui.sources import SourceError
from korg_tui.text import visible

USAGE = 2
UNWRITABLE = 74
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
INTERRUPTED = 130

Run = Callable[[argparse.Namespace], int]

_WITH_VALUE = {
    "--config",
    "--key-file",
    *(f"--{each.name}" for each in OPTIONS if not isinstance(each.default, bool)),
}
"""Options for every screen that take the next word."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code. Nothing that goes wrong reaches the person as a traceback."""
    if "_ARGCOMPLETE" in os.environ:
        from korg_tui.cli.completing import complete

        complete()
    stand()
    words = list(sys.argv[1:] if arguments is None else arguments)
    _settle_encodings()
    try:
        code = _run(_with_filter(words))
        sys.stdout.flush()
        return code
    except UsageError as wrong:
        return _refuse(str(wrong), USAGE, *wrong.below)
    except ConfigError as wrong:
        return _refuse(str(wrong), USAGE)
    except SourceError as unreadable:
        return _refuse(unreadable.text, unreadable.exit_code)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _close_quietly(sys.stdout, sys.stderr)
        return 0
    except Exception as fault:
        if isinstance(fault, OSError) and fault.errno in _FULL:
            code = _refuse(f"the output cannot be written: {fault.strerror}; give it room", UNWRITABLE)
            _close_quietly(sys.stdout)
            return code
        return _refuse(report(fault), INTERNAL)


def _settle_encodings() -> None:
    """A pipe gets UTF-8 whatever the locale; a terminal gets what it can show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def _refuse(text: str, code: int, *below: str) -> int:
    try:
        print("\n  ".join([f"korg-tui: {visible(text)}", *below]), file=sys.stderr, flush=True)
    except BrokenPipeError:
        _close_quietly(sys.stdout, sys.stderr)
    return code


def _close_quietly(*streams: TextIO) -> None:
    """Nobody takes what these streams have: leave nothing behind for the interpreter to flush at its exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream.fileno())


def _command_at(words: Sequence[str], commands: Container[str]) -> int | None:
    """Where the command stands: in front, or behind options that it takes."""
    taken = False
    for at, word in enumerate(words):
        if taken:
            taken = False
        elif word.startswith("--") and len(word) > 2:
            taken = word in _WITH_VALUE
        else:
            return at if word in commands else None
    return None


def _refuse_mistyped(words: Sequence[str], commands: Collection[str]) -> None:
    """A word that is nearly a command, and no file. Raises UsageError. Any other name may be that of a ledger
    that is not there yet."""
    if words and re.fullmatch(r"[a-z]+", words[0]) and not os.path.lexists(words[0]):
        meant = nearest(words[0], commands)
        if meant:
            raise UsageError(f"no such command or file: {words[0]}{meant}")


def _with_filter(words: Sequence[str]) -> list[str]:
    """A filter may begin with `-`, which means not; only behind `=` is that no option."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] == "--filter" and re.match(r"-[^-]", word):
            joined[-1] = f"--filter={word}"
        else:
            joined.append(word)
    return joined


def _run(words: list[str]) -> int:
    parser, commands = command_parser(words[0] if words else "")
    first = _command_at(words, commands)
    if first:
        words = [words[first], *words[:first], *words[first + 1 :]]
        parser, commands = command_parser(words[0])
    elif not words or (words[0] not in commands and words[0] not in ("-h", "--help", "--version")):
        _refuse_mistyped(words, commands)
        words = ["tui", *words]
    arguments, more = parser.parse_known_args(words)
    strange = [word for word in (*more, *arguments.words) if re.match(r"-[^0-9]", word)]
    if strange:
        # What stands behind = may be a secret.
        option = strange[0].partition("=")[0]
        raise UsageError(f"unknown option {option}; see korg-tui {words[0]} --help")
    arguments.words += more
    run: Run = arguments.run
    return run(arguments)
