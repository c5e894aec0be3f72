"""Shown: the configuration in force, as a TOML text that could be the file."""

from __future__ import annotations

import json
from collections.abc import Iterator

from korg_tui.config.file import Configuration
from korg_tui.config.options import KEYS, OPTIONS, sections
from korg_tui.text import visible


def as_toml(configuration: Configuration) -> str:
    """Every value with who said so, as comments. It reads back as the same configuration."""
    return "\n".join(_lines(configuration)) + "\n"


def _lines(configuration: Configuration) -> Iterator[str]:
    for section in sections():
        yield f"[{section}]"
        for name, value, help_text in _rows(configuration, section):
            said = visible(_said_by(configuration, section, name))
            yield f"{name} = {_toml(value)}  # {help_text} ({said})"
        yield ""


def _said_by(configuration: Configuration, section: str, name: str) -> str:
    return configuration.said_by.get(f"{section}.{name}" if section == KEYS else name, "default")


def _rows(configuration: Configuration, section: str) -> Iterator[tuple[str, object, str]]:
    if section == KEYS:
        for entry in configuration.settings.keymap.table:
            yield entry.id, (entry.keys[0] if len(entry.keys) == 1 else list(entry.keys)), entry.help
        return
    for option in OPTIONS:
        if option.section == section:
            yield option.name, getattr(configuration.settings, option.name), option.help


def as_document(configuration: Configuration) -> dict[str, object]:
    """The same as JSON has it: `{section: {name: {"value": …, "from": …}}}`."""
    return {
        section: {
            name: {"value": value, "from": _said_by(configuration, section, name)}
            for name, value, _ in _rows(configuration, section)
        }
        for section in sections()
    }


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    # A basic string of TOML is one of JSON that has its characters as they are.
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
