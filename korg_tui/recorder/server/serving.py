"""The life of a server's process: the store, the address, the signals, and what it says on standard error."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import signal
import socket
import sys
import threading
from pathlib import Path

from korg_tui.recorder.server.application import application, hosts_of
from korg_tui.recorder.server.committer import Committer
from korg_tui.recorder.server.intake import Recorder
from korg_tui.recorder.server.listening import server
from korg_tui.recorder.store import Store
from korg_tui.recorder.store.chain import first_altered
from korg_tui.sources import SourceError
from korg_tui.text import visible

INTERRUPTED = 130
GONE = 3
"""The ledger is not where it was."""

_log = logging.getLogger("korg_tui.recorder")


def run(folder: Path, host: str, port: int, token: str, *, strict: bool, redacting: bool) -> int:
    """Record into the store of `folder` until a signal ends it; the exit code. Raises `SourceError`."""
    store = Store(folder)
    try:
        with _listen(host, port) as listener:
            return asyncio.run(_serve(store, listener, token, strict, redacting))
    finally:
        store.close()


def _listen(host: str, port: int) -> socket.socket:
    try:
        kind, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # asyncio switches the delays of small packets off for sockets that say that they are TCP.
        listener = socket.socket(kind, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise SourceError(f"port {port} of {host} is taken; give another with --port") from None
        why = (error.strerror or str(error)).lower()
        raise SourceError(f"cannot listen at {host}, port {port}: {why}") from None
    return listener


async def _serve(store: Store, listener: socket.socket, token: str, strict: bool, redacting: bool) -> int:
    _say_on_standard_error()
    address, port = listener.getsockname()[:2]
    url = f"http://{f'[{address}]' if ':' in address else address}:{port}"
    store.lock.say(f"process {os.getpid()}, {url}")
    committer = Committer(store)
    try:
        recorder = Recorder(store, committer, strict, redacting)
        running = server(application(recorder, hosts=hosts_of(address, port), token=token))
        ended_by: list[int] = []

        def end(number: int) -> None:
            ended_by.append(number)
            running.should_exit = True

        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, end, number)
        serving = asyncio.create_task(running.serve(sockets=[listener]))
        await running.listening.wait()
        _greet(store, url, token)
        threading.Thread(target=_check, args=(store, store.head.total), name="chain", daemon=True).start()
        await serving
    finally:
        committer.stop()
    if lost := store.rescued():
        _log.error("%s", lost)
        return GONE
    return INTERRUPTED if signal.SIGINT in ended_by else 0


def _greet(store: Store, url: str, token: str) -> None:
    if store.notice:
        _say(store.notice)
    events = store.head.total
    held = f"{events:,} {'event' if events == 1 else 'events'}"
    whom = ", for those who send the token" if token else ""
    _say(f"listening at {url}{whom}, recording into {store.path} ({held})")
    _say(f"in another terminal: korg-tui {url}")


def _check(store: Store, events: int) -> None:
    """Look beside the server whether an event was altered since it was recorded, and say so once."""
    with contextlib.suppress(OSError):
        seq = first_altered(store.path, events)
        if seq is not None:
            _say(
                f"{store.path}: event {seq} does not fit its hash: it was altered after it was recorded; "
                "compare it with a copy"
            )


def _say(text: str) -> None:
    logging.getLogger("korg_tui.recorder").warning("%s", text)


class _Lines(logging.StreamHandler):  # type: ignore[type-arg]
    """One line each, made safe for a terminal. A standard error that is gone stops nobody."""

    def format(self, record: logging.LogRecord) -> str:
        return f"korg-tui: {visible(record.getMessage())}"

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        pass


def _say_on_standard_error() -> None:
    log = logging.getLogger("korg_tui.recorder")
    log.addHandler(_Lines(sys.stderr))
    log.propagate = False
    for name in ("uvicorn", "uvicorn.error", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
