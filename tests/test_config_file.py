"""The configuration file: strict, whole or not at all, and every error with its line and what is allowed."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest

from korg_tui.commands import DEFAULT, Place
from korg_tui.config import OPTIONS, ConfigError, Settings, as_document, as_toml, load, places


@pytest.fixture
def write(tmp_path: Path):
    """Writes a configuration, and returns its path as `--config` names it."""

    def write(text: str | bytes) -> str:
        path = tmp_path / "korg.toml"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(path)

    return write


def wrong(path: str) -> list[tuple[int, str]]:
    with pytest.raises(ConfigError) as error:
        load(path, environment={})
    return [(problem.line, problem.text) for problem in error.value.problems]


def test_the_file_beats_the_defaults_and_the_command_line_beats_the_file(write):
    path = write('[screen]\ntheme = "light"\nutc = true\n[source]\nevery = 5\n[keys]\ncopy = ["y", "Y"]\n')
    found = load(path, {"utc": False, "ascii": None}, environment={})
    assert found.settings.theme == "light"
    assert found.settings.utc is False
    assert found.settings.every == 5.0
    assert found.settings.ascii is Settings().ascii
    assert found.settings.keymap.for_key("Y", Place.SESSION).id == "copy"
    assert found.said_by == {
        "theme": f"{path}:2", "every": f"{path}:5", "keys.copy": f"{path}:7", "utc": "the command line",
    }  # fmt: skip


def test_an_empty_file_changes_nothing(write):
    assert load(write(""), environment={}).settings == Settings()
    assert load(write("\ufeff# nothing\r\n[screen]\r\n"), environment={}).settings == Settings()


WRONG = {
    '[screen]\nthem = "light"': (2, "unknown key “them” in [screen]; did you mean theme?"),
    "[screen]\nevery = 1": (2, "unknown key “every” in [screen]; it stands in [source]"),
    "[source]\nzzz = 1": (2, "unknown key “zzz” in [source]; there are every"),
    "[scren]\nutc = true": (1, "unknown section “scren”; did you mean screen?"),
    "theme = 'light'": (1, "unknown section “theme”; theme stands in [screen]"),
    "\n\nscreen = 3": (3, "screen is a section, [screen], not “3”"),
    "[[screen]]\nutc = true": (1, "screen is a section, [screen], not a list"),
    '[screen]\n\ntheme = "drak"': (
        3,
        "theme: dark, light, high-contrast or ansi is allowed, not “drak”; did you mean dark?",
    ),
    '[screen]\ntheme = "a\\u001bb"': (
        2,
        "theme: dark, light, high-contrast or ansi is allowed, not “a␛b”",
    ),
    '[screen]\nutc = "yes"': (2, "utc: true or false is allowed, not “yes”"),
    "[screen]\nutc = 1": (2, "utc: true or false is allowed, not “1”"),
    "[source]\nevery = true": (2, "every: a number from 0.2 to 60 is allowed, not true"),
    "[source]\nevery = 0.1": (2, "every: 0.1 is not from 0.2 to 60 seconds"),
    "[source]\nevery = nan": (2, "every: nan is not from 0.2 to 60 seconds"),
    "[source]\nevery = 1979-05-27": (2, "every: a number from 0.2 to 60 is allowed, not a date or time"),
    "[screen]\nutc = yes": (2, "not TOML: Invalid value"),
    "[screen]\nutc = true\nutc = true": (3, "not TOML: Cannot overwrite a value"),
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_has_its_line_and_says_what_is_allowed(write, text):
    assert wrong(write(text)) == [WRONG[text]]


def test_all_that_is_wrong_is_told_and_nothing_of_the_file_is_in_force(write):
    path = write('[keys]\ncopy = "1"\n[screen]\ntheme = "light"\nutc = 1\n')
    assert [line for line, _ in wrong(path)] == [2, 5]
    with pytest.raises(ConfigError) as error:
        load(path, environment={})
    first, more = str(error.value).split(" (and ")
    assert first == f"{path}:2: copy: “1” begins a number: a digit is no key for a command"
    assert more == "1 more: korg-tui config check lists all)"


@pytest.mark.parametrize(
    ("content", "line", "text"),
    [
        (b"[screen]\n# \xff\n", 2, "not UTF-8, as TOML has to be"),
        (b"#" * (1 << 20) + b"\n", 0, "more than 1 MB: this is no configuration"),
        (b"a = " + b"[" * 100_000, 0, "nested too deeply"),
    ],
)
def test_what_is_no_configuration_is_said(write, content, line, text):
    assert wrong(write(content)) == [(line, text)]


def test_a_file_that_is_named_has_to_be_there(tmp_path):
    assert wrong(str(tmp_path / "none.toml")) == [(0, "no such file; --config names it")]
    assert wrong(str(tmp_path)) == [(0, "cannot be read: it is no regular file")]
    os.mkfifo(tmp_path / "pipe")
    assert wrong(str(tmp_path / "pipe")) == [(0, "cannot be read: it is no regular file")]
    assert load(os.devnull).settings == Settings()
    with pytest.raises(ConfigError, match=r"no such file; \$KORG_TUI_CONFIG names it"):
        load(environment={"KORG_TUI_CONFIG": str(tmp_path / "none.toml")})
    assert load(environment={"XDG_CONFIG_HOME": str(tmp_path)}).settings == Settings()


def test_where_it_lies(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    environment = {"KORG_TUI_CONFIG": "/b", "XDG_CONFIG_HOME": "/c"}
    assert [str(where.path) for where in places("/a", environment)] == ["/a", "/b", "/c/korg-tui/config.toml"]
    usual = str(tmp_path / ".config" / "korg-tui" / "config.toml")
    assert [str(where.path) for where in places(None, {"XDG_CONFIG_HOME": "relative"})] == [usual]


def test_what_is_shown_reads_back_as_the_same(write):
    path = write('[screen]\nascii = true\n[keys]\ncopy = ["Y", "\\"", "ü"]\nscope = ""\nback = "\\\\"\n')
    found = load(path, {"theme": "light"}, environment={})
    text = as_toml(found)
    assert load(write(text), environment={}).settings == found.settings
    assert 'theme = "light"  # colours (the command line)' in text
    assert f"ascii = true  # for fonts without box drawing ({path}:2)" in text
    assert "mouse = true  # take the mouse (default)" in text
    assert re.search(rf'copy = \["Y", "\\"", "ü"\]  # .+ \({path}:4\)', text)
    assert re.search(rf"scope = \[\]  # .+ \({path}:5\)", text)
    document = as_document(found)
    assert document["screen"]["ascii"] == {"value": True, "from": f"{path}:2"}
    assert {section: list(values) for section, values in tomllib.loads(text).items()} == {
        section: list(values) for section, values in document.items()
    }


def test_every_setting_of_the_screen_can_be_written_down():
    written = {option.name for option in OPTIONS} | {"keymap"}
    assert written == set(Settings.__dataclass_fields__)
    assert all(option.read(option.default) == option.default for option in OPTIONS)


def test_a_path_in_the_text_acts_on_no_terminal(tmp_path):
    path = tmp_path / "a\x1b[31m.toml"
    path.write_text("[screen]\nutc = true\n")
    text = as_toml(load(str(path), environment={}))
    assert "\x1b" not in text
    assert re.search(r"utc = true  # .*a␛\[31m\.toml:2\)", text)
    assert tomllib.loads(text)["keys"].keys() == {entry.id for entry in DEFAULT.table}
