"""Shots of the screens, at every size and theme that matters. The README shows some of them."""

from __future__ import annotations

import pytest

from builders import START_MS, Book, FixedClock
from stage import SIZES, MemorySource, app_over, keys, story, worked_example

ALL = [(size, theme) for size in SIZES for theme in ("dark", "light")]
SOME = [("80x24", "dark"), ("120x40", "light")]


def shots(wanted: list[tuple[str, str]]):
    return pytest.mark.parametrize(
        ("size", "theme"), wanted, ids=[f"{size}-{theme}" for size, theme in wanted]
    )


def over(source: MemorySource, theme: str):
    return app_over(source, theme=theme, clock=FixedClock(START_MS + 60_000))


def pressing(*pressed: str):
    """Presses these keys before the shot is taken."""

    async def press(pilot) -> None:
        await pilot.pause()
        await keys(pilot, *pressed)

    return press


@shots(SOME)
def test_sessions(snap_compare, size, theme):
    assert snap_compare(over(MemorySource(story()), theme), terminal_size=SIZES[size])


@shots(ALL)
def test_session(snap_compare, size, theme):
    press = ("G", "enter", "g", "e")
    app = over(MemorySource(story()), theme)
    assert snap_compare(app, terminal_size=SIZES[size], run_before=pressing(*press))


@shots(ALL)
def test_preview(snap_compare, size, theme):
    press = ("G", "enter", "g", "e", "R")
    app = over(MemorySource(story()), theme)
    assert snap_compare(app, terminal_size=SIZES[size], run_before=pressing(*press))


@shots([("80x24", "light"), ("120x40", "dark")])
def test_why(snap_compare, size, theme):
    press = ("g", *["j"] * 4, "r", "j", "j", "w")
    app = over(MemorySource(worked_example(), "worked-example.jsonl"), theme)
    assert snap_compare(app, terminal_size=SIZES[size], run_before=pressing(*press))


@shots(SOME)
def test_events(snap_compare, size, theme):
    other = Book(now_ms=START_MS - 86_400_000)
    think = other.infer(other.prompt("Read dates with a year of two digits"), by="agent:clerk@2")
    other.tool("Edit", think, by="agent:clerk@2", args={"file_path": "src/dates.py"}, success=False)
    other.tool("Write", think, by="agent:clerk@2", args={"file_path": "src/dates.py"})
    sources = [
        MemorySource(story(), "/home/dusk/leap/journal.jsonl"),
        MemorySource(other, "/home/dusk/short/journal.jsonl"),
    ]
    app = app_over(*sources, theme=theme, clock=FixedClock(START_MS + 60_000))

    async def press(pilot) -> None:
        await pilot.pause()
        await keys(pilot, "G", "enter", "g", "e", "j", "P")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()

    assert snap_compare(app, terminal_size=SIZES[size], run_before=press)


@shots(SOME)
def test_rewound(snap_compare, size, theme):
    source = MemorySource(story())

    async def press(pilot) -> None:
        await pilot.pause()
        await keys(pilot, "G", "enter")
        shorter = Book()
        shorter.records, shorter.top = story().records[:15], 15
        shorter.governance(
            "LedgerRewind", 15, target_seq_id=15, invalidated_through=25, rewound_by="human:dusk"
        )
        source.becomes(shorter)
        await pilot.pause()
        await keys(pilot, "G")

    assert snap_compare(over(source, theme), terminal_size=SIZES[size], run_before=press)


@shots([("80x24", "dark")])
def test_offline(snap_compare, size, theme):
    source = MemorySource(story(), "http://127.0.0.1:8080")

    async def press(pilot) -> None:
        await pilot.pause()
        away = "http://127.0.0.1:8080 cannot be reached (connection refused); what was read stays"
        source.says("offline", away, at_ms=START_MS + 48_000)
        await pilot.pause()
        await keys(pilot, "G", "enter")

    assert snap_compare(over(source, theme), terminal_size=SIZES[size], run_before=press)


@shots(SOME)
def test_help(snap_compare, size, theme):
    press = ("G", "enter", "question_mark")
    app = over(MemorySource(story()), theme)
    assert snap_compare(app, terminal_size=SIZES[size], run_before=pressing(*press))


@shots([("80x24", "dark")])
def test_nothing_found(snap_compare, size, theme):
    app = app_over(theme=theme, looked="$KORG_JOURNAL_PATH: not set\n/home/dusk/.korg: not there")
    assert snap_compare(app, terminal_size=SIZES[size])
