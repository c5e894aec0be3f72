"""Private keys as they are written in text: a line that begins them, base64, a line that ends them. Logs,
diffs and terminals put something of their own in front of each line."""

from __future__ import annotations

import re
from typing import Any

_LONGEST_BLOCK = 32 << 10
_BLOCK_LABEL = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
BLOCK_BEGINS = re.compile(rf"-{{4,5}} ?BEGIN {_BLOCK_LABEL}")
BLOCK_ENDS = re.compile(rf"-{{4,5}} ?END {_BLOCK_LABEL}")
_KEY_LINE = re.compile(
    r"[A-Za-z0-9+/=]{40}|^\s*(?:Proc-Type|DEK-Info|Version|Comment): |^[A-Za-z0-9+/]{4,}={0,2}$"
)
_BASE64_RUN = re.compile(r"[A-Za-z0-9+/=]{40}")
_TAIL_OF_A_KEY = re.compile(r"[A-Za-z0-9+/=]{8,}+(?=[^A-Za-z0-9+/=]*$)")
_LINE_OF_A_BLOCK = re.compile(r"(?:[^\n\\]|\\(?![nr]))*+(?:\n|(?:\\[nr])++|(?=\Z))")
_SHORT_BLOCK = re.compile(r"(?:\s|\\[nrt]|(?:[A-Za-z0-9+/]{4})++(?:[A-Za-z0-9+/]{2,3}={1,2})?+)*+")


def is_key_block(match: re.Match[str]) -> bool:
    """A block, whole or cut off; not what a program says of blocks."""
    if _BASE64_RUN.search(match["body"]):
        return True
    return bool(match["end"]) and _SHORT_BLOCK.fullmatch(match["body"]) is not None


def behind_block(match: re.Match[str]) -> str:
    """What does not belong to a block that was cut off; whatever stands in front of its lines does."""
    body: str = match["body"]
    if match["end"] and len(body) <= _LONGEST_BLOCK:
        return ""
    end = 0
    for line in _LINE_OF_A_BLOCK.finditer(body):
        runs = list(_BASE64_RUN.finditer(line[0])) or (list(_TAIL_OF_A_KEY.finditer(line[0])) if end else [])
        if runs:
            tail = re.compile(r"[A-Za-z0-9+/=]*").match(line[0], runs[-1].end())
            end = line.start() + (tail.end() if tail else 0)
        elif end:
            break
    return body[end:] + (match["end"] or "")


def redact_lines(several: list[Any], replacement: str) -> int:
    """Replace the key blocks whose lines are members of a list; how many there were."""
    count = 0
    inside = False
    for index, line in enumerate(several):
        if not isinstance(line, str):
            inside = False
        elif BLOCK_BEGINS.search(line) and index + 1 < len(several):
            inside = _is_key_line(several[index + 1])
            count += inside
        elif inside:
            ends = BLOCK_ENDS.search(line)
            inside = bool(ends) or _is_key_line(line)
            if inside:
                several[index] = replacement
            inside = inside and not ends
        if inside:
            several[index] = replacement
    return count


def _is_key_line(line: Any) -> bool:
    return isinstance(line, str) and (not line.strip() or bool(_KEY_LINE.search(line)))
