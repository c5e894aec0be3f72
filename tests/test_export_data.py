"""JSON and NDJSON: a ledger as data, for scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from builders import HUMAN, Book
from exporting import SECRET, exported, ledger_of, reading_of, told_book
from korg_tui.export import FORMATS, event_document, rewind_document, session_document, to_json, write_export
from korg_tui.export.wanted import ExportRefused, preview_of
from korg_tui.reading import Reading
from korg_tui.views import parse_query


@pytest.fixture
def told(tmp_path: Path) -> Reading:
    return reading_of(tmp_path / "told.jsonl", told_book())


def test_ndjson_is_what_show_prints(told: Reading) -> None:
    ledger = ledger_of(told)
    lines = exported(told, "ndjson").text.splitlines()
    assert lines == [to_json(event_document(told, ledger, row)) for row in range(9)]


def test_the_document_holds_what_the_commands_print(told: Reading) -> None:
    ledger = ledger_of(told)
    out = exported(told, "json", rewind_to=5)
    assert out.raw.isascii()
    found = out.json
    assert found["sessions"] == [session_document(told, ledger, ledger.sessions[0])]
    assert [event["seq"] for event in found["events"]] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    rewind = preview_of(ledger, 5)
    assert rewind
    assert found["rewind"] == json.loads(to_json(rewind_document(told, ledger, rewind)))
    assert found["pointers"] == {"1": "root"}
    assert (found["redacted"], found["redactions"], found["left_out"]) == (False, 0, [])


def test_edges_say_their_rule_whether_they_are_certain_and_what_their_link_rests_on(told: Reading) -> None:
    edges = exported(told, "json").json["edges"]
    assert {"from": 1, "to": 2, "rule": 1, "certain": True, "basis": None} in edges
    assert {"from": 5, "to": 6, "rule": 2, "certain": True, "basis": "prompt"} in edges
    assert {"from": 5, "to": 7, "rule": 4, "certain": True, "basis": "prompt"} in edges


def test_a_filter_chooses_events_and_nothing_else(told: Reading) -> None:
    out = exported(told, "json", meant=parse_query("is:failed"))
    assert [event["tool"] for event in out.json["events"]] == ["Bash"]
    assert len(out.json["lanes"]) == 2
    assert out.said.events == 1


def test_one_session_is_all_of_it_and_nothing_of_another(tmp_path: Path) -> None:
    book = told_book()
    other = book.prompt("something else", by=HUMAN)
    book.infer(other)
    reading = reading_of(tmp_path / "two.jsonl", book)
    found = exported(reading, "json", session=1).json
    assert [event["seq"] for event in found["events"]] == [10, 11]
    assert [lane["opener"] for lane in found["lanes"]] == [10]
    assert {edge["from"] for edge in found["edges"]} == {10}
    assert found["session"] == 10
    with pytest.raises(ExportRefused, match="no such session"):
        exported(reading, "json", session=2)


def test_secrets_are_taken_out_where_that_is_asked_for_and_each_is_counted_once(told: Reading) -> None:
    plain, redacted = exported(told, "ndjson"), exported(told, "ndjson", redact=True)
    assert plain.said.redacted is None
    assert (SECRET in plain.text, "hunter2" in plain.text, "/home/dusk" in plain.text) == (True, True, True)
    assert (SECRET in redacted.text, "hunter2" in redacted.text, "dusk/work" in redacted.text) == (False,) * 3
    assert redacted.said.redacted == 2
    assert "2 values redacted" in redacted.said.words
    assert "~/work/a.py" in redacted.text


def test_what_has_no_place_for_a_preview_says_so(told: Reading) -> None:
    said = exported(told, "ndjson", rewind_to=5).said
    assert said.left_out == ("the rewind preview, which ndjson has no place for",)
    with pytest.raises(ExportRefused, match="99 is not in the ledger"):
        exported(told, "json", rewind_to=99)


def test_progress_is_told_and_can_end_it(told: Reading) -> None:
    seen: list[tuple[int, int]] = []
    exported(told, "ndjson", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(9, 9)]

    class Enough(Exception):
        pass

    def enough(done: int, total: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        exported(told, "json", progress=enough)


def test_an_empty_ledger_is_an_export_too(tmp_path: Path) -> None:
    reading = reading_of(tmp_path / "empty.jsonl", b"")
    assert exported(reading, "json").json["events"] == []
    assert exported(reading, "ndjson").raw == b""
    assert "<svg" in exported(reading, "svg").text
    assert exported(reading, "html").said.left_out == ()
    assert exported(reading, "markdown").text.startswith("# `empty.jsonl`")
    for name in ("graphml", "otlp"):
        with pytest.raises(ExportRefused):
            exported(reading, name)


def test_formats_are_told_apart_by_name_and_ending() -> None:
    assert list(FORMATS) == ["json", "ndjson", "markdown", "html", "svg", "graphml", "otlp"]
    assert len({each.suffix for each in FORMATS.values()}) == len(FORMATS)
    assert [name for name, each in FORMATS.items() if each.redacts] == ["markdown", "html"]
    with pytest.raises(KeyError):
        write_export("pdf", *(None,) * 3)  # type: ignore[arg-type]


def test_a_ledger_of_many_sessions_is_reported_in_its_order(tmp_path: Path) -> None:
    book = Book()
    for number in range(70):
        book.infer(book.prompt(f"ask {number}"))
    reading = reading_of(tmp_path / "many.jsonl", book)
    text = exported(reading, "markdown").text
    assert text.count("## Session ") == 70
    assert text.count("\n## Steps\n") == 1
    assert text.index("`ask 3`") < text.index("`ask 4`")
