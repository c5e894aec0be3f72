"""Moments: points in time as a person types them in a query (EXPERIENCE, `since:10m`)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta, tzinfo

WRITTEN = ("10m", "2h", "3d", "today", "14:00", "2026-03-02", "2026-03-02T14:00")
"""How a moment can be written: so long ago, a time of today, a day, a day and a time; also with a zone."""

_AGO = re.compile(r"(?:\d{1,9}(?:\.\d{1,6})?(?:ms|s|m|min|h|d|w))+", re.IGNORECASE)
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|min|[smhdw])", re.IGNORECASE)
_UNIT_MS = {
    "ms": 1, "s": 1_000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000,
}  # fmt: skip
_DAYS = {"today": 0, "yesterday": 1}


def moment(text: str, now_ms: int, zone: tzinfo | None = UTC) -> int | None:
    """Milliseconds since the epoch, UTC, of `10m` (ago), `1h30m`, `today`, `yesterday`, `14:00`,
    `2026-03-02`, `2026-03-02T14:00:05+02:00`. Times without a zone are those of `zone`, None is that of this
    machine. None for what is no moment."""
    text = text.strip()
    if _AGO.fullmatch(text):
        return now_ms - round(sum(float(n) * _UNIT_MS[unit.lower()] for n, unit in _PART.findall(text)))
    try:
        return _ms(_named(text.lower(), now_ms, zone), zone)
    except (ValueError, OverflowError, OSError):
        return None


def _named(text: str, now_ms: int, zone: tzinfo | None) -> datetime:
    today = datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(zone)
    if text in _DAYS:
        return datetime.combine(today.date() - timedelta(days=_DAYS[text]), time())
    if ":" in text and "-" not in text.partition(":")[0]:
        return datetime.combine(today.date(), time.fromisoformat(text.upper()))
    if "-" not in text:
        raise ValueError(text)
    return datetime.fromisoformat(text.upper())


def _ms(when: datetime, zone: tzinfo | None) -> int:
    if when.tzinfo is None:
        when = when.astimezone() if zone is None else when.replace(tzinfo=zone)
    return round(when.timestamp() * 1000)
