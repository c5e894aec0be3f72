"""Views: pure functions from the causal ledger to what a screen or a page shows. No Textual below here."""

from __future__ import annotations

from korg_tui.views.arguments import Read
from korg_tui.views.details import Line, Section, Shape, Style
from korg_tui.views.folds import Level
from korg_tui.views.lines import SpineLine
from korg_tui.views.marks import lane_name, lane_number, lane_title, short_actor
from korg_tui.views.preview import CommandRun, Fate, FileTouched, Losses, OutsideEffect, RowState, Share
from korg_tui.views.rails import Join, LaneSpan, Node, RailRun, Rails, to_ascii
from korg_tui.views.sessions import SessionRow
from korg_tui.views.shown import Predicate
from korg_tui.views.spine import Spine
from korg_tui.views.words import ago, clock, duration, plural, size

__all__ = [
    "CommandRun",
    "Fate",
    "FileTouched",
    "Join",
    "LaneSpan",
    "Level",
    "Line",
    "Losses",
    "Node",
    "OutsideEffect",
    "Predicate",
    "RailRun",
    "Rails",
    "Read",
    "RowState",
    "Section",
    "SessionRow",
    "Shape",
    "Share",
    "Spine",
    "SpineLine",
    "Style",
    "ago",
    "clock",
    "duration",
    "lane_name",
    "lane_number",
    "lane_title",
    "plural",
    "short_actor",
    "size",
    "to_ascii",
]
