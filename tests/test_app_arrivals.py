"""Arrivals: feeds that are ahead wait for the screen, and what they bring keeps its order."""

from __future__ import annotations

import queue
import threading

from builders import Book
from korg_tui.arrivals import ROOM, Arrivals
from korg_tui.formats import decode
from korg_tui.reading import Reading
from korg_tui.sources import CaughtUp, Grew, Progress
from stage import MemorySource

PATIENCE = 20


def feed(arrivals: Arrivals, facts: list[object]) -> tuple[threading.Thread, queue.Queue[object]]:
    """A thread that posts these facts, and those that it has posted."""
    posted: queue.Queue[object] = queue.Queue()
    reading = Reading.of(MemorySource(b""))

    def run() -> None:
        for fact in facts:
            arrivals.post(reading, fact)
            posted.put(fact)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, posted


def test_a_feed_that_is_ahead_waits_until_something_is_taken():
    facts = [Progress(number, 0) for number in range(ROOM + 5)]
    arrivals = Arrivals(lambda: None)
    thread, posted = feed(arrivals, facts)
    taken = [posted.get(timeout=PATIENCE) for _ in range(ROOM)]
    assert taken == facts[:ROOM]
    assert thread.is_alive()
    assert len(arrivals) == ROOM
    found = [arrivals.take()[1]]
    posted.get(timeout=PATIENCE)
    while len(found) < len(facts):
        arrival = arrivals.take()
        if arrival is not None:
            found.append(arrival[1])
    assert found == facts
    thread.join(PATIENCE)


def test_long_batches_take_more_room():
    book = Book()
    book.prompt("a")
    record = decode(book.nested().rstrip(), 0)
    arrivals = Arrivals(lambda: None)
    thread, posted = feed(arrivals, [Grew((record,) * (128 * ROOM)), CaughtUp()])
    posted.get(timeout=PATIENCE)
    assert len(arrivals) == 1
    arrivals.take()
    assert posted.get(timeout=PATIENCE) == CaughtUp()
    thread.join(PATIENCE)


def test_once_closed_nobody_waits_and_nothing_is_kept():
    arrivals = Arrivals(lambda: None)
    thread, posted = feed(arrivals, [CaughtUp()] * (ROOM + 5))
    for _ in range(ROOM):
        posted.get(timeout=PATIENCE)
    arrivals.close()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert arrivals.take() is None


def test_one_call_announces_all_that_waits():
    calls: list[str] = []
    arrivals = Arrivals(lambda: calls.append("arrived"))
    reading = Reading.of(MemorySource(b""))
    for _ in range(3):
        arrivals.post(reading, CaughtUp())
    assert calls == ["arrived"]
    while arrivals.take() is not None:
        pass
    arrivals.found(reading.source)
    assert calls == ["arrived"] * 2
    assert arrivals.take() is reading.source
