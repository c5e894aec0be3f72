"""Running: what a call that ran a command says of how it ended and what it wrote, as a terminal block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from korg_tui.formats import Unreadable, loads
from korg_tui.text import visible
from korg_tui.views import calls
from korg_tui.views.blocks import image_line
from korg_tui.views.overlays import moved
from korg_tui.views.sections import Line, Opens, Section, Style
from korg_tui.views.terminal import terminal
from korg_tui.views.words import duration

TERMINALS = calls.RUNNERS | {
    "local_shell", "local_shell_call", "container.exec", "shell_command", "unified_exec", "write_stdin",
    "BashOutput", "bash", "run_command", "execute_command", "run_terminal_cmd", "run_shell_command",
}  # fmt: skip
"""Tools whose results are what a terminal showed."""

OUTPUTS = ("stdout", "output", "aggregated_output", "stderr")
"""Members of a result that are terminal output, in the order in which they are shown."""

_CODES = ("exit_code", "exitCode", "exit", "returncode", "return_code", "returnCode", "code")
_TIMED_OUT = ("timed_out", "timedOut", "timeout_reached", "is_timeout")
_INTERRUPTED = ("interrupted", "cancelled", "canceled", "killed", "aborted")
_SECONDS = ("duration_seconds", "wall_time_seconds")
_SAID = re.compile(
    r"^(?:exit code|process exited with code|exited with code|exit status|command failed with exit code)"
    r":? *(-?\d{1,10})\b",
    re.IGNORECASE | re.MULTILINE,
)
_SAID_TIME_OUT = re.compile(r"^(?:command |process )?timed out\b", re.IGNORECASE | re.MULTILINE)
_LOOKED = 400
_JSON = 1_000_000


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended: a sign and words, and the look that goes with them."""

    words: str
    style: Style


def ending(value: object, failed: bool | None) -> Ending | None:
    """How a command ended, by its result; where that says nothing, by the success of the call. None when
    nothing says it."""
    places = list(_places(value))
    said = _said(value)
    code = next((each for place in places if (each := _code(place)) is not None), None)
    told = _SAID.search(said) if code is None else None
    code = int(told[1]) if told else code
    tail = _took(places)
    if any(place.get(key) is True for place in places for key in _TIMED_OUT) or _SAID_TIME_OUT.search(said):
        return Ending(f"✗ timed out{'' if code is None else f', exit {code}'}{tail}", "error")
    if any(place.get(key) is True for place in places for key in _INTERRUPTED):
        return Ending(f"✗ interrupted{'' if code is None else f', exit {code}'}{tail}", "error")
    signal = next((place["signal"] for place in places if isinstance(place.get("signal"), (str, int))), None)
    if signal not in (None, "", 0, False):
        return Ending(visible(f"✗ killed by signal {signal}{tail}", 100), "error")
    if code is not None:
        return Ending(f"✓ exit 0{tail}", "good") if code == 0 else Ending(f"✗ exit {code}{tail}", "error")
    return Ending(f"✗ failed, no exit code recorded{tail}", "error") if failed else None


def _places(value: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        yield value
        for key in ("metadata", "result", "outcome"):
            if isinstance(value.get(key), Mapping):
                yield value[key]


def _code(place: Mapping[str, Any]) -> int | None:
    for key in _CODES:
        code = place.get(key)
        if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 2**33:
            return code
    return None


def _said(value: object) -> str:
    """Where a text says how it ended: its beginning."""
    if isinstance(value, Mapping):
        value = calls.text_at(value, OUTPUTS)
    return value[:_LOOKED] if isinstance(value, str) else ""


def _took(places: list[Mapping[str, Any]]) -> str:
    for place in places:
        for key in _SECONDS:
            seconds = place.get(key)
            if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and 0 <= seconds < 1e9:
                return f" after {duration(seconds * 1000)}"
    return ""


def unpacked(value: object) -> object:
    """What a text holds that is a JSON object with output, as Codex writes it; else the value as it is."""
    if not isinstance(value, str) or not value.startswith("{") or len(value) > _JSON:
        return value
    try:
        found = loads(value.encode("utf-8", "surrogatepass"))
    except Unreadable:
        return value
    return found if isinstance(found, Mapping) and _texts(found) else value


def _texts(value: Mapping[str, Any]) -> list[str]:
    return [key for key in OUTPUTS if isinstance(value.get(key), str) and value[key]]


def told(value: Mapping[str, Any]) -> list[str]:
    """The members of a result that the terminal block tells; empty outputs are worth no line."""
    outputs = [key for key in OUTPUTS if isinstance(value.get(key), str)]
    codes = [key for key in _CODES if _code({key: value.get(key)}) is not None][:1]
    ends = [key for key in (*_TIMED_OUT, *_INTERRUPTED) if isinstance(value.get(key), bool)]
    return [*outputs, *codes, *ends]


def wrote(value: object) -> list[str]:
    """The members of a result that hold terminal output."""
    return _texts(value) if isinstance(value, Mapping) else []


def terminal_section(value: object, failed: bool | None, pointer: str) -> Section:
    """How a command ended, in the title, and what it wrote: its errors behind a heading and a rule at their
    left."""
    lines: list[Line] = []
    parts = [("", value)] if isinstance(value, str) else []
    if isinstance(value, Mapping):
        parts = [(key, value[key]) for key in _texts(value)]
    for number, (key, text) in enumerate(parts):
        where = f"{pointer}/{key}" if key else pointer
        if key == "stderr":
            lines.append(Line("stderr", "note"))
        elif number or len(parts) > 1:
            lines.append(Line(key, "note"))
        lines += _output(text, key, where)
    if not parts:
        lines.append(Line(_elsewhere(value), "note"))
    end = ending(value, failed)
    if end is None:
        return Section("terminal", "terminal", tuple(lines))
    return Section(f"terminal {end.words}", "terminal", tuple(lines), style=end.style)


def _elsewhere(value: object) -> str:
    """Where the output of a command is whose result has none as text."""
    outputs = [value.get(key) for key in OUTPUTS] if isinstance(value, Mapping) else []
    if any(calls.reference(output) is not None for output in outputs):
        return "its output is in a blob, below"
    return "its output stands below" if any(outputs) else "it wrote nothing"


def _output(text: str, key: str, where: str) -> list[Line]:
    image = image_line(text, where)
    if image is not None:
        return [image]
    shown = terminal(text, "stderr" if key == "stderr" else "output", opens=Opens("value", where))
    return [_ruled(line) for line in shown] if key == "stderr" else shown


def _ruled(line: Line) -> Line:
    if line.style != "stderr":
        return line
    return replace(line, text=f"▏ {line.text}", spans=moved(line.spans, 2), hang="▏ ")
