"""Values: arguments and results as bounded, safe lines: JSON, text, a diff, or terminal output."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from korg_tui.text import CUT, visible, visible_lines
from korg_tui.views import calls
from korg_tui.views.sections import Line, Section, Style
from korg_tui.views.words import plural, size

LINES = 200
"""Lines of one value."""
CHARACTERS = 65_536
"""Characters of one value."""

_STRING = 8_192
_ITEMS = 200
_DEPTH = 40
_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")
_OUTPUT_KEYS = ("stdout", "stderr", "output", "aggregated_output")
_TEXT_KEYS = ("text", "content", "output", "message")


def bounded(text: str, style: Style = "", *, limit: int = LINES) -> list[Line]:
    """The first lines of a text; then one that says how much more there is."""
    head = text[:CHARACTERS]
    lines = head.split("\n", limit)
    kept = lines[:limit]
    shown = [Line(line, style) for line in visible_lines("\n".join(kept), limit)]
    rest = len(text) - sum(map(len, kept)) - (len(kept) - 1)
    if rest > (1 if len(lines) > limit else 0):
        shown.append(Line(f"{CUT} {size(_bytes(text[-rest:]))} more, not shown", "note"))
    return shown


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def as_json(value: object) -> list[Line]:
    """A value as indented JSON, long strings and long lists shortened with a note of what is left out."""
    return bounded(json.dumps(_shortened(value, _DEPTH), indent=2, ensure_ascii=False))


def _shortened(value: object, depth: int) -> Any:
    if isinstance(value, str):
        rest = value[_STRING:]
        return f"{value[:_STRING]}{CUT} {size(_bytes(rest))} more, not shown" if rest else value
    if isinstance(value, (Mapping, list)) and depth == 0:
        return f"{CUT} {plural(len(value), 'item')} deeper down, not shown"
    if isinstance(value, Mapping):
        pairs = list(value.items())
        short = {str(key)[:_STRING]: _shortened(each, depth - 1) for key, each in pairs[:_ITEMS]}
        if len(pairs) > _ITEMS:
            short[CUT] = f"{len(pairs) - _ITEMS:,} more, not shown"
        return short
    if isinstance(value, list):
        items = [_shortened(each, depth - 1) for each in value[:_ITEMS]]
        return [*items, f"{CUT} {len(value) - _ITEMS:,} more, not shown"] if len(value) > _ITEMS else items
    return value


def arguments(tool: str, args: object) -> list[Section]:
    """The arguments of a call as a person reads them: a diff, a command, else JSON or text."""
    if args in (None, {}, ""):
        return []
    if isinstance(args, str):
        return [_patch(args) if tool == "apply_patch" else _text("arguments", args)]
    blob = calls.reference(args)
    if blob is None and isinstance(args, Mapping):
        if tool in calls.WRITERS:
            return list(_change(tool, args))
        if tool in calls.RUNNERS and calls.command(args):
            command = bounded(calls.command(args))
            return [Section("command", "text", tuple(command)), *_rest("arguments", args, calls.COMMAND_KEYS)]
    return [Section("arguments", "json", tuple(as_json(args)))]


def result(tool: str, value: object, *, failed: bool) -> list[Section]:
    """The result of a call: terminal output, text, else JSON."""
    if value in (None, {}, ""):
        return []
    if isinstance(value, str):
        return [
            _terminal("result", value) if tool in calls.RUNNERS else _text("result", value, failed=failed)
        ]
    if isinstance(value, Mapping) and calls.reference(value) is None:
        keys = _OUTPUT_KEYS if tool in calls.RUNNERS else _TEXT_KEYS
        texts = [key for key in keys if isinstance(value.get(key), str) and value[key]]
        if texts and tool in calls.RUNNERS:
            return [*(_terminal(key, value[key]) for key in texts), *_rest("result", value, _OUTPUT_KEYS)]
        if texts:
            shown = texts[:1]
            return [
                _text("result", value[shown[0]], failed=failed),
                *_rest("more of the result", value, shown),
            ]
    return [Section("result", "json", tuple(as_json(value)))]


def _rest(title: str, value: Mapping[str, Any], shown: Iterable[str]) -> list[Section]:
    """What a mapping has besides what was shown apart; empty texts are worth no line."""
    left = {key: each for key, each in value.items() if not (key in shown and isinstance(each, str | list))}
    return [Section(title, "json", tuple(as_json(left)))] if left else []


def _text(title: str, text: str, *, failed: bool = False) -> Section:
    return Section(title, "text", tuple(bounded(text, "error" if failed else "")))


def _terminal(title: str, text: str) -> Section:
    """Terminal output. Colours are left out, and said so; every other control is shown for what it is."""
    plain, colours = _COLOURS.subn("", text[: 2 * CHARACTERS])
    lines = bounded(plain + text[2 * CHARACTERS :], "output")
    if colours:
        lines.append(Line(f"{plural(colours, 'colour code')} left out", "note"))
    return Section(title, "terminal", tuple(lines))


def _change(tool: str, args: Mapping[str, Any]) -> Iterator[Section]:
    """What a writing tool was told to write, as a diff as far as the arguments tell."""
    if tool == "apply_patch":
        if calls.patch(args):
            yield _patch(calls.patch(args))
            yield from _rest("arguments", args, (*calls.PATCH_KEYS, *calls.COMMAND_KEYS))
        else:
            yield Section("arguments", "json", tuple(as_json(args)))
        return
    path = calls.text_at(args, calls.PATH_KEYS)
    shown = [key for key in calls.PATH_KEYS if args.get(key) == path]
    where = f" {visible(path, 400)}" if path else ""
    for edit in [args, *_edits(args)]:
        old, new = edit.get("old_string"), edit.get("new_string")
        if isinstance(old, str) and isinstance(new, str):
            shown += ["old_string", "new_string", "edits"]
            yield Section(f"change{where}", "diff", tuple(_diff(old, new)))
    for key in ("content", "new_source"):
        if isinstance(args.get(key), str):
            shown.append(key)
            yield Section(f"written{where}", "diff", tuple(bounded(args[key], "added")))
    yield from _rest("arguments", args, shown)


def _edits(args: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    edits = args.get("edits")
    return [edit for edit in edits[:_ITEMS] if isinstance(edit, Mapping)] if isinstance(edits, list) else []


def _diff(old: str, new: str) -> list[Line]:
    """Old against new. What is too large to compare is shown as removed and added."""
    if max(len(old), len(new)) > CHARACTERS or old.count("\n") + new.count("\n") > 20 * LINES:
        return [*bounded(old, "removed"), *bounded(new, "added")]
    lines = difflib.unified_diff(old.split("\n"), new.split("\n"), n=2, lineterm="")
    return _diff_lines(list(lines)[2:])


def _patch(text: str) -> Section:
    lines = text[:CHARACTERS].split("\n", LINES)
    shown = _diff_lines(lines[:LINES])
    rest = len(text) - sum(len(line) + 1 for line in lines[:LINES])
    if rest > 0:
        shown.append(Line(f"{CUT} {size(rest)} more, not shown", "note"))
    return Section("patch", "diff", tuple(shown))


def _diff_lines(lines: list[str]) -> list[Line]:
    shown = [Line(visible_lines(line, 1)[0], _diff_style(line)) for line in lines[:LINES]]
    if len(lines) > LINES:
        shown.append(Line(f"{CUT} {plural(len(lines) - LINES, 'line')} more, not shown", "note"))
    return shown


def _diff_style(line: str) -> Style:
    if line.startswith(("@@", "***", "---", "+++")):
        return "hunk"
    return {"+": "added", "-": "removed"}.get(line[:1], "")  # type: ignore[return-value]


def raw_lines(raw: bytes, length: int) -> list[Line]:
    """A record as found, invalid bytes visible, in pieces that a line can hold."""
    text = raw[:CHARACTERS].decode("utf-8", "backslashreplace")
    pieces = [piece for line in text.split("\n") for piece in _pieces(line)]
    shown = [Line(visible(piece)) for piece in pieces[:LINES]]
    rest = length - sum(len(piece.encode("utf-8", "surrogatepass")) for piece in pieces[:LINES])
    if length > CHARACTERS or len(pieces) > LINES:
        shown.append(Line(f"{CUT} {size(max(rest, 0))} more, not shown", "note"))
    return shown


def _pieces(line: str) -> list[str]:
    return [line[start : start + 4096] for start in range(0, len(line), 4096)] or [""]
