"""Shots of the timeline, the numbers and the comparison: at every size, in both themes; without times."""

from __future__ import annotations

import pytest

from builders import START_MS, SUB, Book, FixedClock
from stage import SCOUT, SIZES, MemorySource, app_over, keys, story

ALL = [(size, theme) for size in SIZES for theme in ("dark", "light")]


def shots(wanted: list[tuple[str, str]]):
    return pytest.mark.parametrize(
        ("size", "theme"), wanted, ids=[f"{size}-{theme}" for size, theme in wanted]
    )


def over(theme: str, *sources: MemorySource):
    return app_over(*sources, theme=theme, clock=FixedClock(START_MS + 8 * 3_600_000))


def pressing(*pressed: str):
    """Presses these keys, and waits for what is counted or compared, before the shot is taken."""

    async def press(pilot) -> None:
        await pilot.pause()
        for key in pressed:
            await keys(pilot, key)
            await pilot.app.workers.wait_for_complete()
        await pilot.pause()

    return press


def evening() -> Book:
    """Two sub-agents at once, a failure, hours in which nobody is there, a second turn; tokens and cost."""
    book = Book(step_ms=0)

    def at(seconds: float) -> None:
        book.now_ms = START_MS + round(1000 * seconds)

    def think(parent: int, seconds: float, ms: int, said: str, by: str = "agent:main@1") -> int:
        at(seconds)
        used = {
            "args": {"prompt_tokens": 1200 + 10 * ms},
            "result": {"text": said, "completion_tokens": ms // 20},
        }
        return book.infer(parent, by=by, duration_ms=ms, **used)

    def call(tool: str, parent: int, seconds: float, ms: int, by: str = "agent:main@1", **more) -> int:
        at(seconds)
        return book.tool(tool, parent, by=by, duration_ms=ms, **more)

    ask = book.prompt("The importer is slow. Find out why, and make it twice as fast.")
    plan = think(ask, 4, 4000, "I will profile it, and look at both ends.")
    one, two = (
        book.prompt(text, plan, by=by) for text, by in (("Profile it", SUB), ("Read the queries", SCOUT))
    )
    deep = think(one, 7, 2600, "I will run the profiler.", SUB)
    wide = think(two, 9, 4400, "I will look for queries.", SCOUT)
    call("Grep", wide, 10.5, 900, SCOUT, args={"pattern": "execute", "path": "importer"})
    call("Read", wide, 12, 300, SCOUT, args={"file_path": "importer/rows.py"})
    think(wide, 15, 2500, "Each row is a query of its own.", SCOUT)
    book.spawn(plan, "Read the queries", duration_ms=11_000)
    call("Bash", deep, 22, 14_500, SUB, args={"command": "python -m cProfile run.py"})
    think(deep, 25, 2800, "Nine tenths are queries.", SUB)
    book.spawn(plan, "Profile it", duration_ms=21_000)
    mend = think(plan, 31, 5600, "One query for all rows, then.")
    call(
        "Edit", mend, 31.4, 120, args={"file_path": "importer/rows.py", "old_string": "a", "new_string": "b"}
    )
    call("Bash", mend, 44, 12_000, args={"command": "pytest"}, success=False, result={"stdout": "1 failed"})
    again = think(mend, 49, 4300, "One test counts queries.")
    call("Write", again, 49.5, 80, args={"file_path": "tests/test_rows.py", "content": "…"})
    call("Bash", again, 60, 10_000, args={"command": "pytest"}, result={"stdout": "41 passed"})
    done = think(again, 63, 2900, "It is four times as fast.")
    at(5 * 3600)
    more = book.prompt("Now write the change down.", done)
    last = think(more, 5 * 3600 + 4, 3900, "I will add a line to the change log.")
    call(
        "Edit",
        last,
        5 * 3600 + 4.4,
        90,
        args={"file_path": "CHANGES.md", "old_string": "", "new_string": "Faster"},
    )
    at(5 * 3600 + 6)
    book.note(last, tool="session_complete", result={"total_cost_usd": 0.42})
    return book


def retried(*, careful: bool) -> Book:
    """A repair; `careful` looks once more before it changes anything, and then changes something else."""
    book = Book(step_ms=2_000, now_ms=START_MS + 3_600_000 * careful)
    read = book.infer(
        book.prompt("Fix the rounding of totals."), duration_ms=1900, result={"text": "Reading it."}
    )
    book.tool("Read", read, args={"file_path": "shop/total.py"}, duration_ms=12)
    at = read
    if careful:
        at = book.infer(at, duration_ms=900, result={"text": "And who calls it?"})
        book.tool("Grep", at, args={"pattern": "total(", "path": "shop"}, duration_ms=40)
    mend = book.infer(at, duration_ms=2500, result={"text": "Round once, at the end."})
    new = "return round(sum(prices), 2)" if careful else "return sum(round(p) for p in prices)"
    change = {"file_path": "shop/total.py", "old_string": "return sum(prices)", "new_string": new}
    book.tool("Edit", mend, args=change, duration_ms=9)
    test = book.infer(mend, duration_ms=800)
    result = {"stdout": "12 passed" if careful else "E  assert 3 == 2.97\n1 failed, 11 passed"}
    book.tool("Bash", test, args={"command": "pytest"}, success=careful, duration_ms=4100, result=result)
    book.infer(test, duration_ms=700, result={"text": "All tests pass." if careful else "One test fails."})
    return book


@shots(ALL)
def test_timeline(snap_compare, size, theme):
    app = over(theme, MemorySource(evening(), state="ended"))
    assert snap_compare(app, terminal_size=SIZES[size], run_before=pressing("t", "g", "e"))


@shots([("80x24", "dark"), ("120x40", "light")])
def test_timeline_zoomed(snap_compare, size, theme):
    app = over(theme, MemorySource(evening(), state="ended"))
    press = pressing("t", "s", "s", "plus", "plus", "T")
    assert snap_compare(app, terminal_size=SIZES[size], run_before=press)


@shots([("80x24", "light"), ("120x40", "dark")])
def test_timeline_without_times(snap_compare, size, theme):
    app = over(theme, MemorySource(story().flat(), state="ended"))
    assert snap_compare(app, terminal_size=SIZES[size], run_before=pressing("G", "enter", "t", "e"))


@shots(ALL)
def test_numbers(snap_compare, size, theme):
    app = over(theme, MemorySource(evening(), state="ended"))
    assert snap_compare(app, terminal_size=SIZES[size], run_before=pressing("S", "tab", "j"))


@shots([("80x24", "dark"), ("120x40", "light")])
def test_choose_what_to_compare_with(snap_compare, size, theme):
    sources = [MemorySource(retried(careful=careful), f"/srv/{careful}.jsonl") for careful in (False, True)]
    app = over(theme, *sources, MemorySource(story(), "/srv/leap.jsonl"))
    assert snap_compare(app, terminal_size=SIZES[size], run_before=pressing("g", "enter", "C", "j"))


@shots(ALL)
def test_one_inserted_step(snap_compare, size, theme):
    names = ("/srv/first.jsonl", "/srv/second.jsonl")
    sources = [MemorySource(retried(careful=at == 1), name) for at, name in enumerate(names)]
    press = pressing("g", "enter", "C", "enter", "s", "n", "n")
    assert snap_compare(over(theme, *sources), terminal_size=SIZES[size], run_before=press)
