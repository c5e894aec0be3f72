"""The command line: what `korg-tui` and `korg` run. Textual is imported only for the screen.

Standard output is data, standard error is narration. Exit codes: 0 fine, 1 findings, 2 usage, 3 a source
that cannot be read, 70 an internal fault, 74 no room for the output, 130 interrupted (EXPERIENCE, "Without
the screen").
"""

from __future__ import annotations

import argparse
import errno
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn, TextIO

from korg_tui import __version__
from korg_tui.faults import INTERNAL, report
from korg_tui.reports import UsageError
from korg_tui.sources import SourceError
from korg_tui.text import visible

USAGE = 2
UNWRITABLE = 74
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
INTERRUPTED = 130

_AsWritten = argparse.RawDescriptionHelpFormatter

Run = Callable[[argparse.Namespace], int]



class _Parser(argparse.ArgumentParser):
    """Errors are one line, without the usage in front of it."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")


_ABOUT = """\
korg-tui shows the event ledgers of AI coding agents: what an agent did, why it did that, what went wrong,
and what a rewind to any point would carry away. It never rewinds, and never writes to a ledger.

korg-tui LEDGER opens the screen; korg-tui alone looks for a ledger; korg-tui --demo shows a recorded one.
korg-tui serve is the other end: a ledger server for agents to write to.
"""

_SOURCE = "a ledger file, a folder, an http:// address, or - for standard input; nothing: look for one"
_NAMED = "LEDGER:N where several have it; of a parent and its sub-agent, a bare N is the parent's"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code. Nothing that goes wrong reaches the person as a traceback."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _settle_encodings()
    try:
        code = _run(words)
        sys.stdout.flush()
        return code
    except UsageError as wrong:
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
    # Python has no stream where the descriptor was closed.
    sys.stdout = sys.stdout or io.TextIOWrapper(io.BytesIO())
    sys.stderr = sys.stderr or io.TextIOWrapper(io.BytesIO())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def _refuse(text: str, code: int) -> int:
    try:
        print(f"korg-tui: {visible(text)}", file=sys.stderr, flush=True)
    except BrokenPipeError:
        _close_quietly(sys.stdout, sys.stderr)
    return code


def _close_quietly(*streams: TextIO) -> None:
    """Nobody takes what these streams have: leave nothing behind for the interpreter to flush at its exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream.fileno())


def _run(words: list[str]) -> int:
    parser, commands = _parser(words[0] if words else "")
    if not words or (words[0] not in commands and words[0] not in ("-h", "--help", "--version")):
        words = ["tui", *words]
    arguments, more = parser.parse_known_args(words)
    strange = [word for word in (*more, *arguments.words) if re.match(r"-[^0-9]", word)]
    if strange:
        raise UsageError(f"unknown option {strange[0]}; see korg-tui {words[0]} --help")
    arguments.words += more
    run: Run = arguments.run
    return run(arguments)


def _parser(chosen: str) -> tuple[argparse.ArgumentParser, frozenset[str]]:
    """The parser, and the names of the commands. Only the `chosen` one has the options of the recorder, which
    cost more to load than the others need to run."""
    from korg_tui import reports

    parser = _Parser(prog="korg-tui", description=_ABOUT, formatter_class=_AsWritten)
    parser.add_argument("--version", action="version", version=f"korg-tui {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)

    def add(name: str, run: Run, text: str, example: str, *, reads: bool = True) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name,
            help=text,
            description=f"{text[0].upper()}{text[1:]}.",
            epilog=f"example:\n  korg-tui {example}",
            formatter_class=_AsWritten,
        )
        command.set_defaults(run=run)
        if reads:
            command.add_argument("--demo", action="store_true", help="take the recorded demo for a SOURCE")
        return command

    def data(command: argparse.ArgumentParser, words: str, text: str) -> None:
        command.add_argument("words", nargs="*", metavar=words, help=text)
        command.add_argument("--json", action="store_true", help="print JSON, ASCII only, for scripts")

    _add_screen(add("tui", _tui, "open the screen", ".korg/journal.jsonl"))
    play = "open the screen on a recorded session that grows, or serve a run"
    demo = add("demo", _demo, play, "demo", reads=False)
    _add_screen(demo, takes=argparse.SUPPRESS)
    sessions = add("sessions", reports.sessions, "list the sessions of ledgers", "sessions .korg --json")
    data(sessions, "SOURCE", _SOURCE)
    lanes = add("lanes", reports.lanes, "list the lanes of ledgers and their links", "lanes journal.jsonl")
    data(lanes, "SOURCE", _SOURCE)
    show = add("show", reports.show, "show events, or whole ledgers as a tree", "show 42 43 journal.jsonl")
    data(show, "SEQ|SOURCE", f"events by number ({_NAMED}), and {_SOURCE}")
    show.add_argument("--filter", metavar="QUERY", default="", help="only these: is:failed tool:Bash")
    preview = "preview what a rewind to N would carry away; nothing is rewound"
    rewind = add("rewind", reports.rewind, preview, "rewind 42 journal.jsonl")
    data(rewind, "N|SOURCE", f"the last event to keep ({_NAMED}), and {_SOURCE}")
    before = "to the parent of N, the decision that led to it"
    rewind.add_argument("--before", action="store_true", help=before)
    rewind.add_argument("--text", action="store_true", help="print a report to paste (the default)")
    blob = add("blob", reports.blob, "write the content of a blob, verified", "blob SHA .korg > content")
    data(blob, "SHA|SOURCE", f"its name, or korg://local/blob/SHA, and {_SOURCE}")
    blob.add_argument("--output", metavar="FILE", help="write it into a new file")
    blob.add_argument("--yes", action="store_true", help="fetch more than 10 MB from a server without asking")
    out = "write a ledger as JSON, Markdown, a web page, a picture, a graph, or a trace"
    export = add("export", reports.export, out, "export journal.jsonl --output journal.html")
    export.add_argument("words", nargs="*", metavar="SOURCE", help=_SOURCE)
    reports.export_options(export)
    watch = "print each change of a ledger as it happens"
    follow = add("follow", reports.follow, watch, "follow journal.jsonl --json")
    data(follow, "SOURCE", _SOURCE)
    idle = "end when nothing has happened for so long"
    follow.add_argument("--until-idle", type=float, metavar="SECONDS", help=idle)
    _add_every(follow)
    record = "be a ledger server that records what agents post, into a folder"
    serve = add("serve", _serve, record, "serve --store .korg", reads=False)
    serve.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    _add_recorder(chosen, serve=serve, demo=demo)
    return parser, frozenset(commands.choices)


def _add_screen(command: argparse.ArgumentParser, takes: str = _SOURCE) -> None:
    command.add_argument("words", nargs="*", metavar="SOURCE", help=takes)
    command.add_argument("--theme", choices=("dark", "light"), default="dark", help="colours of the screen")
    command.add_argument("--ascii", action="store_true", help="for fonts without box drawing")
    _add_every(command)


def _add_every(command: argparse.ArgumentParser) -> None:
    text = "look at an http:// address so often, 0.2 to 60 (default: 1)"
    command.add_argument("--every", type=_seconds, default=1.0, metavar="SECONDS", help=text)


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0.2 <= seconds <= 60:
        raise argparse.ArgumentTypeError(f"{text} is not from 0.2 to 60 seconds")
    return seconds


def _add_recorder(chosen: str, **commands: argparse.ArgumentParser) -> None:
    if chosen in commands:
        from korg_tui import recorder

        recorder.serve_options(commands["serve"])
        recorder.demo_options(commands["demo"])


def _tui(arguments: argparse.Namespace) -> int:
    from korg_tui.config import Settings
    from korg_tui.opening import run

    return run(
        arguments.words,
        demo=arguments.demo,
        settings=Settings(theme=arguments.theme, ascii=arguments.ascii, every=arguments.every),
    )


def _demo(arguments: argparse.Namespace) -> int:
    if arguments.words:
        raise UsageError("demo takes no SOURCE; to open one, say korg-tui SOURCE")
    if arguments.serve:
        from korg_tui.recorder import demo_serve

        return demo_serve(arguments)
    if arguments.store is not None or arguments.speed != 1:
        raise UsageError("--store and --speed go with demo --serve")
    arguments.demo = True
    return _tui(arguments)


def _serve(arguments: argparse.Namespace) -> int:
    if arguments.words:
        raise UsageError("serve takes no SOURCE; --store FOLDER says where it records")
    from korg_tui.recorder import serve

    return serve(arguments)
