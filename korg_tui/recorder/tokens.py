"""Tokens inside strings: what they look like, and what only looks like them."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass

from korg_tui.recorder.key_blocks import BLOCK_BEGINS, BLOCK_ENDS, behind_block, is_key_block
from korg_tui.recorder.secret_keys import SHORTEST_TOKEN, names_a_secret

REDACTED = "[REDACTED]"
"""Stands where a secret was."""


def redact_text(text: str) -> tuple[str, int]:
    """The text with `[REDACTED]` in place of each token in it, and how many there were."""
    count = 0
    while _may_hold_one(text):
        text, replaced = _redact_shapes(text)
        count += replaced
        if not replaced:
            break
    return text, count


def _may_hold_one(text: str) -> bool:
    """A quick look that nearly every text ends with."""
    if len(text) < _SHORTEST:
        return False
    for sign in _SIGNS:
        if sign in text:
            return True
    folded = text.lower()
    return any(sign in folded for sign in _FOLDED_SIGNS)


def _redact_shapes(text: str) -> tuple[str, int]:
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


def _nothing(_: re.Match[str]) -> str:
    return ""


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

    rest: Callable[[re.Match[str]], str] = _nothing
    """What stays behind what is replaced."""


def _replace(shape: _Shape, text: str) -> tuple[str, int]:
    count = 0

    def instead(match: re.Match[str]) -> str:
        nonlocal count
        if not shape.is_secret(match):
            return match[0]
        count += 1
        return (match.groupdict().get("kept") or "") + REDACTED + shape.rest(match)

    return shape.pattern.sub(instead, text), count


# A token begins where a word begins, or behind an escape of JSON, of a URL, or of a terminal (colours end in
# a letter). Every run of token characters is taken whole (possessively) before it is judged, so no text is
# read again and again.
_ESCAPES = (r"\\[nrt]", r"%[0-9A-Fa-f]{2}", r"\\x[0-9A-Fa-f]{2}", r"\\u[0-9A-Fa-f]{4}", r"[0-9;\[][mK]")


def _begins(prefix: str, word: str = "A-Za-z0-9") -> str:
    """The pattern of a prefix where a word begins. What stands before it is looked at last, as most places
    have no prefix at all."""
    escaped = "|".join(f"(?<={escape}{prefix})" for escape in _ESCAPES)
    return f"{prefix}(?:(?<![{word}]{prefix})|{escaped})"


def _any_case(word: str) -> str:
    return "".join(f"[{letter.upper()}{letter}]" for letter in word)


_BEARER = _begins(_any_case("bearer"))
_BASIC = _begins(_any_case("basic"))
_B64URL = r"[A-Za-z0-9_-]"
_LONG_RUN = re.compile(r"[A-Za-z0-9]{16}")
_WORDS = re.compile(r"[A-Za-z]*+\d{0,8}+(?:[-_.~+/=]++[A-Za-z]*+\d{0,8}+)*+")
_PLAIN_WORD = re.compile(r"[A-Za-z]?[a-z]*|[A-Z]+")
_NO_TOKENS = frozenset({"token", "tokens", "auth", "scheme", "header", "prefix", "string", "required"})


def _has_digit(match: re.Match[str]) -> bool:
    return any(map(str.isdigit, match[0]))


def _is_random(match: re.Match[str]) -> bool:
    """With digits that stand where no word has them."""
    value = match.groupdict().get("value") or match[0]
    return any(map(str.isdigit, value)) and bool(_LONG_RUN.search(value) or not _WORDS.fullmatch(value))


def _has_long_run(match: re.Match[str]) -> bool:
    """Names are words with hyphens between them."""
    text = match[0]
    if _LONG_RUN.search(text):
        return True
    return len(text) >= 40 and any(map(str.isdigit, text)) and text.lower() != text


def _is_credentials(match: re.Match[str]) -> bool:
    """Behind `Authorization:`: what a scheme introduces, but for a sentence; without one, what is no word."""
    scheme, value = (match["scheme"] or "").strip().lower(), match["value"]
    long = len(value) >= 16 and any(map(str.isdigit, value))
    if not scheme or scheme not in _SCHEMES:
        return long and len(value) >= (16 if scheme else 20)
    if scheme == "basic":
        return long or value.endswith("=") or _is_user_and_password(match)
    if not _PLAIN_WORD.fullmatch(value):
        return True
    ends = match.string[match.end() : match.end() + 1] in ("", "\n", "\r", '"', "'", "\\")
    return scheme == "bearer" and ends and value.lower() not in _NO_TOKENS


def _is_user_and_password(match: re.Match[str]) -> bool:
    try:
        text = base64.b64decode(match["value"], validate=True).decode()
    except ValueError:
        return False
    return ":" in text and text.isprintable()


_SCHEMES = ("bearer", "basic", "token", "digest", "apikey", "api-key", "negotiate", "oauth")


# --- objects written inside a string

_KEY = (
    r"[A-Za-z0-9_-]{0,40}?(?:passw(?:or)?d|secret|token|api[_-]?key|authorization|private[_-]?key"
    r"|secret[_-]?(?:access[_-]?)?key)"
)
_NO_VALUES = frozenset({"string", "str", "text", "password", "token", "secret", "null", "none", "required"})


def _is_member(match: re.Match[str]) -> bool:
    """A member of an object, and no template, no type, nothing that a rule of its own has seen to."""
    key, value = match["key"], match["value"]
    if not names_a_secret(key) or value.lower() in _NO_VALUES or value.startswith(("$", "{", "<", "%")):
        return False
    if REDACTED in value:
        return value != REDACTED and "authorization" not in key.lower()
    is_token = key.lower() == "token"
    return not is_token or (len(value) >= SHORTEST_TOKEN and any(map(str.isdigit, value)))


def _member(quote: str, value: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<kept>{quote}(?P<key>{_KEY}){quote}\s*+:\s*+{quote})(?P<value>(?:{value})++)(?={quote})",
        re.IGNORECASE,
    )


_MEMBER_SIGNS = ("passw", "secret", "token", "api_key", "apikey", "api-key", "authorization", "private")


def _prefixed(
    *prefixes: str, body: str, anywhere: bool = False, is_secret: Callable[[re.Match[str]], bool] = _always
) -> _Shape:
    names = map(re.escape, prefixes)
    either = "|".join(names if anywhere else map(_begins, names))
    return _Shape(prefixes, re.compile(f"(?:{either}){body}"), is_secret)


_SHAPES = (
    _Shape(
        ("PRIVATE KEY",),
        re.compile(
            rf"{BLOCK_BEGINS.pattern}(?P<body>(?:[^-]|-(?!-{{3,4}} ?(?:BEGIN|END) ))*+)"
            rf"(?P<end>{BLOCK_ENDS.pattern})?+"
        ),
        is_key_block,
        rest=behind_block,
    ),
    _prefixed("ghp_", "gho_", "ghu_", "ghs_", "ghr_", anywhere=True, body=r"[A-Za-z0-9]{20,}+"),
    _prefixed("github_pat_", anywhere=True, body=r"[A-Za-z0-9_]{20,}+"),
    _Shape(
        ("eyJ",),
        re.compile(
            rf"{_begins('eyJ', 'A-Za-z0-9_-')}{_B64URL}{{8,}}+"
            rf"\.(?:{_B64URL}{{4,}}+\.{_B64URL}*+(?:\.{_B64URL}++\.{_B64URL}++)?+"
            rf"|\.{_B64URL}++\.{_B64URL}++\.{_B64URL}++)"
        ),
    ),
    _Shape(
        ("authorization",),
        re.compile(
            r"(?P<kept>authorization\\{0,8}+[\"']?\s*+[:=]\s*+\\{0,8}+[\"']?"
            r"(?P<scheme>[a-z][a-z0-9-]{2,24}+[ \t]++)?+)"
            r"(?P<value>[^\s\"'\\,;<>{}$()\[\]]++)",
            re.IGNORECASE,
        ),
        _is_credentials,
        folded=True,
    ),
    _Shape(
        ("bearer",),
        re.compile(rf"(?P<kept>{_BEARER}[ \t]++)(?P<value>[A-Za-z0-9._~+/=-]{{16,}}+)"),
        _is_random,
        folded=True,
    ),
    _Shape(
        ("basic",),
        re.compile(rf"(?P<kept>{_BASIC}[ \t]++)(?P<value>[A-Za-z0-9+/]{{8,}}+={{0,2}}+)"),
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
    _prefixed("sk-", "xai-", "pypi-", body=rf"{_B64URL}{{16,}}+", is_secret=_has_long_run),
    _prefixed("glpat-", body=rf"{_B64URL}{{20,}}+", is_secret=_is_random),
    _prefixed("sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_", body=r"[A-Za-z0-9]{16,}+"),
    _prefixed("npm_", "hf_", "gsk_", "shpat_", "dop_v1_", body=r"[A-Za-z0-9]{30,}+"),
    _prefixed("SG.", body=rf"{_B64URL}{{16,}}+\.{_B64URL}{{16,}}+", is_secret=_has_digit),
    _prefixed(
        "xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-", body=r"[A-Za-z0-9-]{10,}+"
    ),
    _Shape(
        ("hooks.slack.com/services/",),
        re.compile(r"(?P<kept>hooks\.slack\.com/services/)[A-Za-z0-9/]{20,}+"),
    ),
    _Shape(_MEMBER_SIGNS, _member('"', r'[^"\\]|\\.'), _is_member, folded=True),
    _Shape(_MEMBER_SIGNS, _member("'", r"[^'\\]|\\."), _is_member, folded=True),
    _Shape(_MEMBER_SIGNS, _member(r'\\"', r'[^"\\]|\\\\(?:\\.)?|\\[^"\\]'), _is_member, folded=True),
)
"""What is replaced inside strings, in this order: key blocks first, since they may hold what looks like
something else; then what needs no word to begin, since others begin behind it."""

_SHORTEST = len("'passwd':'x'")
_SIGNS = tuple(sign for shape in _SHAPES if not shape.folded for sign in shape.signs)
_FOLDED_SIGNS = tuple(dict.fromkeys(sign for shape in _SHAPES if shape.folded for sign in shape.signs))
