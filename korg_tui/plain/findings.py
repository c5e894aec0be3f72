"""Findings: what holds of a ledger and what does not, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from korg_tui.causal import Ledger
from korg_tui.reading import Reading
from korg_tui.text import visible
from korg_tui.trust import LedgerChain, Watched, checklist
from korg_tui.views import Examination, Findings, FoundLine


def finding_lines(reading: Reading, ledger: Ledger, watched: Watched | None = None) -> Iterator[str]:
    """All findings of a ledger, group by group, each a safe line; what was not `watched` is looked at now."""
    found = Findings(ledger, listed=None)
    found.damage.look()
    read = reading.bodies(ledger)
    checks = checklist(ledger, read, reading.source.blobs)
    done = watched is not None and watched.done
    standing = watched.standing if watched is not None and done else LedgerChain(ledger, read).whole()
    found.examination = Examination(standing, checks)
    yield visible(found.summary())
    for line in found.lines():
        yield visible(_sentence(line))


def _sentence(line: FoundLine) -> str:
    """`check 6.3, fail: paths verbatim …`, `event 42, link: it names another`."""
    match line.kind:
        case "title":
            head = ", ".join(filter(None, (line.group, line.word)))
        case "check":
            head = f"check {line.where}, {line.word}"
        case "finding":
            where = line.where if line.seq is None else f"event {line.where}"
            head = ", ".join(filter(None, (where, line.word)))
        case _:
            head = ""
    return f"{head}: {line.text}" if head and line.text else head or line.text
