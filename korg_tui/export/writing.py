"""Formats: every way out of a ledger, by name, and the one way to take it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from korg_tui.causal import Ledger
from korg_tui.export.data import write_json, write_ndjson
from korg_tui.export.graphml import write_graph
from korg_tui.export.markdown import write_markdown
from korg_tui.export.otlp import write_otlp
from korg_tui.export.page import write_html
from korg_tui.export.redaction import STAYS, NoRedactor, Redactor
from korg_tui.export.svg import write_svg
from korg_tui.export.wanted import ExportRefused, Progress, Sink, Wanted, preview_of, session_at
from korg_tui.reading import Reading
from korg_tui.views import Predicate, plural, size

_Writer = Callable[[Sequence[Wanted], Sink], None]


@dataclass(frozen=True, slots=True)
class Format:
    """One form that a ledger can be exported in."""

    name: str
    suffix: str
    """Of a file that holds it, with its dot."""
    text: str
    """What it is, for a person."""
    write: _Writer = field(repr=False)
    redacts: bool = False
    """Whether secrets are taken out unless a person says otherwise."""
    several: bool = False
    """Whether it can hold several ledgers."""
    needs_times: bool = False
    """Whether sessions without times are refused."""
    previews: bool = False
    """Whether it can show a rewind preview."""
    embeds: bool = False
    """Whether it can show the beginning of blobs."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    format: Format
    bytes: int
    events: int
    """Rows that are in it: events, and what else stands among them."""
    redacted: int | None
    """How many values were replaced, None when secrets were not looked for."""
    left_out: tuple[str, ...]
    """What the export does not hold, in words for a person."""

    @property
    def words(self) -> str:
        """`12 rows as HTML page, 48.1 KB; 3 values redacted, …; left out: …`."""
        parts = [f"{plural(self.events, 'row')} as {self.format.text}, {size(self.bytes)}"]
        if self.redacted is None:
            parts.append("not redacted")
        else:
            count = plural(self.redacted, "value")
            parts += [f"{count} redacted, known forms of home folders written as ~", STAYS]
        if self.left_out:
            parts.append(f"left out: {', '.join(self.left_out)}")
        return "; ".join(parts)


FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format("json", ".json", "a JSON document", write_json, several=True, previews=True),
        Format("ndjson", ".ndjson", "NDJSON, an event a line", write_ndjson, several=True),
        Format(
            "markdown", ".md", "a Markdown report", write_markdown,
            redacts=True, several=True, previews=True, embeds=True,
        ),
        Format("html", ".html", "a web page", write_html, redacts=True, previews=True, embeds=True),
        Format("svg", ".svg", "a picture", write_svg, previews=True),
        Format("graphml", ".graphml", "a graph", write_graph, previews=True),
        Format("otlp", ".otlp.json", "an OTLP trace (JSON)", write_otlp, several=True, needs_times=True),
    )
}  # fmt: skip
"""By name, in the order in which they are offered."""


def write_export(
    format: str,  # noqa: A002
    reading: Reading,
    ledger: Ledger,
    out: BinaryIO,
    *,
    session: int | None = None,
    redact: bool | None = None,
    rewind_to: int | None = None,
    meant: Predicate | None = None,
    blobs: bool = False,
    progress: Progress | None = None,
) -> Exported:
    """Write a ledger, or the session with this index, to `out`.

    `format` is a name of `FORMATS`; `redact` None does what the format does by itself; `rewind_to` is the seq
    (or the key of a guest) whose preview goes with it; `meant` chooses events; with `blobs` the beginning of
    blobs goes with it, fetched where need be. `progress` is told how far it is, and ends the export with what
    it raises. Raises `ExportRefused`, and the `OSError` of `out`.
    """
    preview = preview_of(ledger, rewind_to)
    wanted = Wanted(reading, ledger, session_at(ledger, session), meant, preview, blobs)
    return write_several(format, [wanted], out, redact=redact, progress=progress)


def write_several(
    format: str,  # noqa: A002
    every: Sequence[Wanted],
    out: BinaryIO,
    *,
    redact: bool | None = None,
    progress: Progress | None = None,
) -> Exported:
    """The same for several ledgers at once."""
    chosen = FORMATS[format]
    if len(every) > 1 and not chosen.several:
        raise ExportRefused(f"{chosen.text} holds one ledger, and here are {len(every)}; name one")
    redactor = Redactor() if (chosen.redacts if redact is None else redact) else None
    for wanted in every:
        wanted.redactor = redactor or NoRedactor()
    sink = Sink(out, progress)
    if any(wanted.rewind is not None for wanted in every) and not chosen.previews:
        sink.leave_out(f"the rewind preview, which {chosen.name} has no place for")
    if any(wanted.blobs for wanted in every) and not chosen.embeds:
        sink.leave_out(f"the contents of blobs, which {chosen.name} has no place for")
    chosen.write(every, sink)
    return Exported(
        chosen, sink.bytes, sink.events, None if redactor is None else redactor.count, tuple(sink.left_out)
    )
