"""Shots of the details: each kind of call of `tests/ledgers/tools.jsonl` in the form that fits it."""

from __future__ import annotations

from pathlib import Path

import pytest

from builders import START_MS, Book, FixedClock
from stage import SIZES, MemorySource, app_over, keys

TOOLS = (Path(__file__).parent / "ledgers" / "tools.jsonl").read_bytes()

SOME = [("80x24", "light"), ("120x40", "dark")]


def shots(wanted: list[tuple[str, str]]):
    return pytest.mark.parametrize(
        ("size", "theme"), wanted, ids=[f"{size}-{theme}" for size, theme in wanted]
    )


def details_of(seq: int, to: str):
    """Goes to an event, gives the keys to its details, and goes to the first place that has these words."""

    async def press(pilot) -> None:
        await pilot.pause()
        await keys(pilot, "colon", *str(seq), "enter", "enter")
        pilot.app.screen.say(pilot.app.screen.details.search(to))
        await pilot.pause()

    return press


def shot(snap_compare, seq: int, to: str, size: str, theme: str) -> bool:
    app = app_over(MemorySource(TOOLS), theme=theme, clock=FixedClock(START_MS + 60_000))
    return snap_compare(app, terminal_size=SIZES[size], run_before=details_of(seq, to))


@shots(SOME)
def test_terminal(snap_compare, size, theme):
    assert shot(snap_compare, 3, "exit", size, theme)


@shots([*SOME, ("120x40", "light"), ("200x50", "dark")])
def test_diff(snap_compare, size, theme):
    assert shot(snap_compare, 7, "isleap", size, theme)


@shots(SOME)
def test_patch(snap_compare, size, theme):
    assert shot(snap_compare, 8, "strip", size, theme)


@shots(SOME)
def test_markdown(snap_compare, size, theme):
    assert shot(snap_compare, 2, "tests", size, theme)


@shots(SOME)
def test_source_and_matches(snap_compare, size, theme):
    assert shot(snap_compare, 4 if size == "80x24" else 5, "pars", size, theme)


@shots(SOME)
def test_folded_json(snap_compare, size, theme):
    assert shot(snap_compare, 9, "4137", size, theme)


@shots(SOME)
def test_picture(snap_compare, size, theme):
    assert shot(snap_compare, 11, "PNG", size, theme)


@shots([("120x40", "light")])
def test_five_megabytes_of_json(snap_compare, size, theme):
    book = Book()
    rows = [{"id": number, "name": f"n{number}", "tags": ["a", "b"]} for number in range(90_000)]
    book.tool("mcp__x__list", book.prompt(), result={"rows": rows})
    app = app_over(MemorySource(book), theme=theme, clock=FixedClock(START_MS + 60_000))
    assert snap_compare(app, terminal_size=SIZES[size], run_before=details_of(2, "n88888"))
