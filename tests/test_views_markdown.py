"""Markdown as lines: what it says, with dead links, bounded."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from korg_tui.text import visible
from korg_tui.views.markdown import is_markdown, markdown
from korg_tui.views.sections import Line, Opens
from korg_tui.views.texts import CHARACTERS


def texts(text: str) -> list[str]:
    return [line.text for line in markdown(text)]


def looks(line: Line) -> list[tuple[str, str]]:
    return [(line.text[span.begin : span.end], span.name) for span in line.spans]


def test_headings_paragraphs_and_emphasis():
    heading, gap, first, second = markdown("## The *plan*\n\nRun **all** `tests`\nthen stop")
    assert looks(heading) == [("## ", "heading"), ("The ", "heading"), ("plan", "heading emphasis")]
    assert gap.text == ""
    assert looks(first) == [("all", "strong"), ("tests", "literal")]
    assert second.text == "then stop"


def test_a_link_is_dead_and_its_address_is_seen():
    (line,) = markdown("see [the docs](https://example.org/a_b 't') or <https://example.org>")
    assert line.text == "see the docs ‹https://example.org/a_b› or https://example.org"
    assert line.opens is None
    assert line.seq is None


def test_an_image_and_html_are_shown_as_they_are_written():
    assert texts("![alt](x.png) <b>b</b>") == ["image: alt ‹x.png› <b>b</b>"]
    assert texts("<script>alert(1)</script>") == ["<script>alert(1)</script>"]


def test_lists_and_quotes_keep_their_place_when_they_wrap():
    lines = markdown("- one\n  - two\n    more\n\n1. a\n2. b\n\n> quoted\n> on")
    assert [(line.text, line.hang) for line in lines] == [
        ("• one", "  "), ("  • two", "    "), ("    more", "    "), ("", ""),
        ("1. a", "   "), ("2. b", "   "), ("▏", ""), ("▏ quoted", "▏ "), ("▏ on", "▏ "),
    ]  # fmt: skip


def test_code_has_the_syntax_of_its_language():
    (line,) = markdown("```python\nreturn 1\n```")
    assert looks(line) == [("return", "keyword"), ("1", "number")]
    assert [line.text for line in markdown("```no such language\nx\n```")] == ["  x"]


def test_a_table_stands_in_columns():
    assert texts("| file | n |\n|---|---|\n| src/a.py | 12 |\n| b | `1` |") == [
        "file     │ n", "─────────┼───", "src/a.py │ 12", "b        │ 1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("# Plan", True), ("- a", True), ("use `x`", True), ("[a](b)", True),
        ("|a|b|", True), ("**b**", True),
        ("Only report.py does.", False), ("a - b * c", False), ("snake_case_name", False), ("", False),
    ],
)  # fmt: skip
def test_what_is_taken_for_markdown(text: str, is_one: bool):
    assert is_markdown(text) is is_one


def test_a_long_text_ends_in_what_is_left_out():
    last = markdown("- item\n" * 5_000, opens=Opens("value", "/result"))[-1]
    assert last.text.endswith("more: enter opens it whole")
    assert last.opens == Opens("value", "/result")


@pytest.mark.parametrize(
    "hostile",
    [
        "[" * 32_000, "> " * 16_000, "*a " * 11_000, "[a](" * 8_000, "- " * 16_000, "<a" * 16_000,
        "**a*" * 8_000,
        "[![a](b)" * 4_000, "a|" * 16_000 + "\n" + "-|" * 16_000, "&" * 32_000, "`a``b```c" * 3_600,
        "|a" * 500 + "|\n" + "|-" * 500 + "|\n" + "|x\n" * 10_000, "1. \n" * 8_000,
        "[x" * 10_000 + "](y)" * 3_000,
        "\x1b]52;c;x\x07" * 3_000, "> - " * 90 + "deep",
    ],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
def test_hostile_markdown_is_bounded_and_safe(hostile: str):
    lines = markdown(hostile)
    assert lines
    assert sum(len(line.text) for line in lines) < 4 * CHARACTERS
    assert all(visible(line.text) == line.text for line in lines)


MARKS = st.sampled_from(
    ["# ", "- ", "> ", "1. ", "`", "```", "*", "**", "_", "[a](b)", "![", "|", "\n", "\n\n", "---",
     "<b>", "\x1b[1m",
     "漢", "\t", "~~", "&amp;", "|a|b|\n|-|-|\n"]
)  # fmt: skip


@given(st.lists(st.one_of(MARKS, st.text(max_size=4)), max_size=40).map("".join))
@settings(max_examples=80, deadline=None)
def test_any_text_is_safe_and_its_spans_lie_inside(text: str):
    for line in markdown(text):
        assert visible(line.text) == line.text
        assert visible(line.hang) == line.hang
        ends = [0, *(edge for span in line.spans for edge in (span.begin, span.end)), len(line.text)]
        assert ends == sorted(ends)
