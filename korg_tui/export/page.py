"""HTML: a ledger or a session as one page that needs no network and thinks for nobody.

What the page shows is in it: rows, rails, details, and what every rewind would do, as `rewind` computed it.
Ledger text is data (JSON in ASCII, every `<` escaped) and is put in as text only; nothing is fetched, and
nothing runs or is styled but what the page's own policy names by its hash.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from html import escape
from importlib import resources
from itertools import tee
from typing import Any

from korg_tui import __version__
from korg_tui.causal import Rewind, links
from korg_tui.export.asking import Asking
from korg_tui.export.blocks import block_lines
from korg_tui.export.documents import to_json
from korg_tui.export.drawing import RowDrawing, cells_of, drawn
from korg_tui.export.fates import (
    FATES_AT_MOST,
    RULES_AT_MOST,
    Counts,
    Elsewhere,
    States,
    counts_of,
    every_rewind,
    runs,
)
from korg_tui.export.redaction import STAYS
from korg_tui.export.rewind_report import rewind_report
from korg_tui.export.wanted import Sink, Wanted
from korg_tui.views import (
    FACTS,
    Preview,
    SpineLine,
    details,
    duration,
    label,
    lane_number,
    lane_title,
    plural,
)
from korg_tui.views import Line as DetailLine

ROWS_AT_MOST = 5_000
"""Rows of a page; browsers take long to open more, and a filter is the way to others."""

LINES_AT_MOST = 120
"""Lines of one section of the details."""

CHARACTERS_AT_MOST = 2_000
"""Characters of one line of the details."""

DETAILS_AT_MOST = 12_000_000
"""Characters of all details together; rows after that have none."""

_SLOT = re.compile(r"\{(policy|style|title|script)\}")


def write_html(every: Sequence[Wanted], sink: Sink) -> None:
    """Write the page of one ledger or session."""
    (wanted,) = every
    before, after = _frame(wanted)
    sink.write(before)
    for piece in _data(wanted, sink):
        sink.write(_inert(piece))
    sink.write(after)


def _frame(wanted: Wanted) -> tuple[str, str]:
    """The page before its data, and after."""
    style, script = _part("page.css"), _part("page.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    title = _title(wanted)
    parts = {"policy": policy, "style": style, "title": escape(title), "script": script}
    before, after = _part("page.html").split("{data}")
    return _filled(before, parts), _filled(after, parts)


def _filled(text: str, parts: dict[str, str]) -> str:
    return _SLOT.sub(lambda slot: parts[slot[1]], text)


def _part(name: str) -> str:
    return (resources.files("korg_tui.export") / "web" / name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _inert(json: str) -> str:
    """JSON that ends no script and begins no comment, whatever is in it. It is ASCII already."""
    return json.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _title(wanted: Wanted) -> str:
    name = wanted.title.rpartition("/")[2] or wanted.title
    return name if wanted.session is None else f"{name} › session {wanted.session.seq}"


# the data


def _data(wanted: Wanted, sink: Sink) -> Iterator[str]:
    """One JSON object, in pieces: `about`, `lanes`, `rows`, `states`, `rewinds`,
    `counts`, `others`, `asked`, `filter` (what its keys take), `facts`, `agents`, `notes`."""
    rows = list(wanted.spine.rows[:ROWS_AT_MOST])
    if len(wanted.spine) > ROWS_AT_MOST:
        bound = f"rows after the first {ROWS_AT_MOST:,} of {len(wanted.spine):,}"
        sink.leave_out(f"{bound} (a session or a filter shows others)")
    yield f'{{"about": {to_json(_about(wanted))}'
    yield f',\n"lanes": {to_json(_lanes(wanted))}'
    yield ',\n"rows": ['
    asking = Asking()
    for number, row in enumerate(_rows(wanted, rows, asking, sink)):
        yield (",\n" if number else "\n") + to_json(row)
    yield "]"
    states = States()
    counts: list[Counts | None] = []
    others: list[Elsewhere | None] = []
    found = list(every_rewind(wanted.ledger, rows, states, counts, others))
    asked = None if wanted.rewind is None else _asked(wanted, wanted.rewind, rows, states)
    if len(rows) > FATES_AT_MOST:
        sink.leave_out(f"previews other than the one asked for: there are more than {FATES_AT_MOST:,} rows")
    elif len(rows) > RULES_AT_MOST:
        sink.leave_out(f"the rules of previews: there are more than {RULES_AT_MOST:,} rows")
    yield f',\n"states": {to_json(states.table)}'
    yield f',\n"rewinds": {to_json(found)}'
    yield f',\n"counts": {to_json(counts)}'
    yield f',\n"others": {to_json(others)}'
    yield f',\n"asked": {to_json(asked)}'
    yield f',\n"filter": {to_json(FACTS)}, "facts": {to_json(asking.facts)}'
    yield f', "agents": {to_json(asking.agents)}'
    yield f',\n"notes": {to_json(list(_notes(wanted, sink)))}}}'


def _notes(wanted: Wanted, sink: Sink) -> Iterator[str]:
    if wanted.redacts:
        count = plural(wanted.redactor.count, "value")
        yield f"Redacted: {count} replaced by [REDACTED], known forms of home folders by ~; {STAYS}."
    else:
        yield "Not redacted: it may hold secrets."
    if wanted.meant is not None:
        count = f"{plural(wanted.spine.matching, 'row')} of {len(wanted.all_rows):,}"
        yield f"Filtered: {count}, and what led there."
    for words in sink.left_out:
        yield f"Left out: {words}."


def _about(wanted: Wanted) -> dict[str, Any]:
    every = wanted.sessions
    failed, dead = sum(each.failed for each in every), sum(each.dead_pointers for each in every)
    events = sum(each.total_events for each in every)
    facts = [plural(events, "event"), f"{failed:,} failed", plural(dead, "dead pointer")]
    agents = dict.fromkeys(agent for each in every for agent in each.agents)
    facts += [plural(len(agents), "agent"), plural(sum(len(each.lanes) for each in every), "lane")]
    if wanted.session is None:
        facts.insert(0, plural(len(every), "session"))
    else:
        facts.insert(0, wanted.session.status)
    return {"title": _title(wanted), "ledger": wanted.title, "facts": facts, "by": f"korg-tui {__version__}"}


def _lanes(wanted: Wanted) -> dict[int, list[str | int]]:
    """Lane id → title, where it comes from, its number, and the seq of its session."""
    ledger = wanted.ledger
    found: dict[int, list[str | int]] = {}
    for session in wanted.sessions:
        linked = links(ledger, session.index)
        for lane in session.lane_objects():
            calls = [
                f"{label(ledger, ledger.seq[link.call])} "
                f"({'certain' if link.certain else 'possible'}, by {link.basis})"
                for link in linked.get(lane.id, ())[:8]
            ]
            origin = f"started by {', '.join(calls)}" if calls else ""
            found[lane.id] = [wanted.redactor.text(lane_title(lane)), origin, lane_number(lane), session.seq]
    return found


def _rows(
    wanted: Wanted, rows: Sequence[int], asking: Asking, sink: Sink
) -> Iterator[dict[str, Any]]:
    index_of = {wanted.ledger.seq[row]: index for index, row in enumerate(rows)}
    spine, left = wanted.spine, DETAILS_AT_MOST
    sink.expect(len(rows))
    lines, again = tee(spine.line(index) for index in range(len(rows)))
    drawings = drawn(cells_of(line.runs) for line in again)
    for row, line, drawing in zip(rows, lines, drawings, strict=True):
        sink.step()
        sink.events += 1
        sections = [] if left < 0 else _sections(wanted, row, index_of)
        left -= sum(len(line[1]) for _, _, lines in sections for line in lines)
        if left < 0 and not sections:
            sink.leave_out(f"details after the first {DETAILS_AT_MOST:,} characters")
        answers = asking.answers(wanted, line)
        yield {**_row(wanted, line), **answers, **_drawing(drawing), "details": sections}


def _row(wanted: Wanted, line: SpineLine) -> dict[str, Any]:
    """One row without its empty members."""
    took = duration(line.duration_ms) if line.duration_ms else ""
    text = wanted.redactor.text
    row: dict[str, Any] = {
        "seq": "" if line.seq is None else label(wanted.ledger, line.seq),
        "kind": line.kind.word,
        "lane": line.lane,
        "sign": line.sign.strip(),
        "tool": text(line.tool),
        "text": text(line.argument),
        "took": took,
        "marks": list(line.marks),
        "note": text(line.note),
        "dim": line.dim,
    }
    return {name: value for name, value in row.items() if value not in ("", [], False)}


def _drawing(drawing: RowDrawing) -> dict[str, Any]:
    strokes = [[stroke.lane, stroke.path, int(stroke.dashed)] for stroke in drawing.strokes]
    dot = drawing.dot
    return {"strokes": strokes} if dot is None else {
        "strokes": strokes, "dot": [dot.lane, dot.x, dot.node.name.lower()]
    }  # fmt: skip


_Line = tuple[str, str, str, int]
"""Label, text, style, and the index of the row to go to, or -1."""
_Section = tuple[str, str, list[_Line]]
"""Title, kind, lines."""


def _sections(wanted: Wanted, row: int, index_of: dict[int, int]) -> list[_Section]:
    """The details of a row."""
    found = details(wanted.ledger, row, wanted.read, blobs=wanted.look, effects=False)
    text = wanted.redactor.text
    sections: list[_Section] = []
    for each in found:
        lines = [_line(wanted, line, index_of) for line in block_lines(each, LINES_AT_MOST)]
        sections.append((text(each.title), each.kind, lines))
    return sections


def _line(wanted: Wanted, line: DetailLine, index_of: dict[int, int]) -> _Line:
    text = wanted.redactor.text(line.text)
    if len(text) > CHARACTERS_AT_MOST:
        text = f"{text[:CHARACTERS_AT_MOST]}… {len(text) - CHARACTERS_AT_MOST:,} characters more, not shown"
    target = -1 if line.seq is None else index_of.get(line.seq, -1)
    return (wanted.redactor.text(line.label), text, line.style, target)


def _asked(wanted: Wanted, found: Rewind, rows: Sequence[int], states: States) -> dict[str, Any]:
    """The rewind that was asked for: what it does from which row on, in words too, and its report."""
    ledger = wanted.ledger
    target = ledger.row_of(found.target)
    first = next((index for index, row in enumerate(rows) if target is None or row > target), len(rows))
    preview = Preview(ledger, found)
    words = [wanted.redactor.text(preview.state(row).words) for row in rows[first:]]
    return {
        "seq": label(ledger, found.target),
        "first": first,
        "runs": runs(ledger, found, rows[first:], states),
        "counts": counts_of(found),
        "bar": wanted.redactor.text(preview.bar),
        "words": words,
        "report": wanted.redactor.text(rewind_report(ledger, found, wanted.read)).splitlines(),
    }
