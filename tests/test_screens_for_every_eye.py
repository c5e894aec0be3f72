"""Every screen without colours, in ASCII, and in all themes: nothing is said by a hue or a sign alone."""

from __future__ import annotations

from builders import SUB, FixedClock, ref
from korg_tui.app import KorgApp
from korg_tui.commands import Place
from korg_tui.config import Settings
from korg_tui.screens import KorgScreen
from korg_tui.screens.matter import ValueMatter
from korg_tui.screens.reader import ReaderScreen
from stage import Book, app_over, foreign, keys, painted, resized
from terminal import Terminal, Written, korg

RED = "\x1b[1;31mFAILED\x1b[0m \x1b[38;5;208mtests/test_dates.py\x1b[0m \x1b[48;2;1;2;3m1 failed\x1b[0m"

OF_THE_COMMAND = {"#ff8700", "#010203"}
"""Colours of its output that are none of the sixteen."""


def ledger(*, alone: bool = True) -> Book:
    """A command that failed and whose output is in colours, a change, Markdown, a blob, and a sub-agent; and
    another session unless it is to be `alone`."""
    book = Book(step_ms=1_700)
    plan = book.infer(book.prompt("Repair it."), result={"text": "# Plan\n\n- **run** `pytest`"})
    run = {"command": "pytest --color=yes"}
    book.tool("Bash", plan, args=run, success=False, duration_ms=900, result={"stdout": RED})
    change = {"file_path": "a.py", "old_string": "def a():\n    return 1", "new_string": "def a():\n    pass"}
    book.tool("Edit", plan, args=change, duration_ms=9)
    book.infer(book.prompt("Look for more.", plan, by=SUB), by=SUB, result=ref("# Found\n\nnothing"))
    book.spawn(plan, "Look for more.", result={"text": "nothing"}, duration_ms=3_000)
    if not alone:
        book.infer(book.prompt("Another day.", by="human:dawn"), by="agent:clerk@2")
    return book


WALK = (
    (Place.LEDGERS, ()),
    (Place.EVENTS, ("f", *"is:failed", "enter")),
    (Place.LEDGERS, ("escape",)),
    (Place.STATS, ("S",)),
    (Place.SESSION, ("escape", "g", "G", "k", "enter")),
    (Place.SESSION, ("g", "e")),
    (Place.SESSION, ("j", "enter", "j", "escape")),
    (Place.SESSION, ("f", "i", "s", "colon")),
    (Place.SESSION, ("escape", "slash", "a", "enter", "w")),
    (Place.TIMELINE, ("t",)),
    (Place.EFFECTS, ("escape", "g", "v")),
    (Place.FINDINGS, ("escape", "!", "n")),
    (Place.COMPARE, ("escape", "C")),
    (Place.COMPARE, ("enter", "n")),
    (Place.SESSION, ("escape", "escape", "m")),
    (Place.BOOKMARKS, ("apostrophe",)),
    (Place.SESSION, ("escape", "semicolon")),
    (Place.EXPORT, ("escape", "x")),
    (Place.PREVIEW, ("escape", "g", "r")),
    (Place.PREVIEW, ("j", "j", "w", "s")),
    (Place.HELP, ("question_mark",)),
    (Place.PREVIEW, ("escape", "ctrl+p")),
)
"""Where one is after which keys."""


def place(app: KorgApp) -> Place:
    """Where one is; below the palette, where it was opened."""
    screens = [screen for screen in app.screen_stack if isinstance(screen, KorgScreen)]
    return screens[-1].situation.place


async def test_no_colour_and_no_sign_beyond_ascii_reaches_any_screen(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_over(ledger(alone=False), settings=Settings(ascii=True), clock=FixedClock())
    async with app.run_test(size=(120, 30)) as pilot:
        for step, (where, pressed) in enumerate(WALK):
            await keys(pilot, *pressed)
            await app.workers.wait_for_complete()
            if step == len(WALK) - 3:
                await resized(pilot, 80, 24)
            await pilot.pause()
            assert place(app) is where, pressed
            assert painted(app) == set(), (where, pressed)
            assert foreign(app) == set(), (where, pressed)
        await keys(pilot, "escape")
        (reading,) = app.readings
        value = ValueMatter(reading, reading.journal.ledgers[0], 2, "/result/stdout")
        await app.push_screen(ReaderScreen(value, [("3 Bash", "")]))
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert any("FAILED" in strip.text for strip in app.screen._compositor.render_strips())
        assert (painted(app), foreign(app)) == (set(), set())
    assert {where for where, _ in WALK} | {Place.READER} == set(Place)


async def test_the_colours_of_the_terminal_are_all_that_its_theme_has():
    app = app_over(ledger(), theme="ansi")
    async with app.run_test(size=(120, 40)) as pilot:
        await keys(pilot, "g", "e")
        assert {name for name in painted(app) if not name.startswith("color(")} == OF_THE_COMMAND
        await keys(pilot, "r", "ctrl+p")
        assert {name for name in painted(app) if not name.startswith("color(")} <= OF_THE_COMMAND


def is_colour(code: str) -> bool:
    """Whether a number of `CSI … m` sets a colour; 39 and 49 take the terminal's own."""
    number = int(code or 0)
    return 30 <= number <= 38 or 40 <= number <= 48 or 90 <= number <= 107


def test_a_terminal_gets_no_colour_and_no_mouse_and_keys_of_the_configuration(tmp_path):
    (tmp_path / "journal.jsonl").write_bytes(ledger().nested())
    (tmp_path / "korg.toml").write_text('[screen]\nmouse = false\n[keys]\nhelp = "H"\n')
    more = {"NO_COLOR": "1", "KORG_TUI_CONFIG": str(tmp_path / "korg.toml")}
    with Terminal(korg("journal.jsonl"), home=tmp_path, size=(100, 30), more=more) as terminal:
        terminal.see("H help", "FOLLOW")
        terminal.press("g", "e")
        terminal.see("FAILED tests/test_dates.py")
        terminal.press("R")
        terminal.see("Keep ")
        terminal.press("H", "G")
        terminal.see("korg.toml")
        terminal.press("escape", "ctrl+p")
        terminal.see("Search for commands")
        terminal.press("escape")
        terminal.miss("Search for commands")
        terminal.press("q")
        assert terminal.end() == 0
        written = Written(bytes(terminal.raw))
    codes = {code for each in written.forms["CSI m"] for code in each.split(";")}
    assert {"1", "7"} <= codes
    assert {code for code in codes if is_colour(code)} == set()
    assert not {"CSI ?1000h", "CSI ?1003h"} & written.forms.keys()
