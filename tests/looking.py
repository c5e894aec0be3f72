"""To look at a small ledger through the views: open one from a book or from bytes, and print what is seen."""

from __future__ import annotations

from builders import Book, table
from korg_tui.causal import Journal, Ledger
from korg_tui.formats import decode
from korg_tui.sources import BodyGone, Grew
from korg_tui.views import Section, Spine


class Glass:
    """A ledger that lies in memory, line by line, and may grow."""

    def __init__(self, content: Book | str | bytes) -> None:
        self.journal = Journal("glass")
        self.held = b""
        self.reads = 0
        self.lost = False
        self.grow(content)

    @property
    def ledger(self) -> Ledger:
        return self.journal.ledgers[0]

    def grow(self, content: Book | str | bytes) -> None:
        """Append what a book holds, a table of events, or lines as they are."""
        if isinstance(content, str):
            content = table(content)
        added = content if isinstance(content, bytes) else content.nested()
        records = []
        for line in added.splitlines(keepends=True):
            bare = line.rstrip(b"\n")
            records.append(decode(bare, len(self.held)))
            self.held += line
        self.journal.apply(Grew(tuple(records)))

    def read(self, offset: int, length: int) -> bytes:
        if self.lost:
            raise BodyGone("the file is gone")
        self.reads += 1
        return self.held[offset : offset + length]

    def raw(self, row: int) -> bytes:
        return self.read(self.ledger.offset[row], self.ledger.length[row])

    def row(self, seq: int) -> int:
        found = self.ledger.row_of(seq)
        assert found is not None
        return found

    def spine(self, session: int | None = 0) -> Spine:
        return Spine(self.ledger, session, self.read)


def screen(spine: Spine, *, marks: bool = False) -> list[str]:
    """Every visible row as `seq rails tool argument`, with `[marks] note` if asked for."""
    seen = []
    for index in range(len(spine)):
        line = spine.line(index)
        seq = "-" if line.seq is None else line.seq
        row = f"{seq:>2} {line.rails} {line.sign} {line.tool} {line.argument}".rstrip()
        if line.dim:
            row = f"({row})"
        said = " ".join(filter(None, [f"[{', '.join(line.marks)}]" if line.marks else "", line.note]))
        seen.append(f"{row}  {said}".rstrip() if marks else row)
    return seen


def lines_of(section: Section) -> list[str]:
    """The lines of a section as `label: text`."""
    return [f"{line.label}: {line.text}" if line.label else line.text for line in section.lines]


def titled(sections: list[Section], title: str) -> list[str]:
    """The lines of the section that has this title."""
    return next(lines_of(section) for section in sections if section.title == title)
