"""Comparing on the screen: choose, walk through the differences, open an event, come back; a rewind."""

from __future__ import annotations

from builders import Book, chained, lines
from korg_tui.screens import CompareScreen, LedgersScreen, SessionScreen
from korg_tui.widgets.chrome import Line
from stage import MemorySource, app_over, keys, story


def run(*steps: str, now_ms: int | None = None) -> Book:
    """A prompt, and an inference before each command."""
    book = Book() if now_ms is None else Book(now_ms=now_ms)
    at = book.prompt("fix it")
    for step in steps:
        at = book.infer(at)
        book.tool("Bash", at, args={"command": step}, result={"stdout": f"ran {step}"})
    return book


def said(app, name: str) -> str:
    return app.screen.query_one(f"#{name}", Line).plain


def drawn(app) -> list[str]:
    rows = app.screen.lines
    return [
        "".join(part.text for part in rows.render_line(y)).rstrip() for y in range(min(rows.page, rows.count))
    ]


async def settled(app, pilot) -> None:
    await app.workers.wait_for_complete()
    await pilot.pause()


async def test_a_walk_through_a_comparison():
    old, new = run("ls", "make", "test"), run("ls", "cat x", "make", "test", now_ms=Book().now_ms + 60_000)
    app = app_over(MemorySource(old, "/a/old.jsonl"), MemorySource(new, "/a/new.jsonl"))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "g", "enter", "C")
        screen = app.screen
        assert isinstance(screen, CompareScreen)
        assert said(app, "crumbs") == "/a/new.jsonl › session 1 › compare › with what?"
        assert said(app, "status").startswith("1 choice · enter compares it")
        await keys(pilot, "n")
        assert said(app, "status") == "choose first what to compare with: enter"

        await keys(pilot, "enter")
        await settled(app, pilot)
        assert said(app, "status") == "same 7 · changed 0 · only left 2 · only right 0"
        assert said(app, "crumbs").endswith("› row 4 of 9")
        assert [line.split()[:3] for line in drawn(app)][3:5] == [["‹", "only", "left"]] * 2
        assert "left: /a/new… › session 1" in said(app, "compare-head")
        await keys(pilot, "n")
        assert said(app, "status") == "difference 2 of 2 · only left"
        assert screen.details.plain[-2:] != []
        await keys(pilot, "n")
        assert said(app, "status") == "no further difference"

        await keys(pilot, "f")
        assert screen.lines.count == 2
        await keys(pilot, "f", "s")
        await settled(app, pilot)
        assert said(app, "status") == "same 7 · changed 0 · only left 0 · only right 2"
        await keys(pilot, "tab")
        assert screen.reading_details
        await keys(pilot, "escape", "enter")
        opened = app.screen
        assert isinstance(opened, SessionScreen)
        assert (opened.ledger.name, opened.ledger.seq[opened.row]) == ("/a/new.jsonl", 5)
        await keys(pilot, "escape")
        assert app.screen is screen
        await keys(pilot, "g", "h", "enter")
        assert app.screen.ledger.name == "/a/old.jsonl"
        await keys(pilot, "escape", "escape")
        assert isinstance(app.screen, SessionScreen)


async def test_a_session_stands_beside_what_it_was_before_a_rewind():
    before, after = run("ls", "make", "test"), Book()
    source = MemorySource(before)
    app = app_over(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        after.records, after.top = before.records[:3], 3
        after.tool("Bash", after.infer(2), args={"command": "test"}, result={"stdout": "ran test"})
        source.becomes(after)
        await pilot.pause()
        await keys(pilot, "C")
        assert "this session before the rewind at 4" in drawn(app)[0]
        source.becomes(run("ls", "make"))
        source.becomes(after)
        await pilot.pause()
        assert "this session before the rewind at 4" in drawn(app)[0]
        await keys(pilot, "G")
        await keys(pilot, "enter")
        await settled(app, pilot)
        assert said(app, "status") == "same 5 · changed 0 · only left 2 · only right 0"
        await keys(pilot, "enter")
        assert said(app, "status").startswith("a rewind dropped 4")


async def test_a_side_that_is_emptied_is_compared_again():
    source = MemorySource(run("ls", "make"), "/a/live.jsonl")
    app = app_over(source, MemorySource(run("ls"), "/a/other.jsonl"))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "g", "C", "enter")
        await settled(app, pilot)
        source.becomes(Book())
        await pilot.pause()
        await settled(app, pilot)
        assert said(app, "status") == "the ledger has changed: it was compared again"
        assert app.screen.comparison.words.startswith("same 0 · changed 0 · ")
        source.becomes(run("ls"))
        await pilot.pause()
        await settled(app, pilot)
        await keys(pilot, "u")
        await settled(app, pilot)
        await keys(pilot, "G", "tab")
        assert app.screen.comparison.words == "same 3 · changed 0 · only left 0 · only right 0"


async def test_what_comes_meanwhile_is_said_and_taken_in_when_asked():
    whole = run("ls", "make")
    short = Book()
    short.records = whole.records[:3]
    source = MemorySource(short, "/a/live.jsonl")
    app = app_over(source, MemorySource(run("ls", "make"), "/a/other.jsonl"))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "C", "enter")
        await settled(app, pilot)
        source.append(lines(chained(whole.records))[len(short.nested()) :])
        await pilot.pause()
        assert "2 events came since: u compares again" in said(app, "status")
        await keys(pilot, "u")
        await settled(app, pilot)
        assert said(app, "status") == "same 5 · changed 0 · only left 0 · only right 0"


async def test_there_may_be_nothing_to_compare_with():
    app = app_over(MemorySource(run("ls")))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "C", "enter")
        assert "No other session is open" in app.screen.lines.empty
        await keys(pilot, "escape", "escape")
        assert isinstance(app.screen, LedgersScreen)
        await keys(pilot, "C")
        assert isinstance(app.screen, CompareScreen)


async def test_choices_are_told_apart_and_narrowed():
    ledgers = {f"/work/somewhere/far/conforming-ledger-{number}.jsonl": run("ls") for number in range(1, 4)}
    app = app_over(*(MemorySource(book, name) for name, book in ledgers.items()), MemorySource(story()))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "g", "C")
        rows = drawn(app)
        assert len({line[:56] for line in rows}) == len(rows)
        assert all(" session " in line for line in rows)
        await keys(pilot, "slash", *"{x} ledger")
        assert "No choice has “{x} ledger”: esc shows all." in app.screen.lines.empty
        for _ in "{x} ledger":
            await keys(pilot, "backspace")
        await keys(pilot, *"ledger-2", "enter")
        (row,) = drawn(app)
        assert "ledger-2" in row
        assert said(app, "status").startswith("1 of 5 choices with “ledger-2” · enter compares it")
        await keys(pilot, "enter")
        await settled(app, pilot)
        assert app.screen.comparison is not None
        await keys(pilot, "slash")
        assert said(app, "status").startswith("what to compare with is chosen")
        await keys(pilot, "f")
        assert said(app, "crumbs").endswith(f"› difference 1 of {app.screen.lines.count}")
        assert "r-2.jsonl › session 1" in said(app, "compare-head")
        await keys(pilot, "escape", "escape")
        assert app.screen.lines.count == 5


async def test_every_session_of_a_ledger_is_offered_newest_first():
    app = app_over(MemorySource(story()))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "C")
        assert [line.split("session ")[1].split()[0] for line in drawn(app)] == ["23", "22"]
