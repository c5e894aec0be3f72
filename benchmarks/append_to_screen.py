"""How long a written event takes to become a fact, and what waiting for one costs.

    python benchmarks/append_to_screen.py [--writes 200] [--idle 10] [--watch native|watchfiles|none]

Another process appends events to a ledger; a feed in this process follows it, as the program does. For each
container it prints the latency from the write to the fact in milliseconds, and how much of one core the
program takes while nothing is written. Nothing is asserted: the numbers are for people.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from korg_tui.sources import CaughtUp, Fact, Feed, FileSource, Grew, Replaced
from korg_tui.sources.notify import Notify
from korg_tui.sources.watch import Backend, Watcher, new_backend

BACKENDS: dict[str, Callable[[], Backend | None]] = {
    "native": new_backend,
    "watchfiles": Notify,
    "none": lambda: None,
}


def event(seq: int, padding: int = 600) -> dict[str, object]:
    """An event of a common size."""
    return {
        "schema_version": "1.0",
        "seq_id": seq,
        "source_agent": "agent:main@1",
        "tool_name": "Bash",
        "args": {"command": f"event {seq} " + "x" * padding},
        "result": {"stdout": ""},
        "payload_refs": [],
        "success": True,
        "duration_ms": 12,
        **({"triggered_by": seq - 1} if seq > 1 else {}),
    }


def write(path: Path, container: str, first: int, writes: int) -> None:
    """The other process: write events, and print when each was done (seconds, monotonic clock)."""
    events = [event(seq) for seq in range(1, first)]
    for seq in range(first, first + writes):
        time.sleep(0.06 + (seq * 7 % 50) / 1000)
        if container == "lines":
            with path.open("ab") as file:
                file.write(json.dumps(event(seq)).encode() + b"\n")
        else:
            events.append(event(seq))
            fresh = path.with_suffix(".tmp")
            fresh.write_text(json.dumps(events, indent=2))
            fresh.replace(path)
        print(seq, time.monotonic(), flush=True)


def measure(container: str, present: int, options: argparse.Namespace) -> None:
    """One line of the report."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger"
        events = [event(seq) for seq in range(1, present + 1)]
        if container == "lines":
            path.write_text("".join(json.dumps(one) + "\n" for one in events))
        else:
            path.write_text(json.dumps(events, indent=2))
        arrived: dict[int, float] = {}
        caught_up = threading.Event()

        def post(fact: Fact) -> None:
            now = time.monotonic()
            if isinstance(fact, Grew | Replaced):
                arrived.update({record.seq: now for record in fact.records if hasattr(record, "seq")})
            elif isinstance(fact, CaughtUp):
                caught_up.set()

        feed = Feed(FileSource(path), post, watcher=Watcher(BACKENDS[options.watch]))
        feed.start()
        caught_up.wait()
        time.sleep(1)
        before, began = time.process_time(), time.monotonic()
        time.sleep(options.idle)
        idle = (time.process_time() - before) / (time.monotonic() - began) * 100
        command = [
            sys.executable,
            __file__,
            "--write",
            container,
            str(path),
            str(present + 1),
            str(options.writes),
        ]
        written = subprocess.run(command, check=True, capture_output=True, text=True, env=dict(os.environ))
        time.sleep(0.5)
        feed.stop()
    moments = [line.split() for line in written.stdout.splitlines()]
    latency = sorted((arrived[int(seq)] - float(moment)) * 1000 for seq, moment in moments)
    print(
        f"{container:6} {present:6} events  median {statistics.median(latency):6.1f} ms"
        f"  p95 {latency[int(len(latency) * 0.95)]:6.1f} ms  worst {latency[-1]:6.1f} ms"
        f"  idle {idle:5.2f} % of a core"
    )


def main() -> None:
    """Read the options, or be the other process."""
    if sys.argv[1:2] == ["--write"]:
        container, path, first, writes = sys.argv[2:6]
        write(Path(path), container, int(first), int(writes))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--writes", type=int, default=200)
    parser.add_argument("--idle", type=float, default=10, metavar="SECONDS")
    parser.add_argument("--watch", choices=sorted(BACKENDS), default="native")
    options = parser.parse_args()
    print(f"watch: {options.watch}")
    for container, present in (("lines", 100), ("lines", 50_000), ("array", 100), ("array", 5_000)):
        measure(container, present, options)


if __name__ == "__main__":
    main()
