"""Shots of the screens, at every size and in both themes. The README shows some of them.

A screen is opened at 80x24, and then its window grows: one app gives the shots of all sizes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from builders import START_MS, Book, FixedClock
from conftest import FolderedSvg
from stage import SIZES, MemorySource, app_over, keys, resized, story, worked_example

Steps = Callable[[Pilot], Awaitable[None]]

NOW = FixedClock(START_MS + 60_000)

both = pytest.mark.parametrize("theme", ["dark", "light"])


class SizedSvg(FolderedSvg):
    """Shots lie in `<test>[<size>-<theme>].svg`, whatever the parameters of the test are."""

    @classmethod
    def _get_file_basename(cls, *, test_location, index) -> str:
        return f"{test_location.methodname}[{index}]"


@pytest.fixture
def shots(snapshot):
    """Compares an app in a theme, after some steps, with its shots in these sizes."""

    async def compare(app, theme: str, steps: Steps, sizes: tuple[str, ...] = tuple(SIZES)) -> None:
        differ = []
        async with app.run_test(size=SIZES[sizes[0]]) as pilot:
            await pilot.pause()
            await steps(pilot)
            for size in sizes:
                if app.size != SIZES[size]:
                    await resized(pilot, *SIZES[size])
                    await pilot.pause()
                    await pilot.pause()
                kept = snapshot(name=f"{size}-{theme}", extension_class=SizedSvg)
                if not kept == app.export_screenshot():  # noqa: SIM201 - the snapshot compares
                    differ.append(size)
        assert differ == [], "looks otherwise than it did: --snapshot-update, and look at the difference"

    return compare


def pressing(*pressed: str) -> Steps:
    """Presses these keys before the shot is taken."""

    async def press(pilot) -> None:
        await keys(pilot, *pressed)

    return press


def over(theme: str, ledger=None, name: str = ".korg/journal.jsonl"):
    return app_over(MemorySource(ledger or story(), name), theme=theme, clock=NOW)


@both
async def test_sessions(shots, theme):
    await shots(over(theme), theme, pressing())


@both
async def test_session(shots, theme):
    await shots(over(theme), theme, pressing("G", "enter", "g", "e"))


@pytest.mark.parametrize("theme", ["high-contrast", "ansi"])
async def test_session_in_other_themes(shots, theme):
    await shots(over(theme), theme, pressing("G", "enter", "g", "e"), sizes=("120x40",))


@both
async def test_preview(shots, theme):
    await shots(over(theme), theme, pressing("G", "enter", "g", "e", "R"))


@pytest.mark.parametrize("theme", ["high-contrast"])
async def test_preview_in_other_themes(shots, theme):
    await shots(over(theme), theme, pressing("G", "enter", "g", "e", "R"), sizes=("80x24",))


@both
async def test_why(shots, theme):
    app = over(theme, worked_example(), "worked-example.jsonl")
    await shots(app, theme, pressing("g", *["j"] * 4, "r", "j", "j", "w"))


@both
async def test_events(shots, theme):
    other = Book(now_ms=START_MS - 86_400_000)
    think = other.infer(other.prompt("Read dates with a year of two digits"), by="agent:clerk@2")
    other.tool("Edit", think, by="agent:clerk@2", args={"file_path": "src/dates.py"}, success=False)
    other.tool("Write", think, by="agent:clerk@2", args={"file_path": "src/dates.py"})
    sources = [
        MemorySource(story(), "/home/dusk/leap/journal.jsonl"),
        MemorySource(other, "/home/dusk/short/journal.jsonl"),
    ]

    async def press(pilot) -> None:
        await keys(pilot, "G", "enter", "g", "e", "j", "P")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()

    await shots(app_over(*sources, theme=theme, clock=NOW), theme, press)


@both
async def test_rewound(shots, theme):
    source = MemorySource(story())

    async def press(pilot) -> None:
        await keys(pilot, "G", "enter")
        shorter = Book()
        shorter.records, shorter.top = story().records[:15], 15
        shorter.governance(
            "LedgerRewind", 15, target_seq_id=15, invalidated_through=25, rewound_by="human:dusk"
        )
        source.becomes(shorter)
        await pilot.pause()
        await keys(pilot, "G")

    await shots(app_over(source, theme=theme, clock=NOW), theme, press)


@both
async def test_offline(shots, theme):
    source = MemorySource(story(), "http://127.0.0.1:8080")

    async def press(pilot) -> None:
        away = "http://127.0.0.1:8080 cannot be reached (connection refused); what was read stays"
        source.says("offline", away, at_ms=START_MS + 48_000)
        await pilot.pause()
        await keys(pilot, "G", "enter")

    await shots(app_over(source, theme=theme, clock=NOW), theme, press)


@both
async def test_help(shots, theme):
    await shots(over(theme), theme, pressing("G", "enter", "question_mark"))


@both
async def test_nothing_found(shots, theme):
    looked = "$KORG_JOURNAL_PATH: not set\n/home/dusk/.korg: not there"
    await shots(app_over(theme=theme, looked=looked), theme, pressing())
