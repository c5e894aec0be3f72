"""Findings: what holds of a ledger, what does not, and where, as grouped lines that lead to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice

from korg_tui.causal import Ledger
from korg_tui.text import visible
from korg_tui.trust import CUT_TAIL, About, Check, Fault, Finding, Standing, Status
from korg_tui.views import marks, words
from korg_tui.views.damage import Damage
from korg_tui.views.found import FoundLine, Weight
from korg_tui.views.trust_words import CHECK_TITLES, chain_words, unknowable

FIRST = 5
"""Findings of a group that are listed at first."""
FURTHER = 200
"""Further ones that are listed each time a person asks for more."""

_ALL = 1 << 30
_CELLS = 400
"""Characters of a finding, at most."""


@dataclass(frozen=True, slots=True)
class Examination:
    """What is known of a ledger so far."""

    standing: Standing | None = None
    """None before the chain was looked at."""
    checks: tuple[Check, ...] = ()
    faults: tuple[Fault, ...] = ()
    """What speaks against its seal and its anchors."""
    findings: tuple[Finding, ...] = ()
    """What else was found there."""
    notes: tuple[str, ...] = ()
    """What is to be said of them."""
    done: bool = True
    """Whether all of the ledger was looked at."""


class Findings:
    """The lines, and how many of each group are listed.

    What stands in a group of its own (dead pointers, malformed lines, blobs) is not told again below a
    check: the check says how many of its findings stand there."""

    def __init__(self, ledger: Ledger, listed: int | None = FIRST) -> None:
        """`listed` of each group are listed at first; None: all."""
        self.ledger = ledger
        self.damage = Damage(ledger)
        self.examination = Examination()
        self._first = _ALL if listed is None else listed
        self._listed: dict[str, int] = {}
        """By group: how many of its findings are listed, where a person has chosen."""

    # what a person unfolds

    def toggle(self, line: FoundLine) -> bool:
        """List further findings, fold those of a title or unfold them. False when the line holds none."""
        if line.kind == "more":
            self._listed[line.group] = self._room(line.group) + FURTHER
        elif line.folded is not None:
            self._listed[line.group] = self._first if line.folded else 0
        else:
            return False
        return True

    def _room(self, group: str) -> int:
        return self._listed.get(group, self._first)

    # counts

    @property
    def _blob_check(self) -> Check | None:
        return next((check for check in self.examination.checks if check.check == "6.4"), None)

    def summary(self) -> str:
        """`chain intact, 8,112 events · 2 checks fail · 3 warnings · 1 blob missing or wrong`."""
        told, standing = self.examination, self.examination.standing
        blobs = self._blob_check
        bad = sum(finding.grave for finding in blobs.findings) if blobs else 0
        fail, warn = self._with("fail"), self._with("warn")
        parts = [
            "" if standing is None else chain_words(standing),
            f"{words.plural(len(told.faults), 'fault')} of seal and anchors" if told.faults else "",
            f"{fail:,} {'check fails' if fail == 1 else 'checks fail'}" if fail else "",
            f"{words.plural(warn, 'check')} {'warns' if warn == 1 else 'warn'}" if warn else "",
            f"{words.plural(bad, 'blob')} missing or wrong" if bad else "",
            words.plural(len(self.damage.malformed), "malformed line") if self.damage.malformed else "",
            words.plural(len(self.damage.dead), "dead pointer") if self.damage.dead else "",
        ]
        if self.nothing_found:
            parts.append(f"nothing was found: {words.plural(len(told.checks), 'check')} passed")
            if standing is not None:
                unknown = sum(1 for _ in unknowable(standing))
                parts.append(f"{words.plural(unknown, 'thing')} nobody can know")
        return " · ".join(filter(None, parts))

    def _with(self, status: Status) -> int:
        return sum(check.status == status for check in self.examination.checks)

    @property
    def nothing_found(self) -> bool:
        """Whether all was looked at, and nothing speaks against the ledger."""
        told, standing = self.examination, self.examination.standing
        if standing is None or not told.checks or not told.done:
            return False
        holds = standing.verdict in ("intact", "window", "empty") and not standing.faults
        odd = standing.findings or told.faults or told.findings
        clean = not (odd or self.damage.dead or self.damage.malformed)
        return holds and clean and all(check.status == "pass" for check in told.checks)

    # lines

    def lines(self) -> tuple[FoundLine, ...]:
        """All lines in the order of the list; costs a step per line that is listed."""
        groups = (self._chain(), self._dead(), self._malformed(), self._blobs(), self._checks(), self._rest())
        return tuple(line for group in groups for line in group)

    def _chain(self) -> Iterator[FoundLine]:
        standing, told = self.examination.standing, self.examination
        if standing is None:
            yield self._unseen("chain")
            return
        faults = (self._fault(fault) for each in (standing.faults, told.faults) for fault in each)
        odd = (*standing.findings, *told.findings)
        findings = (self._finding("chain", each, "fail" if each.grave else "warn") for each in odd)
        count = len(standing.faults) + len(told.faults) + len(odd)
        weight: Weight = "pass" if standing.verdict in ("intact", "window", "empty") else "warn"
        if standing.verdict in ("broken", "needs_key") or standing.faults or told.faults:
            weight = "fail"
        said = chain_words(standing).removeprefix("chain ")
        yield from self._group("chain", weight, said, count, chain(faults, findings))
        for note in (*standing.notes, *told.notes):
            if note == CUT_TAIL:
                continue  # it stands among what nobody can know
            yield FoundLine("chain", "note", "note", "", visible(note, _CELLS))

    def _dead(self) -> Iterator[FoundLine]:
        rows = self.damage.dead
        lines = (self._dead_line(row) for row in rows)
        yield from self._group("dead pointers", "warn" if rows else "pass", "", len(rows), lines)

    def _dead_line(self, row: int) -> FoundLine:
        ledger, seq = self.ledger, self.ledger.seq[row]
        text = f"{marks.tool(ledger, row)}: {words.pointer(ledger, row)}"
        word = ledger.pointer_at(row).word
        where = words.label(ledger, seq)
        return FoundLine("dead pointers", "finding", "warn", word, text, where, seq)

    def _malformed(self) -> Iterator[FoundLine]:
        rows = self.damage.malformed
        lines = (self._malformed_line(row) for row in rows)
        yield from self._group("malformed lines", "fail" if rows else "pass", "", len(rows), lines)

    def _malformed_line(self, row: int) -> FoundLine:
        offset, reason = self.ledger.offset[row], visible(self.ledger.reason_at(row), _CELLS)
        where = f"byte {offset:,}"
        return FoundLine("malformed lines", "finding", "fail", "unread", reason, where, offset=offset)

    def _blobs(self) -> Iterator[FoundLine]:
        check = self._blob_check
        if check is None:
            yield self._unseen("blobs")
            return
        lines = (self._finding("blobs", each, _weight(check, each)) for each in check.findings)
        said = words.plural(check.looked_at, "blob") + " looked at"
        yield from self._group("blobs", check.status, said, len(check.findings), lines)

    def _checks(self) -> Iterator[FoundLine]:
        checks = self.examination.checks
        if not checks:
            yield self._unseen("checks")
            return
        counts = [(self._with("fail"), "fail"), (self._with("warn"), "warn"), (self._with("pass"), "pass")]
        said = ", ".join(f"{count:,} {word}" for count, word in counts if count)
        worst: Status = "fail" if counts[0][0] else "warn" if counts[1][0] else "pass"
        if self.examination.done:
            yield FoundLine("checks", "title", worst, worst, said)
        else:
            yield FoundLine("checks", "title", "wait" if worst == "pass" else worst, worst, f"{said} so far")
        for check in checks:
            yield from self._check(check)

    def _check(self, check: Check) -> Iterator[FoundLine]:
        own = [each for each in check.findings if not self._stands_above(check.check, each)]
        above = len(check.findings) - len(own)
        text = f"{CHECK_TITLES.get(check.check, '')}: {check.looked_at:,} looked at"
        if above:
            text += f", {above:,} above: {_GROUP_OF[check.check]}"
        lines = (self._finding(check.check, each, _weight(check, each)) for each in own)
        weight: Weight = check.status
        if check.status == "pass" and not self.examination.done:
            weight = "wait"
        title = FoundLine(check.check, "check", weight, check.status, text, check.check)
        yield from self._below(title, len(own), lines)

    @staticmethod
    def _stands_above(check: str, finding: Finding) -> bool:
        """Whether a finding is told in a group of its own."""
        return finding.about == _ABOUT.get(check)

    def _rest(self) -> Iterator[FoundLine]:
        """What nobody can know."""
        standing = self.examination.standing
        if standing is None:
            return
        yield FoundLine("nobody can know", "title", "note", "", "")
        for text in unknowable(standing):
            yield FoundLine("nobody can know", "note", "note", "", text)

    # the parts of a group

    def _unseen(self, group: str) -> FoundLine:
        """A group that was not looked at."""
        if self.examination.done:
            return FoundLine(group, "title", "note", "", "not looked at")
        return FoundLine(group, "title", "wait", "look", "looking …")

    def _group(
        self, name: str, weight: Weight, said: str, count: int, lines: Iterator[FoundLine]
    ) -> Iterator[FoundLine]:
        told = said or (f"{count:,}" if count else "none")
        yield from self._below(FoundLine(name, "title", weight, weight, told), count, lines)

    def _below(self, title: FoundLine, count: int, lines: Iterator[FoundLine]) -> Iterator[FoundLine]:
        """A title, the first of so many findings, and how many more there are. Only those are made."""
        room = self._room(title.group)
        yield replace(title, folded=not room) if count else title
        if not room:
            return
        yield from islice(lines, room)
        if count > room:
            text = f"and {count - room:,} more"
            yield FoundLine(title.group, "more", "note", "", text)

    def _fault(self, fault: Fault) -> FoundLine:
        line = self._finding("chain", Finding(fault.seq, fault.text, True, fault.offset), "fail")
        return replace(line, word=fault.kind)

    def _finding(self, group: str, finding: Finding, weight: Weight) -> FoundLine:
        text, seq = visible(finding.text, _CELLS), finding.seq
        if seq is not None:
            where = words.label(self.ledger, seq)
            return FoundLine(group, "finding", weight, weight, text, where, seq)
        if finding.offset:
            where = f"byte {finding.offset:,}"
            return FoundLine(group, "finding", weight, weight, text, where, offset=finding.offset)
        return FoundLine(group, "finding", weight, weight, text)


_GROUP_OF = {"6.1": "dead pointers", "6.4": "blobs", "7.6": "malformed lines"}
_ABOUT: Mapping[str, About] = {"6.1": "pointer", "6.4": "blob", "7.6": "line"}
"""What those findings of a check speak of that stand in such a group."""


def _weight(check: Check, finding: Finding) -> Weight:
    """A finding is what it makes of its check; on one that passes it is only told."""
    return "fail" if finding.grave else "note" if check.status == "pass" else "warn"
