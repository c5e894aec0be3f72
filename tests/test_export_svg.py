"""The picture: valid XML with rails, and what a rewind drops where that is asked for."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from exporting import SECRET, exported, reading_of, told_book
from korg_tui.export import svg
from korg_tui.reading import Reading
from korg_tui.views import parse_query

NS = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def told(tmp_path: Path) -> Reading:
    return reading_of(tmp_path / "told.jsonl", told_book())


def texts(picture: str) -> list[str]:
    return [each.text or "" for each in ET.fromstring(picture.encode()).iter(f"{NS}text")]


def test_it_has_a_line_for_every_event_and_a_dot_for_those_on_rails(told: Reading) -> None:
    out = exported(told, "svg")
    root = ET.fromstring(out.raw)
    assert texts(out.text)[:2] == ["told.jsonl", "8 events · 1 failed · 2 lanes"]
    assert [text for text in texts(out.text) if text.isdecimal()] == [str(seq) for seq in range(1, 10)]
    assert len(list(root.iter(f"{NS}circle"))) == 5
    assert "fix <b>the</b> bug in /home/dusk/work/a.py" in texts(out.text)
    assert {each.tag.removeprefix(NS) for each in root.iter()} == {
        "svg", "title", "style", "rect", "text", "g", "path", "circle"
    }  # fmt: skip


def test_it_marks_what_a_rewind_drops_in_words(told: Reading) -> None:
    said = texts(exported(told, "svg", rewind_to=5).text)
    assert said[1].startswith("Keep ≤ 5 · 3 invalid")
    assert said[1].endswith("undoing nothing on disk") or said[2].endswith("undoing nothing on disk")
    assert "↺ rewind to here" in said
    assert "╳ rule 2    result of sub 2" in said


def test_it_is_redacted_where_that_is_asked_for(told: Reading) -> None:
    assert SECRET[:20] in exported(told, "svg").text
    redacted = exported(told, "svg", redact=True).text
    assert (SECRET[:20] in redacted, "/home/dusk" in redacted, "redacted" in redacted) == (False, False, True)


def test_a_filter_and_a_bound(told: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    filtered = exported(told, "svg", meant=parse_query("is:failed"))
    assert [text for text in texts(filtered.text) if text.isdecimal()] == ["1", "2", "6", "7", "8"]
    monkeypatch.setattr(svg, "ROWS_AT_MOST", 4)
    assert exported(told, "svg").said.left_out == ("rows after the first 4 of 9",)
