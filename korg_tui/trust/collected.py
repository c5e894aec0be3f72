"""Collected: what one check has found so far."""

from __future__ import annotations

from korg_tui.trust.found import About, Check, Finding, Status

KEPT = 1_000
"""Findings of one check that are kept to be listed; of more, how many."""


class Collected:
    """The findings of one check, in the order of the ledger."""

    def __init__(self, check: str) -> None:
        self.looked_at = 0
        self._check = check
        self._kept: list[Finding] = []
        self._more = 0
        self._status: Status = "pass"

    @property
    def full(self) -> bool:
        """Whether further findings are only counted: nobody reads their text."""
        return len(self._kept) >= KEPT

    def fail(self, seq: int | None, text: str, offset: int = 0, about: About = "") -> None:
        """Something that the spec says must not be."""
        self._status = "fail"
        self._keep(Finding(seq, text, True, offset, about))

    def warn(self, seq: int | None, text: str, offset: int = 0, about: About = "") -> None:
        """Something that should not be, or that may be when it is reported."""
        if self._status == "pass":
            self._status = "warn"
        self._keep(Finding(seq, text, False, offset, about))

    def tell(self, seq: int | None, text: str) -> None:
        """Something to know, which speaks against nothing."""
        self._keep(Finding(seq, text))

    def _keep(self, finding: Finding) -> None:
        if len(self._kept) < KEPT:
            self._kept.append(finding)
        else:
            self._more += 1

    def check(self, *others: Collected) -> Check:
        """The check, with what others have found for it, in the order of seqs."""
        parts = (self, *others)
        findings = [finding for part in parts for finding in part._kept]
        if others:
            findings.sort(key=lambda each: (each.seq is None, each.seq or 0))
        more = sum(part._more for part in parts)
        if more:
            findings.append(Finding(None, f"and {more:,} more like these", False))
        status: Status = max((part._status for part in parts), key=("pass", "warn", "fail").index)
        return Check(self._check, status, sum(part.looked_at for part in parts), tuple(findings))
