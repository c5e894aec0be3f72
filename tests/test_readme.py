"""The README is true to the last line that a test can read."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from urllib.parse import unquote

import pytest

from builders import WORKED_EXAMPLE, table
from korg_tui.cli import main
from korg_tui.commands import Place, key_table
from korg_tui.config import OPTIONS, load
from korg_tui.recorder import client

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def block(name: str) -> str:
    """The shell block behind `<!-- name -->`."""
    found = re.search(rf"<!-- {name} -->\n```sh\n(.*?)\n```", README, re.DOTALL)
    assert found, name
    return found[1]


def test_the_key_table_is_that_of_the_program() -> None:
    between = README.split("<!-- keys -->\n")[1].split("<!-- /keys -->")[0]
    assert between.strip() == key_table().strip()


def test_every_picture_and_every_file_it_names_is_there() -> None:
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert len([link for link in links if link.endswith(".svg")]) >= 3
    for link in links:
        assert (ROOT / unquote(link)).is_file(), link
    for path in re.findall(r"`((?:tests|styles|snapshots|benchmarks|\.ci|korg_tui)/[^`\s]*)`", README):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("name", ["demo", "tests"])
def test_the_two_commands_are_one_line_each_and_make_what_they_need(name: str) -> None:
    command = block(name)
    assert "\n" not in command
    steps = [shlex.split(step) for step in command.split("&&")]
    assert [step[0] for step in steps[:2]] == ["python3", ".venv/bin/pip"]
    assert steps[2][0] in (".venv/bin/korg-tui", ".venv/bin/pytest")
    assert steps[0][1:] == ["-m", "venv", ".venv"]
    assert ("-c" in steps[1]) == (name == "tests")


def test_every_command_of_the_program_is_in_the_table() -> None:
    named = set(re.findall(r"^\| `korg-tui \[?(\w+)", README, re.MULTILINE))
    assert named == {
        "tui",
        "demo",
        "config",
        "completion",
        "sessions",
        "lanes",
        "stats",
        "compare",
        "show",
        "rewind",
        "blob",
        "export",
        "follow",
        "check",
        "verify",
        "serve",
    }


def test_the_examples_on_the_demo_work(capsys: pytest.CaptureFixture[str]) -> None:
    examples = [line for line in README.splitlines() if line.startswith("korg-tui") and "--demo" in line]
    assert len(examples) >= 2
    for example in examples:
        words = shlex.split(example.split(" | ")[0].split("#")[0])[1:]
        if words != ["--demo"]:
            assert main(words) == 0
            assert capsys.readouterr().out


def test_the_example_in_python_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".korg").mkdir()
    (tmp_path / ".korg" / "journal.jsonl").write_bytes(table(WORKED_EXAMPLE).nested())
    monkeypatch.chdir(tmp_path)
    found = re.search(r"## From Python\n+```python\n(.*?)```", README, re.DOTALL)
    assert found
    names: dict[str, object] = {}
    exec(found[1].replace("42", "5"), names)
    assert capsys.readouterr().out.strip() == "(6, 7)"
    assert len(names["graph"]) == 7


def test_it_says_first_what_it_is_for_and_what_a_preview_is_not() -> None:
    first = README[: README.index("## Two commands")]
    assert "never rewinds" in first
    assert "never writes to a ledger" in first


def test_the_example_of_the_client_is_the_one_of_its_documentation() -> None:
    found = re.search(r"<!-- client -->\n```python\n(.*?)```", README, re.DOTALL)
    assert found
    documented = "\n".join(line.removeprefix("    ") for line in (client.__doc__ or "").splitlines())
    assert found[1].strip() in documented


def test_the_example_of_a_configuration_is_one(tmp_path: Path) -> None:
    found = re.search(r"<!-- config -->\n```toml\n(.*?)```", README, re.DOTALL)
    assert found
    (tmp_path / "config.toml").write_text(found[1], "utf-8")
    settings = load(str(tmp_path / "config.toml"), environment={}).settings
    assert settings.theme == "high-contrast"
    assert settings.keymap.for_key("^", Place.SESSION) == settings.keymap.command("parent")
    assert {line.split(" = ")[0] for line in found[1].splitlines()} >= {option.name for option in OPTIONS}
