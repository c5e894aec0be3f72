"""Configuring: `config path`, `config show`, `config check`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from korg_tui.config import ConfigError, as_document, as_toml, load, places
from korg_tui.export import to_json
from korg_tui.reports import UsageError
from korg_tui.text import visible

WRONG = 2
"""Exit code of a configuration that is not right."""


def config_options(command: argparse.ArgumentParser) -> None:
    """What `config` takes."""
    text = "path: where it lies; show: what is in force, and who said so; check: what is wrong with it"
    command.add_argument("action", choices=tuple(_ACTIONS), metavar="path|show|check", help=text)
    command.add_argument("--config", metavar="FILE", help="the configuration, in place of the usual one")
    command.add_argument("--json", action="store_true", help="print JSON, ASCII only, for scripts")


def config(arguments: argparse.Namespace) -> int:
    """Print what was asked for. Raises ConfigError where a configuration that is not right is to be shown."""
    if arguments.words:
        raise UsageError(f"config {arguments.action} takes nothing more; --config FILE names a file")
    return _ACTIONS[arguments.action](arguments)


def _path(arguments: argparse.Namespace) -> int:
    """The path on standard output is the one that counts; what else there might be is narration."""
    found = places(arguments.config)
    if arguments.json:
        listed = [
            {"path": str(where.path), "named_by": where.named_by or None, "exists": where.exists}
            for where in found
        ]
        _print(to_json(listed))
        return 0
    for number, where in enumerate(found):
        state = "there" if where.exists else "not there"
        named = f"named by {where.named_by}" if where.named_by else "the usual place"
        if number == 0:
            _print(str(where.path))
            print(f"korg-tui: {state}, {named}", file=sys.stderr)
        else:
            print(f"korg-tui: not looked at: {visible(str(where.path))}, {state}, {named}", file=sys.stderr)
    return 0


def _show(arguments: argparse.Namespace) -> int:
    configuration = load(arguments.config)
    _print(to_json(as_document(configuration)) if arguments.json else as_toml(configuration).rstrip("\n"))
    return 0


def _check(arguments: argparse.Namespace) -> int:
    try:
        where = load(arguments.config).where
        path, problems = str(where.path), []
        said = f"{visible(path)}: fine" if where.exists else f"{visible(path)}: not there, all is as usual"
    except ConfigError as error:
        path, problems = error.path, error.problems
        said = ""
    if arguments.json:
        listed = [{"line": problem.line or None, "text": problem.text} for problem in problems]
        _print(to_json({"path": path, "problems": listed}))
    elif problems:
        _print("\n".join(problem.at(path) for problem in problems))
    else:
        _print(said)
    return WRONG if problems else 0


def _print(text: str) -> None:
    """Data, as it is in a pipe; what a terminal would act on is made visible there."""
    if sys.stdout.isatty():
        text = "\n".join(map(visible, text.split("\n")))
    print(text)


_ACTIONS: dict[str, Callable[[argparse.Namespace], int]] = {"path": _path, "show": _show, "check": _check}
