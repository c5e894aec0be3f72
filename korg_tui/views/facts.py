"""Facts: what each event answers to `kind:`, `is:`, `has:` and `path:`, for who filters without a ledger."""

from __future__ import annotations

from typing import NamedTuple

from korg_tui.causal import Ledger
from korg_tui.event import Kind
from korg_tui.views import calls
from korg_tui.views.arguments import Read
from korg_tui.views.contents import Blobs, Content, Unseen
from korg_tui.views.meanings import HAS, KINDS, PLAINLY, STATES

FACTS = {"kind": tuple(KINDS), "is": tuple(STATES), "has": HAS}
"""What the keys take, but for `is:dropped`, which is a matter of the preview."""


class Facts(NamedTuple):
    """What an event answers to."""

    words: tuple[str, ...]
    """`kind:tool`, `is:failed`, `has:path`: all that fit."""
    paths: tuple[str, ...]
    """The paths that its call names, as the record has them."""


def facts(ledger: Ledger, row: int, read: Read) -> Facts:
    """The facts of a row; `read(offset, length)` gives the bytes of its record."""
    kind, offset, length = Kind(ledger.kind[row]), ledger.offset[row], ledger.length[row]
    failed = ledger.success_at(row) is False
    load = None if kind is Kind.GAP else lambda: read(offset, length)
    found = Content(ledger.tool_at(row), kind, failed, (offset, length), (), load, Blobs(None), Unseen())
    has = (name for name in HAS if (PLAINLY[name](ledger, row) if name in PLAINLY else found.has(name)))
    words = [
        *(f"kind:{name}" for name, fits in KINDS.items() if fits(ledger, row)),
        *(f"is:{name}" for name, fits in STATES.items() if fits(ledger, row)),
        *(f"has:{name}" for name in has),
    ]
    paths = () if found.found is None else tuple(calls.paths_named(found.tool, found.found.args))
    return Facts(tuple(words), paths)
