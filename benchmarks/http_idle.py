"""What following an idle server over HTTP costs: percent of one core, with the server in another process.

    python benchmarks/http_idle.py [SECONDS]

Three servers: the public one (a window of 100 events, no ETag), one with an ETag, and our own."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
SERVE = """
import sys
sys.path.insert(0, sys.argv[1])
from running_ledger import Running
from wire_server import WireServer
with WireServer() as server:
    server.etag, server.own = sys.argv[2] == "etag", sys.argv[2] == "own"
    Running(server).add(2_000)
    print(server.url, flush=True)
    sys.stdin.read()
"""


def measured(kind: str, seconds: float) -> float:
    """Percent of a core that a feed takes, following an idle server."""
    from korg_tui.sources import CaughtUp, Feed
    from korg_tui.sources.http.source import HttpSource

    command = [sys.executable, "-c", SERVE, str(TESTS), kind]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        facts: list[object] = []
        feed = Feed(HttpSource(server.stdout.readline().strip(), environment={}), facts.append)
        feed.start()
        while not any(isinstance(fact, CaughtUp) for fact in facts):
            time.sleep(0.1)
        time.sleep(2)
        before, began = time.process_time(), time.monotonic()
        time.sleep(seconds)
        share = (time.process_time() - before) / (time.monotonic() - began)
        feed.stop()
        server.communicate("")
    return 100 * share


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    for kind in ("plain", "etag", "own"):
        print(f"{kind:6} {measured(kind, seconds):5.2f} % of a core over {seconds:g} s", flush=True)


if __name__ == "__main__":
    main()
