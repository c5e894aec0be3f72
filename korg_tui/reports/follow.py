"""`follow`: each change of a ledger as it happens, one line or one JSON object each."""

from __future__ import annotations

import argparse
import queue
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from korg_tui.causal import Appended, Change, HolesChanged, NewLedger, Rewound, Vanished
from korg_tui.export import event_document, to_json
from korg_tui.reading import Reading
from korg_tui.reports.asked import UsageError, narrate, open_named, sort_words
from korg_tui.sources import UNREADABLE, Fact, FolderSource, Pool, Source, State
from korg_tui.text import visible
from korg_tui.views import gap_words, lane_title, rewound_words

_WAIT = 0.2
_Arrival = tuple[Reading, Fact]


def follow(arguments: argparse.Namespace) -> int:
    """Print each change until interrupted, or until nothing has happened for `--until-idle` seconds.

    The exit code is 3 when every source failed."""
    picks, sources = sort_words(arguments.words)
    if picks:
        raise UsageError("follow takes no event number; korg-tui show prints one event")
    if arguments.until_idle is not None and not arguments.until_idle >= 0:
        raise UsageError("--until-idle takes a number of seconds, 0 or more")
    opened = open_named(sources, arguments.demo, growing=True, every=arguments.every)
    readings: list[Reading] = []
    arrivals: queue.Queue[_Arrival] = queue.Queue(maxsize=8)
    feeds = Pool()

    def take(source: Source) -> None:
        reading = Reading.of(source)
        readings.append(reading)
        if isinstance(source, FolderSource):
            source.found = take
        feeds.add(source, _poster(arrivals, reading))

    for source in opened:
        take(source)
    try:
        for reading, fact in _until_idle(arrivals, arguments.until_idle, readings):
            _print(reading, fact, as_json=arguments.json)
    finally:
        feeds.stop()
    return UNREADABLE if readings and all(map(_hopeless, readings)) else 0


def _hopeless(reading: Reading) -> bool:
    """Whether a source could never be read. One that fails later is read again when it can be."""
    return reading.state == "failed" and not reading.caught_up


def _poster(arrivals: queue.Queue[_Arrival], reading: Reading) -> Callable[[Fact], None]:
    """What a feed calls, in its own thread: waits while the printing is behind, but not for ever."""

    def post(fact: Fact) -> None:
        while True:
            try:
                return arrivals.put((reading, fact), timeout=_WAIT)
            except queue.Full:
                if reading.state == "closed":
                    return None

    return post


def _until_idle(
    arrivals: queue.Queue[_Arrival], seconds: float | None, readings: Sequence[Reading]
) -> Iterator[_Arrival]:
    last = time.monotonic()
    try:
        while not all(reading.state == "ended" or _hopeless(reading) for reading in readings):
            try:
                yield arrivals.get(timeout=_WAIT if seconds is None else max(0.01, min(_WAIT, seconds)))
                last = time.monotonic()
            except queue.Empty:
                idle = seconds is not None and time.monotonic() - last >= seconds
                if idle and all(reading.caught_up or reading.state != "reading" for reading in readings):
                    return
        while not arrivals.empty():
            yield arrivals.get()
    finally:
        for reading in readings:
            if reading.state != "failed":
                reading.state = "closed"


def _print(reading: Reading, fact: Fact, *, as_json: bool) -> None:
    changes = reading.apply(fact)
    if isinstance(fact, State):
        if as_json:
            print(to_json({"type": "source", "state": fact.state, "text": fact.text}), flush=True)
        if not as_json or fact.state == "failed":
            narrate(fact.text)
    for change in changes:
        for document, text in _told(reading, change):
            print(to_json(document) if as_json else text)
    sys.stdout.flush()


def _told(reading: Reading, change: Change) -> Iterator[tuple[dict[str, Any], str]]:
    """A change as JSON documents and as lines for a person."""
    ledger = change.ledger
    match change:
        case Appended():
            for row in change.rows:
                document = {"type": "event", **event_document(reading, ledger, row)}
                yield document, _line(ledger.name, change, row)
        case Rewound():
            dropped = [gone.event.seq for gone in change.dropped]
            document = {"type": "rewound", "ledger": ledger.name, "to": change.to, "dropped": dropped}
            said = f"{visible(ledger.name)}: {rewound_words(reading, change)}"
            yield {**document, "invalidated": list(change.invalid)}, said
        case HolesChanged():
            for gap in change.new:
                document = {"type": "gap", "ledger": ledger.name, "first": gap.first, "last": gap.last}
                yield document, f"{visible(ledger.name)}: {gap_words(gap)}"
        case NewLedger() | Vanished():
            began = isinstance(change, NewLedger)
            state = "segment" if began else "vanished"
            text = "a new run of numbers began" if began else "this run is no more in the file"
            document = {"type": "source", "ledger": ledger.name, "state": state, "text": text}
            yield document, f"{visible(ledger.name)}: {text}"


def _line(name: str, change: Appended, row: int) -> str:
    ledger = change.ledger
    seq = ledger.seq_at(row)
    where = f"{visible(name)}:{'malformed' if seq is None else seq}"
    if seq is None:
        return f"{where}  {visible(ledger.reason_at(row))}"
    state = {True: "ok", False: "FAILED", None: ""}[ledger.success_at(row)]
    lane = ledger.lane_at(row)
    words = [where, "" if lane is None else lane_title(lane), visible(ledger.tool_at(row)), state]
    return "  ".join(word for word in words if word)
