"""A sub-agent that keeps a ledger of its own, on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from builders import HUMAN, START_MS, Book
from korg_tui.app import KorgApp
from korg_tui.config import Settings
from korg_tui.screens import LedgersScreen, SessionScreen
from korg_tui.sources import FileSource, open_sources
from korg_tui.widgets.chrome import Bar, Line
from stage import keys

HOST, SUB = "agent:coder#parent", "agent:coder#agent-one"


def parent(until: int = 5) -> Book:
    book = Book(step_ms=10_000)
    ask = book.prompt("Find the callers", by=HUMAN)
    think = book.infer(ask, by=HOST)
    book.tool("Read", think, by=HOST, args={"file_path": "a.py"})
    book.spawn(think, "Look for callers", by=HOST, result={"output": "Two.\nagentId: one (go on)"})
    book.infer(think, by=HOST)
    del book.records[until:]
    return book


def child() -> Book:
    sub = Book(step_ms=2_000, now_ms=START_MS + 21_000)
    think = sub.infer(sub.prompt("Look for callers", by=SUB), by=SUB)
    sub.tool("Write", think, by=SUB, args={"file_path": "notes.md", "content": "two"})
    return sub


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parent.jsonl").write_bytes(parent().nested())
    (tmp_path / "agent-one.jsonl").write_bytes(child().nested())
    return tmp_path


async def settled(app: KorgApp, pilot, rows: int) -> SessionScreen:
    """The session, when it has so many rows."""
    for _ in range(400):
        await pilot.pause(0.02)
        if isinstance(app.screen, SessionScreen) and len(app.screen.spine) == rows:
            await pilot.pause()
            return app.screen
    raise AssertionError(f"no session with {rows} rows")


def numbers(screen: SessionScreen) -> list[str]:
    return [screen.spine.line(index).number for index in range(len(screen.spine))]


def here(screen: SessionScreen) -> str:
    return screen.spine.line(screen.view.cursor).number


@pytest.mark.parametrize("named", ["parent.jsonl", "."])
async def test_there_is_one_session_with_both_lanes(folder: Path, named: str):
    app = KorgApp(open_sources([str(folder / named)], wait=True), settings=Settings(utc=True))
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await settled(app, pilot, 8)
        assert numbers(screen) == ["1", "2", "3", ":1", ":2", ":3", "4", "5"]
        assert "8 events" in screen.status.plain and "2 agents" in screen.status.plain
        await keys(pilot, "escape")
        assert isinstance(app.screen, LedgersScreen)
        assert len(app.screen.lines.rows) == 1


async def test_an_event_of_the_other_ledger_has_one_name_to_read_copy_and_go_to(folder: Path):
    app = KorgApp(open_sources([str(folder / "parent.jsonl")], wait=True), settings=Settings(utc=True))
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await settled(app, pilot, 8)
        sent: list[str] = []
        app.copy_to_clipboard = sent.append
        for asked in ("agent-one:2", "agent-one.jsonl:2"):
            await keys(pilot, "g", ":")
            screen.query_one(Input).value = asked
            await keys(pilot, "enter", "y")
            assert screen.query_one("#crumbs", Line).plain.endswith("› agent-one:2 llm_inference")
            assert sent.pop() == "agent-one:2"
        for asked, said in (
            ("agent-one:9", "agent-one has no event 9"),
            ("agent-two:2", "agent-two is no ledger of this session"),
            ("parent:9", "9 is not in this ledger; it has 1 to 5"),
            ("agent-one", "“agent-one” is no seq: type a number, or LEDGER:N"),
        ):
            await keys(pilot, ":")
            screen.query_one(Input).value = asked
            await keys(pilot, "enter")
            assert screen.status.plain == said
        await keys(pilot, ":")
        screen.query_one(Input).value = "parent:2"
        await keys(pilot, "enter")
        assert screen.query_one("#crumbs", Line).plain.endswith("› 2 llm_inference")


async def test_the_preview_carries_both_ledgers_events_away(folder: Path):
    app = KorgApp(open_sources([str(folder / "parent.jsonl")], wait=True), settings=Settings(utc=True))
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await settled(app, pilot, 8)
        await keys(pilot, "g", "j", "j", "j", "j")
        assert "agent-one:2" in " ".join(screen.details.plain)
        await keys(pilot, "r")
        bar = screen.query_one(Bar).plain
        assert bar.startswith("Keep ≤ agent-one:2 · 3 invalid (2 tool calls")


async def test_the_call_that_returns_brings_the_lane_and_the_cursor_stays(folder: Path):
    (folder / "parent.jsonl").write_bytes(parent(until=3).nested())
    sources = [FileSource(folder / name) for name in ("parent.jsonl", "agent-one.jsonl")]
    app = KorgApp(sources, settings=Settings(utc=True))
    async with app.run_test(size=(120, 40)) as pilot:
        for _ in range(200):
            await pilot.pause(0.02)
            if len(app.screen.lines.rows) == 2:
                break
        await keys(pilot, "end" if "parent" in app.screen.lines.rows[-1].ledger else "home", "enter")
        screen = await settled(app, pilot, 3)
        await keys(pilot, "g", "j")
        assert here(screen) == "2"
        (folder / "parent.jsonl").write_bytes(parent().nested())
        await settled(app, pilot, 8)
        assert here(screen) == "2"
        assert numbers(screen) == ["1", "2", "3", ":1", ":2", ":3", "4", "5"]
