"""Blobs that lie on a server: keys act while it is asked, and what it said is shown when it has answered."""

from __future__ import annotations

import threading

import pytest

from builders import Book, FixedClock, ref
from korg_tui.sources import BlobFound
from korg_tui.views import HEAD
from stage import MemorySource, app_over, keys

PAGE = ref("a page about dates")
SHA = PAGE["_ref"].removeprefix("sha256:")


class SlowServer:
    """Blobs on a server that answers when it is told to."""

    remote = True

    def __init__(self, *answers: tuple[str, int | None]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.may_answer = threading.Event()

    def find(self, sha: str, *, whole: bool = False) -> BlobFound:
        self.asked.append(sha)
        assert not whole
        assert self.may_answer.wait(30)
        state, size = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        content = b"x" * (size or 0) if state == "present" else None
        return BlobFound(sha, state, state, url=f"http://127.0.0.1/{sha}", size=size, content=content)


def a_ledger(events: int = 1) -> Book:
    book = Book()
    think = book.infer(book.prompt("go"))
    for _ in range(events):
        book.tool("WebFetch", think, args={"url": "https://example.org"}, result=PAGE, payload_refs=[PAGE])
    return book


def over(server: SlowServer, clock: FixedClock | None = None):
    source = MemorySource(a_ledger(), "http://127.0.0.1:8080")
    source.blobs = server
    return app_over(source, clock=clock), source


def shown(pilot) -> str:
    """What the details say of the blob."""
    rows = pilot.app.screen.details.plain
    (index,) = [at for at, row in enumerate(rows) if SHA[:20] in row and '"' not in row]
    title = any(title in rows[index + 1] for title in ("chain", "raw record"))
    more = "" if title else rows[index + 1]
    return " ".join(f"{rows[index]} {more}".replace(SHA, "").strip(" ▏").split())


async def until(pilot, words: str) -> None:
    for _ in range(500):
        await pilot.pause(0.01)
        if words in shown(pilot):
            return
    raise AssertionError(shown(pilot))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (("present", 18), "present and right, 18 B, text, UTF-8"),
        (("not fetched", 42_000_000), "not fetched, 42.0 MB"),
        (("missing", None), "missing"),
    ],
)
async def test_keys_act_while_the_server_is_asked(answer, words):
    server = SlowServer(answer)
    app, _ = over(server)
    async with app.run_test(size=(200, 50)) as pilot:
        await pilot.pause()
        await keys(pilot, "G")
        assert shown(pilot) == "looking"
        await keys(pilot, "k", "k", "G")
        assert shown(pilot) == "looking"
        server.may_answer.set()
        await until(pilot, words)
        assert shown(pilot) == words
        await keys(pilot, "k", "G")
        assert shown(pilot) == words
        assert server.asked == [SHA]


async def test_what_was_not_there_is_asked_for_again_later_and_not_for_every_event():
    server = SlowServer(("missing", None), ("present", 18))
    server.may_answer.set()
    clock = FixedClock()
    app, source = over(server, clock)
    async with app.run_test(size=(200, 50)) as pilot:
        await pilot.pause()
        await keys(pilot, "G")
        await until(pilot, "missing")
        for events in (2, 3, 4):
            source.append(a_ledger(events).nested()[len(source.epochs[-1]) :])
            await keys(pilot, "k", "G")
        assert (shown(pilot), server.asked) == ("missing", [SHA])
        clock.move(11)
        await keys(pilot, "k", "G")
        await until(pilot, "present")
        assert server.asked == [SHA, SHA]


async def test_only_the_beginning_of_the_content_is_kept():
    server = SlowServer(("present", 200_000))
    server.may_answer.set()
    app, _ = over(server)
    async with app.run_test(size=(200, 50)) as pilot:
        await pilot.pause()
        await keys(pilot, "G")
        await until(pilot, "wrong size: 200000 bytes where the event says 18")
        assert len(pilot.app.screen.blobs.of(SHA).content) == HEAD


class AskedServer:
    """A server whose blob is so large that it gives it only when it is asked for."""

    remote = True

    def find(self, sha: str, *, whole: bool = False) -> BlobFound:
        if not whole:
            return BlobFound(sha, "not fetched", "not fetched", url="u", size=18)
        return BlobFound(sha, "present", "present", url="u", size=18, content=b"a page about dates")


async def test_a_large_blob_is_fetched_when_a_person_asks_for_it():
    app, _ = over(AskedServer())
    async with app.run_test(size=(200, 50)) as pilot:
        await pilot.pause()
        await keys(pilot, "g", "i")
        assert pilot.app.screen.status.plain == "no blob here is too big to be looked at unasked"
        await keys(pilot, "G")
        await until(pilot, "not fetched, 18 B")
        await keys(pilot, "i")
        assert pilot.app.screen.status.plain == "asked for it"
        await until(pilot, "present and right, 18 B, text, UTF-8")
        assert "a page about dates" in "\n".join(pilot.app.screen.details.plain)
