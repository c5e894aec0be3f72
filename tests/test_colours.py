"""Whether a person wants colours."""

from __future__ import annotations

import pytest

from korg_tui.cli import main
from korg_tui.colours import wanted
from stage import app_over, painted, worked_example


@pytest.mark.parametrize(
    ("environment", "answer"),
    [
        ({}, True),
        ({"TERM": "xterm-256color"}, True),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": "0"}, False),
        ({"NO_COLOR": ""}, True),
        ({"CLICOLOR": "0"}, False),
        ({"CLICOLOR": "1"}, True),
        ({"TERM": "dumb"}, False),
    ],
)
def test_the_environment_says_it(environment, answer):
    assert wanted(environment) is answer


@pytest.mark.parametrize("terminal", ["dumb", "unknown"])
def test_the_screen_on_a_terminal_that_cannot_draw_is_one_line_and_2(tmp_path, monkeypatch, capsys, terminal):
    ledger = tmp_path / "journal.jsonl"
    ledger.write_bytes(worked_example().nested())
    monkeypatch.setattr("os.isatty", lambda descriptor: True)
    monkeypatch.setenv("TERM", terminal)
    assert main([str(ledger)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("korg-tui: the screen needs a terminal that can draw, and TERM says that this one")
    assert said.count("\n") == 1


async def test_clicolor_0_is_no_colour_on_the_screen(monkeypatch):
    monkeypatch.setenv("CLICOLOR", "0")
    app = app_over(worked_example())
    async with app.run_test() as pilot:
        await pilot.pause()
        assert app.no_color
        assert painted(app) == set()
