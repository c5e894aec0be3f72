"""The themes: all there, readable by the rules of WCAG, and one of them the terminal's own colours."""

from __future__ import annotations

import re

import pytest
from textual.color import Color
from textual.theme import Theme

from korg_tui.config import THEMES as NAMES
from korg_tui.themes import THEMES, styles_folder

LEAST = {"dark": 4.5, "light": 4.5, "high-contrast": 7.0}
TEXT = ("primary", "secondary", "accent", "warning", "error", "success", "foreground")
GROUNDS = ("background", "panel", "cursor", "cursor-away")
NO_TEXT = {"line", "cursor", "cursor-away"}
"""Variables of rules, tracks and grounds."""


def luminance(colour: Color) -> float:
    """Relative luminance, WCAG 2.2."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (value / 255 for value in colour.rgb)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Color, other: Color) -> float:
    """Contrast ratio, WCAG 2.2: 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def colour(theme: Theme, name: str) -> Color:
    return Color.parse(theme.variables.get(name) or getattr(theme, name))


def texts(theme: Theme) -> list[str]:
    """The names of all colours that text has."""
    return [*TEXT, *(name for name in theme.variables if name not in NO_TEXT and not name.endswith("ground"))]


def test_the_measure_is_that_of_wcag():
    assert contrast(Color.parse("#000"), Color.parse("#fff")) == pytest.approx(21)
    assert contrast(Color.parse("#777"), Color.parse("#fff")) == pytest.approx(4.48, abs=0.01)


def test_every_theme_that_can_be_named_is_there():
    assert tuple(THEMES) == NAMES
    assert set(LEAST) == set(THEMES) - {"ansi"}


@pytest.mark.parametrize("name", LEAST)
@pytest.mark.parametrize("ground", GROUNDS)
def test_text_is_readable_on_every_ground(name, ground):
    theme = THEMES[name]
    under = colour(theme, ground)
    found = {text: contrast(colour(theme, text), under) for text in texts(theme)}
    # `$foreground 80%` of the style sheets
    found["foreground 80%"] = contrast(under.blend(colour(theme, "foreground"), 0.8), under)
    assert {text: ratio for text, ratio in found.items() if ratio < LEAST[name]} == {}


@pytest.mark.parametrize("name", LEAST)
def test_rules_and_tracks_can_be_seen_with_high_contrast(name):
    theme = THEMES[name]
    least = 3.0 if name == "high-contrast" else 1.2
    assert contrast(colour(theme, "line"), colour(theme, "background")) >= least


def test_ansi_has_no_colour_but_those_of_the_terminal():
    theme = THEMES["ansi"]
    values = [getattr(theme, name) for name in (*TEXT, "background", "surface", "panel")]
    assert all(value.startswith("ansi_") for value in (*values, *theme.variables.values()))


def test_all_themes_have_what_the_style_sheets_name():
    named: set[str] = set()
    for sheet in styles_folder().glob("*.tcss"):
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text("utf-8"), flags=re.DOTALL)
        assert not re.search(r"#[0-9a-f]{6}\b|\bansi_", text), f"{sheet.name}: colours are for the themes"
        named |= set(re.findall(r"\$([a-z0-9-]+)", text))
    own = named - {*TEXT, "background", "panel", "surface"}
    for name, theme in THEMES.items():
        assert own - set(theme.variables) == set(), name
