"""Hostile text in every screen: it is shown, and does nothing. Here strips are checked; the bytes of the real
program in a pseudo-terminal are checked beside the command line."""

from __future__ import annotations

import json
import unicodedata

import pytest

from builders import Book
from korg_tui.screens import HelpScreen, LedgersScreen, SessionScreen
from stage import MemorySource, app_over, keys

NASTY = (
    "\x1b]52;c;ZXZpbA==\x07\x1b[31m\x9b2J\x00\x7f\u202e\u2066\u200b\u2028\u0085\r"
    "[/][@click=app.quit]x[/][red]\\[bold]$primary{0}%s\ud800\U000e0041" + "e" + "\u0301" * 400
)
LONG = "T" * 10_000 + NASTY
FORBIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def ledger() -> bytes:
    """Nasty text in every field that a screen shows, and lines that are no records."""
    book = Book()
    ask = book.prompt(NASTY, by="human:" + NASTY)
    think = book.infer(ask, by="agent:" + NASTY, result={"text": NASTY, NASTY: NASTY})
    book.tool(LONG, think, by="agent:" + NASTY, args={NASTY: NASTY, "file_path": NASTY}, success=False)
    book.tool(
        "Bash", think, by="agent:" + NASTY, args={"command": NASTY}, result={"stdout": NASTY + "\n" + NASTY}
    )
    edit = {"file_path": NASTY, "old_string": NASTY, "new_string": LONG}
    book.tool("Edit", think, by="agent:" + NASTY, args=edit)
    book.tool(
        "Read", think, by="agent:" + NASTY, args={"_ref": "sha256:" + NASTY}, payload_refs=[{"sha256": NASTY}]
    )
    book.governance("Lease" + NASTY, think, reason=NASTY)
    book.tool("Bash", NASTY, by=NASTY)
    lines = [json.dumps(record, separators=(",", ":")) for record in book.records]
    return "\n".join(lines).encode() + b'\n{"seq_id": \x1b]0;evil\x07 [/red]\xff\xfe\n'


def strips(app) -> list[str]:
    """Every line of the screen as it goes to the terminal, without the program's own sequences."""
    return [strip.text for strip in app.screen._compositor.render_strips()]


def harmless(app) -> None:
    """Nothing on the screen but characters that draw, and no link or action on any of them."""
    for strip in app.screen._compositor.render_strips():
        assert not {unicodedata.category(character) for character in strip.text} & FORBIDDEN
        for segment in strip:
            assert segment.style is None or segment.style.link is None
            assert "@click" not in (segment.style.meta if segment.style and segment.style._meta else {})


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_hostile_text_is_shown_in_every_screen_and_does_nothing(size):
    app = app_over(MemorySource(ledger(), "x" + NASTY), MemorySource(ledger(), "/y" + NASTY))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, LedgersScreen)
        harmless(app)
        assert any("␛" in line for line in strips(app))
        await keys(pilot, "G", "enter")
        assert isinstance(app.screen, SessionScreen)
        for seq in ("g", *["j"] * 9):
            await keys(pilot, seq)
            harmless(app)
        await keys(pilot, *[">"] * 4)
        harmless(app)
        await keys(pilot, "g", "j", "r")
        harmless(app)
        await keys(pilot, "j", "w")
        harmless(app)
        await keys(pilot, "tab", "j", "G")
        harmless(app)
        await keys(pilot, "escape", "escape", "escape", "question_mark")
        assert isinstance(app.screen, HelpScreen)
        harmless(app)
        await keys(pilot, "escape", "z", "z")
        harmless(app)
    assert app.return_code is None


async def test_hostile_words_in_notices_states_and_questions():
    source = MemorySource(ledger(), "x" + NASTY)
    app = app_over(source)
    async with app.run_test(size=(140, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter")
        source.says("gone", NASTY)
        await pilot.pause()
        harmless(app)
        app.screen.announce(NASTY)
        await pilot.pause()
        harmless(app)
        assert any("[@click=app.quit]" in line for line in strips(app))
        for purpose in ("search", "filter", "goto"):
            app.screen.query_one("#ask").ask(purpose, purpose, "[/][@click=app.quit]\u202ex")
            await keys(pilot, "enter")
            await app.workers.wait_for_complete()
            await pilot.pause()
            harmless(app)
    assert app.return_code is None


async def test_clicks_on_hostile_text_act_on_rows_only():
    app = app_over(MemorySource(ledger()))
    async with app.run_test(size=(140, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter")
        for y in range(8):
            await pilot.click("#spine", offset=(40, y))
            await pilot.click("#details", offset=(20, y + 6))
        assert app.is_running
        assert isinstance(app.screen, SessionScreen)
