"""Whether a recorder that is killed under load loses an event that it acknowledged.

    python benchmarks/recorder_kills.py [--kills 300] [--clients 8] [--seed N]

Again and again: a server is started, clients post to it, it is killed with SIGKILL at some moment, and its
store is opened: every acknowledged event must be there under its seq, with its blobs, in an unbroken chain.
Ends with an assertion that fails, or with a line that says how much there was.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from recorder_load import Load, check
from recording import process

PER_STORE = 20
"""Kills that one store sees."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    start, acknowledged, told = time.monotonic(), 0, dict[int, str]()
    with tempfile.TemporaryDirectory() as base:
        for run in range(arguments.kills):
            if run % PER_STORE == 0:
                folder, told = Path(base) / f"{run}" / ".korg", {}
                folder.parent.mkdir()
            with (
                process(folder) as server,
                Load(server, clients=arguments.clients, run=run, enough=chance.randint(1, 300)) as load,
            ):
                time.sleep(chance.random() / 50)
            told |= load.told
            acknowledged += len(load.told)
            assert not load.refused, load.refused
            check(folder, told)
            print(f"\r{run + 1} kills, {acknowledged} acknowledged events", end="", file=sys.stderr)
    print(file=sys.stderr)
    seconds = time.monotonic() - start
    print(f"{arguments.kills} kills, {acknowledged} acknowledged events, none lost, {seconds:.0f} s")


if __name__ == "__main__":
    main()
