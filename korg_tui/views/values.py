"""Values: arguments and results in the form that a person would choose - a diff, a terminal, source, matches,
Markdown, text, JSON that folds - as bounded sections of safe lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from korg_tui.event import SPAWN_TOOLS, Kind
from korg_tui.sources import BlobFound
from korg_tui.text import CUT, visible
from korg_tui.views import calls, matched, running
from korg_tui.views.blobs import blob_preview
from korg_tui.views.blocks import BLOCKS, Block, blocks, image_line
from korg_tui.views.display import coloured, json_of, prose
from korg_tui.views.folding import Tree, escaped, tree_lines
from korg_tui.views.patches import structured
from korg_tui.views.running import TERMINALS, terminal_section, unpacked, wrote
from korg_tui.views.sections import ENTER_OPENS, Line, Opens, Section, Shape
from korg_tui.views.terminal import terminal
from korg_tui.views.texts import CHARACTERS, LINES, bounded
from korg_tui.views.words import plural, size
from korg_tui.views.writing import changed

Look = Callable[[str], BlobFound]
"""The state of a blob by its digest, and its beginning."""

ARGS, RESULT = "/args", "/result"

_PREVIEWS = 5
"""Blobs of an event that are shown in place; all are listed below."""
_PROSE = ("prompt", "thinking", "message", "body", "text", "content", "plan", "instructions", "explanation")
"""Arguments that are text to be read, when they are long."""
_ALWAYS = frozenset({"prompt", "thinking"})
_LONG = 100
_WEB = frozenset({"WebFetch", "WebSearch", "web_fetch", "web_search", "fetch"})
_PAGES = SPAWN_TOOLS | _WEB | {"llm_inference"}
"""Tools whose results may be Markdown."""
_APPLIED = ("structuredPatch", "oldString", "newString", "originalFile")
"""What the diff of an edit tells already."""
_TEXT_KEYS = ("text", "content", "output", "message", "result", "summary", "error")


@dataclass(frozen=True, slots=True)
class Call:
    """What is to be shown of an event. `look` shows blobs in place, where it is given."""

    tool: str
    args: Any = None
    result: Any = None
    failed: bool | None = None
    kind: Kind = Kind.TOOL
    look: Look | None = None


def content(call: Call) -> list[Section]:
    """Arguments, then the result, then the blobs that these name."""
    return [*arguments(call), *result(call)]


def json_section(title: str, value: object, pointer: str) -> Section:
    """A value as JSON that folds."""
    tree = Tree(value, pointer)
    return Section(title, "json", tree_lines(tree), tree=tree)


def arguments(call: Call) -> list[Section]:
    """The arguments of a call as a person reads them."""
    args = call.args
    if args in (None, {}, "", []):
        return []
    if calls.reference(args) is not None:
        return [_in_place("arguments", args, ARGS, call)]
    if call.tool in calls.WRITERS and (shown := changed(call.tool, args, call.result)):
        sections, keys = shown
        return [*sections, *_rest("arguments", args, keys, ARGS, call)]
    if isinstance(args, str):
        return [_text("arguments", args, ARGS)]
    if not isinstance(args, Mapping):
        return [json_section("arguments", args, ARGS)]
    if call.tool in TERMINALS and calls.command(args):
        return [_command(args), *_rest("arguments", args, _command_keys(args), ARGS, call)]
    texts = [key for key in _PROSE if _is_prose(key, args.get(key))]
    sections = [_text(key, args[key], f"{ARGS}/{key}", page=key not in _ALWAYS) for key in texts]
    code = args.get("code")
    if isinstance(code, str) and code:
        shown_code = bounded(code, "code", opens=Opens("value", f"{ARGS}/code"))
        sections.append(Section("code", "text", tuple(coloured(shown_code, language=_language(call, args)))))
        texts.append("code")
    return [*sections, *_rest("arguments", args, texts, ARGS, call)]


def _is_prose(key: str, value: object) -> bool:
    if not isinstance(value, str) or not value:
        return False
    return key in _ALWAYS or len(value) > _LONG or "\n" in value


def _language(call: Call, args: Mapping[str, Any]) -> str:
    said = args.get("language")
    return said if isinstance(said, str) else call.tool if call.tool == "python" else "python"


def _command(args: Mapping[str, Any]) -> Section:
    key = _command_keys(args)[0]
    lines = bounded(calls.command(args), "code", opens=Opens("value", f"{ARGS}/{key}"))
    return Section("command", "terminal", tuple(coloured(lines, language="bash")))


def _command_keys(args: Mapping[str, Any]) -> list[str]:
    return [key for key in calls.COMMAND_KEYS if args.get(key)][:1]


def result(call: Call) -> list[Section]:
    """The result of a call as a person reads it."""
    value = call.result
    if value in (None, {}, "", []):
        return _no_result(call)
    if calls.reference(value) is not None:
        return [*_no_result(call), _in_place("result", value, RESULT, call)]
    if call.tool in TERMINALS or (isinstance(value, Mapping) and isinstance(value.get("stdout"), str)):
        return _ran(call, value)
    found = blocks(value, RESULT)
    if found is not None:
        return list(_blocks(found, value, RESULT, call))
    if isinstance(value, str):
        return [_result_text("result", value, RESULT, call)]
    image = image_line(value, RESULT)
    if image is not None:
        return [Section("result", "text", (image,))]
    if isinstance(value, Mapping):
        return _result_object(call, value)
    return [json_section("result", value, RESULT)]


def _no_result(call: Call) -> list[Section]:
    """Of a command without a result, how it ended is known at most by its failure."""
    end = running.ending(None, call.failed) if call.tool in TERMINALS else None
    return [] if end is None else [Section("terminal", "terminal", (Line(end.words, end.style),))]


def _ran(call: Call, value: object) -> list[Section]:
    value = unpacked(value)
    found = blocks(value, RESULT)
    if found is not None:
        texts = [block.value for block in found if block.what == "text"]
        end = running.ending(texts[0] if texts else None, call.failed)
        first, *others = _blocks(found, value, RESULT, call)
        if end is not None and first.lines:
            return [replace(first, title=f"{first.title} {end.words}", style=end.style), *others]
        ended = [] if end is None else [Section("terminal", "terminal", (Line(end.words, end.style),))]
        return [*ended, first, *others]
    if not isinstance(value, (str, Mapping)):
        return [*_no_result(call), json_section("result", value, RESULT)]
    shown = [] if isinstance(value, str) else running.told(value)
    ends = isinstance(value, str) or wrote(value) or running.ending(value, call.failed) is not None
    sections = [terminal_section(value, call.failed, RESULT)] if ends else []
    return [*sections, *(_rest("result", value, shown, RESULT, call) if isinstance(value, Mapping) else ())]


def _result_object(call: Call, value: Mapping[str, Any]) -> list[Section]:
    file = value.get("file")
    if isinstance(file, Mapping) and isinstance(file.get("content"), str):
        path = calls.text_at(file, ("filePath", *calls.PATH_KEYS)) or _path(call)
        opens = Opens("value", f"{RESULT}/file/content")
        first = file.get("startLine")
        lines = matched.file_lines(file["content"], path, first if isinstance(first, int) else 1, opens)
        others = {key: each for key, each in file.items() if key != "content"}
        return [Section("result", "text", tuple(lines)), json_section("file", others, f"{RESULT}/file")]
    for key in _TEXT_KEYS:
        text, where = value.get(key), f"{RESULT}/{key}"
        if isinstance(text, str) and text:
            shown = _result_text("result", text, where, call)
            return [shown, *_rest("more of the result", value, [key], RESULT, call)]
        found = blocks(text, where)
        if found is not None:
            rest = _rest("more of the result", value, [key], RESULT, call)
            return [*_blocks(found, text, where, call), *rest]
    listed = matched.joined_matches(value) if call.tool in matched.SEARCHERS | {"Glob", "glob"} else None
    if listed is not None:
        text, key = listed
        lines = matched.match_lines(text, _pattern(call), _path(call), Opens("value", f"{RESULT}/{key}"))
        rest = _rest("more of the result", value, [key], RESULT, call)
        return [Section("result", "text", tuple(lines)), *rest]
    told = list(_APPLIED) if call.tool in calls.WRITERS and structured(value.get("structuredPatch")) else []
    return _rest("result", value, told, RESULT, call)


def _result_text(title: str, text: str, pointer: str, call: Call) -> Section:
    """A text that a tool returned."""
    opens = Opens("value", pointer)
    image = image_line(text, pointer)
    if image is not None:
        return Section(title, "text", (image,))
    if call.failed:
        return Section(title, "text", tuple(bounded(text, "error", opens=opens)))
    if "\x1b[" in text[:CHARACTERS]:
        return Section(title, "terminal", tuple(terminal(text, opens=opens)))
    if call.tool in matched.READERS:
        return Section(title, "text", tuple(matched.read_lines(text, _path(call), opens)))
    if call.tool in matched.SEARCHERS:
        return Section(title, "text", tuple(matched.match_lines(text, _pattern(call), _path(call), opens)))
    return _text(title, text, pointer, page=call.tool in _PAGES)


def _path(call: Call) -> str:
    return calls.text_at(call.args, calls.PATH_KEYS)


def _pattern(call: Call) -> str:
    return calls.text_at(call.args, ("pattern", "query", "regex"))


def _text(title: str, text: str, pointer: str, *, page: bool = False) -> Section:
    """A text: JSON that folds where it is JSON, Markdown where it may be, else as it is."""
    found = json_of(text)
    if found is not None:
        return json_section(f"{title}, a text that is JSON", found[0], pointer)
    opens = Opens("value", pointer)
    return Section(title, "text", tuple(prose(text, opens=opens) if page else bounded(text, opens=opens)))


def _blocks(found: list[Block], value: Any, pointer: str, call: Call) -> Iterator[Section]:
    """Content blocks one after the other: text as text, images as facts, others as JSON."""
    for number, block in enumerate(found):
        title = "" if number else "result"
        if block.what == "text":
            yield _result_text(title, block.value, block.pointer, call)
        elif block.what == "image":
            line = image_line(block.value, block.pointer)
            yield Section(title, "text", () if line is None else (line,))
        else:
            yield json_section(title, block.value, block.pointer)
    if len(value) > BLOCKS:
        words = f"{CUT} {plural(len(value) - BLOCKS, 'block')} more{ENTER_OPENS}"
        yield Section("", "text", (Line(words, "note", opens=Opens("value", pointer)),))


def _rest(title: str, value: Any, shown: list[str], pointer: str, call: Call) -> list[Section]:
    """What a mapping has besides what was shown apart: blobs in place, the rest as JSON."""
    if not isinstance(value, Mapping):
        return []
    left = {key: each for key, each in value.items() if key not in shown}
    held = [key for key, each in left.items() if calls.reference(each) is not None] if call.look else []
    previews = [
        _in_place(visible(key, 60), left.pop(key), f"{pointer}/{escaped(key)}", call)
        for key in held[:_PREVIEWS]
    ]
    return [*previews, *([json_section(title, left, pointer)] if left else [])]


def _in_place(title: str, value: Any, pointer: str, call: Call) -> Section:
    """The beginning of a blob where its reference stands, marked as such."""
    named = calls.reference(value)
    if named is None or call.look is None:
        return json_section(title, value, pointer)
    digest, declared = named
    lines = blob_preview(call.look(digest), declared, path=_path(call))
    return Section(f"{title}, in a blob", _shape(lines), tuple(lines))


def _shape(lines: list[Line]) -> Shape:
    return "terminal" if any(line.style == "output" for line in lines) else "text"


def raw_lines(raw: bytes, length: int) -> list[Line]:
    """A record as found, invalid bytes visible, in pieces that a line can hold."""
    text = raw[:CHARACTERS].decode("utf-8", "backslashreplace")
    pieces = [piece for line in text.split("\n") for piece in _pieces(line)]
    shown = [Line(visible(piece)) for piece in pieces[:LINES]]
    rest = length - sum(len(piece.encode("utf-8", "surrogatepass")) for piece in pieces[:LINES])
    if length > CHARACTERS or len(pieces) > LINES:
        words = f"{CUT} {size(max(rest, 0))} more{ENTER_OPENS}"
        shown.append(Line(words, "note", opens=Opens("value", "")))
    return shown


def _pieces(line: str) -> list[str]:
    return [line[start : start + 4096] for start in range(0, len(line), 4096)] or [""]
