"""Looks: what the looks of spans are on the screen. Colours come from the style sheets, or from terminal
output that asked for them; then they must not hide what they colour."""

from __future__ import annotations

from rich.color import Color as RichColor
from rich.style import Style
from textual.color import Color
from textual.widget import Widget

PREFIX = "details--"

_HUES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_ANSI = tuple(f"ansi-{bright}{hue}" for bright in ("", "bright-") for hue in _HUES)

LOOKS = frozenset(
    {
        "title", "rule", "name", "value", "quiet", "link", "bad", "good", "gutter", "fold", "note", "path",
        "match", "hit", "added", "removed", "hunk", "changed", "output", "stderr",
        "key", "string", "number", "keyword", "comment", "defined", "builtin", "code",
        "heading", "literal", "strong", "emphasis", "strike", "bullet",
        "bold", "dim", "italic", "underline", "reverse", *_ANSI, *(f"on-{each}" for each in _ANSI),
    }
)  # fmt: skip
"""The looks that have a component class `details--<look>`."""

_LEGIBLE = 1.5
"""Letters and ground that contrast less cannot be told apart."""


def look_style(widget: Widget, looks: str) -> Style:
    """The style of these looks on this widget, later ones over earlier ones; unknown ones are none."""
    style, asked = Style(), False
    for look in looks.split():
        if look.startswith(("#", "on-#")):
            asked = True
            style += _colour(look)
        elif look in LOOKS:
            asked = asked or "ansi-" in look
            style += _component(widget, PREFIX + look)
    return _legible(widget, style) if asked else style


def _colour(look: str) -> Style:
    return Style(bgcolor=look[3:]) if look.startswith("on-") else Style(color=look)


def _component(widget: Widget, name: str) -> Style:
    """A tint is laid over the ground; where the ground is the terminal's own, which nobody knows, it is left
    out."""
    style = widget.get_component_rich_style(name, partial=True)
    tint = widget.get_component_styles(name).background
    if not 0 < tint.a < 1:
        return style
    ground = widget.background_colors[1]
    if ground.ansi is not None or tint.ansi is not None:
        return without_ground(style)
    return style + Style(bgcolor=(ground + tint).rich_color)


def without_ground(style: Style) -> Style:
    """The same letters on whatever is behind them."""
    return Style(color=style.color) + style.without_color


def _legible(widget: Widget, style: Style) -> Style:
    """The style with other letters, where its own could not be told from what is behind them."""
    ground, letters = widget.background_colors[1], widget.styles.color
    if ground.ansi is not None or letters.ansi is not None:
        return style
    behind = ground if style.bgcolor is None else _known(style.bgcolor)
    shown = letters if style.color is None else _known(style.color)
    if _contrast(shown, behind) >= _LEGIBLE:
        return style
    better = letters if _contrast(letters, behind) > _contrast(ground, behind) else ground
    return style + Style(color=better.rich_color)


def _known(colour: RichColor) -> Color:
    return Color(*colour.get_truecolor())


def _contrast(one: Color, other: Color) -> float:
    """The ratio of WCAG 2."""
    lights = sorted((_light(one), _light(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def _light(colour: Color) -> float:
    parts = (part / 255 for part in (colour.r, colour.g, colour.b))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
