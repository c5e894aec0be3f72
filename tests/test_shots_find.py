"""Shots of asking and finding, of why, and of the list of effects."""

from __future__ import annotations

import pytest

from builders import START_MS, FixedClock
from stage import SIZES, MemorySource, app_over, keys, story

ALL = [(size, theme) for size in SIZES for theme in ("dark", "light")]
_NAMES = {" ": "space", "/": "slash", ":": "colon"}

SOME = [("80x24", "light"), ("120x40", "dark")]


def shots(wanted: list[tuple[str, str]]):
    return pytest.mark.parametrize(
        ("size", "theme"), wanted, ids=[f"{size}-{theme}" for size, theme in wanted]
    )


def typed(words: str) -> list[str]:
    return [_NAMES.get(letter, letter) for letter in words]


def shot(snap_compare, size: str, theme: str, *pressed: str) -> bool:
    app = app_over(MemorySource(story()), theme=theme, clock=FixedClock(START_MS + 60_000))

    async def press(pilot) -> None:
        await pilot.pause()
        await keys(pilot, "G", "enter", "g", "e", *pressed)
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        field = pilot.app.screen.query("#ask-input")
        if field:
            field.first().cursor_blink = False

    return snap_compare(app, terminal_size=SIZES[size], run_before=press)


@shots(SOME)
def test_completion(snap_compare, size, theme):
    assert shot(snap_compare, size, theme, "f", *typed("agent:main tool:"), "tab", "tab")


@shots(SOME)
def test_error(snap_compare, size, theme):
    assert shot(snap_compare, size, theme, "f", *typed("tool:Bash is:faild lane:1"), "enter")


@shots(ALL)
def test_effects(snap_compare, size, theme):
    assert shot(snap_compare, size, theme, *typed(":10"), "enter", "v", "j", "j")


@shots(SOME)
def test_why(snap_compare, size, theme):
    assert shot(snap_compare, size, theme, *typed(":16"), "enter", "w")
