"""Telling: events, sessions and details as sentences, each a safe line that makes sense when it is heard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from korg_tui.causal import Ledger
from korg_tui.event import Kind
from korg_tui.text import visible
from korg_tui.views import Preview, Section, SessionRow, SpineLine, ago, duration, label, lane_title, plural

_UNITS = {"ms": "millisecond", "s": "second", "m": "minute", "h": "hour", "d": "day"}


def event_sentence(ledger: Ledger, line: SpineLine) -> str:
    """`event 7, llm_inference, lane 1 main, succeeded, caused by 6, 11 milliseconds: the argument`."""
    if line.kind is Kind.GAP:
        return f"gap: {line.argument}"
    if line.kind is Kind.MALFORMED:
        return f"malformed line: {line.note}"
    parts = [f"event {line.number}" if line.seq is None else f"event {label(ledger, line.seq)}", line.tool]
    lane = ledger.lane_at(line.row)
    if lane is not None:
        parts.append(lane_title(lane))
    parts += _state(ledger, line)
    said = f": {line.argument}" if line.argument else ""
    return visible(", ".join(parts) + said)


def _state(ledger: Ledger, line: SpineLine) -> Iterator[str]:
    success = ledger.success_at(line.row)
    if line.kind.agent and success is not None:
        yield "succeeded" if success else "failed"
    parent = ledger.parent_row(line.row) if line.kind.agent else -1
    if parent >= 0:
        yield f"caused by {label(ledger, ledger.seq[parent])}"
    if line.duration_ms:
        yield spoken(duration(line.duration_ms))
    if line.note:
        yield line.note
    told = {"failed"} | ({"dead pointer"} if line.note else set())
    yield from (mark for mark in line.marks if mark not in told)
    if line.kind.agent and ledger.pointer_at(line.row).begins and parent < 0:
        yield "the start of a session"


def spoken(words: str) -> str:
    """A duration or an age in words: `2.1 s` becomes `2.1 seconds`."""
    parts = words.split(" ")
    for place in range(1, len(parts)):
        unit = _UNITS.get(parts[place])
        if unit:
            parts[place] = unit if parts[place - 1] == "1" else unit + "s"
    return " ".join(parts)


def session_sentence(number: int, row: SessionRow, now_ms: int) -> str:
    """`1: ledger, complete, 21 events, 3 agents, 1 failed, 12 seconds ago: the prompt`."""
    parts = [row.title, row.status, plural(row.events, "event"), plural(row.agents, "agent")]
    if row.trust is not None:
        parts.append(row.trust.words if row.trust.words == "unchained" else f"chain {row.trust.words}")
    if row.failed:
        parts.append(f"{row.failed:,} failed")
    if row.dead_pointers:
        parts.append(plural(row.dead_pointers, "dead pointer"))
    if row.missing:
        parts.append(f"{row.missing:,} not loaded")
    parts.append(spoken(ago(row.last_ms, now_ms)))
    if row.live:
        parts.append("live")
    return visible(f"{number}: {', '.join(parts)}" + (f": {row.prompt}" if row.prompt else ""))


def section_lines(sections: Sequence[Section]) -> Iterator[str]:
    """Details as lines: each section under its title, each field with its label."""
    for section in sections:
        if section.title:
            yield f"{visible(section.title)}:"
        for line in section.lines:
            named = f"{line.label}: " if line.label else ""
            yield f"  {visible(named + _without_signs(line.text))}"


def _without_signs(text: str) -> str:
    """Without the sign of what can be folded on a screen."""
    return text.replace("▾ ", "").replace("▸ ", "")


def preview_lines(preview: Preview) -> Iterator[str]:
    """A rewind preview: what it keeps, each event that goes and why, and what it would not undo."""
    ledger = preview.ledger
    yield f"rewind preview to {label(ledger, preview.target)}: {preview.bar}"
    for row in sorted(preview.dropped):
        state, lane = preview.state(row), ledger.lane_at(row)
        where = "" if lane is None else f", {lane_title(lane)}"
        fate = "may go" if state.fate == "possible" else "goes"
        name = f"{label(ledger, ledger.seq[row])} {visible(ledger.tool_at(row), 40)}{where}"
        yield visible(f"{fate}: {name}, {' '.join(state.words.split())}")
    yield from section_lines(preview.sections()[1:] if preview.dropped else ())
    yield "a preview: nothing was rewound, and nothing on disk would be undone"
