"""The argument that matters, tool by tool."""

from __future__ import annotations

import json
from typing import Any

import pytest

from builders import ref
from korg_tui.event import Kind
from korg_tui.formats import body
from korg_tui.views import argument
from korg_tui.views.calls import command, paths_written, reaches_outside
from korg_tui.views.usage import usage_of

BLOB = ref("y" * 1_649)
DIGEST = BLOB["_ref"].removeprefix("sha256:")


def made(args: Any = None, result: Any = None):
    found = body(json.dumps({"seq_id": 1, "tool_name": "x", "args": args, "result": result}).encode())
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("tool", "kind", "args", "result", "shown"),
    [
        ("user_prompt", Kind.PROMPT, {"prompt": "\n\nfix the bug\nplease"}, {}, "fix the bug …"),
        ("user_prompt", Kind.PROMPT, {"prompt": BLOB}, {}, f"blob {DIGEST[:8]} (1.6 KB)"),
        ("user_prompt", Kind.PROMPT, BLOB, {}, f"blob {DIGEST[:8]} (1.6 KB)"),
        ("user_prompt", Kind.PROMPT, {}, {}, ""),
        (
            "llm_inference",
            Kind.INFERENCE,
            {"prompt_tokens": 1_100},
            {"completion_tokens": 120},
            "1.2k tokens",
        ),
        (
            "llm_inference",
            Kind.INFERENCE,
            {"usage": {"input_tokens": 7}},
            {"text": "Done."},
            "7 tokens · Done.",
        ),
        ("llm_inference", Kind.INFERENCE, {"model": "gpt"}, "Success", "gpt"),
        ("llm_inference", Kind.INFERENCE, {"thinking": "hm"}, {}, "hm"),
        ("Read", Kind.TOOL, {"file_path": "src/parser.py", "limit": 3}, {}, "src/parser.py"),
        ("Grep", Kind.TOOL, {"pattern": r"\]\(", "path": "docs"}, {}, r"\]\( in docs"),
        ("Glob", Kind.TOOL, {"pattern": "**/*.py"}, {}, "**/*.py"),
        ("Bash", Kind.TOOL, {"command": "ls -la", "description": "list"}, {}, "ls -la"),
        ("exec_command", Kind.TOOL, {"cmd": ["bash", "-lc", "ls"]}, {}, "bash -lc ls"),
        (
            "apply_patch",
            Kind.TOOL,
            {"patch": "*** Update File: a.py\n+x\n*** Add File: b.py\n"},
            {},
            "a.py, b.py",
        ),
        ("WebFetch", Kind.TOOL, {"url": "https://example.org"}, {}, "https://example.org"),
        ("Agent", Kind.SPAWN, {"description": "survey", "prompt": "look"}, {}, "survey"),
        ("TodoWrite", Kind.TOOL, {"todos": [1, 2, 3]}, {}, "3 todos"),
        ("mcp__x__y", Kind.TOOL, {"depth": 3, "deep": {"a": 1}, "on": True}, {}, "depth=3 on=true"),
        ("stall.verdict", Kind.BOOKKEEPING, {}, {"verdict": "fine"}, "verdict=fine"),
        ("Edit", Kind.TOOL, "just text", {}, "just text"),
        ("Edit", Kind.TOOL, [1, 2], {}, "[1,2]"),
        ("Edit", Kind.TOOL, list(range(99)), {}, "99 items"),
        ("Edit", Kind.TOOL, None, None, ""),
        ("Bash", Kind.TOOL, {"command": "echo \x1b]0;x\x07"}, {}, "echo ␛]0;x␇"),
    ],
)
def test_argument(tool: str, kind: Kind, args: Any, result: Any, shown: str):
    assert argument(tool, made(args, result), kind) == shown


def test_a_governance_event_shows_its_own_fields():
    record = {"seq_id": 3, "event": {"event_type": "LedgerRewind", "target_seq_id": 1, "reason": "undo"}}
    found = body(json.dumps(record).encode())
    assert found is not None
    assert argument("LedgerRewind", found, Kind.GOVERNANCE) == "target_seq_id=1 reason=undo"


def test_a_huge_argument_is_cut():
    assert len(argument("Bash", made({"command": "x" * 3_000_000}))) == 400


@pytest.mark.parametrize(
    ("tool", "args", "paths"),
    [
        ("Edit", {"file_path": "a"}, ["a"]),
        ("NotebookEdit", {"notebook_path": "n.ipynb"}, ["n.ipynb"]),
        ("Read", {"file_path": "a"}, []),
        ("apply_patch", "*** Delete File: old.py\n*** Update File: a b.py\n*** Move to: c.py\n",
         ["old.py", "a b.py", "c.py"]),
        ("apply_patch", {"input": "--- a/x.py\n+++ b/x.py\n@@\n--- a/y\n+++ /dev/null\n"}, ["x.py"]),
        ("apply_patch", {"changes": {"p.py": {"add": {}}}}, ["p.py"]),
        ("apply_patch", {"command": ["apply_patch", "*** Add File: q.py\n"]}, ["q.py"]),
        ("apply_patch", {}, []),
    ],
)  # fmt: skip
def test_paths_written(tool: str, args: Any, paths: list[str]):
    assert paths_written(tool, args) == paths


def test_commands():
    assert command({"command": ["ls", 3]}) == "ls 3"
    assert command({"command": ref("x")}) == ""
    assert command("pwd") == "pwd"


def test_tokens_are_counted_once():
    usage = {"input_tokens": 5, "output_tokens": 6, "cache_read_input_tokens": 99}
    both = made({"prompt_tokens": 100}, {"completion_tokens": 20, "total_tokens": 120})
    assert usage_of(both).tokens == 120
    assert usage_of(made({}, {"usage": usage})).tokens == 11
    assert usage_of(made({}, {"total_tokens": 9})).tokens == 9
    assert usage_of(made({"prompt_tokens": True}, {"completion_tokens": -4})).tokens is None


def test_what_reaches_outside():
    outside = ["WebFetch", "web_search", "mcp__github__merge", "SendMessage", "never_heard_of"]
    local = ["Read", "Grep", "Glob", "LS", "TodoWrite", "list_files"]
    assert all(reaches_outside(tool, Kind.TOOL) for tool in outside)
    assert not any(reaches_outside(tool, Kind.TOOL) for tool in [*local, "Edit", "Bash"])
    assert not reaches_outside("Agent", Kind.SPAWN)
    assert not reaches_outside("stall.verdict", Kind.BOOKKEEPING)
