"""Picture: an image in the terminal: in half blocks, or, where the terminal can, in pixels through
textual-image (both are the extra `images`).

That library asks the terminal what it can when it is loaded, which must not happen while Textual reads the
keys: so it is loaded with an output that is no terminal, only when an image is looked at, and what the
terminal can is told by its environment. `KORG_IMAGES` overrules that: kitty, sixel, blocks, or none.
"""

from __future__ import annotations

import array
import fcntl
import io
import os
import sys
import termios
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from korg_tui.sources import Content

Way = Literal["kitty", "sixel", "blocks", "none"]
"""How an image is drawn: in pixels by one protocol or the other, as coloured half blocks, or not at all."""

INSTALL = "pip install 'korg-tui[images]'"

LARGEST = 64 << 20
"""Bytes of an image that is decoded."""
MOST_PIXELS = 40_000_000

_KINDS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
_SIXEL = ("iTerm.app", "WezTerm", "mintty")
_SIXEL_TERMS = ("foot", "mlterm", "contour", "yaft")
_KITTY_TERMS = ("xterm-kitty", "xterm-ghostty")
_BOMB = "it is not decoded: it would have too many pixels"
_CELL = (10, 20)
_HALVES = (1, 2)
_WIDEST = 200


class NoPicture(Exception):
    """The image cannot be shown; the text says why, and what to do."""


def way(environment: Mapping[str, str], *, terminal: bool) -> Way:
    """How this terminal shows images; `terminal`: standard output leads there."""
    said = environment.get("KORG_IMAGES", "")
    if said in ("kitty", "sixel", "blocks", "none"):
        return said  # type: ignore[return-value]
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if "TMUX" in environment or term.startswith(("screen", "tmux")):
        return "blocks"
    if terminal and ("KITTY_WINDOW_ID" in environment or term in _KITTY_TERMS or program == "ghostty"):
        return "kitty"
    if program in _SIXEL or term.startswith(_SIXEL_TERMS) or "KONSOLE_VERSION" in environment:
        return "sixel"
    return "blocks"


def decoded(content: Content) -> Any:
    """The image of this content as a `PIL.Image.Image`, no larger than a screen needs. Takes its time: to be
    called in a thread. Raises `NoPicture`."""
    if content.size > LARGEST:
        raise NoPicture(f"it is not decoded: it has more than {LARGEST >> 20} MiB")
    try:
        from PIL import Image
    except ImportError:
        raise NoPicture(f"to see it here: {INSTALL}") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(content.read(0, LARGEST)), formats=_KINDS)
            if image.width * image.height > MOST_PIXELS:
                raise NoPicture(_BOMB)
            image.draft("RGB", (2000, 2000))
            image.thumbnail((2000, 2000))
            return image.convert("RGB")
    except NoPicture:
        raise
    except Image.DecompressionBombError:
        raise NoPicture(_BOMB) from None
    except Exception:  # whatever a hostile image does to a decoder
        raise NoPicture("it cannot be decoded: it is damaged, or of a kind that is not known") from None


def picture(image: Any, how: Way, room: tuple[int, int]) -> Widget:
    """A widget that draws a decoded image in at most so many cells, and not larger than it is. Raises
    `NoPicture`."""
    wide, high = cell_size()
    cell = _HALVES if how == "blocks" else (wide, high)
    columns, rows = fitting(image.size, (min(room[0], _WIDEST), min(room[1], _WIDEST)), cell)
    if how == "blocks":
        return Blocks(image, columns, rows)
    with _asking_nothing(wide, high):
        try:
            from textual_image.widget import SixelImage, TGPImage
        except ImportError:
            raise NoPicture(f"to see it here: {INSTALL}") from None
    drawn: Widget = (TGPImage if how == "kitty" else SixelImage)(image)
    drawn.styles.width, drawn.styles.height = columns, rows
    return drawn


class Blocks(Widget):
    """An image in half blocks: two of its pixels to a cell."""

    ALLOW_SELECT = False

    def __init__(self, image: Any, columns: int, rows: int) -> None:
        super().__init__()
        self.styles.width, self.styles.height = columns, rows
        self._columns = columns
        self._pixels: bytes = image.resize((columns, 2 * rows)).tobytes()

    def render_line(self, y: int) -> Strip:
        across = 3 * self._columns
        upper = self._pixels[2 * y * across : (2 * y + 1) * across]
        lower = self._pixels[(2 * y + 1) * across : (2 * y + 2) * across]
        return Strip(
            Segment("▀", Style(color=_colour(upper, at), bgcolor=_colour(lower, at)))
            for at in range(0, len(lower), 3)
        )


def _colour(pixels: bytes, at: int) -> Color:
    return Color.from_rgb(*pixels[at : at + 3])


def fitting(pixels: tuple[int, int], room: tuple[int, int], cell: tuple[int, int]) -> tuple[int, int]:
    """How many columns and rows an image takes: as many as it has pixels for, at most what there is."""
    wide, high = max(pixels[0], 1) / cell[0], max(pixels[1], 1) / cell[1]
    share = min(1.0, room[0] / wide, room[1] / high)
    return max(1, round(wide * share)), max(1, round(high * share))


def cell_size() -> tuple[int, int]:
    """Width and height of a cell in pixels, as the terminal's driver knows them, or as they usually are."""
    found = array.array("H", [0, 0, 0, 0])
    try:
        fcntl.ioctl(2, termios.TIOCGWINSZ, found)
    except (OSError, ValueError):
        return _CELL
    rows, columns, wide, high = found
    if not (rows and columns and wide >= columns and high >= rows):
        return _CELL
    return wide // columns, high // rows


@contextmanager
def _asking_nothing(wide: int, high: int) -> Iterator[None]:
    """While this lasts, the library finds no terminal to ask, and the size of a cell in the environment."""
    names = {"TEXTUAL_CELL_WIDTH": str(wide), "TEXTUAL_CELL_HEIGHT": str(high)}
    before, output = {name: os.environ.get(name) for name in names}, sys.__stdout__
    os.environ.update(names)
    sys.__stdout__ = io.StringIO()  # type: ignore[misc, assignment]
    try:
        yield
    finally:
        sys.__stdout__ = output  # type: ignore[misc]
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
