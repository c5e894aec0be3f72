"""Whether a Korg server answers at an address: asked once, quickly, and without the means that following it
takes (EXPERIENCE.md, Starting)."""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

from korg_tui.sources.errors import NotThere, reason
from korg_tui.sources.http.address import JOURNAL, address

_ENOUGH = 64 * 1024
_PORTS = {"http": 80, "https": 443}
_HEAD = re.compile(rb"HTTP/1\.[01] (\d{3})[^\n]*\n(?:[^\n]+\n)*?\r?\n")
_JOURNAL = re.compile(rb"\s*//[ \t]*total events:[ \t]*\d")


def probe(url: str, seconds: float) -> None:
    """Ask for the journal. Raises `NotThere` unless an answer in the wire form comes within `seconds`."""
    until = time.monotonic() + seconds
    try:
        answer = b""
        for part in _received(url, until):
            answer += part
            if _believed(answer):
                return
            if len(answer) > _ENOUGH:
                break
    except TimeoutError:
        raise NotThere(f"no answer within {seconds:g} s") from None
    except socket.gaierror:
        raise NotThere("no answer: its name cannot be found") from None
    except (OSError, ValueError) as error:
        raise NotThere(
            f"no answer: {reason(error) if isinstance(error, OSError) else 'no address'}"
        ) from None
    raise NotThere(_other(answer))


def _received(url: str, until: float) -> Iterator[bytes]:
    server = address(url)
    parts = urlsplit(server.base)
    host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    with socket.create_connection((host, port), timeout=_left(until)) as plain:
        connection = _secured(plain, host) if parts.scheme == "https" else plain
        connection.settimeout(_left(until))
        connection.sendall(_question(parts.netloc, parts.path))
        while part := connection.recv(8192):
            yield part
            connection.settimeout(_left(until))


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _secured(plain: socket.socket, host: str) -> socket.socket:
    import ssl

    try:
        return ssl.create_default_context().wrap_socket(plain, server_hostname=host)
    except ssl.SSLError:
        raise NotThere("no answer: no secure connection") from None


def _question(place: str, path: str) -> bytes:
    lines = [f"GET {path}{JOURNAL} HTTP/1.0", f"Host: {place}", "Accept: */*", "Connection: close"]
    token = os.environ.get("KORG_TOKEN", "").strip()
    if token.isascii() and token.isprintable() and token:
        lines.append(f"Authorization: Bearer {token}")
    return "\r\n".join([*lines, "", ""]).encode("ascii", "replace")


def _believed(answer: bytes) -> bool:
    head = _HEAD.match(answer)
    return head is not None and head[1] == b"200" and _JOURNAL.match(answer, head.end()) is not None


def _other(answer: bytes) -> str:
    head = _HEAD.match(answer)
    if head is not None and head[1] != b"200":
        return f"another server: it answers {head[1].decode()}"
    return "another server: it gives no journal" if answer else "it closes the connection without an answer"
