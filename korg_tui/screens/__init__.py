"""Screens: one module per screen, and what they share."""

from __future__ import annotations

from korg_tui.screens.asking import LONG
from korg_tui.screens.base import KorgScreen
from korg_tui.screens.compare import CompareScreen
from korg_tui.screens.effects import EffectsScreen
from korg_tui.screens.findings import FindingsScreen
from korg_tui.screens.help import HelpScreen
from korg_tui.screens.ledgers import LedgersScreen
from korg_tui.screens.session import SessionScreen
from korg_tui.screens.stats import StatsScreen
from korg_tui.screens.timeline import TimelineScreen
from korg_tui.screens.touched import EventsScreen
from korg_tui.screens.trusting import TrustingScreen

__all__ = [
    "LONG",
    "CompareScreen",
    "EffectsScreen",
    "EventsScreen",
    "FindingsScreen",
    "HelpScreen",
    "KorgScreen",
    "LedgersScreen",
    "SessionScreen",
    "StatsScreen",
    "TimelineScreen",
    "TrustingScreen",
]
