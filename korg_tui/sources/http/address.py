"""Addresses of ledger servers, as people write them."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

import msgspec

from korg_tui.sources.errors import SourceError

JOURNAL = "/api/journal"
_PORTS = {"http": 80, "https": 443}


class Address(msgspec.Struct, frozen=True):
    """A server. `base` is where its paths begin, without credentials; `shown` is what a person reads."""

    base: str
    user: str = ""
    password: str = ""

    @property
    def shown(self) -> str:
        """The address without credentials."""
        return self.base

    @property
    def loopback(self) -> bool:
        """Whether the server is this machine."""
        host = urlsplit(self.base).hostname or ""
        if host == "localhost" or host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False


def address(url: str) -> Address:
    """The server that `url` names, with or without `/api/journal`. Raises `SourceError`; neither it nor the
    result shows credentials."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise SourceError(f"{_bare(url)}: not an address; write http://127.0.0.1:8080") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not parts.hostname.isprintable():
        raise SourceError(f"{_bare(url)}: not an address; write http://127.0.0.1:8080")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = parts.path.rstrip("/").removesuffix(JOURNAL).rstrip("/")
    place = host if port in (None, _PORTS[parts.scheme]) else f"{host}:{port}"
    return Address(f"{parts.scheme}://{place}{path}", parts.username or "", parts.password or "")


def _bare(url: str) -> str:
    """A name for an address that cannot be read, without what may be a password."""
    return url.strip().rpartition("@")[2] or "the address"
