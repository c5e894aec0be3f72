"""Keys of objects whose values are secrets, however they are written."""

from __future__ import annotations

import re
from functools import lru_cache

SECRET_KEYS = frozenset(
    {"api_key", "apikey", "secret", "client_secret", "access_token", "refresh_token", "auth_token", "token"}
    | {"password", "passwd", "authorization", "private_key"}
)
"""Keys whose string values are secrets. Other ways to write them are meant as well: `Authorization`,
`accessToken`, `x-api-key`."""

LONGEST_KEY = 64
"""Characters of a key that names a secret."""

SHORTEST_TOKEN = 8
"""Characters of a value under `token` that is none of a lexer's."""

_ENDINGS = ("key", "secret", "token", "password", "passwd", "authorization")
_CLOUD_KEYS = ("secret_access_key", "secret_key")
_PART = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[- ]")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


@lru_cache(maxsize=4096)
def names_a_secret(key: str) -> bool:
    """Whether the string values under a key are secrets: one of `SECRET_KEYS`, a variable of a shell that
    ends in one (`DB_PASSWORD`), or a secret key of a cloud."""
    if len(key) > LONGEST_KEY or not key.rstrip().lower().endswith(_ENDINGS):
        return False
    name = _PART.sub("_", key.strip()).lower().removeprefix("x_").removeprefix("proxy_")
    if key.lower() in SECRET_KEYS or name in SECRET_KEYS or name.endswith("secret_access_key"):
        return True
    if not _VARIABLE.fullmatch(key):
        return False
    return name.endswith(tuple(f"_{each}" for each in SECRET_KEYS)) or name.endswith(_CLOUD_KEYS)
