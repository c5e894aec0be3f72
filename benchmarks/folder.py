"""What a folder of thousands of ledgers costs: to open, while nothing happens, and while one of them grows.

    python benchmarks/folder.py [--ledgers 2000] [--idle 30]

First the feeds alone, at growing numbers of ledgers: seconds until all have been read, threads, open files,
the share of one core while nothing is written, and the time from a write to its fact, with ratios to the
smallest folder. Then the program itself in a pseudo-terminal of 120×40: until the list is complete, idle,
and from a key to the first bytes that answer it, while one of the ledgers grows twenty times a second.
Nothing is asserted: the numbers are for people.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import statistics
import tempfile
import threading
import time
from pathlib import Path

from append_to_pixels import Program
from append_to_screen import event

from korg_tui.sources import CaughtUp, Fact, FolderSource, Grew, Pool, Source

EVENTS = 12
KEYS = 40


def ask(number: int) -> dict[str, object]:
    """The prompt with which a ledger begins, at a time of its own."""
    minute, second = divmod(number % 3600, 60)
    prompt = {"seq_id": 1, "source_agent": "human:dusk", "tool_name": "user_prompt"}
    prompt |= {"args": {"prompt": f"task {number}"}, "timestamp": f"2026-03-02T14:{minute:02}:{second:02}Z"}
    return {**event(1), **prompt}


def fill(folder: Path, ledgers: int) -> list[Path]:
    """So many ledgers, a hundred to a folder."""
    paths = [folder / f"{number // 100:03}" / f"{number:05}.jsonl" for number in range(ledgers)]
    for number, path in enumerate(paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        events = [ask(number), *(event(seq, 200) for seq in range(2, EVENTS + 1))]
        path.write_text("".join(json.dumps(each) + "\n" for each in events))
    return paths


def grow(path: Path, seq: int) -> None:
    """One more event."""
    with path.open("ab") as file:
        file.write(json.dumps(event(seq, 200)).encode() + b"\n")


class Feeds:
    """A pool over a folder, and what it posts."""

    def __init__(self, folder: Path) -> None:
        self.facts: queue.Queue[tuple[float, Fact]] = queue.Queue()
        self.pool = Pool()
        root = FolderSource(folder)
        root.found = self._take
        self.pool.add(root, lambda _: None)

    def _take(self, source: Source) -> None:
        self.pool.add(source, lambda fact: self.facts.put((time.monotonic(), fact)))

    def until(self, kind: type[Fact], count: int = 1) -> float:
        """When the last of so many facts of this kind came."""
        moment = 0.0
        while count:
            moment, fact = self.facts.get()
            count -= isinstance(fact, kind)
        return moment


def measure_feeds(ledgers: int, idle: float, one: float) -> float:
    """One line of the report; `one` is what a ledger took to open in the smallest folder."""
    with tempfile.TemporaryDirectory() as name:
        paths = fill(Path(name), ledgers)
        before, began = time.process_time(), time.monotonic()
        feeds = Feeds(Path(name))
        took = feeds.until(CaughtUp, ledgers) - began
        each = (time.process_time() - before) / ledgers
        time.sleep(2)
        threads, descriptors = threading.active_count(), Path("/proc/self/fd")
        opened = len(list(descriptors.iterdir())) if descriptors.exists() else 0
        before, began = time.process_time(), time.monotonic()
        time.sleep(idle)
        share = (time.process_time() - before) / (time.monotonic() - began) * 100
        latency = []
        for seq in range(EVENTS + 1, EVENTS + 41):
            time.sleep(0.1)
            written = time.monotonic()
            grow(paths[ledgers // 2], seq)
            latency.append((feeds.until(Grew) - written) * 1000)
        feeds.pool.stop()
    print(
        f"feeds   {ledgers:5} ledgers  opened in {took:5.2f} s, per ledger ×{each / (one or each):4.2f}"
        f" ({each * 1000:4.2f} ms of a core)  {threads} threads  {opened} open files  idle {share:4.2f} %"
        f"  a write is a fact after {statistics.median(latency):4.1f} ms",
        flush=True,
    )
    return one or each


def measure_program(ledgers: int, idle: float) -> None:
    """The last line of the report."""
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as home:
        paths = fill(Path(name), ledgers)
        began = time.monotonic()
        program = Program(Path(name), Path(home))
        counted = f"{ledgers:,} sessions in {ledgers:,} ledgers"
        program.shows(counted.encode())
        took = time.monotonic() - began
        program.read(time.monotonic() + 5)
        opening = program.cpu_seconds()
        share = program.cpu_share(idle)
        threads = len(list(Path(f"/proc/{program.pid}/task").iterdir()))
        opened = len(list(Path(f"/proc/{program.pid}/fd").iterdir()))
        answers = []
        for number in range(KEYS):
            for step in range(5):
                grow(paths[ledgers // 2], EVENTS + 1 + 5 * number + step)
                program.read(time.monotonic() + 0.05)
            before, pressed = len(program.written), time.monotonic()
            program.press(b"j" if number < KEYS / 2 else b"k")
            program.read(pressed + 5, lambda before=before: len(program.written) > before)
            answers.append((time.monotonic() - pressed) * 1000)
        program.end()
    answers.sort()
    median, p95 = statistics.median(answers), answers[int(len(answers) * 0.95)]
    print(
        f"program {ledgers:5} ledgers  listed in {took:5.2f} s ({opening:4.1f} s of a core)"
        f"  {threads} threads  {opened} open files  idle {share:4.2f} %"
        f"  a key is answered after {median:4.1f} ms (p95 {p95:5.1f} ms) while one grows",
        flush=True,
    )


def main() -> None:
    """Read the options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ledgers", type=int, default=2000)
    parser.add_argument("--idle", type=float, default=30, metavar="SECONDS")
    options = parser.parse_args()
    os.environ.pop("NO_COLOR", None)
    one = 0.0
    for ledgers in (options.ledgers // 8, options.ledgers // 2, options.ledgers):
        one = measure_feeds(ledgers, options.idle, one)
    measure_program(options.ledgers, options.idle)


if __name__ == "__main__":
    main()
