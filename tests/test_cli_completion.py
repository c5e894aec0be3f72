"""Shells complete commands, options, their choices, and files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from korg_tui.cli import main

KORG = [sys.executable, "-m", "korg_tui"]


OFFERED = {
    "korg-tui se": {"sessions", "serve"},
    "korg-tui --the": {"--theme"},
    "korg-tui x.jsonl --theme ": {"dark", "light", "high-contrast", "ansi"},
    "korg-tui check --": {"--json", "--since", "--junit", "--demo", "--help"},
    "korg-tui config ": {"path", "show", "check", "--config", "--json", "-h", "--help"},
    "korg-tui show --fil": {"--filter"},
    "korg-tui demo --sp": {"--speed"},
    "korg-tui ./jour": {"./journal.jsonl"},
    "korg-tui rewind 4 jour": {"journal.jsonl"},
}

ASK_ALL = """
import json, os, sys
from korg_tui.cli import main
for number, line in enumerate(json.loads(sys.argv[1])):
    if os.fork() == 0:
        os.environ |= {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE": "1"}
        os.environ |= {"_ARGCOMPLETE_IFS": "\\n", "_ARGCOMPLETE_STDOUT_FILENAME": f"answer-{number}"}
        main()
    os.wait()
"""


def test_what_is_offered_at_the_end_of_a_line(tmp_path):
    (tmp_path / "journal.jsonl").touch()
    words = [sys.executable, "-c", ASK_ALL, json.dumps(list(OFFERED))]
    subprocess.run(words, cwd=tmp_path, check=True, timeout=60)
    answers = [(tmp_path / f"answer-{number}").read_text() for number in range(len(OFFERED))]
    offered = [{word.strip() for word in answer.split("\n")} for answer in answers]
    assert dict(zip(OFFERED, offered, strict=True)) == OFFERED


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_for_korg_tui_alone(capsys, shell):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "_ARGCOMPLETE" in script
    assert "korg-tui" in script
    assert " korg " not in script


ASKED = {
    "bash": """
source script
COMP_LINE='korg-tui conf' COMP_POINT=13 COMP_WORDS=(korg-tui conf) COMP_CWORD=1 COMP_TYPE=9
function_name=$(complete -p korg-tui | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
$function_name korg-tui conf korg-tui
echo "${COMPREPLY[@]}"
""",
    "fish": "source script; complete -C 'korg-tui conf'",
    "zsh": "autoload -U compinit; compinit -u; source script; print $_comps[korg-tui]",
}
ANSWERS = {"bash": "config", "fish": "config", "zsh": "_python_argcomplete"}


@pytest.mark.slow
@pytest.mark.parametrize("shell", ASKED)
def test_a_real_shell_offers_it(tmp_path, shell):
    assert shutil.which(shell), f"this test needs {shell}"
    script = subprocess.run([*KORG, "completion", shell], capture_output=True, check=True, timeout=60).stdout
    (tmp_path / "script").write_bytes(script)
    (tmp_path / "korg-tui").write_text(f"#!/bin/sh\nexec {sys.executable} -m korg_tui \"$@\"\n")
    (tmp_path / "korg-tui").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    words = [shell, "-c", ASKED[shell]]
    done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, timeout=60, check=True)
    assert done.stdout.decode().split()[:1] == [ANSWERS[shell]]
