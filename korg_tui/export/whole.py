"""Whole files: a file has its name when all of it is written; whatever ends that leaves nothing behind."""

from __future__ import annotations

import os
import secrets
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """A file that takes its name, in the place of what had it, when all of it is written; after a failure
    nothing is left behind. Its rights are those of the file that it replaces, or of any new file. Raises
    `OSError`."""
    real = Path(os.path.realpath(path))
    draft = real.with_name(f".{real.name[:60]}.{secrets.token_hex(4)}.part")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with suppress(FileNotFoundError):
                draft.chmod(real.stat().st_mode & 0o777)
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(real)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


@contextmanager
def written_new(path: Path) -> Iterator[BinaryIO]:
    """A new file, which takes its name when all of it is written; after a failure nothing is left behind.
    Raises `OSError`; `FileExistsError` when something has that name by then."""
    draft = path.with_name(f".{path.name[:60]}.{secrets.token_hex(4)}.part")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _name_new(draft, path)
    finally:
        with suppress(OSError):
            draft.unlink()


def _name_new(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:
        # A file system without a second name for a file: what comes between these two is overwritten.
        if os.path.lexists(path):
            raise FileExistsError from None
        draft.rename(path)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """What asks the program to end, ends what is done here in order, with exit code 128 + signal. A signal
    that is ignored stays so; in another thread than the first nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {
        each: handler
        for name in ("SIGTERM", "SIGHUP")
        if (each := getattr(signal, name, None)) is not None
        and (handler := signal.getsignal(each)) is signal.SIG_DFL
    }
    for each in before:
        signal.signal(each, _end)
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _end(number: int, _: object) -> None:
    raise SystemExit(128 + number)
