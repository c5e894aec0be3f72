"""The app: leaving it, help, palette, themes, faults, and facts that wait for a calculation."""

from __future__ import annotations

import threading

import pytest

from builders import FixedClock
from korg_tui import commands
from korg_tui.app import KorgApp
from korg_tui.commands import COMMANDS, Place
from korg_tui.palette import TablePalette
from korg_tui.screens import HelpScreen, SessionScreen, asking
from stage import MemorySource, app_over, keys, story, worked_example


async def test_q_quits():
    app = app_over(worked_example())
    async with app.run_test() as pilot:
        await keys(pilot, "q")
    assert app.return_code == 0


async def test_ctrl_c_asks_once_and_then_quits():
    clock = FixedClock()
    app = app_over(worked_example(), clock=clock)
    async with app.run_test() as pilot:
        await keys(pilot, "ctrl+c")
        assert app.screen.status.plain == "ctrl+c again quits"
        clock.move(10)
        await keys(pilot, "ctrl+c")
        assert app.is_running
        clock.move(1)
        await keys(pilot, "ctrl+c")
    assert app.return_value == 130


async def test_ctrl_c_copies_a_selection():
    app = app_over(worked_example())
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.mouse_down("#details", offset=(2, 1))
        await pilot.hover("#details", offset=(30, 2))
        await pilot.mouse_up("#details", offset=(30, 2))
        await keys(pilot, "ctrl+c")
        assert app.screen.status.plain == "the selection was sent to the terminal's clipboard"
        assert "succeeded" in app.clipboard


async def test_help_lists_the_table_says_why_not_and_can_be_searched():
    app = app_over(worked_example())
    async with app.run_test(size=(100, 60)) as pilot:
        await keys(pilot, "g", "question_mark")
        assert isinstance(app.screen, HelpScreen)
        lines = app.screen.lines
        drawn = [lines.draw(index, 98).text for index in range(lines.count)]
        assert sum(isinstance(row, commands.Command) for row in lines.rows) == len(COMMANDS)
        assert any("next failed call  (nothing failed in this session)" in row for row in drawn)
        elsewhere = drawn.index(next(row for row in drawn if "Elsewhere: ledgers and sessions" in row))
        assert any("play the recorded demo session" in row for row in drawn[elsewhere:])
        assert any("tool:      tools whose name has this: tool:Bash" in row for row in drawn)
        assert any("file       the built-in settings, no file" in row for row in drawn)
        await keys(pilot, "slash", *"rewind to before", "enter")
        assert [row.id for row in lines.rows if isinstance(row, commands.Command)] == ["rewind-before"]
        await keys(pilot, "escape", "escape")
        assert isinstance(app.screen, SessionScreen)


async def test_the_palette_offers_what_can_be_done_now_and_says_of_the_rest_why_not():
    app = app_over(worked_example())
    async with app.run_test(size=(100, 40)) as pilot:
        await keys(pilot, "g")
        offered = {hit.text: hit.help async for hit in TablePalette(app.screen).discover()}
        assert offered["preview a rewind to this row (r)"] is None
        assert offered["next failed call (e)"] == "not now: nothing failed in this session"
        assert list(offered).index("quit (q)") < list(offered).index("next failed call (e)")
        assert not any(title.startswith("open the session") for title in offered), "that is for another place"
        await keys(pilot, "ctrl+p", *"preview rewind this", "enter")
        assert app.screen.previewing


async def test_the_palette_may_be_closed_before_it_has_begun():
    app = app_over(worked_example())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.action_command_palette()
        palette = app.screen
        await palette.remove_children()
        palette._gather_commands("rewind")
        palette._list_visible = palette._show_busy = True
        await keys(pilot, "down", "escape")
        await pilot.pause()
        assert isinstance(app.screen, SessionScreen)


async def test_a_fault_is_kept_for_the_command_line_and_prints_nothing(capsys):
    app = app_over(worked_example())
    with pytest.raises(RuntimeError, match="a fault of ours"):
        async with app.run_test() as pilot:
            await pilot.pause()

            def breaks() -> None:
                raise RuntimeError("a fault of ours")

            app.screen.do_parent = breaks
            await keys(pilot, "p")
    assert isinstance(app.fault, RuntimeError)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("no_color", "plain"), [("", False), ("1", True), (None, False)])
async def test_no_color_is_respected_from_the_start(monkeypatch, no_color, plain):
    if no_color is not None:
        monkeypatch.setenv("NO_COLOR", no_color)
    app = app_over(worked_example())
    async with app.run_test() as pilot:
        await pilot.pause()
        assert app.native_ansi_color == plain
        colours = {
            segment.style.color
            for strip in app.screen._compositor.render_strips()
            for segment in app_filtered(app, strip)
            if segment.style and segment.style.color and not segment.style.color.is_default
        }
        assert bool(colours) != plain
        hues = [colour for colour in colours if len(set(colour.triplet)) > 1]
        assert bool(hues) != plain


def app_filtered(app: KorgApp, strip):
    """A strip as it goes to the terminal."""
    from textual.color import Color

    for line_filter in app.get_line_filters():
        strip = strip.apply_filter(line_filter, Color(0, 0, 0))
    return strip


@pytest.mark.parametrize("theme", ["dark", "light"])
async def test_themes_are_chosen_by_name(theme):
    app = app_over(worked_example(), theme=theme)
    async with app.run_test():
        assert app.current_theme.name == f"korg-{theme}"
        assert app.current_theme.dark == (theme == "dark")


async def test_ascii_draws_without_box_drawing():
    app = app_over(story(), ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await keys(pilot, "G", "enter")
        view = app.screen.view
        rails = "".join(view.draw(index, view.row_width).text[4:12] for index in range(view.count))
        assert rails.isascii()


async def test_a_long_calculation_runs_beside_the_screen_and_facts_wait_for_it(monkeypatch):
    monkeypatch.setattr(asking, "LONG", 1)
    source = MemorySource(worked_example())
    app = app_over(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        hold = threading.Event()
        shown: list[str] = []
        app.screen.asking.ask("x", lambda: hold.wait(5), lambda _: shown.append("first"), rows=9)
        await pilot.pause()
        app.screen.asking.ask("x", lambda: True, lambda _: shown.append("second"), rows=9)
        await pilot.pause()
        longer = worked_example()
        longer.infer(7, by="agent:main")
        source.append(longer.nested()[len(source.epochs[-1]) :])
        await pilot.pause()
        assert len(app.screen.ledger) == 7
        await keys(pilot, "k")
        assert app.screen.row == 5
        hold.set()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert shown == ["second"]
        assert len(app.screen.ledger) == 8


def test_every_place_has_an_owner():
    assert {place for entry in COMMANDS for place in entry.places} == set(Place)
