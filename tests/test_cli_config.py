"""`korg-tui config`, and what the configuration does to the commands."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from builders import WORKED_EXAMPLE, table
from korg_tui import cli, opening, reports
from korg_tui.cli import main
from korg_tui.commands import COMMANDS
from korg_tui.config import Configuration


@pytest.fixture
def usual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The usual place of the configuration; nothing lies there yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("KORG_TUI_CONFIG", raising=False)
    path = tmp_path / "korg-tui" / "config.toml"
    path.parent.mkdir()
    return path


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Configuration]:
    """The configurations with which the screen was opened."""
    seen: list[Configuration] = []

    def run(words: object, *, configuration: Configuration, **more: object) -> int:
        seen.append(configuration)
        return 0

    monkeypatch.setattr(opening, "run", run)
    return seen


def test_path_prints_the_one_that_counts_and_narrates_the_others(usual, monkeypatch, capsys):
    assert main(["config", "path"]) == 0
    assert capsys.readouterr() == (f"{usual}\n", "korg-tui: not there, the usual place\n")
    usual.touch()
    monkeypatch.setenv("KORG_TUI_CONFIG", "/other.toml")
    assert main(["config", "path"]) == 0
    out, err = capsys.readouterr()
    assert out == "/other.toml\n"
    assert err.splitlines() == [
        "korg-tui: not there, named by $KORG_TUI_CONFIG",
        f"korg-tui: not looked at: {usual}, there, the usual place",
    ]
    assert main(["config", "path", "--config", "x.toml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {"path": "x.toml", "named_by": "--config", "exists": False},
        {"path": "/other.toml", "named_by": "$KORG_TUI_CONFIG", "exists": False},
        {"path": str(usual), "named_by": None, "exists": True},
    ]


def test_show_prints_what_is_in_force_as_a_file_that_check_accepts(usual, tmp_path, capsys):
    usual.write_text('[screen]\ntheme = "light"\n[keys]\ncopy = ["Y", "ü"]\n', "utf-8")
    assert main(["config", "show"]) == 0
    text = capsys.readouterr().out
    assert f'theme = "light"  # colours ({usual}:2)' in text
    assert tomllib.loads(text)["keys"].keys() == {entry.id for entry in COMMANDS}
    (tmp_path / "again.toml").write_text(text, "utf-8")
    assert main(["config", "check", "--config", str(tmp_path / "again.toml")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'again.toml'}: fine\n"
    assert main(["config", "show", "--json"]) == 0
    out = capsys.readouterr().out
    assert out.isascii()
    assert json.loads(out)["keys"]["copy"] == {"value": ["Y", "ü"], "from": f"{usual}:4"}


def test_options_may_stand_before_the_command(usual, tmp_path, opened, capsys):
    mine = tmp_path / "mine.toml"
    mine.write_text("")
    assert main(["--config", str(mine), "config", "check"]) == 0
    assert capsys.readouterr().out == f"{mine}: fine\n"
    # A value is never taken for a command.
    assert main(["--config", "config"]) == 2
    assert "config: no such file" in capsys.readouterr().err
    assert main(["--theme", "light", "tui"]) == 0
    assert opened[0].settings.theme == "light"


def test_check_lists_all_that_is_wrong(usual, capsys):
    assert main(["config", "check"]) == 0
    assert capsys.readouterr().out == f"{usual}: not there, all is as usual\n"
    usual.write_text("[screen]\nutc = 1\n[keys]\nzzz = 'x'\n")
    assert main(["config", "check"]) == 2
    assert capsys.readouterr().out.splitlines() == [
        f"{usual}:2: utc: true or false is allowed, not “1”",
        f"{usual}:4: unknown command “zzz”; korg-tui config show lists all",
    ]
    assert main(["config", "check", "--json"]) == 2
    problems = json.loads(capsys.readouterr().out)["problems"]
    assert [problem["line"] for problem in problems] == [2, 4]


def test_the_screen_opens_with_the_configuration_and_its_options_beat_it(usual, opened):
    usual.write_text('[screen]\ntheme = "light"\nascii = true\nmouse = false\n[source]\nevery = 2\n')
    assert main([]) == 0
    assert main(["--no-ascii", "--theme", "ansi", "--every", "0.5", "--mouse", "journal.jsonl"]) == 0
    first, second = (configuration.settings for configuration in opened)
    assert (first.theme, first.ascii, first.mouse, first.every) == ("light", True, False, 2.0)
    assert (second.theme, second.ascii, second.mouse, second.every) == ("ansi", False, True, 0.5)


@pytest.mark.parametrize("words", [[], ["demo"], ["follow", "--until-idle", "0"], ["config", "show"]])
def test_a_wrong_configuration_is_one_line_and_2_and_nothing_begins(usual, opened, capsys, words):
    usual.write_text('[screen]\ntheme = "light"\nfont = "big"\n')
    assert main(words) == 2
    line = f"korg-tui: {usual}:3: unknown key “font” in [screen]; there are theme, utc, "
    assert capsys.readouterr().err.startswith(line)
    assert opened == []


def test_commands_that_have_no_use_for_it_do_not_read_it(usual, tmp_path, capsys):
    usual.write_text("not TOML")
    ledger = tmp_path / "journal.jsonl"
    ledger.write_bytes(table(WORKED_EXAMPLE).nested())
    assert main(["sessions", str(ledger)]) == 0
    assert capsys.readouterr().err == ""


def test_follow_looks_as_often_as_it_says(usual, monkeypatch):
    usual.write_text("[source]\nevery = 7\n")
    seen: list[float] = []
    monkeypatch.setattr(reports, "follow", lambda arguments: seen.append(arguments.every) or 0)
    assert main(["follow", "x"]) == main(["follow", "x", "--every", "3"]) == 0
    assert seen == [7.0, 3.0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["config"], "the following arguments are required: path|show|check"),
        (["config", "chek"], "argument path|show|check: invalid choice: 'chek'"),
        (["config", "show", "more"], "config show takes nothing more; --config FILE names a file"),
        (["completion", "csh"], "argument bash|zsh|fish: invalid choice: 'csh'"),
        (["--theme", "drak"], "argument --theme: invalid choice: 'drak'"),
    ],
)
def test_wrong_usage_is_one_line_and_2(usual, capsys, words, said):
    assert main(words) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"korg-tui: {said}")
    assert err.count("\n") == 1


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["config", "--help"]])
def test_the_product_is_called_korg_tui(capsys, words):
    with pytest.raises(SystemExit) as end:
        cli.main(words)
    assert end.value.code == 0
    out = capsys.readouterr().out
    assert "korg-tui" in out
    assert " korg " not in out
