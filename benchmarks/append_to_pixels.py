"""How long a written event takes to stand on the terminal, and what the open program costs when idle.

    python benchmarks/append_to_pixels.py [--writes 60] [--idle 20]

The program itself runs in a pseudo-terminal of 120×40 and follows a ledger to which another process appends.
For each container it prints the time from the write to the moment at which the terminal has the text of the
new row, in milliseconds, what an event costs the program in processor time, and how much of one core it takes
while nothing is written. Nothing is asserted: the numbers are for people.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import pty
import re
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import append_to_screen
from append_to_screen import event

COLUMNS, ROWS = 120, 40
PATIENCE = 60.0
"""Seconds after which nobody waits for the program any more."""


class Program:
    """The program in a pseudo-terminal, and when which bytes came out of it."""

    def __init__(self, ledger: Path | str, home: Path, rows: int = ROWS, more: Sequence[str] = ()) -> None:
        self.written = bytearray()
        self.moments: list[tuple[int, float]] = []
        """(how many bytes were there, since when)."""
        self._terminal, inside = pty.openpty()
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, COLUMNS, 0, 0))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "korg_tui", "tui", str(ledger), *more],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env={**os.environ, "HOME": str(home), "TERM": "xterm-256color", "COLORTERM": "truecolor"},
            start_new_session=True,
        )
        os.close(inside)

    def read(self, until: float, enough: Callable[[], object] = lambda: False) -> None:
        """Take in what is written, until it is enough, or until then (monotonic seconds)."""
        while not enough() and (left := until - time.monotonic()) > 0:
            if select.select([self._terminal], [], [], min(left, 0.05))[0]:
                try:
                    self.written += os.read(self._terminal, 1 << 16)
                except OSError:
                    raise SystemExit("the program has ended") from None
                self.moments.append((len(self.written), time.monotonic()))

    def shows(self, text: bytes) -> None:
        """Read until this text was written."""
        self.read(time.monotonic() + PATIENCE, lambda: text in self.written)
        if text not in self.written:
            raise SystemExit(f"the program did not show {text!r} within {PATIENCE:.0f} s")

    def when(self, text: bytes) -> float:
        """When this text was first there, whole."""
        end = self.written.index(text) + len(text)
        return next(moment for length, moment in self.moments if length >= end)

    def cpu_seconds(self) -> float:
        """Processor time of the program until now, all its threads."""
        stat = Path(f"/proc/{self._process.pid}/stat")
        if stat.exists():
            fields = stat.read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        shown = subprocess.run(
            ["ps", "-o", "time=", "-p", str(self._process.pid)], check=True, capture_output=True, text=True
        ).stdout
        parts = [float(part) for part in re.split("[:-]", shown.strip())]
        return sum(part * factor for part, factor in zip(reversed(parts), (1, 60, 3600, 86400), strict=False))

    def cpu_share(self, seconds: float) -> float:
        """What it takes of one core in the time to come, in percent."""
        before, began = self.cpu_seconds(), time.monotonic()
        self.read(began + seconds)
        return (self.cpu_seconds() - before) / (time.monotonic() - began) * 100

    def follow(self, writes: list[str]) -> dict[int, float]:
        """Let another process write events; when it had written which."""
        command = [sys.executable, append_to_screen.__file__, "--write", *writes]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            self.read(time.monotonic() + 5 * PATIENCE, lambda: writer.poll() is not None)
            said, _ = writer.communicate(timeout=PATIENCE)
        return {int(seq): float(moment) for seq, moment in map(str.split, said.splitlines())}

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def press(self, key: bytes) -> None:
        """Type at its terminal."""
        os.write(self._terminal, key)

    def end(self) -> None:
        """Leave the program."""
        self.press(b"q")
        with suppress(SystemExit):
            self.read(time.monotonic() + 2, lambda: self._process.poll() is not None)
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)


def row(seq: int) -> bytes:
    """What stands in the row of an event, and nowhere else before the row is drawn."""
    return f"event {seq} ".encode()


def measure(container: str, present: int, options: argparse.Namespace) -> None:
    """One line of the report."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger"
        events = [event(seq) for seq in range(1, present + 1)]
        lines = "".join(json.dumps(one) + "\n" for one in events)
        path.write_text(lines if container == "lines" else json.dumps(events, indent=2))
        program = Program(path, Path(folder))
        program.shows(row(present))
        program.read(time.monotonic() + 2)
        idle = program.cpu_share(options.idle)
        before = program.cpu_seconds()
        written = program.follow([container, str(path), str(present + 1), str(options.writes)])
        program.shows(row(max(written)))
        cost = (program.cpu_seconds() - before) / len(written) * 1000
        program.end()
    shown = [seq for seq in written if row(seq) in program.written]
    latency = sorted((program.when(row(seq)) - written[seq]) * 1000 for seq in shown)
    print(
        f"{container:6} {present:6} events  median {statistics.median(latency):6.1f} ms"
        f"  p95 {latency[int(len(latency) * 0.95)]:6.1f} ms  worst {latency[-1]:6.1f} ms"
        f"  ({len(shown)} of {len(written)} seen)  {cost:5.1f} ms of a core each  idle {idle:4.2f} %",
        flush=True,
    )


def main() -> None:
    """Read the options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--writes", type=int, default=60)
    parser.add_argument("--idle", type=float, default=20, metavar="SECONDS")
    options = parser.parse_args()
    for container, present in (("lines", 100), ("array", 100), ("array", 5_000)):
        measure(container, present, options)


if __name__ == "__main__":
    main()
