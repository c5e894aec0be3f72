"""How long a posted event takes to stand on the terminal, through the recorder and over HTTP.

    python benchmarks/http_follow.py [--events 2000] [--rate 50] [--every 1.0]

The recorder runs in a process of its own; a client in another one posts so many events a second through
`RecorderClient`; the program follows the recorder's address in a pseudo-terminal of 120×160. The time goes
from the call of `tool` to the moment at which the terminal has the text of the event's row. It is compared
with the interval between two polls.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from append_to_pixels import PATIENCE, Program

ROWS = 160
POST = """
import sys, time
from korg_tui.recorder.client import RecorderClient
url, events, rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
with RecorderClient(url, actor="agent:bench/main@1") as client:
    client.prompt("measure", by="human:bench")
    client.inference({"text": "begin"})
    begun = time.monotonic()
    for number in range(events):
        time.sleep(max(0.0, begun + number / rate - time.monotonic()))
        print(number, time.monotonic())
        client.tool("Bash", {"command": f"event {number:05d}."}, {"exit_code": 0})
"""


def row(number: int) -> bytes:
    """What stands in the row of an event."""
    return f"event {number:05d}.".encode()


def main() -> None:
    """Read the options, measure, print one line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=2_000)
    parser.add_argument("--rate", type=float, default=50.0)
    parser.add_argument("--every", type=float, default=1.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        serve = [sys.executable, "-m", "korg_tui", "serve", "--port", "0", "--store", str(folder / ".korg")]
        with subprocess.Popen(serve, stderr=subprocess.PIPE, text=True) as server:
            assert server.stderr is not None
            found = re.search(r"listening at (http://\S+?),", server.stderr.readline())
            assert found, "the recorder did not begin"
            try:
                measure(found[1], folder, options)
            finally:
                server.terminate()


def measure(url: str, folder: Path, options: argparse.Namespace) -> None:
    """Follow the recorder while a client posts."""
    program = Program(url, folder, rows=ROWS, more=["--every", str(options.every)])
    program.read(time.monotonic() + 3)
    post = [sys.executable, "-c", POST, url, str(options.events), str(options.rate)]
    with subprocess.Popen(post, stdout=subprocess.PIPE, text=True) as client:
        wanted = time.monotonic() + options.events / options.rate + PATIENCE
        program.read(wanted, lambda: client.poll() is not None)
        said, _ = client.communicate(timeout=PATIENCE)
    posted = {int(number): float(moment) for number, moment in map(str.split, said.splitlines())}
    program.shows(row(options.events - 1))
    program.read(time.monotonic() + 1)
    shown = [number for number in posted if row(number) in program.written]
    latency = sorted(program.when(row(number)) - posted[number] for number in shown)
    program.end()
    events = (folder / ".korg" / "korg-tui.jsonl").read_bytes().count(b"\n")
    median = statistics.median(latency)
    print(
        f"{len(posted):,} posted, {events:,} recorded, {len(shown):,} seen on the terminal; "
        f"median {median:.2f} s, p95 {latency[int(len(latency) * 0.95)]:.2f} s, worst {latency[-1]:.2f} s; "
        f"median / interval {median / options.every:.2f}"
    )


if __name__ == "__main__":
    main()
