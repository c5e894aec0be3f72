"""Homes: the known forms in which text names a person's home folder, written as `~`.

Linux, macOS and Windows; Windows drives in WSL, Cygwin and Git Bash, and shares; behind an escape, a colour,
or an option of a compiler; with slashes that are doubled, escaped (JSON) or in hex (addresses); and the
folders that Claude names after the folder of a project.
"""

from __future__ import annotations

import re
from pathlib import Path

from korg_tui import faults

HOME = "~"
"""Stands where a home folder was named."""

# A path begins where a word does, or behind an escape, the end of a colour, or an option like -I.
_BEGINS = (
    r"(?:(?<![\w.-])|(?<=\\[nrtbf])|(?<=\\x[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2})"
    r"|(?<=[0-9;\[]m)|(?<=[^\w-]-[A-Za-z])|(?<=^-[A-Za-z]))"
)
_SLASH = r"(?:\\{0,4}/|%2[Ff])"
_SLASHES = rf"{_SLASH}{{1,4}}"
_BACK = r"(?:[\\/]|%5[Cc]|%2[Ff]){1,4}"
_LETTER = r"(?!%(?:2[Ff]|5[Cc]))[^/\\\s\"'`:;,&=(){}\[\]<>|$*?!#^\x00-\x1f\x7f]"
_NAME = rf"(?:{_LETTER})++"
_WORDS = rf"{_NAME}(?:(?: (?:(?!%){_LETTER})++){{1,2}}(?=[\\/\"']|%5[Cc]))?"

_UNIX = (
    rf"{_BEGINS}(?:{_SLASHES}System{_SLASHES}Volumes{_SLASHES}Data|{_SLASHES}(?:var|export|usr))?"
    rf"{_SLASH}(?:home|Users){_SLASHES}{_NAME}"
)
_DIFF = rf"(?<=[-+ ][-+ ][ab])/(?:home|Users)/{_NAME}(?=/)|(?<= [ab])/(?:home|Users)/{_NAME}(?=/)"
_MOUNTED = (
    rf"{_BEGINS}(?:{_SLASHES}(?:mnt|cygdrive|host_mnt){_SLASHES}[A-Za-z]{_SLASHES}[Uu]sers"
    rf"|{_SLASH}[A-Za-z]{_SLASHES}Users){_SLASHES}{_NAME}"
)
_DRIVE = rf"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))[A-Za-z](?::|%3[Aa]){_BACK}[Uu](?:sers|SERS){_BACK}{_WORDS}"
_SHARE = (
    rf"(?<!\\)\\{{2,8}}[\w.$-]{{1,80}}\\{{1,4}}[Uu](?:sers|SERS)\\{{1,4}}{_WORDS}"
    rf"|(?<!\\)\\{{2,8}}wsl[\w.$]{{0,40}}\\{{1,4}}[\w.-]{{1,80}}\\{{1,4}}home\\{{1,4}}{_NAME}"
)
_FOLDER = r"(?:(?<![\w-])|(?<=\\[nrt]))(?:[A-Za-z]--|-)(?:home|Users)-[^-/\\\s\"'`]++(?=[-/\\\s\"'`]|$)"
_MAY_BEGIN = r"(?=[/\\%]|-[hU]|[A-Za-z](?::|%3|--))"
_FORMS = re.compile(rf"{_MAY_BEGIN}(?:{'|'.join((_UNIX, _DRIVE, _MOUNTED, _SHARE, _DIFF, _FOLDER))})")
_SIGNS = ("home", "sers", "SERS")


class Homes:
    """Writes home folders as `~`, that of whoever runs the program too, wherever it lies."""

    def __init__(self, home: Path | None = None) -> None:
        self._home = str(faults.home() if home is None else home)
        parts = [re.escape(part) for part in re.split(r"[\\/]", self._home) if part]
        self._last = re.split(r"[\\/]", self._home)[-1]
        own = rf"(?=[/\\%]){_BEGINS}{_SLASH}{_SLASHES.join(parts)}(?![\w.-])"
        self._own = re.compile(own) if parts else None

    def without(self, text: str) -> str:
        """The text without home folders."""
        if self._own is not None and self._last in text:
            text = self._own.sub(HOME, text)
        return _FORMS.sub(HOME, text) if any(sign in text for sign in _SIGNS) else text
