"""At 80x24, from the screen alone: where am I, what is selected, what can I do, how do I get back."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from builders import START_MS, FixedClock
from korg_tui.commands import FOOTER, Place
from korg_tui.screens import LedgersScreen
from stage import MemorySource, app_over, keys, story

SIZE = (80, 24)


@dataclass(frozen=True)
class Stand:
    """A place: the keys that lead there, and what has to stand on it in whole words."""

    place: Place
    pressed: str
    where: str
    selected: str
    told: str
    can: tuple[str, ...]
    back: str = "esc back"
    after: Place = Place.SESSION


STANDS = (
    Stand(
        Place.LEDGERS, "G", "ledgers and sessions", "The date parser fails on", "3 sessions in 1 ledger",
        ("enter open", "s sort", "/ filter"), back="q quit",
    ),
    Stand(
        Place.SESSION, "G enter g e", "› session 1 “The date parser fa…” › lane 1 main › 3 Bash",
        "3 ├─    ✗ Bash           pytest tests/test_dates.py", "20 events · 3 agents · 1 failed · 0 dead",
        ("enter details", "r rewind to", "R before it", "p parent"), after=Place.LEDGERS,
    ),
    Stand(
        Place.PREVIEW, "G enter g e R", "› lane 1 main › 3 Bash", "3 ├─    ╳ Bash",
        "Keep ≤ 2 (before 3) · 18 invalid", ("↓ keep more", "j look down", "w why", "s scope"),
    ),
    Stand(
        Place.EVENTS, "G enter g 4 enter P", "events › path:\"src/dates.py\" ›", "Read         src/dates.py",
        "2 events fit", ("enter open",),
    ),
    Stand(
        Place.EFFECTS, "G enter g e v", "effects › of 3 Bash", "5 ╳ llm_inference", "nothing is rewound",
        ("enter open", "tab next pane"),
    ),
    Stand(
        Place.FINDINGS, "G enter g ! n", "findings › of .korg/journal.jsonl › dead pointers › 22",
        "! dead ", "looked at", ("enter open", "n finding", "tab next pane"),
    ),
    Stand(
        Place.TIMELINE, "G enter g e t", "› timeline › lane 1 main › 3 Bash", "3  1 ✗ Bash",
        "20 events · 3 lanes", ("enter open", "+ nearer", "- farther"),
    ),
    Stand(
        Place.STATS, "G enter S", "› session 1 › numbers › in all", "",
        "numbers of this session · sorted by time", ("enter open", "s sort", "w of what"),
    ),
    Stand(
        Place.BOOKMARKS, "G enter g e m '", "bookmarks", "3  Bash pytest tests/test_dates.py",
        "1 bookmark · 1 in ledgers that are open", ("enter go there", "m forget"),
    ),
    Stand(
        Place.EXPORT, "G enter x", "export › choose what, how and where", "what       ‹ this session",
        "x writes it", ("x write", "enter choose"),
    ),
    Stand(
        Place.HELP, "G enter ?", "help › session", "next row", "elsewhere · esc goes back", ("/ filter",),
    ),
)  # fmt: skip


def drawn(app) -> list[str]:
    """The screen, row by row, as it is seen."""
    return [strip.text for strip in app.screen._compositor.render_strips()]


def flat(rows: list[str]) -> str:
    return re.sub(r"\s+", " ", " ".join(rows))


async def led(pilot, stand: Stand) -> None:
    await pilot.pause()
    await keys(pilot, *stand.pressed.split())
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


@pytest.mark.parametrize("stand", STANDS, ids=[stand.place.value for stand in STANDS])
async def test_a_screen_says_where_one_is_and_how_to_go_on(stand: Stand) -> None:
    app = app_over(MemorySource(story()), clock=FixedClock(START_MS + 60_000))
    async with app.run_test(size=SIZE) as pilot:
        await led(pilot, stand)
        rows = drawn(app)
        assert app.screen.situation.place is stand.place
        assert stand.where in rows[0]
        assert any(stand.selected in row for row in rows[1:]), "\n".join(rows)
        assert stand.told in flat(rows[-6:]), "\n".join(rows)
        for words in (*stand.can, stand.back):
            assert words in rows[-1]
        assert "…" not in rows[-1]
        assert len(rows) == SIZE[1]
        assert all(len(row) <= SIZE[0] for row in rows)
        if stand.back == "esc back":
            await keys(pilot, "escape")
            await app.workers.wait_for_complete()
            await pilot.pause()
            assert app.screen.situation.place is stand.after


async def test_the_row_that_is_selected_stands_out_from_the_others() -> None:
    app = app_over(MemorySource(story()), clock=FixedClock(START_MS + 60_000))
    async with app.run_test(size=SIZE) as pilot:
        for stand in STANDS[1:3]:
            await led(pilot, stand)
            strips = app.screen._compositor.render_strips()
            grounds = {
                y: strip.crop(4, 5)._segments[0].style.bgcolor for y, strip in enumerate(strips[2:12], 2)
            }
            selected = next(y for y, strip in enumerate(strips) if stand.selected in strip.text)
            others = {ground for y, ground in grounds.items() if y != selected}
            assert len(others) == 1
            assert grounds[selected] not in others
            while not isinstance(app.screen, LedgersScreen):
                await keys(pilot, "escape")


def test_every_place_has_its_stand() -> None:
    """The reader and the comparison need more than a story; they are looked at where they are tested."""
    elsewhere = {"reader", "compare"}
    assert {stand.place for stand in STANDS} == {place for place in Place if place.value not in elsewhere}


@pytest.mark.parametrize("place", Place)
def test_every_footer_offers_a_way_out(place: Place) -> None:
    assert "quit" in FOOTER[place]
    assert "leave" in FOOTER[place] or place is Place.LEDGERS
    assert "help" in FOOTER[place] or place is Place.HELP
