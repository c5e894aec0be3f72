"""korg-tui: a terminal explorer for the event ledgers of AI coding agents."""

from __future__ import annotations

__version__ = "0.1.0"
