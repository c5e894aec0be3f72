"""Which ledgers to open when none was named, and why (EXPERIENCE.md, Starting)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

_JOURNALS = ("journal.jsonl", "capability_journal.json", "korg-tui.jsonl", "claude-events.jsonl")
_SESSIONS = "sessions"


class Discovery(msgspec.Struct, frozen=True):
    """What was chosen. `why` and `looked` are lines for a person."""

    ledgers: tuple[Path, ...]
    """Empty when there is nothing to open."""
    why: str
    looked: tuple[str, ...]
    """Where it looked, in order, and what was there; the last one is the chosen place."""


def discover(
    here: Path | None = None, *, environment: Mapping[str, str] = os.environ, home: Path | None = None
) -> Discovery:
    """The first place that has a ledger: `$KORG_JOURNAL_PATH`, `.korg` of this folder or one above it,
    `$KORG_HOME` or `~/.korg`."""
    here = Path.cwd() if here is None else here
    looked: list[str] = []
    for place, why in _places(here, environment, home):
        ledgers = tuple(_ledgers(place))
        if ledgers:
            looked.append(f"{place}: {_counted(len(ledgers))}")
            return Discovery(ledgers, f"{place} ({why})", tuple(looked))
        looked.append(f"{place}: {'no ledger in it' if place.is_dir() else 'not there'} ({why})")
    if not environment.get("KORG_JOURNAL_PATH"):
        looked.insert(0, "$KORG_JOURNAL_PATH: not set")
    return Discovery((), "no ledger was found", tuple(looked))


def _places(here: Path, environment: Mapping[str, str], home: Path | None) -> Iterator[tuple[Path, str]]:
    if environment.get("KORG_JOURNAL_PATH"):
        yield Path(environment["KORG_JOURNAL_PATH"]), "named by KORG_JOURNAL_PATH"
    yield here / ".korg", "of this folder"
    for folder in here.parents:
        if (folder / ".korg").is_dir():
            yield folder / ".korg", "of a folder above this one"
    if environment.get("KORG_HOME"):
        yield Path(environment["KORG_HOME"]), "named by KORG_HOME"
    else:
        yield (Path.home() if home is None else home) / ".korg", "of the home folder"


def _ledgers(place: Path) -> Iterator[Path]:
    try:
        if place.is_file():
            yield place
            return
        for path in (*(place / name for name in _JOURNALS), *sorted((place / _SESSIONS).glob("*.jsonl"))):
            if path.is_file():
                yield path
    except OSError:
        return


def _counted(ledgers: int) -> str:
    return "1 ledger" if ledgers == 1 else f"{ledgers} ledgers"
