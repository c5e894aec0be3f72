"""Timescale: what stands over a timeline, and what is said of it in words. All of it is safe text."""

from __future__ import annotations

from datetime import tzinfo

from korg_tui.text import width
from korg_tui.views.timeline import Timeline
from korg_tui.views.tracks import Window
from korg_tui.views.words import clock, duration, label, plural

_APART = 3
_DAY_MS = 86_400_000
_FINE_MS = 2_000


def scale(timeline: Timeline, window: Window, zone: tzinfo | None) -> str:
    """The line over the lanes, as many cells as the window has: moments, and between `‹ ›` the lengths of
    pauses. Where nothing has a time, the seqs of the rows."""
    out = [" "] * window.cells
    for pause in timeline.pauses:
        begin, end = window.cell(pause.at), window.cell(pause.at + pause.room)
        if end >= 0 and begin < window.cells:
            words = f"‹{duration(pause.ms)}›"
            _put(out, (begin + end + 1 - width(words)) // 2, words)
    cell = 0
    while cell < window.cells:
        words = f"╵{_moment(timeline, window, cell, zone)}"
        cell = cell + width(words) + _APART if _put(out, cell, words) else cell + 1
    return "".join(out)


def _put(out: list[str], cell: int, words: str) -> bool:
    """Write words where there is room for them, and a blank on both sides. False when there is none."""
    end = cell + len(words)
    if (
        cell < 0
        or end > len(out)
        or any(out[at] != " " for at in range(max(cell - 1, 0), min(end + 1, len(out))))
    ):
        return False
    out[cell:end] = words
    return True


def _moment(timeline: Timeline, window: Window, cell: int, zone: tzinfo | None) -> str:
    place = window.edge(cell)
    if timeline.by_order:
        return _numbered(timeline, min(int(place), len(timeline.rows) - 1))
    ms = round(timeline.axis.moment(place))
    text = clock(ms, zone)
    if text.endswith("1970"):
        return f"{ms} ms"
    fine = window.end - window.begin < _FINE_MS
    shown = text if fine else text[:8]
    long = timeline.axis.moment(window.end) - timeline.axis.moment(window.begin) >= _DAY_MS
    return f"{clock(ms, zone, date=True)[5:10]} {shown[:5]}" if long else shown


def _numbered(timeline: Timeline, index: int) -> str:
    if index < 0:
        return ""
    row, ledger = timeline.rows[index], timeline.ledger
    return label(ledger, ledger.seq[row]) if row < len(ledger) else "gone"


def time_words(timeline: Timeline) -> list[str]:
    """Where the time went, the longest first; or what is not known of it."""
    rows = len(timeline.rows)
    if not rows:
        return ["no events"]
    if timeline.by_order:
        return [_without_times(timeline)]
    known = timeline.spent
    words = [f"{duration(known.total)} in all"]
    if known.total > 0:
        words[0] += ": " + ", ".join(_share(name, ms, known.total) for name, ms in known.shares)
    if known.at_once > 1:
        words.append(f"{known.at_once} lanes at once at most")
    if timeline.pauses:
        longest = max(pause.ms for pause in timeline.pauses)
        words.append(
            f"{plural(len(timeline.pauses), 'pause')} pressed together, the longest {duration(longest)}"
        )
    if timeline.timed < rows:
        words.append(f"{rows - timeline.timed:,} of {plural(rows, 'row')} without a time: not drawn")
    if timeline.back:
        words.append(f"the clock goes back {plural(len(timeline.back), 'time')}")
    return words


def _without_times(timeline: Timeline) -> str:
    if timeline.measured:
        known = f"only how long {timeline.measured:,} of {plural(len(timeline.rows), 'row')} took is known"
    else:
        known = "nor does it say how long anything took"
    return f"no times: this ledger does not say when anything was, so rows stand in their order; {known}"


def _share(name: str, part: float, whole: float) -> str:
    """`tools 26.4 s (31 %)`; of what is less than a percent only how long it was."""
    percent = int(100 * part / whole)
    return f"{name} {duration(part)}" + (f" ({percent} %)" if percent else "")
