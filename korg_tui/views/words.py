"""Words: numbers, times and states as a person reads them. All of it is safe text."""

from __future__ import annotations

import math
from bisect import bisect_right
from datetime import UTC, datetime, tzinfo

from korg_tui.causal import Ledger
from korg_tui.event import Gap
from korg_tui.trust import lost_parent
from korg_tui.views.named import short

NO_TIME = "no time"

_BAR_STEPS_MS = (0, 10, 30, 100, 300, 1_000, 3_000, 10_000)
_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60_000, 3_600_000, 86_400_000


def duration(ms: float | None) -> str:
    """A duration in ms as `12 ms`, `2.1 s`, `3 m 10 s`, `2 h 5 m`, `4 d 3 h`; `no time` when unknown."""
    if ms is None:
        return NO_TIME
    if not math.isfinite(ms) or abs(ms) >= 10_000 * _DAY:
        return "beyond measure"
    if ms < 0:
        return f"-{duration(-ms)}"
    if ms < 999.5:
        return f"{ms:.0f} ms" if ms >= 0.95 or ms == 0 else f"{ms:.1g} ms"
    if ms < 59_950:
        return f"{ms / _SECOND:.1f} s"
    whole = round(ms / _SECOND) * _SECOND
    for unit, part, name, small in ((_DAY, _HOUR, "d", "h"), (_HOUR, _MINUTE, "h", "m")):
        if whole >= unit:
            return f"{whole // unit} {name} {whole % unit // part} {small}"
    return f"{whole // _MINUTE} m {whole % _MINUTE // _SECOND} s"


def bar(ms: float | None) -> int:
    """Eighths of a full bar, 0 to 8: an eighth per half decade, full from 10 s on. None and 0 have none."""
    if ms is None or not ms > 0:
        return 0
    return bisect_right(_BAR_STEPS_MS, ms)


def ago(then_ms: int | None, now_ms: int) -> str:
    """`12 s ago`, `3 h ago`, `in the future`, or `no time`."""
    if then_ms is None:
        return NO_TIME
    passed = now_ms - then_ms
    if passed < -_SECOND:
        return "in the future"
    for unit, name in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "m")):
        if passed >= unit:
            return f"{passed // unit} {name} ago"
    return f"{max(passed, 0) // _SECOND} s ago"


def clock(ms: int | None, zone: tzinfo | None = UTC, *, date: bool = False) -> str:
    """A time of day to the ms, with the date if asked for. `zone` None is the zone of this machine."""
    if ms is None:
        return NO_TIME
    try:
        moment = datetime.fromtimestamp(ms / 1000, UTC).astimezone(zone)
    except (OverflowError, OSError, ValueError):
        return f"{ms} ms since 1970"
    text = moment.strftime(f"%H:%M:%S.{moment.microsecond // 1000:03d}")
    return f"{moment:%Y-%m-%d} {text} {moment.tzname() or ''}".rstrip() if date else text


def size(count: int) -> str:
    """Bytes as `812 B`, `4.2 KB`, `4.9 MB`."""
    if count < 1000:
        return f"{count} B"
    amount = float(count)
    for unit in ("KB", "MB", "GB"):
        amount /= 1000
        if amount < 999.95:
            return f"{amount:.1f} {unit}"
    return f"{amount / 1000:.1f} TB"


def number(count: int) -> str:
    """`812`, `1.2k`, `3.4M`."""
    if count < 1000:
        return str(count)
    return f"{count / 1000:.1f}k" if count < 999_950 else f"{count / 1_000_000:.1f}M"


def plural(count: int, one: str, many: str = "") -> str:
    """`1 event`, `2 events`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def label(ledger: Ledger, seq: int) -> str:
    """An event as people call it: its seq, or `agent-one:5` where it lies in a sub-agent's own ledger."""
    name, number = ledger.address(seq)
    return str(seq) if name == ledger.name else f"{short(name)}:{number}"


def gap(missing: Gap) -> str:
    """`events 101–412 are missing here: 312 that the source has and could not give`."""
    if missing.count == 1:
        return f"event {missing.first} is missing here: the source has it and could not give it"
    seqs = f"{missing.first}–{missing.last}"
    return f"events {seqs} are missing here: {missing.count:,} that the source has and could not give"


def not_loaded(missing: Gap) -> str:
    """`events 101–412 not loaded (312)`."""
    if missing.count == 1:
        return f"event {missing.first} not loaded"
    return f"events {missing.first}–{missing.last} not loaded ({missing.count:,})"


def pointer(ledger: Ledger, row: int) -> str:
    """Why an event has no parent here, in words; empty when it needs none (CAUSALITY §2)."""
    return lost_parent(ledger, row, lambda seq: label(ledger, seq))
