"""Screen: the commands that open one or serve, and what a person can choose of them."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from korg_tui import reports
from korg_tui.config import OPTIONS, THEMES, Configuration, Option, Refused, load
from korg_tui.reports import UsageError


def screen_options(command: argparse.ArgumentParser, takes: str) -> None:
    """What the screen takes: sources, and everything that its configuration says."""
    command.add_argument("words", nargs="*", metavar="SOURCE", help=takes)
    text = "lines instead of a screen, for screen readers and pipes: commands in, sentences out"
    command.add_argument("--plain", action="store_true", help=text)
    text = "the key of keyed ledgers, alone in a file (default: $KORG_LEDGER_HMAC_KEY)"
    command.add_argument("--key-file", metavar="FILE", help=text)
    settings_options(command, *(option.section for option in OPTIONS))


def settings_options(command: argparse.ArgumentParser, *sections: str) -> None:
    """The options that beat the configuration, of these sections of it."""
    command.add_argument("--config", metavar="FILE", help="the configuration, in place of the usual one")
    for option in OPTIONS:
        if option.section in sections:
            _add(command, option)


def _add(command: argparse.ArgumentParser, option: Option) -> None:
    name = f"--{option.name}"
    if isinstance(option.default, bool):
        command.add_argument(name, action=argparse.BooleanOptionalAction, default=None, help=option.help)
    elif option.name == "theme":
        command.add_argument(name, choices=THEMES, help=option.help)
    else:
        text = f"{option.help} (default: {option.default:g})"
        command.add_argument(name, type=_number(option.read), metavar="SECONDS", help=text)


def _number(read: Callable[[object], object]) -> Callable[[str], object]:
    def number(text: str) -> object:
        try:
            return read(float(text))
        except Refused as refused:
            raise argparse.ArgumentTypeError(str(refused)) from None

    return number


def configured(arguments: argparse.Namespace) -> Configuration:
    """What is in force for this command. Raises ConfigError."""
    given = {option.name: getattr(arguments, option.name, None) for option in OPTIONS}
    return load(arguments.config, given)


def tui(arguments: argparse.Namespace) -> int:
    """Open the screen."""
    configuration, key = configured(arguments), _key(arguments)
    if arguments.plain:
        from korg_tui.plain import run as plain

        return plain(arguments.words, demo=arguments.demo, settings=configuration.settings, key=key)
    from korg_tui.opening import run

    return run(arguments.words, demo=arguments.demo, configuration=configuration, key=key)


def _key(arguments: argparse.Namespace) -> bytes | None:
    """The key of keyed ledgers. Raises UsageError."""
    from korg_tui.trust import KeyFault, ledger_key

    try:
        return ledger_key(arguments.key_file)
    except KeyFault as fault:
        raise UsageError(str(fault)) from None


def demo(arguments: argparse.Namespace) -> int:
    """Open the screen on the demo, or serve a simulated run."""
    if arguments.words:
        raise UsageError("demo takes no SOURCE; to open one, say korg-tui SOURCE")
    if arguments.serve:
        from korg_tui.recorder import demo_serve

        return demo_serve(arguments)
    if arguments.store is not None or arguments.speed != 1:
        raise UsageError("--store and --speed go with demo --serve")
    arguments.demo = True
    return tui(arguments)


def follow(arguments: argparse.Namespace) -> int:
    """Print each change of a ledger as it happens."""
    arguments.every = configured(arguments).settings.every
    return reports.follow(arguments)


def serve(arguments: argparse.Namespace) -> int:
    """Record what agents post."""
    if arguments.words:
        raise UsageError("serve takes no SOURCE; --store FOLDER says where it records")
    from korg_tui.recorder import serve as record

    return record(arguments)
