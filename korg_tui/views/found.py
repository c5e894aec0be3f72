"""Found: one line of what was found in a ledger, and all that is to be said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from korg_tui.views.sections import Line, Section
from korg_tui.views.trust_words import CHECK_RULES

Weight = Literal["fail", "warn", "pass", "note", "wait"]

SIGNS: Mapping[Weight, str] = {"fail": "✗", "warn": "!", "pass": "✓", "note": "·", "wait": "…"}
"""The sign of a line, which a word goes with."""


@dataclass(frozen=True, slots=True)
class FoundLine:
    """One line of the list. All text is safe."""

    group: str
    """`chain`, `dead pointers`, `malformed lines`, `blobs`, `checks`, `nobody can know`, or the id of a
    check."""
    kind: Literal["title", "check", "finding", "more", "note"]
    weight: Weight
    word: str
    """What the sign says, as a word: a status, a kind of fault, the state of a pointer."""
    text: str
    where: str = ""
    """`42`, `agent-one:5`, `byte 1,234`; empty for what speaks of the whole ledger."""
    seq: int | None = None
    """The event it leads to."""
    offset: int | None = None
    """Of a line that is no event: where it lies, bytes."""
    folded: bool | None = None
    """Whether its findings are not listed; None where there are none."""

    @property
    def sign(self) -> str:
        """One cell."""
        return SIGNS[self.weight]

    @property
    def leads(self) -> bool:
        """Whether there is a row of the ledger to go to."""
        return self.seq is not None or self.offset is not None

    @property
    def identity(self) -> tuple[object, ...]:
        """What stays the same while the ledger grows."""
        told = self.kind == "finding"
        return (self.group, self.kind, self.seq, self.offset, self.text if told else "")


_LOOKED_FOR = {
    "chain": "The hash of every event is reckoned anew from its content, and compared with what it says, and "
    "with what the event after it says.",
    "dead pointers": "Events that should have a parent here and have none; each says what became of it.",
    "malformed lines": "Lines that are no events. No session has them, and nothing is lost of the others.",
    "blobs": CHECK_RULES["6.4"],
    "checks": "What the specification asks of a ledger (SPEC §6, §7.6, §2a): a broken MUST fails; a SHOULD, "
    "and what is allowed when it is reported, warns.",
    "nobody can know": "What no examination of the ledger alone can show.",
    **CHECK_RULES,
}


def about(line: FoundLine) -> Section:
    """All of a line, for the pane below the list: where, the whole text, and what was looked for."""
    title = f"{line.group} · {line.where}" if line.kind == "finding" and line.where else line.group
    if line.kind == "check":
        title = f"check {line.group}"
    said = [Line(line.text, "error" if line.weight == "fail" else "", line.word)] if line.text else []
    if line.seq is not None:
        said.append(Line(f"event {line.where}", seq=line.seq, label="where"))
    elif line.offset is not None:
        said.append(Line(f"the line at {line.where}", label="where"))
    said.append(Line(_LOOKED_FOR[line.group], "note"))
    return Section(title, "causes", tuple(said))
