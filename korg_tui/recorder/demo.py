"""`korg-tui demo --serve`: a ledger server of its own, and a simulated run of several agents to record.

The server is a child process, so that it ends last and cleanly, whatever ends this one: its standard input is
a pipe from here, and where that ends, so does it.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from korg_tui.sources import SourceError
from korg_tui.text import visible

FIRST_PORT, PORTS = 8080, 20
"""Which ports are tried."""

INTERRUPTED = 130
_USAGE = 2
_START = 20.0
_END = 10.0


def demo_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `demo --serve`."""
    parser.add_argument(
        "--serve",
        action="store_true",
        help="play a run of several agents into a ledger server, to be watched",
    )
    parser.add_argument(
        "--speed",
        type=float,
        default=1.0,
        help="with --serve: how fast (default: 1, which takes about a minute)",
    )
    parser.add_argument(
        "--store",
        metavar="FOLDER",
        type=Path,
        help="with --serve: where to record (default: a temporary folder)",
    )


def demo_serve(arguments: argparse.Namespace) -> int:
    """Serve, play the run, say that it has ended, and go on serving until a signal ends it: 130 after SIGINT.
    Raises `SourceError` for what a person can put right; a server that cannot begin says why itself."""
    if not (math.isfinite(arguments.speed) and arguments.speed > 0):
        raise SourceError("--speed must be a number above 0", _USAGE)
    with contextlib.ExitStack() as stack:
        stack.enter_context(_ended_by(signal.SIGTERM, signal.SIGHUP))
        store = arguments.store
        if store is None:
            store = stack.enter_context(_temporary())
        port = _free_port()
        server = stack.enter_context(_server(port, store))
        try:
            return _play(server, f"http://127.0.0.1:{port}", arguments.speed)
        except KeyboardInterrupt:
            return INTERRUPTED


def _play(server: subprocess.Popen[bytes], url: str, speed: float) -> int:
    from korg_tui.recorder.client import RecorderClient
    from korg_tui.recorder.simulation import ACTOR, SECONDS, simulate

    if not _answers(server, url):
        return server.wait()
    _say(f"a simulated run of several agents is being played, {SECONDS / speed:.0f} s long; ctrl+c ends it")
    with RecorderClient(url, actor=ACTOR, blobs="", flush=2) as client:
        run = simulate(client, speed=speed)
    how = "the run has ended" if run.taken else "the run has ended, but not all of it was recorded"
    _say(f"{how}; the server goes on until you press ctrl+c")
    return server.wait()


def _say(text: str) -> None:
    print(f"korg-tui: {visible(text)}", file=sys.stderr, flush=True)


def _free_port() -> int:
    """The first port from 8080 on at which nobody listens."""
    for port in range(FIRST_PORT, FIRST_PORT + PORTS):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return port
    raise SourceError(
        f"ports {FIRST_PORT} to {FIRST_PORT + PORTS - 1} of 127.0.0.1 are taken; free one of them"
    )


def _answers(server: subprocess.Popen[bytes], url: str) -> bool:
    """Wait until the server answers; False when it has ended instead."""
    from korg_tui.recorder.client.connection import Connection, Unanswered, Unreachable

    connection, deadline = Connection(url, timeout=1.0), time.monotonic() + _START
    try:
        while server.poll() is None:
            with contextlib.suppress(Unreachable, Unanswered):
                if connection.ask("GET", "/api/journal").fine:
                    return True
            if time.monotonic() > deadline:
                raise SourceError(f"the server at {url} has not begun to answer for {_START:.0f} s")
            time.sleep(0.05)
    finally:
        connection.close()
    return False


@contextlib.contextmanager
def _temporary() -> Iterator[Path]:
    """A folder that is there while the block lasts; both ends of it are told."""
    with tempfile.TemporaryDirectory(prefix="korg-tui-demo-") as folder:
        _say(f"{folder} is temporary, and removed at the end; --store FOLDER keeps what is recorded")
        yield Path(folder)
    with contextlib.suppress(OSError):
        _say(f"{folder} was removed, with all that was recorded")


@contextlib.contextmanager
def _server(port: int, store: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server in a child process, in a group of its own: ctrl+c is for this process, which ends it last."""
    from korg_tui.recorder.serve import TOKEN_VARIABLE

    command = [sys.executable, "-m", "korg_tui.recorder.demo", str(port), os.fspath(store)]
    # A token is for those who serve others.
    environment = {name: value for name, value in os.environ.items() if name != TOKEN_VARIABLE}
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, env=environment) as server:
        try:
            yield server
        finally:
            server.terminate()
            try:
                server.wait(_END)
            except subprocess.TimeoutExpired:
                server.kill()


@contextlib.contextmanager
def _ended_by(*signals: signal.Signals) -> Iterator[None]:
    """While the block lasts, these signals end it as an exception does: with everything put away."""

    def end(number: int, _: FrameType | None) -> None:
        sys.exit(128 + number)

    before = {number: signal.signal(number, end) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _serve_for_a_parent(port: int, store: Path) -> int:
    from korg_tui.recorder.serve import serve, serve_options

    parser = argparse.ArgumentParser()
    serve_options(parser)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    try:
        return serve(parser.parse_args(["--port", str(port), "--store", os.fspath(store)]))
    except SourceError as error:
        _say(error.text)
        return error.exit_code


def _end_with_the_parent() -> None:
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(_serve_for_a_parent(int(sys.argv[1]), Path(sys.argv[2])))
