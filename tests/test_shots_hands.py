"""Shots of what is at hand: the form of an export, the list of bookmarks, letters beside marked rows."""

from __future__ import annotations

import pytest

from korg_tui.remembered import Bookmark, Remembered
from stage import SIZES, app_over, keys, story


@pytest.fixture(autouse=True)
def _in_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")


@pytest.fixture(params=["dark", "light"])
def theme(request) -> str:
    return request.param


@pytest.fixture(params=SIZES)
def size(request) -> tuple[int, int]:
    return SIZES[request.param]


async def _opened(pilot, *pressed: str) -> None:
    await pilot.pause()
    await keys(pilot, "G", "enter", *pressed)


def kept() -> Remembered:
    """Bookmarks in the ledger that is open, in one that is not, and one whose event is gone."""
    remembered = Remembered(None)
    for seq, words in ((3, "Bash pytest tests/test_dates.py"), (17, "Edit src/dates.py")):
        remembered.toggle(Bookmark("/work/parser/.korg/journal.jsonl", seq, 1, words, 1_767_225_000_000))
    remembered.toggle(Bookmark("-:.korg/journal.jsonl", 99, 1, "Bash rm -r build", 1_767_225_000_000))
    return remembered


def test_shots_of_the_form_of_an_export(snap_compare, theme, size):
    async def form(pilot) -> None:
        await _opened(pilot, "f", *"is:failed", "enter", "x", "g")

    assert snap_compare(app_over(story(), theme=theme), run_before=form, terminal_size=size)


def test_shots_of_bookmarks(snap_compare, theme, size):
    async def bookmarks(pilot) -> None:
        await _opened(pilot, *":3", "enter", "m", *":11", "enter", "m", "'")

    app = app_over(story(), theme=theme, remembered=kept())
    assert snap_compare(app, run_before=bookmarks, terminal_size=size)


@pytest.mark.parametrize(("theme", "size"), [("light", "80x24"), ("dark", "120x40")], indirect=True)
def test_shots_of_labels_beside_marked_rows(snap_compare, theme, size):
    async def labels(pilot) -> None:
        await _opened(pilot, *":3", "enter", "m", *":11", "enter", "m", "g", ";")

    assert snap_compare(app_over(story(), theme=theme), run_before=labels, terminal_size=size)
