"""A stage for the screens: a source in memory, a feed without a thread, and an app over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from builders import Book, FixedClock
from korg_tui.app import KorgApp
from korg_tui.formats import decode
from korg_tui.sources import CaughtUp, Fact, Grew, Opened, Replaced, Source, State

SIZES = {"80x24": (80, 24), "120x40": (120, 40), "200x50": (200, 50)}


class MemorySource:
    """A ledger of lines in memory. What it held in an earlier epoch can still be read."""

    watched = None
    unsettled = False

    def __init__(self, ledger: Book | bytes, name: str = ".korg/journal.jsonl", state: str = "live") -> None:
        self.name = name
        self.epochs = [ledger.nested() if isinstance(ledger, Book) else ledger]
        self.state = state
        self.post: Callable[[Fact], None] = lambda fact: None

    def start(self) -> Iterator[Fact]:
        yield Opened("lines")
        yield Grew(tuple(self._records(0)))
        yield CaughtUp()
        if self.state != "live":
            yield State(self.state, f"{self.name}: {self.state}", 0)

    def poll(self) -> list[Fact]:
        return []

    def _records(self, offset: int) -> Iterator[object]:
        content = self.epochs[-1]
        while offset < len(content):
            end = content.find(b"\n", offset)
            end = len(content) if end < 0 else end
            if content[offset:end].strip():
                yield decode(content[offset:end], offset)
            offset = end + 1

    def append(self, content: bytes) -> None:
        """The ledger grew."""
        before = len(self.epochs[-1])
        self.epochs[-1] += content
        self.post(Grew(tuple(self._records(before))))

    def becomes(self, ledger: Book | bytes) -> None:
        """The ledger was rewritten: what is new begins at the first byte that differs."""
        old = self.epochs[-1]
        new = ledger.nested() if isinstance(ledger, Book) else ledger
        same = 0
        while same < min(len(old), len(new)) and old[same] == new[same]:
            same += 1
        offset = new.rfind(b"\n", 0, same) + 1
        self.epochs.append(new)
        self.post(Replaced(offset, tuple(self._records(offset)), len(self.epochs) - 1))

    def says(self, state: str, text: str) -> None:
        """The source changed its state."""
        self.post(State(state, text, 0))

    def read(self, offset: int, length: int, epoch: int | None = None) -> bytes:
        return self.epochs[-1 if epoch is None else epoch][offset : offset + length]

    def close(self) -> None:
        pass


class InstantFeed:
    """Posts the first reading at once, in the thread of the screen; afterwards the source posts itself."""

    def __init__(self, source: Source, post: Callable[[Fact], None]) -> None:
        self.source, self.post = source, post

    def start(self) -> None:
        if isinstance(self.source, MemorySource):
            self.source.post = self.post
        for fact in self.source.start():
            self.post(fact)

    def stop(self) -> None:
        self.source.close()


def app_over(*ledgers: Book | bytes | MemorySource, clock: FixedClock | None = None, **more):
    """An app over these ledgers that reads them at once, with a clock that stands still."""
    sources = [each if isinstance(each, MemorySource) else MemorySource(each) for each in ledgers]
    clock = clock or FixedClock()
    return KorgApp(sources, feed=InstantFeed, clock=lambda: clock.now_ms, utc=True, **more)


async def keys(pilot, *pressed: str) -> None:
    """Press these keys, one after the other, and let the screen settle."""
    for key in pressed:
        await pilot.press(key)
    await pilot.pause()
