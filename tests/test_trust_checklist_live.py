"""A checklist that grows with its ledger says what one of the whole says."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from builders import Book, lines
from checking import Kept, Shelf, look

TOOLS = st.sampled_from(["user_prompt", "llm_inference", "Read", "Agent", "stall.verdict"])
ACTORS = st.sampled_from(["agent:main@1", "agent:sub@1", "human:dusk", "robot"])
PARENTS = st.one_of(st.none(), st.integers(0, 14), st.sampled_from(["x", True]))


@st.composite
def ledgers(draw: st.DrawFn) -> list[bytes]:
    """Lines in the order of writing: some late, some no events."""
    book = Book()
    for _ in range(draw(st.integers(1, 12))):
        result = draw(st.sampled_from([{}, {"out": "x" * 1_100}, {"_ref": "sha256:" + "a" * 64}]))
        book.add(draw(TOOLS), draw(PARENTS), draw(ACTORS), result=result)
    written: list[bytes] = [lines([record]) for record in book.records]
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(1, len(written)))
        if draw(st.booleans()):
            written.insert(place, b"{no json\n")
        else:
            written.append(written.pop(place - 1) if place > 1 else b"// nothing\n")
    return written


@settings(max_examples=120, deadline=None)
@given(written=ledgers(), data=st.data())
def test_piece_by_piece_is_as_whole(written: list[bytes], data: st.DataObject):
    with tempfile.TemporaryDirectory() as folder:
        kept = Kept(Path(folder) / "journal.jsonl", written[0])
        if not kept.reading.journal.ledgers:
            return
        shelf: Any = Shelf()
        looking = kept.looking(shelf)
        rest = written[1:]
        while rest:
            count = data.draw(st.integers(1, len(rest)))
            kept.write(b"".join(rest[:count]))
            rest = rest[count:]
            look(looking, lambda: data.draw(st.integers(1, 5)))
        if data.draw(st.booleans()):
            kept.write(b"".join(written[: data.draw(st.integers(1, len(written)))]), "wb")
        assert look(looking) == tuple(kept.checks(shelf).values())
