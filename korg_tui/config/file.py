"""File: where the configuration lies, and what it says."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from korg_tui import faults
from korg_tui.config.keys import read_keys
from korg_tui.config.lines import KeyLines
from korg_tui.config.options import KEYS, OPTIONS, Option, Refused, Value, sections, written
from korg_tui.config.problems import ConfigError, Problem, nearest, quoted
from korg_tui.config.settings import Settings
from korg_tui.sources import open_regular
from korg_tui.text import visible

VARIABLE = "KORG_TUI_CONFIG"
"""Names the file in the place of the usual one."""

LARGEST = 1 << 20
"""Bytes of a configuration; more is none."""

_AT = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


@dataclass(frozen=True, slots=True)
class Where:
    """A place where a configuration may lie, and who says so."""

    path: Path
    named_by: str
    """`--config`, `$KORG_TUI_CONFIG`, or empty for the usual place."""

    def __str__(self) -> str:
        return str(self.path) if self.exists else f"{self.path} (not there)"

    @property
    def exists(self) -> bool:
        """Whether something lies there."""
        try:
            return self.path.exists()
        except OSError:
            return False


@dataclass(frozen=True, slots=True)
class Configuration:
    """What is in force, and who said so."""

    settings: Settings
    where: Where
    said_by: Mapping[str, str] = field(default_factory=dict)
    """For what is not the default: `FILE:LINE` or an option of the command line, by name of a setting or by
    `keys.` and the id of a command."""


def places(named: str | None = None, environment: Mapping[str, str] = os.environ) -> list[Where]:
    """Where a configuration may lie: the first one counts. `named`: the file of `--config`."""
    found = [Where(Path(named), "--config")] if named else []
    if variable := environment.get(VARIABLE):
        found.append(Where(Path(variable), f"${VARIABLE}"))
    base = Path(environment.get("XDG_CONFIG_HOME", ""))
    home = base if base.is_absolute() else faults.home() / ".config"
    return [*found, Where(home / "korg-tui" / "config.toml", "")]


def load(
    named: str | None = None,
    given: Mapping[str, Value | None] | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Configuration:
    """What is in force: the defaults, under the file, under what was `given` on the command line, by name of
    a setting (None: not given). Raises ConfigError; nothing of a wrong file is in force."""
    where = places(named, environment)[0]
    settings, said_by = _from(where)
    chosen = {name: value for name, value in (given or {}).items() if value is not None}
    said_by |= dict.fromkeys(chosen, "the command line")
    return Configuration(replace(settings, **chosen), where, said_by)  # type: ignore[arg-type]


def _from(where: Where) -> tuple[Settings, dict[str, str]]:
    text = _text(where)
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(str(where.path), [_malformed(error, text)]) from None
    lines = KeyLines(text)
    read = _Reading(str(where.path), lines)
    for section, table in document.items():
        read.section(section, table)
    if read.problems:
        raise ConfigError(read.path, read.problems)
    return replace(Settings(), **read.values), read.said_by  # type: ignore[arg-type]


def _text(where: Where) -> str:
    """The file; nothing when the usual one is not there. Raises ConfigError when it cannot be read, as what
    is no file but a pipe or a device: it might never end. `/dev/null` is none, and may be."""
    if os.fspath(where.path) == os.devnull:
        return ""
    try:
        with open(open_regular(where.path), "rb") as file:  # noqa: PTH123 - by its descriptor
            content = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        if not where.named_by:
            return ""
        raise ConfigError(str(where.path), [Problem(0, f"no such file; {where.named_by} names it")]) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(str(where.path), [Problem(0, f"cannot be read: {reason}")]) from None
    if len(content) > LARGEST:
        raise ConfigError(str(where.path), [Problem(0, "more than 1 MB: this is no configuration")])
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ConfigError(str(where.path), [Problem(line, "not UTF-8, as TOML has to be")]) from None


def _malformed(error: Exception, document: str) -> Problem:
    if isinstance(error, RecursionError):
        return Problem(0, "nested too deeply")
    found = _AT.search(str(error))
    text = _AT.sub("", str(error))
    line = int(found[1]) if found and found[1] else document.rstrip("\n").count("\n") + 1
    return Problem(line, f"not TOML: {visible(text, 100)}")


class _Reading:
    """The sections of one file, read one by one; problems are gathered, so that all are told at once."""

    def __init__(self, path: str, lines: KeyLines) -> None:
        self.path = path
        self.lines = lines
        self.values: dict[str, object] = {}
        self.said_by: dict[str, str] = {}
        self.problems: list[Problem] = []

    def section(self, name: str, table: object) -> None:
        if name not in sections():
            self._wrong(f"unknown section {quoted(name)}{self._instead(name)}", name)
        elif not isinstance(table, dict):
            self._wrong(f"{name} is a section, [{name}], not {written(table)}", name)
        elif name == KEYS:
            self._keys(table)
        else:
            for key, value in table.items():
                self._value(name, key, value)

    def _instead(self, name: str) -> str:
        known = [option for option in OPTIONS if option.name == name]
        if known:
            return f"; {name} stands in [{known[0].section}]"
        return nearest(name, sections()) or f"; there are {', '.join(sections())}"

    def _value(self, section: str, key: str, value: object) -> None:
        options = {option.name: option for option in OPTIONS if option.section == section}
        option = options.get(key)
        if option is None:
            near = nearest(key, options) or self._elsewhere(key) or f"; there are {', '.join(options)}"
            self._wrong(f"unknown key {quoted(key)} in [{section}]{near}", section, key)
            return
        self._take(option, value)

    def _elsewhere(self, key: str) -> str:
        return next((f"; it stands in [{option.section}]" for option in OPTIONS if option.name == key), "")

    def _take(self, option: Option, value: object) -> None:
        try:
            self.values[option.name] = option.read(value)
        except Refused as refused:
            self._wrong(f"{option.name}: {refused}", option.section, option.name)
            return
        self.said_by[option.name] = f"{self.path}:{self.lines.of(option.section, option.name)}"

    def _keys(self, table: Mapping[str, object]) -> None:
        keymap, problems = read_keys(table, self.lines)
        self.values["keymap"] = keymap
        self.problems += problems
        for identity in table:
            self.said_by[f"{KEYS}.{identity}"] = f"{self.path}:{self.lines.of(KEYS, identity)}"

    def _wrong(self, text: str, *path: str) -> None:
        self.problems.append(Problem(self.lines.of(*path), text))
