"""Calls: what a tool call says about itself: paths it wrote, the command it ran, tokens it used.

Tool names are taken verbatim (SPEC §1); what is returned is raw text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from korg_tui.event import Kind

WRITERS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch"})
"""Tools whose arguments name the files they write."""

RUNNERS = frozenset({"Bash", "exec_command", "shell"})
"""Tools that run a command."""

LOCAL = frozenset({
    "Read", "Grep", "Glob", "LS", "NotebookRead", "TodoWrite", "TodoRead", "read_file", "list_files",
    "list_dir", "search_files", "grep", "glob", "find_files", "view", "read", "ls", "update_plan",
    "ExitPlanMode", "EnterPlanMode", "BashOutput", "TaskOutput", "ToolSearch", "AskUserQuestion",
})  # fmt: skip
"""Tools that only read, or that only touch the agent's own notes."""

PATH_KEYS = ("file_path", "path", "filepath", "notebook_path")
COMMAND_KEYS = ("command", "cmd")
PATCH_KEYS = ("patch", "input", "diff", "patch_text", "changes")

_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.MULTILINE)
_DIFFED = re.compile(r"^\+\+\+ (?:b/)?([^\t\n]+)", re.MULTILINE)
_PATCH_LIMIT = 1_000_000


def reference(value: object) -> tuple[str, int | None] | None:
    """Digest and size in bytes of a content reference (SPEC §7.3), None when `value` is none."""
    if not isinstance(value, Mapping) or not isinstance(value.get("_ref"), str):
        return None
    length = value.get("size_bytes")
    return value["_ref"].removeprefix("sha256:"), length if is_count(length) else None


def text_at(args: object, keys: tuple[str, ...]) -> str:
    """The first of `keys` that holds text in `args`; empty when none does."""
    if isinstance(args, Mapping):
        for key in keys:
            if isinstance(args.get(key), str) and args[key]:
                return str(args[key])
    return ""


def command(args: object) -> str:
    """The command of a call that runs one; a list is joined with spaces."""
    if not isinstance(args, Mapping):
        return args if isinstance(args, str) else ""
    for key in COMMAND_KEYS:
        value = args.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value:
            return " ".join(part if isinstance(part, str) else json.dumps(part) for part in value)
    return ""


def patch(args: object) -> str:
    """The text of an `apply_patch` call."""
    if isinstance(args, str):
        return args
    said = args.get("command") if isinstance(args, Mapping) else None
    if isinstance(said, list):
        return "\n".join(part for part in said if isinstance(part, str))
    return text_at(args, (*PATCH_KEYS, *COMMAND_KEYS))


def paths_written(tool: str, args: object) -> list[str]:
    """The files that a call writes, as its arguments name them, without repetition."""
    if tool not in WRITERS:
        return []
    named = text_at(args, PATH_KEYS)
    if tool != "apply_patch":
        return [named] if named else []
    found = [named] if named else []
    found += _changed_paths(args)
    found += _patch_paths(patch(args))
    return list(dict.fromkeys(found))


def paths_named(tool: str, args: object) -> list[str]:
    """The files and folders that a call names in its arguments, read or written, without repetition."""
    named = text_at(args, PATH_KEYS)
    return list(dict.fromkeys([*([named] if named else []), *paths_written(tool, args)]))


def _patch_paths(text: str) -> Iterator[str]:
    marked = _PATCHED.findall(text, 0, _PATCH_LIMIT)
    for path in marked or _DIFFED.findall(text, 0, _PATCH_LIMIT):
        if path.strip() != "/dev/null":
            yield path.strip()


def _changed_paths(args: object) -> Iterator[str]:
    """Codex writes `changes` as an object from path to change, or as a list of objects with a path."""
    changes = args.get("changes") if isinstance(args, Mapping) else None
    if isinstance(changes, Mapping):
        yield from (path for path in changes if isinstance(path, str))
    elif isinstance(changes, list):
        yield from filter(None, (text_at(change, PATH_KEYS) for change in changes))


def reaches_outside(tool: str, kind: Kind) -> bool:
    """Whether a call may have had effects that are neither a written file nor a command: everything that is
    not known to be local."""
    return kind is Kind.TOOL and tool not in WRITERS and tool not in RUNNERS and tool not in LOCAL


def is_count(value: object) -> bool:
    """Whether a value can be a number of bytes or tokens."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63
