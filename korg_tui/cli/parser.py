"""Parser: every command with its options and one example."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from korg_tui import __version__, reports
from korg_tui.cli.completing import completion, completion_options
from korg_tui.cli.configuring import config, config_options
from korg_tui.cli.screen import demo, follow, screen_options, serve, settings_options, tui

_AsWritten = argparse.RawDescriptionHelpFormatter


class _Parser(argparse.ArgumentParser):
    """Errors are one line, without the usage in front of it. No option is taken for another that begins like
    it: `--key SECRET` would be read as `--key-file SECRET`, and its secret be said."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **{**more, "allow_abbrev": False})

    def error(self, message: str) -> NoReturn:
        raise reports.UsageError(f"{message}; see {self.prog} --help")


_ABOUT = """\
korg-tui shows the event ledgers of AI coding agents: what an agent did, why it did that, what went wrong,
and what a rewind to any point would carry away. It never rewinds, and never writes to a ledger.

korg-tui LEDGER opens the screen; korg-tui alone looks for a ledger; korg-tui --demo shows a recorded one.
korg-tui serve is the other end: a ledger server for agents to write to.
"""

_SOURCE = "a ledger file, a folder, an http:// address, or - for standard input; nothing: look for one"
_NAMED = "LEDGER:N where several have it; of a parent and its sub-agent, a bare N is the parent's"


class _Commands:
    """The commands as they are added to a parser, one after the other."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self.all = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)

    def add(
        self, name: str, run: object, text: str, example: str, *, demo: bool = True
    ) -> argparse.ArgumentParser:
        """A command, with the option for the demo unless it reads nothing."""
        command = self.all.add_parser(
            name,
            help=text,
            description=f"{text[0].upper()}{text[1:]}.",
            epilog=f"example:\n  korg-tui {example}",
            formatter_class=_AsWritten,
        )
        command.set_defaults(run=run, words=[])
        if demo:
            command.add_argument("--demo", action="store_true", help="take the recorded demo for a SOURCE")
        return command

    def data(self, name: str, run: object, text: str, example: str, *words: str) -> argparse.ArgumentParser:
        """A command that prints data of sources; `words`: what it takes, and how that is said."""
        command = self.add(name, run, text, example)
        metavar, help_text = words or ("SOURCE", _SOURCE)
        command.add_argument("words", nargs="*", metavar=metavar, help=help_text)
        command.add_argument("--json", action="store_true", help="print JSON, ASCII only, for scripts")
        return command


def command_parser(chosen: str) -> tuple[argparse.ArgumentParser, frozenset[str]]:
    """The parser, and the names of the commands. Only the `chosen` one has options that cost more to load
    than the others need to run."""
    parser = _Parser(prog="korg-tui", description=_ABOUT, formatter_class=_AsWritten)
    parser.add_argument("--version", action="version", version=f"korg-tui {__version__}")
    commands = _Commands(parser)
    _add_screens(commands, chosen)
    _add_lists(commands)
    _add_events(commands)
    _add_exports(commands)
    _add_trust(commands)
    _add_ends(commands, chosen)
    return parser, frozenset(commands.all.choices)


def _add_screens(commands: _Commands, chosen: str) -> None:
    command = commands.add("tui", tui, "open the screen", ".korg/journal.jsonl")
    screen_options(command, _SOURCE)
    play = "open the screen on a recorded session that grows, or serve a run"
    command = commands.add("demo", demo, play, "demo", demo=False)
    screen_options(command, argparse.SUPPRESS)
    if chosen == "demo":
        from korg_tui.recorder import demo_options

        demo_options(command)


def _add_lists(commands: _Commands) -> None:
    text = "list the sessions of ledgers"
    commands.data("sessions", reports.sessions, text, "sessions .korg --json")
    text = "list the lanes of ledgers and their links"
    commands.data("lanes", reports.lanes, text, "lanes journal.jsonl")
    text = "count calls, failures, time and tokens, per tool, agent and lane"
    command = commands.data("stats", reports.stats, text, "stats journal.jsonl --sort failed")
    reports.stats_options(command)
    text = "compare two sessions event by event, aligned by action"
    words = ("A B", f"two sessions, each a ledger with one session or an event of it ({_NAMED})")
    commands.data("compare", reports.compare, text, "compare old.jsonl new.jsonl:42", *words)


def _add_events(commands: _Commands) -> None:
    text = "show events, or whole ledgers as a tree"
    words = ("SEQ|SOURCE", f"events by number ({_NAMED}), and {_SOURCE}")
    command = commands.data("show", reports.show, text, "show 42 43 journal.jsonl", *words)
    only = "only these: is:failed tool:Bash since:10m"
    command.add_argument("--filter", metavar="QUERY", default="", help=only)
    text = "preview what a rewind to N would carry away; nothing is rewound"
    words = ("N|SOURCE", f"the last event to keep ({_NAMED}), and {_SOURCE}")
    command = commands.data("rewind", reports.rewind, text, "rewind 42 journal.jsonl", *words)
    before = "to the parent of N, the decision that led to it"
    command.add_argument("--before", action="store_true", help=before)
    command.add_argument("--text", action="store_true", help="print a report to paste (the default)")
    text = "write the content of a blob, verified"
    words = ("SHA|SOURCE", f"its name, or korg://local/blob/SHA, and {_SOURCE}")
    command = commands.data("blob", reports.blob, text, "blob SHA .korg > content", *words)
    into = "write it into a new file, once it is verified"
    command.add_argument("--out", "--output", dest="output", metavar="FILE", help=into)
    unasked = "fetch more than 10 MB from a server without asking"
    command.add_argument("--yes", action="store_true", help=unasked)


def _add_exports(commands: _Commands) -> None:
    text = "write a ledger as JSON, Markdown, a web page, a picture, a graph, or a trace"
    command = commands.add("export", reports.export, text, "export journal.jsonl --output journal.html")
    command.add_argument("words", nargs="*", metavar="SOURCE", help=_SOURCE)
    reports.export_options(command)


def _add_trust(commands: _Commands) -> None:
    text = "say whether ledgers can be believed: chain, signatures, seal, anchors"
    reports.verify_options(commands.data("verify", reports.verify, text, "verify .korg --json"))
    text = "say whether ledgers are as the spec asks: causes, roots, values, blobs, names, spines"
    reports.check_options(commands.data("check", reports.check, text, "check .korg --junit check.xml"))


def _add_ends(commands: _Commands, chosen: str) -> None:
    text = "print each change of a ledger as it happens"
    command = commands.data("follow", follow, text, "follow journal.jsonl --json")
    idle = "end when nothing has happened for so long"
    command.add_argument("--until-idle", type=float, metavar="SECONDS", help=idle)
    settings_options(command, "source")
    text = "be a ledger server that records what agents post, into a folder"
    command = commands.add("serve", serve, text, "serve --store .korg", demo=False)
    command.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    if chosen == "serve":
        from korg_tui.recorder import serve_options

        serve_options(command)
    text = "say where the configuration lies, what is in force, or what is wrong with it"
    config_options(commands.add("config", config, text, "config show", demo=False))
    text = "print what a shell needs to complete korg-tui"
    example = "completion bash > ~/.local/share/bash-completion/completions/korg-tui"
    completion_options(commands.add("completion", completion, text, example, demo=False))
