"""What the causal model costs: appending an event, and a rewind set, at growing sizes.

    python benchmarks/model.py

One session: rounds of one inference and four tool calls. Nothing is asserted; the ratios tell whether a
cost depends on the size of the ledger.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from korg_tui.causal import Ledger, rewind
from korg_tui.event import Event, Kind

SIZES = (1_000, 10_000, 100_000)
CALLS = 4


def session(events: int) -> list[Event]:
    """A prompt, then rounds of an inference and its calls, along a spine as §2a has it."""
    made = [Event(seq=1, kind=Kind.PROMPT, tool="user_prompt", actor="human:u", digest=1)]
    inference = 1
    while len(made) < events:
        seq = len(made) + 1
        made.append(_event(seq, Kind.INFERENCE, "llm_inference", inference))
        inference = seq
        made += [_event(seq + call, Kind.TOOL, "Read", seq) for call in range(1, CALLS + 1)]
    return made


def _event(seq: int, kind: Kind, tool: str, parent: int) -> Event:
    return Event(seq=seq, kind=kind, tool=tool, actor="agent:m", parent=parent, digest=seq, success=True)


def seconds(work: Callable[[], object], times: int = 5) -> float:
    """The median of several runs."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main() -> None:
    """Print a row per size, each beside the ratio to the first one."""
    print("events    append, µs an event   one more event, µs   rewind to the first, µs a later event")
    first: tuple[float, ...] = ()
    for size in SIZES:
        events = session(size)
        ledger = Ledger("bench")
        start = time.perf_counter()
        ledger.append(events)
        whole = (time.perf_counter() - start) / len(events)
        more = iter(session(size + 2_000)[len(events) :])
        one = seconds(lambda ledger=ledger, more=more: ledger.append([next(more)]), times=500)
        rewind(ledger, 2)
        sets = seconds(lambda ledger=ledger: rewind(ledger, 2).invalidated) / len(ledger)
        row = (whole, one, sets)
        first = first or row
        cells = (f"{cost * 1e6:8.2f} ({cost / base:4.2f} ×)" for cost, base in zip(row, first, strict=True))
        print(f"{size:>9,}  " + "   ".join(cells))


if __name__ == "__main__":
    main()
