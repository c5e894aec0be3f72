"""Contents that attack whoever shows them as what they are: diffs, terminal output, Markdown, JSON, images.

write_hostile_contents(tmp_path)      # the ledger file; blobs with such contents lie beside it
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from builders import Book, lines
from hostile import ATTACKS

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff\xff\xff\xff\xff\xff\xff\xff\x08\x06\x00\x00\x00"
"""The head of a picture that says that it is 4,294,967,295 x 4,294,967,295."""

COLOURS = (
    "\x1b[38;5;999m\x1b[38;2;1m\x1b[;;;;m\x1b[99999999999999999999m\x1b[1;31;4;9;7mred\x1b[0m"
    "\x1b[10000A\x1b[10000C\x1b[2K\x1b[s\x1b[u\x1b]8;;https://pwned.example\x07link\x1b]8;;\x07"
)
DEPTH = 90
TRIED = (
    "sgr", "clipboard", "C1 sequence", "half a sequence", "bidi", "nul", "carriage return", "new lines",
    "markup, broken", "lone surrogates", "combining flood", "tag characters", "long",
)  # fmt: skip
"""The attacks that contents are made of, by their names."""


def deep(attack: str) -> Any:
    """Lists in objects in lists, as deep as a ledger may be written, with an attack at the bottom."""
    value: Any = attack
    for number in range(DEPTH):
        value = [value] if number % 2 else {attack[:20]: value}
    return value


def markdown(attack: str) -> str:
    return (
        f"# {attack}\n\n[{attack}](javascript:alert(1)) ![{attack}](https://pwned.example/a.png)\n\n"
        f"```{attack}\n{attack}\n```\n\n| {attack} | b |\n|---|---|\n| <script>{attack}</script> | \\| |\n\n"
        f"{'> ' * 200}{attack}\n{'*' * 400}{attack}{'_' * 400}\n{'- ' * 200}{attack}\n"
        f"<img src=x onerror=alert(1)>{attack}\n\n[1]: https://pwned.example '{attack}'\n{'`' * 300}{attack}"
    )


def patch(attack: str) -> str:
    bare = attack.replace("\n", " ")
    return (
        f"*** Begin Patch\n*** Update File: {bare}\n@@ {bare}\n-{bare}\n+{bare} new\n {bare}\n"
        f"*** Move to: ../{bare}\n*** Add File: {bare}\n+{attack}\n"
        f"*** Delete File: /etc/{bare}\n*** End Patch"
    )


def unified(attack: str) -> str:
    bare = attack.replace("\n", " ")
    return (
        f"--- a/{bare}\n+++ b/{bare}\n@@ -1,99999999999999 +0,0 @@ {bare}\n-{bare}\n+{bare}\n"
        f"@@ -x @@\n\\ {bare}\n"
    )


def calls(attack: str) -> Iterator[tuple[str, Any, Any]]:
    """Tool, arguments and result: one for every way in which contents are shown."""
    many = [{"old_string": attack * 3, "new_string": attack + "\nx"}, {"old_string": attack}, attack]
    picture = {"type": "base64", "media_type": attack, "data": base64.b64encode(PNG).decode() + attack}
    edit = {"file_path": f"a.py{attack}", "old_string": f"{attack}\na = 1", "new_string": attack}
    page = f"<script>{attack}</script>\n" * 20
    yield "Edit", edit, patch(attack)
    yield "MultiEdit", {"file_path": attack, "edits": many}, {"structuredPatch": [attack, {"lines": [1]}]}
    yield "Write", {"file_path": f"{attack}.html", "content": page}, unified(attack)
    yield "apply_patch", {"input": patch(attack)}, unified(attack)
    yield "apply_patch", patch(attack) * 3, {"output": attack}
    yield "Bash", {"command": f"echo '{attack}'"}, {"stdout": COLOURS + attack + COLOURS, "exit_code": attack}
    yield "exec_command", {"cmd": [attack, attack]}, {"output": attack + "\r" * 300 + "\x08" * 300 + attack}
    yield "shell", {"command": [attack]}, f"{attack}\n" * 50 + "\x1b[" + "1;" * 3_000 + "m"
    yield "WebFetch", {"url": attack}, {"content": markdown(attack)}
    yield "Read", {"file_path": "README.md"}, {"content": markdown(attack)}
    yield "Read", {"file_path": f"{attack}.json"}, {"content": json.dumps(deep(attack))}
    yield "Read", {"file_path": "a.png"}, {"content": [{"type": "image", "source": picture}, attack]}
    yield "Grep", {"pattern": attack, "path": attack}, {"matches": [f"a.py:1:{attack}"] * 30, "mode": attack}
    yield "NotebookEdit", {"notebook_path": attack, "new_source": attack, "cell_id": attack}, deep(attack)
    yield "mcp__x__y", deep(attack), {attack: attack * 200, "a/b~c": [attack] * 200}
    blocks = [{"type": "thinking", "thinking": attack}, {"type": "text", "text": markdown(attack)}, attack]
    yield "llm_inference", {"messages": [{"content": attack}]}, {"content": blocks}


def blob_contents(attack: str) -> Iterator[bytes]:
    raw = attack.encode("utf-8", "surrogatepass")
    yield PNG + raw
    yield b"GIF89a\xff\xff\xff\xff" + raw
    yield b"\xff\xd8\xff\xe0" + raw * 3
    yield gzip.compress(raw * 20, mtime=0)[:-4] + b"torn"
    yield b"[" * 2_000 + raw
    yield json.dumps(deep(attack)).encode()
    yield "\ufeff".encode("utf-16-le") + attack.encode("utf-16-le", "surrogatepass")
    yield b"%PDF-1.7\n" + raw


def bomb() -> bytes:
    """Fifty megabytes of nothing, in fifty kilobytes."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([*(packer.compress(bytes(1_000_000)) for _ in range(50)), packer.flush()])


def hostile_contents() -> tuple[bytes, list[bytes]]:
    """NDJSON, and the contents of the blobs that it names."""
    book, contents = Book(), []
    ask = book.prompt("show me all of it")
    for name in TRIED:
        attack, think = ATTACKS[name][:2_000], book.infer(ask)
        for tool, args, result in calls(attack):
            book.add(tool, think, args=args, result=result, success=name != "nul")
        for content in blob_contents(attack):
            contents.append(content)
            digest = hashlib.sha256(content).hexdigest()
            blob = {"_ref": f"sha256:{digest}", "size_bytes": len(content)}
            book.tool("Read", think, args={"file_path": attack[:50]}, result={"content": blob})
    contents.append(bomb())
    digest = hashlib.sha256(contents[-1]).hexdigest()
    zeros = {"_ref": f"sha256:{digest}", "size_bytes": 1}
    book.tool("Read", ask, args={"file_path": "zeros.gz"}, result=zeros)
    return lines(book.records), contents


def write_hostile_contents(folder: Path) -> Path:
    """The ledger in `folder`, with its blobs beside it. Returns its path."""
    ledger, contents = hostile_contents()
    path = folder / "contents.jsonl"
    path.write_bytes(ledger)
    for content in contents:
        digest = hashlib.sha256(content).hexdigest()
        blob = folder / "blobs" / digest[:2] / digest
        blob.parent.mkdir(parents=True, exist_ok=True)
        blob.write_bytes(content)
    return path
