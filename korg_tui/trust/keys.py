"""Keys: what a chain was made with, or signed with."""

from __future__ import annotations

import os
from collections.abc import Mapping

from korg_tui.sources import open_regular, reason
from korg_tui.text import visible

VARIABLE = "KORG_LEDGER_HMAC_KEY"
"""The variable of the environment that producers take the key of a ledger from."""

_LARGEST = 64 << 10
_SHOWN = 300


class KeyFault(ValueError):
    """A key that cannot be used; the text says in one line what, where, and what now."""


def ledger_key(key_file: str | None, environment: Mapping[str, str] = os.environ) -> bytes | None:
    """The key of keyed ledgers: the content of `key_file`, without the line feed at its end, else that of
    `$KORG_LEDGER_HMAC_KEY`; None without either. It is never taken from a command line, which others can
    see. Raises `KeyFault`."""
    if key_file is not None:
        return _of_file(key_file)
    return os.fsencode(environment.get(VARIABLE, "")) or None


def _of_file(path: str) -> bytes:
    shown = visible(path, _SHOWN)
    try:
        with open(open_regular(path), "rb") as file:  # noqa: PTH123 - it is open already
            content = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else "no name of a file"
        # What names no file may be the key itself: it is not repeated.
        where = shown if _is_there(path) else "--key-file"
        raise KeyFault(f"{where}: {why}; give a file that holds the key") from None
    if len(content) > _LARGEST:
        raise KeyFault(f"{shown}: too large for a key; give the file that holds the key alone")
    key = content.removesuffix(b"\r\n" if content.endswith(b"\r\n") else b"\n")
    if not key:
        raise KeyFault(f"{shown}: it is empty; give the file that holds the key")
    return key


def _is_there(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:
        return False
