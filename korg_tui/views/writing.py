"""Writing: what a writing tool was told to write, as diffs, as far as arguments and result tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from korg_tui.text import visible
from korg_tui.views import calls
from korg_tui.views.diffs import Diff
from korg_tui.views.patches import Hunk, changes, compared, parse_patch, structured, written
from korg_tui.views.sections import Opens, Section

EDITS = 50
"""Edits of one call that are shown; the others are told."""

_OLD = ("old_string", "old_str", "old_text")
_NEW = ("new_string", "new_str", "new_text")
_CONTENT = ("content", "new_source", "contents", "file_text")
_COUNTED = "lines are counted from where the replaced text begins"

Shown = tuple[list[Section], list[str]]
"""Sections, and the arguments that they show."""


def changed(tool: str, args: object, result: object) -> Shown | None:
    """What a call writes, as diffs; None when its arguments do not tell it."""
    if tool == "apply_patch":
        return _patched(args)
    if not isinstance(args, Mapping):
        return None
    path = calls.text_at(args, calls.PATH_KEYS)
    keys = [key for key in calls.PATH_KEYS if args.get(key) == path][:1]
    edited = _edited(args, path, result)
    if edited is not None:
        section, more = edited
        return [section], [*keys, *more]
    for key in _CONTENT:
        if isinstance(args.get(key), str):
            diff = Diff(Opens("value", f"/args/{key}"))
            diff.hunks(structured(_patch_of(result)) or [written(args[key])], path)
            return [diff.section(_titled("written", path))], [*keys, key]
    return None


def _titled(word: str, path: str) -> str:
    return f"{word} {visible(path, 400)}" if path else word


def _patch_of(result: object) -> object:
    return result.get("structuredPatch") if isinstance(result, Mapping) else None


def _edited(args: Mapping[str, Any], path: str, result: object) -> tuple[Section, list[str]] | None:
    """Edits: where the result has the hunks as they were applied, these; else old against new."""
    pairs = [(args, "/args")]
    edits = args.get("edits")
    if isinstance(edits, list):
        pairs += [(edit, f"/args/edits/{index}") for index, edit in enumerate(edits[:EDITS])]
    found = [each for each in (_pair(edit, where) for edit, where in pairs) if each is not None]
    if not found:
        return None
    diff = Diff(Opens("value", "/args"))
    applied = structured(_patch_of(result))
    if applied:
        diff.hunks(applied, path)
    else:
        diff.note(_COUNTED)
        for number, (old, new, every) in enumerate(found):
            _compare(diff, old, new, path, f"edit {number + 1}" if len(found) > 1 else "", every)
    more = isinstance(edits, list) and len(edits) > EDITS
    shown = [key for key in (*_OLD, *_NEW, "edits") if not (key == "edits" and more)]
    return diff.section(_titled("change", path)), shown


def _compare(diff: Diff, old: str, new: str, path: str, words: str, every: bool) -> None:
    hunks = compared(old, new)
    said = " ".join(filter(None, (words, "at every place" if every else "")))
    if not hunks:
        diff.note(" ".join(filter(None, (said, "old and new are the same"))))
    elif said:
        diff.hunks([Hunk(words=said)], path)
    diff.hunks(hunks, path)


def _pair(edit: object, where: str) -> tuple[str, str, bool] | None:
    del where
    if not isinstance(edit, Mapping):
        return None
    old = next((edit[key] for key in _OLD if isinstance(edit.get(key), str)), None)
    new = next((edit[key] for key in _NEW if isinstance(edit.get(key), str)), None)
    return None if old is None or new is None else (old, new, edit.get("replace_all") is True)


def _patched(args: object) -> Shown | None:
    """A patch as text, or as an object of changes."""
    if isinstance(args, Mapping) and (files := changes(args.get("changes"))):
        keys, where = ["changes"], "/args/changes"
    else:
        text = calls.patch(args)
        files = parse_patch(text) if text.strip() else []
        taken = (*calls.PATCH_KEYS, *calls.COMMAND_KEYS)
        keys = [key for key in taken if isinstance(args, Mapping) and isinstance(args.get(key), (str, list))]
        where = f"/args/{keys[0]}" if keys else "/args"
    if not files:
        return None
    diff = Diff(Opens("value", where))
    for file in files:
        diff.file(file)
    return [diff.section("patch")], keys
