"""Plain: the explorer in lines, for screen readers, dumb terminals and pipes (EXPERIENCE, "For every eye").

It reads commands as lines and answers in labelled lines: nothing is ever redrawn, and no colour is sent."""

from __future__ import annotations

from korg_tui.plain.running import run
from korg_tui.plain.talk import Talk

__all__ = ["Talk", "run"]
