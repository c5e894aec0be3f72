"""Spool: the raw records that a server gave, in a file without a name, so that they can be read later."""

from __future__ import annotations

import os
import tempfile
import threading

from korg_tui.sources.errors import BodyGone, reason
from korg_tui.sources.opened import OpenFile

SPARE = 1 << 30
"""Bytes of dropped records that are kept for whoever still looks at them."""


class Spool:
    """Records by offset, one after the other; nothing is ever overwritten. One thread writes, any reads.

    Epochs count what the source reported as replaced. Records of earlier epochs stay readable, until `renew`
    gives back the room that they take."""

    def __init__(self) -> None:
        self.epoch = 0
        self.size = 0
        self._kept_since = 0
        self._lock = threading.Lock()
        self._file: OpenFile | None = None
        self._closed = False

    def write(self, raws: list[bytes]) -> list[int]:
        """Where each of `raws` lies from now on. Raises `OSError` when there is no room, and
        `BodyGone` when it is closed; nothing counts as written then."""
        offsets, end = [], self.size
        for raw in raws:
            offsets.append(end)
            end += len(raw)
        if raws:
            with self._lock:
                _write(self._opened().descriptor, b"".join(raws), self.size)
            self.size = end
        return offsets

    def begin(self) -> int:
        """A new epoch: what follows takes the place of something."""
        self.epoch += 1
        return self.epoch

    def renew(self) -> None:
        """Begin anew with an empty file: what was written before can no longer be read."""
        with self._lock:
            old, self._file = self._file, None
            self.size, self._kept_since = 0, self.epoch + 1
            if old is not None:
                old.close()

    def read(self, offset: int, length: int, epoch: int | None = None) -> bytes:
        """The bytes of a record as reported in `epoch` (the present one by default). Raises `BodyGone`."""
        with self._lock:
            if self._closed or self._file is None:
                raise BodyGone("what the server gave is not kept any more")
            if epoch is not None and epoch < self._kept_since:
                raise BodyGone("the bytes of this record are gone: the server has replaced too much since")
            try:
                found = self._file.read(offset, length)
            except OSError as error:
                raise BodyGone(f"this record cannot be read: {reason(error)}") from None
        if len(found) < length:
            raise BodyGone("the bytes of this record are gone")
        return found

    def close(self) -> None:
        """Give the file back; reading raises `BodyGone` from now on."""
        with self._lock:
            self._closed = True
            if self._file is not None:
                self._file.close()
                self._file = None

    def _opened(self) -> OpenFile:
        if self._closed:
            raise BodyGone("what the server gave is not kept any more")
        if self._file is None:
            with tempfile.TemporaryFile(prefix="korg-tui-", buffering=0) as file:
                self._file = OpenFile(os.dup(file.fileno()))
        return self._file


def _write(descriptor: int, data: bytes, offset: int) -> None:
    left = memoryview(data)
    while left:
        done = os.pwrite(descriptor, left, offset)
        left, offset = left[done:], offset + done
