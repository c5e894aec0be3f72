"""Ascii: the signs, borders and quotes of the screen for fonts without them; letters stay as they are."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from korg_tui.views import to_ascii

_WORDS = str.maketrans(
    {"›": ">", "‹": "<", "“": '"', "”": '"', "·": "-", "–": "-", "—": "-", "…": "~", "⋯": "~", "▾": "v"}
    | {"✓": "+"}
    | {"▔": "-", "↓": "v", "↑": "^", "←": "<", "→": ">", "▕": "|", "▏": "|"}
    | {chr(0x2400 + code): "^" for code in range(0x22)}
    | {"\N{REPLACEMENT CHARACTER}": "?"}
    | dict.fromkeys("═━╌╍", "-")
    | dict.fromkeys("║┃╎╏▌▐▊▋▉▍▎", "|")
    | dict.fromkeys("▁▂▃▄▅▆▇█▀░▒▓", "#")
)


class Ascii(LineFilter):
    """Draws them cell by cell in ASCII, also where the text of a ledger has them."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        del background
        return [
            segment if segment.text.isascii() else Segment(_plain(segment.text), *segment[1:])
            for segment in segments
        ]


def _plain(text: str) -> str:
    return to_ascii(text.replace("≤ ", "<=").translate(_WORDS))
