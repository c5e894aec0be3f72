"""How many posts a second the recorder acknowledges, and how long one waits.

    python benchmarks/recorder_posts.py [--seconds 5] [--clients 1 50] [--store FOLDER]

For each number of clients a server of its own; every client posts on one kept connection, one event after the
other. What a sync of the disk costs is printed first: with one client, no post can take less.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from queue import Queue

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from recording import Asked, ask, call, process


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 50])
    parser.add_argument("--store", type=Path, default=None, help="a folder on the disk to measure")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.store) as base:
        print(f"a sync takes {sync_ms(Path(base)):.2f} ms")
        for clients in arguments.clients:
            (Path(base) / f"{clients}").mkdir()
            with process(Path(base) / f"{clients}" / ".korg") as server:
                waits = measure(server.port, clients, arguments.seconds)
            rate = len(waits) / arguments.seconds
            median, p95 = statistics.median(waits), statistics.quantiles(waits, n=20)[-1]
            print(f"{clients} clients: {rate:.0f} posts/s, median {median:.1f} ms, p95 {p95:.1f} ms")


def sync_ms(folder: Path) -> float:
    """The median time of appending a kilobyte and syncing it."""
    taken: list[float] = []
    with (folder / "sync").open("wb", buffering=0) as file:
        for _ in range(200):
            start = time.perf_counter()
            file.write(b"x" * 1024)
            os.fsync(file.fileno())
            taken.append(time.perf_counter() - start)
    return statistics.median(taken) * 1000


def measure(port: int, clients: int, seconds: float) -> list[float]:
    """The milliseconds of each post, from processes that are not the server's."""
    waits: multiprocessing.Queue[list[float]] = multiprocessing.Queue()
    until = time.monotonic() + seconds
    workers = [multiprocessing.Process(target=post, args=(port, until, waits)) for _ in range(clients)]
    for worker in workers:
        worker.start()
    found = [wait for _ in workers for wait in waits.get()]
    for worker in workers:
        worker.join()
    return found


def post(port: int, until: float, waits: Queue[list[float]]) -> None:
    """One client."""
    body = call("Bash", args={"command": "x" * 300}, result={"stdout": "y" * 300})
    taken: list[float] = []
    with contextlib.closing(Asked(port).connect()) as connection:
        while time.monotonic() < until:
            start = time.perf_counter()
            assert ask(connection, "POST", "/api/agent/tool-call", body).status == 200
            taken.append((time.perf_counter() - start) * 1000)
    waits.put(taken)


if __name__ == "__main__":
    main()
