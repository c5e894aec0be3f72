"""StdinSource: a ledger from standard input or another pipe, spooled so that bodies can be read later."""

from __future__ import annotations

import fcntl
import os
import select
import tempfile
import threading
import time
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from korg_tui.event import Record
from korg_tui.formats import HEAD, NotALedger, detect
from korg_tui.sources.blobs import BlobStore
from korg_tui.sources.bodies import Bodies
from korg_tui.sources.contents import Contents
from korg_tui.sources.errors import BodyGone, SourceError, cannot_read, not_a_ledger, reason
from korg_tui.sources.facts import CaughtUp, Fact, State
from korg_tui.sources.file import grown, opened
from korg_tui.sources.opened import OpenFile

_CHUNK = 256 * 1024
_QUIET_SECONDS = 0.1
_STANDARD_INPUT = 0


class StdinSource:
    """Lines are reported as they come; an array or a wrapper when the pipe has ended.

    The spool is a file without a name in the system's temporary folder. `path` names a pipe other than
    standard input (a named one, or the shell's `<(command)`)."""

    watched: Path | None = None
    poll_after: float | None = None
    blocking = True

    def __init__(
        self, path: Path | None = None, *, name: str = "-", descriptor: int = _STANDARD_INPUT
    ) -> None:
        self.name = name
        self._path = path
        self._descriptor = descriptor
        self._contents = Contents()
        self._bodies: Bodies | None = None
        self._open = True
        self._lock = threading.Lock()
        self._interrupt: int | None = None

    @cached_property
    def blobs(self) -> BlobStore:
        """The folders that a ledger without a place of its own has: none beside it."""
        return BlobStore(None)

    def start(self) -> Iterator[Fact]:
        """Read to the end of the pipe. `CaughtUp` comes when nothing arrives for a moment, or at the end;
        then `ended`. Raises `SourceError` when it is no ledger, or closed."""
        if self._path is None and not can_be_read(self._descriptor):
            raise SourceError(f"{self._called} is closed; give a ledger file, or open it")
        try:
            with tempfile.TemporaryFile(prefix="korg-tui-", buffering=0) as spool:
                self._bodies = Bodies(OpenFile(os.dup(spool.fileno())))
            yield from self._facts(self._bodies.file)
        except NotALedger as error:
            raise not_a_ledger(self._called, str(error)) from None
        except OSError as error:
            raise cannot_read(self._called, error) from None

    @property
    def _called(self) -> str:
        return "standard input" if self.name == "-" else self.name

    def _facts(self, spool: OpenFile) -> Iterator[Fact]:
        size, begun, caught_up = 0, False, False
        for chunk in self._chunks():
            if chunk:
                size += _write(spool, chunk, size)
            if begun:
                yield from grown(self._contents.append(spool, size))
            elif chunk and self._can_begin(spool, size):
                begun = True
                yield from self._begin(spool, size)
            if not chunk and begun and not caught_up:
                caught_up = True
                yield CaughtUp()
        if not self._open:
            return
        if not begun:
            yield from self._begin(spool, size)
        if not caught_up:
            yield CaughtUp()
        yield State("ended", f"{self._called} has ended; nothing more follows", time.time_ns() // 1_000_000)

    def _can_begin(self, spool: OpenFile, size: int) -> bool:
        """Whether what is there already says that it holds lines, which need not be awaited to the last."""
        head = spool.read(0, min(size, HEAD))
        try:
            return b"\n" in head and detect(head).kind in ("lines", "wire")
        except NotALedger:
            if size >= HEAD and not head.lstrip().startswith((b"{", b"[")):
                raise
            return False

    def _begin(self, spool: OpenFile, size: int) -> Iterator[Fact]:
        first = True
        for records in self._contents.first(spool, size):
            if first:
                yield opened(self._contents)
                first = False
            yield from grown(records)
        if first:
            yield opened(self._contents)

    def _chunks(self) -> Iterator[bytes]:
        """What arrives, as it arrives; empty when nothing came for a moment. Ends with the pipe, or on
        `close`."""
        descriptor = self._descriptor
        if self._path is not None:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        interrupted, self._interrupt = os.pipe()
        try:
            wait: float | None = _QUIET_SECONDS
            while self._open:
                ready, _, _ = select.select([descriptor, interrupted], [], [], wait)
                if descriptor in ready:
                    chunk = os.read(descriptor, _CHUNK)
                    if not chunk:
                        return
                    yield chunk
                    wait = _QUIET_SECONDS
                elif not ready:
                    yield b""
                    wait = None
        finally:
            with self._lock:
                os.close(interrupted)
                os.close(self._interrupt)
                self._interrupt = None
            if self._path is not None:
                os.close(descriptor)

    def finish(self) -> list[Record]:
        """The torn end as records."""
        return self._contents.finish()

    def poll(self) -> list[Fact]:
        """Nothing: the first reading goes on until the pipe ends."""
        return []

    def read(self, offset: int, length: int, epoch: int | None = None) -> bytes:
        """The bytes of a record. Raises `BodyGone`."""
        if self._bodies is None:
            raise BodyGone(f"{self._called} is not open")
        return self._bodies.read(offset, length, epoch)

    def close(self) -> None:
        """End a reading that waits, and give the spool back."""
        if not self._open:
            return
        self._open = False
        with self._lock:
            if self._interrupt is not None:
                os.write(self._interrupt, b"x")
        if self._bodies is not None:
            self._bodies.close()


def can_be_read(descriptor: int) -> bool:
    """Whether this descriptor is open, and open for reading."""
    try:
        return fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE != os.O_WRONLY
    except OSError:
        return False


def _write(spool: OpenFile, chunk: bytes, at: int) -> int:
    view = memoryview(chunk)
    written = 0
    while written < len(view):
        try:
            written += os.pwrite(spool.descriptor, view[written:], at + written)
        except OSError as error:
            text = f"standard input cannot be kept in {tempfile.gettempdir()}: {reason(error)}"
            raise SourceError(f"{text}; set TMPDIR to a folder with room") from None
    return written
