"""Standing: the three descriptors that every program begins with, put back where one was closed.

A free one of them would be taken by the next file that is opened: what is meant for standard output would go
into a ledger, or standard input would be read from a pipe of ours that nothing ever writes to.
"""

from __future__ import annotations

import io
import os
import sys


def stand() -> None:
    """Open what was closed. Standard input then cannot be read; what is written elsewhere goes nowhere."""
    for descriptor in filter(_is_closed, (0, 1, 2)):
        # It takes the lowest free number, which is this one. For 0, too, only writing: to read it fails then.
        os.set_inheritable(os.open(os.devnull, os.O_WRONLY), True)
        assert not _is_closed(descriptor)
    # Python has no stream where the descriptor was closed.
    sys.stdin = sys.stdin or io.TextIOWrapper(io.FileIO(0, closefd=False))
    sys.stdout = sys.stdout or io.TextIOWrapper(io.FileIO(1, "w", closefd=False))
    sys.stderr = sys.stderr or io.TextIOWrapper(io.FileIO(2, "w", closefd=False))


def _is_closed(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return True
    return False
