"""Config: what a person has chosen, read from one strict TOML file and the command line."""

from __future__ import annotations

from korg_tui.config.file import Configuration, Where, load, places
from korg_tui.config.options import EVERY, OPTIONS, THEMES, Option, Refused, seconds
from korg_tui.config.problems import ConfigError, Problem, nearest
from korg_tui.config.settings import Settings
from korg_tui.config.shown import as_document, as_toml

__all__ = [
    "EVERY",
    "OPTIONS",
    "THEMES",
    "ConfigError",
    "Configuration",
    "Option",
    "Problem",
    "Refused",
    "Settings",
    "Where",
    "as_document",
    "as_toml",
    "load",
    "nearest",
    "places",
    "seconds",
]
