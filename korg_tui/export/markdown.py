"""Markdown: a report to read or to paste. Ledger text stands in code spans and fenced blocks only, whose
fences are longer than any run of backticks in it: nothing in it can become HTML, a link, or an image."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from korg_tui import __version__
from korg_tui.causal import Lane, Ledger, Session, links
from korg_tui.event import Kind
from korg_tui.export.blocks import block_lines
from korg_tui.export.documents import prompt_text, timestamp
from korg_tui.export.redaction import STAYS
from korg_tui.export.rewind_report import rewind_report
from korg_tui.export.wanted import Sink, Wanted
from korg_tui.text import visible
from korg_tui.views import (
    Section,
    Spine,
    details,
    duration,
    gap_words,
    label,
    lane_name,
    lane_number,
    plural,
)

LISTED_AT_MOST = 500
"""Lanes and failures that are listed apart."""

SESSIONS_APART = 64
"""With more sessions than these, the steps of all come behind them, in the order of the ledger."""

LINES_AT_MOST = 200
"""Lines of one block."""

_TICKS = re.compile("`+")
_BLOCKS = {"json": "json", "diff": "diff", "terminal": "console", "text": "text", "blobs": "text"}
_SPAN = 2_000


def write_markdown(every: Sequence[Wanted], sink: Sink) -> None:
    """Write the report of every ledger, one below the other."""
    for number, wanted in enumerate(every):
        sink.write("\n" if number else "")
        for line in _report(wanted, sink):
            sink.write(line + "\n")


def code(text: str) -> str:
    """One line of ledger text as a code span, inert wherever a span can stand but in a table."""
    safe = visible(text, _SPAN)
    if not safe.strip():
        return "(empty)"
    ticks = "`" * (_longest(safe) + 1)
    room = " " if safe[0] in "` " or safe[-1] in "` " else ""
    return f"{ticks}{room}{safe}{room}{ticks}"


def fence(lines: Iterable[str], language: str = "") -> Iterator[str]:
    """Safe lines as a fenced block."""
    held = list(lines)
    ticks = "`" * max(3, max(map(_longest, held), default=0) + 1)
    yield ticks + language
    yield from held
    yield ticks


def _longest(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)


# the report


def _report(wanted: Wanted, sink: Sink) -> Iterator[str]:
    ledger = wanted.ledger
    yield f"# {code(wanted.title.rpartition('/')[2] or wanted.title)}"
    yield ""
    yield f"- ledger: {code(wanted.title)}"
    if wanted.session is None:
        yield f"- {plural(len(ledger.sessions), 'session')}, {plural(len(ledger), 'row')}"
    yield f"- written by korg-tui {__version__}; it shows a ledger, and changes nothing in it"
    if wanted.redacts:
        yield "- redacted: secrets are replaced by `[REDACTED]`, known forms of home folders by `~`;"
        yield f"  {STAYS}"
    else:
        yield "- not redacted: it may hold secrets"
    if wanted.meant is not None:
        yield "- filtered: only some of the events are here"
    if wanted.rewind is not None:
        yield ""
        yield f"## Rewind preview to {_inert(label(ledger, wanted.rewind.target))}"
        yield ""
        report = rewind_report(ledger, wanted.rewind, wanted.read).splitlines()
        yield from fence((wanted.redactor.text(line) for line in report), "text")
    apart = 0 < len(wanted.sessions) <= SESSIONS_APART
    for session in wanted.sessions:
        yield from _session(wanted, session)
        if apart:
            yield from _steps(wanted, Spine(ledger, session.index), sink, "###")
    if not apart:
        yield from _steps(wanted, wanted.spine, sink, "##")


def _session(wanted: Wanted, session: Session) -> Iterator[str]:
    prompt = prompt_text(wanted.reading, wanted.ledger, session.head)
    yield ""
    yield f"## Session {session.seq}"
    yield ""
    if prompt:
        yield f"> {code(wanted.redactor.text(prompt))}"
        yield ""
    yield f"- {session.status}{', synthesized root' if session.synthesized else ''}"
    yield (
        f"- {plural(session.total_events, 'event')}, {session.failed:,} failed, "
        f"{plural(session.dead_pointers, 'dead pointer')}"
    )
    yield f"- last activity: {timestamp(session.last_event_at) or 'no time'}"
    yield ""
    yield "### Lanes"
    yield ""
    lanes = sorted(session.lane_objects(), key=lambda lane: lane.id)
    for lane in lanes[:LISTED_AT_MOST]:
        yield _lane(wanted, session, lane)
    if len(lanes) > LISTED_AT_MOST:
        yield f"- … {plural(len(lanes) - LISTED_AT_MOST, 'lane')} more, not listed"
    yield from _failures(wanted, session)


def _lane(wanted: Wanted, session: Session, lane: Lane) -> str:
    ledger, name = wanted.ledger, code(wanted.safe(lane_name(lane)))
    parts = [f"- lane {lane_number(lane)} {name}: {plural(len(lane.rows), 'event')}"]
    if lane.fork is not None and lane.above is not None:
        parts.append(f"from lane {lane_number(lane.above)} at {_number(ledger, lane.fork)}")
    calls = [
        f"{_number(ledger, link.call)} ({'certain' if link.certain else 'possible'}, by {link.basis})"
        for link in links(ledger, session.index).get(lane.id, ())[:8]
    ]
    if calls:
        parts.append(f"started by {', '.join(calls)}")
    elif lane.above is not None:
        parts.append("no call is known to have started it")
    return ", ".join(parts)


def _failures(wanted: Wanted, session: Session) -> Iterator[str]:
    ledger = wanted.ledger
    rows = [row for row in session.rows() if ledger.success_at(row) is False]
    if not rows:
        return
    yield ""
    yield "### Failures"
    yield ""
    for row in rows[:LISTED_AT_MOST]:
        argument = wanted.spine.argument(row)
        yield f"- {_number(ledger, row)} {code(wanted.safe(ledger.tool_at(row)))} {code(argument)}"
    if len(rows) > LISTED_AT_MOST:
        yield f"- … {len(rows) - LISTED_AT_MOST:,} more, not listed"


def _steps(wanted: Wanted, spine: Spine, sink: Sink, depth: str) -> Iterator[str]:
    yield ""
    yield f"{depth} Steps"
    rows = spine.all_rows
    sink.expect(len(rows))
    for row in rows:
        sink.step()
        if wanted.meant is None or wanted.meant(wanted.ledger, row):
            sink.events += 1
            yield from _step(wanted, row)


def _step(wanted: Wanted, row: int) -> Iterator[str]:
    ledger = wanted.ledger
    name = "" if ledger.seq_at(row) is None else f"{_number(ledger, row)} "
    failed = " ✗ failed" if ledger.success_at(row) is False else ""
    yield ""
    yield f"#### {name}{_name(wanted, row)}{failed}"
    yield ""
    yield " · ".join(_facts(wanted, row))
    for section in details(ledger, row, wanted.read, blobs=wanted.look, effects=False):
        if section.kind in _BLOCKS:
            yield from _block(wanted, section)


def _number(ledger: Ledger, row: int) -> str:
    """What an event is called; of one in a sub-agent's ledger, its name too, which is somebody's text."""
    return _inert(label(ledger, ledger.seq[row]))


def _inert(name: str) -> str:
    return name if name.isdecimal() else code(name)


def _name(wanted: Wanted, row: int) -> str:
    kind = wanted.ledger.kind_at(row)
    gap = wanted.ledger.gap_at(row)
    if gap is not None:
        return gap_words(gap)
    return "malformed line" if kind is Kind.MALFORMED else code(wanted.safe(wanted.ledger.tool_at(row)))


def _facts(wanted: Wanted, row: int) -> Iterator[str]:
    ledger = wanted.ledger
    yield ledger.kind_at(row).word
    lane = ledger.lane_at(row)
    if lane is not None:
        yield f"lane {lane_number(lane)} {code(wanted.safe(lane_name(lane)))}"
        parent = ledger.parent_row(row)
        pointer = ledger.pointer_at(row)
        yield f"after {_number(ledger, parent)}" if parent >= 0 else f"pointer: {pointer.word}"
    if ledger.reason_at(row):
        yield code(wanted.redactor.text(ledger.reason_at(row)))
    yield timestamp(ledger.time_at(row)) or "no time"
    if ledger.duration_at(row):
        yield duration(ledger.duration_at(row))


def _block(wanted: Wanted, section: Section) -> Iterator[str]:
    lines = block_lines(section, LINES_AT_MOST)
    texts = (f"{line.label}: {line.text}" if line.label else line.text for line in lines)
    shown = map(wanted.redactor.text, texts)
    yield ""
    if section.title:
        yield f"{code(wanted.redactor.text(section.title))}:"
        yield ""
    yield from fence(shown, _BLOCKS[section.kind])
