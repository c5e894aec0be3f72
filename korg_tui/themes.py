"""The themes: named colours for the style sheets. Where a colour stands is said in `styles/`, not here."""

from __future__ import annotations

from pathlib import Path

from textual.theme import Theme

_DARK_LANES = ("#8ab4f8", "#e0af68", "#9ece6a", "#c4a7e7", "#7dcfff", "#f5a97f", "#b4d88b", "#eb9ac5")
_LIGHT_LANES = ("#1d5fbf", "#8a5a00", "#3f7216", "#6f42c1", "#006f8e", "#a8480f", "#4a6b00", "#a3306f")


def _lanes(colours: tuple[str, ...]) -> dict[str, str]:
    return {f"lane-{number}": colour for number, colour in enumerate(colours)}


DARK = Theme(
    name="korg-dark",
    primary="#8ab4f8",
    secondary="#7dcfff",
    accent="#e0af68",
    warning="#e0af68",
    error="#f28b82",
    success="#9ece6a",
    foreground="#d5d9e0",
    background="#14161b",
    surface="#14161b",
    panel="#1d2027",
    dark=True,
    variables={
        "quiet": "#868d99",
        "line": "#343944",
        "cursor": "#2b3443",
        "cursor-away": "#22262e",
        "dead": "#e0af68",
        "possible": "#c4a7e7",
        "hit": "#e5d36a",
        **_lanes(_DARK_LANES),
    },
)

LIGHT = Theme(
    name="korg-light",
    primary="#1d5fbf",
    secondary="#006f8e",
    accent="#8a5a00",
    warning="#8a5a00",
    error="#b3261e",
    success="#3f7216",
    foreground="#22262d",
    background="#fbfaf7",
    surface="#fbfaf7",
    panel="#f0eee9",
    dark=False,
    variables={
        "quiet": "#676d77",
        "line": "#d0ccc3",
        "cursor": "#dce6f6",
        "cursor-away": "#eceae4",
        "dead": "#8a5a00",
        "possible": "#6f42c1",
        "hit": "#7a6400",
        **_lanes(_LIGHT_LANES),
    },
)

THEMES = {"dark": DARK, "light": LIGHT}
"""The themes that `--theme` names."""

LANE_COLOURS = len(_DARK_LANES)
"""Lanes further on begin with the first colour again; their number tells them apart."""


def styles_folder() -> Path:
    """The folder of the style sheets: beside the package in a checkout, inside it in a wheel."""
    package = Path(__file__).parent
    beside = package.parent / "styles"
    return beside if (beside / "app.tcss").is_file() else package / "styles"
