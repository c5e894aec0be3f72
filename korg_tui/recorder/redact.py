"""Redaction: secrets are taken out of an event before it is hashed, stored, or sent.

Two rules. A string loses every part that has the shape of a known token. And a string under a key that names
a secret is replaced as a whole; numbers under such keys stay (`"token": 12` is a count), and so does
`prompt_tokens`. Keys are kept. All patterns take time linear in the text, whatever the text is.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

REDACTED = "[REDACTED]"
"""Stands where a secret was."""

SECRET_KEYS = frozenset(
    {"api_key", "apikey", "secret", "client_secret", "access_token", "refresh_token", "auth_token", "token"}
    | {"password", "passwd", "authorization", "private_key"}
)
"""Keys whose string values are secrets, in lower case: `Authorization` and `API_KEY` are meant as well."""


def redact(value: Any) -> tuple[Any, int]:
    """A copy of decoded JSON without its secrets, and how many were replaced. Redacting a second time
    replaces nothing. Nesting may be of any depth."""
    root: list[Any] = [value]
    count = 0
    open_slots: list[tuple[Any, Any, Any]] = [(root, 0, value)]
    while open_slots:
        holder, place, found = open_slots.pop()
        if isinstance(found, str):
            holder[place], replaced = _redact_member(place, found)
            count += replaced
        elif isinstance(found, dict):
            holder[place] = copy = dict.fromkeys(found)
            open_slots.extend((copy, key, member) for key, member in found.items())
        elif isinstance(found, list | tuple):
            holder[place] = several = list(found)
            open_slots.extend((several, index, member) for index, member in enumerate(found))
        else:
            holder[place] = found
    return root[0], count


def _may_hold_one(text: str) -> bool:
    """A quick look that nearly every text ends with."""
    if len(text) < _SHORTEST:
        return False
    for sign in _SIGNS:
        if sign in text:
            return True
    folded = text.lower()
    return any(sign in folded for sign in _FOLDED_SIGNS)


def _redact_member(place: object, text: str) -> tuple[str, int]:
    if isinstance(place, str) and place.lower() in SECRET_KEYS and text not in ("", REDACTED):
        return REDACTED, 1
    return redact_text(text)


def redact_text(text: str) -> tuple[str, int]:
    """The text with `[REDACTED]` in place of each token in it, and how many there were."""
    if not _may_hold_one(text):
        return text, 0
    count = 0
    folded = ""
    for shape in _SHAPES:
        if shape.folded:
            folded = folded or text.lower()
        searched = folded if shape.folded else text
        if not any(sign in searched for sign in shape.signs):
            continue
        text, replaced = _replace(shape, text)
        count += replaced
        folded = folded if not replaced else ""
    return text, count


def _always(_: re.Match[str]) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class _Shape:
    """How a kind of token looks. `signs` are substrings, one of which every such token has: looking for them
    is much faster than the pattern. `kept`, where the pattern has it, is a group that stays in front of what
    is replaced."""

    signs: tuple[str, ...]
    pattern: re.Pattern[str]
    is_secret: Callable[[re.Match[str]], bool] = _always
    folded: bool = False
    """The signs are in lower case and are looked for in the text's lower case."""


def _replace(shape: _Shape, text: str) -> tuple[str, int]:
    count = 0

    def instead(match: re.Match[str]) -> str:
        nonlocal count
        if not shape.is_secret(match):
            return match[0]
        count += 1
        return (match.groupdict().get("kept") or "") + REDACTED

    return shape.pattern.sub(instead, text), count


# A token begins where a word begins, or behind an escape of JSON or of a URL inside a string. Every run of
# token characters is taken whole (possessively) before it is judged, so no text is read again and again.
_ESCAPED = r"(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})"
_START = rf"(?:(?<![A-Za-z0-9])|{_ESCAPED})"
_RUN_START = rf"(?:(?<![A-Za-z0-9_-])|{_ESCAPED})"
_B64URL = r"[A-Za-z0-9_-]"


def _is_no_word(match: re.Match[str]) -> bool:
    """Words have no digits, and are short."""
    return any(map(str.isdigit, match[0])) or re.search(r"[A-Za-z0-9]{16}", match[0]) is not None


def _is_key_block(match: re.Match[str]) -> bool:
    """A block, whole or cut off; not what a program says of blocks, in quotes."""
    if match["end"] and not re.search(r"[\"'().*]", match["body"]):
        return True
    return re.search(r"[A-Za-z0-9+/=]{40}", match["body"]) is not None


def _is_credentials(match: re.Match[str]) -> bool:
    """Behind `Authorization:`: whatever a scheme introduces; without a scheme, what cannot be a word."""
    value = match["value"]
    return bool(match["scheme"]) or (len(value) >= 20 and any(map(str.isdigit, value)))


def _is_user_and_password(match: re.Match[str]) -> bool:
    try:
        return b":" in base64.b64decode(match["value"], validate=True)
    except binascii.Error:
        return False


def _prefixed(
    *prefixes: str, body: str, start: str = _START, is_secret: Callable[[re.Match[str]], bool] = _always
) -> _Shape:
    names = "|".join(map(re.escape, prefixes))
    return _Shape(prefixes, re.compile(f"{start}(?:{names}){body}"), is_secret)


_SHAPES = (
    _Shape(
        ("-----BEGIN ",),
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{1,40}+-----(?P<body>(?:[A-Za-z0-9+/=\s\\:,.\"'|>#*()→]|-(?!----))*+)"
            r"(?P<end>-----END [A-Z0-9 ]{1,40}+-----)?+"
        ),
        _is_key_block,
    ),
    _prefixed("ghp_", "gho_", "ghu_", "ghs_", "ghr_", start="", body=r"[A-Za-z0-9]{20,}+"),
    _prefixed("github_pat_", start="", body=r"[A-Za-z0-9_]{20,}+"),
    _Shape(
        ("eyJ",),
        re.compile(
            rf"{_RUN_START}eyJ{_B64URL}{{8,}}+\.(?:{_B64URL}{{4,}}+\.{_B64URL}*+(?:\.{_B64URL}++\.{_B64URL}++)?+"
            rf"|\.{_B64URL}++\.{_B64URL}++\.{_B64URL}++)"
        ),
    ),
    _Shape(
        ("authorization",),
        re.compile(
            r"(?P<kept>authorization\\{0,8}+[\"']?\s*+[:=]\s*+\\{0,8}+[\"']?"
            r"(?P<scheme>(?:bearer|basic|token|digest|apikey|api-key|negotiate)[ \t]++)?+)"
            r"(?P<value>[^\s\"'\\,;<>{}$()\[\]]++)",
            re.IGNORECASE,
        ),
        _is_credentials,
        folded=True,
    ),
    _Shape(
        ("bearer",),
        re.compile(rf"(?P<kept>{_START}bearer[ \t]++)[A-Za-z0-9._~+/=-]{{16,}}+", re.IGNORECASE),
        _is_no_word,
        folded=True,
    ),
    _Shape(
        ("basic",),
        re.compile(rf"(?P<kept>{_START}basic[ \t]++)(?P<value>[A-Za-z0-9+/]{{8,}}+={{0,2}}+)", re.IGNORECASE),
        _is_user_and_password,
        folded=True,
    ),
    _Shape(
        ("secret",),
        re.compile(
            r"(?P<kept>aws_?secret_?(?:access_?)?key\\?[\"']?\s*+[=:]\s*+\\?[\"']?)[A-Za-z0-9/+=]{40}+"
            r"(?![A-Za-z0-9/+=])",
            re.IGNORECASE,
        ),
        folded=True,
    ),
    _Shape(
        ("AccountKey=", "SharedAccessKey="),
        re.compile(r"(?P<kept>(?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{40,}+={0,2}+"),
    ),
    _prefixed("AKIA", "ASIA", "ABIA", "ACCA", body=r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _prefixed("AIza", body=rf"{_B64URL}{{35}}(?!{_B64URL})"),
    _prefixed("ya29.", "GOCSPX-", body=rf"{_B64URL}{{20,}}+"),
    _prefixed("sk-", "xai-", "glpat-", "pypi-", body=rf"{_B64URL}{{16,}}+", is_secret=_is_no_word),
    _prefixed("sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_", body=r"[A-Za-z0-9]{16,}+"),
    _prefixed("npm_", "hf_", "gsk_", "shpat_", "dop_v1_", body=r"[A-Za-z0-9]{30,}+"),
    _prefixed("SG.", body=rf"{_B64URL}{{16,}}+\.{_B64URL}{{16,}}+"),
    _prefixed(
        "xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-", body=r"[A-Za-z0-9-]{10,}+"
    ),
    _Shape(
        ("hooks.slack.com/services/",),
        re.compile(r"(?P<kept>hooks\.slack\.com/services/)[A-Za-z0-9/]{20,}+"),
    ),
)
"""What is replaced inside strings, in this order: key blocks first, since they may hold what looks like
something else; then what needs no word to begin, since others begin behind it."""

_SHORTEST = len("Basic dTpwdw==")
_SIGNS = tuple(sign for shape in _SHAPES if not shape.folded for sign in shape.signs)
_FOLDED_SIGNS = tuple(sign for shape in _SHAPES if shape.folded for sign in shape.signs)
