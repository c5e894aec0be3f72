"""Asking: what each row of a page answers to the words of a filter, worked out here, so that the page only
looks it up. Rows share what is the same for many of them."""

from __future__ import annotations

import math
from typing import Any

from korg_tui.export.wanted import Wanted
from korg_tui.text import visible
from korg_tui.views import SpineLine, facts, label

_PATHS = 50
_PATH = 1_000


class Asking:
    """Collects what the rows answer: `facts` are sets of words, `agents` are actors, each named by number."""

    def __init__(self) -> None:
        self.facts: list[tuple[str, ...]] = []
        self.agents: list[str] = []
        self._numbers: dict[object, int] = {}

    def answers(self, wanted: Wanted, line: SpineLine) -> dict[str, Any]:
        """`facts`, `agent` (numbers); where there is any, `ms`, `paths`, and where the row shows them in
        another way, `n` (the seq) and `name` (the tool)."""
        ledger, row = wanted.ledger, line.row
        found = facts(ledger, row, wanted.read)
        number, took = ledger.number_at(row), ledger.duration_at(row)
        tool, shown = wanted.safe(ledger.tool_at(row)), wanted.redactor.text(line.tool)
        answers: dict[str, Any] = {
            "facts": self._number(found.words, self.facts),
            "agent": self._number(wanted.safe(ledger.actor_at(row)), self.agents),
            "ms": took if took is not None and math.isfinite(took) else None,
            "paths": [visible(path, _PATH) for path in found.paths[:_PATHS]] or None,
            "n": number if line.seq is None or label(ledger, line.seq) != str(number) else None,
            "name": tool if tool != shown else None,
        }
        return {name: value for name, value in answers.items() if value is not None}

    def _number(self, one: Any, among: list[Any]) -> int:
        known = self._numbers.get(one)
        if known is None:
            known = self._numbers[one] = len(among)
            among.append(one)
        return known
