"""Shots of the findings: of a ledger with which something is wrong, and of one with which nothing is."""

from __future__ import annotations

import pytest

from builders import START_MS, Book, FixedClock
from stage import SIZES, MemorySource, app_over, keys, story

ALL = [(size, theme) for size in SIZES for theme in ("dark", "light")]
SOME = [("80x24", "high-contrast"), ("120x40", "dark")]


def shots(wanted: list[tuple[str, str]]):
    return pytest.mark.parametrize(
        ("size", "theme"), wanted, ids=[f"{size}-{theme}" for size, theme in wanted]
    )


def shot(snap_compare, content: bytes, size: str, theme: str, *pressed: str) -> bool:
    app = app_over(MemorySource(content), theme=theme, clock=FixedClock(START_MS + 60_000))

    async def press(pilot) -> None:
        await pilot.pause()
        await keys(pilot, "G", *(["enter"] if not pilot.app.screen.query("#spine-pane") else []))
        await keys(pilot, "exclamation_mark", *pressed)
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()

    return snap_compare(app, terminal_size=SIZES[size], run_before=press)


def wrong() -> bytes:
    """The story after somebody has changed an event and taken one out, with a line that is none."""
    lines = story().nested().replace(b"12 passed", b"11 passed").splitlines(keepends=True)
    return b"".join(lines[:9] + lines[10:]) + b'{"seq_id": 40, "cut o\n'


def right() -> bytes:
    book = Book()
    think = book.infer(book.prompt("Count the open tickets."))
    book.tool("Read", think, args={"file_path": "tickets.md"})
    book.infer(think)
    return book.nested()


@shots(ALL)
def test_findings(snap_compare, size, theme):
    assert shot(snap_compare, wrong(), size, theme, "n")


@shots(SOME)
def test_nothing_found(snap_compare, size, theme):
    assert shot(snap_compare, right(), size, theme)
