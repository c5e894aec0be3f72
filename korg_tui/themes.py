"""The themes: named colours for the style sheets. Where a colour stands is said in `styles/`, not here."""

from __future__ import annotations

from pathlib import Path

from textual.theme import Theme

_DARK_LANES = ("#8ab4f8", "#e0af68", "#9ece6a", "#c4a7e7", "#7dcfff", "#f5a97f", "#b4d88b", "#eb9ac5")
_STRONG_LANES = ("#a8d0ff", "#ffd27a", "#b9f58a", "#e0c8ff", "#8fe8ff", "#ffc2a0", "#d8f0a0", "#ffbfe0")
_ANSI_LANES = (
    "ansi_cyan", "ansi_yellow", "ansi_green", "ansi_magenta",
    "ansi_bright_blue", "ansi_bright_red", "ansi_bright_green", "ansi_bright_magenta",
)  # fmt: skip
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
        "quiet": "#99a1ad",
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
        "quiet": "#5b616b",
        "line": "#d0ccc3",
        "cursor": "#dce6f6",
        "cursor-away": "#eceae4",
        "dead": "#8a5a00",
        "possible": "#6f42c1",
        "hit": "#7a6400",
        **_lanes(_LIGHT_LANES),
    },
)

STRONG = Theme(
    name="korg-high-contrast",
    primary="#a8d0ff",
    secondary="#8fe8ff",
    accent="#ffd27a",
    warning="#ffd27a",
    error="#ffb4ae",
    success="#b9f58a",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#161616",
    dark=True,
    variables={
        "quiet": "#d0d0d0",
        "line": "#9a9a9a",
        "cursor": "#12315c",
        "cursor-away": "#2a2a2a",
        "dead": "#ffd27a",
        "possible": "#e0c8ff",
        "hit": "#fff07a",
        **_lanes(_STRONG_LANES),
    },
)

ANSI = Theme(
    name="korg-ansi",
    ansi=True,
    primary="ansi_cyan",
    secondary="ansi_cyan",
    accent="ansi_yellow",
    warning="ansi_yellow",
    error="ansi_red",
    success="ansi_green",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    dark=True,
    variables={
        "quiet": "ansi_default",
        "line": "ansi_bright_black",
        "cursor": "ansi_default",
        "cursor-away": "ansi_default",
        "dead": "ansi_yellow",
        "possible": "ansi_magenta",
        "hit": "ansi_yellow",
        "ansi-background": "ansi_default",
        "ansi-foreground": "ansi_default",
        "block-cursor-foreground": "ansi_black",
        "block-cursor-background": "ansi_cyan",
        "input-selection-foreground": "ansi_black",
        "screen-selection-foreground": "ansi_black",
        **_lanes(_ANSI_LANES),
    },
)
"""The terminal's own colours, whatever they are; what has a ground elsewhere is reversed or underlined."""

THEMES = {"dark": DARK, "light": LIGHT, "high-contrast": STRONG, "ansi": ANSI}
"""The themes that `--theme` names."""

LANE_COLOURS = len(_DARK_LANES)
"""Lanes further on begin with the first colour again; their number tells them apart."""


def styles_folder() -> Path:
    """The folder of the style sheets: beside the package in a checkout, inside it in a wheel."""
    package = Path(__file__).parent
    beside = package.parent / "styles"
    return beside if (beside / "app.tcss").is_file() else package / "styles"
