"""`korg-tui serve`: its options, and what is wrong with them."""

from __future__ import annotations

import argparse
import os
import re
from importlib.util import find_spec
from pathlib import Path

from korg_tui.sources import SourceError

DEFAULT_PORT = 8080
DEFAULT_STORE = Path(".korg")
LOOPBACK = "127.0.0.1"
TOKEN_VARIABLE = "KORG_TOKEN"
"""Holds the bearer token; readers of a server send the same."""

USAGE = 2
_MISSING = (
    "serve needs two more packages: pip install 'korg-tui[serve]'  (in a checkout: pip install '.[serve]')"
)
_TOKEN = re.compile(r"[!-~]{16,4096}")


def serve_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `serve`."""
    parser.add_argument(
        "--port", type=int, default=DEFAULT_PORT, help="0 takes any that is free (default: 8080)"
    )
    parser.add_argument("--host", default=LOOPBACK, help="address to listen at (default: 127.0.0.1)")
    parser.add_argument(
        "--store",
        metavar="FOLDER",
        type=Path,
        help="where the ledger and its blobs are kept (default: ./.korg)",
    )
    parser.add_argument(
        "--strict", action="store_true", help="refuse large inline values, and blobs that are not there"
    )
    parser.add_argument("--no-redact", action="store_true", help="store secrets as they come")
    parser.add_argument(
        "--allow-remote", action="store_true", help="listen at an address that others reach; needs a token"
    )
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        type=Path,
        help=f"the bearer token that clients must send (or ${TOKEN_VARIABLE})",
    )


def serve(arguments: argparse.Namespace) -> int:
    """Record until a signal ends it: 130 after SIGINT, 0 after SIGTERM. Raises `SourceError` for what a
    person can put right."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise SourceError(_MISSING, USAGE)
    store = _store(arguments)
    token = _token(arguments)
    host = _host(arguments, token)
    from korg_tui.recorder.server.serving import run

    return run(
        store,
        host,
        arguments.port,
        token,
        strict=arguments.strict,
        redacting=not arguments.no_redact,
    )


def _store(arguments: argparse.Namespace) -> Path:
    """The folder that was named, also by a link; else one of this folder, which need not be from here."""
    if arguments.store is not None:
        return Path(arguments.store)
    if DEFAULT_STORE.is_symlink():
        there = f"{DEFAULT_STORE} is a link to {DEFAULT_STORE.readlink()}"
        raise SourceError(f"{there}; if that is meant, say --store {DEFAULT_STORE}")
    return DEFAULT_STORE


def _token(arguments: argparse.Namespace) -> str:
    """The bearer token; empty when none was named."""
    named = token = os.environ.get(TOKEN_VARIABLE, "")
    if arguments.token_file is not None:
        named = f"--token-file {arguments.token_file}"
        try:
            token = arguments.token_file.read_text("utf-8")
        except (OSError, ValueError) as error:
            why = (getattr(error, "strerror", None) or "it is not text").lower()
            raise SourceError(f"{named}: {why}", USAGE) from None
    token = token.strip()
    if named and not _TOKEN.fullmatch(token):
        raise SourceError("a bearer token is one word of 16 to 4,096 ASCII characters", USAGE)
    return token


def _host(arguments: argparse.Namespace, token: str) -> str:
    if not 0 <= arguments.port <= 65535:
        raise SourceError("--port must be from 0 to 65535", USAGE)
    host: str = LOOPBACK if arguments.host == "localhost" else arguments.host
    if host == LOOPBACK:
        return host
    if not arguments.allow_remote:
        raise SourceError(f"{host} can be reached by others; if that is meant, say --allow-remote", USAGE)
    if not token:
        raise SourceError(
            f"--allow-remote needs a bearer token: --token-file FILE, or ${TOKEN_VARIABLE}", USAGE
        )
    return host
