"""The open files of a source: the one it has now, and those of earlier readings for as long as they last."""

from __future__ import annotations

import threading

from korg_tui.sources.errors import BodyGone, reason
from korg_tui.sources.opened import OpenFile

_EARLIER_READINGS = 32
_GONE = "the bytes of this record are gone"


class Bodies:
    """Bytes of records by the epoch in which they were reported. Any thread may read."""

    def __init__(self, file: OpenFile) -> None:
        self._lock = threading.Lock()
        self.epoch = 0
        self._files = {0: file}
        self._valid: dict[int, int] = {}

    @property
    def file(self) -> OpenFile:
        """The file of the present epoch."""
        return self._files[self.epoch]

    def read(self, offset: int, length: int, epoch: int | None = None) -> bytes:
        """The bytes of a record as reported in `epoch` (the present one by default). Raises `BodyGone`."""
        with self._lock:
            epoch = self.epoch if epoch is None else epoch
            file = self._files.get(epoch)
            if file is None:
                raise BodyGone(f"{_GONE}: the file was replaced too often since")
            if offset + length > self._valid.get(epoch, offset + length):
                raise BodyGone(f"{_GONE}: the file was cut or rewritten in place since")
            try:
                found = file.read(offset, length)
            except OSError as error:
                raise BodyGone(f"this record cannot be read: {reason(error)}") from None
        if len(found) < length:
            raise BodyGone(f"{_GONE}: the file is shorter now")
        return found

    def same_content(self, file: OpenFile) -> None:
        """A new file took the place of the present one, with all of the old bytes in place."""
        with self._lock:
            old = self._files[self.epoch]
            old.replaced()
            self._files[self.epoch] = file
            self._drop(old)

    def rewritten(self, offset: int) -> None:
        """The present file was changed in place from `offset` on: earlier epochs have lost what lay there."""
        with self._lock:
            file = self._files[self.epoch]
            for epoch, other in self._files.items():
                if other is file:
                    self._valid[epoch] = min(offset, self._valid.get(epoch, offset))
            self._begin(file)

    def replaced(self, file: OpenFile) -> None:
        """A new file with other bytes took the place of the present one."""
        with self._lock:
            self._files[self.epoch].replaced()
            self._begin(file)

    def _begin(self, file: OpenFile) -> None:
        self.epoch += 1
        self._files[self.epoch] = file
        forgotten = self._files.pop(self.epoch - _EARLIER_READINGS, None)
        if forgotten is not None:
            self._drop(forgotten)

    def _drop(self, file: OpenFile) -> None:
        if all(other is not file for other in self._files.values()):
            file.close()

    def close(self) -> None:
        """Close every file; reading raises `BodyGone` from now on."""
        with self._lock:
            for file in {id(file): file for file in self._files.values()}.values():
                file.close()
            self._files = {}
