"""What a hostile string becomes before anybody sees it."""

from __future__ import annotations

import unicodedata

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from korg_tui.text import LINE_LIMIT, crop, pad, visible, visible_lines, width

ANY_TEXT = st.text(st.characters(codec=None), max_size=80)
NASTY = st.text(
    st.sampled_from(
        "a[/]e\u0301\u0300\u200d\ufe0f\x1b\x9b\x07\x00\x7f\u202e\u2028\x85\t\n\r日\u1160👍\U0001f3fd\ud800"
    )
)


@pytest.mark.parametrize(
    ("hostile", "seen"),
    [
        ("src/parser.py", "src/parser.py"),
        ("Überprüfung 日本語", "Überprüfung 日本語"),
        ("\x1b[31mred", "␛[31mred"),
        ("\x1b]52;c;cm0gLXJm\x07", "␛]52;c;cm0gLXJm␇"),
        ("\x9b31m", "\\x9b31m"),
        ("NUL\x00 DEL\x7f", "NUL␀ DEL␡"),
        ("one\r\ntwo", "one␍␊two"),
        ("a\tb", "a b"),
        ("\u202eevil\u202c", "\\u202eevil\\u202c"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("line\u2028paragraph\u2029next\x85", "line\\u2028paragraph\\u2029next\\x85"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("lone \ud800\udc80", "lone ��"),
        ("private \ue0b0", "private \\ue0b0"),
        ("filler \u3164\u1160", "filler \\u3164\\u1160"),
        ("[/] [@click=app.quit]x[/]", "[/] [@click=app.quit]x[/]"),
        ("e" + "\u0301" * 5 + "x", "e\u0301\u0301⋯x"),
        ("e\u0301\u0302", "e\u0301\u0302"),
        ("\u0301x", "◌\u0301x"),
        ("⚠\ufe0f", "⚠"),
    ],
)
def test_one_line(hostile: str, seen: str):
    assert visible(hostile) == seen


def test_lines_end_at_newline_only_and_tabs_are_expanded():
    assert visible_lines("a\tb\n\tc\rd\u2028e", 10) == ["a   b", "    c␍d\\u2028e"]


def test_lines_that_are_left_out_are_counted():
    assert visible_lines("1\n2\n3\n4", 2) == ["1", "2", "… 2 more lines, not shown"]
    assert visible_lines("1\n2\n3", 2) == ["1", "2", "… 1 more line, not shown"]
    assert visible_lines("1\n2", 2) == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "cells", "cropped"),
    [("parser", 6, "parser"), ("parser", 5, "pars…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"),
     ("日本語", 4, "日…"), ("ab", 1, "…"), ("ab", 0, ""), ("a\x1bb", 3, "a␛b"), ("a\u202eb", 5, "a\\u2…")],
)  # fmt: skip
def test_crop_never_splits_a_wide_character(text: str, cells: int, cropped: str):
    assert crop(text, cells) == cropped


def test_pad_fills_what_a_wide_character_left():
    assert pad("日本語", 4) == "日… "
    assert pad("ab", 4) == "ab  "


@settings(deadline=None, derandomize=True)
@given(ANY_TEXT | NASTY)
def test_what_comes_out_only_draws(text: str):
    for line in (visible(text), *visible_lines(text, 100), crop(text, 20), pad(text, 20)):
        line.encode("utf-8")
        assert all(unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} for c in line)


@settings(deadline=None, derandomize=True)
@given(ANY_TEXT | NASTY)
def test_a_second_pass_changes_nothing(text: str):
    for once in (visible(text), visible(text, limit=7), crop(text, 7), pad(text, 7)):
        assert visible(once) == once
    assert visible(visible(text, limit=7), limit=7) == visible(text, limit=7)
    assert crop(crop(text, 7), 7) == crop(text, 7)
    assert pad(pad(text, 7), 7) == pad(text, 7)


@settings(deadline=None, derandomize=True)
@given(ANY_TEXT | NASTY, st.integers(0, 30))
def test_widths_hold(text: str, cells: int):
    assert width(crop(text, cells)) <= cells
    assert width(pad(text, cells)) == cells


@settings(deadline=None, derandomize=True)
@given(NASTY)
def test_a_terminal_stays_as_it_was(text: str):
    """The cursor stays in its line, no attribute is set, and the title is not touched."""
    screen = pyte.Screen(400, 3)
    pyte.Stream(screen).feed(crop(text, 300))
    assert screen.cursor.y == 0
    assert screen.title == ""
    assert screen.cursor.attrs == pyte.Screen(1, 1).cursor.attrs
    assert screen.mode == pyte.Screen(1, 1).mode


def test_huge_text_is_cut_before_it_is_looked_at():
    class Counted(str):
        def __getitem__(self, key):  # type: ignore[override]
            assert isinstance(key, slice)
            assert key.stop <= LINE_LIMIT + 1
            return str.__getitem__(self, key)

    assert len(visible(Counted("\x9b" * 1_000_000))) == LINE_LIMIT
    assert width(crop(Counted("é" * 1_000_000), 80)) == 80
    assert visible(Counted("e" + "\u0301" * 1_000_000)) == "e\u0301\u0301⋯…"
