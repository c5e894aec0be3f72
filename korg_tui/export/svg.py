"""SVG: the spine of a session or a ledger as a picture, with its rails; with a rewind, what it drops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import tee

from korg_tui.export.drawing import CELL, HEIGHT, RowDrawing, cells_of, drawn
from korg_tui.export.wanted import Sink, Wanted
from korg_tui.text import crop
from korg_tui.views import Node, Preview, RowState, SpineLine, duration, plural

ROWS_AT_MOST = 20_000
"""Rows of a picture."""

_LETTER = 7.85
"""Units that a letter of 13 units takes in a font whose letters are all as wide."""
_TOOL, _TEXT, _TAIL = 22, 60, 44
_TOP, _LINE = 58, 20
_MARGIN = 16
_COLOURS = ("#1f6feb", "#8250df", "#1a7f37", "#b35900", "#0b7285", "#bf3989")
_DARK = ("#79b8ff", "#c8a2ff", "#7ee09b", "#f5a86b", "#66d3e0", "#f59ad0")


def write_svg(every: Sequence[Wanted], sink: Sink) -> None:
    """Write the picture of one ledger or session."""
    (wanted,) = every
    spine = wanted.spine
    count = min(len(spine), ROWS_AT_MOST)
    if count < len(spine):
        sink.leave_out(f"rows after the first {count:,} of {len(spine):,}")
    numbers = (spine.ledger.number_at(row) for row in spine.rows[:count])
    digits = max((len(str(number)) for number in numbers if number is not None), default=1)
    place = _Places(digits, spine.rails.width)
    preview = None if wanted.rewind is None else Preview(wanted.ledger, wanted.rewind)
    bar = list(_wrapped(_bar(wanted, preview), place.width))
    top = _TOP + len(bar) * _LINE
    sink.write(_head(wanted, place, top + max(count, 1) * HEIGHT + _MARGIN, bar))
    sink.expect(count)
    lines, again = tee(spine.line(index) for index in range(count))
    drawings = drawn(cells_of(line.runs) for line in again)
    for index, (line, drawing) in enumerate(zip(lines, drawings, strict=True)):
        sink.step()
        sink.events += 1
        state = None if preview is None else preview.state(line.row)
        sink.write("".join(_row(wanted, line, drawing, state, place, top + index * HEIGHT)))
    if not count:
        sink.write(f'<text x="{_MARGIN}" y="{top + 16}" class="quiet">no events</text>\n')
    sink.write("</svg>\n")


class _Places:
    """Where the columns begin."""

    def __init__(self, digits: int, rails: int) -> None:
        self.seq = _MARGIN + digits * _LETTER
        self.rails = self.seq + 10
        self.sign = self.rails + rails * CELL + 4
        self.tool = self.sign + 2 * _LETTER
        self.text = self.tool + _TOOL * _LETTER
        self.tail = self.text + _TEXT * _LETTER
        self.width = round(self.tail + _TAIL * _LETTER + _MARGIN)


def _bar(wanted: Wanted, preview: Preview | None) -> str:
    redacted = ["redacted"] if wanted.redacts else []
    if preview is not None:
        return " · ".join([preview.bar, *redacted])
    facts = [plural(sum(each.total_events for each in wanted.sessions), "event")]
    facts.append(f"{sum(each.failed for each in wanted.sessions):,} failed")
    facts.append(plural(sum(len(each.lanes) for each in wanted.sessions), "lane"))
    return " · ".join([*facts, *redacted])


def _wrapped(bar: str, width: int) -> Iterator[str]:
    """The parts of a bar, in lines that fit."""
    line = ""
    for part in bar.split(" · "):
        longer = f"{line} · {part}" if line else part
        if line and len(longer) * _LETTER > width - 2 * _MARGIN:
            yield line
            longer = part
        line = longer
    yield line


def _head(wanted: Wanted, place: _Places, height: int, bar: list[str]) -> str:
    where = "" if wanted.session is None else f" › session {wanted.session.seq}"
    name = wanted.title.rpartition("/")[2] or wanted.title
    title = crop(f"{name}{where}", 120)
    told = "".join(
        f'<text x="{_MARGIN}" y="{54 + number * _LINE}" class="quiet">{escape(line)}</text>\n'
        for number, line in enumerate(bar)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{place.width}" height="{height}" '
        f'viewBox="0 0 {place.width} {height}" role="img" aria-label="{escape(title)}">\n'
        f"<title>{escape(title)}</title>\n<style>{_style()}</style>\n"
        f'<rect class="paper" width="{place.width}" height="{height}"/>\n'
        f'<text x="{_MARGIN}" y="30" class="title">{escape(title)}</text>\n'
        f"{told}"
    )


def _style() -> str:
    lanes = "".join(f".l{n}{{stroke:{each};fill:{each}}}" for n, each in enumerate(_COLOURS))
    dark = "".join(f".l{n}{{stroke:{each};fill:{each}}}" for n, each in enumerate(_DARK))
    return (
        'text{font:13px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}'
        "text{fill:#1f2328;white-space:pre}"
        ".title{font-weight:700;font-size:16px}.paper{fill:#fbfaf7}.quiet{fill:#646b75}.bad{fill:#b3261e}"
        ".odd{fill:#8a5a00}.good{fill:#1a7f37}.gone{text-decoration:line-through}.faint{opacity:.5}"
        f".l{{stroke:#646b75;fill:#646b75}}{lanes}path{{fill:none!important;stroke-width:2;"
        "stroke-linecap:round}.dash{stroke-dasharray:2 4}.broken{fill:#fbfaf7;stroke-width:2}"
        "@media(prefers-color-scheme:dark){text{fill:#dfe3e8}.paper,.broken{fill:#14171c}.quiet{fill:#98a1ad}"
        f".bad{{fill:#ff8a80}}.odd{{fill:#f2c063}}.good{{fill:#7ee09b}}{dark}}}"
    )


def _row(
    wanted: Wanted, line: SpineLine, drawing: RowDrawing, state: RowState | None, place: _Places, top: int
) -> Iterator[str]:
    text = wanted.redactor.text
    base = top + 17
    fate = "" if state is None else state.fate
    gone = " gone" if fate in ("invalidated", "possible") else ""
    faint = " faint" if line.dim or fate in ("unknown", "independent") else ""
    failed = " bad" if "failed" in line.marks else ""
    yield _text(place.seq, base, f"quiet{faint}", line.number, anchor=True)
    yield from _rails(drawing, place.rails, top)
    yield _text(place.sign, base, "quiet" if line.sign in "·§" else "bad", line.sign.strip())
    yield _text(place.tool, base, f"tool{failed}{gone}{faint}", crop(text(line.tool), _TOOL - 1))
    yield _text(place.text, base, f"quiet{gone}{faint}", crop(text(line.argument), _TEXT - 1))
    if state is not None and (state.sign.strip() or state.words):
        looks = {"invalidated": "bad", "possible": "odd", "kept": "good"}.get(fate, "quiet")
        yield _text(place.tail, base, looks, crop(text(f"{state.sign} {state.words}"), _TAIL))
    else:
        took = duration(line.duration_ms) if line.duration_ms else ""
        tail = " · ".join(filter(None, (*line.marks, text(line.note), took)))
        looks = "odd" if line.marks or line.note else "quiet"
        yield _text(place.tail, base, f"{looks}{faint}", crop(tail, _TAIL))
    yield "\n"


def _text(x: float, y: int, looks: str, text: str, *, anchor: bool = False) -> str:
    if not text:
        return ""
    end = ' text-anchor="end"' if anchor else ""
    return f'<text x="{x:.0f}" y="{y}" class="{looks}"{end}>{escape(text)}</text>'


def _rails(drawing: RowDrawing, left: float, top: int) -> Iterator[str]:
    if not drawing.strokes and drawing.dot is None:
        return
    yield f'<g transform="translate({left:.0f} {top})">'
    for stroke in drawing.strokes:
        yield f'<path class="{_lane(stroke.lane)}{" dash" if stroke.dashed else ""}" d="{stroke.path}"/>'
    dot = drawing.dot
    if dot is not None:
        broken = " broken" if dot.node is Node.BROKEN else ""
        yield f'<circle class="{_lane(dot.lane)}{broken}" cx="{dot.x}" cy="{HEIGHT // 2}" r="4"/>'
    yield "</g>"


def _lane(lane: int | None) -> str:
    return "l" if lane is None or lane < 0 else f"l{lane % len(_COLOURS)}"


