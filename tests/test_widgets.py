"""The parts of the widgets that can be tried without a screen."""

from __future__ import annotations

import pytest
from rich.cells import chop_cells

from korg_tui.views import Line, Section
from korg_tui.widgets.laid_out import laid_out
from korg_tui.widgets.minimap import Marks, Minimap
from korg_tui.widgets.names import apart, ending, fitted, middle


def lines_of(section: Section, number: int):
    return section.lines


def plain(sections: list[Section], cells: int) -> list[str]:
    return [row.plain.rstrip() for row in laid_out(sections, cells, lines_of)]


def test_prose_is_broken_between_words_and_keeps_its_label_column():
    section = Section("why", "causes", (Line("7 read the result of 6, the Agent call", label="rule 4"),))
    assert plain([section], 30) == [
        "why",
        "rule 4    7 read the result of",
        "          6, the Agent call",
    ]


def test_json_and_output_are_broken_anywhere_and_wide_characters_are_not_split():
    section = Section("", "json", (Line('{"a": "0123456789"}'),))
    assert plain([section], 10) == ['{"a": "012', '3456789"}']
    wide = Section("", "terminal", (Line("漢字漢字漢"),))
    assert plain([wide], 5) == ["漢字", "漢字", "漢"]


def test_a_long_word_is_broken_where_it_must_be():
    section = Section("", "text", (Line("x" * 25),))
    assert plain([section], 10) == ["x" * 10, "x" * 10, "x" * 5]


def test_short_fields_stand_side_by_side_in_a_wide_pane():
    lines = (
        Line("tool call", label="kind"),
        Line("lane 1", label="lane"),
        Line("6", label="parent", seq=6),
        Line("9 ms", label="took"),
    )
    section = Section("7 Read", "fields", lines)
    assert plain([section], 80) == [
        "7 Read",
        "kind      tool call                     lane      lane 1",
        "parent    6                             took      9 ms",
    ]
    assert len(plain([section], 40)) == 5
    assert [row.seq for row in laid_out([section], 80, lines_of)] == [None, None, 6]


def test_fields_side_by_side_keep_a_gap_behind_a_long_label():
    lines = (Line("prompt", label="kind"), Line("no recorded call", label="started by"))
    assert plain([Section("", "fields", lines)], 80) == [
        "kind       prompt                       started by no recorded call"
    ]


class _Map(Minimap):
    """A minimap of a given height, off the screen."""

    size = property(lambda self: type("Size", (), {"height": 10})())


def test_the_minimap_shows_the_worst_mark_of_each_cell():
    minimap = _Map()
    minimap._rows = range(100)
    minimap.marks = Marks(failed=[5, 55], dead=[57, 99], hit=[20], dropped=[55], possible=[31])
    minimap._view = (30, 50)
    looks = [minimap._looks(y, 10) for y in range(10)]
    assert [name for name, _ in looks] == ["failed", "", "hit", "possible", "", "dropped", "", "", "", "dead"]
    assert [seen for _, seen in looks] == [False, False, False, True, True, False, False, False, False, False]


def test_the_minimap_of_a_short_spine_has_a_cell_per_row():
    minimap = _Map()
    minimap._rows = [10, 12, 14]
    minimap.marks = Marks(failed=[12])
    assert [minimap._looks(y, 10)[0] for y in range(10)] == ["", "failed", *[""] * 8]


def test_names_are_told_apart_by_what_is_not_shared():
    names = ["/w/a/journal.jsonl", "/w/b/.korg/journal.jsonl"]
    assert list(apart(names).values()) == ["a/journal.jsonl", "b/.korg/journal.jsonl"]
    assert apart(["/w/a/journal.jsonl"]) == {"/w/a/journal.jsonl": "/w/a/journal.jsonl"}
    assert apart(["demo", "/w/x"]) == {"demo": "demo", "/w/x": "/w/x"}
    assert apart(["/w/a.jsonl", "/w/a.jsonl#2"]) == {"/w/a.jsonl": "a.jsonl", "/w/a.jsonl#2": "a.jsonl#2"}


def test_ledgers_in_stores_are_told_apart_by_the_folders_of_the_stores():
    names = [f"/w/{each}/.korg/korg-tui.jsonl" for each in ("parser", "frontend")]
    assert [ending(name, 16) for name in apart(names).values()] == ["parser/.korg/…", "frontend/.korg/…"]
    assert [ending(name, 13) for name in apart(names).values()] == ["parser", "frontend"]
    both = [*names, "/w/parser/.korg/journal.jsonl"]
    assert len({ending(name, 13) for name in apart(both).values()}) == 3


def test_names_are_cut_so_that_they_differ():
    names = ["tests/north/events.jsonl", "tests/south/events.jsonl"]
    assert list(fitted(names, 13).values()) == ["tests/north…", "tests/south…"]
    assert list(fitted(["conforming-1.jsonl", "conforming-2.jsonl"], 14).values()) == [
        "conforming-1…",
        "conforming-2…",
    ]
    assert list(fitted(["sub/seqs-reused-after.jsonl"], 20).values()) == ["seqs-reused-after…"]


def test_of_a_long_name_the_middle_is_cut_out():
    assert middle("sub-0200000000000042", 12) == "sub-0…000042"
    assert middle("short", 12) == "short"


def test_a_session_of_its_own_in_a_store_is_called_by_its_name():
    assert ending("/home/jo/project/.korg/sessions/0123-abcd.jsonl", 18).endswith("0123-abcd.jsonl")


def test_an_address_is_called_by_host_and_port():
    assert ending("http://127.0.0.1:8080", 20) == "127.0.0.1:8080"


def test_a_long_name_keeps_its_end():
    assert ending("/home/dusk/project/.korg/journal.jsonl", 100) == "/home/dusk/project/.korg/journal.jsonl"
    shown = ending("/home/dusk/project/.korg/journal.jsonl", 22)
    assert shown == "/home/dusk/project"
    assert ending("x" * 50, 10) == "…" + "x" * 9


@pytest.mark.parametrize("kind", ["text", "raw", "json"])
def test_a_long_line_is_looked_through_once(kind, monkeypatch):
    looked = []

    def chop(text: str, cells: int) -> list[str]:
        looked.append(len(text))
        return chop_cells(text, cells)

    monkeypatch.setattr("korg_tui.widgets.laid_out.chop_cells", chop)
    text = "é" * 8_000 + "…"
    rows = plain([Section("", kind, (Line(text),))], 50)
    assert "".join(rows) == text
    assert sum(looked) < 6 * len(text)
