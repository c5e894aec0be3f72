"""Config: what a person has chosen, as one frozen object."""

from __future__ import annotations

from korg_tui.config.settings import Settings

__all__ = ["Settings"]
