"""Display: content as a person reads it - Markdown, JSON, source in colours, or plain text - bounded."""

from __future__ import annotations

from dataclasses import replace

from korg_tui.views.sections import Line, Opens
from korg_tui.views.syntax import highlight
from korg_tui.views.texts import bounded


def shown_text(text: str, *, path: str = "", media: str = "", opens: Opens | None = None) -> list[Line]:
    """The lines of a text, by the name of its file or its media type as far as they are known. `opens` is
    what the last line opens when the text is too long."""
    del media
    return coloured(bounded(text, opens=opens), path)


def coloured(lines: list[Line], path: str = "", *, language: str = "") -> list[Line]:
    """The same lines with their syntax, except those that are notes."""
    plain = [line for line in lines if line.style != "note"]
    spans = highlight([line.text for line in plain], path, language=language)
    return [*map(lambda line, each: replace(line, spans=each), plain, spans), *lines[len(plain) :]]
