"""Hostile diffs, terminal output, Markdown, JSON, pictures: every view and every export of them is inert."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from hostile import got_through
from hostile_contents import TRIED, blob_contents, calls, write_hostile_contents
from korg_tui.causal import Ledger
from korg_tui.event import Kind
from korg_tui.export import FORMATS, write_export
from korg_tui.reading import Reading
from korg_tui.sources import FileSource
from korg_tui.views import Line, details
from terminal import Terminal, Written, korg
from test_hostile_screen import harmless

MOST_LINES = 5_000
"""More lines than these are never made for one row."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_hostile_contents(tmp_path_factory.mktemp("contents"))


@pytest.fixture(scope="module")
def reading(path: Path) -> Iterator[Reading]:
    source = FileSource(path)
    yield Reading.of(source).complete()
    source.close()


@pytest.fixture(scope="module")
def ledger(reading: Reading) -> Ledger:
    (ledger,) = reading.journal.ledgers
    return ledger


@pytest.fixture(scope="module")
def shown(reading: Reading, ledger: Ledger) -> dict[int, list[Line]]:
    """The lines of the details of every row, with the contents of blobs."""
    read, blobs = reading.bodies(ledger), reading.source.blobs
    return {
        row: [
            line
            for section in details(ledger, row, read, blobs=blobs.find)
            for line in (Line(section.title), *section.lines)
        ]
        for row in range(len(ledger))
    }


def test_the_details_of_every_row_are_inert(shown: dict[int, list[Line]]) -> None:
    text = "\n".join(line.label + line.text + line.hang for lines in shown.values() for line in lines)
    raw = text.encode("utf-8", "surrogatepass")
    written = Written(raw.replace(b"\n", b""))
    assert written.forms == {}
    assert written.unseen == set()
    assert written.marks_in_a_row <= 2
    assert got_through(raw) == []


def test_parts_lie_within_their_lines(shown: dict[int, list[Line]]) -> None:
    for lines in shown.values():
        assert len(lines) < MOST_LINES
        for line in lines:
            assert not set("\n\r\x1b") & set(line.text)
            at = 0
            for span in line.spans:
                assert at <= span.begin <= span.end <= len(line.text)
                at = span.end


def test_every_way_to_show_contents_is_tried_and_read(ledger: Ledger) -> None:
    assert len(ledger) == 2 + len(TRIED) * (1 + len(list(calls("x"))) + len(list(blob_contents("x"))))
    assert all(Kind(kind).agent for kind in ledger.kind)


@pytest.mark.parametrize("name", FORMATS)
def test_every_export_is_inert(reading: Reading, ledger: Ledger, name: str) -> None:
    out = io.BytesIO()
    write_export(name, reading, ledger, out, session=0, redact=None, rewind_to=5, meant=None)
    raw = out.getvalue()
    assert got_through(raw) == []
    assert not set(raw) & (set(range(32)) - {0x0A})
    text = raw.decode()
    if name in ("json", "otlp"):
        json.loads(text)
    if name == "ndjson":
        assert [json.loads(line)["seq"] for line in text.splitlines()] == list(ledger.seq)
    if name in ("svg", "graphml"):
        ET.fromstring(text)
    if name == "html":
        assert text.count("<script") == text.count("</script") == 2
        assert not re.search(r"<img|onerror=|javascript:[^\"]*\"\s*>", text.split('id="data">')[0])


def test_a_terminal_shows_all_of_it(tmp_path: Path) -> None:
    ledger = write_hostile_contents(tmp_path)
    with Terminal(korg(ledger.name), home=tmp_path, size=(80, 24)) as terminal:
        terminal.see("› session 1")
        terminal.see("FOLLOW")
        for seq in range(53, 77, 2):  # what a control sequence can do
            terminal.press(":")
            terminal.see("go to seq")
            terminal.press(*str(seq), "enter")
            terminal.wait(lambda seq=seq: f"› {seq} " in terminal.lines[0], f"{seq} in the crumbs")
            terminal.press("enter", "pagedown", "G", "escape")
        terminal.press("q")
        assert terminal.end() == 0
        harmless(terminal)
