"""Views: pure functions from the causal ledger to what a screen or a page shows. No Textual below here."""

from __future__ import annotations

from korg_tui.views.details import Line, Section, Shape, Style
from korg_tui.views.preview import CommandRun, Fate, FileTouched, Losses, OutsideEffect, RowState, Share
from korg_tui.views.rails import Join, LaneSpan, Node, RailRun, Rails, to_ascii
from korg_tui.views.sessions import SessionRow
from korg_tui.views.spine import SpineLine

__all__ = [
    "CommandRun",
    "Fate",
    "FileTouched",
    "Join",
    "LaneSpan",
    "Line",
    "Losses",
    "Node",
    "OutsideEffect",
    "RailRun",
    "Rails",
    "RowState",
    "Section",
    "SessionRow",
    "Shape",
    "Share",
    "SpineLine",
    "Style",
    "to_ascii",
]
