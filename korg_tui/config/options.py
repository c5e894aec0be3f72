"""Options: everything that a configuration file may say besides keys, each with what is allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from korg_tui.config.problems import nearest, quoted
from korg_tui.config.settings import Settings
from korg_tui.text import visible

THEMES = ("dark", "light", "high-contrast", "ansi")
"""The names of the themes; `ansi` is the terminal's own sixteen colours."""

EVERY = (0.2, 60.0)
"""Seconds between two looks at an address: least and most."""


class Refused(ValueError):
    """A value that is not allowed; the text says what is."""


Value = str | bool | float


@dataclass(frozen=True, slots=True)
class Option:
    """One setting of a file: where it stands, what it does, and how its value is read."""

    section: str
    name: str
    help: str
    read: Callable[[object], Value]
    """From the value of the file to that of `Settings`, where it has the same name. Raises Refused."""

    @property
    def default(self) -> Value:
        """What holds when nobody says anything."""
        value: Value = getattr(Settings(), self.name)
        return value


def truth(value: object) -> bool:
    """true or false. Raises Refused."""
    if not isinstance(value, bool):
        raise Refused(f"true or false is allowed, not {written(value)}")
    return value


def theme(value: object) -> str:
    """The name of a theme. Raises Refused."""
    if isinstance(value, str) and value in THEMES:
        return value
    near = nearest(value, THEMES) if isinstance(value, str) else ""
    raise Refused(f"{_listed(THEMES)} is allowed, not {written(value)}{near}")


def seconds(value: object) -> float:
    """Seconds between two looks. Raises Refused."""
    least, most = EVERY
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refused(f"a number from {least:g} to {most:g} is allowed, not {written(value)}")
    if not least <= value <= most:
        raise Refused(f"{visible(str(value), 60)} is not from {least:g} to {most:g} seconds")
    return float(value)


OPTIONS = (
    Option("screen", "theme", "colours", theme),
    Option("screen", "utc", "times in UTC, not those of this machine", truth),
    Option("screen", "ascii", "for fonts without box drawing", truth),
    Option("screen", "bell", "a bell when a call fails while one follows", truth),
    Option("screen", "follow", "follow a live source from the start", truth),
    Option("screen", "mouse", "take the mouse", truth),
    Option("screen", "remember", "bookmarks, places, searches and sizes of panes, until next time", truth),
    Option("source", "every", "look at an http:// address so often, in seconds", seconds),
)
"""Every setting, in the order in which `config show` prints them."""

KEYS = "keys"
"""The section of the keys."""


def sections() -> tuple[str, ...]:
    """The sections of a file."""
    return (*dict.fromkeys(option.section for option in OPTIONS), KEYS)


def written(value: object) -> str:
    """A value of the file as a person is told of it: short."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    return quoted(str(value)) if isinstance(value, int | float) else "a date or time"


def _listed(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
