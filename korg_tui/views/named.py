"""Named: how a person names an event, by its seq, and by its ledger where that is not plain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from korg_tui.causal import Ledger, has_room
from korg_tui.text import crop, visible

_CELLS = 20
_ENDING = re.compile(r"(?<=[^/.])\.[^./#]+(?=(?:#[0-9]+)?$)")
"""The suffix of a file; the number of a ledger in it stays."""
_EVENT = re.compile(r"(?:(?:korg://local/event/)|(?:(?P<ledger>.+):))?(?P<seq>[0-9]{1,99})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Named:
    """An event that may have been meant. `ledger` is the full name of the one that it is in, `row` where it
    is, None when it is not there; `rank` tells the better of two names for a ledger."""

    ledger: str
    row: int | None
    rank: int


def stem(name: str) -> str:
    """The last part of a ledger's name, without the suffix of the file: `agent-one`, safe text."""
    return visible(_ENDING.sub("", name).rpartition("/")[2])


def short(name: str) -> str:
    """The stem, cropped to the room that it has in a sentence."""
    return crop(stem(name), _CELLS)


def event_words(text: str) -> tuple[str, int] | None:
    """The ledger, empty when none is named, and the seq in `42`, `korg://local/event/42` or `LEDGER:42`."""
    found = _EVENT.fullmatch(text.strip())
    return None if found is None else (found["ledger"] or "", int(found["seq"]))


def named(ledger: Ledger, name: str, number: int) -> Iterator[Named]:
    """What `name:number` can mean in a ledger and in those of sub-agents that are lanes of it. Without a name
    the ledger itself is meant."""
    if rank := _rank(ledger.name, name):
        yield Named(ledger.name, ledger.row_of(number), rank)
    for origin in ledger.origins if name else ():
        if origin is not None and (rank := _rank(origin.name, name)):
            row = ledger.row_of(origin.key(number)) if has_room(number) else None
            yield Named(origin.name, row, rank)


def _rank(ledger: str, name: str) -> int:
    """Whether a ledger is called so: 3 by its full name, 2 by its last parts, 1 by these without the suffix,
    or by what is `short` for it; 0 when it is not."""
    if not name or ledger == name:
        return 3
    if ledger.endswith(f"/{name}"):
        return 2
    bare = _ENDING.sub("", ledger)
    return int(name in (bare, stem(ledger), short(ledger)) or bare.endswith(f"/{name}"))
