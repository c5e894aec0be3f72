"""`export`: a ledger or a session in another form, on standard output or in a new file."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from korg_tui.causal import Rewind, rewind
from korg_tui.export import (
    FORMATS,
    Exported,
    ExportRefused,
    Progress,
    Wanted,
    ended_by_signals,
    spared,
    write_several,
    written_whole,
)
from korg_tui.reading import Reading
from korg_tui.reports.asked import (
    Meaning,
    Pick,
    Place,
    UsageError,
    filter_meaning,
    find,
    narrate,
    pick_of,
    read_places,
    sort_words,
)
from korg_tui.sources import SourceError

_NAMED = 4
_LONG = 0.5
"""Seconds after which a person wants to know how far it is."""


def export_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `export`."""
    formats = "; ".join(f"{each.name}: {each.text}" for each in FORMATS.values())
    parser.add_argument("--format", choices=tuple(FORMATS), help=formats)
    parser.add_argument("--output", metavar="FILE", help="a new file; nothing, or -: standard output")
    parser.add_argument("--force", action="store_true", help="write over FILE if it is there")
    parser.add_argument("--session", metavar="SEQ", help="only the session with this event")
    parser.add_argument("--filter", metavar="QUERY", default="", help="only these: is:failed tool:Bash")
    parser.add_argument("--rewind", metavar="N", help="with the preview of a rewind to N")
    parser.add_argument("--blobs", action="store_true", help="with the beginning of blobs (html, markdown)")
    default = " and ".join(each.name for each in FORMATS.values() if each.redacts)
    parser.add_argument(
        "--redact",
        action=argparse.BooleanOptionalAction,
        default=None,
        help=f"take known forms of secrets and home folders out; without it {default or 'none'} do",
    )


def export(arguments: argparse.Namespace) -> int:
    """Write what was asked for, and say on standard error what that was.

    Raises `UsageError`, and `SourceError` with exit code 3 for a ledger that cannot be had in this form."""
    picks, sources = sort_words(arguments.words)
    if picks:
        raise UsageError(f"export takes no event number; --session {picks[0]} exports the session of one")
    if arguments.output is not None and not arguments.output.strip():
        raise UsageError("--output names no file; give it a name, or - for standard output")
    if arguments.output == "-":
        arguments.output = None
    name = _format(arguments)
    meant = filter_meaning(arguments.filter, rewinds=arguments.rewind is not None)
    readings, every = read_places(sources, arguments.demo)
    wanted = list(_wanted(every, arguments, meant))
    if len(wanted) > 1 and not FORMATS[name].several:
        raise UsageError(f"{name} holds one ledger, and here are {len(wanted)}: name one of {_names(wanted)}")
    _spare_ledgers(readings, arguments.output)
    with _output(arguments.output, force=arguments.force) as out:
        try:
            with _progress(arguments.output) as progress:
                done = write_several(name, wanted, out, redact=arguments.redact, progress=progress)
        except ExportRefused as refused:
            raise SourceError(str(refused)) from refused
    _tell(done, arguments.output)
    if meant is not None:
        meant.tell_unseen()
    return 0


def _names(wanted: Sequence[Wanted]) -> str:
    """How each ledger is named alone; the first of a file that holds several is `FILE#1`."""
    every = {each.ledger.name for each in wanted}
    listed = [name if f"{name}#2" not in every else f"{name}#1" for name in sorted(every)]
    more = f" and {len(listed) - _NAMED} more" if len(listed) > _NAMED else ""
    return f"{', '.join(listed[:_NAMED])}{more}"


@contextmanager
def _progress(output: str | None) -> Iterator[Progress | None]:
    """Tells a person at a terminal how far it is, once it takes long, and wipes that away in the end."""
    if not sys.stderr.isatty() or (output is None and sys.stdout.isatty()):
        yield None
        return
    began, said = time.monotonic(), ""

    def tell(done: int, total: int) -> None:
        nonlocal said
        if time.monotonic() - began > _LONG:
            said = f"korg-tui: {done:,} of {total:,} events"
            print(f"\r{said}", end="", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        if said:
            print(f"\r{' ' * len(said)}\r", end="", file=sys.stderr, flush=True)


def _tell(done: Exported, output: str | None) -> None:
    narrate(f"{done.words}{'' if output is None else f'; in {output}'}")


def _format(arguments: argparse.Namespace) -> str:
    """The format that was named, or that the ending of the file says."""
    if arguments.format:
        return str(arguments.format)
    file = (arguments.output or "").lower()
    for each in sorted(FORMATS.values(), key=lambda each: -len(each.suffix)):
        if file.endswith(each.suffix):
            return each.name
    raise UsageError(f"--format says in which form: {', '.join(FORMATS)}")


# what


def _wanted(
    every: Sequence[Place], arguments: argparse.Namespace, meant: Meaning | None
) -> Iterator[Wanted]:
    target = None if arguments.rewind is None else _rewind(_pick(arguments.rewind, "--rewind"), every)
    chosen: Iterable[Place] = every
    session = None
    if arguments.session is not None:
        hit = find(_pick(arguments.session, "--session"), every, agent=True)
        chosen, session = [hit.place], hit.place.ledger.session_at(hit.row)
    elif target is not None and not FORMATS[_format(arguments)].several:
        chosen = [target[0]]
    for place in chosen:
        here = target[1] if target is not None and target[0].ledger is place.ledger else None
        predicate = None if meant is None else meant(place, here)
        yield Wanted(place.reading, place.ledger, session, predicate, here, arguments.blobs)
    if target is not None and all(target[0].ledger is not place.ledger for place in chosen):
        raise UsageError(f"--rewind {arguments.rewind} is in another ledger than --session")


def _pick(word: str, option: str) -> Pick:
    pick = pick_of(word)
    if pick is None:
        raise UsageError(f"{option} takes an event: a number, or LEDGER:N; not {word}")
    return pick


def _rewind(pick: Pick, every: Sequence[Place]) -> tuple[Place, Rewind]:
    if pick.seq == 0 and len(every) == 1 and every[0].ledger.row_of(0) is None:
        return every[0], rewind(every[0].ledger, 0)
    hit = find(pick, every, agent=True)
    return hit.place, rewind(hit.place.ledger, hit.place.ledger.seq[hit.row])


# where


def _spare_ledgers(every: Sequence[Reading], output: str | None) -> None:
    """Refuse to write into a file that is being read, or among its blobs."""
    target: Path | int | None = Path(output) if output is not None else _number(sys.stdout)
    reads = _number(sys.stdin)
    why = "" if target is None else spared(target, every, () if reads is None else (reads,))
    if why:
        where = "standard output" if output is None else output
        folder = "folder" if "blobs" in why else "file"
        raise UsageError(f"{where} is {why}; take another {folder}")


def _number(file: object) -> int | None:
    """The descriptor of an open file."""
    try:
        return file.fileno()  # type: ignore[attr-defined, no-any-return]
    except (AttributeError, OSError, ValueError):
        return None


@contextmanager
def _output(name: str | None, *, force: bool) -> Iterator[BinaryIO]:
    """Where the bytes go. A file is there whole, or as it was."""
    if name is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(name).resolve()
    if path.exists() and not path.is_file() and not path.is_dir():
        with path.open("wb") as file:
            yield file
        return
    if path.exists() and not force:
        raise UsageError(f"{name} is there already; --force writes over it")
    try:
        with ended_by_signals(), written_whole(path) as file:
            yield file
    except (FileNotFoundError, NotADirectoryError, PermissionError, IsADirectoryError, FileExistsError) as no:
        raise UsageError(f"{name} cannot be written: {no.strerror}; give --output another name") from None
