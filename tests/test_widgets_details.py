"""How sections become rows of a pane, and looks become styles."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from korg_tui.text import width
from korg_tui.views import Line, Section, Span, Tree
from korg_tui.widgets.laid_out import SIDE_BY_SIDE, Row, laid_out


def rows(section: Section, cells: int) -> list[Row]:
    return laid_out([section], cells, lambda shown, _: shown.lines)


def plain(section: Section, cells: int) -> list[str]:
    return [row.plain.rstrip() for row in rows(section, cells)]


def test_the_rest_of_a_line_hangs_below_its_text():
    line = Line("12 +one two three", "added", spans=(Span(0, 2, "gutter"),), hang="    ")
    assert plain(Section("", "diff", (line,)), 10) == ["12 +one tw", "    o thre", "    e"]
    quote = Line("▏ one two three", spans=(Span(0, 2, "bullet"),), hang="▏ ")
    assert plain(Section("", "text", (quote,)), 10) == ["▏ one two", "▏ three"]


def test_spans_go_on_in_the_next_row():
    line = Line("abcdefgh", "output", spans=(Span(2, 6, "ansi-red"),))
    first, second = rows(Section("", "terminal", (line,)), 4)
    assert first.pieces == (("ab", "output"), ("cd", "output ansi-red"))
    assert second.pieces == (("ef", "output ansi-red"), ("gh", "output"))


def test_code_in_prose_is_not_broken_between_words():
    lines = (Line("one two three"), Line("  one two three", "code"))
    assert plain(Section("", "text", lines), 9) == ["one two", "three", "  one two", " three"]


def test_what_is_folded_takes_one_row():
    tree = Tree({"long": [list(range(1_000))] * 40, "x": "y" * 30})
    shown = plain(Section("", "json", tuple(tree.lines({("", 0, -1)})), tree=tree), 20)
    assert shown == ["{", '▸ "long": [ 40 item…', '  "x": "yyyyyyyyyyyy', 'yyyyyyyyyyyyyyyyyy"', "}"]


def diff() -> Section:
    old, new, head = Line("1 -a", "removed"), Line("1 +b", "added"), Line("@@ line 1", "hunk")
    return Section("", "diff", (head, old, new), sides=((head, None), (old, new), (None, new)))


def test_a_diff_stands_side_by_side_where_there_is_room():
    assert plain(diff(), SIDE_BY_SIDE - 1) == ["@@ line 1", "1 -a", "1 +b"]
    half = (SIDE_BY_SIDE - 3) // 2
    assert plain(diff(), SIDE_BY_SIDE) == [
        "@@ line 1", "1 -a".ljust(half) + " │ 1 +b", " " * half + " │ 1 +b",
    ]  # fmt: skip


def test_both_sides_of_a_long_pair_wrap():
    old, new = Line("1 -" + "a" * 50, "removed", hang="   "), Line("1 +b", "added")
    section = Section("", "diff", (old, new), sides=((old, new),))
    shown = plain(section, SIDE_BY_SIDE)
    assert shown[0].endswith("│ 1 +b")
    assert shown[1].startswith("   a")
    assert len(shown) == 2


TEXTS = st.text("ab 漢字é", max_size=40)


@given(TEXTS, st.integers(4, 30), st.sampled_from(["text", "diff", "json"]))
@settings(max_examples=100, deadline=None)
def test_rows_fit_and_lose_nothing_but_spaces(text: str, cells: int, kind):
    line = Line(text, spans=(Span(0, len(text) // 2, "x"),) if len(text) > 1 else ())
    shown = rows(Section("", kind, (line,)), cells)
    assert all(width(row.plain) <= cells for row in shown)
    assert "".join(row.plain for row in shown).replace(" ", "") == text.replace(" ", "")
