"""Arguments: what the rows of a spine say of their bodies, decoded when looked at and remembered."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from korg_tui.causal import Ledger
from korg_tui.event import Kind
from korg_tui.formats import body
from korg_tui.sources import BodyGone
from korg_tui.text import visible
from korg_tui.views import summary
from korg_tui.views.words import size

Read = Callable[[int, int], bytes]
"""`read(offset, length)`: the bytes of a record of the current reading. Raises BodyGone or OSError."""

LARGE = 1_000_000
"""Bytes of a record that is not decoded for one line of a list."""

_REMEMBERED = 4096
_PEEK = 400


class Arguments:
    """The arguments that matter, by row, least recently seen forgotten first."""

    def __init__(self, ledger: Ledger, read: Read | None) -> None:
        self._ledger = ledger
        self._read = read
        self._known: OrderedDict[int, str] = OrderedDict()

    def forget(self) -> None:
        """Rows have moved."""
        self._known.clear()

    def of(self, row: int) -> str:
        """The argument of a row, a safe line; what could not be read says so."""
        known = self._known.get(row)
        if known is None:
            known = self._known[row] = self._look(row)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(row)
        return known

    def _look(self, row: int) -> str:
        if self._read is None:
            return ""
        kind = Kind(self._ledger.kind[row])
        if kind is Kind.GAP:
            return ""
        offset, length = self._ledger.offset[row], self._ledger.length[row]
        try:
            if kind is Kind.MALFORMED:
                raw = self._read(offset, min(length, _PEEK))
                return visible(raw.decode("utf-8", "backslashreplace"), _PEEK)
            if length > LARGE:
                return f"record of {size(length)}: see the details"
            found = body(self._read(offset, length))
        except (BodyGone, OSError) as gone:
            return visible(f"record not readable: {gone}", _PEEK)
        return "" if found is None else summary.argument(self._ledger.tool_at(row), found, kind)
