"""Headlines: what the crumbs and the status line of a session say, as parts of (text, component class)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo

from korg_tui.commands import Keymap
from korg_tui.event import Kind
from korg_tui.reading import Reading
from korg_tui.text import crop, visible, width
from korg_tui.views import (
    Spine,
    SpineLine,
    Tone,
    Watch,
    ago,
    broken_guests,
    clock,
    label,
    lane_title,
    ledger_words,
    nobody_watches,
    plural,
)
from korg_tui.widgets.names import ending
from korg_tui.widgets.spine import SpineView

Parts = list[tuple[str, str]]

_BETWEEN = " · "
_REASON = re.compile(r" \((.+)\); what was read stays")
_FOLDERS = re.compile(r"(?<![\w/])/(?:[^\s/:;]+/)+")
_LEAST_NAME = 12
_LEAST = ("agent", "dead", "verif", "unchained", "event", "not loaded", "failed", "")
"""Words of the counts, those that are missed least first; what matches nothing else is kept longest."""


@dataclass(frozen=True, slots=True)
class Told:
    """When something is told: `zone` None is that of this machine; `now_ms` in ms since the epoch."""

    zone: tzinfo | None
    now_ms: int


_TONES: Mapping[Tone, str] = {
    "good": "line--quiet", "bad": "line--bad", "mark": "line--mark", "quiet": "line--quiet",
}  # fmt: skip

WELL = ("live", "back")
"""States in which a source is followed, and nothing need be said of it."""

BACK_MS = 10_000
"""For so long it is said that a source is back."""


def crumbs(spine: Spine, line: SpineLine | None, cells: int) -> Parts:
    """Ledger › session “prompt” › lane › event; the prompt gets the room that the others leave."""
    before, after = _before(spine, cells), _after(spine, line)
    room = cells - sum(width(visible(text)) for text, _ in (*before, *after)) - 5
    prompt = crop(_prompt(spine), min(room, 60)) if room > 8 else ""
    return [*before, (f" “{prompt}”" if prompt else "", "line--quiet"), *after]


def _before(spine: Spine, cells: int) -> Parts:
    parts = [(ending(spine.ledger.name, max(14, cells // 4)), "line--quiet")]
    session = spine.session
    return parts if session is None else [*parts, (f" › session {session.seq}", "")]


def _after(spine: Spine, line: SpineLine | None) -> Parts:
    if line is None:
        return []
    lane = spine.ledger.lane_at(line.row)
    parts = [] if lane is None else [(f" › {lane_title(lane)}", "")]
    seq = spine.ledger.seq_at(line.row)
    number = line.number if seq is None else label(spine.ledger, seq)
    name = line.argument if line.kind is Kind.GAP else crop(line.tool, 30)
    return [*parts, (f" › {number} {name}" if number else f" › {name}", "line--strong")]


def _prompt(spine: Spine) -> str:
    """The argument of the session's first head, as far as it is shown."""
    session = spine.session
    index = None if session is None else spine.index_of_row(session.head)
    return "" if index is None else spine.line(index).argument


def status(
    spine: Spine,
    view: SpineView,
    reading: Reading,
    told: Told,
    findings: Parts,
    cells: int,
    keymap: Keymap,
    watched: Watch = nobody_watches,
) -> Parts:
    """How it is followed, where it goes on, and how the source is doing · a chain that does not hold ·
    findings · counts of the session, and how far its chain holds · the source's name in the room that is
    left."""
    follow = [*_follow(view, reading), *_beyond(spine)]
    room = cells - sum(width(text) + len(_BETWEEN) for text, _ in follow)
    back = keymap.told("{shift-left} back")
    aside = [(f"scrolled {view.shift}: {back}", "line--mark")] if view.shift else []
    said, tone = ledger_words(watched(spine.ledger), broken_guests(reading, watched))
    chain = [(said, _TONES[tone])] if said else []
    trouble, holds = (chain, []) if tone in ("bad", "mark") else ([], chain)
    before = [*follow, *_source(reading, told, room), *trouble, *aside, *findings]
    counts = [*_counts(spine), *holds]
    shown = _joined([*before, *_fitting(counts, cells - _width(_joined(before)) - len(_BETWEEN))])
    room = cells - sum(width(visible(text)) for text, _ in shown) - len(_BETWEEN)
    if room >= _LEAST_NAME:
        shown += [(_BETWEEN, "line--quiet"), (ending(reading.journal.name, room), "line--quiet")]
    return shown


def _fitting(counts: Parts, cells: int) -> Parts:
    """The counts that there is room for; how many failed goes last."""
    while len(counts) > 1 and _width(_joined(counts)) > cells:
        least = min(counts, key=lambda part: next(n for n, word in enumerate(_LEAST) if word in part[0]))
        counts = [part for part in counts if part is not least]
    return counts


def _width(parts: Parts) -> int:
    return sum(width(visible(text)) for text, _ in parts)


def _joined(parts: Parts) -> Parts:
    shown: Parts = []
    for part in parts:
        shown += [(_BETWEEN, "line--quiet")] * bool(shown) + [part]
    return shown


def _follow(view: SpineView, reading: Reading) -> Parts:
    if not reading.live:
        return []
    if view.following:
        return [("FOLLOW", "line--good")]
    return [(f"PAUSED +{view.behind:,}" if view.behind else "PAUSED", "line--mark")]


def _beyond(spine: Spine) -> Parts:
    """Where newer events are than those of this session, which ends before a hole: what would tell whose they
    are is missing."""
    ledger, session = spine.ledger, spine.session
    if session is None or not any(session.last_seq < hole.first for hole in ledger.holes):
        return []
    newest = max(ledger.sessions, key=lambda each: each.last_seq)
    return [(f"newer events in session {newest.seq}", "line--mark")] if newest is not session else []


def _counts(spine: Spine) -> Parts:
    session = spine.session
    if session is None:
        return []
    missing = spine.ledger.not_loaded
    lost = [(f"{plural(missing, 'event')} not loaded", "line--mark")] if missing else []
    return [
        (plural(session.total_events, "event"), ""),
        *lost,
        (plural(len(session.agents), "agent"), ""),
        (f"{session.failed:,} failed", "line--bad" if session.failed else "line--quiet"),
        (f"{session.dead_pointers:,} dead", "line--mark" if session.dead_pointers else "line--quiet"),
    ]


def _source(reading: Reading, told: Told, cells: int) -> Parts:
    if not reading.caught_up and reading.state == "reading":
        return [(f"reading {100 * reading.done // reading.total} %" if reading.total else "reading", "")]
    if reading.state == "back" and told.now_ms - reading.at_ms < BACK_MS:
        return [(f"back since {_moment(reading, told)}", "line--good")]
    if reading.state in WELL:
        return []
    if reading.state == "ended":
        return [("ENDED", "line--quiet")]
    return [(source_words(reading, told, cells), "line--mark")]


def source_words(reading: Reading, told: Told, cells: int) -> str:
    """How a source is doing, without its name: the state, the reason, what is done about it; what does not
    fit is left out from the end, and of paths in a reason their folders."""
    words = source_state(reading, told).lstrip(" :").removeprefix("is ")
    while width(words) > cells and "; " in words:
        words = words.rpartition("; ")[0]
    return words if width(words) <= cells else _FOLDERS.sub("…/", words)


def _moment(reading: Reading, told: Told) -> str:
    return clock(reading.at_ms, told.zone)[:8]


def source_state(reading: Reading, told: Told) -> str:
    """The sentence without the name with which it begins: ` is gone since 14:02:11; …`, `: not a ledger`,
    ` offline 12 s: connection refused; …`. The age of a state that grows older is told as of now."""
    name, text = visible(reading.journal.name), visible(reading.text)
    said = text.removeprefix(name) if text.startswith(name) else f": {text or reading.state}"
    why = _reason(said)
    match reading.state:
        case "gone":
            return f" is gone since {_moment(reading, told)}; waiting for it to come back"
        case "offline":
            age = ago(reading.at_ms, told.now_ms).removesuffix(" ago")
            return f" offline {age}: {why or said.strip(' :')}; asking again"
        case "warned" if why:
            since = _moment(reading, told)
            return f" makes no sense since {since}: {why}; the last good state stays"
        case _:
            return said


def _reason(said: str) -> str:
    """Why a server gives nothing, as its source has it in brackets; empty where nothing is."""
    found = _REASON.search(said)
    return found[1] if found else ""


def ages(reading: Reading, now_ms: int) -> bool:
    """Whether what is said of a source changes with the time."""
    news = reading.state == "back" and now_ms - reading.at_ms < 2 * BACK_MS
    return news or reading.state == "offline"
