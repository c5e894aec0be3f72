"""The line of every key, however oddly TOML lets it be written."""

from __future__ import annotations

import tomllib

import pytest

from korg_tui.config.lines import KeyLines

PLAIN = """\
# [screen] in a comment
[screen]
theme = "light"   # theme = "x"

utc = true
[keys]
copy = ["y",
        "Y"]
why = ""
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("screen",), 2), (("screen", "theme"), 3), (("screen", "utc"), 5), (("keys", "copy"), 7),
        (("keys", "why"), 9), (("keys", "nothing"), 6), (("nowhere", "else"), 1),
    ],
)  # fmt: skip
def test_a_key_stands_where_it_is_written(path, line):
    assert KeyLines(PLAIN).of(*path) == line


ODD = {
    'screen.theme = "light"\nscreen.utc = true': 2,
    '[screen]\n"utc" = true': 2,
    "['screen']\n'utc' = true": 2,
    '[screen] # [keys]\n\n  utc\t=\ttrue': 3,
    'screen = { theme = "light", utc = true }': 1,
    '[ screen ]\ntheme = """\nutc = false\n[keys]\n"""\nutc = true': 6,
    "[screen]\ntheme = '''\nutc = 1'''\nutc = true": 4,
    '[screen]\ntheme = "a \\" # [x] = \'"\nutc = true': 3,
    "[screen]\nx = [ 1, # ]\n [2, 3],\n { y = 4 } ]\nutc = true": 5,
    '[keys]\n"[screen]" = "utc = 1"\n[screen]\nutc = true': 4,
    "[screen]\r\nutc = true": 2,
    '"scr\\u0065en"."utc" = true': 1,
    "[screen.utc]\nx = 1": 1,
    "[[screen.utc]]\nx = 1": 1,
    "a = 1979-05-27T07:32:00Z\n[screen]\nutc = 1_000": 3,
}


@pytest.mark.parametrize("text", ODD)
def test_odd_ways_to_write_a_key(text):
    assert "utc" in tomllib.loads(text)["screen"]
    assert KeyLines(text).of("screen", "utc") == ODD[text]


def test_an_empty_text_has_one_line():
    assert KeyLines("").of("screen") == 1
