"""Redaction: secrets are taken out of an event before it is hashed, stored, or sent.

Two rules. A string loses every part that has the shape of a known token. And a string under a key that names
a secret is replaced as a whole, or several of them in a list or an object; numbers under such keys stay
(`"token": 12` is a count), and so does `prompt_tokens`. Keys are kept. All patterns take time linear in the
text, whatever the text is.
"""

from __future__ import annotations

import re
from typing import Any

from korg_tui.recorder.key_blocks import redact_lines
from korg_tui.recorder.secret_keys import SHORTEST_TOKEN, names_a_secret
from korg_tui.recorder.tokens import REDACTED, redact_text

_NO_SECRET = re.compile(r"(?:name|namespace|type|kind|format|description|title|id|_ref)$", re.IGNORECASE)
"""How members are called that are no secret inside an object that is one."""

_LOOKED_INTO = (str, dict, list, tuple)


def redact(value: Any) -> tuple[Any, int]:
    """A copy of decoded JSON without its secrets, and how many were replaced. Redacting a second time
    replaces nothing. Nesting may be of any depth."""
    root: list[Any] = [value]
    count = 0
    open_slots: list[tuple[Any, Any, Any, str]] = [(root, 0, value, "")]
    while open_slots:
        holder, place, found, key = open_slots.pop()
        if isinstance(found, str):
            holder[place], replaced = _redact_member(key, found)
            count += replaced
        elif isinstance(found, dict):
            holder[place] = copy = dict(found)
            open_slots += [
                (copy, name, member, _key_in(found, name, key))
                for name, member in found.items()
                if isinstance(member, _LOOKED_INTO)
            ]
        elif isinstance(found, list | tuple):
            holder[place] = several = list(found)
            count += redact_lines(several, REDACTED)
            keys = ("", _name_of_a_pair(several)) if len(several) == 2 and not names_a_secret(key) else ()
            open_slots += [
                (several, index, member, keys[index] if keys else key)
                for index, member in enumerate(several)
                if isinstance(member, _LOOKED_INTO)
            ]
    return root[0], count


def _key_in(found: dict[Any, Any], name: Any, key: str) -> str:
    """The key that says what a member of an object is: its own, that of a secret that the object is, or what
    stands beside it as its name."""
    if not isinstance(name, str):
        return ""
    if names_a_secret(key) and key.lower() != "token" and "type" not in found and not _NO_SECRET.search(name):
        return key
    beside = found.get("name") if name == "value" else None
    return beside if isinstance(beside, str) else name


def _name_of_a_pair(several: list[Any]) -> str:
    """What a header is called that is written as a pair."""
    name, value = several
    if not isinstance(name, str) or not isinstance(value, str):
        return ""
    is_header = "-" in name or name.lower() == "authorization"
    return name if is_header and any(map(str.isdigit, value)) and names_a_secret(name) else ""


def _redact_member(key: str, text: str) -> tuple[str, int]:
    if text in ("", REDACTED):
        return text, 0
    if names_a_secret(key) and not (key.lower() == "token" and len(text) < SHORTEST_TOKEN):
        return REDACTED, 1
    return redact_text(text)
