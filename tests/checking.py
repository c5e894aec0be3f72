"""Checklists of small ledgers: what each check says, in statuses and findings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from builders import Book, lines
from korg_tui.causal import Ledger
from korg_tui.reading import Reading
from korg_tui.sources import BlobFound, FileSource
from korg_tui.trust import Check, Checklist, Finding, checklist

IDS = ("6.1", "6.2", "6.3", "6.4", "6.5", "6.6", "7.6", "2a")


class Shelf:
    """Blobs of a test: by name, what is found of each; how often each was asked for."""

    def __init__(self, found: dict[str, BlobFound] | None = None, *, remote: bool = False) -> None:
        self.found = found or {}
        self.remote = remote
        self.asked: list[tuple[str, bool]] = []

    def find(self, sha: str, *, whole: bool = False) -> BlobFound:
        self.asked.append((sha, whole))
        return self.found.get(sha) or BlobFound(sha, "missing", "missing: looked in blobs")


class Kept:
    """A ledger file, what was read of it, and its checks."""

    def __init__(self, path: Path, content: bytes, *, ended: bool = False) -> None:
        """`ended`: nobody writes it any more, so that a torn last line is read, too."""
        path.write_bytes(content)
        self.path = path
        self.source = FileSource(path)
        self.reading = Reading.of(self.source)
        if ended:
            self.reading.complete()
            return
        for fact in self.source.start():
            self.reading.apply(fact)

    def write(self, content: bytes, mode: str = "ab") -> None:
        """Write more, or with `wb` other content; the reading takes it in."""
        with self.path.open(mode) as file:
            file.write(content)
        for fact in self.source.poll():
            self.reading.apply(fact)

    @property
    def ledger(self) -> Ledger:
        return self.reading.journal.ledgers[0]

    def looking(self, shelf: Shelf | None = None, **more: object) -> Checklist:
        """A checklist that has looked at nothing yet."""
        blobs = shelf or self.source.blobs
        return Checklist(self.ledger, self.reading.bodies(self.ledger), blobs, **more)  # type: ignore[arg-type]

    def checks(self, shelf: Shelf | None = None, since: int | None = None) -> dict[str, Check]:
        """All checks of the ledger as it stands."""
        blobs = shelf or self.source.blobs
        found = checklist(self.ledger, self.reading.bodies(self.ledger), blobs, since=since)
        assert tuple(check.check for check in found) == IDS
        return {check.check: check for check in found}


def look(looking: Checklist, sizes: Callable[[], int] = lambda: 2_000) -> tuple[Check, ...]:
    """Look at all that was not looked at yet, in batches of such sizes."""
    while (batch := looking.batch(sizes())) is not None:
        batch.check()
        looking.absorb(batch)
    return looking.checks()


def written(book: Book) -> bytes:
    """The records as they are, without hashes."""
    return lines(book.records)


def told(check: Check) -> list[tuple[int | None, str]]:
    """What a check found, as seq and text."""
    return [(finding.seq, finding.text) for finding in check.findings]


def statuses(checks: dict[str, Check]) -> dict[str, str]:
    """Those that do not pass."""
    return {name: check.status for name, check in checks.items() if check.status != "pass"}


def graves(check: Check) -> list[Finding]:
    """The findings that make it fail."""
    return [finding for finding in check.findings if finding.grave]
