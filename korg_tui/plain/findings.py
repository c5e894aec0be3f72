"""Findings: what holds of a ledger and what does not, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from korg_tui.causal import Ledger
from korg_tui.reading import Reading
from korg_tui.text import visible
from korg_tui.trust import Watched, checklist, verification
from korg_tui.views import Examination, Findings, FoundLine


def finding_lines(reading: Reading, ledger: Ledger, watched: Watched | None = None) -> Iterator[str]:
    """All findings of a ledger, group by group, each a safe line; what was not `watched` is looked at now."""
    found = Findings(ledger, listed=None)
    found.damage.look()
    checks = checklist(ledger, reading.bodies(ledger), reading.source.blobs)
    looked = verification(reading, ledger)
    done = watched is not None and watched.done
    standing = watched.standing if watched is not None and done else looked.standing
    vouching = [each for each in (looked.sealing, looked.anchoring) if each is not None]
    found.examination = Examination(
        standing,
        checks,
        faults=tuple(fault for each in vouching for fault in each.faults),
        findings=looked.findings[len(looked.standing.findings) :],
        notes=tuple(note for each in vouching for note in each.notes),
    )
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
