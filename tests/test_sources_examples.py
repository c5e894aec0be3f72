"""Every example ledger beside the checkout can be read, when there are any."""

from __future__ import annotations

from pathlib import Path

import pytest

from korg_tui.event import Event, Malformed
from korg_tui.formats import body
from korg_tui.sources import FileSource, Grew, SourceError, ledgers_in

EXAMPLES = Path(__file__).parents[2] / "shared" / "ledgers"
FILES = sorted(path for path in EXAMPLES.rglob("*") if path.is_file()) if EXAMPLES.is_dir() else []
NOT_READ_YET = ("looprig", "blobs")
TORN = {"torn-tail.jsonl"}

if FILES:

    @pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(EXAMPLES)))
    def test_an_example_is_read_whole_or_refused_in_one_line(path: Path) -> None:
        source = FileSource(path)
        try:
            facts = list(source.start())
        except SourceError as error:
            assert "not a ledger" in error.text
            return
        assert not set(NOT_READ_YET) & set(path.parts)
        records = [record for fact in facts if isinstance(fact, Grew) for record in fact.records]
        assert all(isinstance(record, Event) for record in records)
        for record in records:
            assert body(source.read(record.offset, record.length)) is not None
        torn = source.finish()
        assert [type(record) for record in torn] == ([Malformed] if path.name in TORN else [])
        source.close()

    def test_the_folder_of_examples_is_walked() -> None:
        ledgers = ledgers_in(EXAMPLES).ledgers
        assert len(ledgers) > 50
        assert not any(set(NOT_READ_YET) & set(path.parts) for path in ledgers)
