"""Terminal output: colours become spans, everything else is inert."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from korg_tui.text import visible
from korg_tui.views import Line, Opens, terminal


def spans(line: Line) -> list[tuple[str, str]]:
    """The parts of a line that look different, and how."""
    return [(line.text[span.begin : span.end], span.name) for span in line.spans]


def texts(written: str) -> list[str]:
    return [line.text for line in terminal(written)]


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("\x1b[31mred\x1b[0m plain", [("red", "ansi-red")]),
        ("\x1b[1;92mgreen\x1b[22m thin\x1b[39m", [
            ("green", "ansi-bright-green bold"), (" thin", "ansi-bright-green"),
        ]),
        ("\x1b[41mon\x1b[49m off", [("on", "on-ansi-red")]),
        ("\x1b[100;97mx", [("x", "on-ansi-bright-black ansi-bright-white")]),
        ("\x1b[38;5;9ma\x1b[38;5;208mb\x1b[48;5;244mc", [
            ("a", "ansi-bright-red"), ("b", "#ff8700"), ("c", "on-#808080 #ff8700"),
        ]),
        ("\x1b[38;2;1;2;3ma\x1b[48:2::9:8:7mb", [("a", "#010203"), ("b", "on-#090807 #010203")]),
        ("\x1b[3;4;7;9mx\x1b[23;24;27;29my", [("x", "italic reverse strike underline")]),
        ("\x1b[4:3mcurly\x1b[4:0m none", [("curly", "underline")]),
        ("\x1b[8mconcealed", []),
        ("\x1b[38;5mcut short\x1b[38;2;1mshorter", []),
        ("\x1b[38;2;999;0;0mtoo bright", []),
        ("\x1b[>4;2mprivate", []),
    ],
)  # fmt: skip
def test_colours_become_spans(written: str, seen: list[tuple[str, str]]):
    assert spans(terminal(written)[0]) == seen


def test_a_colour_goes_on_in_the_next_line_until_it_is_reset():
    first, second, third = terminal("\x1b[33ma\nb\x1b[m\nc")
    assert (spans(first), spans(second), spans(third)) == ([("a", "ansi-yellow")], [("b", "ansi-yellow")], [])


def test_of_a_progress_bar_the_last_state_is_left():
    assert texts(" 10%\r 50%\r100%\ndone") == [
        "100%", "done", "lines were written over 2 times; their last state is shown",
    ]  # fmt: skip
    assert texts("abcdef\rXY")[0] == "XYcdef"
    assert texts("long words\r\x1b[2Kshort")[0] == "short"
    assert texts("long words\rshort\x1b[K")[0] == "short"
    assert texts("ab\b_c\r\nnext") == ["a_c", "next"]
    assert texts("kept\r\n") == ["kept"]


def test_what_a_terminal_would_obey_is_seen_or_told():
    assert texts("\x1b]52;c;aGk=\x07x") == ["␛]52;c;aGk=␇x"]
    assert texts("\x1b]0;title\x1b\\x") == ["␛]0;title␛\\x"]
    assert texts("\x9b31mx\x1bP1$r\x1b\\") == ["\\x9b31mx␛P1$r␛\\"]
    assert texts("a\x1b[2J\x1b[1;1H\x1b[?25lb") == ["ab", "3 cursor or screen controls left out"]
    assert texts("\x1b[31") == ["␛[31"]


def test_the_address_of_a_link_is_seen():
    (line,) = terminal("see \x1b]8;;https://example.org/x\x1b\\here\x1b]8;;\x1b\\ now")
    assert line.text == "see here ‹https://example.org/x› now"
    assert spans(line) == [("here ‹https://example.org/x›", "link")]


def test_tabs_stand_where_they_do_without_colours():
    assert texts("a\x1b[31m\tb\x1b[0m\tc")[0] == texts("a\tb\tc")[0] == "a   b   c"


def test_of_a_long_output_the_beginning_and_the_end_are_shown():
    shown = terminal("\n".join(map(str, range(1_000))), opens=Opens("value", "/result/stdout"))
    assert (shown[0].text, shown[139].text, shown[-1].text) == ("0", "139", "999")
    cut = shown[140]
    assert cut.text == "… 3.2 KB left out here: enter opens it whole"
    assert cut.opens == Opens("value", "/result/stdout")
    assert len(shown) == 201


@pytest.mark.parametrize(
    "hostile",
    [
        "\x1b[1K" * 8_000 + "x" * 30_000, "x" * 8_000 + "\x1b[1K" * 14_000, "a\r" * 32_000,
        "\x1b[31ma" * 11_000,
        "\x1b[" * 32_000, "\x1b]8;;" * 16_000, "\t" * 60_000, "́" * 60_000,
        "\x1b[9999999999999999999G" * 2_000,
        "\x1b[38;5;" + "9" * 200 + "m", "x" * 5_000_000,
    ],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
def test_hostile_output_is_bounded(hostile: str):
    assert sum(len(line.text) for line in terminal(hostile)) < 140_000


PIECES = st.sampled_from(
    ["\x1b[31m", "\x1b[0;1m", "\x1b[48;5;99m", "\x1b[K", "\x1b[2K", "\x1b[5G", "\x1b[A", "\r", "\n",
     "\b", "\t",
     "\x1b]8;;u\x07", "\x1b]8;;\x07", "\x1b", "\x07", "\x9b", "漢", "é", "\u202e", "\u0301", "\ud800"]
)  # fmt: skip


@given(st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=40).map("".join))
@settings(max_examples=80, deadline=None)
def test_any_output_is_safe_and_its_spans_lie_inside(written: str):
    for line in terminal(written):
        assert visible(line.text) == line.text
        at = 0
        for span in line.spans:
            assert at <= span.begin < span.end <= len(line.text)
            at = span.end
