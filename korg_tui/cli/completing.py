"""Completing: what a shell offers behind `korg-tui`, by argcomplete; only when a shell asks."""

from __future__ import annotations

import argparse
import os
import re

from korg_tui.reports import UsageError

SHELLS = ("bash", "zsh", "fish")

_LINE, _POINT = "COMP_LINE", "COMP_POINT"


def completion_options(command: argparse.ArgumentParser) -> None:
    """What `completion` takes."""
    command.add_argument("shell", choices=SHELLS, metavar="|".join(SHELLS), help="the shell that reads it")


def completion(arguments: argparse.Namespace) -> int:
    """Print the script that a shell reads once, at its start."""
    from argcomplete.shell_integration import shellcode

    if arguments.words:
        raise UsageError("completion takes one shell")
    # Not for `korg`: another program may have that name, and would be run to complete it.
    print(shellcode(["korg-tui"], shell=arguments.shell))
    return 0


def complete() -> None:
    """Answer the shell that asks, and end the process."""
    import argcomplete

    from korg_tui.cli.parser import command_parser

    line, point = os.environ.get(_LINE, ""), os.environ.get(_POINT, "")
    typed = re.match(r"\s*\S+\s+(\S*)", line)
    first = typed[1] if typed else ""
    parser, commands = command_parser(first)
    at_it = typed is not None and typed.end() == len(line)
    names = {first} if not at_it else {name for name in commands if name.startswith(first)}
    if typed and not names & commands:
        os.environ[_LINE] = f"{line[: typed.start(1)]}tui {line[typed.start(1) :]}"
        os.environ[_POINT] = str(int(point) + len("tui ")) if point.isdecimal() else point
    argcomplete.autocomplete(parser)
