"""Which ledgers to open when none was named, and why (EXPERIENCE.md, Starting)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from korg_tui import faults
from korg_tui.sources.errors import NotThere, SourceError
from korg_tui.sources.folder import GLANCE, Found, glance

DEFAULT = "http://127.0.0.1:8080"
"""Where a Korg server listens when nobody says otherwise."""

DEFAULT_SECONDS = 0.3
"""How long that one is waited for."""

NAMED_SECONDS = 2.0
"""How long a server is waited for that a variable names."""

_SERVERS = ("KORG_URL", "KORG_BASE_URL", "KORG_SERVER_ADDR")

Ask = Callable[[str, float], None]
"""`ask(url, seconds)` raises `NotThere` unless a Korg server answers there within so many seconds."""


def _ask(url: str, seconds: float) -> None:
    from korg_tui.sources.http.probe import probe

    probe(url, seconds)


class Discovery(msgspec.Struct, frozen=True):
    """What was chosen. `why` and `looked` are lines for a person."""

    names: tuple[str, ...]
    """What `open_sources` takes: files, folders, or an address. Empty when there is nothing to open."""
    why: str
    looked: tuple[str, ...]
    """Where it looked, in order, and what was there; the last one is the chosen place."""
    missed: tuple[str, ...] = ()
    """Variables that name a place where nothing is to be opened, with that place and the reason."""

    @property
    def said(self) -> str:
        """In one line: what was chosen and why, and in the place of what that was named."""
        if not self.missed:
            return f"reading {self.why}"
        return f"{'; '.join(self.missed)}; reading {self.why} instead"


class _Looked(msgspec.Struct, frozen=True):
    """One place, and what was there: `names` to open, or none and the reason."""

    place: str
    found: str
    why: str
    names: tuple[str, ...] = ()
    variable: str = ""
    """What names it, if anything does."""


def discover(
    here: Path | None = None,
    *,
    environment: Mapping[str, str] = os.environ,
    home: Path | None = None,
    ask: Ask | None = None,
) -> Discovery:
    """The first place that has a ledger: `$KORG_JOURNAL_PATH`; the server that `$KORG_URL`, `$KORG_BASE_URL`,
    or `$KORG_SERVER_ADDR` names; `.korg` of this folder or one above it; a server on this machine;
    `$KORG_HOME` or `~/.korg`. A server counts when it answers with a journal. Raises nothing."""
    looked: list[str] = []
    missed: list[str] = []
    for each in _places(here, environment, faults.home() if home is None else home, ask or _ask):
        if each.names:
            looked.append(f"{each.place}: {each.found}")
            return Discovery(each.names, f"{each.place} ({each.why})", tuple(looked), tuple(missed))
        if each.variable:
            missed.append(f"{each.variable}={each.place}: {each.found}")
        looked.append(f"{each.place}: {each.found}" + f" ({each.why})" * bool(each.why))
    return Discovery((), "no ledger was found", tuple(looked), tuple(missed))


def _places(here: Path | None, environment: Mapping[str, str], home: Path, ask: Ask) -> Iterator[_Looked]:
    if environment.get("KORG_JOURNAL_PATH"):
        yield _named("KORG_JOURNAL_PATH", _file_or_folder(Path(environment["KORG_JOURNAL_PATH"])))
    else:
        yield _Looked("$KORG_JOURNAL_PATH", "not set", "")
    yield from _servers(environment, ask)
    own = environment.get("KORG_HOME", "")
    last = Path(own) if own else home / ".korg"
    yield from _project(here, last)
    yield _server(DEFAULT, "a server on this machine", DEFAULT_SECONDS, ask)
    if own:
        yield _named("KORG_HOME", _file_or_folder(last))
    else:
        yield _Looked("$KORG_HOME", "not set", "")
        yield _file_or_folder(last, "of the home folder")


def _named(variable: str, looked: _Looked) -> _Looked:
    return msgspec.structs.replace(looked, why=f"named by {variable}", variable=variable)


def _servers(environment: Mapping[str, str], ask: Ask) -> Iterator[_Looked]:
    named = [name for name in _SERVERS if environment.get(name)]
    for name in named:
        yield _named(name, _server(_completed(environment[name]), "", NAMED_SECONDS, ask))
    if not named:
        yield _Looked(", ".join(f"${name}" for name in _SERVERS), "not set", "")


def _server(url: str, why: str, seconds: float, ask: Ask) -> _Looked:
    from korg_tui.sources.http.address import address

    try:
        shown = address(url).shown
    except SourceError as error:
        return _Looked(error.text.partition(": ")[0], "not an address", why)
    try:
        ask(url, seconds)
    except NotThere as error:
        return _Looked(shown, str(error), why)
    return _Looked(shown, "it answers", why, (url,))


def _completed(url: str) -> str:
    """An address of a variable, where the scheme may be missing (`KORG_SERVER_ADDR=127.0.0.1:8080`)."""
    url = url.strip()
    return url if "://" in url else f"http://{url}"


def _project(here: Path | None, last: Path) -> Iterator[_Looked]:
    """`.korg` of this folder and of those above it; `last` has its turn later, unless it is of this one."""
    try:
        here = Path.cwd() if here is None else here
    except OSError:  # the folder this program was started in is gone
        return
    yield _file_or_folder(here / ".korg", "of this folder")
    last = Path(os.path.realpath(last))
    for above in (folder / ".korg" for folder in here.parents):
        if above.is_dir() and Path(os.path.realpath(above)) != last:
            yield _file_or_folder(above, "of a folder above this one")


def _file_or_folder(place: Path, why: str = "") -> _Looked:
    """A folder counts when a ledger is in it, however deep, by its content; all that are in it are shown."""
    try:
        if place.is_file():
            return _Looked(str(place), "a file", why, (str(place),))
        found = glance(place)
    except (FileNotFoundError, NotADirectoryError):
        return _Looked(str(place), "not there", why)
    except (OSError, ValueError):
        return _Looked(str(place), "it cannot be read", why)
    if found.ledgers:
        return _Looked(str(place), "a folder with ledgers", why, (str(place),))
    return _Looked(str(place), _without_ledgers(found), why)


def _without_ledgers(found: Found) -> str:
    if found.cut:
        return f"no ledger among the first {GLANCE:,} files in it"
    unreadable = f", but {found.unreadable:,} unreadable" if found.unreadable else ""
    return f"no ledger in it{unreadable}"
