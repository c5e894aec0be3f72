"""Sections: safe lines under titles, what the details and the preview are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Style = Literal["", "key", "note", "error", "added", "removed", "hunk", "output", "link"]
"""What a line is; the widgets have a component class for each."""

Shape = Literal["fields", "json", "text", "diff", "terminal", "causes", "effects", "blobs", "raw"]
"""What the lines of a section are."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a line that looks different: characters `begin` to `end`, and the name of a look, for which
    the widgets have a component class `details--<name>`."""

    begin: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class Opens:
    """What choosing a line opens, where that is no event: a blob by its digest, or a long value of this
    event by its JSON pointer (RFC 6901, such as `/result/stdout`) into `{"args": …, "result": …}`."""

    what: Literal["blob", "value"]
    name: str


@dataclass(frozen=True, slots=True)
class Line:
    """One safe line of a section."""

    text: str
    style: Style = ""
    label: str = ""
    """The name of a field, shown before its value."""
    seq: int | None = None
    """The event this line is about, where that is another one: somewhere to go."""
    spans: tuple[Span, ...] = ()
    """Parts that look different, ascending, without overlap."""
    opens: Opens | None = None
    """What choosing it opens."""


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of the details, bounded."""

    title: str
    kind: Shape
    lines: tuple[Line, ...]
