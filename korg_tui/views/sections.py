"""Sections: safe lines under titles, what the details and the preview are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Style = Literal["", "key", "note", "error", "added", "removed", "hunk", "output", "link"]
"""What a line is; the widgets have a component class for each."""

Shape = Literal["fields", "json", "text", "diff", "terminal", "causes", "effects", "blobs", "raw"]
"""What the lines of a section are."""


@dataclass(frozen=True, slots=True)
class Line:
    """One safe line of a section."""

    text: str
    style: Style = ""
    label: str = ""
    """The name of a field, shown before its value."""
    seq: int | None = None
    """The event this line is about, where that is another one: somewhere to go."""


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of the details, bounded."""

    title: str
    kind: Shape
    lines: tuple[Line, ...]
