"""Patches: what changes texts, read from what writing calls carry - old and new text, unified diffs, the
patch text of Codex, and its `changes` - as hunks of lines. Bounded; nothing is applied to anything."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from korg_tui.views import calls

FILES = 100
"""Files of one patch."""
ROWS = 2_000
"""Lines of one patch that are read."""
COMPARED = 600
"""Lines on each side that are compared; beyond, all of the old is removed and all of the new added."""
CONTEXT = 3

Sign = Literal[" ", "-", "+", "\\"]

_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE = re.compile(r"\*\*\* Move to: (.+)")
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)")
_GIT = re.compile(r"diff --git a/(.+) b/(.+)")
_NOISE = re.compile(r"(index|(new|old|deleted) (file )?mode|(dis)?similarity index|(rename|copy) (from|to)) ")
_BEGIN = "*** Begin Patch"
_MARKERS = (_BEGIN, "*** End Patch", "*** End of File")
_WORDS = {"Add": "added", "Update": "changed", "Delete": "deleted"}


@dataclass(slots=True)
class Hunk:
    """Lines that stand together. `old` and `new`: the number of the first line before and after, counted from
    1; None where nothing says it."""

    old: int | None = None
    new: int | None = None
    words: str = ""
    """What the patch says of the place."""
    rows: list[tuple[Sign, str]] = field(default_factory=list)


@dataclass(slots=True)
class FilePatch:
    """What happens to one file. Raw text."""

    path: str = ""
    what: str = "changed"
    hunks: list[Hunk] = field(default_factory=list)


# old and new text


def compared(old: str, new: str) -> list[Hunk]:
    """The hunks between two texts, their lines counted from 1. What is the same at both ends is not compared;
    what is left and too long is not compared either, but shown as removed and added."""
    before, after = _split(old), _split(new)
    head = _same(before, after)
    tail = _same(before[head:][::-1], after[head:][::-1])
    middle = _operations(before[head : len(before) - tail], after[head : len(after) - tail])
    rows: list[tuple[Sign, str]] = [(" ", line) for line in before[max(0, head - CONTEXT) : head]]
    rows += middle
    rows += [(" ", line) for line in before[len(before) - tail :][:CONTEXT]]
    first = max(0, head - CONTEXT)
    whole = Hunk(first + 1, first + 1, "", rows)
    return list(_apart(whole)) if middle else []


def _split(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines at the beginning are the same."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _operations(before: list[str], after: list[str]) -> list[tuple[Sign, str]]:
    if max(len(before), len(after)) > COMPARED:
        return [*(("-", line) for line in before), *(("+", line) for line in after)]
    rows: list[tuple[Sign, str]] = []
    matcher = difflib.SequenceMatcher(None, before, after)
    for what, begin, end, new_begin, new_end in matcher.get_opcodes():
        if what == "equal":
            rows += [(" ", line) for line in before[begin:end]]
        else:
            rows += [("-", line) for line in before[begin:end]]
            rows += [("+", line) for line in after[new_begin:new_end]]
    return rows


def _apart(whole: Hunk) -> Iterator[Hunk]:
    """The hunk in pieces, without what is the same between them and far from both."""
    changed = [index for index, (sign, _) in enumerate(whole.rows) if sign != " "]
    begin, old, new, at = max(0, changed[0] - CONTEXT), whole.old or 1, whole.new or 1, 0
    for index, further in zip(changed, [*changed[1:], None], strict=True):
        if further is not None and further - index <= 2 * CONTEXT + 1:
            continue
        end = min(len(whole.rows), index + CONTEXT + 1)
        skipped, rows = whole.rows[at:begin], whole.rows[begin:end]
        old, new = old + _count(skipped, "-"), new + _count(skipped, "+")
        yield Hunk(old, new, "", rows)
        old, new, at = old + _count(rows, "-"), new + _count(rows, "+"), end
        begin = 0 if further is None else max(end, further - CONTEXT)


def _count(rows: Sequence[tuple[Sign, str]], sign: Sign) -> int:
    """How many lines of one side these are."""
    return sum(each in (" ", sign) for each, _ in rows)


def written(text: str) -> Hunk:
    """A whole file that is new, or of which nothing is known."""
    return Hunk(1, 1, "", [("+", line) for line in _split(text)])


# patch text


def parse_patch(text: str) -> list[FilePatch]:
    """The files of a unified diff or of a patch as Codex writes it. Lines that mean nothing as such are told
    as the words of a hunk."""
    reader = _PatchReader()
    begin = max(text.find(_BEGIN), 0)
    for line in text[begin:].removesuffix("\n").split("\n", ROWS)[:ROWS]:
        reader.take(line.removesuffix("\r"))
    return reader.files[:FILES]


class _PatchReader:
    """The files so far, line by line."""

    def __init__(self) -> None:
        self.files: list[FilePatch] = []
        self._codex = False
        """A removed line of a Codex patch may begin with more dashes; it is no heading."""
        self._left = (0, 0)
        """Lines, before and after, that the head of a hunk announced and that have not come yet."""
        self._before = ""

    def take(self, line: str) -> None:
        if self._left != (0, 0) and line[:1] in ("", " ", "-", "+"):
            sign, text = line[:1] or " ", line[1:]
            old, new = self._left
            self._left = (max(0, old - (sign != "+")), max(0, new - (sign != "-")))
            self._add(sign, text)
            return
        self._left = (0, 0)
        if not (self._is_marker(line) or self._is_heading(line)):
            self._else(line)

    def _is_marker(self, line: str) -> bool:
        """Whether it is a line of the Codex form; then it is taken."""
        if line in _MARKERS:
            self._codex = True
        elif found := _FILE.fullmatch(line):
            self._codex = True
            self._file(found[2].strip(), _WORDS[found[1]])
        elif (found := _MOVE.fullmatch(line)) and self.files:
            self.files[-1].what = f"moved to {found[1].strip()}"
        elif line == "@@" or (line.startswith("@@ ") and not _HUNK.match(line)):
            self._hunk(Hunk(words=line[2:].strip().removesuffix("@@").strip()))
        else:
            return False
        return True

    def _is_heading(self, line: str) -> bool:
        """Whether it is a heading of a unified diff; then it is taken."""
        if found := _GIT.fullmatch(line):
            self._file(found[2], "changed")
        elif line.startswith("--- ") and not self._codex:
            self._before = _bare(line[4:])
        elif line.startswith("+++ ") and not self._codex:
            self._after(_bare(line[4:]))
        elif found := _HUNK.match(line):
            self._hunk(Hunk(int(found[1]), int(found[3]), found[5]))
            self._left = (int(found[2] or 1), int(found[4] or 1))
        else:
            return False
        return True

    def _after(self, path: str) -> None:
        what = "added" if self._before == "/dev/null" else "deleted" if path == "/dev/null" else "changed"
        named = self._before if path == "/dev/null" else path
        if self.files and not self.files[-1].hunks and self.files[-1].path == named:
            self.files[-1].what = what
        else:
            self._file(named, what)

    def _file(self, path: str, what: str) -> None:
        self.files.append(FilePatch(path, what))

    def _hunk(self, hunk: Hunk) -> None:
        if not self.files:
            self._file("", "changed")
        self.files[-1].hunks.append(hunk)

    def _else(self, line: str) -> None:
        """A line of a hunk without numbers, or something else that is told as it is."""
        if line[:1] in ("+", "-", " ", "\\") or (not line and self.files and self.files[-1].hunks):
            self._add(line[:1] or " ", line[1:])
        elif line and not _NOISE.match(line):
            self._hunk(Hunk(words=line))

    def _add(self, sign: Any, text: str) -> None:
        if not self.files or not self.files[-1].hunks:
            first = 1 if self.files and self.files[-1].what == "added" else None
            self._hunk(Hunk(first, first))
        self.files[-1].hunks[-1].rows.append((sign, text))


def _bare(path: str) -> str:
    """The path of a `---` or `+++` line."""
    name = path.partition("\t")[0].strip()
    return name[2:] if name.startswith(("a/", "b/")) else name


# what calls carry


def structured(value: object) -> list[Hunk]:
    """The hunks of a `structuredPatch`, as Claude Code's results have it; none when it is something else."""
    hunks = []
    for each in value[:FILES] if isinstance(value, list) else ():
        if not isinstance(each, Mapping) or not isinstance(each.get("lines"), list):
            return []
        rows = [_row(line) for line in each["lines"][:ROWS] if isinstance(line, str)]
        hunks.append(Hunk(_number(each.get("oldStart")), _number(each.get("newStart")), "", rows))
    return hunks


def _row(line: str) -> tuple[Any, str]:
    return (line[0], line[1:]) if line[:1] in tuple(" -+\\") else (" ", line)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None


def changes(value: object) -> list[FilePatch]:
    """The files of a Codex `changes`: an object from path to change, or a list of objects with a path."""
    if isinstance(value, Mapping):
        pairs = [(str(path), change) for path, change in list(value.items())[:FILES]]
    elif isinstance(value, list):
        pairs = [(calls.text_at(change, calls.PATH_KEYS), change) for change in value[:FILES]]
    else:
        return []
    found = [_changed(path, change) for path, change in pairs]
    return [file for file in found if file is not None]


def _changed(path: str, change: object) -> FilePatch | None:
    if not isinstance(change, Mapping):
        return None
    for what in ("add", "update", "delete"):
        if isinstance(change.get(what), Mapping):
            return _change(path, what, change[what])
    kind = change.get("kind", change.get("type"))
    kind = kind.get("type") if isinstance(kind, Mapping) else kind
    return _change(path, kind if isinstance(kind, str) else "update", change)


def _change(path: str, what: str, change: Mapping[str, Any]) -> FilePatch:
    diff = calls.text_at(change, ("unified_diff", "diff", "patch"))
    content = calls.text_at(change, ("content",))
    moved = calls.text_at(change, ("move_path",))
    if diff:
        read = parse_patch(diff)
        hunks = [hunk for file in read for hunk in file.hunks]
    else:
        hunks = [written(content)] if content else []
        if what == "delete":
            hunks = [Hunk(1, 1, "", [("-", line) for _, line in hunk.rows]) for hunk in hunks]
    words = {"add": "added", "delete": "deleted"}.get(what, "changed")
    return FilePatch(path, f"moved to {moved}" if moved else words, hunks)
