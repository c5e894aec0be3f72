"""Reports: the commands without a screen, for people and for scripts (EXPERIENCE, "Without the screen")."""

from __future__ import annotations

from korg_tui.reports.asked import UsageError
from korg_tui.reports.blob import blob
from korg_tui.reports.check import check, check_options
from korg_tui.reports.compare import compare
from korg_tui.reports.export import export, export_options
from korg_tui.reports.follow import follow
from korg_tui.reports.lists import lanes, sessions, show
from korg_tui.reports.rewinds import rewind
from korg_tui.reports.stats import stats, stats_options
from korg_tui.reports.verify import verify, verify_options

__all__ = [
    "UsageError",
    "blob",
    "check",
    "check_options",
    "compare",
    "export",
    "export_options",
    "follow",
    "lanes",
    "rewind",
    "sessions",
    "show",
    "stats",
    "stats_options",
    "verify",
    "verify_options",
]
