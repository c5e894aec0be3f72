"""A ledger that attacks whoever shows it: in every field, in its lines, its name, and its blobs.

ledger = write_hostile(tmp_path)          # the ledger file; blobs lie beside it
names = write_hostile_names(tmp_path)     # small ledgers whose names attack, where the system has such names
assert got_through(output_of_the_terminal) == []
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from builders import START_MS, lines, table

ATTACKS = {
    "sgr": "\x1b[31;45;9mred",
    "clear": "\x1b[2J\x1b[66;6H",
    "clipboard": "\x1b]52;c;cHduZWQ=\x07",
    "title": "\x1b]0;pwned\x07",
    "title, other end": "\x1b]2;pwned\x1b\\",
    "link": "\x1b]8;;https://pwned.example\x1b\\x\x1b]8;;\x1b\\",
    "device control": "\x1bP+q706e\x1b\\",
    "application command": "\x1b_Gpwned\x1b\\",
    "reset": "\x1bcpwned",
    "alternate screen": "\x1b[?1049lpwned",
    "report": "\x1b[6n\x1b[c",
    "half an escape": "pwned\x1b",
    "half a sequence": "pwned\x1b[",
    "C1 sequence": "\x9b66;6Hpwned",
    "C1 clipboard": "\x9d52;c;cHduZWQ=\x9c",
    "C1 next line": "a\x85b\x84c\x8dd",
    "bidi": "abc\u202egpj.exe\u202c \u2066x\u2069 \u200fy\u061c",
    "nul": "a\x00b",
    "delete": "a\x7fb",
    "bell and backspace": "a\x07\x08\x08b",
    "carriage return": "harmless\rpwned   ",
    "new lines": "one\ntwo\r\nthree\x0bfour\x0cfive",
    "tabs": "\t\tx\ty",
    "line separators": "a\u2028b\u2029c",
    "markup, closing": "[/",
    "markup, closing tag": "[/red]x[/]",
    "markup, action": "[@click=app.quit]quit[/]",
    "markup, broken": "[b +",
    "markup, style": "[bold red on white]x[link='https://pwned.example']y",
    "markup, escaped": "\\[b]x\\\\[/b]",
    "lone surrogates": "a\ud800b\udfffc\udc1b",
    "combining flood": "e" + "\u0301\u0316\u20dd" * 200,
    "zero width": "a\u200bb\u200cc\u200dd\ufeffe\u2060f\u00adg",
    "joined": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466" + "\u200d\U0001f466" * 100,
    "variation": "\u2764\ufe0f" * 50 + "\ufe0e",
    "tag characters": "x" + "".join(chr(0xE0000 + ord(letter)) for letter in "pwned"),
    "wide": "日本語" * 60,
    "long": "T" * 10_000,
    "long word of brackets": "[" * 3_000,
    "deep quotes": '\\"' * 500,
    "noncharacters": "\ufffe\uffff\U0010ffff\ue000",
    "empty": "",
    "blank": " \u00a0\u3000 ",
}
"""What is tried, by what it tries. All of it is text that a JSON string can hold, as an escape at least."""

NUMBERS = [2**53 + 1, 2**63, 2**64, 2**200, -(2**63), 1e308, -0.0, 1e-320]
"""Numbers that a JSON number can be."""

FORBIDDEN = {
    "a clipboard write": "\x1b]52;c;cHduZWQ",
    "a title": "\x1b]0;pwned",
    "a title with the other end": "\x1b]2;pwned",
    "a link": "\x1b]8;;https://pwned",
    "a cursor move": "\x1b[66;6H",
    "a colour": "\x1b[31;45;9m",
    "a device control string": "\x1bP+q706e",
    "an application command": "\x1b_Gpwned",
    "a reset": "\x1bcpwned",
    "the end of the alternate screen": "\x1b[?1049lpwned",
    "a status request": "\x1b[6n\x1b[c",
    "a C1 control": "\x9b",
    "a C1 string": "\x9d",
    "a C1 next line": "\x85",
    "a C1 byte": "\udc9b",
    "a byte that is no UTF-8": "\udcff",
    "a surrogate": "\udced\udca0\udc80",
    "a bidi override": "\u202e",
    "a bidi isolate": "\u2066",
    "a right-to-left mark": "\u200f",
    "a NUL": "\x00",
    "a DEL": "\x7f",
    "a line separator": "\u2028",
    "a paragraph separator": "\u2029",
    "a tag character": chr(0xE0070),
    "a zero width space": "\u200b",
    "a flood of combining marks": "\u0301\u0316\u20dd" * 10,
    "a return that overwrites": "harmless\rpwned",
}
"""What must never reach a terminal as it stands in the ledger, by name."""


def got_through(output: bytes) -> list[str]:
    """The names of what reached the terminal as it stood in the ledger, bytes that are no UTF-8 among it."""
    text = output.decode("utf-8", "surrogateescape")
    return [name for name, raw in FORBIDDEN.items() if raw in text]


# --- the ledger


def hostile() -> bytes:
    """NDJSON: a session whose every field attacks, with sub-agents, failures and blobs, and damaged lines.

    It is a ledger all the same: every attack is a whole event, and those that are none are malformed rows."""
    records = list(_events())
    return lines(records) + b"\n".join([*_unescaped(len(records) + 1), *_malformed()]) + b"\n"


def _events() -> Iterator[dict[str, Any]]:
    """One event after the other, each under the one before or under the last inference."""
    seq, inference = 0, None
    for name, attack in ATTACKS.items():
        for record in _with(attack, name, inference):
            seq += 1
            record["seq_id"] = seq
            if record["event"].get("tool_name") == "llm_inference":
                inference = seq
            yield record
    for number in NUMBERS:
        seq += 1
        yield _record(
            {"seq_id": seq}, inference, tool="Bash", args={"command": number, "n": [number]}, ms=number
        )


def more(first: int, parent: int) -> bytes:
    """Events that are appended later, numbered from `first`, all under one parent: one for each attack."""
    return lines(
        _record({"seq_id": seq}, parent, tool=attack, actor=attack, args={"command": attack}, result=attack)
        for seq, attack in enumerate(ATTACKS.values(), first)
    )


def rewound(content: bytes, to: int) -> bytes:
    """The same ledger after somebody with a hostile name has rewound it to an event."""
    kept = content[: content.rindex(b"\n", 0, content.index(f'"seq_id":{to + 1},'.encode())) + 1]
    who = "".join(ATTACKS[name] for name in ("markup, action", "markup, closing", "clipboard", "C1 sequence"))
    event = {"event_type": "LedgerRewind", "target_seq_id": to, "rewound_by": who, "reason": who}
    return kept + lines([{"seq_id": to + 1, "event": event, "metadata": {"triggered_by": to}}])


def _with(attack: str, name: str, parent: int | None) -> Iterator[dict[str, Any]]:
    """The same attack in every field and in every sort of event that has a way of its own to be shown."""
    nested = {"list": [attack, {attack: attack}], attack: [attack]}
    yield _record({}, parent, tool="user_prompt", actor="human:" + attack, args={"prompt": attack, attack: 1})
    yield _record(
        {"schema_version": attack}, parent, tool="llm_inference", actor="agent:" + attack,
        args={"model": attack}, result={"text": attack, "usage": {"input_tokens": attack, attack: 3}},
    )  # fmt: skip
    yield _record({attack: attack}, parent, tool=attack, actor=attack, args=nested, result=nested)
    yield _record(
        {}, parent, tool="Bash", args={"command": attack, "description": attack},
        result={"stdout": attack, "stderr": attack, "exit_code": attack}, success=False,
    )  # fmt: skip
    yield _record(
        {}, parent, tool="Edit", actor="agent:sub",
        args={"file_path": attack, "old_string": attack + "\nsame", "new_string": "new\n" + attack},
        result=attack,
        refs=[{"sha256": attack, "label": attack, "size_bytes": attack, attack: attack}, attack],
    )  # fmt: skip
    yield _record(
        {}, parent, tool="Grep", args={"pattern": attack, "path": attack}, result={"matches": [attack]}
    )
    yield _record({}, parent, tool="apply_patch", args=attack, result=[attack, [attack]])
    yield _record({}, parent, tool="WebFetch", args={"url": attack}, result={"content": _blob(name)})
    yield _record(
        {}, parent, tool="Agent", args={"prompt": attack, "description": attack},
        result={"content": attack, "root_seq": attack, attack: {"child_root_seqs": [attack, 3]}},
    )  # fmt: skip
    yield _record({}, attack, tool="Read", args={"file_path": attack}, time=attack)
    yield _record({}, parent, event_type=attack, extra={attack: attack, "timestamp": attack})
    yield _record(
        {},
        parent,
        event_type="LedgerRewind",
        extra={"target_seq_id": 1, "rewound_by": attack, "reason": attack},
    )
    yield _record({}, parent, tool="context.compress", result={"original_sha256": attack, attack: attack})


def _record(
    top: dict[str, Any],
    parent: Any,
    *,
    tool: str | None = None,
    actor: str = "agent:main",
    args: Any = None,
    result: Any = None,
    success: Any = True,
    ms: Any = 12,
    refs: Any = (),
    time: str = "2026-03-02T14:00:00Z",
    event_type: str = "AgentToolCall",
    extra: dict[str, Any] | None = None,
) -> dict[str, Any]:
    attack = event_type if tool is None else tool
    call = {
        "source_agent": actor,
        "tool_name": tool,
        "args": {} if args is None else args,
        "result": {} if result is None else result,
        "payload_refs": list(refs),
        "success": success,
        "duration_ms": ms,
        "timestamp": time,
    }
    metadata = {
        "event_id": attack,
        "correlation_id": attack,
        "actor_id": attack,
        "session_id": attack,
        "branch_id": attack,
        "root_event_id": attack,
        "tags": {attack: attack},
        "emitted_at": {"physical": START_MS, "logical": 0, "actor_id": attack},
        "triggered_by": parent,
    }
    event = {"event_type": event_type, **(call if tool is not None else {}), **(extra or {})}
    hashes = {"prev_hash": attack, "entry_hash": attack, "event_sig": attack}
    return {"schema_version": "1.0", "seq_id": 0, "metadata": metadata, "event": event, **hashes, **top}


def _unescaped(seq: int) -> Iterator[bytes]:
    """Events that hold what JSON allows to stand unescaped, and bytes that are no UTF-8."""
    allowed = "\x7f\x9b66;6H\x9d52;c;cHduZWQ=\x9c\x85\u2028\u2029\u202e\u200b[@click=app.quit]\ufeff"
    for text in (allowed, allowed * 50):
        record = {**_record({}, None, tool="user_prompt", args={"prompt": text}), "seq_id": seq}
        yield json.dumps(record, ensure_ascii=False).encode()
        seq += 1
    record = {**_record({}, None, tool="Bash", args={"command": "RAW"}, actor="RAW"), "seq_id": seq}
    yield json.dumps(record).encode().replace(b"RAW", b"\x9b66;6H\xff\xfe\xed\xa0\x80\xc0\x80pwned")


def _malformed() -> Iterator[bytes]:
    """Lines that are no events, and attack whoever shows them as they are."""
    for attack in ATTACKS.values():
        raw = attack.encode("utf-8", "surrogatepass").replace(b"\n", b" ")
        yield b'{"seq_id": 1, "event": ' + raw
        yield raw + b" \x9b2J"
    yield b'{"seq_id": "\x1b[2J"}'
    yield b"[" * 5_000
    yield b"\x00" * 64
    yield b'{"schema_version":"1.0","seq_id":1' + b"e" * 3 + b"\x1b]0;pwned\x07}"


# --- files


def _blob_content(name: str) -> bytes:
    return (ATTACKS[name] + "\n" + "[@click=app.quit]" * 80).encode(
        "utf-8", "surrogatepass"
    ) + b"\x9b66;6H\x00"


def _blob(name: str) -> dict[str, Any]:
    raw = _blob_content(name)
    return {"_ref": "sha256:" + hashlib.sha256(raw).hexdigest(), "size_bytes": len(raw)}


def write_hostile(folder: Path) -> Path:
    """The ledger in `folder`, and its blobs beside it: true ones with hostile content, and files in the blobs
    folder whose names attack. Returns the ledger's path."""
    ledger = folder / "hostile.jsonl"
    ledger.write_bytes(hostile())
    for name in ATTACKS:
        raw = _blob_content(name)
        digest = hashlib.sha256(raw).hexdigest()
        path = folder / "blobs" / digest[:2] / digest
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
    for name in _file_names():
        _try_to_write(folder / "blobs" / name, b"no blob")
    return ledger


def write_hostile_names(folder: Path) -> list[Path]:
    """Small ledgers whose names attack, as far as the system has such names; there are always some."""
    book = table("1 user_prompt - human:u\n 2 llm_inference 1 agent:main\n 3 Read 2 agent:main")
    made = [folder / f"{name}.jsonl" for name in _file_names()]
    return [path for path in made if _try_to_write(path, book.nested())]


def _file_names() -> Iterator[str]:
    for attack in ATTACKS.values():
        name = attack.replace("/", "∕").replace("\x00", "")[:60]
        with suppress(UnicodeEncodeError):
            os.fsencode(name)
            yield name or "empty"
    yield os.fsdecode(b"\x9b66;6Hpwned\xff")


def _try_to_write(path: Path, content: bytes) -> bool:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except (OSError, ValueError):
        return False
    return True
