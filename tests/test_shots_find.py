"""Shots of asking, finding, and of causes and effects, at every size and in both themes."""

from __future__ import annotations

import pytest

from builders import START_MS, FixedClock
from stage import SIZES, MemorySource, app_over, keys, story

ALL = [(size, theme) for size in SIZES for theme in ("dark", "light")]
_NAMES = {" ": "space", "/": "slash", ":": "colon"}

every = pytest.mark.parametrize(
    ("size", "theme"), ALL, ids=[f"{size}-{theme}" for size, theme in ALL]
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


@every
def test_completion(snap_compare, size, theme):
    assert shot(snap_compare, size, theme, "f", *typed("agent:main tool:"), "tab", "tab")


@every
def test_error(snap_compare, size, theme):
    assert shot(snap_compare, size, theme, "f", *typed("tool:Bash is:faild lane:1"), "enter")


@every
def test_effects(snap_compare, size, theme):
    assert shot(snap_compare, size, theme, *typed(":10"), "enter", "v", "j", "j")


@every
def test_why(snap_compare, size, theme):
    assert shot(snap_compare, size, theme, *typed(":16"), "enter", "w")
