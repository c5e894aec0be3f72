"""A stage for the screens: a source in memory, a feed without a thread, and an app over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from textual.events import MouseEvent

from builders import SUB, WORKED_EXAMPLE, Book, FixedClock, ref, table
from korg_tui.app import KorgApp
from korg_tui.config import Settings
from korg_tui.formats import decode
from korg_tui.sources import BlobStore, CaughtUp, Fact, Grew, Opened, Replaced, Source, State

SCOUT = "agent:scout@1"
SIZES = {"80x24": (80, 24), "120x40": (120, 40), "200x50": (200, 50)}


class MemorySource:
    """A ledger of lines in memory. What it held in an earlier epoch can still be read."""

    watched = None
    poll_after = None
    blocking = False
    blobs = BlobStore(None, environment={})

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

    def says(self, state: str, text: str, at_ms: int = 0) -> None:
        """The source changed its state."""
        self.post(State(state, text, at_ms))

    def read(self, offset: int, length: int, epoch: int | None = None) -> bytes:
        return self.epochs[-1 if epoch is None else epoch][offset : offset + length]

    def close(self) -> None:
        pass


class InstantFeeds:
    """Posts first readings at once, in the thread of the screen; afterwards the sources post themselves."""

    def __init__(self) -> None:
        self.sources: list[Source] = []

    def add(self, source: Source, post: Callable[[Fact], None]) -> None:
        self.sources.append(source)
        if isinstance(source, MemorySource):
            source.post = post
        for fact in source.start():
            post(fact)

    def stop(self) -> None:
        for source in self.sources:
            source.close()


def app_over(
    *ledgers: Book | bytes | MemorySource,
    clock: FixedClock | None = None,
    theme: str = "dark",
    ascii_only: bool = False,
    settings: Settings | None = None,
    **more,
):
    """An app over these ledgers that reads them at once, with a clock that stands still, in UTC."""
    settings = replace(settings or Settings(theme=theme, ascii=ascii_only), utc=True)
    sources = [MemorySource(each) if isinstance(each, Book | bytes) else each for each in ledgers]
    clock = clock or FixedClock()
    more.setdefault("feeds", InstantFeeds())
    return KorgApp(sources, clock=lambda: clock.now_ms, settings=settings, **more)


def painted(app: KorgApp) -> set[str]:
    """The colours that are on the screen now, but for the terminal's own two."""
    segments = [segment for strip in app.screen._compositor.render_strips() for segment in strip]
    colours = [colour for each in segments if each.style for colour in (each.style.color, each.style.bgcolor)]
    return {colour.name for colour in colours if colour is not None and not colour.is_default}


def foreign(app: KorgApp) -> set[str]:
    """The characters on the screen now that are not of ASCII."""
    return {sign for strip in app.screen._compositor.render_strips() for sign in strip.text if sign > "~"}


def wheel(kind: type[MouseEvent]) -> MouseEvent:
    """One notch of the wheel over the spine."""
    return kind(None, 5, 5, 0, 0, 0, False, False, False)


async def keys(pilot, *pressed: str) -> None:
    """Press these keys, one after the other, and let the screen settle."""
    for key in pressed:
        await pilot.press(key)
    await pilot.pause()


async def resized(pilot, columns: int, rows: int) -> None:
    """Make the terminal larger or smaller, and let the screen settle: a size is taken in some time after."""
    await pilot.resize_terminal(columns, rows)
    while pilot.app.screen.size != (columns, rows):
        await pilot.pause(0.01)
    await pilot.pause()


def story() -> Book:
    """Three sessions: a main agent with two sub-agents at once, a failure and its repair, and a blob; an
    event whose parent is missing; and another agent's session that has nothing to do with it."""
    book = Book(step_ms=1_700)
    ask = book.prompt("The date parser fails on leap days. Find out why, and fix it.")
    plan = book.infer(
        ask, duration_ms=2140, result={"text": "I will run the tests, then look at the parser."}
    )
    red = {"stdout": "E  ValueError: day is out of range\n1 failed, 11 passed", "exit_code": 1}
    run = {"command": "pytest tests/test_dates.py"}
    book.tool("Bash", plan, args=run, success=False, duration_ms=3820, result=red)
    parser = {"content": "def parse(text):\n    ..."}
    book.tool("Read", plan, args={"file_path": "src/dates.py"}, result=parser, duration_ms=12)
    fork = book.infer(plan, duration_ms=1890, result={"text": "Two things to look at."})
    one = book.prompt("Which callers pass a bare year?", fork, by=SUB)
    two = book.prompt("How do other parsers treat 29 February?", fork, by=SCOUT)
    think = book.infer(one, by=SUB, duration_ms=900)
    look = book.infer(two, by=SCOUT, duration_ms=1200)
    book.tool("Grep", think, by=SUB, args={"pattern": r"parse\(", "path": "src"}, duration_ms=31)
    page = {"url": "https://docs.python.org/3/library/datetime.html"}
    book.tool("WebFetch", look, by=SCOUT, args=page, duration_ms=640, result=ref("a page about dates"))
    book.infer(think, by=SUB, result={"text": "Only report.py does."})
    only = {"text": "Only report.py does."}
    book.spawn(fork, "Which callers pass a bare year?", duration_ms=5200, result=only)
    book.infer(look, by=SCOUT, result={"text": "They raise."})
    book.spawn(
        fork, "How do other parsers treat 29 February?", duration_ms=6100, result={"text": "They raise."}
    )
    mend = book.infer(fork, duration_ms=3300)
    change = {"file_path": "src/dates.py", "old_string": "day = 29", "new_string": "day = 28"}
    book.tool("Edit", mend, args=change, duration_ms=9)
    book.tool("Bash", mend, args={"command": "pytest -q"}, duration_ms=4100, result={"stdout": "12 passed"})
    book.note(mend)
    book.infer(mend, result={"text": "Fixed; all tests pass."}, duration_ms=700)
    book.tool("Write", 21, seq=22, args={"file_path": "notes.md", "content": "leap days"}, duration_ms=5)
    other = book.prompt("Count the open tickets.", by="human:dawn")
    count = book.infer(other, by="agent:clerk@2")
    book.tool("mcp__tickets__list", count, by="agent:clerk@2", args={"state": "open"}, duration_ms=220)
    return book


def worked_example() -> Book:
    """The sub-agent of SPEC §2b."""
    return table(WORKED_EXAMPLE)
