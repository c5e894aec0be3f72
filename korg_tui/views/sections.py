"""Sections: safe lines under titles, what the details and the preview are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from korg_tui.views.folding import Tree

Style = Literal[
    "", "key", "note", "error", "good", "added", "removed", "hunk", "output", "stderr", "code", "link"
]
"""What a line is; the widgets have a component class for each."""

Shape = Literal["fields", "json", "text", "diff", "terminal", "causes", "effects", "blobs", "raw"]
"""What the lines of a section are."""


ENTER_OPENS = ": enter opens it whole"
ENTER_SHOWS = ": enter shows it"
"""What lines say that can be chosen."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a line that looks different: characters `begin` to `end`, and its looks.

    `name` is one look or several, separated by spaces, later ones over earlier ones. A look is a name for
    which the widgets have a component class `details--<look>`, or a colour that the text itself asked for:
    `#rrggbb` for its letters, `on-#rrggbb` for what is behind them.
    """

    begin: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class Opens:
    """What choosing a line opens, where that is no event: a blob by its digest, or a long value of this
    event by its JSON pointer (RFC 6901, such as `/result/stdout`) into `{"args": …, "result": …}`."""

    what: Literal["blob", "value"]
    name: str


JsonKey = tuple[str, int, int]
"""A node of JSON: the pointer of a value (RFC 6901), and of a part of a long one its first and last place; of
a whole one 0 and -1."""


@dataclass(frozen=True, slots=True)
class JsonNode:
    """Where a line stands in JSON, so that it can be folded."""

    key: JsonKey
    state: Literal["leaf", "open", "closed", "end"]
    inside: JsonKey | None
    """The node around it; None at the top."""


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
    node: JsonNode | None = None
    """Of a line of JSON: the node it stands for."""
    hang: str = ""
    """What stands before the rest of the line, in rows after its first one: safe, such as a gutter."""

    @property
    def told(self) -> str:
        """The text where nothing can be chosen, as on paper."""
        if self.opens is None:
            return self.text
        return self.text.replace(ENTER_OPENS, ", not shown").replace(ENTER_SHOWS, "")


Sides = tuple[Line | None, Line | None]
"""What was and what is, side by side; a heading is a pair without a right side whose style is `hunk` or
`note`."""


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of the details, bounded."""

    title: str
    kind: Shape
    lines: tuple[Line, ...]
    sides: tuple[Sides, ...] = ()
    """A diff as it stands side by side, where there is room; else its `lines` are shown."""
    tree: Tree | None = None
    """JSON whose nodes fold; `lines` are what it shows at first."""
    style: Style = ""
    """How the title stands out, such as that of a command that failed."""
